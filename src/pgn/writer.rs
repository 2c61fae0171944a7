//! Writes PGN export format (PGN 1994 3.2, 8.1, 8.2; comments and variations as `spec/pgc.md` lays
//! them out).
//!
//! The caller passes the elements one by one, and the writer appends them to a buffer. It knows
//! nothing of chess: moves come as SAN, and it counts them only to number them.
//!
//! In this file, a *unit* is what no line break may divide: a token with the parentheses and braces
//! that are attached to it. As many units as fit are put on a line of at most [`WIDTH`] columns,
//! one blank between them.

use std::ops::RangeInclusive;

use pgc_chess::{named_enum, names_position};

use super::records::record::ROSTER;
use super::result::stated;
use super::text::without_controls;
pub use super::text::{Encoding, Text};
use super::words::{letters, others, within};

/// "Each of which has less than 80 printing characters" (PGN 1994 8.2.1).
pub const WIDTH: usize = 79;

/// The values of unknown things in the tags of the roster (PGN 1994 8.1.1).
const UNKNOWN: [&[u8]; 7] = [b"?", b"?", b"????.??.??", b"?", b"?", b"?", b"*"];

named_enum! {
    /// A game termination marker (PGN 1994 8.2.6).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Termination, as_str {
        /// `1-0`
        WhiteWins => "1-0",
        /// `0-1`
        BlackWins => "0-1",
        /// `1/2-1/2`
        Draw => "1/2-1/2",
        /// `*`
        Unknown => "*",
    }
}

impl Termination {
    /// The marker with this spelling.
    pub fn from_bytes(bytes: &[u8]) -> Option<Termination> {
        let mut all = Termination::ALL.into_iter();
        Some(all.find(|known| known.0.as_bytes() == bytes)?.1)
    }

    /// The result that a Result tag with this value states: one of the four markers, or another
    /// spelling of them, such as `1 - 0` and `1/2`. A double forfeit, `0-0`, has no winner, and none
    /// of the four markers but `*`.
    pub fn from_tag(value: &[u8]) -> Option<Termination> {
        let spelled = || Termination::from_number(stated(value)?.0);
        Termination::from_bytes(value).or_else(spelled)
    }

    /// Whether a Result tag with this value says a result, or, with one character or none, that it
    /// is unknown, and nothing else: a forfeit says more.
    pub fn is_all_of(value: &[u8]) -> bool {
        let is_plain = || stated(value).is_some_and(|(_, is_all)| is_all);
        let is_short = std::str::from_utf8(value)
            .map_or(value.len() < 2, |text| text.chars().nth(1).is_none());
        is_short || Termination::from_bytes(value).is_some() || is_plain()
    }

    /// The result of a game with this Result tag and terminator: a known result beats an unknown
    /// one, and the tag beats the terminator (D13).
    pub fn combined(tag: Option<Termination>, terminator: Option<Termination>) -> Termination {
        let mut known = [tag, terminator].into_iter().flatten();
        let known = known.find(|&is| is != Termination::Unknown);
        known.unwrap_or(Termination::Unknown)
    }

    /// The half points of White and of Black; `None` if the result is unknown.
    pub fn half_points(self) -> Option<[u8; 2]> {
        match self {
            Termination::WhiteWins => Some([2, 0]),
            Termination::Draw => Some([1, 1]),
            Termination::BlackWins => Some([0, 2]),
            Termination::Unknown => None,
        }
    }

    /// The number where one is stored: 1 to 4 in the order of the variants; 0 is left for none.
    pub fn number(self) -> u8 {
        self as u8 + 1
    }

    /// The marker of a number.
    pub fn from_number(number: u8) -> Option<Termination> {
        let place = number.checked_sub(1)?;
        Termination::ALL
            .get(usize::from(place))
            .map(|known| known.1)
    }
}

/// A tag pair to be written; the value is without backslashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Tag<'a> {
    pub name: &'a [u8],
    pub value: Text<'a>,
}

/// Whether export format has a place for this name (PGN 1994 8.1: letters, digits and the
/// underscore).
pub fn is_tag_name(name: &[u8]) -> bool {
    let is_of_name = |word: u64| {
        others(letters(word) | within(word, b'0', b'9') | within(word, b'_', b'_')) == 0
    };
    match (name.as_chunks().0, name.last_chunk()) {
        // The last eight bytes may overlap those before them.
        (words, Some(last)) => {
            let mut words = words.iter().chain([last]);
            words.all(|word| is_of_name(u64::from_le_bytes(*word)))
        }
        _ => {
            let is_of_name = |&byte: &u8| byte.is_ascii_alphanumeric() || byte == b'_';
            !name.is_empty() && name.iter().all(is_of_name)
        }
    }
}

