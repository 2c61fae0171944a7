//! Compares the gaps of a parsed game with what a style predicts.
//!
//! Nearly all gaps are what their template makes, on lines that are not full. A fast path accepts
//! these; [`Walk`] decides all others.

use crate::layout::{
    BreakRule, END, Style, WHITE, Walk, column_after_few, next_class, sticky_tail,
};
use pgc_pgn::game::Elem;

/// Goes over the elements of a game and checks the gap before each.
pub(crate) struct GapChecker<'s> {
    walk: Walk<'s>,
    src: &'s [u8],
    /// Where the next gap begins.
    pub at: usize,
    /// The beginning of the current line, and the offset up to which newlines have been searched
    /// for. That is done only when a line might be full.
    line: usize,
    searched: usize,
    /// No rule breaks the line in a gap before a move of White, or before another element, if that
    /// element ends at this offset or earlier.
    limits: [usize; 2],
    /// The limits apply to the beginning of the gap instead.
    by_start: bool,
}

impl<'s> GapChecker<'s> {
    /// Begins with the game `src`.
    pub(crate) fn new(style: &'s Style, src: &'s [u8]) -> GapChecker<'s> {
        let walk = Walk::new(style);
        let (limits, by_start) = (walk.room(), matches!(style.wrap.rule, BreakRule::Beyond(_)));
        GapChecker {
            walk,
            src,
            at: 0,
            line: 0,
            searched: 0,
            limits,
            by_start,
        }
    }

    /// The fast path, which does most of the work: from the element `from` on, passes over all that
    /// are spelled as predicted and whose gaps are obviously as predicted. Returns the index where
    /// it stopped. It keeps its state in registers.
    #[inline(never)]
    pub(crate) fn skip(
        &mut self,
        elems: &[Elem],
        from: usize,
        is_spelled: impl Fn(&Elem) -> bool,
    ) -> usize {
        let (mut place, mut at, mut done) = (self.walk.place, self.at, from);
        let (src, [white, other], by_start) = (self.src, self.limits, self.by_start);
        while let Some(elem) = elems.get(done) {
            let next = next_class(elem.kind, elem.num, elems.get(done + 1).map(|e| e.kind));
            let end = elem.end as usize;
            let limit = if next == WHITE { white } else { other };
            let reach = if by_start { at } else { end };
            if !(is_spelled(elem) && place.is_plain(src, at, elem, next, reach <= limit)) {
                break;
            }
            place.follow(elem.kind);
            at = end;
            done += 1;
        }
        self.walk.place = place;
        self.at = at;
        done
    }

    /// Whether the gap before `elem` is as predicted; `rest` are the elements behind it.
    pub(crate) fn gap(&mut self, elem: &Elem, rest: &[Elem]) -> bool {
        self.search(self.at);
        let next = next_class(elem.kind, elem.num, rest.first().map(|e| e.kind));
        let start = elem.start as usize;
        let mut word = 0;
        if self.walk.wants_word() {
            word = self.walk.word(elem.kind, &self.src[elem.span()])
                + sticky_tail(&self.walk, elem.kind, rest);
        }
        let walk = &mut self.walk;
        let right = walk.predicts(self.src, self.at, start, next, elem.num, word);
        // A newline in the gap begins a new line.
        self.search(start);
        self.at = elem.end as usize;
        self.walk.place.follow(elem.kind);
        right
    }

    /// Whether the gap at the end is as predicted.
    pub(crate) fn end(&mut self) -> bool {
        self.search(self.at);
        self.walk
            .predicts(self.src, self.at, self.src.len(), END, 0, 0)
    }

    /// Searches for newlines up to `at`, and moves the walk there.
    fn search(&mut self, at: usize) {
        if !self.walk.wants_column() {
            return;
        }
        let column = column_after_few(self.searched - self.line, &self.src[self.searched..at]);
        (self.line, self.searched) = (at - column, at);
        self.walk.column = column;
        self.limits = self.walk.room().map(|room| self.line.saturating_add(room));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::game::element;
    use crate::layout::{Newline, Wrap};
    use pgc_pgn::game::ElemKind;

    /// A generator of numbers below `n` (Knuth's constants).
    fn random(state: &mut u64, n: u64) -> usize {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((*state >> 33) % n).unwrap()
    }

    /// What a [`GapChecker`] must tell, gap by gap, from [`Walk`] alone.
    fn right_gaps(style: &Style, src: &[u8], elems: &[Elem]) -> Vec<bool> {
        let (mut walk, mut at, mut right) = (Walk::new(style), 0, Vec::new());
        for (i, elem) in elems.iter().enumerate() {
            let (start, spelling, rest) = (elem.start as usize, &src[elem.span()], &elems[i + 1..]);
            let next = next_class(elem.kind, elem.num, rest.first().map(|e| e.kind));
            let sticky = sticky_tail(&walk, elem.kind, rest);
            let word = walk.word(elem.kind, spelling) + sticky;
            right.push(walk.predicts(src, at, start, next, elem.num, word));
            walk.pass(&src[at..start]);
            walk.advance(spelling, elem.kind);
            at = elem.end as usize;
        }
        right.push(walk.predicts(src, at, src.len(), END, 0, 0));
        right
    }

    /// A game that follows the style, but for some of its gaps.
    fn made_up(style: &Style, state: &mut u64) -> (Vec<u8>, Vec<Elem>) {
        const KINDS: [(ElemKind, &[u8]); 12] = [
            (ElemKind::Tag, b"[Event \"x\n\"]"),
            (ElemKind::Move, b"Nf3"),
            (ElemKind::Move, b"e4"),
            (ElemKind::Move, b"O-O-O"),
            (ElemKind::Move, b"exd5"),
            (ElemKind::Nag, b"!"),
            (ElemKind::Brace, b"{a comment}"),
            (ElemKind::Brace, b"{one\nwith lines\n in it}"),
            (ElemKind::Line, b"; to the end"),
            (ElemKind::RavOpen, b"("),
            (ElemKind::RavClose, b")"),
            (ElemKind::Text, b"no move\r here"),
        ];
        let picked: Vec<_> = (0..60)
            .map(|i| KINDS[if i % 3 > 0 { 2 } else { random(state, 12) }])
            .collect();
        let (mut src, mut elems, mut num) = (Vec::new(), Vec::new(), 2);
        let mut walk = Walk::new(style);
        for (i, &(kind, spelling)) in picked.iter().enumerate() {
            num += u32::from(kind == ElemKind::Move);
            let number = if kind == ElemKind::Move { num } else { 1 };
            let rest: Vec<_> = picked[i + 1..]
                .iter()
                .map(|&(kind, _)| element(kind, 1))
                .collect();
            let word = walk.word(kind, spelling) + sticky_tail(&walk, kind, &rest);
            let given = [b"  ", style.newline.bytes()]
                .get(random(state, 12))
                .copied();
            match given {
                Some(gap) => {
                    src.extend_from_slice(gap);
                    walk.pass(gap);
                }
                None => walk.put_gap(
                    &mut src,
                    next_class(kind, num, picked.get(i + 1).map(|p| p.0)),
                    number,
                    word,
                ),
            }
            let start = src.len();
            src.extend_from_slice(spelling);
            walk.advance(spelling, kind);
            let (start, end) = (
                u32::try_from(start).unwrap(),
                u32::try_from(src.len()).unwrap(),
            );
            elems.push(Elem {
                start,
                end,
                ..element(kind, number)
            });
        }
        src.extend_from_slice(b"\n\n");
        (src, elems)
    }

    #[test]
    fn what_is_seen_at_once_is_what_the_walk_says() {
        let mut state = 1;
        let rules = [
            BreakRule::None,
            BreakRule::Width(30),
            BreakRule::Width(0),
            BreakRule::Beyond(25),
            BreakRule::Beyond(0),
            BreakRule::Every(2),
        ];
        for round in 0..600 {
            let newline = [Newline::Lf, Newline::CrLf, Newline::Cr][random(&mut state, 3)];
            let mut style = Style::new(newline);
            let mut coin = || random(&mut state, 3) == 0;
            style.wrap = Wrap {
                rule: rules[round % rules.len()],
                first_word: coin(),
                bare_close: coin(),
                sticky: coin(),
                trailing: coin(),
                if_room: coin(),
                bare_number: coin(),
            };
            style.suffixes = coin();
            if coin() {
                style.set_template(2, WHITE, b" #.").unwrap();
                style.set_template(2, 4, b"").unwrap();
            }
            let (src, elems) = made_up(&style, &mut state);
            let mut check = GapChecker::new(&style, &src);
            let (mut right, mut i) = (Vec::new(), 0);
            loop {
                i = check.skip(&elems, i, |elem| elem.end % 7 > 0);
                right.resize(i, true);
                let Some(elem) = elems.get(i) else { break };
                i += 1;
                right.push(check.gap(elem, &elems[i..]));
            }
            right.push(check.end());
            assert_eq!(
                right,
                right_gaps(&style, &src, &elems),
                "{:?} {:?}",
                style.wrap,
                String::from_utf8_lossy(&src)
            );
            assert!(right.iter().filter(|right| **right).count() > elems.len() / 2);
        }
    }
}
