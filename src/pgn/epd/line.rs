//! One line of EPD: reads it, and writes it as the standard says.

use std::fmt;

use crate::blanks::is_blank_char;
use crate::clause::Rule;
use pgc_chess::{Position, Rules};

/// The most characters of an opcode (16.2.4.1).
const MAX_OPCODE: usize = 15;

/// A string has fewer bytes than this (16.2.4.1).
const MAX_STRING: usize = 256;

/// A field: what it is called, whether a text can be one, and the rule that others break.
type Field = (&'static str, fn(&str) -> bool, Rule);

/// The four fields of a position (16.2.3), in their order.
const FIELDS: [Field; 4] = [
    ("a board", is_board, Rule::EpdBoard),
    ("a side to move", is_side, Rule::EpdSide),
    ("castling rights", are_rights, Rule::EpdRights),
    ("an en passant square", is_en_passant, Rule::EpdEnPassant),
];

/// Eight ranks of eight squares, from the eighth rank to the first. Crazyhouse marks promoted pieces
/// with `~`, and has the pieces in hand behind the board: `[Pn]` or `/Pn`.
fn is_board(text: &str) -> bool {
    let (board, hand) = match text.split_once('[') {
        Some((board, hand)) => (board, hand.strip_suffix(']').unwrap_or("?")),
        None if text.split('/').count() == 9 => text.rsplit_once('/').unwrap_or_default(),
        None => (text, ""),
    };
    let board = board.replace('~', "");
    let is_rank = |rank: &str| {
        let width = rank.bytes().try_fold(0, |sum, byte| match byte {
            b'1'..=b'8' => Some(sum + u32::from(byte - b'0')),
            _ if b"PNBRQKpnbrqk".contains(&byte) => Some(sum + 1),
            _ => None,
        });
        width == Some(8)
    };
    board.split('/').count() == 8
        && board.split('/').all(is_rank)
        && hand.bytes().all(|byte| b"PNBRQpnbrq".contains(&byte))
}

fn is_side(text: &str) -> bool {
    matches!(text, "w" | "b")
}

/// `KQkq`, some of them, or the files of rooks, as programs for Chess960 write them.
fn are_rights(text: &str) -> bool {
    let is_right = |byte: u8| matches!(byte.to_ascii_lowercase(), b'k' | b'q' | b'a'..=b'h');
    text == "-" || (text.len() <= 4 && text.bytes().all(is_right))
}

fn is_en_passant(text: &str) -> bool {
    // Some programs name the square of the pawn.
    text == "-" || matches!(text.as_bytes(), [b'a'..=b'h', b'3'..=b'6'])
}

/// Why a line is not EPD, or an operation is not as the standard says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {what}: {text:?}")]
pub struct EpdError {
    /// The column, in characters from 1.
    pub column: usize,
    /// The rule that is broken.
    pub rule: Rule,
    /// A short sentence in lower case.
    pub what: String,
    /// The offending text.
    pub text: String,
}

/// An operand of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Characters without white space.
    Word(String),
    /// A string, without its quotes.
    Text(String),
}

impl Operand {
    /// The characters, without quotes.
    pub fn text(&self) -> &str {
        match self {
            Operand::Word(text) | Operand::Text(text) => text,
        }
    }

    /// A string that EPD can hold: it knows no escape for quotes, no line ends, and no more than
    /// 255 bytes.
    pub fn string(text: &str) -> Operand {
        let text: String = text
            .chars()
            .map(|c| match c {
                '"' => '\'',
                c if c.is_control() => ' ',
                c => c,
            })
            .collect();
        Operand::Text(text[..text.floor_char_boundary(MAX_STRING - 1)].to_owned())
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Word(word) => f.write_str(word),
            Operand::Text(text) => write!(f, "\"{text}\""),
        }
    }
}

