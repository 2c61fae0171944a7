//! Tells whether pgc made a stream, and converts archive errors for the user.

use std::io::{self, Read};

use super::error::ArchiveError;
use super::frame::{frame_record, next_candidate};
use super::reader::{OnDamage, is_archive};
use crate::records::Marker;
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

/// So many bytes at the beginning of a damaged archive are searched for a head that is whole.
pub(crate) const SEARCHED: usize = 1 << 20;

/// Reads the beginning of a stream until it is clear whether pgc made it (an empty one counts as
/// made by pgc). Returns that, and the bytes read. If damage is to be passed over, what is left of
/// an archive that lost its beginning counts as made by pgc.
pub(crate) fn sniff(
    archive: &mut (dyn Read + Send),
    on_damage: OnDamage,
) -> Result<(bool, Vec<u8>), Error> {
    let mut begin = Vec::new();
    let ours = loop {
        match is_archive(&begin) {
            Some(ours) => break ours,
            // A megabyte of no-operation bytes decides: nobody writes so many.
            None if begin.len() > SEARCHED => break false,
            None => {}
        }
        let mut more = [0; 512];
        match archive.read(&mut more) {
            Ok(0) => break begin.is_empty(),
            Ok(n) => begin.extend_from_slice(&more[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    };
    if ours || on_damage == OnDamage::Stop {
        return Ok((ours, begin));
    }
    let more = (SEARCHED - begin.len().min(SEARCHED)) as u64;
    archive.take(more).read_to_end(&mut begin)?;
    Ok((has_frame(&begin), begin))
}

/// Whether these are no-operation bytes only.
pub(crate) fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == Marker::Noop.byte())
}

/// Whether a whole head, block head or tail begins somewhere in these bytes.
pub(crate) fn has_frame(bytes: &[u8]) -> bool {
    let mut from = 0;
    while let Some((begin, opening)) = next_candidate(bytes, from, false) {
        let payload = bytes.get(begin + opening.before..begin + opening.record());
        if payload
            .and_then(frame_record)
            .is_some_and(|(_, frame)| frame.is_ok())
        {
            return true;
        }
        from = begin + opening.before + 1;
    }
    false
}
