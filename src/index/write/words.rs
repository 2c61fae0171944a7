//! Collects and sorts the words of the values of a table, by which names are found (spec/index.md
//! section 4).

use std::io;
use std::ops::Range;

use super::output::Output;
use super::sort::{Sorted, Sorter};
use super::spill::{Temp, damaged};
use crate::index::format::fold::{fold, places_of_words};
use crate::index::format::layout::{WORDS_OF_A_VALUE, kind};

/// Collects words.
#[derive(Debug)]
pub(super) struct Words {
    sorter: Sorter,
    largest: u64,
    folded: String,
    /// The positions of the current value's words, as far as examined.
    before: Vec<Range<usize>>,
}

impl Words {
    pub(super) fn new(temp: &Temp) -> Words {
        Words {
            sorter: Sorter::new(temp),
            largest: 0,
            folded: String::new(),
            before: Vec::new(),
        }
    }

    /// Adds the words of the value at a position.
    pub(super) fn push(&mut self, id: u32, value: &[u8]) -> io::Result<()> {
        let value = std::str::from_utf8(value).map_err(|_| damaged("a value that is not UTF-8"))?;
        fold(value, &mut self.folded);
        let first = u64::from(id) * WORDS_OF_A_VALUE;
        self.before.clear();
        for (number, place) in (first..).zip(places_of_words(&self.folded)) {
            let word = &self.folded[place.clone()];
            if !self
                .before
                .iter()
                .any(|before| &self.folded[before.clone()] == word)
            {
                self.sorter.push(0, word.as_bytes(), number)?;
                self.largest = self.largest.max(number);
            }
            self.before.push(place);
        }
        Ok(())
    }

    pub(super) fn finish(self) -> io::Result<SortedWords> {
        Ok(SortedWords {
            sorted: self.sorter.finish()?,
            largest: self.largest,
        })
    }
}

/// The sorted words of a table.
#[derive(Debug)]
pub(super) struct SortedWords {
    sorted: Sorted,
    largest: u64,
}

impl SortedWords {
    /// Writes the section.
    pub(super) fn put(&self, out: &mut Output<'_>, table: u32) -> io::Result<()> {
        out.integers(table + kind::WORDS, self.largest)?;
        let mut reader = self.sorted.read()?;
        while let Some((_, _, word)) = reader.next()? {
            out.integer(word)?;
        }
        out.end_section()
    }
}
