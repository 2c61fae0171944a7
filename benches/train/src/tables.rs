//! The tables of the model, as integers, and their file (spec/moves.md, section 6).

use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use crate::features::{HIDDEN, INPUTS, ROWS, TABLES};

/// Bytes of the file.
pub const FILE: usize = INPUTS * HIDDEN + ROWS * HIDDEN + 2 * HIDDEN + 2 * TABLES + 2 * 256;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    /// Rows of 64 for each input.
    pub inputs: Vec<[i8; HIDDEN]>,
    /// Rows of 64 for destination, origin and exchange of a move.
    pub rows: Vec<[i8; HIDDEN]>,
    pub bias: [i16; HIDDEN],
    /// The six small tables, one behind the other.
    pub small: Vec<i16>,
    pub exp: [u16; 256],
}

impl Tables {
    /// round(32768 * 2^(-i/256))
    pub fn exponentials() -> [u16; 256] {
        std::array::from_fn(|i| (32768.0 * (-(i as f64) / 256.0).exp2()).round() as u16)
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(FILE);
        for row in self.inputs.iter().chain(&self.rows) {
            bytes.extend(row.iter().map(|value| value.to_le_bytes()[0]));
        }
        for value in self.bias.iter().chain(&self.small) {
            bytes.extend(value.to_le_bytes());
        }
        for value in self.exp {
            bytes.extend(value.to_le_bytes());
        }
        bytes
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Tables> {
        ensure!(bytes.len() == FILE, "tables are {FILE} bytes long");
        let (rows, numbers) = bytes.split_at((INPUTS + ROWS) * HIDDEN);
        let mut rows: Vec<[i8; HIDDEN]> = rows
            .as_chunks::<HIDDEN>()
            .0
            .iter()
            .map(|row| row.map(|byte| i8::from_le_bytes([byte])))
            .collect();
        let numbers = numbers.as_chunks::<2>().0;
        let signed = |pair: &[u8; 2]| i16::from_le_bytes(*pair);
        let moves = rows.split_off(INPUTS);
        Ok(Tables {
            inputs: rows,
            rows: moves,
            bias: std::array::from_fn(|unit| signed(&numbers[unit])),
            small: numbers[HIDDEN..HIDDEN + TABLES]
                .iter()
                .map(signed)
                .collect(),
            exp: std::array::from_fn(|i| u16::from_le_bytes(numbers[HIDDEN + TABLES + i])),
        })
    }

    pub fn read(path: &Path) -> Result<Tables> {
        let context = || format!("reading {}", path.display());
        Tables::from_bytes(&std::fs::read(path).with_context(context)?).with_context(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        let mut tables = Tables {
            inputs: vec![[0; HIDDEN]; INPUTS],
            rows: vec![[0; HIDDEN]; ROWS],
            bias: std::array::from_fn(|unit| -300 + unit as i16),
            small: (0..TABLES).map(|entry| entry as i16 - 6000).collect(),
            exp: Tables::exponentials(),
        };
        tables.inputs[2047][63] = -128;
        tables.rows[0][0] = 127;
        let bytes = tables.to_bytes();
        assert_eq!(bytes.len(), 233_256);
        assert_eq!((bytes[131_071], bytes[131_072]), (128, 127));
        assert_eq!(Tables::from_bytes(&bytes).unwrap(), tables);
        assert_eq!((tables.exp[0], tables.exp[255]), (32768, 16428));
    }
}
