//! Codes the tables of an index or of a run: sorted values, and the games of each (spec/index.md
//! section 4).

use std::io::{self, Write};

use super::output::Sections;
use super::spill::{Spool, Stored, Temp};
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
    coder: PostingsCoder,
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
            coder: PostingsCoder::new(games),
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
        self.count = self
            .count
            .checked_add(1)
            .ok_or_else(|| io::Error::other("too many different values for an index"))?;
        Ok(self.count - 1)
    }

    /// Adds a game to the current value.
    #[inline]
    pub(super) fn game(&mut self, game: u32) {
        self.coder.push(game);
    }

    /// Ends the games of the current value.
    pub(super) fn end_games(&mut self) {
        self.coder.end_value();
    }

    /// Ends the group of the values so far, if there is one.
    fn end_group(&mut self) -> io::Result<()> {
        if self.count == 0 || !has_postings(self.kind) {
            return Ok(());
        }
        self.bytes.clear();
        self.coder.end_group(&mut self.bytes);
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
    kind: u32,
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
