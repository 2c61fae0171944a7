//! Reads an index as it lies in memory: nothing is believed before its page was held to its
//! checksum.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use byteorder::{ByteOrder, LittleEndian};

use super::date::Date;
use super::layout::{BLOCK, Frame, IndexError, Integers, PAGE, SEGMENT, Section, kind};
use super::round::EqualRounds;
use super::summary::Flags;
use super::table::{NameField, Table};
use crate::records::private::is_unfinished;

/// An index. Opening it looks at its frame; every page is held to its checksum when it is first
/// used, so that every question may find damage.
///
/// `D` is what the bytes are in: a map of a file, a `Vec<u8>`.
pub struct Index<D> {
    data: D,
    frame: Frame,
    /// A bit for each page: it was held to its sum.
    sound: Vec<AtomicU64>,
}

impl<D> fmt::Debug for Index<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index")
            .field("frame", &self.frame)
            .finish_non_exhaustive()
    }
}

/// A segment of the archive (spec/index.md section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Of its head record, in the archive.
    pub offset: u64,
    /// One past its tail record.
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

/// Where a game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of the block.
    pub block: u32,
    /// Where the block begins in the archive.
    pub offset: u64,
    /// CRC-32 of its records.
    pub crc: u32,
    /// Number of its first game.
    pub first_game: u32,
    /// Its games.
    pub games: u32,
    /// Where the next block begins, or where the segment ends.
    pub end: u64,
    /// Number of the segment.
    pub segment: u32,
}

/// What an index holds of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the columns")]
pub struct Row<'a> {
    pub date: Date,
    pub event: &'a str,
    /// `None` where sites are left out.
    pub site: Option<&'a str>,
    pub round: &'a str,
    pub white: &'a str,
    pub black: &'a str,
    pub white_elo: u16,
    pub black_elo: u16,
    pub eco: u16,
    pub plies: u32,
    pub flags: Flags,
}

impl<D: AsRef<[u8]>> Index<D> {
    /// Opens an index. Only its frame is looked at: see [`Index::verify`].
    ///
    /// # Errors
    /// It is no index, one of another version, or its frame is damaged.
    pub fn open(data: D) -> Result<Index<D>, IndexError> {
        let frame = Frame::parse(data.as_ref())?;
        let words = usize::try_from(frame.pages().div_ceil(64)).unwrap_or(0);
        let sound = (0..words).map(|_| AtomicU64::new(0)).collect();
        Ok(Index { data, frame, sound })
    }

    pub(super) fn view(&self) -> View<'_> {
        View {
            data: self.data.as_ref(),
            frame: &self.frame,
            sound: &self.sound,
        }
    }

    /// What the index says of itself.
    #[must_use]
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// How many games there are.
    #[must_use]
    pub fn games(&self) -> u32 {
        self.frame.games()
    }

    /// Length of the archive that it belongs to.
    #[must_use]
    pub fn archive_length(&self) -> u64 {
        self.frame.archive_length()
    }

    /// The archive is no archive of ours.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        self.frame.is_foreign()
    }

    /// The archive is of the dialect pgn2pgc.
    #[must_use]
    pub fn is_pgn2pgc(&self) -> bool {
        self.frame.is_pgn2pgc()
    }

    /// It holds the sites of the games.
    #[must_use]
    pub fn has_sites(&self) -> bool {
        self.view().has_sites()
    }

    /// It holds a hash of each game.
    #[must_use]
    pub fn has_hashes(&self) -> bool {
        self.frame.section(kind::HASH).is_some()
    }

    /// Whether this is the index of `archive`: length and digest are the archive's.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn belongs(&self, archive: &[u8]) -> Result<bool, IndexError> {
        self.view().belongs(archive)
    }

    /// How many segments the archive has.
    #[must_use]
    pub fn segment_count(&self) -> u32 {
        self.view().count(kind::SEGMENTS)
    }

    /// The segments of the archive, in their order.
    pub fn segments(&self) -> impl Iterator<Item = Result<Segment, IndexError>> + '_ {
        let view = self.view();
        (0..self.segment_count()).map(move |number| view.segment(number))
    }

    /// How many blocks the archive has.
    #[must_use]
    pub fn block_count(&self) -> u32 {
        self.view().count(kind::BLOCKS)
    }

    /// Where a block is, by its number.
    ///
    /// # Errors
    /// The index is damaged, or there is no such block.
    pub fn block(&self, number: u32) -> Result<Place, IndexError> {
        self.view().block_place(number)
    }

    /// Where a game is, by its number from 0.
    ///
    /// # Errors
    /// The index is damaged, or there is no such game.
    pub fn place(&self, game: u32) -> Result<Place, IndexError> {
        self.view().place(game)
    }

    /// What the index holds of a game, by its number from 0.
    ///
    /// # Errors
    /// The index is damaged, or there is no such game.
    pub fn row(&self, game: u32) -> Result<Row<'_>, IndexError> {
        self.view().row(game)
    }

    /// The integers that the index holds of these games in a column (a [`kind`] from DATE to
    /// ORDER), in the order of `games`: what a program sorts by without reading the values. Places
    /// in a table ascend as its values do.
    ///
    /// # Errors
    /// The index is damaged, there is no such column, or no such game.
    pub fn integers(&self, column: u32, games: &[u32]) -> Result<Vec<u32>, IndexError> {
        let mut out = Vec::new();
        self.view().column(column)?.gather(games, &mut out)?;
        Ok(out)
    }

    /// The game at this place of the collating order (spec/index.md section 5).
    ///
    /// # Errors
    /// The index is damaged, or there are fewer games.
    pub fn order(&self, rank: u32) -> Result<u32, IndexError> {
        self.view().order(rank)
    }

    /// The index as it stands in the file.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        self.data.as_ref()
    }

    /// The hash of a game, if there are hashes.
    ///
    /// # Errors
    /// The index is damaged, or there is no such game.
    pub fn hash(&self, game: u32) -> Result<Option<u64>, IndexError> {
        if !self.has_hashes() {
            return Ok(None);
        }
        self.view()
            .column(kind::HASH)?
            .get(u64::from(game))
            .map(Some)
    }

    /// Which rounds are equal as a key of the collating order.
    pub(crate) fn equal_rounds(&self) -> Result<EqualRounds, IndexError> {
        self.view().equal_rounds()
    }

    /// The value at this place of a table.
    ///
    /// # Errors
    /// The index is damaged, or there is no such value.
    pub fn value(&self, field: NameField, id: u32) -> Result<&str, IndexError> {
        self.view().table(field)?.value(id)
    }
}

