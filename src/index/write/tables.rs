//! Codes the tables of an index or of a run: sorted values, the games of each, and the sorted words
//! of the values, by which names are found (spec/index.md section 4).

use std::io::{self, Write};
use std::ops::Range;

use super::output::{IndexOutput, Sections};
use super::sort::{Sorted, Sorter};
use super::spill::{Spool, Stored, Temp, damaged};
use crate::format::fold::{fold, places_of_words};
use crate::format::layout::{GROUP, has_postings, kind};
use crate::format::names::put_name;
use crate::format::postings::PostingsCoder;

/// A table that is being coded.
#[derive(Debug)]
pub(super) struct TableCoder {
    kind: u32,
    count: u32,
    before: Vec<u8>,
    bytes: Vec<u8>,
    values: Grouped,
    /// The games of the values.
    pub(super) games: PostingsCoder,
    postings: Grouped,
}

/// Groups of bytes, and where each begins.
#[derive(Debug)]
struct Grouped {
    bytes: Spool,
    begins: Spool,
    /// Where the last group begins.
    last: u64,
}

impl Grouped {
    fn new(temp: &Temp) -> Grouped {
        Grouped {
            bytes: temp.spool(),
            begins: temp.spool(),
            last: 0,
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        self.last = self.bytes.len();
        self.begins.varint(self.last)
    }

    fn finish(self) -> io::Result<(Stored, Stored, u64)> {
        Ok((self.bytes.finish()?, self.begins.finish()?, self.last))
    }
}

impl TableCoder {
    /// A table of this kind, of an index or a part with this many games.
    pub(super) fn new(kind: u32, games: u32, temp: &Temp) -> TableCoder {
        TableCoder {
            kind,
            count: 0,
            before: Vec::new(),
            bytes: Vec::new(),
            values: Grouped::new(temp),
            games: PostingsCoder::new(games),
            postings: Grouped::new(temp),
        }
    }

    /// Begins the next value; returns its position.
    pub(super) fn value(&mut self, value: &[u8]) -> io::Result<u32> {
        if self.count.is_multiple_of(GROUP) {
            self.end_group()?;
            self.values.begin()?;
            self.before.clear();
        }
        self.bytes.clear();
        put_name(&mut self.bytes, &self.before, value);
        self.values.bytes.write_all(&self.bytes)?;
        self.before.clear();
        self.before.extend_from_slice(value);
        let id = self.count;
        let too_many = || io::Error::other("too many different values for an index");
        self.count = id.checked_add(1).ok_or_else(too_many)?;
        Ok(id)
    }

    /// Ends the group of the values so far, if there is one.
    fn end_group(&mut self) -> io::Result<()> {
        if self.count == 0 || !has_postings(self.kind) {
            return Ok(());
        }
        self.bytes.clear();
        self.games.end_group(&mut self.bytes);
        self.postings.begin()?;
        self.postings.bytes.write_all(&self.bytes)
    }

    pub(super) fn finish(mut self) -> io::Result<CodedTable> {
        self.end_group()?;
        Ok(CodedTable {
            kind: self.kind,
            count: self.count,
            values: self.values.finish()?,
            postings: self.postings.finish()?,
        })
    }
}

/// A coded table.
#[derive(Debug)]
pub(super) struct CodedTable {
    pub(super) kind: u32,
    /// Number of values.
    pub(super) count: u32,
    values: (Stored, Stored, u64),
    postings: (Stored, Stored, u64),
}

impl CodedTable {
    /// Writes its sections, all but the words.
    pub(super) fn put<W: Write>(&self, out: &mut Sections<W>, temp: &Temp) -> io::Result<()> {
        let (bytes, begins, last) = &self.values;
        out.varints(self.kind + kind::GROUPS, *last, begins, temp)?;
        out.stored(self.kind + kind::VALUES, bytes, self.count.into(), temp)?;
        if has_postings(self.kind) {
            let (bytes, begins, last) = &self.postings;
            out.varints(self.kind + kind::POSTING_GROUPS, *last, begins, temp)?;
            out.stored(self.kind + kind::POSTINGS, bytes, bytes.len, temp)?;
        }
        Ok(())
    }
}

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
            let mut before = self.before.iter();
            if !before.any(|before| &self.folded[before.clone()] == word) {
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
    /// Writes the section, for this table.
    pub(super) fn put(&self, out: &mut IndexOutput<'_>, table: &CodedTable) -> io::Result<()> {
        let word = |number: u64, id: u64| number * u64::from(table.count) + id;
        let (number, id) = self.largest;
        out.integers(table.kind + kind::WORDS, word(number, id.into()))?;
        let mut reader = self.sorted.read()?;
        while let Some((_, _, of)) = reader.next()? {
            out.integer(word(of & u64::from(u32::MAX), of >> 32))?;
        }
        out.end_section()
    }
}
