//! The parts of text outside games: comments (PGN 1994, 5), `%` lines (6), and words.

use std::ops::Range;

use pgc_pgn::epd::source::line_end;
use pgc_pgn::reader::MAX_ESCAPE;
use pgc_pgn::tag::{BOM, is_all_blank, is_newline, is_space};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoosePart {
    /// A `%` line.
    Escape,
    /// In braces, or from `;` to the end of its line. It begins a line, or follows a comment.
    Comment,
    /// Lines of anything else.
    Words,
}

/// Divides a text outside games. White space between the parts belongs to none.
pub(crate) struct LooseParts<'a> {
    text: &'a [u8],
    at: usize,
    line_start: bool,
    /// Whether no brace closes a comment from here on.
    unclosed: bool,
}

impl<'a> LooseParts<'a> {
    /// `line_start`: the first byte of the text is the first of a line.
    pub(crate) fn new(text: &'a [u8], line_start: bool) -> LooseParts<'a> {
        let at = if text.starts_with(BOM) { BOM.len() } else { 0 };
        LooseParts {
            text,
            at,
            line_start: line_start || at > 0,
            unclosed: false,
        }
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        let blanks = rest.iter().take_while(|&&byte| is_space(byte)).count();
        if rest[..blanks].last().is_some_and(|&byte| is_newline(byte)) {
            self.line_start = true;
        } else if blanks > 0 {
            self.line_start = false;
        }
        self.at += blanks;
    }

    /// The `%` line or the comment that begins here.
    fn part(&mut self) -> Option<(LoosePart, usize)> {
        match self.text.get(self.at)? {
            b'%' if self.line_start => {
                let (end, _) = line_end(self.text, self.at);
                (end - self.at - 1 <= MAX_ESCAPE).then_some((LoosePart::Escape, end))
            }
            b';' => Some((LoosePart::Comment, line_end(self.text, self.at).0)),
            b'{' if !self.unclosed => {
                let close = memchr::memchr(b'}', &self.text[self.at..]);
                self.unclosed = close.is_none();
                Some((LoosePart::Comment, self.at + close? + 1))
            }
            _ => None,
        }
    }
}

impl Iterator for LooseParts<'_> {
    type Item = (LoosePart, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        self.skip_space();
        let start = self.at;
        if let Some((part, end)) = self.part() {
            (self.at, self.line_start) = (end, false);
            return Some((part, start..end));
        }
        let mut end = start;
        while self.at < self.text.len() {
            (self.at, _) = line_end(self.text, self.at);
            end = self.at;
            self.skip_space();
            if self.part().is_some() {
                break;
            }
        }
        let words = self.text[start..end].trim_ascii_end();
        (!is_all_blank(words)).then(|| (LoosePart::Words, start..start + words.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::LoosePart::{Comment, Escape, Words};
    use super::{LoosePart, LooseParts};

    #[test]
    fn parts_of_text_outside_games() {
        let parts = |text: &'static str, line_start| -> Vec<(LoosePart, &str)> {
            let parts = LooseParts::new(text.as_bytes(), line_start);
            parts.map(|(part, span)| (part, &text[span])).collect()
        };
        assert_eq!(
            parts(
                "Round 3; {x}\r\n 4 \n%a\n\n%b \n; c }\n{d\n%e} {f} g\n %h",
                true
            ),
            [
                (Words, "Round 3; {x}\r\n 4"),
                (Escape, "%a"),
                (Escape, "%b "),
                (Comment, "; c }"),
                (Comment, "{d\n%e}"),
                (Comment, "{f}"),
                (Words, "g\n %h"),
            ]
        );
        assert_eq!(parts("%a\n%b", false), [(Words, "%a"), (Escape, "%b")]);
        assert_eq!(
            parts("{a\n{b\n\u{feff}", true),
            [(Words, "{a\n{b\n\u{feff}")]
        );
        assert_eq!(parts("\u{feff}%a", false), [(Escape, "%a")]);
        assert_eq!(parts(" \n \u{200b}\u{2009} ", true), []);
    }
}
