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

/// The first offset in `bytes`, from `from` on, where a frame record seems to begin, and its end.
/// Its checksum is not verified, and it may extend beyond the bytes.
pub(crate) fn next_candidate(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    FINDER.find_iter(&bytes[from..]).find_map(|prefix| {
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
        assert_eq!(next_candidate(&bytes, 0), Some((at, bytes.len())));
        assert_eq!(next_candidate(&bytes, at + 1), None);
    }
}
