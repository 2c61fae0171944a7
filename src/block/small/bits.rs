//! Adaptive binary models, and the coder of their bits (spec/small.md section 3).

use std::cell::RefCell;

use pgc_chess::{BadCode, RangeDecoder, RangeEncoder};

/// Writes or reads bits: a writer returns the bit that it is given, a reader the bit that was
/// written. So one implementation of each model serves both.
pub(crate) trait BitCoder {
    /// Whether this is a reader, which ignores the values that it is given.
    const READS: bool;

    /// Codes a bit that is 1 with the chance `one` in 65,536.
    fn bit(&mut self, bit: bool, one: u32) -> bool;

    /// Codes a number below `total`, all equally likely; `total` is at most 2^24, and not 0.
    fn even(&mut self, value: u32, total: u32) -> Read<u32>;
}

impl BitCoder for RangeEncoder {
    const READS: bool = false;

    #[inline]
    fn bit(&mut self, bit: bool, one: u32) -> bool {
        self.put_bit(bit, one);
        bit
    }

    fn even(&mut self, value: u32, total: u32) -> Read<u32> {
        self.put(value, 1, total);
        Ok(value)
    }
}

impl BitCoder for RangeDecoder<'_> {
    const READS: bool = true;

    #[inline]
    fn bit(&mut self, _: bool, one: u32) -> bool {
        self.take_bit(one)
    }

    fn even(&mut self, _: u32, total: u32) -> Read<u32> {
        let value = self.place(total)?;
        self.take(value, 1, total);
        Ok(value)
    }
}

/// The result of reading; an error for bytes that no writer makes.
pub(crate) type Read<T> = Result<T, BadCode>;

/// The most bits of a number that are coded evenly at once.
const EVEN_BITS: u32 = 16;

/// The lowest `bits` bits of a number, without a model.
fn plain_bits(coder: &mut impl BitCoder, value: u64, bits: u32) -> Read<u64> {
    let (mut read, mut left) = (0, bits);
    while left > 0 {
        let some = left.min(EVEN_BITS);
        left -= some;
        let part = (value >> left) as u32 & ((1 << some) - 1);
        read = read << some | u64::from(coder.even(part, 1 << some)?);
    }
    Ok(read)
}

/// The chance of a 1 (the upper 22 bits), and how often it was used (the lower 10). The highest bit
/// is stored inverted, so that 0 is an even chance that was never used. Cells are plain integers
/// because the system then gives zeroed memory page by page, as it is used: most blocks use little
/// of their tables.
type Cell = u32;

const EVEN: u32 = 1 << 31;

/// The chance of a 1, in 65,536.
#[inline]
fn one(cell: Cell) -> u32 {
    ((cell ^ EVEN) >> 16).clamp(1, 0xffff)
}

#[inline]
fn learn(cell: &mut Cell, bit: bool, limit: u32) {
    let state = *cell ^ EVEN;
    let (chance, seen) = (state >> 10, state & 0x3ff);
    let target = if bit { (1 << 22) - 1 } else { 0 };
    let step = (i64::from(target) - i64::from(chance)) * i64::from(PACES[seen as usize]);
    let chance = (i64::from(chance) + (step >> 16)) as u32;
    *cell = (chance << 10 | (seen + 1).min(limit)) ^ EVEN;
}

/// How fast a chance moves after `seen` bits: 65,536 / (`seen` + 1.5), rounded down.
static PACES: [u32; 1024] = {
    let (mut paces, mut seen) = ([0; 1024], 0);
    while seen < 1024 {
        paces[seen as usize] = (1 << 17) / (2 * seen + 3);
        seen += 1;
    }
    paces
};

/// The most uses that a chance outside a [`Mixer`] counts.
const STEADY: u32 = 255;

/// Chances by their contexts. Contexts with the same hash share one.
pub(crate) struct Chances {
    cells: Vec<Cell>,
    shift: u32,
}

thread_local! {
    /// The tables of finished blocks, for the next block. Giving some MB back to the system after
    /// each block and asking for them again takes a quarter of the time of reading only tags.
    static SPARE: RefCell<Vec<Vec<Cell>>> = const { RefCell::new(Vec::new()) };
}

impl Drop for Chances {
    fn drop(&mut self) {
        let cells = std::mem::take(&mut self.cells);
        // At the end of a thread the list may be gone.
        let _ = SPARE.try_with(|spare| spare.borrow_mut().push(cells));
    }
}

/// A context: what is known about the next bits.
pub(crate) type Context = u32;

