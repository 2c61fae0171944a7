//! Reads the tables of an index: values, the games of each, and the words that find them
//! (spec/index.md section 4).

use std::sync::Arc;

use super::view::{IntegerColumn, View};
use crate::format::date::Date;
use crate::format::fold::{fold, words};
use crate::format::layout::{GROUP, IndexError, Section, VALUE_COLUMNS, has_postings, kind};
use crate::format::names::take_name;
use crate::format::postings::PostingsGroup;
use crate::format::round::EqualRounds;

/// A table of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of the tags")]
#[repr(u32)]
pub enum NameField {
    Event = kind::EVENTS,
    Round = kind::ROUNDS,
    /// White and Black.
    Player = kind::PLAYERS,
    /// The material at the end: `KRPkr` (spec/index.md section 3.3).
    Material = kind::MATERIALS,
    /// The opening, with its code.
    Opening = kind::OPENINGS,
}

impl NameField {
    pub(crate) const fn table(self) -> u32 {
        self as u32
    }
}

/// The name in a value of the table of openings, behind which stands the code; `None` for `?`.
pub fn opening_name(value: &str) -> Option<&str> {
    value.rsplit_once(' ').map(|(name, _)| name)
}

/// A table of an index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IndexTable<'a> {
    view: View<'a>,
    pub(crate) kind: u32,
    groups: IntegerColumn<'a>,
    values: Section,
}

impl<'a> IndexTable<'a> {
    pub(crate) fn named(view: View<'a>, field: NameField) -> Result<IndexTable<'a>, IndexError> {
        IndexTable::open(view, field.table())
    }

    pub(crate) fn open(view: View<'a>, kind: u32) -> Result<IndexTable<'a>, IndexError> {
        Ok(IndexTable {
            view,
            kind,
            groups: view.column(kind + kind::GROUPS)?,
            values: view.section(kind + kind::VALUES)?,
        })
    }

    /// All dates of the table of dates.
    pub(crate) fn dates(&self) -> Result<Vec<Date>, IndexError> {
        let mut values = self.reader();
        let mut date = |id| {
            let date = Date::from_table(values.value(id)?);
            date.ok_or_else(|| IndexError::damaged(self.values.offset, "a date"))
        };
        (0..self.len()).map(&mut date).collect()
    }

    /// The number of values.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.values.count).unwrap_or(u32::MAX)
    }

    /// The bytes of a group.
    fn group(
        &self,
        groups: &IntegerColumn<'_>,
        section: &Section,
        group: u32,
    ) -> Result<&'a [u8], IndexError> {
        let from = groups.get(group.into())?;
        let to = match u64::from(group) + 1 {
            behind if behind < groups.count() => groups.get(behind)?,
            _ => section.len,
        };
        self.view.bytes(section, from, to)
    }

