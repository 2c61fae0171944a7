//! The records that frame an archive: heads, block heads and tails, how they are found among any
//! bytes, and read at any offset between two parts.

use std::borrow::Cow;
use std::io;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::run::Error;
use crate::stream::head::{SegmentHead, SegmentTail, VERSION};
use pgc_block::head::{BlockHead, HeadError, SYNC};
use pgc_block::small::stored::check_stored;
use pgc_io::read_at::ReadAt;
use pgc_pgn::records::Marker;
use pgc_pgn::records::private::{EscapeKind, PREFIX, Private, private};
use pgc_pgn::records::record::{MAX_RECORD_LEN, Record, take_record};

/// A record that begins or ends a part of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FrameRecord {
    /// Begins a segment.
    Head(SegmentHead),
    /// Begins a block.
    Block(Box<BlockHead>),
    /// Ends a segment.
    Tail(SegmentTail),
}

/// Why a frame record cannot be used, and what it is called.
type FrameFault = (HeadError, &'static str);

/// Reads the payload of an escape-string that frames an archive. `None`: it is of another kind.
pub(crate) fn frame_record(
    payload: &[u8],
) -> Option<(EscapeKind, Result<FrameRecord, FrameFault>)> {
    let Private { kind, data, .. } = private(payload)?;
    let block = |head| FrameRecord::Block(Box::new(head));
    let (frame, item) = match kind {
        EscapeKind::Head => (SegmentHead::take(data).map(FrameRecord::Head), "head"),
        EscapeKind::Block => (BlockHead::take(data).map(block), "block head"),
        EscapeKind::Tail => (SegmentTail::take(data).map(FrameRecord::Tail), "tail"),
        _ => return None,
    };
    Some((kind, frame.map_err(|error| (error, item))))
}

/// The error of a frame record at this offset that cannot be used.
pub(crate) fn frame_error(offset: u64, (error, item): FrameFault) -> Error {
    match error {
        HeadError::Version(found) => Error::Version {
            found: found.into(),
            known: VERSION.into(),
        },
        HeadError::TrialForm => Error::TrialForm,
        error => Error::damaged(offset, 0, item, error.to_string()),
    }
}

/// The number of bytes of an escape-string before its payload.
pub(crate) const BEFORE: usize = 3;

/// The length of the record at the beginning of `bytes`, if it is an escape-string.
pub(crate) fn escape_len(bytes: &[u8]) -> Option<usize> {
    match *bytes {
        [first, low, high, ..] if first == Marker::Escape.byte() => {
            Some(BEFORE + usize::from(u16::from_le_bytes([low, high])))
        }
        _ => None,
    }
}

/// The number of bytes at the end of a window that may begin a frame record which cannot be
/// recognised yet.
pub(crate) const UNDECIDED: usize = BEFORE + PREFIX.len() + 1 + SYNC.len();

static FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(PREFIX));

/// The offsets in `bytes`, from `from` on, where frame records seem to begin, each with its end.
/// Checksums are not verified, and a record may extend beyond the bytes.
pub(crate) fn candidates(bytes: &[u8], from: usize) -> impl Iterator<Item = (usize, usize)> {
    FINDER.find_iter(&bytes[from..]).filter_map(move |prefix| {
        let begin = from + prefix.checked_sub(BEFORE)?;
        let is_frame = match &bytes[begin + BEFORE + PREFIX.len()..] {
            [b'B', rest @ ..] => rest.starts_with(&SYNC),
            [b'H' | b'E', ..] => true,
            _ => false,
        };
        let length = escape_len(&bytes[begin..]).filter(|_| is_frame)?;
        Some((begin, begin + length))
    })
}

/// Whether such a record lies within the bytes, and is a frame record with a right checksum.
pub(crate) fn is_whole(bytes: &[u8], (begin, end): (usize, usize)) -> bool {
    let payload = bytes.get(begin + BEFORE..end);
    let frame = payload.and_then(frame_record);
    frame.is_some_and(|(_, frame)| frame.is_ok())
}

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

/// The stored bytes of a block, which stand at this offset, checked against their checksums.
///
/// # Errors
/// [`Error::Damaged`], [`Error::Io`].
pub(crate) fn stored_of<'a>(
    archive: &'a (impl ReadAt + ?Sized),
    at: u64,
    head: &BlockHead,
) -> Result<Cow<'a, [u8]>, Error> {
    let damaged = |offset, what| Error::damaged(at + offset, 0, "block", what);
    let end = at.saturating_add(head.stored());
    if end > archive.size() {
        return Err(damaged(0, "is cut off: the archive ends here".to_owned()));
    }
    let stored = archive.read_at(at, end)?;
    check_stored(head, &stored).map_err(|(offset, what)| damaged(offset, what))?;
    Ok(stored)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_found_at_any_place() {
        let mut bytes = b"words pgcH and pgc".to_vec();
        let at = bytes.len();
        SegmentHead {
            name: "a.pgn".to_owned(),
            ..SegmentHead::default()
        }
        .put(&mut bytes);
        assert!(candidates(&bytes, 0).eq([(at, bytes.len())]));
        assert_eq!(candidates(&bytes, at + 1).next(), None);
    }
}
