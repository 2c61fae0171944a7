//! The opcodes of the standard (PGN 1994, 16.2.5), and what operands each takes.

use std::cmp::Ordering;

use super::line::{EpdError, EpdLine, Operand, Operation};
use crate::chess::{Position, Resolved};

/// What operands an opcode takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Nothing,
    Anything,
    /// One integer of this range.
    Integer(i64, i64),
    /// So many strings.
    Texts(usize),
    /// A string, or nothing.
    MaybeText,
    /// A move.
    Move,
    /// Any number of moves of the position.
    Moves,
    /// Moves, one after another.
    Line,
}

/// The opcodes, but for `c0` to `c9` and `v0` to `v9`. `acd` (the depth of an analysis) is not in
/// the text of 1994, but in common use with `acn` and `acs`.
const OPCODES: [(&str, Takes); 25] = [
    ("acd", Takes::Integer(0, i64::MAX)),
    ("acn", Takes::Integer(0, i64::MAX)),
    ("acs", Takes::Integer(0, i64::MAX)),
    ("am", Takes::Moves),
    ("bm", Takes::Moves),
    ("ce", Takes::Integer(-32_767, 32_766)),
    ("dm", Takes::Integer(1, i64::MAX)),
    ("draw_accept", Takes::Nothing),
    ("draw_claim", Takes::Nothing),
    ("draw_offer", Takes::Nothing),
    ("draw_reject", Takes::Nothing),
    ("eco", Takes::MaybeText),
    ("fmvn", Takes::Integer(1, i64::MAX)),
    ("hmvc", Takes::Integer(0, i64::MAX)),
    ("id", Takes::Texts(1)),
    ("nic", Takes::MaybeText),
    ("noop", Takes::Anything),
    ("pm", Takes::Move),
    ("pv", Takes::Line),
    ("rc", Takes::Integer(1, i64::MAX)),
    ("resign", Takes::Nothing),
    ("sm", Takes::Move),
    ("tcgs", Takes::Integer(1, i64::MAX)),
    ("tcri", Takes::Texts(2)),
    ("tcsi", Takes::Texts(2)),
];

fn takes(opcode: &str) -> Option<Takes> {
    if matches!(opcode.as_bytes(), [b'c' | b'v', b'0'..=b'9']) {
        return Some(Takes::MaybeText);
    }
    let known = OPCODES.iter().find(|known| known.0 == opcode);
    known.map(|known| known.1)
}

impl EpdLine {
    /// What is not as the standard says: what [`EpdLine::parse`] tolerated, operands of the wrong
    /// kind, moves that are not legal or not in SAN, opcodes that come twice or are not in order.
    /// Unknown opcodes may have any operands.
    #[must_use]
    pub fn check(&self) -> Vec<EpdError> {
        let mut found = self.irregular.clone();
        let start = self.start();
        for (operation, before) in self
            .operations
            .iter()
            .zip(std::iter::once(None).chain(self.operations.iter().map(Some)))
        {
            let checked = Checked {
                operation,
                found: &mut found,
            };
            checked.operands(start.as_ref());
            let wrong = match before.map(|before| operation.opcode.cmp(&before.opcode)) {
                Some(Ordering::Less) => "not in the order of the opcodes",
                Some(Ordering::Equal) => "the opcode comes twice",
                _ => continue,
            };
            found.push(fault(operation, wrong, &operation.opcode));
        }
        self.check_together(&mut found);
        found.sort_by_key(|error| error.column);
        found
    }

    /// Checks what the standard says of operations that depend on each other.
    fn check_together(&self, found: &mut Vec<EpdError>) {
        for opcode in ["draw_claim", "draw_offer"] {
            if let Some(operation) = self
                .operation(opcode)
                .filter(|_| self.operation("sm").is_none())
            {
                found.push(fault(operation, "needs the move sm", opcode));
            }
        }
        let first = |opcode| self.operation(opcode)?.operands.first();
        if let (Some(pm), Some(pv)) = (first("pm"), first("pv"))
            && pm != pv
            && let Some(operation) = self.operation("pm")
        {
            found.push(fault(operation, "not the first move of pv", pm.text()));
        }
    }
}

fn fault(operation: &Operation, what: &str, text: &str) -> EpdError {
    EpdError {
        column: operation.column,
        what: format!("{}: {what}", operation.opcode),
        text: text.to_owned(),
    }
}

/// An operation that is being checked.
struct Checked<'a> {
    operation: &'a Operation,
    found: &'a mut Vec<EpdError>,
}

impl Checked<'_> {
    fn wrong(&mut self, what: &str, text: &str) {
        self.found.push(fault(self.operation, what, text));
    }

    fn operands(mut self, start: Option<&Position>) {
        let operation = self.operation;
        let operands = operation.operands.as_slice();
        let all = || {
            let texts: Vec<String> = operands.iter().map(Operand::to_string).collect();
            texts.join(" ")
        };
        match (takes(&self.operation.opcode), operands) {
            (None | Some(Takes::Anything), _)
            | (Some(Takes::Nothing | Takes::MaybeText), [])
            | (Some(Takes::MaybeText), [Operand::Text(_)]) => {}
            (Some(Takes::Nothing), _) => self.wrong("takes no operand", &all()),
            (Some(Takes::MaybeText), _) => self.wrong("takes one string, or nothing", &all()),
            (Some(Takes::Texts(count)), texts) => {
                let is_text = |operand: &Operand| matches!(operand, Operand::Text(_));
                if texts.len() != count || !texts.iter().all(is_text) {
                    let what = ["takes one string", "takes two strings"][usize::from(count == 2)];
                    self.wrong(what, &all());
                }
            }
            (Some(Takes::Integer(least, most)), [Operand::Word(word)])
                if word.parse().is_ok_and(|n: i64| (least..=most).contains(&n)) => {}
            (Some(Takes::Integer(least, most)), _) => {
                let what = match most {
                    i64::MAX => format!("takes an integer, from {least}"),
                    most => format!("takes an integer from {least} to {most}"),
                };
                self.wrong(&what, &all());
            }
            (Some(Takes::Move), [_]) | (Some(Takes::Line), _) => self.line(start, true),
            (Some(Takes::Move), _) => self.wrong("takes one move", &all()),
            (Some(Takes::Moves), moves) => {
                if !moves.is_sorted_by_key(|operand| operand.text()) {
                    self.wrong("moves not in ASCII order", &all());
                }
                self.line(start, false);
            }
        }
    }

    /// Checks moves: one after another, or each from the position.
    fn line(&mut self, start: Option<&Position>, goes_on: bool) {
        let mut now = start.cloned();
        for operand in &self.operation.operands {
            let Some(position) = &mut now else { return };
            let token = operand.text().as_bytes();
            let Ok(Resolved { m, core, .. }) = position.resolve(token) else {
                self.wrong("not a legal move", operand.text());
                return;
            };
            let is_word = matches!(operand, Operand::Word(_));
            // As in the movetext, a check mark may be missing.
            if !is_word || position.san(m).as_bytes() != &token[..core] {
                self.found
                    .push(fault(self.operation, "not in SAN", operand.text()));
            }
            if goes_on {
                position.play(m);
            }
        }
    }
}
