//! Whose stream it is, and what its faults are to a user.

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
    /// The same damage, behind so many games.
    pub(crate) fn after_game(mut self, games: u64) -> Error {
        if let Error::Damaged { game, .. } = &mut self {
            *game = games;
        }
        self
    }
}

/// The beginning of a stream, and the stream with it put back; whether it is an archive of ours (an
/// empty one is).
pub(crate) fn sniff(archive: &mut (dyn Read + Send)) -> Result<(bool, Vec<u8>), Error> {
    let mut begin = Vec::new();
    loop {
        match is_archive(&begin) {
            Some(ours) => return Ok((ours, begin)),
            // Noops without end are still noops, but nobody writes a megabyte of them.
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
