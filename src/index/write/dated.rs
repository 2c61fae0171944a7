//! Writes the distinct dates and the ranges of their games in the collating order, which begins
//! with the date (spec/index.md section 5.1). With them a query by date alone needs no column.

use std::io;

use hashbrown::HashMap;

use super::output::Output;
use super::sort::{Sorted, Sorter};
use super::spill::{IndexPart, Temp, damaged};
use crate::index::format::date::Date;
use crate::index::format::layout::kind;

/// Maximum number of dates counted in memory.
const COUNTED: usize = 1 << 16;

/// Writes the dates of all parts, and the ranks.
pub(super) fn put(output: &mut Output<'_>, parts: &[IndexPart<'_>], temp: &Temp) -> io::Result<()> {
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

/// Counts the games of each date; the sorted result may list a date several times.
fn counted(parts: &[IndexPart<'_>], temp: &Temp) -> io::Result<Sorted> {
    let mut sorter = Sorter::new(temp);
    let mut counts: HashMap<u32, u64> = HashMap::new();
    let mut let_go = |counts: &mut HashMap<u32, u64>| {
        // The number of games is a u32.
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

/// Calls `take` with each date and its number of games.
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
