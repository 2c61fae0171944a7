//! Collects and sorts the words of the values of a table, by which names are found (spec/index.md
//! section 4).

use std::io;
use std::ops::Range;

use super::output::IndexOutput;
use super::sort::{Sorted, Sorter};
use super::spill::{Temp, damaged};
use crate::format::fold::{fold, places_of_words};
use crate::format::layout::kind;

/// Collects words.
#[derive(Debug)]
pub(super) struct Words {
    sorter: Sorter,
    /// The largest number of a word in its value, and the last value with such a word.
    largest: (u64, u32),
    folded: String,
    /// The positions of the current value's words, as far as examined.
    before: Vec<Range<usize>>,
}

impl Words {
    pub(super) fn new(temp: &Temp) -> Words {
        Words {
            sorter: Sorter::new(temp),
            largest: (0, 0),
            folded: String::new(),
            before: Vec::new(),
        }
    }

    /// Adds the words of the value at a position.
    pub(super) fn push(&mut self, id: u32, value: &[u8]) -> io::Result<()> {
        let value = std::str::from_utf8(value).map_err(|_| damaged("a value that is not UTF-8"))?;
        fold(value, &mut self.folded);
        self.before.clear();
        for (number, place) in (0_u64..).zip(places_of_words(&self.folded)) {
            let word = &self.folded[place.clone()];
            if !self
                .before
                .iter()
                .any(|before| &self.folded[before.clone()] == word)
            {
                let of = u64::from(id) << 32 | number;
                self.sorter.push(0, word.as_bytes(), of)?;
                self.largest = self.largest.max((number, id));
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
    largest: (u64, u32),
}

impl SortedWords {
    /// Writes the section, for a table of this many values.
    pub(super) fn put(&self, out: &mut IndexOutput<'_>, table: u32, values: u32) -> io::Result<()> {
        let word = |number: u64, id: u64| number * u64::from(values) + id;
        let (number, id) = self.largest;
        out.integers(table + kind::WORDS, word(number, id.into()))?;
        let mut reader = self.sorted.read()?;
        while let Some((_, _, of)) = reader.next()? {
            out.integer(word(of & u64::from(u32::MAX), of >> 32))?;
        }
        out.end_section()
    }
}
