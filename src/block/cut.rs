//! Cuts a source into blocks, at boundaries between games.

use std::io::{self, ErrorKind, Read};

use pgc_pgn::epd::source::lines_end;
use pgc_pgn::source_text::SourceText;
use pgc_pgn::split::{Splitter, Unit, UnitKind};

/// A block ends at the first boundary at or behind this many bytes of source, if not before.
const BLOCK_BYTES: usize = 1024 * 1024;

/// A block has one style, so one of at least this many bytes ends where the producer changes.
const LEAST_BYTES: usize = 64 * 1024;

/// This many games in a row show that the producer has changed.
const RUN: usize = 16;

/// The buffer is filled up to this many bytes, or by this many more: little more than a block,
/// because what a block leaves over is copied.
const READ_BYTES: usize = BLOCK_BYTES + 32 * 1024;

/// A block of source, with its units.
#[derive(Debug, Default)]
pub struct Block {
    /// The number, from 0.
    pub number: u64,
    /// The text.
    pub src: Vec<u8>,
    /// The units. Empty for EPD: to find out which lines are EPD takes longer, so the threads do
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

/// What tells producers apart at little cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Hand {
    /// Lines end in CR LF.
    crlf: bool,
    /// A blank or a line end follows the number of a move.
    spaced: bool,
}

impl Hand {
    /// The hand of a game; what the game does not show is as in the game before.
    fn new(game: &[u8], before: Hand) -> Hand {
        let line = memchr::memchr(b'\n', game).unwrap_or(0);
        let end = &game[game.len().saturating_sub(200)..];
        let behind = memchr::memrchr(b'.', end).and_then(|dot| end.get(dot + 1));
        Hand {
            crlf: line > 0 && game[line - 1] == b'\r',
            spaced: behind
                .filter(|byte| !byte.is_ascii_digit())
                .map_or(before.spaced, u8::is_ascii_whitespace),
        }
    }
}

/// Watches for another producer.
#[derive(Debug, Default)]
struct Hands {
    last: Hand,
    /// The number of games in a row of which `last` is the hand.
    run: usize,
    /// The hand of the last row of [`RUN`] games.
    settled: Option<Hand>,
}

impl Hands {
    /// Whether the last [`RUN`] games, of which this is the last, begin another producer's.
    fn changes(&mut self, game: &[u8]) -> bool {
        let hand = Hand::new(game, self.last);
        self.run = if hand == self.last { self.run + 1 } else { 1 };
        self.last = hand;
        self.run >= RUN && self.settled.replace(hand).is_some_and(|old| old != hand)
    }
}

/// Cuts a source into blocks.
#[expect(missing_debug_implementations, reason = "its source has none")]
pub struct Blocks<'a> {
    source: &'a mut (dyn Read + Send),
    /// The first `filled` bytes are from the source; the others are room to read into.
    buffer: Vec<u8>,
    filled: usize,
    text: SourceText,
    splitter: Splitter,
    units: Vec<Unit>,
    hands: Hands,
    eof: bool,
    before: Option<u8>,
    number: u64,
    /// Buffers of blocks that are done.
    unused: Vec<Vec<u8>>,
}

/// The most buffers that are kept.
const MOST_UNUSED: usize = 16;

