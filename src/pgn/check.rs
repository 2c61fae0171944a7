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

    /// Where the gap begins.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Goes on from the element `from` over all that are spelled as predicted and whose gaps are seen at once to be as predicted; tells how
    /// far it came. What it needs is kept out of memory: it does most of the work.
    #[inline(never)]
    pub fn skip(&mut self, elems: &[Elem], from: usize, is_spelled: impl Fn(&Elem) -> bool) -> usize {
        let (mut place, mut at, mut done) = (*self.walk.place(), self.at, from);
        let (src, [white, other], by_start) = (self.src, self.limits, self.by_start);
        while let Some(elem) = elems.get(done) {
            let next = next_class(elem.kind, elem.num, elems.get(done + 1).map(|e| e.kind));
            let (start, end) = (elem.start as usize, elem.end as usize);
            let limit = if next == WHITE { white } else { other };
            let reach = if by_start { at } else { end };
            if !(is_spelled(elem) && place.is_plain(src, at, start, next, elem.num, reach <= limit)) {
                break;
            }
            place.follow(elem.kind);
            at = end;
            done += 1;
        }
        *self.walk.place() = place;
        self.at = at;
        done
    }

    /// Whether the gap before the next element is as predicted; `rest` are those behind it.
    pub fn gap(&mut self, elem: &Elem, rest: &[Elem]) -> bool {
        self.search(self.at);
        let next = next_class(elem.kind, elem.num, rest.first().map(|e| e.kind));
        let start = elem.start as usize;
        let mut word = 0;
        if self.walk.wants_word() {
            word = self.walk.word(elem.kind, &self.src[elem.span()])
                + sticky_tail(&self.walk, elem.kind, rest.iter().map(|e| (e.kind, e.num)));
        }
        let right = self.walk.predicts(self.src, self.at, start, next, elem.num, word);
        // A newline in the gap makes room again.
        self.search(start);
        self.at = elem.end as usize;
        self.walk.place().follow(elem.kind);
        right
    }

    /// Whether the gap at the end is as predicted.
    pub fn end(&mut self) -> bool {
        self.search(self.at);
        self.walk.predicts(self.src, self.at, self.src.len(), END, 0, 0)
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
