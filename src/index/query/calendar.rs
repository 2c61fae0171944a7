//! What the list of the distinct dates tells of a question (spec/index.md section 5.1): where in
//! the collating order, which begins with the date, the games stand that it wants.

use std::ops::Range;

use super::dates::Fit;
use crate::index::format::date::Date;
use crate::index::format::layout::{IndexError, kind};
use crate::index::read::view::View;

/// Dates that are read together.
const BATCH: u32 = 4096;

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
