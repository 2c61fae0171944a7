//! Reads an index in memory, and verifies it; a page is verified before its first use.

use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::{fmt, io};

use rayon::prelude::*;

use super::lines::LineTable;
use super::table::{IndexTable, NameField, ValueReader};
use super::view::{IntegerColumn, View, partition};
use crate::format::layout::{IndexError, IndexFrame, PAGE, VALUE_COLUMNS, kind};
use crate::format::places::Segment;
use crate::format::round::EqualRounds;
use crate::format::{Date, Flags, Row};
use pgc_chess::OPENING_LIST;
use pgc_io::read_at::ReadAt;
use pgc_io::threads;
use pgc_pgn::records::private::{UNFINISHED, is_unfinished};

/// Fewer pages than this are checked faster than a thread starts.
const FEW_PAGES: u64 = 64;

/// An index. Opening it checks its frame; every page is checked against its checksum at its first
/// use, so any query may report damage.
///
/// `D` holds the bytes: a map of a file, or a `Vec<u8>`.
pub struct Index<D> {
    data: D,
    frame: IndexFrame,
    /// A bit for each page, set once its checksum has been verified.
    sound: Vec<AtomicU32>,
}

impl<D> fmt::Debug for Index<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index")
            .field("frame", &self.frame)
            .finish_non_exhaustive()
    }
}

/// The block of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPosition {
    /// Number of the block.
    pub block: u32,
    /// Offset of the block in the archive.
    pub offset: u64,
    /// CRC-32 of its records.
    pub crc: u32,
    /// Number of its first game.
    pub first_game: u32,
    /// Number of its games.
    pub games: u32,
    /// Offset of the next block, or of the tail of the segment.
    pub end: u64,
    /// Number of the segment.
    pub segment: u32,
    /// Number of the block in its segment.
    pub number: u32,
}

/// Reads the columns of games; cheap where their values are the same, or close to each other.
#[derive(Debug)]
pub struct RowReader<'a> {
    view: View<'a>,
    /// Of the date, the event and so on, in the order of [`VALUE_COLUMNS`].
    values: Vec<(IntegerColumn<'a>, ValueReader<'a>)>,
}

impl RowReader<'_> {
    /// As [`Index::row`].
    pub fn row(&mut self, game: u32) -> Result<Row, IndexError> {
        let view = self.view;
        let integer = |kind| view.column(kind)?.get32(game);
        let short = |kind| {
            let number = u16::try_from(integer(kind)?);
            number.map_err(|_| view.damaged(kind, "a value too large for its column"))
        };
        let mut value = |at: usize| {
            let (column, values) = &mut self.values[at];
            values.value(column.get32(game)?).map(str::to_owned)
        };
        let date = Date::from_table(&value(0)?);
        Ok(Row {
            date: date.ok_or_else(|| view.damaged(kind::DATES + kind::VALUES, "a date"))?,
            event: value(1)?,
            material: value(2)?,
            round: value(3)?,
            white: value(4)?,
            black: value(5)?,
            white_elo: short(kind::WHITE_ELO)?,
            black_elo: short(kind::BLACK_ELO)?,
            eco: short(kind::ECO)?,
            plies: integer(kind::PLIES)?,
            flags: Flags::from_bits(integer(kind::FLAGS)?),
        })
    }
}

impl<D: AsRef<[u8]>> Index<D> {
    /// Opens an index. Only its frame is checked: see [`Index::verify`].
    ///
    /// # Errors
    /// The data are not an index, or one of another version, or the frame is damaged.
    pub fn open(data: D) -> Result<Index<D>, IndexError> {
        let frame = IndexFrame::parse(data.as_ref())?;
        let words = usize::try_from(frame.pages().div_ceil(32)).unwrap_or(0);
        let sound = (0..words).map(|_| AtomicU32::new(0)).collect();
        Ok(Index { data, frame, sound })
    }

    /// Checks the checksums of all pages, with a number of threads; 0 is one for each processor.
    /// Whether its statements are true only the archive can tell: `pgc test` makes the index again
    /// and compares.
    ///
    /// # Errors
    /// The index is damaged, or a thread cannot be started.
    pub fn verify(&self, threads: usize) -> Result<(), IndexError> {
        let (view, pages) = (self.view(), self.frame.pages());
        let check = |page: u64| view.check(page * PAGE, page * PAGE + 1);
        match threads::count(threads) {
            threads if threads > 1 && pages >= FEW_PAGES => {
                threads::pool(threads)?.install(|| (0..pages).into_par_iter().try_for_each(check))
            }
            _ => (0..pages).try_for_each(check),
        }
    }

