//! The opcodes of the standard (PGN 1994, 16.2.5), and what operands each takes.

use super::line::{EpdError, EpdLine, Operand, Operation};
use crate::clause::Rule;
use pgc_chess::{Position, Resolved};

/// What operands an opcode takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Nothing,
    Anything,
    /// One integer of this range.
    Integer(i64, i64),
    /// A string.
    Text,
    TwoTexts,
    /// A string, or nothing.
    MaybeText,
    /// A move.
    Move,
    /// Any number of moves of the position.
    Moves,
    /// Moves, one after another.
    Line,
}

/// The opcodes except `c0` to `c9` and `v0` to `v9`, with the rules for their operands. `acd` (the
/// depth of an analysis) is not in the text of 1994, but in common use with `acn` and `acs`.
const OPCODES: [(&str, Takes, Rule); 25] = [
    ("acd", Takes::Integer(0, i64::MAX), Rule::EpdAcd),
    ("acn", Takes::Integer(0, i64::MAX), Rule::EpdAcn),
    ("acs", Takes::Integer(0, i64::MAX), Rule::EpdAcs),
    ("am", Takes::Moves, Rule::EpdAm),
    ("bm", Takes::Moves, Rule::EpdBm),
    ("ce", Takes::Integer(-32_767, 32_766), Rule::EpdCe),
    ("dm", Takes::Integer(1, i64::MAX), Rule::EpdDm),
    ("draw_accept", Takes::Nothing, Rule::EpdDrawAccept),
    ("draw_claim", Takes::Nothing, Rule::EpdDrawClaim),
    ("draw_offer", Takes::Nothing, Rule::EpdDrawOffer),
    ("draw_reject", Takes::Nothing, Rule::EpdDrawReject),
    ("eco", Takes::MaybeText, Rule::EpdEco),
    ("fmvn", Takes::Integer(1, i64::MAX), Rule::EpdFmvn),
    ("hmvc", Takes::Integer(0, i64::MAX), Rule::EpdHmvc),
    ("id", Takes::Text, Rule::EpdId),
    ("nic", Takes::MaybeText, Rule::EpdNic),
    ("noop", Takes::Anything, Rule::EpdOpcode),
    ("pm", Takes::Move, Rule::EpdPm),
    ("pv", Takes::Line, Rule::EpdPv),
    ("rc", Takes::Integer(1, i64::MAX), Rule::EpdRc),
    ("resign", Takes::Nothing, Rule::EpdResign),
    ("sm", Takes::Move, Rule::EpdSm),
    ("tcgs", Takes::Integer(1, i64::MAX), Rule::EpdTcgs),
    ("tcri", Takes::TwoTexts, Rule::EpdTcri),
    ("tcsi", Takes::TwoTexts, Rule::EpdTcsi),
];

fn takes(opcode: &str) -> Option<(Takes, Rule)> {
    match opcode.as_bytes() {
        [b'c', b'0'..=b'9'] => return Some((Takes::MaybeText, Rule::EpdComment)),
        [b'v', b'0'..=b'9'] => return Some((Takes::MaybeText, Rule::EpdVariation)),
        _ => {}
    }
    let known = OPCODES.iter().find(|known| known.0 == opcode);
    known.map(|known| (known.1, known.2))
}

/// Whether the standard, or common use, has this opcode (16.2.5).
pub(super) fn is_known(opcode: &str) -> bool {
    takes(opcode).is_some()
}

/// The moves of an operation in SAN, each with the check mark that its operand has. An item is
/// `None` where the move is not legal; a line of moves (`pv`) ends there. Returns `None` for an
/// opcode that takes no moves.
pub(super) fn sans(
    operation: &Operation,
    start: &Position,
) -> Option<impl Iterator<Item = Option<String>>> {
    let goes_on = match takes(&operation.opcode)?.0 {
        Takes::Move | Takes::Line => true,
        Takes::Moves => false,
        _ => return None,
    };
    let mut now = Some(start.clone());
    Some(operation.operands.iter().map_while(move |operand| {
        let position = now.as_mut()?;
        let token = operand.text();
        let Ok(Resolved { m, core, .. }) = position.resolve(token.as_bytes()) else {
            now = now.take().filter(|_| !goes_on);
            return Some(None);
        };
        let mark = token.get(core..).filter(|mark| matches!(*mark, "+" | "#"));
        let san = format!("{}{}", position.san(m), mark.unwrap_or_default());
        if goes_on {
            position.play(m);
        }
        Some(Some(san))
    }))
}

/// Whether the operands of an opcode come in ASCII order (16.2.4.1).
pub(super) fn sorts_moves(opcode: &str) -> bool {
    matches!(takes(opcode), Some((Takes::Moves, _)))
}