/// A context of two numbers.
#[inline]
pub(crate) fn context(a: u32, b: u32) -> Context {
    (a ^ a >> 15)
        .wrapping_mul(0x2c1b_3c6d)
        .wrapping_add(b.wrapping_mul(0x9e37_79b1))
        ^ b >> 13
}

impl Chances {
    pub(crate) fn new(bits: u32) -> Chances {
        let len = 1 << bits;
        let spare = SPARE.with_borrow_mut(|spare| {
            let at = spare.iter().position(|cells| cells.len() == len)?;
            Some(spare.swap_remove(at))
        });
        let cells = match spare {
            Some(mut cells) => {
                cells.fill(0);
                cells
            }
            None => vec![0; len],
        };
        Chances {
            cells,
            shift: 32 - bits,
        }
    }

    #[inline]
    fn place(&self, context: Context, node: u32) -> usize {
        let hash = (context ^ node.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0x9e37_79b1);
        ((hash ^ hash >> 15).wrapping_mul(0x2c1b_3c6d) >> self.shift) as usize
    }

    /// Codes one bit of a symbol; `node` tells it from the others of the symbol.
    #[inline]
    pub(crate) fn bit(
        &mut self,
        coder: &mut impl BitCoder,
        context: Context,
        node: u32,
        bit: bool,
    ) -> bool {
        let place = self.place(context, node);
        let cell = &mut self.cells[place];
        let bit = coder.bit(bit, one(*cell));
        learn(cell, bit, STEADY);
        bit
    }

    /// Codes a symbol of `bits` bits.
    pub(crate) fn symbol(
        &mut self,
        coder: &mut impl BitCoder,
        context: Context,
        bits: u32,
        symbol: u32,
    ) -> u32 {
        let mut node = 1;
        for at in (0..bits).rev() {
            node = node << 1 | u32::from(self.bit(coder, context, node, symbol >> at & 1 == 1));
        }
        node - (1 << bits)
    }
}

/// The chances, in 65,536, of odds with the logarithms from -8 to 8, in steps of 1/2.
const STEPS: [u32; 33] = [
    22, 36, 60, 98, 162, 267, 439, 720, 1179, 1921, 3108, 4971, 7812, 11955, 17625, 24743, 32768,
    40793, 47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438,
    65476, 65500, 65514,
];

/// The chance, in 65,536, for the logarithm of odds in 1/256, from -2,047 to 2,047.
#[inline]
fn squash(odds: i32) -> u32 {
    let at = (odds.clamp(-2047, 2047) + 2048) as u32;
    let (low, part) = ((at >> 7) as usize, at & 127);
    (STEPS[low] * (128 - part) + STEPS[low + 1] * part) >> 7
}

static STRETCH: std::sync::LazyLock<[i16; 4096]> = std::sync::LazyLock::new(|| {
    let (mut table, mut odds) = ([0; 4096], -2047);
    for (at, entry) in table.iter_mut().enumerate() {
        while odds < 2047 && squash(odds) < at as u32 * 16 + 8 {
            odds += 1;
        }
        *entry = odds as i16;
    }
    table
});

/// No weight grows beyond 256.
const MAX_WEIGHT: i32 = 1 << 24;

/// Mixes the chances of `N` contexts into one, with weights that adapt.
pub(crate) struct Mixer<const N: usize> {
    chances: Chances,
    weights: Vec<[i32; N]>,
    rate: i32,
    stretch: &'static [i16; 4096],
    limit: u32,
}

impl<const N: usize> Mixer<N> {
    /// With 2^`bits` chances and `sets` sets of weights.
    pub(crate) fn new(bits: u32, sets: usize, rate: i32, limit: u32) -> Mixer<N> {
        Mixer {
            chances: Chances::new(bits),
            weights: vec![[(1 << 16) * 5 / (4 * N as i32); N]; sets],
            rate,
            stretch: &STRETCH,
            limit,
        }
    }

    /// Where the chance of each context stands.
    #[inline(always)]
    fn places(&self, contexts: &[Context; N], node: u32) -> [usize; N] {
        std::array::from_fn(|i| {
            let node = node.wrapping_add((i as u32) << 24);
            self.chances.place(contexts[i], node)
        })
    }

    /// Reads the chances of a bit that may come soon, which are rarely in the cache: nothing waits
    /// for these reads, and the bit then finds them there.
    #[inline(always)]
    pub(crate) fn expect(&self, contexts: &[Context; N], node: u32) {
        for place in self.places(contexts, node) {
            std::hint::black_box(self.chances.cells[place]);
        }
    }

