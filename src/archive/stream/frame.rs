//! The records that frame an archive: heads, block heads and tails, and how they are found among
//! any bytes.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::run::Error;
use crate::stream::head::{SegmentHead, SegmentTail, VERSION};
use pgc_block::head::{BlockHead, HeadError, SYNC};
use pgc_pgn::records::Marker;
use pgc_pgn::records::private::{EscapeKind, PREFIX, Private, private};

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
    let frame = match kind {
        EscapeKind::Head => SegmentHead::take(data)
            .map(FrameRecord::Head)
            .map_err(|e| (e, "head")),
        EscapeKind::Block => BlockHead::take(data)
            .map(|block| FrameRecord::Block(Box::new(block)))
            .map_err(|e| (e, "block head")),
        EscapeKind::Tail => SegmentTail::take(data)
            .map(FrameRecord::Tail)
            .map_err(|e| (e, "tail")),
        _ => return None,
    };
    Some((kind, frame))
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
    payload
        .and_then(frame_record)
        .is_some_and(|(_, frame)| frame.is_ok())
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
