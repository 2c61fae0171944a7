//! A file of positions, as EPD or FEN.

use std::io::{self, BufRead, Read};

use super::line::{EpdError, EpdLine};
use crate::blanks::is_blank_char;
use crate::text::decoded;
use pgc_chess::BoardTest;

/// A longer line, without its line end, is refused. The standard asks for 1,024 characters
/// (16.2.3).
const MAX_LINE: usize = 64 * 1024;

/// The length of the longest line end.
const LINE_END: usize = 2;

/// Why a file of positions cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PositionsError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line is no position.
    #[error("line {line}, {error}")]
    Line {
        /// The number, from 1.
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

/// The positions of a file.
#[derive(Debug)]
pub struct ListedPositions {
    /// The test that a position is one of them.
    pub test: BoardTest,
    /// How many lines are no positions.
    pub skipped: u64,
    /// What is wrong with the first of these.
    pub fault: Option<PositionsError>,
}

/// Reads positions, one a line, as EPD or FEN. Passes over empty lines, comments behind `#`, and
/// lines that are no positions.
///
/// # Errors
/// See [`PositionsError`]; no line is a position.
pub fn read_positions(reader: impl Read) -> Result<ListedPositions, PositionsError> {
    let mut reader = io::BufReader::new(reader);
    let (mut positions, mut bytes) = (Vec::new(), Vec::new());
    let (mut skipped, mut fault) = (0, None);
    for line in 1.. {
        bytes.clear();
        let mut limited = reader.by_ref().take((MAX_LINE + LINE_END) as u64);
        if limited.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.len() > MAX_LINE {
            return Err(PositionsError::TooLong(line));
        }
        let text = decoded(text);
        let said = text.trim_matches(is_blank_char);
        if said.is_empty() || said.starts_with('#') {
            continue;
        }
        match EpdLine::parse(&text) {
            Ok(read) => positions.push(read.position),
            Err(error) => {
                skipped += 1;
                fault = fault.or(Some(PositionsError::Line { line, error }));
            }
        }
    }
    let test = BoardTest::one_of(positions.iter().map(String::as_str));
    let Some(test) = test.ok().flatten() else {
        return Err(fault.unwrap_or(PositionsError::Empty));
    };
    Ok(ListedPositions {
        test,
        skipped,
        fault,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_line() {
        let line = |len: usize| {
            let begin = "4k3/8/8/8/8/8/8/4K3 w - - c0 \"";
            format!("{begin}{}\";", "a".repeat(len - begin.len() - 2))
        };
        let (longest, longer) = (line(MAX_LINE), line(MAX_LINE + 1));
        for end in ["", "\n", "\r\n", "\nk7/8/8/8/8/8/8/7K w - -"] {
            let read = |line: &str| read_positions(format!("{line}{end}").as_bytes());
            assert!(read(&longest).is_ok(), "{end:?}");
            let refused = read(&longer);
            assert!(
                matches!(refused, Err(PositionsError::TooLong(1))),
                "{end:?}"
            );
        }
    }
}