    /// Codes one bit of a symbol, with the weights of `set`.
    #[inline]
    pub(crate) fn bit(
        &mut self,
        coder: &mut impl BitCoder,
        contexts: &[Context; N],
        set: usize,
        node: u32,
        bit: bool,
    ) -> bool {
        let (places, mut odds) = (self.places(contexts, node), [0; N]);
        let sets = self.weights.len();
        let weights = &mut self.weights[set % sets];
        let mut sum = 0_i64;
        for i in 0..N {
            odds[i] = i32::from(self.stretch[(one(self.chances.cells[places[i]]) >> 4) as usize]);
            sum += i64::from(odds[i]) * i64::from(weights[i]);
        }
        let chance = squash((sum >> 16).clamp(-2047, 2047) as i32);
        let bit = coder.bit(bit, chance);
        let error = (i32::from(bit) << 16) - i32::from(bit) - chance as i32;
        for i in 0..N {
            let step = (odds[i] * self.rate * (error >> 4)) >> 14;
            weights[i] = (weights[i] + step).clamp(-MAX_WEIGHT, MAX_WEIGHT);
            learn(&mut self.chances.cells[places[i]], bit, self.limit);
        }
        bit
    }

    /// Codes a number: its length in bits, the highest bits by the contexts, the others evenly.
    pub(crate) fn number(
        &mut self,
        coder: &mut impl BitCoder,
        contexts: &[Context; N],
        set: usize,
        value: u64,
    ) -> Read<u64> {
        let value = value.wrapping_add(1);
        let len = value.checked_ilog2().unwrap_or(0);
        let mut read = 0;
        let node_of = |read: u32, number: u64| (read + 1) << 8 | (number as u32) << 16 | 1 << 15;
        loop {
            self.expect(contexts, read + 2);
            if read > 0 {
                self.expect(contexts, node_of(read, 1));
            }
            if !self.bit(coder, contexts, set, read + 1, len > read) {
                break;
            }
            read += 1;
            if read > MAX_LENGTH {
                return Err(BadCode);
            }
        }
        let modelled = read.min(MODELLED);
        let mut number = 1_u64;
        for at in (read - modelled..read).rev() {
            let node = node_of(read, number);
            if at > read - modelled {
                self.expect(contexts, node_of(read, number << 1));
                self.expect(contexts, node_of(read, number << 1 | 1));
            }
            let bit = self.bit(coder, contexts, set, node, value >> at & 1 == 1);
            number = number << 1 | u64::from(bit);
        }
        let rest = plain_bits(coder, value, read - modelled)?;
        Ok((number << (read - modelled) | rest) - 1)
    }

    /// Codes a signed number.
    pub(crate) fn signed(
        &mut self,
        coder: &mut impl BitCoder,
        contexts: &[Context; N],
        set: usize,
        value: i64,
    ) -> Read<i64> {
        self.expect(contexts, 0x78);
        if self.bit(coder, contexts, set, 0x77, value == 0) {
            return Ok(0);
        }
        let shifted = [0, 1].map(|sign| contexts.map(|c| c ^ 0x5bd1_e995 ^ sign));
        shifted.iter().for_each(|shifted| self.expect(shifted, 1));
        let negative = self.bit(coder, contexts, set, 0x78, value < 0);
        let shifted = &shifted[usize::from(negative)];
        let rest = self.number(coder, shifted, set, value.unsigned_abs().wrapping_sub(1))?;
        // It is below 2^63 - 1.
        let rest = rest.cast_signed() + 1;
        Ok(if negative { -rest } else { rest })
    }

    /// Codes a symbol of eight bits.
    pub(crate) fn symbol(
        &mut self,
        coder: &mut impl BitCoder,
        contexts: &[Context; N],
        set: usize,
        symbol: u8,
    ) -> u8 {
        let mut node = 1;
        for at in (0..8).rev() {
            if at > 0 {
                self.expect(contexts, node << 1);
                self.expect(contexts, node << 1 | 1);
            }
            let bit = self.bit(coder, contexts, set, node, symbol >> at & 1 == 1);
            node = node << 1 | u32::from(bit);
        }
        node.to_le_bytes()[0]
    }
}

/// How many of a number's bits behind the highest follow a model.
const MODELLED: u32 = 4;

/// The most bits behind the highest that a number + 1 has.
const MAX_LENGTH: u32 = 62;
