//! The head of a block, and the checksum that it has in common with head and tail of a segment
//! (spec/extension.md 3, 4, 6).

use crate::annotations::MAX_SHAPES;
use crate::num::{put_num, put_str, take_crc, take_num, take_slice, take_str};
use crate::small::stream::{CodedStream, put_streams, take_streams};
use crate::style::{Style, put_style, take_style};
use pgc_pgn::records::private::{EscapeKind, PREFIX, put_private, unstuff};

/// Marks the heads of blocks, so that they can be found in a damaged archive. No LF, no CR, nothing
/// that is stuffed.
pub const SYNC: [u8; 8] = [0x9d, 0x70, 0x67, 0x63, 0xb7, 0xc5, 0xa9, 0xe3];

/// The most bytes of records in a block: eight times the bytes of the longest unit.
pub const MAX_RECORDS: u64 = 128 * 1024 * 1024;

/// The most bytes of source in a block. pgc writes fewer: it ends a block at the first unit that
/// reaches 1 MiB, and a unit has at most 16 MiB.
pub const MAX_SOURCE: u64 = 32 * 1024 * 1024;

/// Bytes of a checksum.
const SUM: usize = 4;

/// Why a head cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeadError {
    /// A field is cut off, out of range, or followed by something.
    #[error("not well-formed")]
    Malformed,
    /// The CRC-32 does not match.
    #[error("checksum does not match")]
    Checksum,
    /// Written by a newer pgc.
    #[error("format version {0}")]
    Version(u8),
    /// In the small form of a trial version.
    #[error("small form of a trial version before 0.1.0")]
    TrialForm,
}

/// The head of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockHead {
    /// Number of the block in its segment, from 0.
    pub number: u64,
    /// Games in it.
    pub games: u64,
    /// Ordinals in it.
    pub plies: u64,
    /// Bytes of source.
    pub source: u64,
    /// Bytes of records.
    pub records: u64,
    /// The layout.
    pub style: Style,
    /// The shapes of comments.
    pub shapes: Vec<Vec<u8>>,
    /// In a small segment the coded streams behind the head; empty if the records stand there as
    /// they are. `None` in a plain segment.
    pub streams: Option<Vec<CodedStream>>,
    /// CRC-32 of the records.
    pub crc: u32,
}

/// The checksum of an escape of this kind.
pub fn crc(kind: EscapeKind, data: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(PREFIX);
    hasher.update(&[kind as u8]);
    hasher.update(data);
    hasher.finalize()
}

/// Appends the escape with `data` and its checksum.
pub fn put_checked(out: &mut Vec<u8>, kind: EscapeKind, mut data: Vec<u8>) {
    data.extend_from_slice(&crc(kind, &data).to_le_bytes());
    put_private(out, kind, &data);
}

/// The data of an escape, without its checksum, which must be right.
pub fn take_checked(kind: EscapeKind, stuffed: &[u8]) -> Result<Vec<u8>, HeadError> {
    let mut data = Vec::new();
    unstuff(&mut data, stuffed).ok_or(HeadError::Malformed)?;
    let (rest, &sum) = data.split_last_chunk().ok_or(HeadError::Malformed)?;
    let is_right = sum == crc(kind, rest).to_le_bytes();
    data.truncate(data.len() - SUM);
    if !is_right && !cfg!(fuzzing) {
        return Err(HeadError::Checksum);
    }
    Ok(data)
}

impl BlockHead {
    /// Appends the escape.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut data = SYNC.to_vec();
        put_num(&mut data, self.number);
        for size in [self.games, self.plies, self.source, self.records] {
            put_num(&mut data, size);
        }
        let mut style = Vec::new();
        put_style(&mut style, &self.style);
        put_str(&mut data, &style);
        put_num(&mut data, self.shapes.len() as u64);
        for shape in &self.shapes {
            put_str(&mut data, shape);
        }
        if let Some(streams) = &self.streams {
            put_streams(&mut data, streams);
        }
        data.extend_from_slice(&self.crc.to_le_bytes());
        put_checked(out, EscapeKind::Block, data);
    }

    /// Reads the data of the escape.
    ///
    /// # Errors
    /// [`HeadError`].
    pub fn take(stuffed: &[u8]) -> Result<BlockHead, HeadError> {
        let data = take_checked(EscapeKind::Block, stuffed)?;
        let mut src = data.as_slice();
        let head = BlockHead::fields(&mut src).filter(|_| src.is_empty());
        head.ok_or(HeadError::Malformed)
    }

    fn fields(src: &mut &[u8]) -> Option<BlockHead> {
        if take_slice(src, SYNC.len() as u64)? != SYNC {
            return None;
        }
        let (number, games, plies) = (take_num(src)?, take_num(src)?, take_num(src)?);
        // Every game and every ply takes a byte of source at least.
        let source = take_num(src).filter(|&n| n <= MAX_SOURCE && games <= n && plies <= n)?;
        let records = take_num(src).filter(|&n| n <= MAX_RECORDS)?;
        let mut layout = take_str(src)?;
        let style = take_style(&mut layout).filter(|_| layout.is_empty())?;
        let count = take_num(src).filter(|&n| n <= MAX_SHAPES as u64)?;
        let shapes = (0..count).map(|_| take_str(src).map(<[u8]>::to_vec));
        let shapes = shapes.collect::<Option<_>>()?;
        // In a plain segment only the checksum is left, so the length tells the forms apart.
        let streams = match src.len() {
            ..=SUM => None,
            _ => Some(take_streams(src, records)?),
        };
        let crc = take_crc(src)?;
        Some(BlockHead {
            number,
            games,
            plies,
            source,
            records,
            style,
            shapes,
            streams,
            crc,
        })
    }

    /// The coded streams; empty if the records stand behind the head as they are.
    pub fn streams(&self) -> &[CodedStream] {
        self.streams.as_deref().unwrap_or_default()
    }

    /// Whether the records are coded.
    pub fn is_coded(&self) -> bool {
        !self.streams().is_empty()
    }

    /// The number of bytes that belong to the block behind its head.
    pub fn stored(&self) -> u64 {
        match self.streams() {
            [] => self.records,
            streams => streams.iter().map(|stream| u64::from(stream.len)).sum(),
        }
    }

    /// What reading the block costs in memory, for the pipeline.
    pub fn cost(&self) -> usize {
        usize::try_from(self.source.saturating_add(self.records) / 2).unwrap_or(usize::MAX)
    }

    /// The offset behind the head that stands for `offset` in the records in messages. Coded
    /// records have no such place, so the offset is that of their first byte.
    pub fn offset_of(&self, offset: u64) -> u64 {
        if self.is_coded() { 0 } else { offset }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pgc_pgn::records::private::private;

    #[test]
    fn a_head_comes_back() {
        let stream = |kind, len| CodedStream { kind, len, crc: 9 };
        let lists = [
            None,
            Some(vec![]),
            Some(vec![stream(b'R', 4)]),
            Some(vec![stream(b'T', 240), stream(b'm', 59)]),
        ];
        for streams in lists {
            let shapes = vec![b" [%clk \x01] ".to_vec()];
            let head = BlockHead {
                number: 3,
                games: 1000,
                plies: 10,
                source: 1 << 20,
                records: 300,
                style: Style::default(),
                shapes,
                streams,
                crc: 7,
            };
            let mut out = Vec::new();
            head.put(&mut out);
            let data = private(&out[3..]).unwrap().data;
            assert_eq!(BlockHead::take(data), Ok(head));
        }
    }
}