/// The value of the tag SetUp in a game with a FEN tag (PGN 1994 9.7.1).
const SET_UP: Text<'static> = Text::Utf8("1");

/// Adds the tag SetUp to games with a FEN (PGN 1994 9.7.2), and puts the result that the tags and
/// `known` state into the last Result tag, and into those before it what they state (D13).
fn complete(tags: &mut Vec<Tag<'_>>, known: Option<Termination>) -> Termination {
    let is_set_up = |tag: &Tag<'_>| tag.name == b"FEN" && names_position(tag.value.bytes());
    if tags.iter().any(is_set_up) {
        match tags.iter_mut().rfind(|tag| tag.name == b"SetUp") {
            Some(tag) => tag.value = SET_UP,
            None => tags.push(Tag {
                name: b"SetUp",
                value: SET_UP,
            }),
        }
    }
    let results = tags.iter_mut().rev().filter(|tag| tag.name == b"Result");
    let mut counts = None;
    for result in results {
        let stated = Termination::from_tag(result.value.bytes());
        let known = if counts.is_none() { known } else { None };
        let termination = Termination::combined(stated, known);
        result.value = Text::Utf8(termination.as_str());
        counts.get_or_insert(termination);
    }
    counts.unwrap_or(Termination::combined(None, known))
}

/// The place of a tag pair in export format (PGN 1994 8.1.1): in the roster, or behind it by its
/// name.
pub fn place_of_tag(name: &[u8]) -> (usize, &[u8]) {
    let place = ROSTER.iter().position(|known| known.as_bytes() == name);
    (place.unwrap_or(ROSTER.len()), name)
}

/// Writes the tag pair section and the blank line after it; returns the termination marker that the
/// movetext must end with. Sorts `tags` into the order of export format: the roster, then the
/// others in ASCII order of their names (PGN 1994 8.1.1). Tag pairs of the same name all stay, in
/// their order.
///
/// Adds missing tags of the roster, and `SetUp "1"` where there is a FEN. `known` is the terminator
/// that is known besides the Result tag: a known result beats an unknown one, and the tag beats the
/// terminator (D13). The returned marker is also the value of the last Result tag.
pub fn put_tag_section(
    out: &mut Vec<u8>,
    tags: &mut Vec<Tag<'_>>,
    known: Option<Termination>,
    encoding: Encoding,
) -> Termination {
    let termination = complete(tags, known);
    tags.sort_by(|a, b| place_of_tag(a.name).cmp(&place_of_tag(b.name)));

    let mut given = tags.iter().peekable();
    for (name, unknown) in ROSTER.map(str::as_bytes).into_iter().zip(UNKNOWN) {
        if given.peek().is_none_or(|tag| tag.name != name) {
            let value = match name {
                b"Result" => termination.as_str().as_bytes(),
                _ => unknown,
            };
            put_tag(out, name, value.into(), encoding);
        }
        while let Some(tag) = given.next_if(|tag| tag.name == name) {
            put_tag(out, tag.name, tag.value, encoding);
        }
    }
    for tag in given {
        put_tag(out, tag.name, tag.value, encoding);
    }
    out.push(b'\n');
    termination
}

/// PGN 1994 8.1: the only blank is between name and value; 7: a backslash before quotes and
/// backslashes.
fn put_tag(out: &mut Vec<u8>, name: &[u8], value: Text<'_>, encoding: Encoding) {
    out.push(b'[');
    out.extend_from_slice(name);
    out.extend_from_slice(b" \"");
    value.each_char(|c| {
        if matches!(c, '"' | '\\') {
            out.push(b'\\');
        }
        encoding.put(out, without_controls(c));
    });
    out.extend_from_slice(b"\"]\n");
}