/// An index, whatever its bytes are in.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) data: &'a [u8],
    pub(super) frame: &'a Frame,
    sound: &'a [AtomicU64],
}

impl<'a> View<'a> {
    /// Holds the pages to their sums that the bytes `from..to` of the file lie in.
    #[inline]
    pub(super) fn check(&self, from: u64, to: u64) -> Result<(), IndexError> {
        if from >= to {
            return Ok(());
        }
        for page in from / PAGE..=(to - 1) / PAGE {
            let word = usize::try_from(page / 64)
                .ok()
                .and_then(|i| self.sound.get(i));
            if word.is_none_or(|word| word.load(Ordering::Relaxed) >> (page % 64) & 1 == 0) {
                self.check_page(page)?;
            }
        }
        Ok(())
    }

    #[cold]
    fn check_page(&self, page: u64) -> Result<(), IndexError> {
        self.frame.check_page(self.data, page)?;
        // Several threads may come here at once: they find the same.
        if let Some(word) = usize::try_from(page / 64)
            .ok()
            .and_then(|i| self.sound.get(i))
        {
            word.fetch_or(1 << (page % 64), Ordering::Relaxed);
        }
        Ok(())
    }

    pub(super) fn section(&self, kind: u32) -> Result<Section, IndexError> {
        self.frame
            .section(kind)
            .ok_or_else(|| IndexError::damaged(self.frame.paged(), "a section is missing"))
    }