impl Blocks<'_> {
    /// Cuts a source of this kind.
    pub fn new(source: &mut (dyn Read + Send), text: SourceText) -> Blocks<'_> {
        Blocks {
            source,
            buffer: Vec::new(),
            filled: 0,
            text,
            splitter: Splitter::in_letters(text.letters()),
            units: Vec::new(),
            hands: Hands::default(),
            eof: false,
            before: None,
            number: 0,
            unused: Vec::new(),
        }
    }

    /// Takes back the buffer of a block that is done: asking the system for new memory each time is
    /// slow.
    pub fn recycle(&mut self, buffer: Vec<u8>) {
        if self.unused.len() < MOST_UNUSED && buffer.capacity() <= 2 * READ_BYTES {
            self.unused.push(buffer);
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
            let filled = &self.buffer[..self.filled];
            if let Some(end) = lines_end(filled, BLOCK_BYTES, self.eof) {
                return Ok((end > 0).then(|| self.cut(end)));
            }
            self.fill()?;
        }
    }

    fn next_games(&mut self) -> io::Result<Option<Block>> {
        loop {
            let filled = self.filled;
            while let Some(unit) = self.splitter.next_unit(&self.buffer[..filled], self.eof) {
                self.units.push(unit);
                let change = self.change(unit);
                let full = Some(unit.end).filter(|&end| end >= BLOCK_BYTES);
                if let Some(end) = full.or(change) {
                    return Ok(Some(self.cut(end)));
                }
            }
            if self.eof {
                let end = self.units.last().map_or(0, |u| u.end);
                return Ok((end > 0).then(|| self.cut(end)));
            }
            self.fill()?;
        }
    }

    /// Where the games of another producer begin that the last unit shows, if the block is long
    /// enough to end there.
    fn change(&mut self, last: Unit) -> Option<usize> {
        let is_game = |unit: &&Unit| unit.kind == UnitKind::Game;
        if !is_game(&&last) || !self.hands.changes(&self.buffer[last.start..last.end]) {
            return None;
        }
        let first = self.units.iter().rev().filter(is_game).nth(RUN - 1)?;
        (first.start >= LEAST_BYTES).then_some(first.start)
    }

    fn fill(&mut self) -> io::Result<()> {
        let want = match self.filled {
            ..BLOCK_BYTES => READ_BYTES,
            filled => filled + READ_BYTES,
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
        let mut rest = self.unused.pop().unwrap_or_default();
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
        let mut more = Vec::with_capacity(self.units.len());
        let behind = self.units.partition_point(|unit| unit.end <= end);
        more.extend(self.units.drain(behind..).map(|unit| Unit {
            start: unit.start - end,
            end: unit.end - end,
            ..unit
        }));
        Block {
            number,
            src,
            units: std::mem::replace(&mut self.units, more),
            before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Blocks, RUN, SourceText};

    fn lengths(mut source: &[u8]) -> Vec<usize> {
        let mut blocks = Blocks::new(&mut source, SourceText::Pgn);
        let mut lengths = Vec::new();
        while let Some(block) = blocks.next_block().unwrap() {
            assert_eq!(block.units[0].start, 0);
            assert!(block.units.is_sorted_by(|a, b| a.end == b.start));
            assert_eq!(block.units.last().unwrap().end, block.src.len());
            lengths.push(block.src.len());
        }
        lengths
    }

    #[test]
    fn a_block_ends_where_another_producer_begins() {
        let one = "[Event \"x\"]\n\n1.e4 e5 2.Nf3 Nc6 *\n\n";
        let spaced = &one.replace('.', ". ");
        let crlf = &one.replace('\n', "\r\n");
        let halves = |old: &str, new: &str| {
            let (old, new) = (old.repeat(2000), new.repeat(2000));
            (
                lengths((old.clone() + &new).as_bytes()),
                [old.len(), new.len()],
            )
        };
        for (old, new) in [(one, spaced), (one, crlf), (crlf, spaced)] {
            let (blocks, games) = halves(old, new);
            assert_eq!(blocks, games);
        }
        // Periods in numbers, and no period at all, say nothing.
        for same in [
            "[Event \"x\"]\n\n1.e4 {0.5} *\n\n",
            "[Event \"x\"]\n\n*\n\n",
        ] {
            assert_eq!(halves(one, same).0.len(), 1);
            assert_eq!(halves(spaced, same).0.len(), 1);
        }
        let joined = |parts: &[(&str, usize)]| {
            let source: String = parts.iter().map(|(game, n)| game.repeat(*n)).collect();
            lengths(source.as_bytes()).len()
        };
        // Too few games, a block too short, and two producers in turn.
        assert_eq!(joined(&[(one, 2000), (spaced, RUN - 1), (one, 2000)]), 1);
        assert_eq!(joined(&[(one, 2000), (spaced, RUN), (one, 2000)]), 2);
        assert_eq!(joined(&[(one, 1000), (spaced, 2000)]), 1);
        assert_eq!(joined(&[(&(one.to_owned() + spaced), 2000)]), 1);
    }
}
