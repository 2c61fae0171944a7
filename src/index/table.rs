//! The tables of an index: values, the games that they are in, and the words that they are found by
//! (spec/index.md section 4).

use std::fmt;

use super::fold::{NamePattern, RoundPattern, WordPattern, fold, words};
use super::layout::{IndexError, MAX_VALUE, Section, WORDS_OF_A_VALUE, kind, take_varint};
use super::reader::{Column, Index, View, partition};

/// A table of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of the tags")]
pub enum NameField {
    Event,
    Site,
    Round,
    /// White and Black.
    Player,
}

impl NameField {
    pub(super) const fn table(self) -> u32 {
        match self {
            NameField::Event => kind::EVENTS,
            NameField::Site => kind::SITES,
            NameField::Round => kind::ROUNDS,
            NameField::Player => kind::PLAYERS,
        }
    }
}

/// A value of a table, and how often it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named<'a> {
    /// Its place in the table.
    pub id: u32,
    /// The value.
    pub value: &'a str,
    /// Games that it is in.
    pub games: u32,
}

/// Values of a table, in the order of the table. Each is fetched from the index when its turn
/// comes: there may be millions.
#[derive(Clone)]
pub struct Names<'a> {
    /// `None`: sites that are left out.
    table: Option<Table<'a>>,
    ids: Ids,
    /// The games of each value of the table, where the table does not tell.
    counts: Option<Vec<u32>>,
}

#[derive(Clone)]
enum Ids {
    /// So many, from the first.
    First(u32),
    These(Vec<u32>),
}

impl fmt::Debug for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a> Names<'a> {
    fn new(table: Table<'a>, ids: Ids) -> Result<Names<'a>, IndexError> {
        let counts = if table.field == NameField::Round {
            Some(table.round_counts()?)
        } else {
            None
        };
        Ok(Names {
            table: Some(table),
            ids,
            counts,
        })
    }

    /// The values. An error is that of this value; the others may be sound.
    pub fn iter(&self) -> impl Iterator<Item = Result<Named<'a>, IndexError>> + '_ {
        let count = match &self.ids {
            Ids::First(count) => *count as usize,
            Ids::These(ids) => ids.len(),
        };
        self.table
            .iter()
            .flat_map(move |table| (0..count).map(move |at| self.get(table, at)))
    }

    fn get(&self, table: &Table<'a>, at: usize) -> Result<Named<'a>, IndexError> {
        let id = match &self.ids {
            Ids::First(_) => u32::try_from(at).unwrap_or(u32::MAX),
            Ids::These(ids) => ids[at],
        };
        let games = match &self.counts {
            Some(counts) => counts.get(id as usize).copied().unwrap_or(0),
            None => table.count(id)?,
        };
        Ok(Named {
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
    ) -> Result<Names<'_>, IndexError> {
        if field == NameField::Site && !self.has_sites() {
            return Ok(Names {
                table: None,
                ids: Ids::First(0),
                counts: None,
            });
        }
        let table = self.view().table(field)?;
        let ids = match pattern {
            Some(pattern) => Ids::These(table.matching(pattern)?),
            None => Ids::First(table.len()),
        };
        Names::new(table, ids)
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
    ) -> Result<Vec<Named<'_>>, IndexError> {
        if field == NameField::Site && !self.has_sites() {
            return Ok(Vec::new());
        }
        self.view().table(field)?.near(text, most)
    }
}

/// Words with more characters than this are compared by their beginnings only.
const LONGEST: usize = 32;
/// So many values at most come into question as near ones: what was further off makes room.
const CANDIDATES: usize = 1024;

/// A table of an index.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    view: View<'a>,
    field: NameField,
    offsets: Column<'a>,
    values: Section,
}

