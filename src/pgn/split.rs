//! Where games begin and end (D11; spec/pgn-import.md has the definition in prose).
//!
//! [`Splitter`] runs over the source once, with constant state and a bounded look-ahead, and cuts
//! it into units: games, text outside games, and pieces of games that are too long. The reader of
//! games never asks this question again.

use super::blanks::{More, back_over_blanks, blank_at, is_cut};
use super::piece_letters::{PieceLetters, PromotionLetters};
use super::tag::{
    BOM, MAX_INDENT, Scan, TAG_WINDOW, TagPair, has_window, in_mail, is_newline, is_space, search,
};

mod inside;
mod outside;
mod section;

use section::Section;

/// A longer game, or region of text outside games, is cut into pieces of this size.
pub const MAX_UNIT: usize = 16 * 1024 * 1024;

/// The kind of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitKind {
    /// A game, whole.
    Game,
    /// Text outside games; `true`: continues the unit before.
    Stray(bool),
    /// A piece of a game longer than [`MAX_UNIT`]; `true`: continues the unit before.
    Piece(bool),
}

/// A stretch of the source. Units follow each other without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The kind.
    pub kind: UnitKind,
    /// Offset of its first byte in the buffer.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// The first byte is the first of a line.
    pub line_start: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In the white space after a unit, which belongs to the unit; at the beginning of the source,
    /// to the first unit.
    Between,
    /// At something that may begin a game.
    Classify,
    /// Behind comments that movetext without tags may follow.
    Preface,
    /// In such a comment, in braces: at the beginning of a line, or further on.
    PrefaceStart,
    PrefaceRest,
    /// Between tag pairs.
    Tags,
    /// In the movetext, before the first ply.
    Opening,
    Moves,
    /// In the movetext behind a ply, at the beginning of a line: behind blanks and comments alone.
    LineStart,
    /// In a comment in braces in the movetext, behind which [`Splitter::behind`] is the state.
    Brace,
    /// A `;` comment or a `%` line; likewise.
    RestOfLine,
    /// Text outside games, at the beginning of a line.
    StrayLine,
    /// In text outside games, further on in a line.
    StrayRest,
}

/// Cuts a source into units.
#[derive(Debug)]
pub struct Splitter {
    state: State,
    /// The splitter has examined everything before this offset.
    at: usize,
    /// Beginning of the open unit.
    start: usize,
    /// The kind of the open unit, once it is known.
    open: Option<UnitKind>,
    /// The end of the open unit, once it is known.
    boundary: Option<usize>,
    /// The byte before the buffer.
    before: Option<u8>,
    /// Open variations.
    depth: u64,
    /// In a comment in braces inside the movetext.
    in_comment: bool,
    /// The state behind the line, or behind the comment in movetext.
    behind: State,
    /// The number with which the movetext begins.
    first_number: u32,
    /// Where the first comment or number of this line of movetext stands.
    line_begin: Option<usize>,
    /// No tag pair begins before this place.
    tags_from: usize,
    /// Line ends since the last tag pair; outside games, since the end of the last unit (two at the
    /// beginning of the source).
    newlines: u32,
    /// The tag section of the open unit.
    section: Section,
    /// The current stray line follows an empty one.
    paragraph: bool,
    /// The letters of a knight.
    knights: [u8; 2],
    /// The letters of promotions.
    promotions: PromotionLetters,
}

/// The outcome of one step: where the open unit ends, if that is known now.
type Step = Scan<usize>;

impl Splitter {
    /// At the beginning of a source whose moves are written with these piece letters. The English
    /// letter of a knight counts too, unless another piece of the language has it.
    pub fn in_letters(letters: Option<&'static PieceLetters>) -> Splitter {
        let local = letters.map_or(b'N', |letters| letters.local(b'N'));
        let has_n = letters.is_some_and(|letters| letters.has('N'));
        Splitter {
            knights: [local, if has_n { local } else { b'N' }],
            promotions: PromotionLetters::new(letters),
            state: State::Between,
            at: 0,
            start: 0,
            open: None,
            boundary: None,
            before: None,
            depth: 0,
            in_comment: false,
            behind: State::Moves,
            first_number: 1,
            line_begin: None,
            tags_from: 0,
            newlines: 2,
            section: Section::default(),
            paragraph: false,
        }
    }

