//! Tells whether pgc made a stream, and converts archive errors for the user.

use std::io::{self, Read};

use super::reader::{ArchiveError, is_archive};
use crate::run::Error;

impl From<ArchiveError> for Error {
    fn from(error: ArchiveError) -> Error {
        match error {
            ArchiveError::Io(error) => Error::Io(error),
            ArchiveError::Damaged { offset, item, what } => Error::Damaged {
                offset,
                game: 0,
                item,
                what,
            },
            ArchiveError::Version(found) => Error::Version {
                found: u32::from(found),
                known: u32::from(crate::archive::stream::head::VERSION),
            },
        }
    }
}

impl Error {
    /// Sets the number of games before the damage.
    pub(crate) fn after_game(mut self, games: u64) -> Error {
        if let Error::Damaged { game, .. } = &mut self {
            *game = games;
        }
        self
    }
}

/// Reads the beginning of a stream until it is clear whether pgc made it (an empty one counts as
/// made by pgc). Returns that, and the bytes read.
pub(crate) fn sniff(archive: &mut (dyn Read + Send)) -> Result<(bool, Vec<u8>), Error> {
    let mut begin = Vec::new();
    loop {
        match is_archive(&begin) {
            Some(ours) => return Ok((ours, begin)),
            // A megabyte of no-operation bytes decides: nobody writes so many.
            None if begin.len() > 1 << 20 => return Ok((false, begin)),
            None => {}
        }
        let mut more = [0; 512];
        match archive.read(&mut more) {
            Ok(0) => return Ok((begin.is_empty(), begin)),
            Ok(n) => begin.extend_from_slice(&more[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}
