//! Lists the values of a table, all of them or those that match a pattern or nearly do.

use std::fmt;

use super::matching;
use super::pattern::NamePattern;
use crate::index::format::fold::{fold, words};
use crate::index::format::layout::IndexError;
use crate::index::read::reader::Index;
use crate::index::read::table::{IndexTable, NameField};

/// Words with more characters than this are compared by their beginnings only.
const LONGEST: usize = 32;
/// So many values at most come into question as near ones: what was further off makes room.
const CANDIDATES: usize = 1024;

/// A value of a table, and how often it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedValue<'a> {
    /// Its place in the table.
    pub id: u32,
    /// The value.
    pub value: &'a str,
    /// Games that it is in.
    pub games: u32,
}

/// The values that a test of names found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchedNames {
    /// Where: see [`Index::value`].
    pub field: NameField,
    /// What was asked for, as it was given.
    pub pattern: String,
    /// Places in the table, ascending, and in how many games each value is.
    pub values: Vec<(u32, u32)>,
}

/// Values of a table, in the order of the table. Each is fetched from the index when its turn
/// comes: there may be millions.
#[derive(Clone)]
pub struct NamedValues<'a> {
    /// `None`: sites that are left out.
    table: Option<IndexTable<'a>>,
    ids: ListedValues,
    /// The games of each value of the table, where the table does not tell.
    counts: Option<Vec<u32>>,
}

#[derive(Clone)]
enum ListedValues {
    /// So many, from the first.
    First(u32),
    These(Vec<u32>),
}

impl fmt::Debug for NamedValues<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a> NamedValues<'a> {
    fn new(table: IndexTable<'a>, ids: ListedValues) -> Result<NamedValues<'a>, IndexError> {
        let counts = if table.field == NameField::Round {
            Some(table.round_counts()?)
        } else {
            None
        };
        Ok(NamedValues {
            table: Some(table),
            ids,
            counts,
        })
    }

    /// The values. An error is that of this value; the others may be sound.
    pub fn iter(&self) -> impl Iterator<Item = Result<NamedValue<'a>, IndexError>> + '_ {
        let count = match &self.ids {
            ListedValues::First(count) => *count as usize,
            ListedValues::These(ids) => ids.len(),
        };
        self.table
            .iter()
            .flat_map(move |table| (0..count).map(move |at| self.get(table, at)))
    }

    fn get(&self, table: &IndexTable<'a>, at: usize) -> Result<NamedValue<'a>, IndexError> {
        let id = match &self.ids {
            ListedValues::First(_) => u32::try_from(at).unwrap_or(u32::MAX),
            ListedValues::These(ids) => ids[at],
        };
        let games = match &self.counts {
            Some(counts) => counts.get(id as usize).copied().unwrap_or(0),
            None => table.count(id)?,
        };
        Ok(NamedValue {
            id,
            value: table.value(id)?,
            games,
        })
    }
}

impl<D: AsRef<[u8]>> Index<D> {
    /// The values of a table, of those that match if there is a pattern. Of sites, none where they
    /// are left out.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn names(
        &self,
        field: NameField,
        pattern: Option<&NamePattern>,
    ) -> Result<NamedValues<'_>, IndexError> {
        if field == NameField::Site && !self.has_sites() {
            return Ok(NamedValues {
                table: None,
                ids: ListedValues::First(0),
                counts: None,
            });
        }
        let table = IndexTable::of(self.view(), field)?;
        let ids = match pattern {
            Some(pattern) => ListedValues::These(matching::names(&table, pattern)?),
            None => ListedValues::First(table.len()),
        };
        NamedValues::new(table, ids)
    }

    /// At most `most` values of a table that are spelled nearly like `text`: each of its words is
    /// one of theirs but for a few letters. The nearest come first, and of equally near ones those
    /// with more games.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn near_names(
        &self,
        field: NameField,
        text: &str,
        most: usize,
    ) -> Result<Vec<NamedValue<'_>>, IndexError> {
        if field == NameField::Site && !self.has_sites() {
            return Ok(Vec::new());
        }
        near(&IndexTable::of(self.view(), field)?, text, most)
    }
}

