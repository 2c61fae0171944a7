//! Tells whether pgc made a stream.

use std::io::{self, Read};

use super::frame::{candidates, is_whole};
use super::reader::{OnDamage, is_archive};
use crate::run::Error;
use pgc_pgn::records::Marker;
use pgc_pgn::records::reader::{Dialect, Fault, ReadError, Records};
use pgc_pgn::records::structure::StructureError;

impl Error {
    /// A file of no-operation bytes only.
    #[cold]
    pub(crate) fn blank() -> Error {
        Error::damaged(0, 0, "head", "is missing: all bytes are zero")
    }

    /// Sets the number of games before the damage.
    pub(crate) fn after_game(mut self, games: u64) -> Error {
        if let Error::Damaged { game, .. } = &mut self {
            *game = games;
        }
        self
    }
}

/// The number of bytes at the beginning of a damaged archive that are searched for a whole head.
pub const SEARCHED: usize = 4 << 20;

/// The beginning of a stream that was read to see what it is.
#[derive(Debug, Default)]
pub(crate) struct StreamStart {
    /// The number of no-operation bytes before `bytes`.
    noops: u64,
    pub bytes: Vec<u8>,
}

impl StreamStart {
    fn add(&mut self, mut more: &[u8]) {
        if self.bytes.is_empty() {
            let noop = Marker::Noop.byte();
            let noops = more.iter().take_while(|&&byte| byte == noop).count();
            self.noops += noops as u64;
            more = &more[noops..];
        }
        self.bytes.extend_from_slice(more);
    }

    /// Whether all bytes are no-operations.
    pub(crate) fn is_blank(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Whether the stream has no byte.
    pub(crate) fn is_empty(&self) -> bool {
        self.noops == 0 && self.bytes.is_empty()
    }

    /// The whole stream again: the bytes that were read, then `rest`.
    pub(crate) fn before<R: Read>(&self, rest: R) -> impl Read + use<'_, R> {
        let noops = io::repeat(Marker::Noop.byte()).take(self.noops);
        noops.chain(&*self.bytes).chain(rest)
    }
}

/// Reads the beginning of a stream until it is clear whether pgc made it (an empty one counts as
/// made by pgc, and so does [what is left](is_left) of an archive that lost its beginning). Returns
/// that, and what was read.
pub(crate) fn sniff(
    archive: &mut dyn Read,
    on_damage: OnDamage,
) -> io::Result<(bool, StreamStart)> {
    let mut begin = StreamStart::default();
    let ours = loop {
        if let Some(ours) = is_archive(&begin.bytes) {
            break ours;
        }
        let mut more = [0; 4096];
        match archive.read(&mut more) {
            Ok(0) => break begin.is_empty(),
            Ok(n) => begin.add(&more[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    };
    if ours {
        return Ok((ours, begin));
    }
    let more = (SEARCHED - begin.bytes.len().min(SEARCHED)) as u64;
    archive.take(more).read_to_end(&mut begin.bytes)?;
    Ok((is_left(&begin.bytes, on_damage), begin))
}

/// Whether these bytes, behind noops, are those of an archive that lost its beginning: a whole
/// head, block head or tail begins somewhere in them. A reader that does not pass over damage takes
/// them for another program's if that could have written them: if only valid records stand before
/// the head.
pub(crate) fn is_left(bytes: &[u8], on_damage: OnDamage) -> bool {
    first_frame(bytes).is_some_and(|at| {
        let mut records = Records::new(&bytes[..at], Dialect::Standard);
        let open = Fault::Structure(StructureError::UnfinishedGame);
        let is_fault = |error: ReadError| error.fault != open;
        at == 0 || on_damage != OnDamage::Stop || records.any(|record| record.is_err_and(is_fault))
    })
}

/// Where the first whole head, block head or tail in these bytes begins.
pub fn first_frame(bytes: &[u8]) -> Option<usize> {
    let mut found = candidates(bytes, 0).filter(|&found| is_whole(bytes, found));
    found.next().map(|found| found.0)
}