    /// Tells the splitter that the caller removed the first `n` bytes of the buffer, all of units
    /// already returned; `last` was the last of them.
    pub fn drained(&mut self, n: usize, last: u8) {
        self.before = Some(last);
        self.at -= n;
        self.start -= n;
        self.boundary = self.boundary.map(|b| b - n);
        self.tags_from = self.tags_from.saturating_sub(n);
        self.line_begin = self.line_begin.and_then(|begin| begin.checked_sub(n));
    }

    /// The next unit in `buf`, which holds the buffer of the last call and perhaps more bytes.
    /// `None`: more bytes are needed, or, with `eof`, there is nothing left.
    pub fn next_unit(&mut self, buf: &[u8], eof: bool) -> Option<Unit> {
        loop {
            if let Some(end) = self.boundary {
                if end - self.start > MAX_UNIT {
                    return Some(self.piece(buf));
                }
                let kind = self.open.take().unwrap_or(UnitKind::Stray(false));
                self.boundary = None;
                return Some(self.give(buf, kind, end));
            }
            if self.is_too_long() {
                return Some(self.piece(buf));
            }
            match self.step(buf, eof) {
                Ok(None) => {}
                Err(More) if self.is_too_long() => {}
                Err(More) if !eof || self.start == buf.len() => return None,
                Err(More) => {
                    self.at = buf.len();
                    self.boundary = Some(buf.len());
                }
                Ok(Some(end)) => {
                    self.at = end;
                    self.boundary = Some(end);
                    self.state = State::Classify;
                }
            }
        }
    }

    fn give(&mut self, buf: &[u8], kind: UnitKind, end: usize) -> Unit {
        let unit = Unit {
            kind,
            start: self.start,
            end,
            line_start: self.is_line_start(buf, self.start),
        };
        self.start = end;
        unit
    }

    /// Whether more bytes of the open unit were examined than a unit may have. Tested before every
    /// look back towards the beginning of the unit, so that the outcome does not depend on the read
    /// size.
    fn is_too_long(&self) -> bool {
        self.at - self.start > MAX_UNIT
    }

    /// Ends a unit after the first [`MAX_UNIT`] bytes of the open one. A unit of nothing but `%`
    /// lines and blanks, whose kind is still open, is text outside games.
    fn piece(&mut self, buf: &[u8]) -> Unit {
        let (kind, rest) = match self.open {
            Some(UnitKind::Stray(continues)) => (UnitKind::Stray(continues), UnitKind::Stray(true)),
            None => (UnitKind::Stray(false), UnitKind::Stray(true)),
            Some(UnitKind::Piece(continues)) => (UnitKind::Piece(continues), UnitKind::Piece(true)),
            Some(UnitKind::Game) => (UnitKind::Piece(false), UnitKind::Piece(true)),
        };
        self.open = Some(rest);
        self.section.clear();
        self.give(buf, kind, self.start + MAX_UNIT)
    }

    fn is_line_start(&self, buf: &[u8], at: usize) -> bool {
        match at.checked_sub(1) {
            Some(i) => is_newline(buf[i]),
            None => self.before.is_none_or(is_newline),
        }
    }

    /// Whether only blanks stand between the beginning of the line and `at`, at most [`MAX_INDENT`].
    fn is_first_on_line(&self, buf: &[u8], at: usize) -> bool {
        let begin = back_over_blanks(buf, self.start, at, MAX_INDENT);
        self.is_line_start(buf, begin)
    }

    /// Looks for a tag pair at `at`. Where its window ends in a quoted value, no other tag pair
    /// begins in the window: so each byte is looked at once.
    fn tag_at(&mut self, buf: &[u8], at: usize, eof: bool) -> Scan<TagPair> {
        if at < self.tags_from {
            return Ok(None);
        }
        match search(buf, at, self.is_first_on_line(buf, at), eof) {
            Err(More) if has_window(buf, at, eof) => {
                self.tags_from = at + TAG_WINDOW;
                Ok(None)
            }
            found => found,
        }
    }

