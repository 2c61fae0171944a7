//! The three heads: of a segment, of a block, and the tail (spec/extension.md 3, 4, 6).

use byteorder::{ByteOrder, LittleEndian};

use super::style::{put_style, take_style};
use crate::pgc::annotations::MAX_SHAPES;
use crate::pgc::extension::{
    Kind, PREFIX, put_num, put_private, put_str, take_byte, take_num, take_slice, take_str, unstuff,
};
use crate::pgn::layout::Style;

/// The format version that this program writes, and the newest that it reads.
pub const VERSION: u8 = 1;

/// No version has one of these numbers, which would be stuffed.
const NO_VERSIONS: [u8; 5] = [10, 13, 250, 253, 254];

/// The lossless profile.
pub const LOSSLESS: u8 = 0;

/// Finds blocks in a damaged archive. No LF, no CR, nothing that is stuffed.
pub const SYNC: [u8; 8] = [0x9d, 0x70, 0x67, 0x63, 0xb7, 0xc5, 0xa9, 0xe3];

/// The name of a source is at most so many bytes long.
pub const MAX_NAME: usize = 4096;

/// Records of a block are at most so long: more than eight times what the longest unit could take.
pub const MAX_RECORDS: u64 = 128 * 1024 * 1024;

/// Source of a block is at most so long: a block is cut behind 256 KiB, and its last unit has at
/// most 16 MiB.
pub const MAX_SOURCE: u64 = 32 * 1024 * 1024;

/// Why a head cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeadError {
    /// A field is cut off, out of range, or followed by something.
    #[error("not well-formed")]
    Malformed,
    /// The CRC-32 says so.
    #[error("checksum does not match")]
    Checksum,
    /// Written by a newer pgc.
    #[error("format version {0}")]
    Version(u8),
}

/// Begins a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentHead {
    /// Name of the source.
    pub name: String,
}

/// Begins a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockHead {
    /// In its segment, from 0.
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
    /// CRC-32 of the records.
    pub crc: u32,
}

/// Ends a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    /// Blocks in the segment.
    pub blocks: u64,
    /// Games: the sum of the next three.
    pub games: u64,
    /// Games whose main line is all ordinals.
    pub whole: u64,
    /// Games whose main line ends in text.
    pub tails: u64,
    /// Games whose main line is text.
    pub text: u64,
    /// Ordinals.
    pub plies: u64,
    /// Bytes of source.
    pub source: u64,
    /// BLAKE3 of the source.
    pub digest: [u8; 32],
}

fn crc(kind: Kind, data: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(PREFIX);
    hasher.update(&[kind as u8]);
    hasher.update(data);
    hasher.finalize()
}

/// Appends the escape with `data` and its checksum.
fn put_checked(out: &mut Vec<u8>, kind: Kind, mut data: Vec<u8>) {
    let mut sum = [0; 4];
    LittleEndian::write_u32(&mut sum, crc(kind, &data));
    data.extend_from_slice(&sum);
    put_private(out, kind, &data);
}

/// The data of an escape, without its checksum, which is right.
fn take_checked(kind: Kind, stuffed: &[u8]) -> Result<Vec<u8>, HeadError> {
    let mut data = Vec::new();
    unstuff(&mut data, stuffed).ok_or(HeadError::Malformed)?;
    let at = data.len().checked_sub(4).ok_or(HeadError::Malformed)?;
    let sum = LittleEndian::read_u32(&data[at..]);
    data.truncate(at);
    if sum != crc(kind, &data) && !cfg!(fuzzing) {
        return Err(HeadError::Checksum);
    }
    Ok(data)
}

impl SegmentHead {
    /// Appends the escape.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut data = vec![VERSION, LOSSLESS];
        put_str(&mut data, self.name.as_bytes());
        put_checked(out, Kind::Head, data);
    }

    /// Reads the data of the escape.
    ///
    /// # Errors
    /// [`HeadError`].
    pub fn take(stuffed: &[u8]) -> Result<SegmentHead, HeadError> {
        // The version comes first, because a newer one may do everything else differently.
        match stuffed.first() {
            Some(&VERSION) => {}
            Some(&version) if version > VERSION && !NO_VERSIONS.contains(&version) => {
                return Err(if is_changed(stuffed) {
                    HeadError::Checksum
                } else {
                    HeadError::Version(version)
                });
            }
            _ => return Err(HeadError::Malformed),
        }
        let data = take_checked(Kind::Head, stuffed)?;
        let mut src = data.get(1..).unwrap_or_default();
        let head = (|| {
            take_byte(&mut src).filter(|&profile| profile == LOSSLESS)?;
            let name = take_str(&mut src).filter(|name| name.len() <= MAX_NAME)?;
            Some(SegmentHead {
                name: String::from_utf8(name.to_vec()).ok()?,
            })
        })();
        head.filter(|_| src.is_empty()).ok_or(HeadError::Malformed)
    }
}

/// Whether a head of version 1 becomes right when its first byte does: that byte was changed, and
/// no newer pgc wrote it.
fn is_changed(stuffed: &[u8]) -> bool {
    let mut data = Vec::new();
    if unstuff(&mut data, stuffed).is_none() || data.len() < 5 {
        return false;
    }
    data[0] = VERSION;
    let (head, sum) = data.split_at(data.len() - 4);
    crc(Kind::Head, head) == LittleEndian::read_u32(sum)
}