    /// Reads values; cheap where they are close to each other, and ascending.
    pub(crate) fn reader(&self) -> ValueReader<'a> {
        ValueReader {
            table: *self,
            next: 0,
            rest: &[],
            value: Vec::new(),
        }
    }

    pub(crate) fn value(&self, id: u32) -> Result<String, IndexError> {
        self.reader().value(id).map(str::to_owned)
    }

    pub(crate) fn words(&self) -> Result<IntegerColumn<'a>, IndexError> {
        self.view.column(self.kind + kind::WORDS)
    }

    /// The values of these, in their order, that pass.
    pub(crate) fn passing(
        &self,
        ids: impl IntoIterator<Item = u32>,
        mut passes: impl FnMut(&str) -> bool,
    ) -> Result<Vec<u32>, IndexError> {
        let (mut passing, mut values) = (Vec::new(), self.reader());
        for id in ids {
            if passes(values.value(id)?) {
                passing.push(id);
            }
        }
        Ok(passing)
    }

    /// Tells which values of the table of rounds are equal in the collating order.
    pub(crate) fn equal_rounds(&self) -> Result<EqualRounds, IndexError> {
        let (mut equal, mut values) = (EqualRounds::default(), self.reader());
        for id in 0..self.len() {
            equal.push(values.value(id)?.as_bytes());
        }
        Ok(equal)
    }

    /// The postings of a group of values, and their beginning.
    pub(crate) fn postings(&self, group: u32) -> Result<(&'a [u8], PostingsGroup), IndexError> {
        let groups = self.view.column(self.kind + kind::POSTING_GROUPS)?;
        let section = self.view.section(self.kind + kind::POSTINGS)?;
        let bytes = self.group(&groups, &section, group)?;
        let values = GROUP.min(self.len().saturating_sub(group * GROUP));
        let postings = PostingsGroup::new(bytes, values, self.view.games());
        let damaged = || IndexError::damaged(section.offset, "number of postings");
        Ok((bytes, postings.ok_or_else(damaged)?))
    }

    /// Reads the numbers of games of values.
    pub(crate) fn counts(&self) -> Result<GameCounts<'a>, IndexError> {
        let counted = (!has_postings(self.kind)).then(|| self.counted());
        Ok(GameCounts {
            table: *self,
            counted: counted.transpose()?.map(Arc::new),
            group: None,
        })
    }

    /// The number of games of each value of a table without postings: the column is read.
    pub(crate) fn counted(&self) -> Result<Vec<u32>, IndexError> {
        let column = VALUE_COLUMNS.iter().find(|known| known.1 == self.kind);
        let column = self.view.column(column.map_or(0, |known| known.0))?;
        let mut counts = vec![0_u32; usize::try_from(self.len()).unwrap_or(0)];
        let mut batch = Vec::new();
        let games = self.view.games();
        for from in (0..games).step_by(4096) {
            column.range(from, games.min(from.saturating_add(4096)), &mut batch)?;
            for &id in &batch {
                let count = counts.get_mut(id as usize);
                *count.ok_or_else(|| column.damaged("number of a value"))? += 1;
            }
        }
        Ok(counts)
    }

    /// Calls `each` with the games of a value, in ascending order.
    pub(crate) fn each_game(&self, id: u32, each: impl FnMut(u32)) -> Result<(), IndexError> {
        let (bytes, group) = self.postings(id / GROUP)?;
        let damaged = || self.view.damaged(self.kind + kind::POSTINGS, "postings");
        group.each_of(bytes, id % GROUP, each).ok_or_else(damaged)
    }

    /// The value that the word at a position belongs to, and its number in the value.
    pub(crate) fn word(
        &self,
        words: &IntegerColumn<'_>,
        at: u64,
    ) -> Result<(u32, u64), IndexError> {
        let (word, values) = (words.get(at)?, u64::from(self.len()));
        let number = word.checked_div(values);
        let number = number.ok_or_else(|| words.damaged("number of a value"))?;
        // Below the number of values, which is a u32.
        let id = u32::try_from(word % values).unwrap_or(u32::MAX);
        Ok((id, number))
    }

    /// Calls `of` with the folded word at a position.
    pub(crate) fn with_word<T>(
        &self,
        column: &IntegerColumn<'_>,
        at: u64,
        folded: &mut String,
        of: impl FnOnce(&str) -> T,
    ) -> Result<T, IndexError> {
        let (id, number) = self.word(column, at)?;
        fold(self.reader().value(id)?, folded);
        let number = usize::try_from(number).ok();
        let word = number.and_then(|number| words(folded).nth(number));
        let damaged = || column.damaged("number of a word");
        word.map(of).ok_or_else(damaged)
    }
}

/// Reads the numbers of games of values; cheap where they are close to each other.
#[derive(Debug, Clone)]
pub(crate) struct GameCounts<'a> {
    table: IndexTable<'a>,
    /// Those of all values, of a table without postings.
    counted: Option<Arc<Vec<u32>>>,
    /// The number of the group read last, and its beginning, which is all that is read.
    group: Option<(u32, PostingsGroup)>,
}

impl GameCounts<'_> {
    /// The number of games of the value at a position of the table.
    pub(crate) fn games(&mut self, id: u32) -> Result<u32, IndexError> {
        if let Some(counted) = &self.counted {
            return Ok(counted.get(id as usize).copied().unwrap_or(0));
        }
        let number = id / GROUP;
        let group = match self.group {
            Some((last, group)) if last == number => group,
            _ => self.table.postings(number)?.1,
        };
        self.group = Some((number, group));
        Ok(group.count(id % GROUP))
    }
}

/// Reads values of a table.
#[derive(Debug, Clone)]
pub struct ValueReader<'a> {
    table: IndexTable<'a>,
    /// One more than the position of the current value; 0 before the first.
    next: u32,
    /// The rest of the group.
    rest: &'a [u8],
    value: Vec<u8>,
}

impl ValueReader<'_> {
    /// The number of values.
    pub fn count(&self) -> u32 {
        self.table.len()
    }

    /// The value at a position of the table.
    pub fn value(&mut self, id: u32) -> Result<&str, IndexError> {
        let table = &self.table;
        let damaged = || IndexError::damaged(table.values.offset, "a value");
        if id >= table.len() {
            return Err(damaged());
        }
        let last = self.next.checked_sub(1);
        if last.is_none_or(|last| id < last || id / GROUP != last / GROUP) {
            self.rest = table.group(&table.groups, &table.values, id / GROUP)?;
            self.next = id / GROUP * GROUP;
            self.value.clear();
        }
        while self.next <= id {
            take_name(&mut self.rest, &mut self.value).ok_or_else(damaged)?;
            self.next += 1;
        }
        std::str::from_utf8(&self.value).map_err(|_| damaged())
    }
}
