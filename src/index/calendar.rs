//! The distinct dates, and where their games stand in the collating order, which begins with the
//! date (spec/index.md section 5.1): what there is at some date is known without a look at any
//! game.

use std::io;
use std::ops::Range;

use hashbrown::HashMap;

use super::date::Date;
use super::dates::Fit;
use super::layout::{IndexError, kind};
use super::output::Output;
use super::reader::View;
use super::sort::{Sorted, Sorter};
use super::spill::{Part, Temp, damaged};

/// So many dates are counted in memory.
const COUNTED: usize = 1 << 16;

/// Dates that are read together.
const BATCH: u32 = 4096;

/// Writes the dates of all parts, and the ranks.
pub(super) fn put(output: &mut Output<'_>, parts: &[Part<'_>], temp: &Temp) -> io::Result<()> {
    let dates = counted(parts, temp)?;
    let mut largest = 0;
    each(&dates, |date, _| {
        largest = largest.max(date);
        Ok(())
    })?;
    output.integers(kind::DATES, largest)?;
    each(&dates, |date, _| output.integer(date))?;
    output.end_section()?;
    output.integers(
        kind::RANKS,
        parts.iter().map(|part| u64::from(part.games)).sum(),
    )?;
    let mut rank = 0;
    each(&dates, |_, games| {
        output.integer(rank)?;
        rank += games;
        Ok(())
    })?;
    output.integer(rank)?;
    output.end_section()
}

/// Dates with numbers of games, sorted; a date may come several times.
fn counted(parts: &[Part<'_>], temp: &Temp) -> io::Result<Sorted> {
    let mut sorter = Sorter::new(temp);
    let mut counts: HashMap<u32, u64> = HashMap::new();
    let mut let_go = |counts: &mut HashMap<u32, u64>| {
        // There are no more games than a u32 can number.
        counts.drain().try_for_each(|(date, games)| {
            sorter.push(
                Date::from_bits(date).digits(),
                &[],
                u64::from(date) << 32 | games,
            )
        })
    };
    for part in parts {
        let (section, mut cursor) = (
            part.section(kind::DATE)?,
            part.cursor(kind::DATE, temp.room(1))?,
        );
        for _ in 0..section.count {
            // A date has four bytes.
            let date =
                u32::try_from(cursor.integer(section.width)?).map_err(|_| damaged("a date"))?;
            *counts.entry(date).or_default() += 1;
            if counts.len() > COUNTED {
                let_go(&mut counts)?;
            }
        }
    }
    let_go(&mut counts)?;
    sorter.finish()
}

/// Calls `take` with each date and its games.
fn each(dates: &Sorted, mut take: impl FnMut(u64, u64) -> io::Result<()>) -> io::Result<()> {
    let mut reader = dates.read()?;
    let mut last: Option<(u64, u64)> = None;
    while let Some((_, _, number)) = reader.next()? {
        let (date, games) = (number >> 32, number & u64::from(u32::MAX));
        match &mut last {
            Some((before, sum)) if *before == date => *sum += games,
            _ => {
                if let Some((date, games)) = last.replace((date, games)) {
                    take(date, games)?;
                }
            }
        }
    }
    last.map_or(Ok(()), |(date, games)| take(date, games))
}

/// What the dates alone tell of a question about them.
#[derive(Debug, Default)]
pub(super) struct Dated {
    /// Places in the collating order: all games there have dates that are wanted.
    pub(super) ranks: Vec<Range<u32>>,
    /// Here some have: their dates have the same digits, but not the same of them are known.
    pub(super) mixed: Vec<Range<u32>>,
    /// Games whose dates could fit.
    pub(super) could: u64,
}

impl Dated {
    /// How many games these are at most.
    pub(super) fn games(&self) -> u64 {
        self.ranks
            .iter()
            .chain(&self.mixed)
            .map(|ranks| u64::from(ranks.end - ranks.start))
            .sum()
    }

    /// Where the games are whose dates fit `least` or better.
    pub(super) fn of(
        view: View<'_>,
        least: Fit,
        fit: impl Fn(Date) -> Fit,
    ) -> Result<Dated, IndexError> {
        let (dates, ranks) = (view.column(kind::DATES)?, view.column(kind::RANKS)?);
        let (count, mut batch, mut found) = (view.count(kind::DATES), Vec::new(), Dated::default());
        // The dates with the digits at hand: the first of them, whether some are wanted, and
        // whether all.
        let mut group: Option<(u32, u32, bool, bool)> = None;
        let rank = |at: u32| -> Result<u32, IndexError> {
            let rank = ranks.get32(at)?;
            if rank <= view.games() {
                Ok(rank)
            } else {
                Err(ranks.damaged("a rank behind all games"))
            }
        };
        for from in (0..count).step_by(BATCH as usize) {
            dates.range(from, count.min(from.saturating_add(BATCH)), &mut batch)?;
            for (at, &bits) in (from..).zip(&batch) {
                let date = Date::from_bits(bits);
                let fit = fit(date);
                if fit == Fit::Could {
                    found.could += u64::from(rank(at + 1)?.saturating_sub(rank(at)?));
                }
                let is_wanted = fit >= least;
                match &mut group {
                    Some((digits, _, some, all)) if *digits == date.digits() => {
                        *some |= is_wanted;
                        *all &= is_wanted;
                    }
                    _ => {
                        found.take(group, at, rank)?;
                        group = Some((date.digits(), at, is_wanted, is_wanted));
                    }
                }
            }
        }
        found.take(group, count, rank)?;
        Ok(found)
    }

    /// Takes a group of dates that ends before `end`.
    fn take(
        &mut self,
        group: Option<(u32, u32, bool, bool)>,
        end: u32,
        rank: impl Fn(u32) -> Result<u32, IndexError>,
    ) -> Result<(), IndexError> {
        let Some((_, from, true, all)) = group else {
            return Ok(());
        };
        let (from, to) = (rank(from)?, rank(end)?);
        if from >= to {
            return Ok(());
        }
        match self.ranks.last_mut().filter(|_| all) {
            Some(last) if last.end == from => last.end = to,
            _ if all => self.ranks.push(from..to),
            _ => self.mixed.push(from..to),
        }
        Ok(())
    }
}