/// Writes games into a buffer of its own; the caller takes the bytes when it likes, best between
/// games.
///
/// # Examples
/// ```
/// use pgc_pgn::writer::{Termination, Writer};
///
/// let mut writer = Writer::default();
/// writer.start(true, 1);
/// writer.san(b"e4");
/// writer.nag(1);
/// writer.san(b"e5");
/// writer.end_game(Termination::Draw);
/// assert_eq!(writer.bytes(), b"1. e4 $1 1... e5 1/2-1/2\n\n");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
    encoding: Encoding,
    /// Columns used on the line that is being filled.
    column: usize,
    /// Where in `out` the last unit begins, and its columns: a closing parenthesis may take it to
    /// the next line.
    unit: usize,
    unit_columns: usize,
    /// An opening parenthesis waits for the unit that it is attached to.
    open: bool,
    /// Plies before the next move, counted from White's move 1.
    ply: u64,
    /// `ply` of each line that an open variation interrupts.
    lines: Vec<u64>,
    /// A black move here needs a number (PGN 1994 8.2.2.2).
    numbered: bool,
    scratch: Vec<u8>,
    /// Comments that wait, a line each: with commands the last may join the next one, and NAGs of the
    /// move before them go before them.
    held: Vec<u8>,
    /// NAGs that a variation begins with, which go behind its first move.
    prefixes: Vec<u8>,
    /// What was written last, NAGs and comments apart.
    last: Last,
}

/// What was written last, NAGs and comments apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Last {
    Move,
    RavBegin,
    #[default]
    Other,
}

/// NAGs that ChessBase writes before the move they speak of, such as "better is".
const PREFIXES: RangeInclusive<u8> = 140..=145;

impl Writer {
    /// Writes text in this encoding.
    pub fn new(encoding: Encoding) -> Writer {
        Writer {
            encoding,
            ..Writer::default()
        }
    }

    /// The bytes that have been written and not yet cleared.
    pub fn bytes(&self) -> &[u8] {
        &self.out
    }

    /// Forgets the bytes written so far, which the caller has taken. In the middle of a line, that
    /// line may come out a column too long.
    pub fn clear(&mut self) {
        self.out.clear();
        self.unit = 0;
        self.unit_columns = self.column;
    }

    /// Begins the movetext of a game in which this side moves first and has this move number.
    pub fn start(&mut self, white_to_move: bool, fullmove: u32) {
        self.ply = 2 * u64::from(fullmove.saturating_sub(1)) + u64::from(!white_to_move);
        self.lines.clear();
        self.numbered = true;
        self.last = Last::Other;
    }

    /// A move, with its check mark.
    pub fn san(&mut self, san: &[u8]) {
        self.flush_held();
        // PGN 1994 8.2.2.2
        let white = self.ply.is_multiple_of(2);
        if white || self.numbered {
            let periods: &[u8] = if white { b"." } else { b"..." };
            let (digits, from) = decimal(self.ply / 2 + 1, periods);
            self.put_unit(&digits[from..], DECIMAL_LEN - from);
        }
        self.put_unit(san, san.len());
        self.ply += 1;
        self.numbered = false;
        self.last = Last::Move;
        self.flush_prefixes();
    }

    /// A numeric annotation glyph (PGN 1994 8.2.4). Many programs read NAGs only directly behind
    /// moves, so those behind a comment on a move go before it, and prefixes of the first move of a
    /// variation behind that move.
    pub fn nag(&mut self, nag: u8) {
        match (self.last, PREFIXES.contains(&nag)) {
            (Last::RavBegin, true) => return self.prefixes.push(nag),
            (Last::Move, false) => {}
            _ => self.flush_held(),
        }
        self.put_nag(nag);
    }

    fn put_nag(&mut self, nag: u8) {
        let (mut digits, from) = decimal(nag.into(), b"");
        digits[from - 1] = b'$';
        self.put_unit(&digits[from - 1..], DECIMAL_LEN - from + 1);
        self.numbered = true;
    }

    /// Opens a variation on the last move.
    pub fn rav_begin(&mut self) {
        self.flush();
        self.flush_open();
        self.open = true;
        self.last = Last::RavBegin;
        self.lines.push(self.ply);
        self.ply = self.ply.saturating_sub(1);
        self.numbered = true;
    }

    /// Closes the innermost variation.
    pub fn rav_end(&mut self) {
        self.flush();
        self.last = Last::Other;
        if self.open {
            self.put_unit(b")", 1)
        } else {
            self.attach(b")", true)
        }
        self.ply = self.lines.pop().unwrap_or(self.ply);
        self.numbered = true;
    }

