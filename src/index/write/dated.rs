//! Merges the lists of dates of the parts, with the ranges of their games in the collating order,
//! which begins with the date (spec/index.md section 5.1). With them a query by date alone needs no
//! column.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::io::{self, Write};

use super::output::{IndexOutput, Sections};
use super::places::{MergedPlaces, PlacesWriter};
use super::sort::{Least, Sequence};
use super::spill::{Cursor, IndexPart, Stored, Temp, damaged};
use crate::index::format::date::Date;
use crate::index::format::layout::kind;

/// The merged dates of the index.
#[derive(Debug)]
pub(super) struct MergedDates {
    /// The number of dates, and the largest, as a number.
    pub(super) count: u64,
    largest: u32,
    /// Each date, and its number of games.
    dates: Stored,
    pub(super) places: MergedPlaces,
}

/// Reads the dates of a part.
struct DateCursor<'p> {
    part: usize,
    /// The number of dates behind the current one.
    left: u64,
    place: u32,
    date: Date,
    games: u32,
    rank: u64,
    dates: (Cursor<'p>, u8),
    ranks: (Cursor<'p>, u8),
}

/// The order of dates in the list.
fn compare(a: Date, b: Date) -> Ordering {
    (a.digits(), a.bits()).cmp(&(b.digits(), b.bits()))
}

impl<'p> DateCursor<'p> {
    /// Starts at the first date of the part at `number`; `None` if it has none.
    fn new(
        parts: &'p [IndexPart<'p>],
        number: usize,
        room: usize,
    ) -> io::Result<Option<DateCursor<'p>>> {
        let cursor = |kind| {
            Ok::<_, io::Error>((
                parts[number].cursor(kind, room)?,
                parts[number].section(kind)?.width,
            ))
        };
        let mut dates = DateCursor {
            part: number,
            left: parts[number].section(kind::DATES)?.count,
            place: u32::MAX,
            date: Date::default(),
            games: 0,
            rank: 0,
            dates: cursor(kind::DATES)?,
            ranks: cursor(kind::RANKS)?,
        };
        let (ranks, width) = &mut dates.ranks;
        dates.rank = ranks.integer(*width)?;
        Ok(dates.advance()?.then_some(dates))
    }

    fn advance(&mut self) -> io::Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        self.place = self.place.wrapping_add(1);
        let (dates, width) = &mut self.dates;
        let bits = u32::try_from(dates.integer(*width)?).map_err(|_| damaged("a date"))?;
        let before = std::mem::replace(&mut self.date, Date::from_bits(bits));
        if self.place > 0 && compare(before, self.date).is_ge() {
            return Err(damaged("order of the dates"));
        }
        let (ranks, width) = &mut self.ranks;
        let rank = ranks.integer(*width)?;
        let games = rank.checked_sub(self.rank);
        self.games = games
            .and_then(|games| u32::try_from(games).ok())
            .ok_or_else(|| damaged("order of the ranks"))?;
        self.rank = rank;
        Ok(true)
    }
}

impl Sequence for DateCursor<'_> {
    fn compare(&self, other: &Self) -> Ordering {
        compare(self.date, other.date).then(self.part.cmp(&other.part))
    }
}

impl MergedDates {
    pub(super) fn join(parts: &[IndexPart<'_>], temp: &Temp) -> io::Result<MergedDates> {
        let counts = parts
            .iter()
            .map(|part| Ok(part.section(kind::DATES)?.count));
        let counts: Vec<u64> = counts.collect::<io::Result<_>>()?;
        let room = temp.room(2 * parts.len());
        let mut heap = BinaryHeap::with_capacity(parts.len());
        for number in 0..parts.len() {
            heap.extend(DateCursor::new(parts, number, room)?.map(Least));
        }
        let (mut places, mut spool) = (PlacesWriter::new(&counts, temp)?, temp.spool());
        let (mut count, mut largest) = (0, 0);
        while let Some(first) = heap.peek() {
            let (date, mut games) = (first.0.date, 0_u64);
            let place = u32::try_from(count).map_err(|_| damaged("number of dates"))?;
            while heap.peek().is_some_and(|next| next.0.date == date)
                && let Some(mut least) = heap.pop()
            {
                games += u64::from(least.0.games);
                places.put(least.0.part, least.0.place, place)?;
                if least.0.advance()? {
                    heap.push(least);
                }
            }
            spool.write_all(&date.bits().to_le_bytes())?;
            spool.varint(games)?;
            (count, largest) = (count + 1, largest.max(date.bits()));
        }
        Ok(MergedDates {
            count,
            largest,
            dates: spool.finish()?,
            places: places.finish()?,
        })
    }

    /// Writes the dates and their ranks.
    pub(super) fn put(&self, out: &mut IndexOutput<'_>, games: u32, temp: &Temp) -> io::Result<()> {
        let dates = || {
            let mut cursor = self.dates.cursor(temp.room(8))?;
            Ok::<_, io::Error>(
                (0..self.count)
                    .map(move |_| Ok::<_, io::Error>((cursor.integer(32)?, cursor.varint()?))),
            )
        };
        out.integers(kind::DATES, self.largest.into())?;
        for date in dates()? {
            out.integer(date?.0)?;
        }
        out.end_section()?;
        put_ranks(out, dates()?.map(|date| date.map(|date| date.1)), games)
    }
}

/// Writes the ranks of dates with these numbers of games.
pub(super) fn put_ranks<W: Write>(
    out: &mut Sections<W>,
    counts: impl Iterator<Item = io::Result<u64>>,
    games: u32,
) -> io::Result<()> {
    out.integers(kind::RANKS, games.into())?;
    let mut rank = 0;
    out.integer(rank)?;
    for count in counts {
        rank += count?;
        out.integer(rank)?;
    }
    out.end_section()
}
