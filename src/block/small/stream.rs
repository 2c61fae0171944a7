//! The streams of a coded block, as its head lists them (spec/small.md section 1.2).

use crate::num::{put_num, take_byte, take_crc, take_num};

/// The most streams of a block.
pub(crate) const MAX_STREAMS: usize = 16;

/// The most bytes of records in a coded block. A block with more is stored plain: a few bytes could
/// otherwise stand for all that the head allows.
pub(crate) const MAX_CODED: u64 = 32 * 1024 * 1024;

/// One coded stream of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodedStream {
    /// Which one: an ASCII letter.
    pub kind: u8,
    /// The length of the stream in bytes, not 0.
    pub len: u32,
    /// The CRC-32 of its bytes.
    pub crc: u32,
}

/// Appends the list.
pub(crate) fn put_streams(out: &mut Vec<u8>, streams: &[CodedStream]) {
    put_num(out, streams.len() as u64);
    for stream in streams {
        out.push(stream.kind);
        put_num(out, stream.len.into());
        out.extend_from_slice(&stream.crc.to_le_bytes());
    }
}

/// Reads the list of a block with `records` bytes of records; `None` if it is not well-formed.
pub(crate) fn take_streams(src: &mut &[u8], records: u64) -> Option<Vec<CodedStream>> {
    let count = take_num(src).and_then(|n| usize::try_from(n).ok())?;
    if count > MAX_STREAMS || (count > 0 && records > MAX_CODED) {
        return None;
    }
    let (mut streams, mut stored) = (Vec::<CodedStream>::with_capacity(count), 0);
    for _ in 0..count {
        let kind = take_byte(src).filter(u8::is_ascii_alphabetic)?;
        let len = take_num(src).and_then(|n| u32::try_from(n).ok())?;
        let crc = take_crc(src)?;
        stored += u64::from(len);
        let is_twice = streams.iter().any(|other| other.kind == kind);
        if len == 0 || stored >= records || is_twice {
            return None;
        }
        streams.push(CodedStream { kind, len, crc });
    }
    Some(streams)
}
