//! The range coder (spec/moves.md section 7): symbols with known frequencies to bytes and back.

/// The range stays at least this wide, so frequencies may add up to this number.
const LEAST: u32 = 1 << 24;

/// Writes symbols.
#[derive(Clone, Debug)]
pub struct RangeEncoder {
    /// The lower end of the range; a carry stands in bit 32.
    low: u64,
    range: u32,
    /// The last byte that a carry may still change; `None` before the first byte.
    held: Option<u8>,
    /// The number of bytes 0xff behind `held`, which a carry would change too.
    full: u64,
    bytes: Vec<u8>,
}

impl Default for RangeEncoder {
    fn default() -> RangeEncoder {
        RangeEncoder {
            low: 0,
            range: u32::MAX,
            held: None,
            full: 0,
            bytes: Vec::new(),
        }
    }
}

impl RangeEncoder {
    /// Writes a symbol: `frequency` of `total`, with `below` before it; `total` is at most 2^24.
    pub fn put(&mut self, below: u32, frequency: u32, total: u32) {
        let unit = self.range / total;
        self.low += u64::from(unit) * u64::from(below);
        self.range = unit * frequency;
        while self.range < LEAST {
            self.range <<= 8;
            self.shift();
        }
    }

    /// Writes a bit that is 1 with the chance `one` in 65,536, from 1 to 65,535.
    #[inline]
    pub fn put_bit(&mut self, bit: bool, one: u32) {
        let bound = (self.range >> 16) * one;
        if bit {
            self.range = bound;
        } else {
            self.low += u64::from(bound);
            self.range -= bound;
        }
        while self.range < LEAST {
            self.range <<= 8;
            self.shift();
        }
    }

    /// Moves the highest byte of `low` out.
    fn shift(&mut self) {
        let [byte, carry, ..] = (self.low >> 24).to_le_bytes();
        if carry == 1 || byte < 0xff {
            self.bytes
                .extend(self.held.map(|held| held.wrapping_add(carry)));
            for _ in 0..self.full {
                self.bytes.push(0xff_u8.wrapping_add(carry));
            }
            self.full = 0;
            self.held = Some(byte);
        } else {
            self.full += 1;
        }
        self.low = self.low << 8 & 0xffff_ffff;
    }

    /// About the number of bytes so far that no further symbol changes.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Ends with the number of the range that has the most trailing zero bits, and leaves out the
    /// bytes 0 at the end.
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

/// The bytes are not what the encoder makes of any symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("coded symbols are not well-formed")]
pub struct BadCode;

/// Reads symbols.
#[derive(Clone, Debug)]
pub struct RangeDecoder<'a> {
    bytes: &'a [u8],
    /// Bytes read, the zeros that stand for those behind the end included.
    read: usize,
    /// The last four bytes read, and how far they are above the lower end of the range.
    window: u32,
    code: u32,
    range: u32,
}

impl<'a> RangeDecoder<'a> {
    /// At the beginning of these bytes.
    pub fn new(bytes: &'a [u8]) -> RangeDecoder<'a> {
        let mut decoder = RangeDecoder {
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

    /// The place of the next symbol, a number below `total`. The symbol is the one with this place
    /// in its `below..below + frequency`; the caller passes these to [`RangeDecoder::take`].
    ///
    /// # Errors
    /// [`BadCode`]: the place is in no symbol.
    pub fn place(&self, total: u32) -> Result<u32, BadCode> {
        let place = self.code / (self.range / total);
        if place < total {
            Ok(place)
        } else {
            Err(BadCode)
        }
    }

    /// Takes the symbol.
    pub fn take(&mut self, below: u32, frequency: u32, total: u32) {
        let unit = self.range / total;
        self.code -= unit * below;
        self.range = unit * frequency;
        while self.range < LEAST {
            self.range <<= 8;
            self.shift();
        }
    }

    /// Takes a bit that is 1 with the chance `one` in 65,536, from 1 to 65,535.
    #[inline]
    pub fn take_bit(&mut self, one: u32) -> bool {
        let bound = (self.range >> 16) * one;
        let bit = self.code < bound;
        if bit {
            self.range = bound;
        } else {
            self.code -= bound;
            self.range -= bound;
        }
        while self.range < LEAST {
            self.range <<= 8;
            self.shift();
        }
        bit
    }

    /// Checks that the bytes end as the encoder would have ended them.
    ///
    /// # Errors
    /// [`BadCode`].
    pub fn finish(self) -> Result<(), BadCode> {
        // The window is the number that the encoder chose; the zero bytes that it left out are read
        // as 0.
        let step = 1_u64 << self.window.trailing_zeros();
        let is_first = u64::from(self.code) < step || self.window == 0;
        let left = u64::from(self.range).saturating_sub(u64::from(self.code));
        let is_last = left > 0 && (left <= step || self.window == 0);
        let is_whole = self.bytes.last() != Some(&0) && self.bytes.len() <= self.read;
        if is_whole && is_first && is_last {
            Ok(())
        } else {
            Err(BadCode)
        }
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
    #[expect(
        clippy::cast_possible_truncation,
        reason = "numbers below 2^24, by their shifts and remainders"
    )]
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
            let mut encoder = RangeEncoder::default();
            for &(below, frequency, total) in &symbols {
                encoder.put(below, frequency, total);
            }
            let bytes = encoder.finish();
            let decode = |bytes: &[u8]| -> Result<(), BadCode> {
                let mut decoder = RangeDecoder::new(bytes);
                for &(below, frequency, total) in &symbols {
                    let number = decoder.place(total)?;
                    if !(below..below + frequency).contains(&number) {
                        return Err(BadCode);
                    }
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
