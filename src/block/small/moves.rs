//! The moves of games, in runs of the move model's coder (spec/small.md section 6).

use crate::block::num::{put_str, take_str};
use crate::block::small::models::line;
use crate::block::small::parts::{CLOSE, MOVE, OPEN, Parts, Token};
use crate::chess::{CodedLine, RangeDecoder, RangeEncoder};

/// So many games share a run.
const RUN: u64 = 16;

/// A line of play and those that it interrupts.
#[derive(Debug)]
struct Lines {
    line: CodedLine,
    /// Before the last move of the line, if a variation may begin there.
    before: Option<CodedLine>,
    open: Vec<(CodedLine, Option<CodedLine>)>,
    branches: bool,
}

impl Lines {
    fn new(parts: &Parts<'_>) -> Option<Lines> {
        Some(Lines {
            line: line(&parts.tags)?,
            before: None,
            open: Vec::new(),
            branches: parts.tokens.contains(&OPEN),
        })
    }

    fn save(&mut self) {
        if self.branches {
            self.before = Some(self.line.clone());
        }
    }

    fn open(&mut self) -> Option<()> {
        let before = self.before.take()?;
        let mut line = std::mem::replace(&mut self.line, before.clone());
        self.line.take_over(&mut line);
        self.open.push((line, Some(before)));
        Some(())
    }

    fn close(&mut self) -> Option<()> {
        let (line, before) = self.open.pop()?;
        let mut closed = std::mem::replace(&mut self.line, line);
        self.line.take_over(&mut closed);
        self.before = before;
        Some(())
    }
}

/// Writes the moves of one game after another.
#[derive(Debug, Default)]
pub(crate) struct MoveWriter {
    out: Vec<u8>,
    run: RangeEncoder,
    games: u64,
}

impl MoveWriter {
    /// Adds the moves of a game; `None` if they are not legal.
    pub(crate) fn put(&mut self, parts: &Parts<'_>) -> Option<()> {
        if !parts.moves.is_empty() {
            let mut lines = Lines::new(parts)?;
            let mut moves = parts.moves.iter();
            for &token in &parts.tokens {
                match token {
                    MOVE => {
                        lines.save();
                        lines.line.put(*moves.next()?, &mut self.run)?;
                    }
                    OPEN => lines.open()?,
                    CLOSE => lines.close()?,
                    _ => {}
                }
            }
        }
        self.games += 1;
        if self.games.is_multiple_of(RUN) {
            self.end_run();
        }
        Some(())
    }

    fn end_run(&mut self) {
        let bytes = std::mem::take(&mut self.run).finish();
        put_str(&mut self.out, &bytes);
    }

    /// The stream.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        if !self.games.is_multiple_of(RUN) {
            self.end_run();
        }
        self.out
    }
}

/// Takes the moves of one game after another.
#[derive(Debug)]
pub(crate) struct MoveReader<'a> {
    src: &'a [u8],
    run: RangeDecoder<'a>,
    games: u64,
    /// All games are wanted.
    whole: bool,
    /// The games of this run that were passed: they are decoded if one behind them is wanted.
    passed: Vec<(Lines, Vec<Token>)>,
}

impl<'a> MoveReader<'a> {
    /// `whole`: all games are wanted.
    pub(crate) fn new(src: &'a [u8], whole: bool) -> MoveReader<'a> {
        MoveReader {
            src,
            run: RangeDecoder::new(&[]),
            games: 0,
            whole,
            passed: Vec::new(),
        }
    }

    /// Takes the moves of the next game, as many as its tokens say; or passes them, if they are not
    /// wanted.
    pub(crate) fn take(&mut self, parts: &mut Parts<'_>, wanted: bool) -> Option<()> {
        if self.games.is_multiple_of(RUN) {
            let run = RangeDecoder::new(take_str(&mut self.src)?);
            let done = std::mem::replace(&mut self.run, run);
            if self.whole && self.games > 0 {
                done.finish().ok()?;
            }
            self.passed.clear();
        }
        self.games += 1;
        if !parts.tokens.contains(&MOVE) {
            return Some(());
        }
        let lines = Lines::new(parts)?;
        if !wanted {
            self.passed.push((lines, parts.tokens.clone()));
            return Some(());
        }
        for (lines, tokens) in std::mem::take(&mut self.passed) {
            self.game(lines, &tokens)?;
        }
        parts.moves = self.game(lines, &parts.tokens)?;
        Some(())
    }

    fn game(&mut self, mut lines: Lines, tokens: &[Token]) -> Option<Vec<u8>> {
        let mut moves = Vec::new();
        for &token in tokens {
            match token {
                MOVE => {
                    lines.save();
                    moves.push(lines.line.take(&mut self.run).ok()?);
                }
                OPEN => lines.open()?,
                CLOSE => lines.close()?,
                _ => {}
            }
        }
        Some(moves)
    }

    /// Sees that all was taken.
    pub(crate) fn finish(self) -> Option<()> {
        self.run.finish().ok().filter(|()| self.src.is_empty())
    }
}