    /// A comment. White space in it separates words and has no other meaning.
    ///
    /// A comment goes between braces. One that has a closing brace goes after a semicolon if it then
    /// fits on one line, else between braces, its own braces having become parentheses. Two in a row
    /// of which one has nothing but commands become one: many programs read one comment only.
    pub fn comment(&mut self, text: Text<'_>) {
        let mut words = self.words(b'{', text);
        if !words.contains(&b'}') {
            words.push(b'}');
            return self.hold(words);
        }
        self.flush_held();
        let columns = self.encoding.columns(&words);
        if columns + usize::from(self.open) <= WIDTH {
            // PGN 1994 5: it ends with its line, so it cannot be broken.
            words[0] = b';';
            self.put_unit(&words, columns);
            self.break_line();
            self.numbered = true;
        } else {
            put_parentheses(&mut words);
            words.push(b'}');
            self.put_comment(&words);
        }
        self.scratch = words;
    }

    /// Keeps a comment until it is clear what follows.
    fn hold(&mut self, mut comment: Vec<u8>) {
        let last = self.held.rsplit(|&byte| byte == b'\n').next();
        let joins = last.is_some_and(|last| !last.is_empty() && has_only_commands(last));
        let commands = has_only_commands(&comment);
        if commands && last == Some(b"{}") {
            // It has no words to join. The comment before it may join this one.
            self.held
                .truncate(self.held.len().saturating_sub(b"\n{}".len()));
            return self.hold(comment);
        }
        match self.held.is_empty() {
            true => {}
            false if joins && comment == b"{}" => comment.clear(),
            false if joins || commands => {
                self.held.pop();
                comment[0] = b' ';
            }
            false => self.held.push(b'\n'),
        }
        self.held.append(&mut comment);
        self.scratch = comment;
    }

    /// Text that is not movetext, as a comment whose braces have become parentheses.
    pub fn text(&mut self, text: Text<'_>) {
        let mut words = self.words(b'{', text);
        put_parentheses(&mut words);
        words.push(b'}');
        self.hold(words);
    }

    /// Puts a comment in its braces.
    fn put_comment(&mut self, comment: &[u8]) {
        for (i, word) in comment.split(|&b| b == b' ').enumerate() {
            // PGN 1994 6: as the first byte of a line, `%` would make the line an escape.
            if i > 0 && word.first() == Some(&b'%') {
                self.attach(b" ", false);
                self.attach(word, false);
            } else {
                self.put_unit(word, self.encoding.columns(word));
            }
        }
        self.numbered = true;
    }

    /// A `%` line (PGN 1994 6), also between games. Data with newlines becomes several `%` lines.
    pub fn escape(&mut self, data: Text<'_>) {
        self.end_line();
        self.out.push(b'%');
        // Many readers end a line at a lone carriage return; one before a newline is part of the
        // same line end.
        let mut after_return = false;
        let (encoding, out) = (self.encoding, &mut self.out);
        data.each_char(|c| {
            match c {
                '\n' if after_return => {}
                '\n' | '\r' => out.extend_from_slice(b"\n%"),
                c => encoding.put(out, c),
            }
            after_return = c == '\r';
        });
        self.out.push(b'\n');
        self.numbered = true;
    }

    /// Ends the line that is being filled.
    pub fn end_line(&mut self) {
        self.flush();
        self.last = Last::Other;
        self.flush_open();
        self.break_line();
    }

    /// Ends the movetext (PGN 1994 8.2.6) and leaves the blank line after it.
    pub fn end_game(&mut self, termination: Termination) {
        let token = termination.as_str().as_bytes();
        self.flush();
        self.put_unit(token, token.len());
        self.break_line();
        self.out.push(b'\n');
        self.lines.clear();
    }

    /// Puts a unit where it fits.
    fn put_unit(&mut self, bytes: &[u8], columns: usize) {
        let columns = columns + usize::from(self.open);
        if self.column > 0 {
            if self.column + 1 + columns <= WIDTH {
                self.out.push(b' ');
                self.column += 1;
            } else {
                self.break_line();
            }
        }
        self.unit = self.out.len();
        self.unit_columns = columns;
        if self.open {
            self.out.push(b'(');
            self.open = false;
        }
        self.out.extend_from_slice(bytes);
        self.column += columns;
    }