/// An opcode with its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The column of the opcode, in characters from 1; 0 in an operation that was not read.
    pub column: usize,
    /// The opcode.
    pub opcode: String,
    /// The operands.
    pub operands: Vec<Operand>,
}

impl Operation {
    /// An operation to be written.
    pub fn new(opcode: &str, operands: Vec<Operand>) -> Operation {
        Operation {
            column: 0,
            opcode: opcode.to_owned(),
            operands,
        }
    }

    /// Whether it is one of EPD, not something else that a program wrote in its place.
    pub(super) fn is_proper(&self) -> bool {
        is_opcode(&self.opcode)
    }

    /// Whether it would be a counter or a count of checks without a semicolon before it.
    fn is_number(&self) -> bool {
        let opcode = self.opcode.strip_prefix('+').unwrap_or(&self.opcode);
        opcode.starts_with(|c: char| c.is_ascii_digit())
    }

    /// Whether it ends with a string without an end.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.operands.last(), Some(Operand::Word(word)) if word.starts_with('"'))
    }

    /// The place among those of a line: operations in the order of their opcodes, then what is none,
    /// and last a string without an end, which would swallow what follows.
    pub(super) fn place(&self) -> (u8, &str) {
        match self.is_open() {
            true => (2, ""),
            false if self.is_proper() => (0, &self.opcode),
            false => (1, ""),
        }
    }
}

/// Whether a text has the form of an opcode (16.2.4.1).
fn is_opcode(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.len() <= MAX_OPCODE
        && text.bytes().all(is_part)
}

/// A line of EPD.
///
/// ```
/// use pgc_pgn::epd::line::EpdLine;
///
/// let line = EpdLine::parse("8/8/8/8/8/4k3/4p3/4K3 w - - id \"Zugzwang\"; dm 1; bm Kf1;")?;
/// assert_eq!(line.operations.len(), 3);
/// // In the order of the standard.
/// assert_eq!(line.to_string(), "8/8/8/8/8/4k3/4p3/4K3 w - - bm Kf1; dm 1; id \"Zugzwang\";");
/// # Ok::<(), pgc_pgn::epd::line::EpdError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EpdLine {
    /// The four fields of the position, and the checks left of Three-check if they are given, with
    /// a blank between any two.
    pub position: String,
    /// The two counters of a FEN, if they follow: half moves, and the number of the move.
    pub counters: Option<(u32, u32)>,
    /// The operations, in their order.
    pub operations: Vec<Operation>,
    /// What follows a `#` in the place of an opcode, with the `#`; else empty.
    pub comment: String,
    /// What is not as the standard says, but understood.
    pub irregular: Vec<EpdError>,
}

