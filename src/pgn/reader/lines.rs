//! The less simple parts of a line of play: moves that are not spelled as canonical SAN, text that
//! is not chess, variations.

use super::{MAX_DEPTH, MovetextReader, PlayLine, TextMode};
use crate::game::{ElemKind, Form, Gap, IssueKind, Mark, Spelled, TAIL, Wholeness};
use crate::piece_letters::EnglishToken;
use crate::reading::is_line_start;
use crate::token::says_no_piece;
use pgc_chess::{Position, Unresolved, coordinates};

/// So many braces are looked at to find the one that closes a comment with comments in it.
const MAX_BRACES: u32 = 16;

impl MovetextReader<'_, '_> {
    /// Plays a move that is not canonical SAN, or a move of a variant of chess. If it is no legal
    /// move, the rest of the line becomes text.
    #[inline(never)]
    pub(super) fn play_otherwise(&mut self, core: usize, len: usize) {
        let token = &self.src[self.at..self.at + len];
        if let Some((ordinal, num, form)) = self.play_token(token, false) {
            self.push_spelled((core, len), ordinal, num, form);
        }
    }

    /// Plays a move that is written with the piece letters of another language. It is canonical if
    /// all its letters are those of the language: `Nf3` and `cf3` among French moves are not.
    #[inline(never)]
    pub(super) fn play_in_letters(&mut self, core: usize, len: usize) {
        let token = &self.src[self.at..self.at + len];
        let mut buffer = EnglishToken::default();
        let Some(letters) = self.game.games.letters else {
            return self.play_otherwise(core, len);
        };
        let english = letters.english(token, &mut buffer).unwrap_or(token);
        let is_local = { token[..core].iter() }
            .zip(english)
            .all(|(&byte, &english)| letters.local(english) == byte);
        let is_file = letters.begins_with_file(token);
        if let Some((ordinal, num, form)) = self.play_token(english, is_file) {
            if form == Form::Canonical && !is_local {
                self.game.issue(IssueKind::Spelling, self.at, self.at + len);
            }
            let form = if is_local { form } else { Form::Other };
            self.push_spelled((core, len), ordinal, num, form);
        }
    }

    /// Plays the move that a token spells; `is_file`: a small `b` at its beginning is no bishop.
    /// Returns its ordinal, its number as an element has it, and its form. If it is no legal move,
    /// the rest of the line becomes text.
    fn play_token(&mut self, token: &[u8], is_file: bool) -> Option<(u8, u32, Form)> {
        let len = token.len();
        let Some(line) = &mut self.line else {
            self.unplayable(len, IssueKind::BadStart);
            return None;
        };
        let num = line.now.num();
        let is_queen = says_no_piece(self.src, self.at + len, self.promotions);
        match follow_leniently(&mut line.now, token, is_queen, is_file) {
            Ok((ordinal, form)) => {
                if form != Form::Canonical {
                    self.game.issue(IssueKind::Spelling, self.at, self.at + len);
                }
                Some((ordinal, num, form))
            }
            Err(mut what) => {
                let castles = matches!(token, [b'O' | b'0' | b'o', ..]);
                if castles && what == IssueKind::Illegal && self.game.lacks_chess960(self.src) {
                    what = IssueKind::NotChess960;
                }
                self.unplayable(len, what);
                None
            }
        }
    }

    /// Adds the move that was just played.
    fn push_spelled(&mut self, (core, len): (usize, usize), ordinal: u8, num: u32, form: Form) {
        let mark = Mark::from_text(&self.src[self.at + core..self.at + len]);
        let line = self.line.as_ref();
        let check = line.map_or(Mark::None, |line| line.now.check().into());
        let spelled = Spelled::new(form, mark, check);
        self.push_move(len, ordinal, num, spelled, Gap::Any);
    }

    /// Makes the rest of this line of play text (D9), and moves on by `len` bytes.
    pub(super) fn unplayable(&mut self, len: usize, what: IssueKind) {
        if what == IssueKind::NullMove && self.pass(len) {
            return;
        }
        if self.text.is_none() {
            // A bad start has its issue at its tag.
            if what != IssueKind::BadStart {
                self.game.issue(what, self.at, self.at + len);
            }
            if self.outer.is_empty()
                && let Some(issue) = self.game.games.issues.iter_mut().rfind(|n| n.what == what)
            {
                issue.main = true;
            }
            self.text = Some(TextMode {
                start: self.at,
                depth: 0,
                parenthesis: false,
            });
            if let Some(line) = &mut self.line {
                line.reported = true;
            }
            let has_moves = self.line.as_ref().is_some_and(|line| line.moves > 0);
            if !self.outer.is_empty() {
                self.game.facts.rav_texts += u32::from(has_moves);
            } else if has_moves {
                self.game.facts.wholeness = Wholeness::Tail;
            } else {
                self.game.facts.wholeness = Wholeness::TextOnly;
            }
        }
        self.at += len;
    }

    /// Plays a null move, if the caller wants them as elements.
    fn pass(&mut self, len: usize) -> bool {
        if !self.game.games.has_nulls || self.text.is_some() {
            return false;
        }
        self.save_position();
        let Some(line) = &mut self.line else {
            return false;
        };
        let num = line.now.num();
        if !line.now.pass() {
            return false;
        }
        line.moves += 1;
        self.push(ElemKind::Null, self.at + len, num);
        true
    }

    /// A move number of `len` digits is not that of the position. Each game counts one.
    #[cold]
    pub(super) fn wrong_number(&mut self, len: usize) {
        if self.text.is_none() && !self.miscounted {
            self.miscounted = true;
            self.game.issue(IssueKind::Number, self.at, self.at + len);
        }
    }

