//! The tables of the move model (spec/moves.md section 6), with their rows in the order in which
//! this folder numbers squares.

use std::sync::LazyLock;

/// Hidden units.
pub(super) const UNITS: usize = 64;
/// Rows of the inputs.
const INPUTS: usize = 2048;
/// Rows of the moves.
const ROWS: usize = 1200;

/// Where the six small tables begin, one behind the other.
pub(super) const EXCHANGE: usize = 0;
pub(super) const ORIGIN: usize = EXCHANGE + 2592;
pub(super) const CHECK: usize = ORIGIN + 864;
pub(super) const STEP: usize = CHECK + 576;
pub(super) const OWN: usize = STEP + 8100;
pub(super) const SPECIAL: usize = OWN + 192;
const SMALL: usize = SPECIAL + 48;

/// Bytes of the file.
const FILE: usize = (INPUTS + ROWS) * UNITS + 2 * (UNITS + SMALL + 256);

/// One weight for each hidden unit.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Row(pub(super) [i8; UNITS]);

/// See the module.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) inputs: Vec<Row>,
    pub(super) rows: Vec<Row>,
    pub(super) bias: [i16; UNITS],
    pub(super) small: Vec<i16>,
    pub(super) exp: [u16; 256],
}

/// The tables with number 1.
pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let file: &[u8; FILE] = include_bytes!("../../../spec/moves-1.bin");
    Tables::new(file)
});

impl Tables {
    fn new(file: &[u8; FILE]) -> Tables {
        let (rows, numbers) = file.split_at((INPUTS + ROWS) * UNITS);
        let row = |number: usize| {
            let bytes = &rows[number * UNITS..][..UNITS];
            Row(std::array::from_fn(|unit| i8::from_le_bytes([bytes[unit]])))
        };
        let number = |at: usize| [numbers[2 * at], numbers[2 * at + 1]];
        Tables {
            inputs: (0..INPUTS).map(by_name).map(row).collect(),
            rows: (0..ROWS)
                // The rows of exchanges, behind those of squares, stay where they are.
                .map(|number| {
                    if number < 768 {
                        by_name(number)
                    } else {
                        number
                    }
                })
                .map(|number| row(INPUTS + number))
                .collect(),
            bias: std::array::from_fn(|unit| i16::from_le_bytes(number(unit))),
            small: (UNITS..UNITS + SMALL)
                .map(|at| i16::from_le_bytes(number(at)))
                .collect(),
            exp: std::array::from_fn(|i| u16::from_le_bytes(number(UNITS + SMALL + i))),
        }
    }
}

/// The place in the file of a row whose last six bits are a square: the file has a1, b1, c1 ...,
/// this folder a1, a2, a3 ...
fn by_name(number: usize) -> usize {
    number & !63 | (number & 7) << 3 | number >> 3 & 7
}