impl EpdLine {
    /// Reads a line, without its line end. White space may stand at both ends, and more than one
    /// blank between two parts; the two counters of a FEN may follow the position, the last
    /// semicolon may be missing, semicolons may stand without an operation, and a comment behind
    /// `#` may end the line. What is no operation, up to its semicolon, is kept as one.
    ///
    /// # Errors
    /// A field is malformed, or the position is not one that its rules can have.
    pub fn parse(text: &str) -> Result<EpdLine, EpdError> {
        let text = text.trim_end_matches(is_blank_char);
        let begin = text.len() - text.trim_start_matches(is_blank_char).len();
        let mut rest = LineCursor {
            text,
            at: begin,
            counted: (0, 1),
            irregular: Vec::new(),
        };
        let mut fields = Vec::new();
        for (name, is_right, rule) in FIELDS {
            rest.blanks(!fields.is_empty(), Rule::EpdSpacing);
            let (at, field) = rest.word(ends_field);
            if !is_right(field) {
                return Err(rest.error(at, rule, &format!("not {name}"), field));
            }
            fields.push(field);
        }
        let mut checks = rest.checks();
        let counters = rest.counters();
        if checks.is_empty() && counters.is_some() {
            checks = rest.checks();
        }
        fields.extend(Some(checks).filter(|checks| !checks.is_empty()));
        let mut line = EpdLine {
            position: fields.join(" "),
            counters,
            ..EpdLine::default()
        };
        while rest.at < rest.text.len() && line.comment.is_empty() {
            if let Some(behind) = rest.text[rest.at..]
                .trim_start_matches(is_blank_char)
                .strip_prefix(';')
            {
                let at = rest.text.len() - behind.len();
                let what = "no operation before the semicolon";
                rest.tolerate(at - 1, Rule::EpdSemicolon, what, ";");
                rest.at = at;
                continue;
            }
            rest.blanks(true, Rule::EpdBlanks);
            match rest.next() {
                Some('#') => {
                    let comment = &rest.text[rest.at..];
                    rest.tolerate(rest.at, Rule::EpdOpcode, "a comment", comment);
                    line.comment = comment.to_owned();
                }
                _ => line.operations.push(rest.operation()),
            }
        }
        if let Err(rules) = line.start_and_rules() {
            let what = format!("not a position of {}", rules.name());
            return Err(rest.error(begin, Rule::EpdPosition, &what, &line.position));
        }
        line.irregular = rest.irregular;
        if let Some(first) = line.first().filter(|first| first.is_number()) {
            // This semicolon is written again.
            let is_needed =
                |error: &EpdError| error.rule == Rule::EpdSemicolon && error.column < first.column;
            let needed = line.irregular.iter().position(is_needed);
            needed.map(|at| line.irregular.remove(at));
        }
        Ok(line)
    }

    /// The position as FEN. The counters are the operands of the opcodes hmvc and fmvn, else those
    /// that follow the position, else `0 1`.
    pub fn fen(&self) -> String {
        let (halfmoves, fullmoves) = self.counters.unwrap_or((0, 1));
        let halfmoves = self.number("hmvc").unwrap_or(halfmoves);
        let fullmoves = self.number("fmvn").unwrap_or(fullmoves);
        format!("{} {halfmoves} {fullmoves}", self.position)
    }

    /// The position, by the rules that the opcode `Variant` names, or else by those that its fields
    /// need.
    pub fn start(&self) -> Option<Position> {
        self.start_and_rules().ok().map(|start| start.0)
    }

    /// The rules that the position follows.
    pub(super) fn rules(&self) -> Rules {
        self.start_and_rules()
            .map_or_else(|rules| rules, |start| start.1)
    }

    /// Where the position cannot be, the rules that forbid it.
    fn start_and_rules(&self) -> Result<(Position, Rules), Rules> {
        let fen = self.fen();
        let start = |rules| {
            let start = Position::start(rules, Some(fen.as_bytes()));
            start.map(|start| (start, rules)).map_err(|_| rules)
        };
        let named = match self.operation("Variant").map(|op| op.operands.as_slice()) {
            Some([name]) => Rules::from_variant_tag(name.text().as_bytes()),
            _ => None,
        };
        if let Some(rules) = named.or_else(|| Rules::from_fields(&self.position)) {
            return start(rules);
        }
        let chess = start(Rules::Chess);
        // Without castling rights both sets of rules are the same.
        if self.position.split(' ').nth(2) == Some("-") {
            return chess;
        }
        let nine = start(Rules::Chess960);
        let rights = |start: &Result<(Position, Rules), Rules>| {
            start.as_ref().map_or(0, |start| start.0.castling_rights())
        };
        match rights(&chess) < rights(&nine) {
            true => nine,
            false => chess,
        }
    }

    /// The operation with this opcode.
    pub fn operation(&self, opcode: &str) -> Option<&Operation> {
        self.operations.iter().find(|op| op.opcode == opcode)
    }

    /// The operation that is written first, if no counter is.
    fn first(&self) -> Option<&Operation> {
        let first = self.operations.iter().min_by_key(|op| op.place());
        first.filter(|_| self.counters.is_none())
    }