impl EpdLine {
    /// What is not as the standard says: what [`EpdLine::parse`] tolerated, operands of the wrong
    /// kind, moves that are not legal or not in SAN, opcodes that come twice or are not in order.
    /// Unknown opcodes may have any operands.
    pub fn check(&self) -> Vec<EpdError> {
        let mut found = self.irregular.clone();
        let start = self.start();
        for operation in &self.operations {
            if let Some((takes, rule)) = takes(&operation.opcode) {
                check_operands(operation, (takes, rule), start.as_ref(), &mut found);
            }
        }
        for [before, operation] in self.operations.array_windows() {
            // A string without an end stands last.
            let is_before = operation.place() < before.place();
            if is_before && operation.is_proper() && before.is_proper() {
                let wrong = "not in the order of the opcodes";
                found.push(fault(operation, Rule::EpdOrder, wrong, &operation.opcode));
            }
        }
        let mut sorted: Vec<&Operation> = self.operations.iter().collect();
        sorted.sort_by(|a, b| a.opcode.cmp(&b.opcode));
        for [first, again] in sorted.array_windows() {
            if first.opcode == again.opcode && again.is_proper() {
                let wrong = "the opcode comes twice";
                found.push(fault(again, Rule::EpdAgain, wrong, &again.opcode));
            }
        }
        self.check_together(&mut found);
        found.sort_by_key(|error| error.column);
        found
    }

    /// Checks what the standard says of operations that depend on each other.
    fn check_together(&self, found: &mut Vec<EpdError>) {
        let draws = [
            ("draw_claim", Rule::EpdDrawClaim),
            ("draw_offer", Rule::EpdDrawOffer),
        ];
        for (opcode, rule) in draws {
            if let Some(operation) = self.operation(opcode)
                && self.operation("sm").is_none()
            {
                found.push(fault(operation, rule, "needs the move sm", opcode));
            }
        }
        let first = |opcode| self.operation(opcode)?.operands.first();
        if let (Some(pm), Some(pv)) = (first("pm"), first("pv"))
            && pm != pv
            && let Some(operation) = self.operation("pm")
        {
            let what = "not the first move of pv";
            found.push(fault(operation, Rule::EpdPm, what, pm.text()));
        }
    }
}

fn fault(operation: &Operation, rule: Rule, what: &str, text: &str) -> EpdError {
    EpdError {
        column: operation.column,
        rule,
        what: format!("{}: {what}", operation.opcode),
        text: text.to_owned(),
    }
}

/// Checks the operands of an operation whose opcode takes these.
fn check_operands(
    operation: &Operation,
    (takes, rule): (Takes, Rule),
    start: Option<&Position>,
    found: &mut Vec<EpdError>,
) {
    let operands = operation.operands.as_slice();
    let all = || {
        let texts: Vec<String> = operands.iter().map(Operand::to_string).collect();
        texts.join(" ")
    };
    let mut breaks = |rule, what: &str, text: &str| found.push(fault(operation, rule, what, text));
    let wrong = match (takes, operands) {
        (Takes::Anything | Takes::Moves | Takes::Line, _)
        | (Takes::Nothing | Takes::MaybeText, [])
        | (Takes::Text | Takes::MaybeText, [Operand::Text(_)])
        | (Takes::TwoTexts, [Operand::Text(_), Operand::Text(_)])
        | (Takes::Move, [_]) => None,
        (Takes::Integer(least, most), [Operand::Word(word)])
            if word.parse().is_ok_and(|n: i64| (least..=most).contains(&n)) =>
        {
            None
        }
        (Takes::Nothing, _) => Some("takes no operand".to_owned()),
        (Takes::Text, _) => Some("takes one string".to_owned()),
        (Takes::TwoTexts, _) => Some("takes two strings".to_owned()),
        (Takes::MaybeText, _) => Some("takes one string, or nothing".to_owned()),
        (Takes::Move, _) => Some("takes one move".to_owned()),
        (Takes::Integer(least, i64::MAX), _) => Some(format!("takes an integer, from {least}")),
        (Takes::Integer(least, most), _) => {
            Some(format!("takes an integer from {least} to {most}"))
        }
    };
    if let Some(wrong) = wrong {
        return breaks(rule, &wrong, &all());
    }
    let is_sorted = operands.is_sorted_by_key(|operand| operand.text());
    if takes == Takes::Moves && !is_sorted && !operation.is_open() {
        breaks(Rule::EpdMoveOrder, "moves not in ASCII order", &all());
    }
    let sans = start.and_then(|start| sans(operation, start));
    for (operand, san) in operands.iter().zip(sans.into_iter().flatten()) {
        match san.map(Operand::Word) {
            None => breaks(rule, "not a legal move", operand.text()),
            // As in the movetext, a check mark may be missing.
            Some(san) if *operand != san => breaks(Rule::EpdSan, "not in SAN", operand.text()),
            Some(_) => {}
        }
    }
}
