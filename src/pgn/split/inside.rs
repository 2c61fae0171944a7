//! Inside games: the tag section and the movetext, up to the byte that ends the game.

use super::{Splitter, State, Step};
use crate::begin::{begins_again, closing, is_ply, lost, number_at, terminator_at};
use crate::blanks::{More, blank_at, is_cut};
use crate::plain::skip_plain;
use crate::result::{MAX_RESULT, MAX_SHARE};
use crate::tag::{Scan, TagPair, in_mail, is_space, plain_pair};
use crate::words::digits;

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
                return Err(More);
            }
            self.at += 1;
        }
        if self.is_too_long() {
            return Ok(None);
        }
        match *buf.get(self.at).ok_or(More)? {
            b'[' => {}
            b'%' if self.is_line_start(buf, self.at) => {
                // It is no empty line: its own end does not count.
                self.newlines = self.newlines.saturating_sub(1);
                (self.state, self.behind) = (State::RestOfLine, State::Tags);
                return Ok(None);
            }
            byte => {
                let rest = &buf[self.at..];
                if is_cut(byte, rest.len()) && !eof {
                    return Err(More);
                }
                let mail = match byte {
                    b'>' if self.is_first_on_line(buf, self.at) => in_mail(buf, self.at, eof)?,
                    _ => None,
                };
                match (mail, blank_at(rest)) {
                    (Some(tag), _) => self.at = tag,
                    (None, 0) => self.state = State::Opening,
                    (None, n) => self.at += n,
                }
                return Ok(None);
            }
        }
        if self.newlines <= 1
            && let Some(pair) = plain_pair(buf, self.at)
            && !self.section.may_have(&buf[pair.name.clone()])
        {
            self.add_tag(buf, pair);
            return Ok(None);
        }
        match self.tag_at(buf, self.at, eof)? {
            None => self.state = State::Opening,
            Some(pair) if self.begins_section(buf, &pair, eof)? => return Ok(Some(self.at)),
            Some(pair) => self.add_tag(buf, pair),
        }
        Ok(None)
    }

    /// Goes on behind a tag pair, which belongs to the section.
    #[inline]
    pub(super) fn add_tag(&mut self, buf: &[u8], pair: TagPair) {
        self.at = pair.end;
        self.section.add(buf, self.start, pair);
        self.newlines = 0;
    }

    /// In the movetext, up to the first ply: notes the number with which the movetext begins.
    pub(super) fn opening(&mut self, buf: &[u8], eof: bool) -> Step {
        while let Some(&byte) = buf.get(self.at) {
            let rest = &buf[self.at..];
            match byte {
                b'{' => {
                    self.at += 1;
                    (self.state, self.behind) = (State::Brace, State::Opening);
                    return Ok(None);
                }
                b'\n' | b'\r' | b';' | b'%' | b'[' | b'(' | b')' | b'*' | b'-' | b'/' | b':' => {
                    self.behind = State::Opening;
                    match self.stop(byte, buf, eof)? {
                        None if self.state == State::Opening => {}
                        end => return Ok(end),
                    }
                }
                _ if self.depth > 0 || !byte.is_ascii_alphanumeric() => self.at += 1,
                _ if rest.len() < 6 && !eof => return Err(More),
                _ if is_ply(rest) => {
                    self.state = State::Moves;
                    return Ok(None);
                }
                _ => {
                    let digits = digits(rest, 5);
                    if rest.get(digits) == Some(&b'.') {
                        self.first_number = number_at(rest).unwrap_or(self.first_number);
                    }
                    self.at += digits.max(1);
                }
            }
        }
        Err(More)
    }

    /// In the movetext, up to the byte that ends the game or begins something else.
    pub(super) fn moves(&mut self, buf: &[u8], eof: bool) -> Step {
        self.behind = State::Moves;
        loop {
            (self.at, self.in_comment) =
                skip_plain(buf, self.at, self.in_comment, self.first_number != 1);
            let byte = *buf.get(self.at).ok_or(More)?;
            match self.stop(byte, buf, eof)? {
                None if self.state == State::Moves => {}
                end => return Ok(end),
            }
        }
    }

    /// Examines a byte that may end the game or begin something else. Moves on, or changes the
    /// state.
    fn stop(&mut self, byte: u8, buf: &[u8], eof: bool) -> Step {
        if self.is_too_long() {
            return Err(More);
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
            b'[' if self.tag_at(buf, at, eof)?.is_some() => return Ok(Some(at)),
            b'*' => return self.terminated(at + 1),
            b'-' | b'/' | b':' if let Some(end) = self.terminator(buf, eof)? => {
                return self.terminated(end);
            }
            _ => {}
        }
        self.at += 1;
        Ok(None)
    }

    fn terminated(&mut self, end: usize) -> Step {
        self.at = end;
        self.newlines = 0;
        self.state = State::Between;
        Ok(None)
    }

    /// A terminator around the current byte, as a token of its own.
    fn terminator(&self, buf: &[u8], eof: bool) -> Scan<usize> {
        let at = self.at - self.start;
        let open = &buf[self.start..];
        let may_begin = |byte: &u8| matches!(byte, b'0' | b'1' | 0xbd | 0xc2);
        let mut begins = (at.saturating_sub(MAX_SHARE)..at).filter(|&i| may_begin(&open[i]));
        let Some(first) = begins.next() else {
            return Ok(None);
        };
        // A longer terminator, perhaps of a forfeit, and the byte behind it.
        if open.len() < at + MAX_RESULT + 3 && !eof {
            return Err(More);
        }
        let end = |begin: usize| {
            let (_, len) = terminator_at(open, begin, self.promotions)?;
            (begin + len > at).then_some(self.start + begin + len)
        };
        Ok(end(first).or_else(|| begins.find_map(end)))
    }

    /// At a line end in movetext. Behind it a game may begin again, or, in a comment or a variation,
    /// another game that these would swallow.
    fn line_end(&mut self, buf: &[u8], eof: bool) -> Step {
        if self.in_comment || self.depth > 0 {
            if let Some(lost) = lost(buf, self.start, self.at, eof)? {
                let Some(close) = closing(buf, self.at, self.in_comment, eof)? else {
                    return Ok(Some(lost));
                };
                // What is closed may quote a game.
                self.at = close;
                return Ok(None);
            }
        } else if self.state == State::Moves {
            (self.state, self.line_begin) = (State::LineStart, None);
        }
        self.at += 1;
        Ok(None)
    }

    /// At the beginning of a line of movetext: if White's first number follows, perhaps behind
    /// comments, another game begins there.
    pub(super) fn line_start(&mut self, buf: &[u8], eof: bool) -> Step {
        self.skip_space(buf, eof)?;
        if self.is_too_long() {
            return Ok(None);
        }
        let at = self.at;
        // A place before a cut between two pieces no longer counts.
        let begin = self.line_begin.filter(|&begin| begin > self.start);
        let begin = begin.unwrap_or(at);
        self.line_begin = Some(begin);
        self.behind = State::LineStart;
        self.state = match buf[at] {
            b'{' => {
                self.at += 1;
                State::Brace
            }
            b';' => State::RestOfLine,
            b'%' if self.is_line_start(buf, at) => State::RestOfLine,
            _ if begins_again(&buf[at..], eof, self.knights, self.first_number)? => {
                // Comments on lines of their own belong to the game that follows.
                self.newlines = 2;
                return Ok(Some(begin));
            }
            _ => State::Moves,
        };
        Ok(None)
    }

    /// In a comment in braces, to its end.
    pub(super) fn brace(&mut self, buf: &[u8], eof: bool) -> Step {
        self.skip_to(buf, memchr::memchr3(b'\n', b'\r', b'}', &buf[self.at..]))?;
        if self.is_too_long() {
            return Ok(None);
        }
        if buf[self.at] == b'}' {
            self.at += 1;
            self.state = self.behind;
            return Ok(None);
        }
        self.in_comment = true;
        let step = self.line_end(buf, eof);
        self.in_comment = false;
        step
    }
}