    /// Bytes `from..to` of a section.
    #[inline]
    pub(super) fn bytes(
        &self,
        section: &Section,
        from: u64,
        to: u64,
    ) -> Result<&'a [u8], IndexError> {
        if from > to || to > section.len {
            return Err(IndexError::damaged(
                section.offset,
                "a place outside its section",
            ));
        }
        self.check(section.offset + from, section.offset + to)?;
        let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
        range
            .and_then(|(from, to)| section.bytes(self.data).get(from..to))
            .ok_or_else(|| IndexError::damaged(section.offset, "a section outside the file"))
    }

    pub(super) fn column(&self, kind: u32) -> Result<Column<'a>, IndexError> {
        let section = self.section(kind)?;
        Ok(Column {
            view: *self,
            section,
            integers: section.integers(self.data),
        })
    }

    pub(super) fn equal_rounds(&self) -> Result<EqualRounds, IndexError> {
        let table = self.table(NameField::Round)?;
        let values = (0..table.len())
            .map(|id| table.value(id))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(EqualRounds::of(values.iter().map(|value| value.as_bytes())))
    }

    pub(super) fn table(&self, field: NameField) -> Result<Table<'a>, IndexError> {
        Table::of(*self, field)
    }

    pub(super) fn has_sites(&self) -> bool {
        self.frame.section(kind::SITE).is_some()
    }

    pub(super) fn games(&self) -> u32 {
        self.frame.games()
    }

    /// Entries of a section, as far as they have numbers.
    pub(super) fn count(&self, kind: u32) -> u32 {
        self.frame.section(kind).map_or(0, |section| {
            u32::try_from(section.count).unwrap_or(u32::MAX)
        })
    }

    pub(super) fn order(&self, rank: u32) -> Result<u32, IndexError> {
        let order = self.column(kind::ORDER)?;
        let game = order.get32(rank)?;
        if game < self.games() {
            Ok(game)
        } else {
            Err(order.damaged("a game that there is not"))
        }
    }

    /// An entry of a section whose entries have `len` bytes.
    fn entry(&self, kind: u32, number: u32, len: usize) -> Result<&'a [u8], IndexError> {
        let at = u64::from(number) * len as u64;
        self.bytes(&self.section(kind)?, at, at + len as u64)
    }

    pub(super) fn segment(&self, number: u32) -> Result<Segment, IndexError> {
        let entry = self.entry(kind::SEGMENTS, number, SEGMENT)?;
        let segment = Segment {
            offset: LittleEndian::read_u64(&entry[..8]),
            end: LittleEndian::read_u64(&entry[8..16]),
            head: LittleEndian::read_u32(&entry[16..20]),
            tail: LittleEndian::read_u32(&entry[20..24]),
            first_game: LittleEndian::read_u32(&entry[24..28]),
            first_block: LittleEndian::read_u32(&entry[28..32]),
        };
        let len = segment
            .end
            .checked_sub(segment.offset)
            .filter(|_| segment.end <= self.frame.archive_length());
        if len.is_none_or(|len| len < u64::from(segment.head.max(segment.tail))) {
            return Err(self.damaged(kind::SEGMENTS, "place of a segment"));
        }
        Ok(segment)
    }

    /// Offset, first game and CRC-32 of a block.
    pub(super) fn block(&self, number: u32) -> Result<(u64, u32, u32), IndexError> {
        let entry = self.entry(kind::BLOCKS, number, BLOCK)?;
        let (offset, rest) = entry.split_at(8);
        Ok((
            LittleEndian::read_u64(offset),
            LittleEndian::read_u32(&rest[..4]),
            LittleEndian::read_u32(&rest[4..]),
        ))
    }

    #[cold]
    pub(super) fn damaged(&self, kind: u32, what: &'static str) -> IndexError {
        IndexError::damaged(
            self.frame.section(kind).map_or(0, |section| section.offset),
            what,
        )
    }

    fn belongs(&self, archive: &[u8]) -> Result<bool, IndexError> {
        let is_whole = match usize::try_from(self.frame.archive_length()) {
            Ok(len) => archive
                .get(len..)
                .is_some_and(|rest| rest.is_empty() || is_unfinished(rest)),
            Err(_) => false,
        };
        if !is_whole {
            return Ok(false);
        }
        let mut digest = blake3::Hasher::new();
        for number in 0..self.count(kind::SEGMENTS) {
            let segment = self.segment(number)?;
            for (from, to) in [
                (segment.offset, segment.offset + u64::from(segment.head)),
                (segment.end - u64::from(segment.tail), segment.end),
            ] {
                let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
                let Some(bytes) = range.and_then(|(from, to)| archive.get(from..to)) else {
                    return Ok(false);
                };
                digest.update(bytes);
            }
        }
        Ok(digest.finalize() == *self.frame.digest())
    }

    fn place(&self, game: u32) -> Result<Place, IndexError> {
        if game >= self.games() {
            return Err(self.damaged(kind::BLOCKS, "a game that there is not"));
        }
        // The last block that begins with the game or before it: of blocks without games, the next
        // has the same first game.
        let behind = partition(self.count(kind::BLOCKS), |number| {
            Ok(self.block(number)?.1 <= game)
        })?;
        let number = behind
            .checked_sub(1)
            .ok_or_else(|| self.damaged(kind::BLOCKS, "the first game is in no block"))?;
        let place = self.block_place(number)?;
        if game - place.first_game >= place.games {
            return Err(self.damaged(kind::BLOCKS, "order of the blocks"));
        }
        Ok(place)
    }

    fn block_place(&self, number: u32) -> Result<Place, IndexError> {
        let (offset, first_game, crc) = self.block(number)?;
        let (blocks, segments) = (self.count(kind::BLOCKS), self.count(kind::SEGMENTS));
        let behind = partition(segments, |segment| {
            Ok(self.segment(segment)?.first_block <= number)
        })?;
        let Some(segment) = behind.checked_sub(1) else {
            return Err(self.damaged(kind::SEGMENTS, "the first block is in no segment"));
        };
        let mut end = self.segment(segment)?.end;
        let mut next_game = self.games();
        if number + 1 < blocks {
            let next = self.block(number + 1)?;
            next_game = next.1;
            if behind == segments || self.segment(behind)?.first_block != number + 1 {
                end = next.0;
            }
        }
        let games = next_game
            .checked_sub(first_game)
            .filter(|_| next_game <= self.games());
        match games {
            Some(games) if offset < end && end <= self.frame.archive_length() => Ok(Place {
                block: number,
                offset,
                crc,
                first_game,
                games,
                end,
                segment,
            }),
            _ => Err(self.damaged(kind::BLOCKS, "order of the blocks")),
        }
    }

    fn row(&self, game: u32) -> Result<Row<'a>, IndexError> {
        let integer = |kind| self.column(kind)?.get32(game);
        let short = |kind| {
            u16::try_from(integer(kind)?)
                .map_err(|_| self.damaged(kind, "a number that is too large for its column"))
        };
        let value = |kind, field| self.table(field)?.value(integer(kind)?);
        Ok(Row {
            date: Date::from_bits(integer(kind::DATE)?),
            event: value(kind::EVENT, NameField::Event)?,
            site: if self.has_sites() {
                Some(value(kind::SITE, NameField::Site)?)
            } else {
                None
            },
            round: value(kind::ROUND, NameField::Round)?,
            white: value(kind::WHITE, NameField::Player)?,
            black: value(kind::BLACK, NameField::Player)?,
            white_elo: short(kind::WHITE_ELO)?,
            black_elo: short(kind::BLACK_ELO)?,
            eco: short(kind::ECO)?,
            plies: integer(kind::PLIES)?,
            flags: Flags::from_bits(short(kind::FLAGS)?),
        })
    }
}

