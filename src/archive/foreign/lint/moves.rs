//! The movetext (PGN 1994 5 to 7, 8.2, 10): what the reader found, and what stands in the gaps.

use std::ops::Range;

use crate::foreign::lint::fixed::with_chess960;
use crate::foreign::lint::{LintRules, RuleHits};
use pgc_pgn::clause::Rule;
use pgc_pgn::game::{Elem, ElemKind, Issue, IssueKind, Mark, ParsedGame, ParsedGames, TagSpan};
use pgc_pgn::tag::{is_all_blank, is_space};
use pgc_pgn::writer::Termination;

/// NAGs from this one on are reserved (section 10).
const RESERVED: u32 = 140;

pub(super) fn check(hits: &mut RuleHits, text: &[u8], game: &ParsedGame<'_>) {
    for issue in game.issues {
        let span = issue.start as usize..issue.end as usize;
        if let Some(rule) = rule_of(text, game, issue, hits.rules) {
            hits.hit(rule, span);
        }
    }
    let begin = game.tags_end();
    let mut before: Option<&Elem> = None;
    for elem in &game.elems[game.tag_elems..] {
        match elem.kind {
            ElemKind::Move => {
                marks(hits, elem);
                let gap = before.map_or(begin, |elem| elem.end as usize)..elem.start as usize;
                // Only digits can be a number.
                if text[gap.clone()].iter().any(u8::is_ascii_digit) {
                    for (at, number) in numbers(text, gap) {
                        if number != Some(elem.num / 2) {
                            hits.hit(Rule::WrongNumber, at);
                        }
                    }
                }
            }
            ElemKind::Nag => nag(hits, text, elem, before),
            ElemKind::Escape => hits.strict(Rule::Escape, elem.span()),
            _ => {}
        }
        before = Some(elem);
    }
    match before.filter(|elem| elem.kind == ElemKind::Terminator) {
        Some(elem) if Termination::from_bytes(&text[elem.span()]).is_none() => {
            hits.hit(Rule::TerminationSpelling, elem.span());
        }
        Some(_) => {}
        None => {
            let end = text.trim_ascii_end().len();
            hits.hit(Rule::NoTermination, end.saturating_sub(1)..end);
        }
    }
}

fn rule_of(text: &[u8], game: &ParsedGame<'_>, issue: &Issue, rules: LintRules) -> Option<Rule> {
    let bytes = &text[issue.start as usize..issue.end as usize];
    Some(match issue.what {
        IssueKind::BadStart => {
            // The value of the tag, or the whole tag where its name is the fault.
            let begin = issue.start as usize;
            let is_at = |tag: &&TagSpan| [tag.value.start, tag.name.start].contains(&begin);
            let tag = game.tags.iter().find(is_at);
            match tag.map(|tag| &text[tag.name.clone()]) {
                Some(b"Variant") => Rule::UnknownRules,
                Some(b"FEN") | None => Rule::FenUnusable,
                Some(_) => Rule::StartName,
            }
        }
        IssueKind::NotChess960 if is_chess960(text, game, issue, rules) => Rule::NotChess960,
        IssueKind::Illegal | IssueKind::NotChess960 => Rule::Illegal,
        IssueKind::Ambiguous => Rule::Ambiguous,
        IssueKind::NotAMove if bytes.starts_with(b"%") => Rule::Percent,
        IssueKind::NotAMove => Rule::NotAMove,
        IssueKind::NullMove => Rule::NullMove,
        IssueKind::NoOrdinal => Rule::NoOrdinal,
        IssueKind::RavText => Rule::NoVariation,
        IssueKind::RavUnclosed => Rule::OpenVariation,
        IssueKind::CommentUnclosed => Rule::OpenComment,
        IssueKind::CommentNested => Rule::CloseComment,
        // The module `chars` finds blanks.
        IssueKind::Junk if is_all_blank(bytes) => return None,
        IssueKind::Junk => junk(bytes),
        IssueKind::TagForm => Rule::TagForm,
        IssueKind::LongEscape => Rule::LongEscape,
        IssueKind::TooMany => Rule::TooMany,
        IssueKind::TooLong => Rule::TooLong,
        IssueKind::Stray => Rule::Stray,
        // The module `spelling` checks spellings one by one, and `check` the numbers.
        IssueKind::Spelling | IssueKind::Number | IssueKind::Unproved => return None,
    })
}

