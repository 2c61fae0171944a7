//! Answers questions about dates from the table of distinct dates (spec/index.md section 3.1).

use super::dates::{DateTest, Fit};
use super::eval::Ids;
use crate::format::layout::IndexError;
use crate::read::table::IndexTable;
use crate::read::view::View;

/// How well each date of the table fits a test.
pub(super) fn fits(view: View<'_>, test: &DateTest) -> Result<Vec<Fit>, IndexError> {
    let dates = IndexTable::of_dates(view)?.dates()?;
    Ok(dates.into_iter().map(|date| test.fit(date)).collect())
}

/// The dates that fit well enough, and the number of their games.
pub(super) fn dated(
    view: View<'_>,
    fits: &[Fit],
    is_enough: impl Fn(Fit) -> bool,
) -> Result<Ids, IndexError> {
    let table = IndexTable::of_dates(view)?;
    let places = (0..table.len())
        .zip(fits)
        .filter(|(_, fit)| is_enough(**fit));
    let list: Vec<u32> = places.map(|(place, _)| place).collect();
    let games = table.counts(&list)?.into_iter().map(u64::from).sum();
    Ok(Ids {
        games,
        ..Ids::of(table.len(), list)
    })
}
