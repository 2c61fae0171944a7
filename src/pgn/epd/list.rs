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
        if text.trim_matches(is_blank_char).is_empty() {
            continue;
        }
        let read = EpdLine::parse(&text).map_err(|error| PositionsError::Line { line, error })?;
        positions.push(read.position);
    }
    let test = BoardTest::one_of(positions.iter().map(String::as_str));
    test.ok().flatten().ok_or(PositionsError::Empty)
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