    fn number(&self, opcode: &str) -> Option<u32> {
        let [operand] = self.operation(opcode)?.operands.as_slice() else {
            return None;
        };
        operand.text().parse().ok()
    }
}

/// Whether a character ends a field of the position.
fn ends_field(c: char) -> bool {
    is_blank_char(c) || c == ';'
}

/// The line as the standard says: one blank between two parts, the operations in the order of their
/// opcodes, a comment at the end. Counters that follow the position become operations.
impl fmt::Display for EpdLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.position)?;
        let mut counters = Vec::new();
        if let Some((half, full)) = self.counters {
            for (opcode, number) in [("fmvn", full), ("hmvc", half)] {
                let operand = Operand::Word(number.to_string());
                counters.push(Operation::new(opcode, vec![operand]));
            }
        }
        counters.retain(|counter| self.operation(&counter.opcode).is_none());
        let mut all: Vec<&Operation> = self.operations.iter().chain(&counters).collect();
        all.sort_by_key(|operation| operation.place());
        if all.first().is_some_and(|first| first.is_number()) {
            f.write_str(" ;")?;
        }
        for operation in all {
            write!(f, " {}", operation.opcode)?;
            for operand in &operation.operands {
                write!(f, " {operand}")?;
            }
            f.write_str(";")?;
        }
        if !self.comment.is_empty() {
            write!(f, " {}", self.comment)?;
        }
        Ok(())
    }
}

/// The rest of a line.
struct LineCursor<'t> {
    text: &'t str,
    at: usize,
    /// A place, and its column: the next column is counted from there.
    counted: (usize, usize),
    irregular: Vec<EpdError>,
}

impl<'t> LineCursor<'t> {
    /// The column of a place, from 1.
    fn column(&mut self, at: usize) -> usize {
        if at < self.counted.0 {
            self.counted = (0, 1);
        }
        let (from, column) = self.counted;
        self.counted = (at, column + self.text[from..at].chars().count());
        self.counted.1
    }

    fn error(&mut self, at: usize, rule: Rule, what: &str, text: &str) -> EpdError {
        EpdError {
            column: self.column(at),
            rule,
            what: what.to_owned(),
            text: text.to_owned(),
        }
    }

    /// Notes what is not as the standard says.
    fn tolerate(&mut self, at: usize, rule: Rule, what: &str, text: &str) {
        let error = self.error(at, rule, what, text);
        self.irregular.push(error);
    }

    fn next(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// Skips blanks. Reports them unless there is exactly one (`one`), or none (not `one`).
    fn blanks(&mut self, one: bool, rule: Rule) {
        let rest = &self.text[self.at..];
        let len = rest.len() - rest.trim_start_matches(is_blank_char).len();
        if len > 0 && &rest[..len] != " " || (len == 0) == one {
            self.tolerate(self.at, rule, "not one blank", &rest[..len]);
        }
        self.at += len;
    }

    /// The characters up to one that ends a word, and where they begin.
    fn word(&mut self, ends: impl Fn(char) -> bool) -> (usize, &'t str) {
        let begin = self.at;
        let rest = &self.text[begin..];
        let len = rest.find(ends).unwrap_or(rest.len());
        self.at += len;
        (begin, &rest[..len])
    }

    /// The checks left of Three-check (`2+3`), or in an older form the checks given (`+1+0`); empty
    /// if the next word is something else.
    fn checks(&mut self) -> &'t str {
        let rest = self.text[self.at..].trim_start_matches(is_blank_char);
        let len = rest.find(ends_field).unwrap_or(rest.len());
        let checks = &rest[..len];
        let ([b'0'..=b'3', b'+', b'0'..=b'3'] | [b'+', b'0'..=b'3', b'+', b'0'..=b'3']) =
            checks.as_bytes()
        else {
            return "";
        };
        self.blanks(true, Rule::EpdSpacing);
        self.at += len;
        checks
    }

