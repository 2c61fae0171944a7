//! Answers questions about dates from the list of distinct dates (spec/index.md section 5.1): since
//! the collating order begins with the date, the games of a range of dates are a range of that
//! order.

use std::ops::Range;

use super::dates::{DateTest, Fit};
use crate::index::format::date::Date;
use crate::index::format::layout::{IndexError, kind};
use crate::index::read::view::View;

/// The number of dates read together.
const BATCH: u32 = 4096;

/// How well each date of the list fits a test.
pub(super) fn fits(view: View<'_>, test: &DateTest) -> Result<Vec<Fit>, IndexError> {
    let (dates, count) = (view.column(kind::DATES)?, view.count(kind::DATES));
    let (mut batch, mut fits) = (Vec::new(), Vec::with_capacity(count as usize));
    for from in (0..count).step_by(BATCH as usize) {
        dates.range(from, count.min(from.saturating_add(BATCH)), &mut batch)?;
        fits.extend(batch.iter().map(|&bits| test.fit(Date::from_bits(bits))));
    }
    Ok(fits)
}

/// The answer that the list of dates gives.
#[derive(Debug, Default)]
pub(super) struct Dated {
    /// Ranges of the collating order whose games have matching dates.
    pub(super) ranks: Vec<Range<u32>>,
    /// Number of games whose dates could match.
    pub(super) could: u64,
}

impl Dated {
    /// The number of games in these ranges.
    pub(super) fn games(&self) -> u64 {
        let games = |ranks: &Range<u32>| u64::from(ranks.end - ranks.start);
        self.ranks.iter().map(games).sum()
    }

    /// Finds the ranges of games whose dates fit at least as well as `least`; `fits` are those of
    /// the list of dates.
    pub(super) fn of(
        view: View<'_>,
        least: Fit,
        fits: impl Iterator<Item = Fit>,
    ) -> Result<Dated, IndexError> {
        let (ranks, mut found) = (view.column(kind::RANKS)?, Dated::default());
        for (at, fit) in (0..).zip(fits) {
            if fit < least && fit != Fit::Could {
                continue;
            }
            let (from, to) = (ranks.get32(at)?, ranks.get32(at + 1)?);
            if from > to || to > view.games() {
                return Err(ranks.damaged("order of the ranks"));
            }
            if fit == Fit::Could {
                found.could += u64::from(to - from);
            }
            match found.ranks.last_mut() {
                _ if fit < least => {}
                Some(last) if last.end == from => last.end = to,
                _ => found.ranks.push(from..to),
            }
        }
        Ok(found)
    }
}
