//! Cuts a source into blocks, at boundaries between games.

use std::io::{self, ErrorKind, Read};

use pgc_pgn::epd::source::lines_end;
use pgc_pgn::source_text::SourceText;
use pgc_pgn::split::{Splitter, Unit};

/// A block ends at the first boundary at or behind this many bytes of source.
const BLOCK_BYTES: usize = 1024 * 1024;

/// The buffer is filled up to this many bytes, or by this many more: little more than a block,
/// because what a block leaves over is copied.
const READ_BYTES: usize = BLOCK_BYTES + 32 * 1024;

/// A block of source, with its units.
#[derive(Debug)]
pub struct Block {
    /// Its number, from 0.
    pub number: u64,
    /// Its text.
    pub src: Vec<u8>,
    /// Its units. Empty for EPD: to find out which lines are EPD takes longer, so the threads do
    /// it.
    pub units: Vec<Unit>,
    /// The last byte of the block before.
    pub before: Option<u8>,
}

/// The bytes of a usual source that take as much memory as a game does, however short it is.
const GAME_COST: usize = 3;

impl Block {
    /// What the work on the block costs in memory, for the pipeline.
    pub fn cost(&self) -> usize {
        let games = match self.units.len() {
            0 => memchr::memchr_iter(b'\n', &self.src).count(),
            units => units,
        };
        self.src.len() + GAME_COST * games
    }
}

/// Cuts a source into blocks.
#[expect(missing_debug_implementations, reason = "its source has none")]
pub struct Blocks<'a> {
    source: &'a mut (dyn Read + Send),
    /// Its first `filled` bytes are from the source; the others are room to read into.
    buffer: Vec<u8>,
    filled: usize,
    text: SourceText,
    splitter: Splitter,
    units: Vec<Unit>,
    eof: bool,
    before: Option<u8>,
    number: u64,
    /// Buffers of blocks that are done.
    spare: Vec<Vec<u8>>,
}

/// The most buffers that are kept.
const SPARE: usize = 16;

impl Blocks<'_> {
    /// Cuts a source of PGN.
    #[cfg(test)]
    pub(crate) fn new(source: &mut (dyn Read + Send)) -> Blocks<'_> {
        Blocks::of(source, SourceText::Pgn)
    }

    /// Cuts a source of this kind.
    pub fn of(source: &mut (dyn Read + Send), text: SourceText) -> Blocks<'_> {
        Blocks {
            source,
            buffer: Vec::new(),
            filled: 0,
            text,
            splitter: Splitter::in_letters(text.letters()),
            units: Vec::new(),
            eof: false,
            before: None,
            number: 0,
            spare: Vec::new(),
        }
    }

    /// Takes back the buffer of a block that is done: asking the system for new memory each time is
    /// slow.
    pub fn recycle(&mut self, buffer: Vec<u8>) {
        if self.spare.len() < SPARE && buffer.capacity() <= 2 * READ_BYTES {
            self.spare.push(buffer);
        }
    }

    /// The next block; `None` at the end of the source.
    pub fn next_block(&mut self) -> io::Result<Option<Block>> {
        match self.text {
            SourceText::Pgn | SourceText::Letters(_) => self.next_games(),
            SourceText::Epd => self.next_lines(),
        }
    }

    fn next_lines(&mut self) -> io::Result<Option<Block>> {
        loop {
            let found = lines_end(&self.buffer[..self.filled], BLOCK_BYTES, self.eof);
            if let Some(end) = found {
                return Ok((end > 0).then(|| self.cut(end)));
            }
            self.fill()?;
        }
    }

    fn next_games(&mut self) -> io::Result<Option<Block>> {
        loop {
            while let Some(unit) = self
                .splitter
                .next_unit(&self.buffer[..self.filled], self.eof)
            {
                self.units.push(unit);
                if unit.end >= BLOCK_BYTES {
                    return Ok(Some(self.cut(unit.end)));
                }
            }
            if self.eof {
                let end = self.units.last().map_or(0, |u| u.end);
                return Ok((end > 0).then(|| self.cut(end)));
            }
            self.fill()?;
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        let want = if self.filled < BLOCK_BYTES {
            READ_BYTES
        } else {
            self.filled + READ_BYTES
        };
        self.buffer.resize(want, 0);
        while self.filled < want && !self.eof {
            match self.source.read(&mut self.buffer[self.filled..]) {
                Ok(n) => (self.filled, self.eof) = (self.filled + n, n == 0),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn cut(&mut self, end: usize) -> Block {
        // A used buffer need not be cleared, since it is overwritten.
        let mut rest = self.spare.pop().unwrap_or_default();
        let left = &self.buffer[end..self.filled];
        rest.resize(left.len().max(READ_BYTES), 0);
        rest[..left.len()].copy_from_slice(left);
        self.filled = left.len();
        let mut src = std::mem::replace(&mut self.buffer, rest);
        src.truncate(end);
        let last = src.last().copied();
        if let Some(last) = last.filter(|_| self.text != SourceText::Epd) {
            self.splitter.drained(end, last);
        }
        let before = std::mem::replace(&mut self.before, last);
        let number = self.number;
        self.number += 1;
        let more = Vec::with_capacity(self.units.len());
        Block {
            number,
            src,
            units: std::mem::replace(&mut self.units, more),
            before,
        }
    }
}