    pub(crate) fn view(&self) -> View<'_> {
        View {
            data: self.data.as_ref(),
            frame: &self.frame,
            sound: &self.sound,
        }
    }

    /// The frame of the index.
    #[doc(hidden)]
    pub fn frame(&self) -> &IndexFrame {
        &self.frame
    }

    /// The number of games.
    pub fn games(&self) -> u32 {
        self.frame.games()
    }

    /// Length of its archive.
    pub fn archive_length(&self) -> u64 {
        self.frame.archive_length()
    }

    /// Whether it has the lines of games (spec/index.md section 7).
    pub fn has_lines(&self) -> bool {
        self.frame.section(kind::LINES).is_some()
    }

    /// Whether this is the index of `archive`, judged by length and digest. That the segments are
    /// those of the archive is another question: the digest is over those that the index lists.
    ///
    /// # Errors
    /// The index is damaged; [`IndexError::Io`]: the archive cannot be read.
    pub fn belongs(&self, archive: &(impl ReadAt + ?Sized)) -> Result<bool, IndexError> {
        let (length, size) = (self.archive_length(), archive.size());
        let is_whole = || {
            let rest = archive.read_at(length, length.saturating_add(UNFINISHED.len() as u64))?;
            io::Result::Ok(length == size || is_unfinished(&rest))
        };
        if length > size || !is_whole()? {
            return Ok(false);
        }
        let mut digest = blake3::Hasher::new();
        for segment in self.segments() {
            let Some(records) = segment?.records(size) else {
                return Ok(false);
            };
            for (from, to) in records {
                digest.update(&archive.read_at(from, to)?);
            }
        }
        Ok(digest.finalize() == self.frame.about.digest)
    }

    /// The segments of the archive, in order.
    pub fn segments(&self) -> impl Iterator<Item = Result<Segment, IndexError>> + '_ {
        let view = self.view();
        (0..view.count(kind::SEGMENTS)).map(move |number| view.segment(number))
    }

    /// The number of blocks of the archive.
    pub fn block_count(&self) -> u32 {
        self.view().count(kind::BLOCKS)
    }

    /// Offset and first game of a block, by its number.
    ///
    /// # Errors
    /// The index is damaged, or there is no such block.
    pub fn block_begin(&self, number: u32) -> Result<(u64, u32), IndexError> {
        let block = self.view().block(number)?;
        Ok((block.offset, block.first_game))
    }

    /// The sum of the plies of these games.
    ///
    /// # Errors
    /// The index is damaged, or there are no such games.
    pub fn plies(&self, games: Range<u32>) -> Result<u64, IndexError> {
        let mut plies = Vec::new();
        let column = self.view().column(kind::PLIES)?;
        column.range(games.start, games.end, &mut plies)?;
        Ok(plies.iter().copied().map(u64::from).sum())
    }

    /// The position of a block, by its number.
    ///
    /// # Errors
    /// The index is damaged, or there is no such block.
    pub fn block(&self, number: u32) -> Result<BlockPosition, IndexError> {
        let view = self.view();
        let block = view.block(number)?;
        let (blocks, segments) = (self.block_count(), view.count(kind::SEGMENTS));
        let behind = partition(segments, |segment| {
            Ok(view.segment(segment)?.first_block <= number)
        })?;
        let outside = || view.damaged(kind::SEGMENTS, "the first block is in no segment");
        let segment = behind.checked_sub(1).ok_or_else(outside)?;
        let place = view.segment(segment)?;
        let mut end = place.end - u64::from(place.tail);
        let mut next_game = self.games();
        if number + 1 < blocks {
            let next = view.block(number + 1)?;
            next_game = next.first_game;
            if behind == segments || view.segment(behind)?.first_block != number + 1 {
                end = next.offset;
            }
        }
        let games = next_game.checked_sub(block.first_game);
        let is_inside = block.offset < end && end <= self.archive_length();
        let games = games.filter(|_| next_game <= self.games() && is_inside);
        let disordered = || view.damaged(kind::BLOCKS, "order of the blocks");
        Ok(BlockPosition {
            block: number,
            offset: block.offset,
            crc: block.crc,
            first_game: block.first_game,
            games: games.ok_or_else(disordered)?,
            end,
            segment,
            number: number - place.first_block,
        })
    }

    /// The block of a game, by its number from 0.
    ///
    /// # Errors
    /// The index is damaged, or there is no such game.
    pub fn place(&self, game: u32) -> Result<BlockPosition, IndexError> {
        let view = self.view();
        if game >= self.games() {
            return Err(view.damaged(kind::BLOCKS, "number of a game"));
        }
        // The last block whose first game is not after this one. (A block without games has the
        // same first game as the next.)
        let behind = partition(self.block_count(), |number| {
            Ok(view.block(number)?.first_game <= game)
        })?;
        let outside = || view.damaged(kind::BLOCKS, "the first game is in no block");
        let place = self.block(behind.checked_sub(1).ok_or_else(outside)?)?;
        if game - place.first_game >= place.games {
            return Err(view.damaged(kind::BLOCKS, "order of the blocks"));
        }
        Ok(place)
    }

    /// The columns of a game, by its number from 0.
    ///
    /// # Errors
    /// The index is damaged, or there is no such game.
    pub fn row(&self, game: u32) -> Result<Row, IndexError> {
        self.rows()?.row(game)
    }

    /// Reads the columns of several games.
    pub fn rows(&self) -> Result<RowReader<'_>, IndexError> {
        let view = self.view();
        let value = |&(column, table)| {
            let table = IndexTable::open(view, table)?;
            Ok((view.column(column)?, table.reader()))
        };
        let [columns @ .., _opening] = &VALUE_COLUMNS;
        let values = columns
            .iter()
            .map(value)
            .collect::<Result<_, IndexError>>()?;
        Ok(RowReader { view, values })
    }

    /// The integers of a column (a [`kind`] from DATE to FLAGS) for these games, in the order of
    /// `games`. They can be sorted instead of the values: positions in a table ascend as its values
    /// do.
    ///
    /// # Errors
    /// The index is damaged, there is no such column, or no such game.
    pub fn integers(&self, column: u32, games: &[u32]) -> Result<Vec<u32>, IndexError> {
        let mut out = Vec::new();
        self.view().column(column)?.gather(games, &mut out)?;
        Ok(out)
    }

    /// A section with an integer for each game.
    pub fn column(&self, column: u32) -> Result<IntegerColumn<'_>, IndexError> {
        self.view().column(column)
    }

    /// The lines, if the index has them.
    pub fn lines(&self) -> Result<Option<LineTable<'_>>, IndexError> {
        LineTable::open(self.view())
    }

    /// The distinct dates in ascending order, with the number of games of each.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn dates(&self) -> Result<Vec<(Date, u32)>, IndexError> {
        let counts = IndexTable::open(self.view(), kind::DATES)?.counted()?;
        Ok(self.date_list()?.into_iter().zip(counts).collect())
    }

    /// The distinct dates in ascending order.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn date_list(&self) -> Result<Vec<Date>, IndexError> {
        IndexTable::open(self.view(), kind::DATES)?.dates()
    }

    /// Whether it has the openings of the list of this build.
    pub fn has_openings(&self) -> bool {
        self.frame.about.openings == OPENING_LIST
    }

    /// The bytes of the index.
    pub fn data(&self) -> &[u8] {
        self.data.as_ref()
    }

    /// Tells which rounds are equal in the collating order.
    pub fn equal_rounds(&self) -> Result<EqualRounds, IndexError> {
        IndexTable::named(self.view(), NameField::Round)?.equal_rounds()
    }

    /// Reads the values of the table of dates.
    pub fn date_values(&self) -> Result<ValueReader<'_>, IndexError> {
        Ok(IndexTable::open(self.view(), kind::DATES)?.reader())
    }

    /// Reads the values of a table.
    pub fn values(&self, field: NameField) -> Result<ValueReader<'_>, IndexError> {
        Ok(IndexTable::named(self.view(), field)?.reader())
    }

    /// The value at a position of a table.
    ///
    /// # Errors
    /// The index is damaged, or there is no such value.
    pub fn value(&self, field: NameField, id: u32) -> Result<String, IndexError> {
        IndexTable::named(self.view(), field)?.value(id)
    }
}
