//! Finds the values of a table that match a pattern: with the table's sorted words if it has them,
//! else by testing each value.

use super::pattern::NamePattern;
use super::word::WordPattern;
use crate::format::layout::{IndexError, has_words};
use crate::read::table::IndexTable;
use crate::read::view::{IntegerColumn, partition};

/// The range of sorted words that begin as the pattern requires.
fn span(
    table: &IndexTable<'_>,
    column: &IntegerColumn<'_>,
    pattern: &WordPattern,
) -> Result<(u64, u64), IndexError> {
    let beginning = pattern.beginning();
    let whole = matches!(pattern, WordPattern::Whole(_));
    let mut folded = String::new();
    let from = partition(column.count(), |at: u64| {
        table.with_word(column, at, &mut folded, |word| word < beginning)
    })?;
    let begins = |word: &str| word == beginning || !whole && word.starts_with(beginning);
    let count = partition(column.count() - from, |at: u64| {
        table.with_word(column, from + at, &mut folded, begins)
    })?;
    Ok((from, from + count))
}

/// The values that match a pattern, in ascending order.
pub(super) struct Matching {
    /// By their words as they are spelled.
    pub(super) as_spelled: Vec<u32>,
    /// Otherwise: with initials, in another spelling, as an alias.
    pub(super) otherwise: Vec<u32>,
}

impl Matching {
    /// All of them.
    pub(super) fn all(mut self) -> Vec<u32> {
        self.as_spelled.append(&mut self.otherwise);
        self.as_spelled.sort_unstable();
        self.as_spelled
    }
}

pub(super) fn names(table: &IndexTable<'_>, pattern: &NamePattern) -> Result<Matching, IndexError> {
    let as_spelled = names_as_spelled(table, pattern)?;
    let mut otherwise = Vec::new();
    if pattern.is_person() {
        let (mut known, mut folded) = (as_spelled.iter().copied().peekable(), String::new());
        let others = (0..table.len()).filter(|id| known.next_if_eq(id).is_none());
        otherwise = table.passing(others, |value| {
            pattern.matches_otherwise(value, &mut folded)
        })?;
    }
    Ok(Matching {
        as_spelled,
        otherwise,
    })
}

fn names_as_spelled(table: &IndexTable<'_>, pattern: &NamePattern) -> Result<Vec<u32>, IndexError> {
    let mut folded = String::new();
    let matches = |value: &str| pattern.matches_as_spelled(value, &mut folded);
    if !has_words(table.kind) {
        return table.passing(0..table.len(), matches);
    }
    if let Some(value) = pattern.exact() {
        let mut values = table.reader();
        let id = partition(table.len(), |id: u32| Ok(values.value(id)? < value))?;
        let is_there = id < table.len() && values.value(id)? == value;
        return Ok(Vec::from_iter(is_there.then_some(id)));
    }
    let column = table.words()?;
    let with_beginning = |word: &&WordPattern| !word.beginning().is_empty();
    let words = pattern.words().iter().filter(with_beginning);
    let spans = words.map(|word| span(table, &column, word));
    let spans = spans.collect::<Result<Vec<_>, _>>()?;
    match spans.into_iter().min_by_key(|(from, to)| to - from) {
        Some((from, to)) if to - from <= u64::from(table.len()) => {
            let ids = (from..to).map(|at| Ok(table.word(&column, at)?.0));
            let mut ids = ids.collect::<Result<Vec<_>, IndexError>>()?;
            ids.sort_unstable();
            ids.dedup();
            table.passing(ids, matches)
        }
        _ => table.passing(0..table.len(), matches),
    }
}