    /// Appends bytes to the last unit, which moves to the next line if the two do not fit on this
    /// one. If they fit on no line, a line break divides them if `may_break`; else the line is too
    /// long.
    fn attach(&mut self, bytes: &[u8], may_break: bool) {
        let columns = self.encoding.columns(bytes);
        let fits = self.column + columns <= WIDTH;
        let alone = self.column == self.unit_columns;
        if !fits && !alone && (self.unit_columns + columns <= WIDTH || !may_break) {
            // The byte before a unit that is not alone on its line is the blank between it and the
            // one before.
            if let Some(blank) = self.unit.checked_sub(1).and_then(|at| self.out.get_mut(at)) {
                *blank = b'\n';
                self.column = self.unit_columns;
            }
        }
        if self.column == 0 || (may_break && self.column + columns > WIDTH) {
            return self.put_unit(bytes, columns);
        }
        self.out.extend_from_slice(bytes);
        self.column += columns;
        self.unit_columns += columns;
    }

    /// Puts what waits.
    fn flush(&mut self) {
        self.flush_held();
        self.flush_prefixes();
    }

    fn flush_held(&mut self) {
        let mut held = std::mem::take(&mut self.held);
        for comment in held
            .split(|&byte| byte == b'\n')
            .filter(|comment| !comment.is_empty())
        {
            self.put_comment(comment);
        }
        held.clear();
        self.held = held;
    }

    fn flush_prefixes(&mut self) {
        for nag in std::mem::take(&mut self.prefixes) {
            self.put_nag(nag);
        }
    }

    /// Puts an opening parenthesis that can wait no longer.
    fn flush_open(&mut self) {
        if self.open {
            self.put_unit(b"", 0);
        }
    }

    fn break_line(&mut self) {
        if self.column > 0 {
            self.out.push(b'\n');
            self.column = 0;
        }
    }

    /// The words of a text with one blank between them, behind a byte that opens the comment.
    fn words(&mut self, opening: u8, text: Text<'_>) -> Vec<u8> {
        let mut words = std::mem::take(&mut self.scratch);
        words.clear();
        words.push(opening);
        let (mut begun, mut blank) = (false, false);
        text.each_char(|c| {
            let Some(c) = self.encoding.written(c) else {
                return;
            };
            if matches!(c, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r') {
                blank = begun;
                return;
            }
            if blank {
                words.push(b' ');
            }
            (begun, blank) = (true, false);
            self.encoding.put(&mut words, without_controls(c));
        });
        words
    }
}

/// Whether a comment in braces has commands and nothing else.
fn has_only_commands(comment: &[u8]) -> bool {
    let mut rest = &comment[1..comment.len() - 1];
    let is_empty = rest.is_empty();
    while let Some(command) = rest.strip_prefix(b"[%") {
        let Some(end) = command.iter().position(|&byte| byte == b']') else {
            return false;
        };
        rest = command[end + 1..].trim_ascii_start();
    }
    rest.is_empty() && !is_empty
}

/// Braces cannot stand in a brace comment (PGN 1994 5).
fn put_parentheses(words: &mut [u8]) {
    for byte in words.iter_mut().skip(1) {
        match byte {
            b'{' => *byte = b'(',
            b'}' => *byte = b')',
            _ => {}
        }
    }
}

/// Room for any `u64` and three periods.
const DECIMAL_LEN: usize = 23;

/// A number and `tail` behind it, at the end of an array, and the index where it begins.
fn decimal(mut number: u64, tail: &[u8]) -> ([u8; DECIMAL_LEN], usize) {
    let mut digits = [0; DECIMAL_LEN];
    let mut from = DECIMAL_LEN - tail.len();
    digits[from..].copy_from_slice(tail);
    loop {
        from -= 1;
        digits[from] = b'0' + u8::try_from(number % 10).unwrap_or_default();
        number /= 10;
        if number == 0 {
            return (digits, from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_of_letters_figures_and_underscores() {
        for len in 0..20 {
            let name = vec![b'A'; len];
            assert_eq!(is_tag_name(&name), len > 0);
            for (at, byte) in (0..len).flat_map(|at| (0..=u8::MAX).map(move |byte| (at, byte))) {
                let mut name = name.clone();
                name[at] = byte;
                assert_eq!(
                    is_tag_name(&name),
                    byte.is_ascii_alphanumeric() || byte == b'_',
                    "{}",
                    name.escape_ascii()
                );
            }
        }
    }
}