/// How many of the first of `count` things fulfil the condition that only the first ones do.
pub(super) fn partition<N: Into<u64> + TryFrom<u64> + Default>(
    count: N,
    mut holds: impl FnMut(N) -> Result<bool, IndexError>,
) -> Result<N, IndexError> {
    let (mut from, mut to): (u64, u64) = (0, count.into());
    while from < to {
        let middle = from + (to - from) / 2;
        // Below the count, which is an N.
        if holds(N::try_from(middle).unwrap_or_default())? {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    Ok(N::try_from(from).unwrap_or_default())
}

/// A section of integers.
#[derive(Clone, Copy)]
pub(super) struct Column<'a> {
    view: View<'a>,
    pub(super) section: Section,
    integers: Integers<'a>,
}

impl Column<'_> {
    pub(super) fn count(&self) -> u64 {
        self.section.count
    }

    #[cold]
    pub(super) fn damaged(&self, what: &'static str) -> IndexError {
        IndexError::damaged(self.section.offset, what)
    }

    /// The integer at `i`.
    #[inline]
    pub(super) fn get(&self, i: u64) -> Result<u64, IndexError> {
        if i >= self.section.count {
            return Err(self.damaged("a place behind the last integer"));
        }
        let width = u64::from(self.section.width);
        let at = self.section.offset + i * width;
        self.view.check(at, at + width)?;
        let integer = usize::try_from(i).ok().and_then(|i| self.integers.get(i));
        integer.ok_or_else(|| self.damaged("a section outside the file"))
    }

    #[inline]
    pub(super) fn get32(&self, i: u32) -> Result<u32, IndexError> {
        u32::try_from(self.get(u64::from(i))?)
            .map_err(|_| self.damaged("a number that is too large for its column"))
    }

    /// The integers of these games, in their order. What was in `out` is gone.
    pub(super) fn gather(&self, games: &[u32], out: &mut Vec<u32>) -> Result<(), IndexError> {
        out.clear();
        out.reserve(games.len());
        for &game in games {
            out.push(self.get32(game)?);
        }
        Ok(())
    }

    /// The integers from `from` to `to`. What was in `out` is gone.
    pub(super) fn range(&self, from: u32, to: u32, out: &mut Vec<u32>) -> Result<(), IndexError> {
        let width = u64::from(self.section.width);
        let bytes = self.view.bytes(
            &self.section,
            u64::from(from) * width,
            u64::from(to) * width,
        )?;
        out.clear();
        match self.section.width {
            1 => out.extend(bytes.iter().map(|&b| u32::from(b))),
            2 => out.extend(
                bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|&two| u32::from(u16::from_le_bytes(two))),
            ),
            3 => out.extend(
                bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|&[a, b, c]| u32::from_le_bytes([a, b, c, 0])),
            ),
            4 => out.extend(
                bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|&four| u32::from_le_bytes(four)),
            ),
            width => {
                for integer in Integers::new(bytes, width).iter() {
                    let integer = u32::try_from(integer);
                    out.push(
                        integer.map_err(|_| {
                            self.damaged("a number that is too large for its column")
                        })?,
                    );
                }
            }
        }
        Ok(())
    }
}
