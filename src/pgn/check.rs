//! Compares the gaps of a game that was read with what a style predicts.
//!
//! Nearly all gaps are what their template makes, on lines that are not full. That is seen at once; all else is left to [`Walk`].

use super::game::Elem;
use super::layout::{END, Rule, Style, WHITE, Walk, column_after, next_class, sticky_tail};

/// Walks over the elements of a game.
#[derive(Debug)]
pub struct Check<'s> {
    walk: Walk<'s>,
    src: &'s [u8],
    /// Where the gap begins.
    at: usize,
    /// Where a line began, and up to where none began after it. Newlines are searched for only when a line might be full.
    line: usize,
    searched: usize,
    /// No rule breaks the line in a gap before a move of White, or before another element, if what follows ends here or earlier.
    limits: [usize; 2],
    /// If it begins here or earlier.
    by_start: bool,
}

impl<'s> Check<'s> {
    /// At the beginning of the game `src`.
    #[must_use]
    pub fn new(style: &'s Style, src: &'s [u8]) -> Check<'s> {
        let walk = Walk::new(style);
        let (limits, by_start) = (walk.room(), matches!(style.wrap.rule, Rule::Beyond(_)));
        Check { walk, src, at: 0, line: 0, searched: 0, limits, by_start }
    }

    /// Whether the gap before the next element is as predicted; `rest` are those behind it.
    #[inline(always)]
    pub fn gap(&mut self, elem: &Elem, rest: &[Elem]) -> bool {
        let next = next_class(elem.kind, elem.num, rest.first().map(|e| e.kind));
        let (start, end) = (elem.start as usize, elem.end as usize);
        let limit = self.limits[usize::from(next != WHITE)];
        let reach = if self.by_start { self.at } else { end };
        let is_plain = self.walk.is_unbroken_at(self.src, self.at, start, next, elem.num, reach <= limit);
        let right = is_plain || self.gap_exactly(elem, rest, next);
        self.at = end;
        self.walk.follow(elem.kind);
        right
    }

    /// Whether the gap at the end is as predicted.
    pub fn end(&mut self) -> bool {
        self.search(self.at);
        self.walk.predicts(self.src, self.at, self.src.len(), END, 0, 0)
    }

    #[inline(never)]
    fn gap_exactly(&mut self, elem: &Elem, rest: &[Elem], next: usize) -> bool {
        self.search(self.at);
        let start = elem.start as usize;
        let mut word = 0;
        if self.walk.wants_word() {
            word = self.walk.word(elem.kind, &self.src[elem.span()])
                + sticky_tail(&self.walk, elem.kind, rest.iter().map(|e| (e.kind, e.num)));
        }
        let right = self.walk.predicts(self.src, self.at, start, next, elem.num, word);
        // A newline in the gap makes room again.
        self.search(start);
        right
    }

    /// Searches for newlines up to `at`, where the walk then stands.
    fn search(&mut self, at: usize) {
        if !self.walk.wants_column() {
            return;
        }
        let column = column_after(self.searched - self.line, &self.src[self.searched..at]);
        (self.line, self.searched) = (at - column, at);
        self.walk.set_column(column);
        self.limits = self.walk.room().map(|room| self.line.saturating_add(room));
    }
}
