//! Finds the signs in the gaps of a game that stand for no glyph, such as `=+-`, for
//! `unpack --export` (spec/pgc.md section 6).

use std::ops::Range;

use pgc_block::decode::game::{Decoded, RenderFault};
use pgc_block::decode::layout::{GivenText, Scratch, Slots, render};
use pgc_block::head::BlockHead;
use pgc_block::layout::Style;
use pgc_pgn::CHECK_WORDS;
use pgc_pgn::game::{Elem, Issue, IssueKind, ParsedGame, ParsedGames};
use pgc_pgn::nag::PlainSign;
use pgc_pgn::tag::{is_all_blank, is_space};

/// Finds the signs of the games of a block.
pub(crate) struct Signs<'h> {
    head: &'h BlockHead,
    /// Whether the style itself contains signs.
    in_style: bool,
    text: Vec<u8>,
    scratch: Scratch,
}

impl<'h> Signs<'h> {
    pub(crate) fn new(head: &'h BlockHead) -> Signs<'h> {
        Signs {
            head,
            in_style: are_in_style(&head.style),
            text: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    /// The signs of a game, in order, each with the number of the element that it precedes.
    pub(crate) fn signs(&mut self, unit: &Decoded) -> Result<Vec<(usize, &[u8])>, RenderFault> {
        let layout = unit.layout.as_deref();
        let is_possible =
            self.in_style || layout.is_some_and(|layout| may_be_in(layout, unit.elems.len()));
        // A line of EPD has no gaps.
        if self.head.style.epd || !is_possible {
            return Ok(Vec::new());
        }
        let limit = usize::try_from(self.head.source).unwrap_or(usize::MAX);
        self.text.clear();
        render(
            &mut self.text,
            unit,
            &self.head.style,
            &mut self.scratch,
            limit,
            GivenText::Believed,
        )?;
        let mut games = ParsedGames::in_letters(self.head.style.letters);
        // If another writer's text is read as different elements, its gaps cannot be assigned.
        let game = games.read_one(&self.text);
        let game = game.filter(|game| has_elems(game, unit));
        Ok(game.map_or_else(Vec::new, |game| signs_of(&self.text, &game)))
    }
}

/// Whether a gap contains more than move numbers.
fn is_more_than_a_number(gap: &[u8]) -> bool {
    let is_other = |&byte: &u8| !(is_space(byte) || byte.is_ascii_digit() || byte == b'.');
    gap.iter().any(is_other)
}

/// Whether a template of the style contains signs; `#` stands for a move number.
fn are_in_style(style: &Style) -> bool {
    style.own_templates().any(|(_, _, template)| {
        let mut parts = template.split(|&byte| byte == b'#');
        parts.any(is_more_than_a_number)
    })
}

/// Whether a gap in a layout may hold a sign; `elems` is the number of elements of the game.
fn may_be_in(layout: &[u8], elems: usize) -> bool {
    let Some((0, slots)) = layout.split_first() else {
        return true;
    };
    // Errors in a layout are reported where it is rendered.
    let Ok(mut slots) = Slots::new(slots) else {
        return true;
    };
    let end = 2 * elems as u64;
    while let Some((slot, bytes)) = slots.next {
        let is_gap = slot % 2 == 1 || slot == end;
        if (is_gap && is_more_than_a_number(bytes)) || slots.advance().is_err() {
            return true;
        }
    }
    false
}

/// Whether the parsed game has the elements of `unit`.
fn has_elems(game: &ParsedGame<'_>, unit: &Decoded) -> bool {
    let said = |elem: &Elem| (elem.kind, elem.ordinal);
    let (read, decoded) = (game.elems.iter(), unit.elems.iter());
    read.map(said).eq(decoded.map(said))
}

/// The signs in the gaps of a game that was read from `text`, in order, each with the number of the
/// element that it precedes.
pub(crate) fn signs_of<'t>(text: &'t [u8], game: &ParsedGame<'_>) -> Vec<(usize, &'t [u8])> {
    let mut found = Vec::new();
    let span = |issue: &Issue| issue.start as usize..issue.end as usize;
    let issues = game.issues.iter();
    let junk = issues.filter(|issue| issue.what == IssueKind::Junk);
    let mut junk = junk.map(span).peekable();
    let mut before: Option<&Elem> = None;
    for at in 0..=game.elems.len() {
        let start = before.map_or(0, |elem| elem.end as usize);
        let next = game.elems.get(at);
        let gap = start..next.map_or(text.len(), |elem| elem.start as usize);
        // Signs within an element were noted before it turned out to be text.
        while junk.next_if(|sign| sign.start < gap.start).is_some() {}
        while let Some(mut sign) = junk.next_if(|sign| sign.start < gap.end) {
            let goes_on = |sign: &Range<usize>, next: &Range<usize>| {
                let between = &text[sign.end..next.start];
                next.start < gap.end
                    && between.iter().all(|&b| is_space(b))
                    && is_judging(&text[next.clone()])
            };
            if is_judging(&text[sign.clone()]) {
                while let Some(next) = junk.next_if(|next| goes_on(&sign, next)) {
                    sign.end = next.end;
                }
            }
            if !says_nothing(&text[sign.clone()]) {
                found.push((at, &text[sign]));
            }
        }
        before = next;
    }
    found
}

/// Whether this is part of a sign such as `+ -`, written with blanks.
fn is_judging(sign: &[u8]) -> bool {
    let is_part = |byte: &u8| matches!(byte, b'+' | b'-' | b'=' | b'/' | b'#');
    PlainSign::new(sign).is_some_and(|plain| plain.bytes().iter().all(is_part))
}

/// Whether a sign has no meaning of its own: punctuation, blanks of Unicode, and marks that SAN
/// expresses itself (check, mate, en passant).
fn says_nothing(sign: &[u8]) -> bool {
    let is_punctuation = |byte: &u8| byte.is_ascii_control() || b"*)}[],.:'\"`".contains(byte);
    let is_mark = |byte: &u8| matches!(byte, b'+' | b'#') || is_space(*byte);
    let last = sign.iter().rposition(|byte| !is_mark(byte));
    let bare = &sign[..last.map_or(0, |at| at + 1)];
    sign.iter().all(is_punctuation)
        || is_all_blank(sign)
        // Ellipsis; daggers.
        || sign == "…".as_bytes()
        || matches!(bare, b"" | b"\x86" | b"\x87" | b"\xe2\x80\xa0" | b"\xe2\x80\xa1" | b"ep" | b"e.p.")
        || CHECK_WORDS.contains(&bare)
}