    fn step(&mut self, buf: &[u8], eof: bool) -> Step {
        match self.state {
            State::Between => self.between(buf, eof),
            State::Classify => self.classify(buf, eof),
            State::RestOfLine => self.skip_line(buf, self.behind),
            State::Preface => self.preface(buf, eof),
            State::PrefaceStart => self.preface_start(buf, eof),
            State::PrefaceRest => self.preface_rest(buf),
            State::StrayRest => self.stray_rest(buf),
            State::StrayLine => self.stray_line(buf, eof),
            State::Tags => self.tags(buf, eof),
            State::Opening => self.opening(buf, eof),
            State::Moves => self.moves(buf, eof),
            State::LineStart => self.line_start(buf, eof),
            State::Brace => self.brace(buf, eof),
        }
    }

    /// Moves on by as many bytes as were searched, or to the end of the buffer, if all were.
    fn skip_to(&mut self, buf: &[u8], found: Option<usize>) -> Result<(), More> {
        self.at = found.map_or(buf.len(), |n| self.at + n);
        found.map(drop).ok_or(More)
    }

    fn skip_line(&mut self, buf: &[u8], then: State) -> Step {
        self.skip_to(buf, memchr::memchr2(b'\n', b'\r', &buf[self.at..]))?;
        self.state = then;
        Ok(None)
    }

    /// Skips blanks, up to something behind them, and counts line ends.
    fn skip_space(&mut self, buf: &[u8], eof: bool) -> Result<(), More> {
        while let Some(&byte) = buf.get(self.at) {
            if !is_space(byte) {
                if is_cut(byte, buf.len() - self.at) && !eof {
                    return Err(More);
                }
                match blank_at(&buf[self.at..]) {
                    0 => return Ok(()),
                    n => self.at += n,
                }
                continue;
            }
            let before = self.at.checked_sub(1).map_or(self.before, |i| Some(buf[i]));
            let is_end = byte == b'\r' || (byte == b'\n' && before != Some(b'\r'));
            self.newlines = self.newlines.saturating_add(u32::from(is_end));
            self.at += 1;
        }
        Err(More)
    }

    fn between(&mut self, buf: &[u8], eof: bool) -> Step {
        self.skip_space(buf, eof)?;
        // The bracket of a tag pair in quoted mail begins a game.
        if buf[self.at] == b'>' && !self.is_too_long() && self.is_first_on_line(buf, self.at) {
            self.at = in_mail(buf, self.at, eof)?.unwrap_or(self.at);
        }
        if self.open.is_some() {
            return Ok(Some(self.at));
        }
        self.state = State::Classify;
        Ok(None)
    }

    fn is_line_start_or_bom(&self, buf: &[u8]) -> bool {
        self.is_line_start(buf, self.at)
            || (self.before.is_none() && self.at == 3 && buf.starts_with(BOM))
    }

