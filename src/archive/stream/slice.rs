//! Reads the frame records of an archive at any offset between two parts.

use std::borrow::Cow;
use std::io;

use crate::run::Error;
use crate::stream::frame::{FrameRecord, frame_error, frame_record};
use pgc_block::head::BlockHead;
use pgc_block::small::stored::check_stored;
use pgc_io::read_at::ReadAt;
use pgc_pgn::records::Marker;
use pgc_pgn::records::record::{MAX_RECORD_LEN, Record, take_record};

/// A frame record and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Framed {
    /// Offset of the record.
    pub begin: u64,
    /// Offset after the record; for a block head, that of the bytes stored behind it.
    pub end: u64,
    /// The record.
    pub frame: FrameRecord,
}

impl Framed {
    /// Offset of the next frame, after the stored bytes of a block.
    #[must_use]
    pub(crate) fn next(&self) -> u64 {
        match &self.frame {
            FrameRecord::Block(head) => self.end.saturating_add(head.stored()),
            FrameRecord::Head(_) | FrameRecord::Tail(_) => self.end,
        }
    }
}

/// The frame at `from`, after any no-operation bytes; `None` at the end of the archive.
///
/// Checks only the frame's own checksum; the caller checks the order of frames and the block's
/// records.
///
/// # Errors
/// [`Error::Damaged`], [`Error::Version`], [`Error::TrialForm`], [`Error::Io`].
pub(crate) fn frame_at(
    archive: &(impl ReadAt + ?Sized),
    from: u64,
) -> Result<Option<Framed>, Error> {
    let Some((begin, rest)) = behind_noops(archive, from)? else {
        return Ok(None);
    };
    let mut src = &rest[..];
    let missing = |what| {
        Error::damaged(
            begin,
            0,
            "head",
            format!("is missing: {what} is in its place"),
        )
    };
    let record = take_record(&mut src).map_err(|_| missing("no complete record"))?;
    let frame = match record {
        Record::Escape(payload) => frame_record(payload),
        _ => None,
    };
    let (_, frame) = frame.ok_or_else(|| missing("another record"))?;
    Ok(Some(Framed {
        begin,
        end: begin + (rest.len() - src.len()) as u64,
        frame: frame.map_err(|fault| frame_error(begin, fault))?,
    }))
}

/// The offset of the first byte from `from` on that is not a no-operation, and the bytes from
/// there, as many as the longest record has.
pub(crate) fn behind_noops(
    archive: &(impl ReadAt + ?Sized),
    mut from: u64,
) -> io::Result<Option<(u64, Cow<'_, [u8]>)>> {
    loop {
        let bytes = archive.read_at(from, from.saturating_add(MAX_RECORD_LEN as u64))?;
        let noops = bytes.iter().position(|&b| b != Marker::Noop.byte());
        match noops.unwrap_or(bytes.len()) {
            0 if bytes.is_empty() => return Ok(None),
            0 => return Ok(Some((from, bytes))),
            noops => from += noops as u64,
        }
    }
}

/// The stored bytes of a block, checked against their checksums.
///
/// # Errors
/// [`Error::Damaged`], [`Error::Io`].
pub(crate) fn stored_of<'a>(
    archive: &'a (impl ReadAt + ?Sized),
    framed: &Framed,
    head: &BlockHead,
) -> Result<Cow<'a, [u8]>, Error> {
    let damaged = |offset, what| Error::damaged(framed.end + offset, 0, "block", what);
    if framed.next() > archive.size() {
        return Err(damaged(0, "is cut off: the archive ends here".to_owned()));
    }
    let stored = archive.read_at(framed.end, framed.next())?;
    check_stored(head, &stored).map_err(|(offset, what)| damaged(offset, what))?;
    Ok(stored)
}
