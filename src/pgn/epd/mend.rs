//! A line of EPD as the standard has it (`pgc lint`; spec/epd.md 6).

use super::line::{EpdError, EpdLine, Operand};
use super::opcode::{is_known, sans, sorts_moves};
use crate::clause::Rule;
use pgc_chess::{EpSquare, mended_fen};
use std::borrow::Cow;

/// The length of a line, in characters, that the standard asks programs to handle (16.2.3).
const LONGEST: usize = 1024;

/// The castling letters, in their order (16.2.3.3).
const RIGHTS: &str = "KQkq";

impl EpdLine {
    /// Everything that is not as the standard says: what [`EpdLine::check`] finds, and what is
    /// wrong with the fields, the counters and the characters of the line. `text` is the text of
    /// the line.
    pub fn lint(&self, text: &str) -> Vec<EpdError> {
        let mut found = self.check();
        let mut breaks = |column: usize, rule: Rule, text: &str| {
            found.push(EpdError {
                column,
                rule,
                what: rule.text().to_owned(),
                text: text.to_owned(),
            });
        };
        let line = text.trim();
        if line != text {
            breaks(1, Rule::EpdSpacing, "");
        }
        if text.chars().count() > LONGEST {
            breaks(LONGEST + 1, Rule::EpdLong, "");
        }
        let is_odd = |(_, c): &(usize, char)| !matches!(c, ' '..='~' | '\t');
        if let Some((at, _)) = text.chars().enumerate().find(is_odd) {
            let rest: String = text.chars().skip(at).collect();
            breaks(at + 1, Rule::EpdAscii, &rest);
        }
        let mended = self.mended_position();
        let mended: Vec<&str> = mended.split(' ').collect();
        // Only blanks stand before and between the fields.
        let fields: Vec<&str> = self.position.split(' ').collect();
        let column = |number: usize| {
            let at = fields[..number].iter().fold(0, |at, field| {
                at + text[at..].find(field).unwrap_or(0) + field.len()
            });
            let blanks = text[at..].len() - text[at..].trim_start().len();
            text[..at + blanks].chars().count() + 1
        };
        if let (&[_, _, rights, en_passant, ..], Some(start)) = (fields.as_slice(), self.start()) {
            if mended.get(2) != Some(&rights) {
                breaks(column(2), Rule::EpdFiles, rights);
            } else if mended_rights(rights) != rights {
                breaks(column(2), Rule::EpdRightsOrder, rights);
            }
            if mended.get(3) != Some(&en_passant) {
                breaks(column(3), Rule::EpdPawn, en_passant);
            }
            let fen = start.fen_with(EpSquare::Always);
            let of_board: Vec<&str> = fen.split(' ').collect();
            let letters = |rights: &str| rights.bytes().filter(u8::is_ascii_alphabetic).count();
            if letters(of_board[2]) < letters(&mended_rights(rights)) {
                breaks(column(2), Rule::EpdRights, rights);
            }
            if en_passant != "-" && of_board[3] == "-" {
                breaks(column(3), Rule::EpdEnPassant, en_passant);
            }
        }
        // `parse` accepts a FEN, which ends with its counters; in EPD they are operations.
        let is_counters = |error: &EpdError| error.rule == Rule::EpdCounters;
        if let Some((half, full)) = self.counters
            && !self.irregular.iter().any(is_counters)
        {
            let at = column(fields.len());
            breaks(at, Rule::EpdCounters, &format!("{half} {full}"));
        }
        for operation in &self.operations {
            let opcode = operation.opcode.as_str();
            let is_small = |byte: u8| !byte.is_ascii_uppercase();
            let is_public = opcode.len() > 1 && opcode.bytes().all(is_small);
            if !is_public && !is_known(opcode) && is_small(opcode.as_bytes()[0]) {
                breaks(operation.column, Rule::EpdMnemonic, opcode);
            }
        }
        found.sort_by_key(|error| error.column);
        found
    }

    /// The position with `KQkq`, and with the square behind the pawn.
    fn mended_position(&self) -> Cow<'_, str> {
        let mended = mended_fen(self.rules(), self.position.as_bytes());
        let mended = mended.and_then(|mended| String::from_utf8(mended).ok());
        mended.map_or(Cow::Borrowed(&self.position), Cow::Owned)
    }

    /// The line as the standard has it: castling letters in their order, moves in SAN and, where no
    /// move follows another, in ASCII order. What only a person can mend stays. `to_string` sees to
    /// the blanks, the counters, and the order of the operations.
    pub fn mended(&self) -> EpdLine {
        let mut line = self.clone();
        let position = self.mended_position();
        let mut fields: Vec<String> = position.split(' ').map(str::to_owned).collect();
        if let Some(rights) = fields.get_mut(2) {
            *rights = mended_rights(rights);
        }
        line.position = fields.join(" ");
        let Some(start) = self.start() else {
            return line;
        };
        for operation in &mut line.operations {
            let Some(sans) = sans(operation, &start) else {
                continue;
            };
            let sans: Vec<Option<String>> = sans.collect();
            for (operand, san) in operation.operands.iter_mut().zip(sans) {
                if let Some(san) = san {
                    *operand = Operand::Word(san);
                }
            }
            // A string without an end would swallow what follows it.
            if sorts_moves(&operation.opcode) && !operation.is_open() {
                operation.operands.sort_by(|a, b| a.text().cmp(b.text()));
            }
        }
        line
    }
}

/// `KQkq` in their order, each once. Files of rooks, as in Chess960, stay as they are.
fn mended_rights(rights: &str) -> String {
    if !rights.chars().all(|letter| RIGHTS.contains(letter)) {
        return rights.to_owned();
    }
    let is_there = |letter: &char| rights.contains(*letter);
    RIGHTS.chars().filter(is_there).collect()
}
