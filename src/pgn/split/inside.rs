//! Inside games: the tag section and the movetext, up to the byte that ends the game.

use super::{Splitter, State, Step};
use crate::pgn::begin::{lost, terminator_at};
use crate::pgn::plain::skip_plain;
use crate::pgn::result::{MAX_RESULT, MAX_SHARE};
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
            b'-' | b'/' | b':' => match self.terminator(buf, eof) {
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

    /// A terminator around the current byte, as a token of its own.
    fn terminator(&self, buf: &[u8], eof: bool) -> Scan<usize> {
        let at = self.at - self.start;
        let open = &buf[self.start..];
        let may_begin = |byte: &u8| matches!(byte, b'0' | b'1' | 0xbd | 0xc2);
        let mut begins = (at.saturating_sub(MAX_SHARE)..at).filter(|&i| may_begin(&open[i]));
        let Some(first) = begins.next() else {
            return Scan::No;
        };
        // A longer terminator, perhaps of a forfeit, and the byte behind it.
        if open.len() < at + MAX_RESULT + 3 && !eof {
            return Scan::More;
        }
        let end = |begin: usize| {
            let (_, len) = terminator_at(open, begin, self.promotions)?;
            (begin + len > at).then_some(self.start + begin + len)
        };
        match end(first).or_else(|| begins.find_map(end)) {
            Some(end) => Scan::Yes(end),
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
