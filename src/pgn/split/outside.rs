//! Outside games: comments, which belong to the game after them if that has no tags, and stray
//! text.

use super::{Splitter, State, Step, UnitKind};
use crate::begin::{closing, is_result_alone, newline_len, starts_movetext};
use crate::blanks::{back_over_blanks, past_blanks};
use crate::tag::{Scan, TagPair, in_mail, is_newline};

impl Splitter {
    /// Decides what begins at the current byte. A `%` line belongs to the game that follows it.
    pub(super) fn classify(&mut self, buf: &[u8], eof: bool) -> Step {
        let Some(&byte) = buf.get(self.at) else {
            return Step::Need;
        };
        if self.open.is_some() {
            // The open unit is `%` lines and blanks that were too long for one unit: end it before
            // the text that follows.
            return Step::End(self.at);
        }
        if byte == b'%' && self.is_line_start_or_bom(buf) {
            self.state = State::LeadLine;
            return Step::Go;
        }
        match self.game_start(buf, eof) {
            Scan::More => return Step::Need,
            Scan::Yes(pair) => {
                self.begin_game(buf, pair);
                return Step::Go;
            }
            Scan::No => {}
        }
        if self.newlines > 1 {
            match is_result_alone(&buf[self.at..], eof) {
                Scan::More => return Step::Need,
                Scan::Yes(()) => {
                    self.begin_game(buf, None);
                    return Step::Go;
                }
                Scan::No => {}
            }
        }
        if byte == b'{' && self.newlines == 0 {
            match closing(buf, self.at + 1, true, eof) {
                Scan::More => return Step::Need,
                Scan::Yes(close) => self.at = close,
                Scan::No => {}
            }
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
        Step::Go
    }

    /// Before, between or behind comments. If movetext follows, they belong to its game; if
    /// anything else follows, they are text outside games.
    pub(super) fn preface(&mut self, buf: &[u8], eof: bool) -> Step {
        if !self.skip_space(buf, eof) {
            return Step::Need;
        }
        if self.is_too_long() {
            return Step::Go;
        }
        let at = self.at;
        self.state = match buf[at] {
            b'{' => State::PrefaceRest,
            b';' => State::PrefaceLine,
            b'%' if self.is_line_start(buf, at) => State::PrefaceLine,
            byte => match self.game_start(buf, eof) {
                Scan::More => return Step::Need,
                Scan::Yes(_) if byte == b'[' && self.begins_line(buf) => return Step::End(at),
                Scan::Yes(None) if self.open == Some(UnitKind::Stray(false)) => {
                    self.begin_game(buf, None);
                    return Step::Go;
                }
                _ => State::StrayRest,
            },
        };
        Step::Go
    }

    /// Whether only blanks of the open unit stand between the beginning of the line and the current
    /// byte.
    fn begins_line(&self, buf: &[u8]) -> bool {
        let begin = back_over_blanks(buf, self.start, self.at, usize::MAX);
        self.is_line_start(buf, begin)
    }

    /// Where the blanks at the beginning of this line end, and `> ` before a tag pair. `None`: more
    /// bytes are needed.
    fn past_indent(&self, buf: &[u8], eof: bool) -> Option<usize> {
        let at = past_blanks(buf, self.at, usize::MAX, true, eof)?;
        match in_mail(buf, at, eof) {
            _ if at == buf.len() => None,
            Scan::More => None,
            Scan::Yes(tag) => Some(tag),
            Scan::No => Some(at),
        }
    }

    /// At the beginning of a line of a comment: a tag pair ends it if it is not closed.
    pub(super) fn preface_start(&mut self, buf: &[u8], eof: bool) -> Step {
        let Some(at) = self.past_indent(buf, eof) else {
            return Step::Need;
        };
        self.at = at;
        if buf[at] == b'[' {
            match self.game_start(buf, eof) {
                Scan::More => return Step::Need,
                Scan::Yes(_) => match closing(buf, at, true, eof) {
                    Scan::More => return Step::Need,
                    Scan::Yes(close) => self.at = close,
                    Scan::No => return Step::End(at),
                },
                Scan::No => {}
            }
        }
        self.state = State::PrefaceRest;
        Step::Go
    }

    pub(super) fn preface_rest(&mut self, buf: &[u8]) -> Step {
        let Some(n) = memchr::memchr3(b'\n', b'\r', b'}', &buf[self.at..]) else {
            self.at = buf.len();
            return Step::Need;
        };
        self.at += n + 1;
        self.state = if buf[self.at - 1] == b'}' {
            State::Preface
        } else {
            State::PrefaceStart
        };
        Step::Go
    }

    /// Text outside games: looks at the beginning of each line for a tag pair, and after each empty
    /// line for movetext.
    pub(super) fn stray_line(&mut self, buf: &[u8], eof: bool) -> Step {
        let Some(at) = self.past_indent(buf, eof) else {
            return Step::Need;
        };
        let byte = buf[at];
        if is_newline(byte) {
            self.paragraph = true;
            self.at = at;
            self.state = State::StrayRest;
            return Step::Go;
        }
        if byte == b'[' || self.paragraph {
            self.at = at;
            // Tells `classify` whether an empty line stands before.
            self.newlines = if self.paragraph { 2 } else { 1 };
            match self.game_start(buf, eof) {
                Scan::More => return Step::Need,
                Scan::Yes(_) => return Step::End(at),
                Scan::No => {}
            }
        }
        if self.paragraph {
            match is_result_alone(&buf[at..], eof) {
                Scan::More => return Step::Need,
                Scan::Yes(()) => return Step::End(at),
                Scan::No if matches!(byte, b'{' | b';') => return Step::End(at),
                Scan::No => {}
            }
        }
        self.at = at;
        self.paragraph = false;
        self.state = State::StrayRest;
        Step::Go
    }

    pub(super) fn stray_rest(&mut self, buf: &[u8]) -> Step {
        let step = self.skip_line(buf, State::StrayLine);
        if matches!(step, Step::Go) {
            if buf.get(self.at + 1).is_none() && buf[self.at] == b'\r' {
                // Perhaps half of a CRLF.
                self.state = State::StrayRest;
                return Step::Need;
            }
            self.at += newline_len(buf, self.at);
        }
        step
    }

    /// Whether a game begins here: with a tag pair, a move number or a first move.
    fn game_start(&mut self, buf: &[u8], eof: bool) -> Scan<Option<TagPair>> {
        if buf[self.at] == b'[' {
            return match self.tag_at(buf, self.at, eof) {
                Scan::Yes(pair) => Scan::Yes(Some(pair)),
                Scan::No => Scan::No,
                Scan::More => Scan::More,
            };
        }
        match starts_movetext(&buf[self.at..], eof, self.knights) {
            Scan::Yes(()) => Scan::Yes(None),
            Scan::No => Scan::No,
            Scan::More => Scan::More,
        }
    }
}