/// The values that are spelled nearly like `text`.
fn near<'a>(
    table: &IndexTable<'a>,
    text: &str,
    most: usize,
) -> Result<Vec<NamedValue<'a>>, IndexError> {
    let mut folded = String::new();
    fold(&text.replace(['*', '='], " "), &mut folded);
    let given: Vec<Vec<char>> = words(&folded)
        .map(|word| word.chars().take(LONGEST).collect())
        .collect();
    if given.is_empty() || most == 0 {
        return Ok(Vec::new());
    }
    let mut near: Vec<(usize, u32)> = Vec::new();
    let mut word = Vec::new();
    for id in 0..table.len() {
        fold(table.value(id)?, &mut folded);
        let far = given.iter().try_fold(0, |sum, given| {
            let limit = limit(given.len());
            let least = words(&folded)
                .filter(|word| word.len() <= 4 * (given.len() + limit))
                .filter_map(|other| {
                    word.clear();
                    word.extend(other.chars().take(LONGEST));
                    distance(given, &word, limit)
                })
                .min();
            least.map(|least| sum + least)
        });
        if let Some(far) = far {
            near.push((far, id));
            if near.len() == 2 * CANDIDATES {
                near.sort_unstable();
                near.truncate(CANDIDATES);
            }
        }
    }
    near.sort_unstable();
    near.truncate(CANDIDATES);
    let ids: Vec<u32> = near.iter().map(|&(_, id)| id).collect();
    let counts = table.counts(&ids)?;
    let mut near: Vec<_> = near
        .into_iter()
        .zip(counts)
        .map(|((far, id), games)| (far, u32::MAX - games, id))
        .collect();
    near.sort_unstable();
    near.truncate(most);
    near.into_iter()
        .map(|(_, less, id)| {
            Ok(NamedValue {
                id,
                value: table.value(id)?,
                games: u32::MAX - less,
            })
        })
        .collect()
}

/// So many letters of a word may be wrong.
fn limit(letters: usize) -> usize {
    match letters {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    }
}

/// How many letters one has to put in, leave out, change or exchange with their neighbours to make
/// one word the other, if that is at most `limit`.
fn distance(a: &[char], b: &[char], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut rows = [[0_usize; LONGEST + 1]; 3];
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        let [before_last, last, now] = &mut rows;
        if i > 1 {
            before_last.copy_from_slice(last);
            last.copy_from_slice(now);
        } else {
            last.copy_from_slice(before_last);
        }
        now[0] = i;
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (last[j] + 1).min(now[j - 1] + 1).min(last[j - 1] + same);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before_last[j - 2] + 1);
            }
            now[j] = least;
        }
        if now[..=b.len()].iter().all(|&cell| cell > limit) {
            return None;
        }
    }
    let far = rows[if a.is_empty() { 0 } else { 2 }][b.len()];
    (far <= limit).then_some(far)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let far = |a: &str, b: &str, limit| {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            assert_eq!(distance(&a, &b, limit), distance(&b, &a, limit));
            distance(&a, &b, limit)
        };
        assert_eq!(far("carlsen", "carlsen", 2), Some(0));
        assert_eq!(far("carlsen", "karlsen", 2), Some(1));
        assert_eq!(far("carlsen", "carlson", 2), Some(1));
        assert_eq!(far("carlsen", "carslen", 2), Some(1));
        assert_eq!(far("carlsen", "carlse", 2), Some(1));
        assert_eq!(far("carlsen", "larsen", 2), Some(2));
        assert_eq!(far("carlsen", "larsen", 1), None);
        assert_eq!(far("carlsen", "kramnik", 2), None);
        assert_eq!(far("", "ab", 2), Some(2));
        assert_eq!(far("", "", 0), Some(0));
    }
}
