//! The tables of the move model (spec/moves.md section 6), laid out for this folder: with squares
//! in its order, entries that are looked up together side by side, and lengths that are powers of
//! two, so that a masked index needs no check.

use std::sync::LazyLock;

/// Hidden units.
pub(super) const UNITS: usize = 64;
/// Rows of the inputs.
const INPUTS: usize = 2048;
/// Rows of the moves.
const ROWS: usize = 1200;

/// Where the six small tables begin, one behind the other.
pub(super) const EXCHANGE: usize = 0;
const ORIGIN: usize = EXCHANGE + 2592;
pub(super) const CHECK: usize = ORIGIN + 864;
const STEP: usize = CHECK + 576;
const OWN: usize = STEP + 8100;
pub(super) const SPECIAL: usize = OWN + 192;
const SMALL: usize = SPECIAL + 48;

/// Bytes of the file.
const FILE: usize = (INPUTS + ROWS) * UNITS + 2 * (UNITS + SMALL + 256);

/// One weight for each hidden unit.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct WeightRow(pub(super) [i8; UNITS]);

/// Sixteen numbers that are added at once.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Sixteen(pub(super) [i32; 16]);

/// The row of [`Tables::own`] where there is no last move of ours.
pub(super) const NO_OWN: usize = 48;

/// A row of [`Tables::exchanges`] of zeros.
pub(super) const NO_ROW: usize = 511;

/// See the module. Entries of small tables stand here times 16: so they may be added to a dot
/// product before its lowest four bits are dropped.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) inputs: Box<[WeightRow; INPUTS]>,
    /// By kind of piece times 64, and square.
    pub(super) destinations: Box<[WeightRow; 512]>,
    pub(super) origins: Box<[WeightRow; 512]>,
    /// By exchange.
    pub(super) exchanges: Box<[WeightRow; 512]>,
    pub(super) bias: [i16; UNITS],
    /// Where nothing is taken back: by `late`, then by exchange.
    pub(super) exchange: Box<[[i32; 512]; 2]>,
    /// By kind of piece times 24 plus a code of [`ORIGIN_CODE`]; within, by a code of [`CLASSES`].
    pub(super) origin: Box<[Sixteen; 256]>,
    /// By (kind of piece times 2, plus `same`) times 4, plus phase; within, as `origin`.
    pub(super) own: Box<[Sixteen; 64]>,
    /// By kinds of the last piece and this, 256 for each pair; within, by [`step_key`].
    pub(super) step: Box<[i32; 1 << 14]>,
    /// All small tables as they are in the file, for the rare entries.
    pub(super) small: Box<[i16; SMALL]>,
    pub(super) exp: [u32; 256],
}

/// The weights in an origin's code: of the least attacker, of being defended, of being newly
/// attacked.
pub(super) const ORIGIN_CODE: [usize; 3] = [4, 2, 1];

/// A key of a square (as the side to move sees it). The difference of two keys tells how many files
/// and ranks lie between the squares: 16 for each file, 1 for each rank, so from -119 to 119.
#[inline(always)]
pub(super) fn step_key(seen: usize) -> usize {
    seen + (seen & 0x38)
}

/// The place of a difference of 0.
pub(super) const STEP_MIDDLE: usize = 119;

/// By exchange within a kind of piece: the class of a destination, 0 to 2 for its least attacker
/// (2: more than a pawn), and 8 if something is captured. The bit of value 4 is left for a move
/// back.
pub(super) static CLASSES: [u8; 128] = {
    let mut classes = [0; 128];
    let mut exchange = 0;
    while exchange < 72 {
        let least = exchange % 12 / 2;
        classes[exchange] = match least {
            0 => 0,
            1 => 1,
            _ => 2,
        };
        if exchange >= 12 {
            classes[exchange] += 8;
        }
        exchange += 1;
    }
    classes
};

/// The tables with number 1.
pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let file: &[u8; FILE] = include_bytes!("moves-1.bin");
    Tables::new(file)
});

impl Tables {
    fn new(file: &[u8; FILE]) -> Tables {
        let (rows, numbers) = file.split_at((INPUTS + ROWS) * UNITS);
        let row = |number: usize| {
            let bytes = &rows[number * UNITS..][..UNITS];
            WeightRow(std::array::from_fn(|unit| i8::from_le_bytes([bytes[unit]])))
        };
        let number = |at: usize| [numbers[2 * at], numbers[2 * at + 1]];
        let small = |at: usize| i16::from_le_bytes(number(UNITS + at));
        let lane = |at: usize| 16 * i32::from(small(at));
        let moves = |begin: usize, count: usize| {
            boxed(|i| {
                if i < count {
                    row(begin + i)
                } else {
                    WeightRow([0; UNITS])
                }
            })
        };
        Tables {
            inputs: boxed(|i| row(by_name(i))),
            destinations: boxed(|i| row(INPUTS + by_name(i.min(383)))),
            origins: boxed(|i| row(INPUTS + 384 + by_name(i.min(383)))),
            exchanges: moves(INPUTS + 768, 432),
            bias: std::array::from_fn(|unit| i16::from_le_bytes(number(unit))),
            exchange: Box::new([0, 1].map(|late| {
                std::array::from_fn(|x| {
                    if x < 432 {
                        lane(EXCHANGE + x * 6 + late)
                    } else {
                        0
                    }
                })
            })),
            origin: boxed(|i| {
                by_class(|class, capture, _| {
                    if i < 144 {
                        lane(ORIGIN + i * 6 + class * 2 + capture)
                    } else {
                        0
                    }
                })
            }),
            own: boxed(|i| {
                by_class(|_, capture, back| {
                    let entry = ((i / 4 * 2 + back) * 2 + capture) * 4 + i % 4;
                    if i < NO_OWN { lane(OWN + entry) } else { 0 }
                })
            }),
            step: boxed(|i| {
                let (pair, x, y) = (i / 256, i / 16 % 16, i % 16);
                if pair < 36 && x < 15 && y < 15 {
                    lane(STEP + pair * 225 + x + 15 * y)
                } else {
                    0
                }
            }),
            small: boxed(small),
            exp: std::array::from_fn(|i| u16::from_le_bytes(number(UNITS + SMALL + i)).into()),
        }
    }
}

/// The numbers of each class of destinations. `number` takes the least attacker, whether something
/// is captured, and whether the move goes back.
fn by_class(number: impl Fn(usize, usize, usize) -> i32) -> Sixteen {
    Sixteen(std::array::from_fn(|class| match class & 3 {
        3 => 0,
        least => number(least, class >> 3, class >> 2 & 1),
    }))
}

/// An array on the heap.
fn boxed<T: std::fmt::Debug, const N: usize>(item: impl FnMut(usize) -> T) -> Box<[T; N]> {
    let items: Vec<T> = (0..N).map(item).collect();
    items.try_into().expect("so many items")
}

/// The place in the file of a row whose last six bits are a square: the file has a1, b1, c1 ...,
/// this folder a1, a2, a3 ...
fn by_name(number: usize) -> usize {
    number & !63 | (number & 7) << 3 | number >> 3 & 7
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `active` adds with saturation, which is exact for such a bias: a sum that saturates is then
    /// beyond the bounds of a unit in any case.
    #[test]
    fn the_bias_leaves_room() {
        for bias in TABLES.bias {
            assert!(bias.unsigned_abs() < 32_000);
        }
    }
}