    fn begin_game(&mut self, buf: &[u8], pair: Option<TagPair>) {
        self.open = Some(UnitKind::Game);
        (self.depth, self.in_comment, self.first_number) = (0, false, 1);
        match pair {
            Some(pair) => {
                self.section.clear();
                self.add_tag(buf, pair);
                self.state = State::Tags;
            }
            None => self.state = State::Opening,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_in(text: &[u8], read: usize) -> Vec<(UnitKind, Vec<u8>)> {
        let mut splitter = Splitter::in_letters(None);
        let mut units = Vec::new();
        let mut have = 0;
        loop {
            let eof = have == text.len();
            while let Some(u) = splitter.next_unit(&text[..have], eof) {
                units.push((u.kind, text[u.start..u.end].to_vec()));
            }
            if eof {
                return units;
            }
            have = (have + read).min(text.len());
        }
    }

    fn split(text: &str) -> Vec<(UnitKind, String)> {
        let whole = split_in(text.as_bytes(), text.len().max(1));
        for read in [1, 2, 3, 7] {
            assert_eq!(
                whole,
                split_in(text.as_bytes(), read),
                "{text:?} in reads of {read}"
            );
        }
        assert_eq!(
            whole.iter().flat_map(|u| u.1.clone()).collect::<Vec<_>>(),
            text.as_bytes()
        );
        whole
            .into_iter()
            .map(|(k, t)| (k, String::from_utf8_lossy(&t).into_owned()))
            .collect()
    }

    fn games(text: &str) -> Vec<String> {
        split(text)
            .into_iter()
            .map(|(k, t)| match k {
                UnitKind::Game => t,
                _ => format!("~{t}"),
            })
            .collect()
    }

    #[test]
    fn nothing_and_blanks() {
        assert!(games("").is_empty());
        assert_eq!(games(" \n\r\n"), ["~ \n\r\n"]);
        assert_eq!(games("\u{feff}"), ["~\u{feff}"]);
    }

    #[test]
    fn terminators_and_tags() {
        assert_eq!(
            games("[A \"b\"]\n\n1. e4 1-0\n\n[A \"c\"]\n\n*\n"),
            ["[A \"b\"]\n\n1. e4 1-0\n\n", "[A \"c\"]\n\n*\n"]
        );
        assert_eq!(
            games("[A \"b\"]\n1. e4\n[A \"c\"]\nd4"),
            ["[A \"b\"]\n1. e4\n", "[A \"c\"]\nd4"]
        );
        assert_eq!(
            games("1. e4 a5*[Event \"x\"]\n*"),
            ["1. e4 a5*", "[Event \"x\"]\n*"]
        );
        assert_eq!(
            games("e4 e5 1/2 d4 d5 1/2-1/2 c4 0-1"),
            ["e4 e5 1/2 ", "d4 d5 1/2-1/2 ", "c4 0-1"]
        );
        assert_eq!(
            games("1. e4 (1-0) 2. O-O 0-0-0 1-0\n"),
            ["1. e4 (1-0) 2. O-O 0-0-0 1-0\n"]
        );
        assert_eq!(
            games("1. e4 {1-0 * [A \"b\"]} (*) *1. d4"),
            ["1. e4 {1-0 * [A \"b\"]} (*) *", "1. d4"]
        );
    }

    #[test]
    fn tags_without_moves() {
        assert_eq!(
            games("[A \"1\"]\n[B \"2\"]\n\n[A \"3\"]\n\n[B \"4\"]"),
            ["[A \"1\"]\n[B \"2\"]\n\n", "[A \"3\"]\n\n[B \"4\"]"]
        );
        assert_eq!(
            games("[A \"{ ; (\"]\n* [A \"x\"] *"),
            ["[A \"{ ; (\"]\n* ", "[A \"x\"] *"]
        );
    }

    #[test]
    fn unclosed() {
        let tags = "[A \"1\"]\n[B \"2\"]\r\n[C \"3\"]\n\n";
        let text = format!("1. e4 {{ lost\n\n{tags}1. d4 (1... d5\r\n\r\n{tags}1. c4 *\n");
        assert_eq!(
            games(&text),
            [
                "1. e4 { lost\n\n".into(),
                format!("{tags}1. d4 (1... d5\r\n\r\n"),
                format!("{tags}1. c4 *\n")
            ]
        );
        let two = "1. e4 { lost\n\n[A \"1\"]\n[B \"2\"]\n\n1. d4 } *";
        assert_eq!(games(two), [two]);
    }

    /// A closed comment or variation may quote a game; the end of one without an end may come soon,
    /// but belongs to another then.
    #[test]
    fn quoted_games_in_what_is_closed() {
        let tags = "[A \"1\"]\n[B \"2\"]\n[C \"3\"]\n";
        for (text, count) in [
            (
                format!("1. e4 {{See\n\n{tags}\n1. d4 1-0\n}} e5 *\n\n{tags}\n*"),
                2,
            ),
            (format!("{{See\n\n{tags}}} 1. e4 *"), 1),
            (format!("[A \"0\"]\n\n{{See\n\n{tags}}} 1. e4 *"), 1),
            (format!("1. e4 (1. d4 {{See\n\n{tags}\n}} d5) e5 *"), 1),
            (format!("1. e4 (1. d4\n\n{tags}1... d5) e5 *"), 1),
            (format!("1. e4 e5 * {{See\n\n{tags}\n1. d4 *\n}}\n"), 1),
            (format!("1. e4 {{lost\n\n{tags}\n1. d4 {{best}} *"), 2),
            (format!("1. e4 (1. d4\n\n{tags}1. d4 (1. c4) *"), 2),
            (format!("1. e4 (1. d4\n\n{tags}1. d4 {{:)}} *"), 2),
            (
                format!("1. e4 {{lost\n\n{tags}{}}} *", " ".repeat(65_540)),
                2,
            ),
        ] {
            let found = games(&text);
            let found = found.iter().filter(|game| !game.starts_with('~'));
            assert_eq!(found.count(), count, "{text:?}");
        }
    }

    #[test]
    fn another_game_begins_with_the_first_number() {
        assert_eq!(
            games("1. e4 e5\n\n1. d4 d5\n1. c4\n1 Nf3 *"),
            ["1. e4 e5\n\n", "1. d4 d5\n", "1. c4\n", "1 Nf3 *"]
        );
        assert_eq!(
            games("[A \"b\"]\n\n1. e4 {x} e5 ; y\n {One} ; two\n\n%three\n{Four} 1. d4 *"),
            [
                "[A \"b\"]\n\n1. e4 {x} e5 ; y\n ",
                "{One} ; two\n\n%three\n{Four} 1. d4 *"
            ]
        );
        assert_eq!(
            games("[FEN \"x\"]\n23. Kd2 Kd7\n24. Kd3\n23. Kd1\n1. e4\n 23. d4"),
            [
                "[FEN \"x\"]\n23. Kd2 Kd7\n24. Kd3\n",
                "23. Kd1\n",
                "1. e4\n 23. d4"
            ]
        );
        for one in [
            "1. e4 {x}\n1... e5\n1. ... e5\n1.\u{2026} e5\n1 . . e5 *",
            "1. e4 e5 2. d4 1. e4\n10. e4\n1-0",
            "[A \"b\"]\nWords\n1.\n{2}\n1. e4 e5 *",
            "1. e4 (1. d4\n1. c4)\n{x\n1. c4\n\n1. d4}\n;\n1... e5 *",
            "1. e4 e5\n1.",
        ] {
            assert_eq!(games(one), [one]);
        }
    }

    #[test]
    fn prose_and_percent() {
        assert_eq!(
            games(
                "Some words.\n1. not a game\n\n1. e4 *\nmore\n[A \"b\"]\n*\n%x\n% y\n[A \"c\"] *\n%z"
            ),
            [
                "~Some words.\n1. not a game\n\n",
                "1. e4 *\n",
                "~more\n",
                "[A \"b\"]\n*\n",
                "%x\n% y\n[A \"c\"] *\n",
                "~%z"
            ]
        );
        assert_eq!(
            games("1. e4\n%a { ( [A \"b\"] *\n; { *\ne5 *"),
            ["1. e4\n%a { ( [A \"b\"] *\n; { *\ne5 *"]
        );
        assert_eq!(
            games("Ng1-f3 d5 * e2e4 * e2-e4 * e5"),
            ["Ng1-f3 d5 * ", "e2e4 * ", "e2-e4 * ", "~e5"]
        );
    }

    #[test]
    fn too_long() {
        let mut text = b"1. e4 {".to_vec();
        text.resize(2 * MAX_UNIT + 5, b'x');
        text.extend_from_slice(b"} *\n1. d4 *");
        for read in [1 << 16, 1 << 20, MAX_UNIT + 1, usize::MAX / 2] {
            let units = split_in(&text, read);
            let kinds: Vec<_> = units.iter().map(|u| (u.0, u.1.len())).collect();
            let rest = UnitKind::Piece(true);
            let expected = [
                (UnitKind::Piece(false), MAX_UNIT),
                (rest, MAX_UNIT),
                (rest, 9),
                (UnitKind::Game, 7),
            ];
            assert_eq!(kinds, expected);
        }
    }
}
