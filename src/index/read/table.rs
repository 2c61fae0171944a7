//! Reads the tables of an index: values, the games of each, and the words that find them
//! (spec/index.md section 4).

use super::view::{IntegerColumn, View};
use crate::index::format::fold::{fold, words};
use crate::index::format::layout::{
    IndexError, MAX_VALUE, Section, WORDS_OF_A_VALUE, kind, take_varint,
};
use crate::index::format::round::EqualRounds;

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
    pub(crate) const fn table(self) -> u32 {
        match self {
            NameField::Event => kind::EVENTS,
            NameField::Site => kind::SITES,
            NameField::Round => kind::ROUNDS,
            NameField::Player => kind::PLAYERS,
        }
    }
}

/// A table of an index.
#[derive(Clone, Copy)]
pub(crate) struct IndexTable<'a> {
    view: View<'a>,
    pub(crate) field: NameField,
    offsets: IntegerColumn<'a>,
    values: Section,
}

impl<'a> IndexTable<'a> {
    pub(crate) fn of(view: View<'a>, field: NameField) -> Result<IndexTable<'a>, IndexError> {
        let offsets = view.column(field.table() + kind::OFFSETS)?;
        let values = view.section(field.table() + kind::VALUES)?;
        if offsets.count() == 0 || offsets.count() - 1 > u64::from(u32::MAX) {
            return Err(offsets.damaged("number of values"));
        }
        Ok(IndexTable {
            view,
            field,
            offsets,
            values,
        })
    }

    /// The number of values.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.offsets.count() - 1).unwrap_or(u32::MAX)
    }

    pub(crate) fn value(&self, id: u32) -> Result<&'a str, IndexError> {
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

    pub(crate) fn words(&self) -> Result<IntegerColumn<'a>, IndexError> {
        self.view.column(self.field.table() + kind::WORDS)
    }

    /// Tells which values of the table of rounds are equal in the collating order.
    pub(crate) fn equal_rounds(&self) -> Result<EqualRounds, IndexError> {
        let mut equal = EqualRounds::default();
        for id in 0..self.len() {
            equal.push(self.value(id)?.as_bytes());
        }
        Ok(equal)
    }

    fn postings_section(&self) -> Result<Section, IndexError> {
        self.view.section(self.field.table() + kind::POSTINGS)
    }

    /// The stored postings of a value without their count, and the count.
    fn postings(&self, id: u32) -> Result<(&'a [u8], u32), IndexError> {
        let offsets = self
            .view
            .column(self.field.table() + kind::POSTING_OFFSETS)?;
        let (from, to) = (offsets.get(u64::from(id))?, offsets.get(u64::from(id) + 1)?);
        let section = self.postings_section()?;
        let mut bytes = self.view.bytes(&section, from, to)?;
        let count = take_varint(&mut bytes).filter(|&count| count <= u64::from(self.view.games()));
        // Each posting takes at least a byte.
        let count = count
            .filter(|&count| count <= bytes.len() as u64)
            .and_then(|count| u32::try_from(count).ok());
        Ok((
            bytes,
            count.ok_or_else(|| IndexError::damaged(section.offset, "number of postings"))?,
        ))
    }

    /// The number of games of a value; only the beginning of its postings is read.
    pub(crate) fn count(&self, id: u32) -> Result<u32, IndexError> {
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

    /// The number of games of each of these values.
    pub(crate) fn counts(&self, ids: &[u32]) -> Result<Vec<u32>, IndexError> {
        if self.field != NameField::Round {
            return ids.iter().map(|&id| self.count(id)).collect();
        }
        let counts = self.round_counts()?;
        Ok(ids
            .iter()
            .map(|&id| counts.get(id as usize).copied().unwrap_or(0))
            .collect())
    }

    /// The number of games of each round. Rounds have no postings, so the column is read.
    pub(crate) fn round_counts(&self) -> Result<Vec<u32>, IndexError> {
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
                *count.ok_or_else(|| column.damaged("number of a value"))? += 1;
            }
        }
        Ok(counts)
    }

    /// Calls `each` with the games of a value, in ascending order.
    pub(crate) fn each_game(&self, id: u32, mut each: impl FnMut(u32)) -> Result<(), IndexError> {
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

    /// The value that the word at a position belongs to, and its number in the value.
    pub(crate) fn word(
        &self,
        words: &IntegerColumn<'_>,
        at: u64,
    ) -> Result<(u32, u64), IndexError> {
        let word = words.get(at)?;
        let id = u32::try_from(word / WORDS_OF_A_VALUE)
            .ok()
            .filter(|&id| id < self.len());
        Ok((
            id.ok_or_else(|| words.damaged("number of a value"))?,
            word % WORDS_OF_A_VALUE,
        ))
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
        fold(self.value(id)?, folded);
        let word = usize::try_from(number)
            .ok()
            .and_then(|number| words(folded).nth(number));
        word.map(of)
            .ok_or_else(|| column.damaged("number of a word"))
    }
}