impl BlockHead {
    /// Appends the escape.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut data = SYNC.to_vec();
        for number in [
            self.number,
            self.games,
            self.plies,
            self.source,
            self.records,
        ] {
            put_num(&mut data, number);
        }
        let mut style = Vec::new();
        put_style(&mut style, &self.style);
        put_str(&mut data, &style);
        put_num(&mut data, self.shapes.len() as u64);
        for shape in &self.shapes {
            put_str(&mut data, shape);
        }
        let mut sum = [0; 4];
        LittleEndian::write_u32(&mut sum, self.crc);
        data.extend_from_slice(&sum);
        put_checked(out, Kind::Block, data);
    }

    /// Reads the data of the escape.
    ///
    /// # Errors
    /// [`HeadError`].
    pub fn take(stuffed: &[u8]) -> Result<BlockHead, HeadError> {
        let data = take_checked(Kind::Block, stuffed)?;
        let mut src = data.as_slice();
        BlockHead::fields(&mut src)
            .filter(|_| src.is_empty())
            .ok_or(HeadError::Malformed)
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
        let count = take_num(src)
            .and_then(|n| usize::try_from(n).ok())
            .filter(|&n| n <= MAX_SHAPES)?;
        let mut shapes = Vec::with_capacity(count);
        for _ in 0..count {
            shapes.push(take_str(src)?.to_vec());
        }
        let crc = LittleEndian::read_u32(take_slice(src, 4)?);
        Some(BlockHead {
            number,
            games,
            plies,
            source,
            records,
            style,
            shapes,
            crc,
        })
    }
}

impl Tail {
    /// Appends the escape.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut data = Vec::new();
        for number in [
            self.blocks,
            self.games,
            self.whole,
            self.tails,
            self.text,
            self.plies,
            self.source,
        ] {
            put_num(&mut data, number);
        }
        data.extend_from_slice(&self.digest);
        put_checked(out, Kind::Tail, data);
    }

    /// Reads the data of the escape.
    ///
    /// # Errors
    /// [`HeadError`].
    pub fn take(stuffed: &[u8]) -> Result<Tail, HeadError> {
        let data = take_checked(Kind::Tail, stuffed)?;
        let mut src = data.as_slice();
        let tail = (|| {
            let mut next = || take_num(&mut src);
            let (blocks, games, whole, tails) = (next()?, next()?, next()?, next()?);
            let (text, plies, source) = (next()?, next()?, next()?);
            let digest = take_slice(&mut src, 32)?.try_into().ok()?;
            Some(Tail {
                blocks,
                games,
                whole,
                tails,
                text,
                plies,
                source,
                digest,
            })
        })();
        tail.filter(|_| src.is_empty()).ok_or(HeadError::Malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pgc::extension::private;

    fn data(escape: &[u8]) -> &[u8] {
        private(&escape[3..]).unwrap().data
    }

    #[test]
    fn heads_come_back_and_damage_shows() {
        let mut out = Vec::new();
        let head = SegmentHead {
            name: "a.pgn".into(),
        };
        head.put(&mut out);
        assert!(out.starts_with(b"\x0a\x11\x00pgcH\x01\x00\x05a.pgn\xfe\x02\x14\x75\xd5"));
        assert_eq!(SegmentHead::take(data(&out)), Ok(head));
        let mut newer = data(&out).to_vec();
        newer[0] = 2;
        // That byte alone was changed; whatever a newer pgc writes has another checksum.
        assert_eq!(SegmentHead::take(&newer), Err(HeadError::Checksum));
        for version in [0, 10, 13, 250, 253, 254] {
            newer[0] = version;
            assert_eq!(
                SegmentHead::take(&newer),
                Err(HeadError::Malformed),
                "{version}"
            );
        }
        assert_eq!(
            SegmentHead::take(b"\x02\x00\x05a.pgn1234"),
            Err(HeadError::Version(2))
        );
        assert_eq!(SegmentHead::take(b"\x02"), Err(HeadError::Version(2)));

        for (len, right) in [(MAX_NAME, true), (MAX_NAME + 1, false)] {
            let mut out = Vec::new();
            SegmentHead {
                name: "a".repeat(len),
            }
            .put(&mut out);
            assert_eq!(SegmentHead::take(data(&out)).is_ok(), right, "{len}");
        }

        let shapes = vec![b" [%clk \x01] ".to_vec()];
        let head = BlockHead {
            number: 3,
            games: 1000,
            plies: 10,
            source: 1 << 20,
            records: 5,
            style: Style::default(),
            shapes,
            crc: 7,
        };
        let mut out = Vec::new();
        head.put(&mut out);
        assert_eq!(BlockHead::take(data(&out)), Ok(head));
        let tail = Tail {
            blocks: 1,
            games: 2,
            source: 300,
            digest: [0x0a; 32],
            ..Tail::default()
        };
        let mut end = Vec::new();
        tail.put(&mut end);
        assert_eq!(Tail::take(data(&end)), Ok(tail));
        for i in 0..end.len() - 7 {
            let mut wrong = data(&end).to_vec();
            wrong[i] ^= 1;
            assert!(Tail::take(&wrong).is_err(), "{i}");
        }
    }
}
