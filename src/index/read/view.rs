//! Reads the bytes of an index; a page is verified before its first use.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::format::layout::{
    BLOCK, IndexError, IndexFrame, Integers, PAGE, SEGMENT, Section, kind,
};
use crate::format::places::{BlockEntry, Segment};

/// An index, independent of how its bytes are held.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) data: &'a [u8],
    pub(crate) frame: &'a IndexFrame,
    /// A bit for each page, set once its checksum has been verified.
    pub(crate) sound: &'a [AtomicU32],
}

impl<'a> View<'a> {
    /// Verifies the pages that hold the bytes `from..to` of the file.
    #[inline]
    pub(crate) fn check(&self, from: u64, to: u64) -> Result<(), IndexError> {
        if from >= to {
            return Ok(());
        }
        for page in from / PAGE..=(to - 1) / PAGE {
            let word = self.sound_word(page);
            if word.is_none_or(|word| word.load(Ordering::Relaxed) >> (page % 32) & 1 == 0) {
                self.check_page(page)?;
            }
        }
        Ok(())
    }

    /// The bits of a page and its neighbours.
    #[inline]
    fn sound_word(&self, page: u64) -> Option<&AtomicU32> {
        self.sound.get(usize::try_from(page / 32).ok()?)
    }

    #[cold]
    fn check_page(&self, page: u64) -> Result<(), IndexError> {
        self.frame.check_page(self.data, page)?;
        // Several threads may verify a page at once, with the same outcome.
        if let Some(word) = self.sound_word(page) {
            word.fetch_or(1 << (page % 32), Ordering::Relaxed);
        }
        Ok(())
    }

    pub(crate) fn section(&self, kind: u32) -> Result<Section, IndexError> {
        let missing = || IndexError::damaged(self.frame.paged(), "a section is missing");
        self.frame.section(kind).ok_or_else(missing)
    }

    /// Bytes `from..to` of a section.
    #[inline]
    pub(crate) fn bytes(
        &self,
        section: &Section,
        from: u64,
        to: u64,
    ) -> Result<&'a [u8], IndexError> {
        let damaged = |what| IndexError::damaged(section.offset, what);
        if from > to || to > section.len {
            return Err(damaged("a position outside its section"));
        }
        self.check(section.offset + from, section.offset + to)?;
        let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
        let bytes = range.and_then(|(from, to)| section.bytes(self.data).get(from..to));
        bytes.ok_or_else(|| damaged("a section outside the file"))
    }

    pub(crate) fn column(&self, kind: u32) -> Result<IntegerColumn<'a>, IndexError> {
        let section = self.section(kind)?;
        Ok(IntegerColumn {
            view: *self,
            section,
            integers: section.integers(self.data),
        })
    }

    pub(crate) fn games(&self) -> u32 {
        self.frame.games()
    }

    /// The number of entries of a section, as a u32.
    pub(crate) fn count(&self, kind: u32) -> u32 {
        let count = self.frame.section(kind).map_or(0, |section| section.count);
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// An entry of a section whose entries have `len` bytes.
    fn entry(&self, kind: u32, number: u32, len: usize) -> Result<&'a [u8], IndexError> {
        let at = u64::from(number) * len as u64;
        self.bytes(&self.section(kind)?, at, at + len as u64)
    }

    pub(crate) fn segment(&self, number: u32) -> Result<Segment, IndexError> {
        let segment = Segment::parse(self.entry(kind::SEGMENTS, number, SEGMENT)?);
        let len = segment.end.checked_sub(segment.offset);
        let is_too_short = len.is_none_or(|len| len < u64::from(segment.head.max(segment.tail)));
        if is_too_short || segment.end > self.frame.archive_length() {
            return Err(self.damaged(kind::SEGMENTS, "offset of a segment"));
        }
        Ok(segment)
    }

    pub(crate) fn block(&self, number: u32) -> Result<BlockEntry, IndexError> {
        let entry = self.entry(kind::BLOCKS, number, BLOCK)?;
        Ok(BlockEntry::parse(entry))
    }

    #[cold]
    pub(crate) fn damaged(&self, kind: u32, what: &'static str) -> IndexError {
        let section = self.frame.section(kind);
        IndexError::damaged(section.map_or(0, |section| section.offset), what)
    }
}

/// Binary search: the number of elements, of `count`, for which the condition holds. It must hold
/// for the first elements, and for none after them.
pub(crate) fn partition<N: Into<u64> + TryFrom<u64> + Default>(
    count: N,
    mut holds: impl FnMut(N) -> Result<bool, IndexError>,
) -> Result<N, IndexError> {
    let (mut from, mut to): (u64, u64) = (0, count.into());
    while from < to {
        let middle = from + (to - from) / 2;
        // `middle` is below `count`, so it fits.
        if holds(N::try_from(middle).unwrap_or_default())? {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    Ok(N::try_from(from).unwrap_or_default())
}

/// A section of integers.
#[derive(Debug, Clone, Copy)]
pub struct IntegerColumn<'a> {
    view: View<'a>,
    pub(crate) section: Section,
    integers: Integers<'a>,
}

impl<'a> IntegerColumn<'a> {
    /// All integers, with every page verified: for reading most of them in any order.
    pub fn whole(&self) -> Result<Integers<'a>, IndexError> {
        self.view.check(self.section.offset, self.section.end())?;
        Ok(self.integers)
    }

    pub(crate) fn count(&self) -> u64 {
        self.section.count
    }

    /// The error of a column whose bytes are wrong.
    #[cold]
    pub fn damaged(&self, what: &'static str) -> IndexError {
        IndexError::damaged(self.section.offset, what)
    }

    /// The integer at `i`.
    #[inline]
    pub(crate) fn get(&self, i: u64) -> Result<u64, IndexError> {
        if i >= self.section.count {
            return Err(self.damaged("a position beyond the last integer"));
        }
        let bit = i * u64::from(self.section.width);
        let at = self.section.offset + bit / 8;
        let end = (bit + u64::from(self.section.width)).div_ceil(8);
        self.view.check(at, self.section.offset + end)?;
        let integer = usize::try_from(i).ok().and_then(|i| self.integers.get(i));
        integer.ok_or_else(|| self.damaged("a section outside the file"))
    }

    /// The number of row `i`, if it has 32 bits.
    #[inline]
    pub fn get32(&self, i: u32) -> Result<u32, IndexError> {
        let integer = u32::try_from(self.get(u64::from(i))?);
        integer.map_err(|_| self.damaged("a value too large for its column"))
    }

    /// Replaces `out` by the integers of these games, in their order.
    pub(crate) fn gather(&self, games: &[u32], out: &mut Vec<u32>) -> Result<(), IndexError> {
        out.clear();
        out.reserve(games.len());
        for &game in games {
            out.push(self.get32(game)?);
        }
        Ok(())
    }

    /// Replaces `out` by the integers at positions `from..to`, which fit into 32 bits.
    pub fn range(&self, from: u32, to: u32, out: &mut Vec<u32>) -> Result<(), IndexError> {
        out.clear();
        if u64::from(to) > self.section.count {
            return Err(self.damaged("a position beyond the last integer"));
        }
        let width = u64::from(self.section.width);
        if width > 32 {
            for at in from..to {
                out.push(self.get32(at)?);
            }
            return Ok(());
        }
        let offset = self.section.offset;
        let end = (u64::from(to) * width).div_ceil(8);
        self.view
            .check(offset + u64::from(from) * width / 8, offset + end)?;
        out.reserve((to - from) as usize);
        self.integers.put_range(from as usize, to as usize, out);
        Ok(())
    }
}
