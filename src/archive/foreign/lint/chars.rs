//! Bytes and lines (PGN 1994 3.2.2, 4.1 to 4.3, 8.2.1).

use std::ops::Range;

use crate::foreign::lint::{LONGEST_LINE, RuleHits, columns};
use pgc_pgn::clause::Rule;
use pgc_pgn::epd::source::line_end;
use pgc_pgn::game::{Elem, ElemKind, ParsedGame};
use pgc_pgn::tag::{BOM, is_all_blank, is_blank_char};
use pgc_pgn::writer::{Encoding, WIDTH};

/// Checks the lines of a unit, whose movetext begins at `movetext`.
pub(super) fn lines(hits: &mut RuleHits, text: &[u8], movetext: usize) {
    let (mut start, mut returns) = (0, None);
    while start < text.len() {
        let (end, next) = line_end(text, start);
        let line = &text[start..end];
        if line.len() >= WIDTH {
            long_line(hits, line, start, movetext);
        }
        if text.get(end) == Some(&b'\r') {
            returns = returns.or(Some(end));
        }
        let is_escape = line.first() == Some(&b'%');
        if hits.rules.strict && !is_escape {
            let is_blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
            if start >= movetext && (is_blank(line.first()) || is_blank(line.last())) {
                hits.hit(Rule::EdgeBlank, start..end);
            }
            if let Some(at) = memchr::memchr2(b'\t', 0x0b, line) {
                hits.hit(Rule::Tab, start + at..end);
            }
        }
        start = next;
    }
    if let Some(at) = returns {
        hits.strict(Rule::Newline, at..at + 1);
    }
}

fn long_line(hits: &mut RuleHits, line: &[u8], start: usize, movetext: usize) {
    let len = columns(line);
    let span = start..start + line.len();
    if len > LONGEST_LINE {
        hits.hit(Rule::LongLine, span.clone());
    }
    if len > WIDTH && start >= movetext && line.first() != Some(&b'%') {
        hits.strict(Rule::WideLine, span);
    }
}

/// Bytes that are rare in PGN: anything but printable ASCII, LF and CR.
fn is_special(byte: u8) -> bool {
    !matches!(byte, b' '..=b'~' | b'\n' | b'\r')
}

/// Checks the characters of a game: of each element, and of each gap between two.
pub(super) fn check(hits: &mut RuleHits, text: &[u8], game: &ParsedGame<'_>) {
    if !text.iter().fold(false, |any, &byte| any | is_special(byte)) {
        return;
    }
    let mut at = 0;
    if text.starts_with(BOM) {
        hits.hit(Rule::ByteOrderMark, 0..BOM.len());
        at = BOM.len();
    }
    for elem in game.elems {
        let start = elem.start as usize;
        outside(hits, text, at..start.max(at), false);
        at = elem.end as usize;
        if text[elem.span()].iter().any(|&byte| is_special(byte)) {
            element(hits, text, game, elem);
        }
    }
    outside(hits, text, at..text.len(), false);
}

fn element(hits: &mut RuleHits, text: &[u8], game: &ParsedGame<'_>, elem: &Elem) {
    match elem.kind {
        // Programs pass over it; export format has it in Latin-1 too.
        ElemKind::Escape => utf8(hits, text, elem.inner(), RuleHits::strict),
        ElemKind::Tag => {
            let tag = &game.tags[elem.num as usize];
            if let Some(tab) = memchr::memchr(b'\t', &text[tag.value.clone()]) {
                let at = tag.value.start + tab;
                hits.hit(Rule::TabInString, at..at + 1);
            }
            outside(hits, text, elem.start as usize..tag.value.start, false);
            inside(hits, text, tag.value.clone());
        }
        ElemKind::Brace | ElemKind::Line => inside(hits, text, elem.inner()),
        ElemKind::Text => inside(hits, text, elem.span()),
        kind => outside(hits, text, elem.span(), kind == ElemKind::Move),
    }
}

/// The beginning of the word around the byte `at` of a span, so that a finding quotes whole words.
fn word(text: &[u8], span: &Range<usize>, at: usize) -> usize {
    let before = &text[span.start..span.start + at];
    let blank = before.iter().rposition(u8::is_ascii_whitespace);
    span.start + blank.map_or(0, |blank| blank + 1)
}

fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0c | 0x0e..=0x1f | 0x7f)
}

fn controls(hits: &mut RuleHits, text: &[u8], span: &Range<usize>) {
    if let Some(at) = text[span.clone()].iter().position(|&byte| is_control(byte)) {
        hits.hit(Rule::Control, span.start + at..span.start + at + 1);
    }
}

/// Checks text outside strings and comments for characters outside ASCII that no other rule finds:
/// in moves, and blanks.
fn outside(hits: &mut RuleHits, text: &[u8], span: Range<usize>, is_move: bool) {
    controls(hits, text, &span);
    let mut at = 0;
    for run in text[span.clone()].chunk_by(|a, b| a.is_ascii() == b.is_ascii()) {
        if !run.is_ascii() && (is_move || is_all_blank(run)) {
            let rule = [Rule::OddBlank, Rule::OddMove][usize::from(is_move)];
            return hits.hit(rule, word(text, &span, at)..span.end);
        }
        at += run.len();
    }
}

/// Checks a string or a comment: UTF-8 if it is valid as such, else Latin-1 (D6).
fn inside(hits: &mut RuleHits, text: &[u8], span: Range<usize>) {
    controls(hits, text, &span);
    let bytes = &text[span.clone()];
    let is_high = |&(_, c): &(usize, char)| matches!(c, '\u{80}'..='\u{9f}');
    let high = match std::str::from_utf8(bytes) {
        Err(_) => bytes.iter().position(|byte| matches!(byte, 0x80..=0x9f)),
        Ok(string) => string.char_indices().find(is_high).map(|(at, _)| at),
    };
    if let Some(at) = high.map(|at| span.start + at) {
        // In UTF-8 it has two bytes, of which the first is no control.
        let len = 1 + usize::from(text[at] == 0xc2);
        hits.hit(Rule::HighControl, at..at + len);
    }
    utf8(hits, text, span, RuleHits::hit);
}

/// Finds UTF-8 in the place of Latin-1, and what Latin-1 does not have. Of that, blanks and unseen
/// characters are not missed.
fn utf8(
    hits: &mut RuleHits,
    text: &[u8],
    span: Range<usize>,
    hit: impl Fn(&mut RuleHits, Rule, Range<usize>),
) {
    let bytes = &text[span.clone()];
    let Ok(string) = std::str::from_utf8(bytes) else {
        return;
    };
    let first = bytes.iter().position(|byte| !byte.is_ascii());
    let Some(first) = first.filter(|_| hits.rules.encoding == Encoding::Latin1) else {
        return;
    };
    let is_outside = |c| c > '\u{ff}';
    let lost = string.find(|c| is_outside(c) && !is_blank_char(c));
    let lost = lost.map(|at| (Rule::OutsideLatin1, at));
    let outside = lost.or_else(|| Some((Rule::OddBlank, string.find(is_outside)?)));
    for (rule, at) in [(Rule::Utf8, first)].into_iter().chain(outside) {
        hit(hits, rule, word(text, &span, at)..span.end);
    }
}