    /// Behind a comment that leaves this number of braces open: what follows, up to the brace that
    /// closes the first of them, is text of its own.
    #[cold]
    pub(super) fn nested_comment(&mut self, opened: usize) {
        let mut braces = opened;
        let start = self.src.len() - self.src[self.at..].trim_ascii_start().len();
        if self.src.get(start) == Some(&b'{') {
            // A comment is no text.
            self.nested = opened;
            return;
        }
        // Parentheses and other comments would make the splitter find another end of the game.
        let (mut at, mut depth, mut seen) = (start, 0_u32, 0);
        while let Some(&byte) = self.src.get(at) {
            at += 1;
            seen += u32::from(matches!(byte, b'{' | b'}'));
            match byte {
                _ if seen > MAX_BRACES => return,
                b'{' => braces += 1,
                b'}' => braces -= 1,
                b'(' => depth += 1,
                b')' if depth == 0 => return,
                b')' => depth -= 1,
                b';' => return,
                b'%' if is_line_start(self.src, at - 1, self.line_start) => return,
                _ => {}
            }
            if braces == 0 {
                break;
            }
        }
        if braces > 0 || depth > 0 || at - start < 2 {
            return;
        }
        self.game.issue(IssueKind::CommentNested, start, at);
        self.game.push(ElemKind::Text, start, at, 0);
        self.at = at;
    }

    /// A variation begins (D5).
    pub(super) fn open(&mut self) {
        if let Some(text) = &mut self.text {
            text.depth += 1;
            self.at += 1;
            return;
        }
        let is_too_deep = self.outer.len() >= MAX_DEPTH;
        let replaced = self
            .line
            .as_mut()
            .filter(|line| line.moves > 0 && !is_too_deep)
            .and_then(|line| {
                let mut now = line.now.clone();
                now.go_back(line.before.as_ref()?);
                Some((line, now))
            });
        match replaced {
            Some((line, now)) => {
                let (opener, kinds) = (self.game.games.elems.len(), self.game.facts.kinds);
                let inner = PlayLine::new(now, opener, kinds);
                self.outer.push(std::mem::replace(line, inner));
                self.push(ElemKind::RavOpen, self.at + 1, 0);
            }
            None => {
                self.game.issue(IssueKind::RavText, self.at, self.at + 1);
                self.game.facts.rav_texts += 1;
                self.text = Some(TextMode {
                    start: self.at,
                    depth: 1,
                    parenthesis: true,
                });
                self.at += 1;
            }
        }
    }

    pub(super) fn close(&mut self) {
        if let Some(text) = &mut self.text {
            if text.depth > 0 {
                text.depth -= 1;
                self.at += 1;
                if text.depth == 0 && text.parenthesis {
                    let start = text.start;
                    self.text = None;
                    self.game.push(ElemKind::Text, start, self.at, 0);
                }
                return;
            }
            if self.outer.is_empty() {
                self.at += 1;
                return;
            }
            self.end_text(self.at);
        }
        if self.outer.is_empty() {
            self.skip_junk(1);
        } else {
            self.close_line(self.at, self.at + 1);
            self.at += 1;
        }
    }

    /// Ends the text element before `end`, or before the white space there.
    pub(super) fn end_text(&mut self, end: usize) {
        if let Some(text) = self.text.take() {
            let end = self.trimmed(text.start, end);
            let num = if text.parenthesis { 0 } else { TAIL };
            self.game.push(ElemKind::Text, text.start, end, num);
        }
    }

    /// Ends the innermost variation. Its closing parenthesis is at `start..end`; it may be missing.
    pub(super) fn close_line(&mut self, start: usize, end: usize) {
        let Some(inner) = self.outer.pop().and_then(|outer| self.line.replace(outer)) else {
            return;
        };
        if inner.moves > 0 {
            self.game.push(ElemKind::RavClose, start, end, 0);
            self.game.closed(start < end, Gap::Any);
            return;
        }
        // Without a move that has an ordinal no record is possible (D5).
        let open = self.game.games.elems[inner.opener].start as usize;
        self.game.games.elems.truncate(inner.opener);
        self.game.facts.kinds = inner.kinds;
        if !inner.reported {
            self.game.issue(IssueKind::RavText, open, end);
        }
        self.game.facts.rav_texts += 1;
        self.game
            .push(ElemKind::Text, open, self.trimmed(open, end), 0);
    }
}

/// Plays a move that is not canonical SAN, or a move of a variant of chess. Returns its ordinal,
/// and the form of its text without check marks. `is_queen`: a promotion that names no piece is one
/// to a queen; else it is illegal. `is_file`: the token does not begin with a bishop.
#[inline(never)]
fn follow_leniently(
    now: &mut Position,
    token: &[u8],
    is_queen: bool,
    is_file: bool,
) -> Result<(u8, Form), IssueKind> {
    let found = now.resolve(token).map_err(|error| match error {
        Unresolved::Null => IssueKind::NullMove,
        Unresolved::Illegal => IssueKind::Illegal,
        Unresolved::Ambiguous => IssueKind::Ambiguous,
        Unresolved::NotAMove => IssueKind::NotAMove,
    })?;
    let (m, text) = (found.m, &token[..found.core]);
    let names_none = m.promotion().is_some() && matches!(text.last(), Some(b'1' | b'8'));
    if names_none && !is_queen || is_file && m.role().upper_char() == 'B' {
        return Err(IssueKind::Illegal);
    }
    let ordinal = found.ordinal.ok_or(IssueKind::NoOrdinal)?;
    now.play(m);
    let form = match found.canonical {
        true => Form::Canonical,
        false if coordinates(m).as_bytes() == text => Form::Squares,
        false => Form::Other,
    };
    Ok((ordinal, form))
}
