//! Inside games: the tag section and the movetext, up to the byte that ends the game.

use super::{Splitter, State, Step};
use crate::pgn::begin::{is_free, lost, terminator_len};
use crate::pgn::plain::skip_plain;
use crate::pgn::tag::{PLAIN_FRAME, Scan, is_space, plain, tag_pair, window};

impl Splitter {
    /// Between tag pairs: goes on to the next one, or to the movetext.
    pub(super) fn tags(&mut self, buf: &[u8], eof: bool) -> Step {
        while let Some(&byte) = buf.get(self.at) {
            if byte == b'\n' || (byte == b'\r' && buf.get(self.at + 1).is_some_and(|&b| b != b'\n'))
            {
                self.newlines += 1;
            } else if !is_space(byte) {
                break;
            } else if byte == b'\r' && self.at + 1 == buf.len() && !eof {
                return Step::Need;
            }
            self.at += 1;
        }
        if self.is_too_long() {
            return Step::Go;
        }
        match buf.get(self.at) {
            None => return Step::Need,
            Some(b'[') => {}
            Some(b'%') if self.is_line_start(buf, self.at) => {
                self.state = State::TagLine;
                return Step::Go;
            }
            Some(_) => {
                self.state = State::Moves;
                return Step::Go;
            }
        }
        if self.newlines <= 1
            && let Some((name, value)) = plain(window(buf, self.at))
        {
            self.newlines = 0;
            self.at += name + value + PLAIN_FRAME;
            return Step::Go;
        }
        match tag_pair(buf, self.at, self.is_first_on_line(buf, self.at), eof) {
            Scan::More => return Step::Need,
            Scan::No => self.state = State::Moves,
            // Tags without moves: the roster begins again after an empty line.
            Scan::Yes(pair) if self.newlines > 1 && buf[pair.name.clone()] == *self.first_name => {
                return Step::End(self.at);
            }
            Scan::Yes(pair) => {
                self.newlines = 0;
                self.at = pair.end;
            }
        }
        Step::Go
    }

    /// In the movetext, up to the byte that ends the game or begins something else.
    pub(super) fn moves(&mut self, buf: &[u8], eof: bool) -> Step {
        loop {
            (self.at, self.in_comment) = skip_plain(buf, self.at, self.in_comment);
            let Some(&byte) = buf.get(self.at) else {
                return Step::Need;
            };
            match self.stop(byte, buf, eof) {
                Step::Go if self.state == State::Moves => {}
                step => return step,
            }
        }
    }

    /// Examines a byte that may end the game or begin something else. Moves on, or changes the
    /// state.
    fn stop(&mut self, byte: u8, buf: &[u8], eof: bool) -> Step {
        if self.is_too_long() {
            return Step::Need;
        }
        let at = self.at;
        match byte {
            b'\n' | b'\r' => return self.line_end(buf, eof),
            _ if self.in_comment => {}
            b';' => self.state = State::RestOfLine,
            b'%' if self.is_line_start(buf, at) => self.state = State::RestOfLine,
            b'(' => self.depth += 1,
            b')' => self.depth = self.depth.saturating_sub(1),
            _ if self.depth > 0 => {}
            b'[' => match tag_pair(buf, at, self.is_first_on_line(buf, at), eof) {
                Scan::More => return Step::Need,
                Scan::Yes(_) => return Step::End(at),
                Scan::No => {}
            },
            b'*' => return self.terminated(at + 1),
            b'-' | b'/' => match self.terminator(byte, buf, eof) {
                Scan::More => return Step::Need,
                Scan::Yes(end) => return self.terminated(end),
                Scan::No => {}
            },
            _ => {}
        }
        self.at += 1;
        Step::Go
    }

    fn terminated(&mut self, end: usize) -> Step {
        self.at = end;
        self.newlines = 0;
        self.state = State::Between;
        Step::Go
    }

    /// `1-0`, `0-1`, `1/2-1/2` or `1/2` around the current byte, as a token of its own.
    fn terminator(&self, byte: u8, buf: &[u8], eof: bool) -> Scan<usize> {
        let Some(first) = self.at.checked_sub(1).filter(|&i| i >= self.start) else {
            return Scan::No;
        };
        if !is_free(&buf[self.start..first], self.promotions) {
            return Scan::No;
        }
        // The longest terminator, 1/2-1/2, and the byte after it.
        let window = &buf[first..buf.len().min(first + 8)];
        match terminator_len(window) {
            Some((_, len)) if (window.len() > len && window.len() >= 4) || eof => {
                Scan::Yes(first + len)
            }
            Some(_) => Scan::More,
            None if window.len() < 8 && !eof && (byte == b'/' || window.len() < 4) => Scan::More,
            None => Scan::No,
        }
    }

    /// At a line end in movetext, which can end the game only in a comment or a variation.
    fn line_end(&mut self, buf: &[u8], eof: bool) -> Step {
        if self.in_comment || self.depth > 0 {
            match lost(buf, self.at, eof) {
                Scan::More => return Step::Need,
                Scan::Yes(at) => return Step::End(at),
                Scan::No => {}
            }
        }
        self.at += 1;
        Step::Go
    }
}
