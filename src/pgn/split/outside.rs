//! Outside games: comments, which belong to the game after them if that has no tags, and stray
//! text.

use super::{Splitter, State, Step, UnitKind};
use crate::begin::{closing, is_result_alone, newline_len, starts_movetext};
use crate::blanks::{More, back_over_blanks, past_blanks};
use crate::tag::{Scan, TagPair, in_mail, is_newline};

impl Splitter {
    /// Decides what begins at the current byte. A `%` line belongs to the game that follows it.
    pub(super) fn classify(&mut self, buf: &[u8], eof: bool) -> Step {
        let byte = *buf.get(self.at).ok_or(More)?;
        if self.open.is_some() {
            // The open unit is `%` lines and blanks that were too long for one unit: end it before
            // the text that follows.
            return Ok(Some(self.at));
        }
        if byte == b'%' && self.is_line_start_or_bom(buf) {
            (self.state, self.behind) = (State::RestOfLine, State::Between);
            return Ok(None);
        }
        if let Some(pair) = self.game_start(buf, eof)? {
            self.begin_game(buf, pair);
            return Ok(None);
        }
        if self.newlines > 1 && is_result_alone(&buf[self.at..], eof)? {
            self.begin_game(buf, None);
            return Ok(None);
        }
        if byte == b'{' && self.newlines == 0 {
            self.at = closing(buf, self.at + 1, true, eof)?.unwrap_or(self.at);
        }
        self.open = Some(UnitKind::Stray(false));
        self.paragraph = false;
        // A comment on the line of a terminator is about the game before, and so not part of the
        // next game.
        self.state = if self.newlines > 0 && matches!(byte, b'{' | b';') {
            State::Preface
        } else {
            State::StrayRest
        };
        Ok(None)
    }

    /// Before, between or behind comments. If movetext follows, they belong to its game; if
    /// anything else follows, they are text outside games.
    pub(super) fn preface(&mut self, buf: &[u8], eof: bool) -> Step {
        self.skip_space(buf, eof)?;
        if self.is_too_long() {
            return Ok(None);
        }
        let at = self.at;
        self.behind = State::Preface;
        self.state = match buf[at] {
            b'{' => State::PrefaceRest,
            b';' => State::RestOfLine,
            b'%' if self.is_line_start(buf, at) => State::RestOfLine,
            byte => match self.game_start(buf, eof)? {
                Some(_) if byte == b'[' && self.begins_line(buf) => return Ok(Some(at)),
                Some(None) if self.open == Some(UnitKind::Stray(false)) => {
                    self.begin_game(buf, None);
                    return Ok(None);
                }
                _ => State::StrayRest,
            },
        };
        Ok(None)
    }

    /// Whether only blanks of the open unit stand between the beginning of the line and the current
    /// byte.
    fn begins_line(&self, buf: &[u8]) -> bool {
        let begin = back_over_blanks(buf, self.start, self.at, usize::MAX);
        self.is_line_start(buf, begin)
    }

    /// Where the blanks at the beginning of this line end, and `> ` before a tag pair.
    fn past_indent(&self, buf: &[u8], eof: bool) -> Result<usize, More> {
        let at = past_blanks(buf, self.at, usize::MAX, true, eof)?;
        if at == buf.len() {
            return Err(More);
        }
        Ok(in_mail(buf, at, eof)?.unwrap_or(at))
    }

    /// At the beginning of a line of a comment: a tag pair ends it if it is not closed.
    pub(super) fn preface_start(&mut self, buf: &[u8], eof: bool) -> Step {
        let at = self.past_indent(buf, eof)?;
        self.at = at;
        if buf[at] == b'[' && self.game_start(buf, eof)?.is_some() {
            match closing(buf, at, true, eof)? {
                Some(close) => self.at = close,
                None => return Ok(Some(at)),
            }
        }
        self.state = State::PrefaceRest;
        Ok(None)
    }

    pub(super) fn preface_rest(&mut self, buf: &[u8]) -> Step {
        self.skip_to(buf, memchr::memchr3(b'\n', b'\r', b'}', &buf[self.at..]))?;
        self.state = match buf[self.at] {
            b'}' => State::Preface,
            _ => State::PrefaceStart,
        };
        self.at += 1;
        Ok(None)
    }

    /// Text outside games: looks at the beginning of each line for a tag pair, and after each empty
    /// line for movetext.
    pub(super) fn stray_line(&mut self, buf: &[u8], eof: bool) -> Step {
        let at = self.past_indent(buf, eof)?;
        self.at = at;
        let byte = buf[at];
        if !is_newline(byte) && (byte == b'[' || self.paragraph) {
            // Tells `classify` whether an empty line stands before.
            self.newlines = if self.paragraph { 2 } else { 1 };
            if self.game_start(buf, eof)?.is_some()
                || self.paragraph
                    && (is_result_alone(&buf[at..], eof)? || matches!(byte, b'{' | b';'))
            {
                return Ok(Some(at));
            }
        }
        self.paragraph = is_newline(byte);
        self.state = State::StrayRest;
        Ok(None)
    }

    pub(super) fn stray_rest(&mut self, buf: &[u8]) -> Step {
        self.skip_line(buf, State::StrayLine)?;
        if buf.ends_with(b"\r") && self.at + 1 == buf.len() {
            // Perhaps half of a CRLF.
            self.state = State::StrayRest;
            return Err(More);
        }
        self.at += newline_len(buf, self.at);
        Ok(None)
    }

    /// Whether a game begins here: with a tag pair, a move number or a first move.
    fn game_start(&mut self, buf: &[u8], eof: bool) -> Scan<Option<TagPair>> {
        if buf[self.at] == b'[' {
            return Ok(self.tag_at(buf, self.at, eof)?.map(Some));
        }
        Ok(starts_movetext(&buf[self.at..], eof, self.knights)?.then_some(None))
    }
}