/// Whether the move of an issue is legal once the game has the tag that its FEN lacks.
fn is_chess960(text: &[u8], game: &ParsedGame<'_>, issue: &Issue, rules: LintRules) -> bool {
    let Some(with_tag) = with_chess960(text, game) else {
        return false;
    };
    let start = issue.start as usize + with_tag.len() - text.len();
    let mut games = ParsedGames::in_letters(rules.letters);
    let is_it = |elem: &Elem| elem.kind == ElemKind::Move && elem.start as usize == start;
    let game = games.read_one(&with_tag);
    game.is_some_and(|game| game.elems.iter().any(is_it))
}

fn junk(bytes: &[u8]) -> Rule {
    let are_signs = |byte: &u8| matches!(byte, b'+' | b'-' | b'=' | b'/' | b'#');
    match bytes {
        [b'%', ..] => Rule::Percent,
        [b'}'] => Rule::CloseComment,
        [b')'] => Rule::CloseVariation,
        [b'*' | b'0' | b'1', ..] if Termination::from_tag(bytes).is_some() => {
            Rule::InnerTermination
        }
        _ if bytes.iter().any(|byte| matches!(byte, b'<' | b'>')) => Rule::Angle,
        _ if !bytes.is_ascii() => Rule::OutsideAscii,
        _ if bytes.iter().all(are_signs) => Rule::Sign,
        _ => Rule::NoToken,
    }
}

/// PGN 1994 8.2.3.5.
fn marks(hits: &mut RuleHits, elem: &Elem) {
    let (mark, check) = (elem.spelled.mark(), elem.spelled.check());
    match (mark, check) {
        _ if mark == check => {}
        (_, Mark::None) | (Mark::Hash, Mark::Plus) => hits.hit(Rule::FalseMark, elem.span()),
        _ => hits.strict(Rule::CheckMark, elem.span()),
    }
}

/// The move numbers between two elements: digits, perhaps with periods behind them. `None`: more
/// than any game has.
fn numbers(text: &[u8], gap: Range<usize>) -> impl Iterator<Item = (Range<usize>, Option<u32>)> {
    let mut at = gap.start;
    let tokens = text[gap].split(|&byte| is_space(byte));
    tokens.filter_map(move |token| {
        let start = at;
        at += token.len() + 1;
        let end = token.iter().position(|byte| !byte.is_ascii_digit());
        let digits = end.unwrap_or(token.len());
        let is_number = digits > 0 && token[digits..].iter().all(|&byte| byte == b'.');
        let number = || std::str::from_utf8(&token[..digits]).ok()?.parse().ok();
        is_number.then(|| (start..start + digits, number()))
    })
}

fn nag(hits: &mut RuleHits, text: &[u8], elem: &Elem, before: Option<&Elem>) {
    let begin = |elem: &Elem| text[elem.start as usize];
    let is_suffix = |elem: &Elem| elem.kind == ElemKind::Nag && matches!(begin(elem), b'!' | b'?');
    if !is_suffix(elem) && begin(elem) != b'$' {
        hits.hit(Rule::SignOfNag, elem.span());
    } else if is_suffix(elem) {
        if before.is_some_and(is_suffix) {
            hits.hit(Rule::SuffixAgain, elem.span());
        }
        hits.strict(Rule::Suffix, elem.span());
    } else if elem.num > u32::from(u8::MAX) {
        hits.hit(Rule::LargeNag, elem.span());
    } else if elem.num >= RESERVED {
        hits.strict(Rule::ReservedNag, elem.span());
    }
}
