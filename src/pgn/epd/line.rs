//! One line of EPD: reads it, and writes it as the standard says.

use std::fmt;

use super::field::FIELDS;
use crate::blanks::is_blank_char;
use crate::clause::Rule;
use pgc_chess::{Position, Rules};

/// The most characters of an opcode (16.2.4.1).
const MAX_OPCODE: usize = 15;

/// A string has fewer bytes than this (16.2.4.1).
const MAX_STRING: usize = 256;

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
    /// Its characters, without quotes.
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// `#` may end the line.
    ///
    /// # Errors
    /// A field is malformed, the position is not one that its rules can have, an opcode is
    /// malformed, or a string has no end.
    pub fn parse(text: &str) -> Result<EpdLine, EpdError> {
        let mut rest = LineCursor {
            text: text.trim_end_matches(is_blank_char),
            at: 0,
            counted: (0, 1),
            irregular: Vec::new(),
        };
        rest.at = rest.text.len() - rest.text.trim_start_matches(is_blank_char).len();
        let begin = rest.at;
        let mut position = String::new();
        for (name, is_right, rule) in FIELDS {
            rest.blanks(!position.is_empty(), Rule::EpdSpacing);
            let (at, field) = rest.word(ends_field);
            if !is_right(field) {
                return Err(rest.error(at, rule, &format!("not {name}"), field));
            }
            if !position.is_empty() {
                position.push(' ');
            }
            position.push_str(field);
        }
        let mut checks = rest.checks();
        let counters = rest.counters();
        if checks.is_empty() && counters.is_some() {
            checks = rest.checks();
        }
        if !checks.is_empty() {
            position = format!("{position} {checks}");
        }
        let mut line = EpdLine {
            position,
            counters,
            operations: Vec::new(),
            comment: String::new(),
            irregular: Vec::new(),
        };
        while rest.at < rest.text.len() && line.comment.is_empty() {
            if let Some(behind) = rest.text[rest.at..]
                .trim_start_matches(is_blank_char)
                .strip_prefix(';')
            {
                let at = rest.text.len() - behind.len();
                let what = "no operation before the semicolon";
                let error = rest.error(at - 1, Rule::EpdSemicolon, what, ";");
                rest.irregular.push(error);
                rest.at = at;
                continue;
            }
            rest.blanks(true, Rule::EpdBlanks);
            match rest.next() {
                Some('#') => {
                    let comment = &rest.text[rest.at..];
                    let error = rest.error(rest.at, Rule::EpdOpcode, "a comment", comment);
                    rest.irregular.push(error);
                    line.comment = comment.to_owned();
                }
                _ => line.operations.push(rest.operation()?),
            }
        }
        if let Err(rules) = line.start_and_rules() {
            let what = format!("not a position of {}", rules.name());
            return Err(rest.error(begin, Rule::EpdPosition, &what, &line.position));
        }
        line.irregular = rest.irregular;
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
        let start = |rules| match Position::start(rules, Some(fen.as_bytes())) {
            Ok(start) => Ok((start, rules)),
            Err(_) => Err(rules),
        };
        let named = match self.operation("Variant").map(|op| op.operands.as_slice()) {
            Some([name]) => Rules::from_variant_tag(name.text().as_bytes()),
            _ => None,
        };
        if let Some(rules) = named.or_else(|| Rules::of_fields(&self.position)) {
            return start(rules);
        }
        let chess = start(Rules::Chess);
        // Without castling rights both sets of rules are the same.
        if self.position.split(' ').nth(2) == Some("-") {
            return chess;
        }
        let nine = start(Rules::Chess960);
        let rights = |start: &Result<(Position, Rules), Rules>| {
            let fen = start.as_ref().map_or(String::new(), |start| start.0.fen());
            let rights = fen.split(' ').nth(2).unwrap_or_default();
            rights.bytes().filter(u8::is_ascii_alphabetic).count()
        };
        if rights(&chess) < rights(&nine) {
            nine
        } else {
            chess
        }
    }

    /// The operation with this opcode.
    pub fn operation(&self, opcode: &str) -> Option<&Operation> {
        self.operations.iter().find(|op| op.opcode == opcode)
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
        let mut all: Vec<&Operation> = self.operations.iter().collect();
        let of = |opcode, number: u32| {
            let operand = Operand::Word(number.to_string());
            self.operation(opcode)
                .is_none()
                .then(|| Operation::new(opcode, vec![operand]))
        };
        let counters: Vec<Operation> = self
            .counters
            .iter()
            .flat_map(|&(half, full)| [of("fmvn", full), of("hmvc", half)])
            .flatten()
            .collect();
        all.extend(&counters);
        all.sort_by(|a, b| a.opcode.cmp(&b.opcode));
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

    fn next(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// Skips blanks. Reports them unless there is exactly one (`one`), or none (not `one`).
    fn blanks(&mut self, one: bool, rule: Rule) {
        let rest = &self.text[self.at..];
        let len = rest.len() - rest.trim_start_matches(is_blank_char).len();
        if len > 0 && &rest[..len] != " " || (len == 0) == one {
            let error = self.error(self.at, rule, "not one blank", &rest[..len]);
            self.irregular.push(error);
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
        let is_check = |byte: u8| matches!(byte, b'0'..=b'3' | b'+');
        if !checks.contains('+') || !checks.bytes().all(is_check) {
            return "";
        }
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
        let error = self.error(begin, Rule::EpdCounters, "counters as in a FEN", text);
        // A whole FEN is no EPD, but nothing is wrong with it.
        if self.at < self.text.len() {
            self.irregular.push(error);
        }
        Some(counters)
    }

    fn operation(&mut self) -> Result<Operation, EpdError> {
        let (begin, opcode) = self.word(|c| !c.is_ascii_alphanumeric() && c != '_');
        let is_opcode =
            opcode.starts_with(|c: char| c.is_ascii_alphabetic()) && opcode.len() <= MAX_OPCODE;
        let ends = |c: char| c.is_whitespace() || c == ';';
        if !is_opcode || self.next().is_some_and(|c| !ends_field(c)) {
            self.at = begin;
            let (_, word) = self.word(ends);
            return Err(self.error(begin, Rule::EpdOpcode, "not an opcode", word));
        }
        let (column, mut operands) = (self.column(begin), Vec::new());
        loop {
            if self.next().is_none() {
                let what = "the semicolon is missing";
                let error = self.error(self.at, Rule::EpdSemicolon, what, opcode);
                self.irregular.push(error);
                break;
            }
            if self.next() == Some(';') {
                self.at += 1;
                break;
            }
            self.blanks(true, Rule::EpdBlanks);
            match self.next() {
                Some('"') => operands.push(self.string()?),
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
        Ok(Operation {
            column,
            opcode: opcode.to_owned(),
            operands,
        })
    }

    fn string(&mut self) -> Result<Operand, EpdError> {
        let begin = self.at;
        self.at += 1;
        let (_, text) = self.word(|c| c == '"');
        if self.next().is_none() {
            let text = &self.text[begin..];
            return Err(self.error(begin, Rule::EpdString, "the string has no end", text));
        }
        self.at += 1;
        if text.len() >= MAX_STRING {
            let what = "a string of 256 bytes or more";
            let error = self.error(begin, Rule::EpdString, what, text);
            self.irregular.push(error);
        }
        Ok(Operand::Text(text.to_owned()))
    }
}
