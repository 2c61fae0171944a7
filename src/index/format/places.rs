//! The entries of the sections of segments and blocks, which locate games (spec/index.md section
//! 2).

use byteorder::{ByteOrder, LittleEndian};

use super::layout::{BLOCK, SEGMENT};

/// A segment of the archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Offset of its head record in the archive.
    pub offset: u64,
    /// Offset after its tail record.
    pub end: u64,
    /// Length of its head record.
    pub head: u32,
    /// Length of its tail record.
    pub tail: u32,
    /// Number of its first game.
    pub first_game: u32,
    /// Number of its first block.
    pub first_block: u32,
}

impl Segment {
    /// `entry` has [`SEGMENT`] bytes.
    pub(crate) fn parse(entry: &[u8]) -> Segment {
        Segment {
            offset: LittleEndian::read_u64(&entry[..8]),
            end: LittleEndian::read_u64(&entry[8..16]),
            head: LittleEndian::read_u32(&entry[16..20]),
            tail: LittleEndian::read_u32(&entry[20..24]),
            first_game: LittleEndian::read_u32(&entry[24..28]),
            first_block: LittleEndian::read_u32(&entry[28..32]),
        }
    }

    /// Where its head and its tail stand in an archive of this length; `None`: not in it.
    pub(crate) fn records(&self, archive: u64) -> Option<[(u64, u64); 2]> {
        let head = self.offset.checked_add(self.head.into())?;
        let tail = self.end.checked_sub(self.tail.into())?;
        let is_inside = head.max(self.end) <= archive;
        is_inside.then_some([(self.offset, head), (tail, self.end)])
    }

    pub(crate) fn bytes(&self) -> [u8; SEGMENT] {
        let mut entry = [0; SEGMENT];
        LittleEndian::write_u64_into(&[self.offset, self.end], &mut entry[..16]);
        LittleEndian::write_u32_into(
            &[self.head, self.tail, self.first_game, self.first_block],
            &mut entry[16..],
        );
        entry
    }
}

/// A block of the archive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockEntry {
    /// Offset of its head record in the archive.
    pub(crate) offset: u64,
    /// Number of its first game.
    pub(crate) first_game: u32,
    /// CRC-32 of its records.
    pub(crate) crc: u32,
}

impl BlockEntry {
    /// `entry` has [`BLOCK`] bytes.
    pub(crate) fn parse(entry: &[u8]) -> BlockEntry {
        BlockEntry {
            offset: LittleEndian::read_u64(&entry[..8]),
            first_game: LittleEndian::read_u32(&entry[8..12]),
            crc: LittleEndian::read_u32(&entry[12..16]),
        }
    }

    pub(crate) fn bytes(&self) -> [u8; BLOCK] {
        let mut entry = [0; BLOCK];
        LittleEndian::write_u64(&mut entry[..8], self.offset);
        LittleEndian::write_u32_into(&[self.first_game, self.crc], &mut entry[8..]);
        entry
    }
}
