//! Finds the values of a table that match a pattern: with the table's sorted words if it has them,
//! else by testing each value.

use super::pattern::{NamePattern, RoundPattern};
use super::word::WordPattern;
use crate::format::layout::IndexError;
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
    let to = from
        + partition(column.count() - from, |at: u64| {
            table.with_word(column, from + at, &mut folded, |word| {
                if whole {
                    word <= beginning
                } else {
                    word < beginning || word.starts_with(beginning)
                }
            })
        })?;
    Ok((from, to))
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
        let mut known = as_spelled.iter().copied().peekable();
        let (mut folded, mut values) = (String::new(), table.reader());
        for id in 0..table.len() {
            let value = values.value(id)?;
            if known.next_if_eq(&id).is_none() && pattern.matches_otherwise(value, &mut folded) {
                otherwise.push(id);
            }
        }
    }
    Ok(Matching {
        as_spelled,
        otherwise,
    })
}

fn names_as_spelled(table: &IndexTable<'_>, pattern: &NamePattern) -> Result<Vec<u32>, IndexError> {
    if !table.has_words() {
        return scan(table, |value, folded| {
            pattern.matches_as_spelled(value, folded)
        });
    }
    if let Some(value) = pattern.exact() {
        let mut values = table.reader();
        let id = partition(table.len(), |id: u32| Ok(values.value(id)? < value))?;
        let is_there = id < table.len() && values.value(id)? == value;
        return Ok(if is_there { vec![id] } else { Vec::new() });
    }
    let column = table.words()?;
    let mut best: Option<(u64, u64)> = None;
    for word in pattern
        .words()
        .iter()
        .filter(|word| !word.beginning().is_empty())
    {
        let (from, to) = span(table, &column, word)?;
        if best.is_none_or(|(a, b)| to - from < b - a) {
            best = Some((from, to));
        }
    }
    match best {
        Some((from, to)) if to - from <= u64::from(table.len()) => {
            let mut ids = Vec::new();
            for at in from..to {
                ids.push(table.word(&column, at)?.0);
            }
            ids.sort_unstable();
            ids.dedup();
            retain(table, ids, pattern)
        }
        _ => scan(table, |value, folded| {
            pattern.matches_as_spelled(value, folded)
        }),
    }
}

fn retain(
    table: &IndexTable<'_>,
    ids: Vec<u32>,
    pattern: &NamePattern,
) -> Result<Vec<u32>, IndexError> {
    let (mut found, mut folded, mut values) = (Vec::new(), String::new(), table.reader());
    for id in ids {
        if pattern.matches_as_spelled(values.value(id)?, &mut folded) {
            found.push(id);
        }
    }
    Ok(found)
}

pub(super) fn rounds(
    table: &IndexTable<'_>,
    pattern: &RoundPattern,
) -> Result<Vec<u32>, IndexError> {
    scan(table, |value, _| pattern.matches(value))
}

fn scan(
    table: &IndexTable<'_>,
    mut matches: impl FnMut(&str, &mut String) -> bool,
) -> Result<Vec<u32>, IndexError> {
    let (mut ids, mut folded, mut values) = (Vec::new(), String::new(), table.reader());
    for id in 0..table.len() {
        if matches(values.value(id)?, &mut folded) {
            ids.push(id);
        }
    }
    Ok(ids)
}
