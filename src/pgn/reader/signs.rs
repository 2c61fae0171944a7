//! Signs between elements: those that stand for glyphs, and dashes that are no moves
//! (spec/pgn-import.md section 3.3).

use super::MovetextReader;
use crate::blanks::{blank_at, is_space, trim_end};
use crate::game::{ElemKind, Form, Mark};
use crate::nag::PlainSign;
use crate::piece_letters::EnglishToken;
use crate::token::{joined_sign, starts_symbol, symbol_len};
use crate::words::digits;

impl MovetextReader<'_, '_> {
    /// A sign of `len` bytes, which no symbol touches: a glyph, or characters without meaning.
    pub(super) fn sign(&mut self, len: usize) {
        let rest = &self.src[self.at..];
        let joined = joined_sign(rest, len);
        let is_tail = |byte: &u8| b",.:;'\"]".contains(byte);
        let bare = rest[..len].iter().rposition(|byte| !is_tail(byte));
        let whole = match bare {
            Some(last) if joined == len => last + 1,
            _ => joined,
        };
        match self.glyph_of(whole) {
            Some((marks, nag)) => {
                if marks > 0 {
                    self.skip_junk(marks);
                }
                self.push(ElemKind::Nag, self.at + whole - marks, nag);
            }
            None => self.skip_junk(joined),
        }
    }

    /// The glyph of the sign of `len` bytes that begins here, and the length of the check marks of
    /// the move that the sign begins with.
    fn glyph_of(&self, len: usize) -> Option<(usize, u32)> {
        let sign = &self.src[self.at..self.at + len];
        let plain = PlainSign::new(sign)?;
        let is_white = self
            .line
            .as_ref()
            .is_none_or(|line| line.now.num() % 2 == 1);
        let before = self.game.last().filter(|elem| elem.kind == ElemKind::Move);
        let Some(elem) = before else {
            return Some((0, plain.nag(is_white)?));
        };
        // For a pawn that promotes, the `=` may be part of the move.
        let spelling = &self.src[elem.span()];
        let is_promotion = matches!(spelling, [b'a'..=b'h' | b'P', .., b'1' | b'8']);
        if plain.bytes() == b"=" && elem.spelled.form() == Form::Other && is_promotion {
            return None;
        }
        let has_blank = sign.iter().any(|&byte| is_space(byte));
        let is_loose = has_blank || elem.end as usize == self.at;
        let lacks_mark = elem.spelled.mark() == Mark::None && elem.spelled.check() != Mark::None;
        if !(lacks_mark && is_loose) {
            return Some((0, plain.nag(is_white)?));
        }
        let (marks, nag) = plain.nag_behind_check(is_white)?;
        // White space may stand behind the marks.
        let mut places = (0..len).filter(|&at| !is_space(sign[at]));
        Some((places.nth(marks)?, nag))
    }

    /// Whether the dashes of `len` bytes that stand here separate two moves, so that they are no null
    /// move: no move number stands before them, and behind them stands the number of the position, or
    /// a legal move without one.
    pub(super) fn separates(&self, len: usize) -> bool {
        let Some(line) = self.line.as_ref().filter(|_| self.text.is_none()) else {
            return false;
        };
        if trim_end(&self.src[..self.at]).ends_with(b".") {
            return false;
        }
        let mut at = self.at + len;
        while let blank @ 1.. = blank_at(&self.src[at..]) {
            at += blank;
        }
        let rest = &self.src[at..];
        let figures = digits(rest, 10);
        if figures > 0 && rest.get(figures) == Some(&b'.') {
            let number = std::str::from_utf8(&rest[..figures]).map(str::parse::<u32>);
            return matches!(number, Ok(Ok(number)) if number == line.now.num() >> 1);
        }
        if !starts_symbol(self.src, at, self.promotions) {
            return false;
        }
        let token = &rest[..symbol_len(self.src, at, self.promotions)];
        let mut buffer = EnglishToken::default();
        let letters = self.game.games.letters;
        let english = letters.and_then(|letters| letters.english(token, &mut buffer));
        line.now.resolve(english.unwrap_or(token)).is_ok()
    }
}
