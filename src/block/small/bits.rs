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

/// Chances by their contexts. Contexts with the same hash share some. Sixteen nodes of a context
/// stand side by side, in a line of the cache.
pub(crate) struct Chances {
    cells: Vec<Cell>,
    /// Where the first line begins.
    begin: usize,
    shift: u32,
}

/// The cells of a line.
const LINE: usize = 16;

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
        let len = (1 << bits) + LINE - 1;
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
            begin: cells.as_ptr().align_offset(4 * LINE).min(LINE - 1),
            cells,
            shift: 32 - bits,
        }
    }

    #[inline(always)]
    fn cells(&mut self) -> &mut [Cell] {
        &mut self.cells[self.begin..]
    }

    /// The place of the first of sixteen nodes; each of the others is at this place XOR its lowest
    /// bits.
    #[inline(always)]
    fn place(&self, context: Context, nodes: u32) -> usize {
        let hash = (context ^ nodes.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0x9e37_79b1);
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
        let place = self.place(context, node >> 4) ^ (node & 15) as usize;
        let cell = &mut self.cells()[place];
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
        let mut read = 1;
        for at in 0..bits {
            let first = 1 << (at % 4);
            let node = read >> (at % 4) << 4 | first | read & (first - 1);
            let bit = symbol >> (bits - 1 - at) & 1 == 1;
            read = read << 1 | u32::from(self.bit(coder, context, node, bit));
        }
        read - (1 << bits)
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
    /// With 2^`bits` chances and `sets` sets of weights, a power of two.
    pub(crate) fn new(bits: u32, sets: usize, rate: i32, limit: u32) -> Mixer<N> {
        debug_assert!(sets.is_power_of_two());
        Mixer {
            chances: Chances::new(bits),
            weights: vec![[(1 << 16) * 5 / (4 * N as i32); N]; sets],
            rate,
            stretch: &STRETCH,
            limit,
        }
    }

    /// Where the chances of each context stand for sixteen nodes, beginning with this one.
    #[inline(always)]
    fn places(&self, contexts: &[Context; N], node: u32) -> [usize; N] {
        std::array::from_fn(|i| {
            let nodes = (node >> 4).wrapping_add((i as u32) << 20);
            self.chances.place(contexts[i], nodes)
        })
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
        self.bit_at(coder, &self.places(contexts, node), set, node, bit)
    }

    /// As [`Mixer::bit`], by the places of this node and its neighbours.
    #[inline(always)]
    fn bit_at(
        &mut self,
        coder: &mut impl BitCoder,
        places: &[usize; N],
        set: usize,
        node: u32,
        bit: bool,
    ) -> bool {
        let places = places.map(|place| place ^ (node & 15) as usize);
        let (cells, mut odds) = (self.chances.cells(), [0; N]);
        let sets = self.weights.len();
        let weights = &mut self.weights[set & (sets - 1)];
        let mut sum = 0_i64;
        for i in 0..N {
            odds[i] = i32::from(self.stretch[(one(cells[places[i]]) >> 4) as usize]);
            sum += i64::from(odds[i]) * i64::from(weights[i]);
        }
        let chance = squash((sum >> 16).clamp(-2047, 2047) as i32);
        let bit = coder.bit(bit, chance);
        let error = (i32::from(bit) << 16) - i32::from(bit) - chance as i32;
        for i in 0..N {
            let step = (odds[i] * self.rate * (error >> 4)) >> 14;
            weights[i] = (weights[i] + step).clamp(-MAX_WEIGHT, MAX_WEIGHT);
            learn(&mut cells[places[i]], bit, self.limit);
        }
        bit
    }

    /// Codes a number: the length of the number + 1 in bits and its second bit by the contexts, the
    /// others evenly. `base` is added to all nodes.
    fn number_from(
        &mut self,
        coder: &mut impl BitCoder,
        contexts: &[Context; N],
        set: usize,
        base: u32,
        value: u64,
    ) -> Read<u64> {
        let value = value.wrapping_add(1);
        let len = value.checked_ilog2().unwrap_or(0);
        let (mut places, mut read, mut node) = (self.places(contexts, base), 0, base + 2);
        while self.bit_at(coder, &places, set, node, len > read) {
            (read, node) = (read + 1, node + 2);
            if read > MAX_LENGTH {
                return Err(BadCode);
            }
            if node & 15 == 0 {
                places = self.places(contexts, node);
            }
        }
        let Some(rest) = read.checked_sub(1) else {
            return Ok(0);
        };
        let second = self.bit_at(coder, &places, set, node + 1, value >> rest & 1 == 1);
        let high = 2 | u64::from(second);
        Ok((high << rest | plain_bits(coder, value, rest)?) - 1)
    }

    /// Codes a number.
    pub(crate) fn number(
        &mut self,
        coder: &mut impl BitCoder,
        contexts: &[Context; N],
        set: usize,
        value: u64,
    ) -> Read<u64> {
        self.number_from(coder, contexts, set, 0, value)
    }

    /// Codes a signed number.
    pub(crate) fn signed(
        &mut self,
        coder: &mut impl BitCoder,
        contexts: &[Context; N],
        set: usize,
        value: i64,
    ) -> Read<i64> {
        let places = self.places(contexts, 0);
        if self.bit_at(coder, &places, set, 0, value == 0) {
            return Ok(0);
        }
        let negative = self.bit_at(coder, &places, set, 1, value < 0);
        let rest = value.unsigned_abs().wrapping_sub(1);
        let base = u32::from(negative) << 7;
        let rest = self.number_from(coder, contexts, set, base, rest)?;
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
        let mut read = 1;
        for half in [symbol >> 4, symbol & 15] {
            let (places, mut node) = (self.places(contexts, read << 4), 1);
            for at in (0..4).rev() {
                let bit = self.bit_at(coder, &places, set, node, half >> at & 1 == 1);
                node = node << 1 | u32::from(bit);
            }
            read = read << 4 | node & 15;
        }
        read.to_le_bytes()[0]
    }
}

/// The most bits behind the highest that a number + 1 has.
const MAX_LENGTH: u32 = 62;
