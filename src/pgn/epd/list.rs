//! A file of positions, as EPD or FEN.

use std::io::{self, BufRead, Read};

use super::line::{EpdError, EpdLine};
use crate::chess::BoardTest;
use crate::pgn::text::decoded;

/// A longer line is refused. The standard asks for 1,024 characters (16.2.3).
const MAX_LINE: u64 = 64 * 1024;

/// Why a file of positions cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PositionsError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line is no position.
    #[error("line {line}, {error}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong with it.
        error: EpdError,
    },
    /// A line is too long.
    #[error("line {0}: is longer than {MAX_LINE} bytes: not a position")]
    TooLong(u64),
    /// The file has no position.
    #[error("has no positions: write one a line, as EPD or FEN")]
    Empty,
}

/// Reads positions, one a line, as EPD or FEN. Returns the test that a position is one of them.
/// Empty lines are passed over.
///
/// # Errors
/// See [`PositionsError`].
pub fn read_positions(reader: impl Read) -> Result<BoardTest, PositionsError> {
    let mut reader = io::BufReader::new(reader);
    let (mut positions, mut bytes) = (Vec::new(), Vec::new());
    for line in 1.. {
        bytes.clear();
        let read = reader
            .by_ref()
            .take(MAX_LINE)
            .read_until(b'\n', &mut bytes)?;
        if read == 0 {
            break;
        }
        if bytes.len() as u64 == MAX_LINE && !bytes.ends_with(b"\n") {
            return Err(PositionsError::TooLong(line));
        }
        let text = decoded(&bytes);
        let text = text
            .trim_start_matches('\u{feff}')
            .trim_end_matches(['\n', '\r']);
        if text.trim().is_empty() {
            continue;
        }
        let read = EpdLine::parse(text).map_err(|error| PositionsError::Line { line, error })?;
        positions.push(read.position);
    }
    let test = BoardTest::one_of(positions.iter().map(String::as_str));
    test.ok().flatten().ok_or(PositionsError::Empty)
}
