//! The walk along the elements of a game, variations included.

use pgc_chess::{CodedLine, Position};
use pgc_pgn::game::ElemKind;

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
pub(crate) struct LineWalk<L> {
    pub line: L,
    /// The line before its last ply, and that ply.
    pub before: Option<(L, u8)>,
    open: Vec<(L, Option<(L, u8)>)>,
    /// Whether `before` is kept: without variations that can be left out.
    keeps_before: bool,
}

impl<L: Line> LineWalk<L> {
    pub(crate) fn new(line: L, keeps_before: bool) -> LineWalk<L> {
        LineWalk {
            line,
            before: None,
            open: Vec::new(),
            keeps_before,
        }
    }

    /// Goes on by an element of this kind; `play` plays the next ply and returns it.
    pub(crate) fn step(
        &mut self,
        kind: ElemKind,
        play: impl FnOnce(&mut L) -> Option<u8>,
    ) -> Option<()> {
        match kind {
            ElemKind::Move if self.keeps_before => {
                let before = self.line.clone();
                self.before = Some((before, play(&mut self.line)?));
            }
            ElemKind::Move => {
                play(&mut self.line)?;
            }
            ElemKind::RavOpen => {
                let before = self.before.take()?;
                let mut line = std::mem::replace(&mut self.line, before.0.clone());
                self.line.take_over(&mut line);
                self.open.push((line, Some(before)));
            }
            ElemKind::RavClose => {
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
