//! The layout of movetext in export format (PGN 1994 8.2.1, 8.2.2.2), checked where a game differs
//! from what export format makes of it.

use std::ops::Range;

use crate::foreign::lint::{RuleHits, columns};
use pgc_pgn::clause::Rule;
use pgc_pgn::game::{Elem, ElemKind, ParsedGame};
use pgc_pgn::tag::{is_newline, is_space};
use pgc_pgn::writer::WIDTH;

pub(super) fn check(hits: &mut RuleHits, text: &[u8], game: &ParsedGame<'_>) {
    let mut at = game.tags_end();
    let mut before: Option<&Elem> = None;
    // Where the current line begins: columns are counted from there.
    let (mut line, mut seen) = (at, at);
    for elem in &game.elems[game.tag_elems..] {
        let gap = at..elem.start as usize;
        let newline = text[seen..at].iter().rposition(|&byte| is_newline(byte));
        line = newline.map_or(line, |newline| seen + newline + 1);
        seen = at;
        number(hits, text, gap.clone(), elem, before);
        separation(hits, text, gap, (before, elem), line);
        (at, before) = (elem.end as usize, Some(elem));
    }
    end(hits, text, at);
}

/// Checks that a move number stands where it belongs, and nowhere else.
fn number(hits: &mut RuleHits, text: &[u8], gap: Range<usize>, elem: &Elem, before: Option<&Elem>) {
    let body = text[gap.clone()].trim_ascii();
    let is_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'.' || is_space(*byte);
    if !body.iter().all(is_number) {
        return;
    }
    let is_black = elem.num % 2 == 1;
    let follows = before.is_some_and(|elem| elem.kind == ElemKind::Move);
    let periods: &[u8] = match elem.kind {
        ElemKind::Move if !is_black => b".",
        ElemKind::Move if !follows => b"...",
        _ => b"",
    };
    let is_right = match body.iter().position(|byte| !byte.is_ascii_digit()) {
        Some(digits) => !periods.is_empty() && digits > 0 && body[digits..] == *periods,
        None => body.is_empty() && periods.is_empty(),
    };
    if !is_right {
        let end = match body {
            [] => elem.end as usize,
            _ => gap.end,
        };
        let start = gap.end - text[gap.clone()].trim_ascii_start().len();
        hits.hit(Rule::NumberForm, start.min(end)..end);
    }
}

/// Checks that elements are separated by one blank, or by one line end where the line is full.
fn separation(
    hits: &mut RuleHits,
    text: &[u8],
    gap: Range<usize>,
    (before, elem): (Option<&Elem>, &Elem),
    line: usize,
) {
    let is_after = |kind| before.is_some_and(|before| before.kind == kind);
    let is_joined = is_after(ElemKind::RavOpen) || elem.kind == ElemKind::RavClose;
    let is_line = is_after(ElemKind::Escape) || is_after(ElemKind::Line);
    let bytes = &text[gap.clone()];
    let body = bytes.trim_ascii();
    let lead = bytes.len() - bytes.trim_ascii_start().len();
    let first = gap.start..gap.start + lead;
    let runs = [first.clone(), first.end + body.len()..gap.end];
    let last = usize::from(!body.is_empty());
    let mut line = line;
    // What is before the first element belongs to the tag section.
    let from = usize::from(before.is_none());
    for (place, run) in runs.into_iter().take(last + 1).enumerate().skip(from) {
        let space = &text[run.clone()];
        // A comment to the end of its line needs a line end behind it, and a `%` line one before it.
        let breaks = (is_line && place == 0) || (elem.kind == ElemKind::Escape && place == last);
        let is_right = match space {
            b"" => is_joined && place == 0,
            b" " => !(breaks || is_joined && place == 0),
            b"\n" | b"\r\n" => true,
            _ => false,
        };
        if !is_right {
            let end = (run.end + 1).min(text.len());
            hits.hit(Rule::Spacing, run.start.min(end)..end);
        } else if matches!(space, b"\n" | b"\r\n") {
            let unit = unit(&text[run.end..]);
            let before = columns(&text[line.min(run.start)..run.start]);
            if !breaks && unit.is_some_and(|unit| before + 1 + unit <= WIDTH) {
                hits.hit(Rule::Filling, run.clone());
            }
            line = run.end;
        }
    }
}

/// The columns of the text up to the next possible line break; `None` if it fits on no line. A
/// comment behind a semicolon is not divided, nor a blank before a percent sign.
fn unit(next: &[u8]) -> Option<usize> {
    const LONGEST: usize = 4 * WIDTH;
    let next = &next[..next.len().min(LONGEST)];
    let is_line = next.strip_prefix(b"(").unwrap_or(next).starts_with(b";");
    let end = (0..next.len()).find(|&at| match next[at] {
        byte if is_newline(byte) => true,
        byte => is_space(byte) && !is_line && next.get(at + 1) != Some(&b'%'),
    })?;
    Some(columns(&next[..end]))
}

/// Checks that one empty line follows the game.
fn end(hits: &mut RuleHits, text: &[u8], at: usize) {
    if !matches!(&text[at..], b"\n\n" | b"\r\n\r\n") && text[at..].iter().all(|&b| is_space(b)) {
        hits.hit(Rule::Spacing, at.min(text.len())..text.len());
    }
}
