//! The records that frame an archive: heads, block heads and tails, and how they are found among
//! any bytes.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::archive::stream::head::{SegmentHead, SegmentTail};
use crate::block::head::{BlockHead, HeadError, SYNC};
use crate::records::Marker;
use crate::records::private::{EscapeKind, PREFIX, Private, private};

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

/// The lengths of the two parts of an escape-string record: the bytes before its payload, and the
/// payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EscapeLengths {
    pub before: usize,
    pub payload: usize,
}

impl EscapeLengths {
    /// The record at the beginning of `bytes`, if it is an escape-string. `crlf`: each LF of the
    /// bytes has a CR before it that a transfer in text mode put there; bytes may begin with that
    /// CR.
    pub(crate) fn of(bytes: &[u8], crlf: bool) -> Option<EscapeLengths> {
        let mut at = usize::from(crlf && bytes.starts_with(b"\r\n"));
        if bytes.get(at) != Some(&Marker::Escape.byte()) {
            return None;
        }
        at += 1;
        let mut len = [0; 2];
        for byte in &mut len {
            at += usize::from(crlf && bytes.get(at..at + 2) == Some(b"\r\n"));
            *byte = *bytes.get(at)?;
            at += 1;
        }
        Some(EscapeLengths {
            before: at,
            payload: u16::from_le_bytes(len).into(),
        })
    }

    /// The length of the record.
    pub(crate) fn record(self) -> usize {
        self.before + self.payload
    }
}

/// The most bytes before a payload: with a CR before each of three LFs.
const MAX_BEFORE: usize = 6;

/// The number of bytes at the end of a window that may begin a frame record which cannot be
/// recognised yet.
pub(crate) const UNDECIDED: usize = MAX_BEFORE + PREFIX.len() + 1 + SYNC.len();

static FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(PREFIX));

/// The first offset in `bytes`, from `from` on, where a frame record seems to begin, and its
/// lengths. Its checksum is not verified, and it may extend beyond the bytes.
pub(crate) fn next_candidate(
    bytes: &[u8],
    from: usize,
    crlf: bool,
) -> Option<(usize, EscapeLengths)> {
    FINDER.find_iter(&bytes[from..]).find_map(|prefix| {
        let payload = from + prefix;
        let is_frame = match &bytes[payload + PREFIX.len()..] {
            [b'B', rest @ ..] => rest.starts_with(&SYNC),
            [b'H' | b'E', ..] => true,
            _ => false,
        };
        let furthest = if crlf { MAX_BEFORE } else { 3 };
        (3..=furthest.min(prefix))
            .filter(|_| is_frame)
            .find_map(|before| {
                let begin = payload - before;
                let opening = [false, true].into_iter().filter(|&undo| crlf || !undo);
                opening
                    .filter_map(|undo| EscapeLengths::of(&bytes[begin..], undo))
                    .find(|opening| opening.before == before)
                    .map(|opening| (begin, opening))
            })
    })
}

/// Undoes a transfer in text mode that turned each LF into CR LF, until there are `len` bytes.
/// Returns them and the number of bytes that they take now; `None` if the bytes do not suffice.
pub(crate) fn without_crs(bytes: &[u8], len: usize) -> Option<(Vec<u8>, usize)> {
    let (mut out, mut at) = (Vec::with_capacity(len.min(bytes.len())), 0);
    while out.len() < len {
        let rest = bytes.get(at..)?;
        let feed = memchr::memmem::find(rest, b"\r\n").unwrap_or(rest.len());
        let whole = feed.min(len - out.len());
        out.extend_from_slice(&rest[..whole]);
        at += whole;
        if out.len() < len {
            if feed == rest.len() {
                return None;
            }
            // The CR is dropped, the LF kept.
            at += 1;
            out.push(b'\n');
            at += 1;
        }
    }
    Some((out, at))
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
        let opening = EscapeLengths {
            before: 3,
            payload: bytes.len() - at - 3,
        };
        assert_eq!(next_candidate(&bytes, 0, false), Some((at, opening)));
        assert_eq!(next_candidate(&bytes, at + 1, false), None);
    }

    #[test]
    fn a_text_mode_transfer_is_undone() {
        let data = b"\x0a\x0a\x0dpgcH \r\n \n\r\r\n".to_vec();
        let sent: Vec<u8> = data
            .iter()
            .flat_map(|&b| {
                if b == b'\n' {
                    vec![b'\r', b'\n']
                } else {
                    vec![b]
                }
            })
            .collect();
        assert_eq!(
            without_crs(&sent, data.len()),
            Some((data.clone(), sent.len()))
        );
        assert_eq!(without_crs(&sent, data.len() + 1), None);
        let opening = EscapeLengths {
            before: 5,
            payload: 0x0d0a,
        };
        assert_eq!(EscapeLengths::of(&sent, true), Some(opening));
        // The CR before the record may stay behind.
        let found = next_candidate(&sent, 0, true).map(|found| found.0);
        assert_eq!(found, Some(1));
    }
}
