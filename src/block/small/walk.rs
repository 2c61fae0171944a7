//! The walk along the tokens of a game, variations included.

use crate::small::parts::{CLOSE, MOVE, OPEN, Token};
use pgc_chess::{CodedLine, Position};

/// A line of play from which variations may begin.
pub(crate) trait Line: Clone {
    /// Takes memory to use again from a line that waits or is over.
    fn take_over(&mut self, _: &mut Self) {}
}

impl Line for Position {}

impl Line for CodedLine {
    fn take_over(&mut self, other: &mut CodedLine) {
        CodedLine::take_over(self, other);
    }
}

/// The current line of play, and those that it interrupts.
pub(crate) struct TokenWalk<L> {
    pub line: L,
    /// The line before its last ply, and that ply.
    pub before: Option<(L, u8)>,
    open: Vec<(L, Option<(L, u8)>)>,
    /// Whether `before` is kept: without variations that can be left out.
    keeps_before: bool,
}

impl<L: Line> TokenWalk<L> {
    pub(crate) fn new(line: L, keeps_before: bool) -> TokenWalk<L> {
        TokenWalk {
            line,
            before: None,
            open: Vec::new(),
            keeps_before,
        }
    }

    /// Goes on by a token; `play` plays the next ply and returns it.
    pub(crate) fn step(
        &mut self,
        token: Token,
        play: impl FnOnce(&mut L) -> Option<u8>,
    ) -> Option<()> {
        match token {
            MOVE if self.keeps_before => {
                let before = self.line.clone();
                self.before = Some((before, play(&mut self.line)?));
            }
            MOVE => {
                play(&mut self.line)?;
            }
            OPEN => {
                let before = self.before.take()?;
                let mut line = std::mem::replace(&mut self.line, before.0.clone());
                self.line.take_over(&mut line);
                self.open.push((line, Some(before)));
            }
            CLOSE => {
                let (line, before) = self.open.pop()?;
                let mut closed = std::mem::replace(&mut self.line, line);
                self.line.take_over(&mut closed);
                self.before = before;
            }
            _ => {}
        }
        Some(())
    }
}
