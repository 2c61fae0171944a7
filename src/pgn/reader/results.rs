//! The results in movetext: what ends the game, and what looks the same (spec/pgn-import.md section 5).

use super::{MovetextReader, PlayLine};
use crate::begin::{last_result, terminator_at};
use crate::blanks::unseen_len;
use crate::reading::line_end;
use crate::result::{ResultKind, SpelledResult, stated};
use crate::tag::unescape;
use crate::token::is_blank;

impl MovetextReader<'_, '_> {
    /// The terminator at this place.
    pub(super) fn result(&self) -> Option<(u8, usize)> {
        terminator_at(self.src, self.at, self.promotions).or_else(|| {
            let found = last_result(self.src, self.at, self.promotions)?;
            self.is_result(&found).then_some((found.number, found.len))
        })
    }

    /// Whether the last token of a game is its result: castling and judgements of a position look
    /// the same.
    fn is_result(&self, found: &SpelledResult) -> bool {
        let is_open = !self.outer.is_empty() || self.text.is_some_and(|text| text.depth > 0);
        if is_open || found.kind == ResultKind::Dashed {
            return !is_open;
        }
        let line = self.line.as_ref().filter(|_| self.text.is_none());
        let castles = |line: &PlayLine| line.now.resolve(b"O-O").is_ok();
        let has_fen = || self.game.tag(self.src, b"FEN").is_some();
        let is_forfeit = |line: &PlayLine| line.moves == 0 && !has_fen();
        self.is_stated(found)
            || line.is_some_and(|line| match self.src[self.at] {
                b'0' => !castles(line),
                _ => is_forfeit(line),
            })
    }

    /// The length of a double forfeit at this place that the Result tag states, if only comments and
    /// white space follow: it is no castling, and no terminator, which nothing follows.
    pub(super) fn forfeit(&self) -> Option<usize> {
        let rest = &self.src[self.at..];
        let found = SpelledResult::at(rest).filter(|found| found.number == 4)?;
        let mut at = found.len;
        while let Some(&byte) = rest.get(at) {
            at = match byte {
                b'{' => at + memchr::memchr(b'}', &rest[at..])? + 1,
                b';' => line_end(rest, at),
                _ if is_blank(byte) => at + 1,
                _ => return None,
            };
        }
        let is_main = self.outer.is_empty() && self.text.is_none();
        (is_main && self.is_stated(&found)).then_some(found.len)
    }

    /// Whether the last Result tag states this result.
    fn is_stated(&self, found: &SpelledResult) -> bool {
        let value = self.game.tag(self.src, b"Result");
        let stated = value.and_then(|value| stated(&unescape(value)));
        stated.is_some_and(|(number, _)| number == found.number)
    }

    /// Whether what is not seen stands at `at`, and behind it the result of the game, whatever the
    /// symbol before it is.
    pub(super) fn meets_result(&self, at: usize) -> bool {
        let unseen = unseen_len(&self.src[at..]);
        if unseen == 0 || !self.outer.is_empty() {
            return false;
        }
        let found = last_result(self.src, at + unseen, self.promotions);
        found.is_some_and(|found| found.kind == ResultKind::Dashed || self.is_stated(&found))
    }
}