impl<'a> Table<'a> {
    pub(super) fn of(view: View<'a>, field: NameField) -> Result<Table<'a>, IndexError> {
        let offsets = view.column(field.table() + kind::OFFSETS)?;
        let values = view.section(field.table() + kind::VALUES)?;
        if offsets.count() == 0 || offsets.count() - 1 > u64::from(u32::MAX) {
            return Err(offsets.damaged("number of values"));
        }
        Ok(Table {
            view,
            field,
            offsets,
            values,
        })
    }

    /// How many values there are.
    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.offsets.count() - 1).unwrap_or(u32::MAX)
    }

    pub(super) fn value(&self, id: u32) -> Result<&'a str, IndexError> {
        let (from, to) = (
            self.offsets.get(u64::from(id))?,
            self.offsets.get(u64::from(id) + 1)?,
        );
        let bytes = self.view.bytes(&self.values, from, to)?;
        let text = std::str::from_utf8(bytes)
            .ok()
            .filter(|text| text.len() <= MAX_VALUE);
        text.ok_or_else(|| IndexError::damaged(self.values.offset, "a value"))
    }

    pub(super) fn words(&self) -> Result<Column<'a>, IndexError> {
        self.view.column(self.field.table() + kind::WORDS)
    }

    fn postings_section(&self) -> Result<Section, IndexError> {
        self.view.section(self.field.table() + kind::POSTINGS)
    }

    /// The postings of a value, as they stand in the index, without their number, and that.
    fn postings(&self, id: u32) -> Result<(&'a [u8], u32), IndexError> {
        let offsets = self
            .view
            .column(self.field.table() + kind::POSTING_OFFSETS)?;
        let (from, to) = (offsets.get(u64::from(id))?, offsets.get(u64::from(id) + 1)?);
        let section = self.postings_section()?;
        let mut bytes = self.view.bytes(&section, from, to)?;
        let count = take_varint(&mut bytes).filter(|&count| count <= u64::from(self.view.games()));
        // Each takes a byte at least.
        let count = count
            .filter(|&count| count <= bytes.len() as u64)
            .and_then(|count| u32::try_from(count).ok());
        Ok((
            bytes,
            count.ok_or_else(|| IndexError::damaged(section.offset, "number of postings"))?,
        ))
    }

    /// In how many games a value is; only the beginning of its postings is looked at.
    pub(super) fn count(&self, id: u32) -> Result<u32, IndexError> {
        let offsets = self
            .view
            .column(self.field.table() + kind::POSTING_OFFSETS)?;
        let (from, to) = (offsets.get(u64::from(id))?, offsets.get(u64::from(id) + 1)?);
        let section = self.postings_section()?;
        let mut bytes = self
            .view
            .bytes(&section, from, to.min(from.saturating_add(5)))?;
        let count = take_varint(&mut bytes).filter(|&count| count <= u64::from(self.view.games()));
        let count = count.and_then(|count| u32::try_from(count).ok());
        count.ok_or_else(|| IndexError::damaged(section.offset, "number of postings"))
    }

    /// In how many games each of these values is.
    pub(super) fn counts(&self, ids: &[u32]) -> Result<Vec<u32>, IndexError> {
        if self.field != NameField::Round {
            return ids.iter().map(|&id| self.count(id)).collect();
        }
        let counts = self.round_counts()?;
        Ok(ids
            .iter()
            .map(|&id| counts.get(id as usize).copied().unwrap_or(0))
            .collect())
    }

    /// In how many games each round is. There are no postings of rounds, so the column is read.
    fn round_counts(&self) -> Result<Vec<u32>, IndexError> {
        let column = self.view.column(kind::ROUND)?;
        let mut counts = vec![0_u32; usize::try_from(self.len()).unwrap_or(0)];
        let mut batch = Vec::new();
        for from in (0..self.view.games()).step_by(4096) {
            column.range(
                from,
                self.view.games().min(from.saturating_add(4096)),
                &mut batch,
            )?;
            for &id in &batch {
                let count = usize::try_from(id).ok().and_then(|id| counts.get_mut(id));
                *count.ok_or_else(|| column.damaged("a value that there is not"))? += 1;
            }
        }
        Ok(counts)
    }

    /// Calls `each` with the games that a value is in, in ascending order.
    pub(super) fn each_game(&self, id: u32, mut each: impl FnMut(u32)) -> Result<(), IndexError> {
        let (mut bytes, count) = self.postings(id)?;
        let games = u64::from(self.view.games());
        let mut next = 0_u64;
        let mut all = || {
            for _ in 0..count {
                let further = match bytes.split_first() {
                    Some((&byte, rest)) if byte < 0x80 => {
                        bytes = rest;
                        u64::from(byte)
                    }
                    _ => take_varint(&mut bytes)?,
                };
                let game = next.checked_add(further).filter(|&game| game < games)?;
                each(u32::try_from(game).ok()?);
                next = game + 1;
            }
            bytes.is_empty().then_some(())
        };
        all().ok_or_else(|| {
            self.view
                .damaged(self.field.table() + kind::POSTINGS, "postings")
        })
    }

    /// Value and number in it of the word at this place among the words.
    pub(super) fn word(&self, words: &Column<'_>, at: u64) -> Result<(u32, u64), IndexError> {
        let word = words.get(at)?;
        let id = u32::try_from(word / WORDS_OF_A_VALUE)
            .ok()
            .filter(|&id| id < self.len());
        Ok((
            id.ok_or_else(|| words.damaged("a value that there is not"))?,
            word % WORDS_OF_A_VALUE,
        ))
    }

    /// Calls `of` with the folded word at this place.
    pub(super) fn with_word<T>(
        &self,
        column: &Column<'_>,
        at: u64,
        folded: &mut String,
        of: impl FnOnce(&str) -> T,
    ) -> Result<T, IndexError> {
        let (id, number) = self.word(column, at)?;
        fold(self.value(id)?, folded);
        let word = usize::try_from(number)
            .ok()
            .and_then(|number| words(folded).nth(number));
        word.map(of)
            .ok_or_else(|| column.damaged("a word that there is not"))
    }

    /// Which of the words, which are sorted, match in their beginning.
    fn span(&self, column: &Column<'_>, pattern: &WordPattern) -> Result<(u64, u64), IndexError> {
        let beginning = pattern.beginning();
        let whole = matches!(pattern, WordPattern::Whole(_));
        let mut folded = String::new();
        let from = partition(column.count(), |at: u64| {
            self.with_word(column, at, &mut folded, |word| word < beginning)
        })?;
        let to = from
            + partition(column.count() - from, |at: u64| {
                self.with_word(column, from + at, &mut folded, |word| {
                    if whole {
                        word <= beginning
                    } else {
                        word < beginning || word.starts_with(beginning)
                    }
                })
            })?;
        Ok((from, to))
    }

    /// The values that match, in ascending order.
    pub(super) fn matching(&self, pattern: &NamePattern) -> Result<Vec<u32>, IndexError> {
        if self.field == NameField::Round {
            // There are no words of rounds.
            return self.scan(|value, folded| pattern.matches_in(value, folded));
        }
        if let Some(value) = pattern.exact() {
            let id = partition(self.len(), |id: u32| Ok(self.value(id)? < value))?;
            let is_there = id < self.len() && self.value(id)? == value;
            return Ok(if is_there { vec![id] } else { Vec::new() });
        }
        let column = self.words()?;
        let mut best: Option<(u64, u64)> = None;
        for word in pattern
            .words()
            .iter()
            .filter(|word| !word.beginning().is_empty())
        {
            let (from, to) = self.span(&column, word)?;
            if best.is_none_or(|(a, b)| to - from < b - a) {
                best = Some((from, to));
            }
        }
        match best {
            Some((from, to)) if to - from <= u64::from(self.len()) => {
                let mut ids = Vec::new();
                for at in from..to {
                    ids.push(self.word(&column, at)?.0);
                }
                ids.sort_unstable();
                ids.dedup();
                self.retain(ids, pattern)
            }
            _ => self.scan(|value, folded| pattern.matches_in(value, folded)),
        }
    }

    fn retain(&self, ids: Vec<u32>, pattern: &NamePattern) -> Result<Vec<u32>, IndexError> {
        if let [WordPattern::Whole(_) | WordPattern::Begin(_)] = pattern.words() {
            // They were found by this word.
            return Ok(ids);
        }
        let (mut found, mut folded) = (Vec::new(), String::new());
        for id in ids {
            if pattern.matches_in(self.value(id)?, &mut folded) {
                found.push(id);
            }
        }
        Ok(found)
    }

    pub(super) fn matching_rounds(&self, pattern: &RoundPattern) -> Result<Vec<u32>, IndexError> {
        self.scan(|value, _| pattern.matches(value))
    }

    fn scan(
        &self,
        mut matches: impl FnMut(&str, &mut String) -> bool,
    ) -> Result<Vec<u32>, IndexError> {
        let (mut ids, mut folded) = (Vec::new(), String::new());
        for id in 0..self.len() {
            if matches(self.value(id)?, &mut folded) {
                ids.push(id);
            }
        }
        Ok(ids)
    }

    fn near(&self, text: &str, most: usize) -> Result<Vec<Named<'a>>, IndexError> {
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
        for id in 0..self.len() {
            fold(self.value(id)?, &mut folded);
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
        let counts = self.counts(&ids)?;
        let mut near: Vec<_> = near
            .into_iter()
            .zip(counts)
            .map(|((far, id), games)| (far, u32::MAX - games, id))
            .collect();
        near.sort_unstable();
        near.truncate(most);
        near.into_iter()
            .map(|(_, less, id)| {
                Ok(Named {
                    id,
                    value: self.value(id)?,
                    games: u32::MAX - less,
                })
            })
            .collect()
    }
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
