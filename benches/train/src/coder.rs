//! The range coder (spec/moves.md, section 7).

use anyhow::{Result, ensure};

const LEAST: u32 = 1 << 24;

/// Writes symbols.
#[derive(Debug)]
pub struct Encoder {
    /// The lower end of what is left, and above its 32 bits a carry.
    low: u64,
    range: u32,
    /// The byte that a carry may still change; behind it, so many bytes 0xff.
    held: u8,
    full: u64,
    bytes: Vec<u8>,
    /// The byte before the first is always 0 and not written.
    first: bool,
}

impl Default for Encoder {
    fn default() -> Encoder {
        Encoder {
            low: 0,
            range: u32::MAX,
            held: 0,
            full: 0,
            bytes: Vec::new(),
            first: true,
        }
    }
}

impl Encoder {
    pub fn encode(&mut self, below: u32, frequency: u32, total: u32) {
        let unit = self.range / total;
        self.low += u64::from(unit) * u64::from(below);
        self.range = unit * frequency;
        while self.range < LEAST {
            self.range <<= 8;
            self.shift();
        }
    }

    /// Moves the highest byte of `low` out.
    fn shift(&mut self) {
        let carry = (self.low >> 32) as u8;
        if carry == 1 || self.low < 0xff00_0000 {
            if !self.first {
                self.bytes.push(self.held.wrapping_add(carry));
            }
            self.first = false;
            for _ in 0..self.full {
                self.bytes.push(0xff_u8.wrapping_add(carry));
            }
            self.full = 0;
            self.held = (self.low >> 24) as u8;
        } else {
            self.full += 1;
        }
        self.low = self.low << 8 & 0xffff_ffff;
    }

    /// Ends at the number with the most trailing zero bits.
    pub fn finish(mut self) -> Vec<u8> {
        for bits in (0..=32).rev() {
            let number = (self.low + (1 << bits) - 1) >> bits << bits;
            if number - self.low < u64::from(self.range) {
                self.low = number;
                break;
            }
        }
        for _ in 0..5 {
            self.shift();
        }
        while self.bytes.last() == Some(&0) {
            self.bytes.pop();
        }
        self.bytes
    }
}

/// Reads them back.
#[derive(Debug)]
pub struct Decoder<'a> {
    bytes: &'a [u8],
    /// Bytes read, those beyond the end too.
    read: usize,
    /// The last four bytes read, and how far they are above the lower end of what is left.
    window: u32,
    code: u32,
    range: u32,
}

impl<'a> Decoder<'a> {
    pub fn new(bytes: &'a [u8]) -> Decoder<'a> {
        let mut decoder = Decoder {
            bytes,
            read: 0,
            window: 0,
            code: 0,
            range: u32::MAX,
        };
        for _ in 0..4 {
            decoder.shift();
        }
        decoder
    }

    fn shift(&mut self) {
        let byte = u32::from(self.bytes.get(self.read).copied().unwrap_or(0));
        self.read += 1;
        self.window = self.window << 8 | byte;
        self.code = self.code << 8 | byte;
    }

    /// A number below `total`, in the symbol's frequencies; `take` must follow.
    pub fn number(&self, total: u32) -> Result<u32> {
        let number = self.code / (self.range / total);
        ensure!(number < total, "no symbol has this code");
        Ok(number)
    }

    pub fn take(&mut self, below: u32, frequency: u32, total: u32) {
        let unit = self.range / total;
        self.code -= unit * below;
        self.range = unit * frequency;
        while self.range < LEAST {
            self.range <<= 8;
            self.shift();
        }
    }

    /// Whether the bytes end as an encoder ends them.
    pub fn finish(self) -> Result<()> {
        ensure!(self.bytes.last() != Some(&0), "ends in a zero");
        ensure!(self.bytes.len() <= self.read, "bytes behind the end");
        if self.window != 0 {
            let step = 1 << self.window.trailing_zeros();
            ensure!(
                self.code < step && self.range - self.code <= step,
                "a shorter end exists"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splitmix, enough for tests.
    fn next(state: &mut u64) -> u64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    #[test]
    fn round_trip_and_one_spelling() {
        let mut state = 1;
        for round in 0..1_000 {
            let count = next(&mut state) % 12;
            let symbols: Vec<(u32, u32, u32)> = (0..count)
                .map(|_| {
                    let total = 1 + (next(&mut state) >> (40 + next(&mut state) % 23)) as u32;
                    let total = total.min(1 << 23);
                    let below = match round % 4 {
                        // The last symbol of all, again and again: carries.
                        0 => total - 1,
                        1 => 0,
                        _ => (next(&mut state) % u64::from(total)) as u32,
                    };
                    let frequency = 1 + (next(&mut state) % u64::from(total - below)) as u32;
                    (below, frequency, total)
                })
                .collect();
            let mut encoder = Encoder::default();
            for &(below, frequency, total) in &symbols {
                encoder.encode(below, frequency, total);
            }
            let bytes = encoder.finish();
            let decode = |bytes: &[u8]| -> Result<()> {
                let mut decoder = Decoder::new(bytes);
                for &(below, frequency, total) in &symbols {
                    let number = decoder.number(total)?;
                    ensure!(
                        (below..below + frequency).contains(&number),
                        "another symbol"
                    );
                    decoder.take(below, frequency, total);
                }
                decoder.finish()
            };
            decode(&bytes).unwrap();
            // No other bytes of that length or shorter, or a little longer, are the same symbols.
            for at in 0..bytes.len() {
                let mut other = bytes.clone();
                other[at] ^= 1 << (next(&mut state) % 8);
                assert!(decode(&other).is_err());
                assert!(decode(&bytes[..at]).is_err());
            }
            for more in 0..=255 {
                let mut other = bytes.clone();
                other.push(more);
                assert!(decode(&other).is_err());
            }
        }
    }
}