    /// The counters of a FEN.
    fn counters(&mut self) -> Option<(u32, u32)> {
        let rest = self.text[self.at..].trim_start_matches(is_blank_char);
        let mut words = rest.splitn(3, ends_field);
        let (half, full) = (words.next()?, words.next()?);
        let number = |word: &str| word.parse::<u32>().ok();
        let counters = (number(half)?, number(full)?);
        // One blank stands between the two: with more, the second word would be empty.
        let begin = self.text.len() - rest.len();
        if self.text[begin + half.len()..].starts_with(';') {
            return None;
        }
        let blank = rest[half.len()..].chars().next().map_or(0, char::len_utf8);
        self.at = begin + half.len() + blank + full.len();
        let text = &self.text[begin..self.at];
        // A whole FEN is no EPD, but nothing is wrong with it.
        if self.at < self.text.len() {
            self.tolerate(begin, Rule::EpdCounters, "counters as in a FEN", text);
        }
        Some(counters)
    }

    /// What stands in the place of an opcode and is none, as `+-` and `00:00`, is taken for one.
    fn operation(&mut self) -> Operation {
        let (begin, mut opcode) = self.word(|c| !c.is_ascii_alphanumeric() && c != '_');
        let ends = |c: char| c.is_whitespace() || c == ';';
        if !is_opcode(opcode) || self.next().is_some_and(|c| !ends_field(c)) {
            self.at = begin;
            opcode = self.word(ends).1.trim_end_matches(is_blank_char);
            self.at = begin + opcode.len();
            self.tolerate(begin, Rule::EpdOpcode, "not an opcode", opcode);
        }
        let (column, mut operands) = (self.column(begin), Vec::new());
        loop {
            if self.next().is_none() {
                let what = "the semicolon is missing";
                self.tolerate(self.at, Rule::EpdSemicolon, what, opcode);
                break;
            }
            if self.next() == Some(';') {
                self.at += 1;
                break;
            }
            self.blanks(true, Rule::EpdBlanks);
            match self.next() {
                Some('"') => operands.push(self.string()),
                Some(';') | None => {}
                Some(_) => {
                    // Blanks that are not seen may stand in a word, but do not end it.
                    let (begin, word) = self.word(ends);
                    let word = word.trim_end_matches(is_blank_char);
                    self.at = begin + word.len();
                    operands.push(Operand::Word(word.to_owned()));
                }
            }
        }
        Operation {
            column,
            opcode: opcode.to_owned(),
            operands,
        }
    }

    /// Without its last quote a string is a word, up to the end of the line.
    fn string(&mut self) -> Operand {
        let begin = self.at;
        self.at += 1;
        let text = self.quoted();
        if self.next().is_none() {
            let ends = |c: char| c == ';' || is_blank_char(c);
            let text = self.text[begin..].trim_end_matches(ends);
            self.tolerate(begin, Rule::EpdString, "the string has no end", text);
            self.at = begin + text.len();
            return Operand::Word(text.to_owned());
        }
        self.at += 1;
        if text.contains('"') {
            self.tolerate(begin, Rule::EpdString, "quotes behind backslashes", text);
        }
        if text.len() >= MAX_STRING {
            let what = "a string of 256 bytes or more";
            self.tolerate(begin, Rule::EpdString, what, text);
        }
        Operand::Text(text.to_owned())
    }

    /// The characters of a string, up to its last quote. EPD has no escape for quotes, but
    /// python-chess writes them behind backslashes: such a quote is part of the string where
    /// something follows it that cannot follow a string.
    fn quoted(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let ends = |&end: &usize| rest[end + 1..].chars().next().is_none_or(ends_field);
        let mut is_escaped = false;
        let unescaped = rest.find(|c: char| {
            let is_end = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            is_end
        });
        let first = rest.find('"');
        let fitting = first.filter(ends).or(unescaped.filter(ends));
        let end = fitting.or(first).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }
}
