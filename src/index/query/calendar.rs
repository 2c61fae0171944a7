//! Answers questions about dates from the list of distinct dates (spec/index.md section 5.1): since
//! the collating order begins with the date, the games of a range of dates are a range of that
//! order.

use std::ops::Range;

use super::dates::Fit;
use crate::index::format::date::Date;
use crate::index::format::layout::{IndexError, kind};
use crate::index::read::view::View;

/// The number of dates read together.
const BATCH: u32 = 4096;

/// The answer that the list of dates gives.
#[derive(Debug, Default)]
pub(super) struct Dated {
    /// Ranges of the collating order in which all games have matching dates.
    pub(super) ranks: Vec<Range<u32>>,
    /// Ranges in which only some have: dates with the same digits, of which different ones are
    /// known.
    pub(super) mixed: Vec<Range<u32>>,
    /// Number of games whose dates could match.
    pub(super) could: u64,
}

impl Dated {
    /// The maximum number of games in these ranges.
    pub(super) fn games(&self) -> u64 {
        self.ranks
            .iter()
            .chain(&self.mixed)
            .map(|ranks| u64::from(ranks.end - ranks.start))
            .sum()
    }

    /// Finds the ranges of games whose dates fit at least as well as `least`.
    pub(super) fn of(
        view: View<'_>,
        least: Fit,
        fit: impl Fn(Date) -> Fit,
    ) -> Result<Dated, IndexError> {
        let (dates, ranks) = (view.column(kind::DATES)?, view.column(kind::RANKS)?);
        let (count, mut batch, mut found) = (view.count(kind::DATES), Vec::new(), Dated::default());
        // The current group of dates with the same digits: these digits, the position of the first
        // date, whether any match, whether all match.
        let mut group: Option<(u32, u32, bool, bool)> = None;
        let rank = |at: u32| -> Result<u32, IndexError> {
            let rank = ranks.get32(at)?;
            if rank <= view.games() {
                Ok(rank)
            } else {
                Err(ranks.damaged("a rank beyond the last game"))
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

    /// Adds a group of dates that ends before `end`.
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
