//! The tag section (PGN 1994 7, 8.1, 9.7).

use std::borrow::Cow;
use std::ops::Range;

use crate::foreign::game::written_fen;
use crate::foreign::lint::{RuleHits, columns, values};
use pgc_chess::{Rules, lacks_chess960, names_position};
use pgc_pgn::clause::Rule;
use pgc_pgn::epd::line::EpdLine;
use pgc_pgn::game::{ElemKind, ParsedGame, TagSpan, Wholeness};
use pgc_pgn::tag::put_escaped;
use pgc_pgn::text::decoded;
use pgc_pgn::writer::{Termination, is_tag_name, place_of_tag};

/// The most characters of a string.
const LONGEST: usize = 255;

/// The rule for each tag of the roster that is missing.
const MISSING: [(&[u8], Rule); 7] = [
    (b"Event", Rule::NoEvent),
    (b"Site", Rule::NoSite),
    (b"Date", Rule::NoDate),
    (b"Round", Rule::NoRound),
    (b"White", Rule::NoWhite),
    (b"Black", Rule::NoBlack),
    (b"Result", Rule::NoResult),
];

pub(super) fn check(hits: &mut RuleHits, text: &[u8], game: &ParsedGame<'_>) {
    let begin = game.elems.first().map_or(0, |elem| elem.start as usize);
    let here = begin..text.len().min(begin + 1);
    for (name, rule) in MISSING {
        if value_of(text, game, name).is_none() {
            hits.hit(rule, here.clone());
        }
    }
    let mut before: Option<&[u8]> = None;
    let section = game.elems[..game.tag_elems].iter();
    let mut elems = section.clone().filter(|elem| elem.kind == ElemKind::Tag);
    for (place, (tag, (name, value))) in game.tags.iter().zip(game.tag_pairs(text)).enumerate() {
        if repeats(text, &game.tags[..place], name) {
            hits.hit(Rule::TagAgain, tag.name.clone());
        }
        names(hits, text, tag);
        strings(hits, text, game, (tag, &value));
        if let Some(elem) = elems.next().filter(|_| hits.rules.strict) {
            let is_plain = text[elem.span()].len() == tag.name.len() + tag.value.len() + 5
                && text.get(tag.name.end..tag.name.end + 2) == Some(b" \"");
            if !is_plain || !stands_alone(text, elem.start as usize, elem.end as usize) {
                hits.hit(Rule::TagLayout, elem.span());
            }
            if is_tag_name(name) {
                if before.is_some_and(|before| place_of_tag(before) > place_of_tag(name)) {
                    hits.hit(Rule::TagOrder, tag.name.clone());
                }
                before = Some(name);
            }
        }
    }
    if hits.rules.strict && !game.tags.is_empty() {
        let end = game.tags_end();
        let rest = &text[end..];
        let is_one = rest.starts_with(b"\n\n") || rest.starts_with(b"\r\n\r\n");
        let next = rest.trim_ascii_start();
        let blanks = &rest[..rest.len() - next.len()];
        if !is_one || blanks.iter().filter(|&&byte| byte == b'\n').count() > 2 {
            hits.hit(Rule::TagEnd, end..text.len().min(end + 1));
        }
    }
    for elem in section.filter(|elem| elem.kind == ElemKind::Escape) {
        hits.strict(Rule::Escape, elem.span());
    }
    between(hits, text, game);
}

/// Whether a tag before this one has the same name. Compares at most 256 tags, so that the time
/// stays linear.
fn repeats(text: &[u8], before: &[TagSpan], name: &[u8]) -> bool {
    const COMPARED: usize = 256;
    let from = before.len().saturating_sub(COMPARED);
    let mut compared = before[from..].iter();
    compared.any(|tag| text[tag.name.clone()] == *name)
}

fn stands_alone(text: &[u8], start: usize, end: usize) -> bool {
    let is_line_end = |byte: Option<&u8>| byte.is_none_or(|byte| matches!(byte, b'\n' | b'\r'));
    is_line_end(start.checked_sub(1).and_then(|at| text.get(at))) && is_line_end(text.get(end))
}

fn names(hits: &mut RuleHits, text: &[u8], tag: &TagSpan) {
    match &text[tag.name.clone()] {
        name if !is_tag_name(name) => hits.hit(Rule::TagName, tag.name.clone()),
        [b'_', ..] => hits.hit(Rule::TagFirst, tag.name.clone()),
        [b'A'..=b'Z', ..] => {}
        _ => hits.strict(Rule::TagCase, tag.name.clone()),
    }
}

fn strings(hits: &mut RuleHits, text: &[u8], game: &ParsedGame<'_>, tag: (&TagSpan, &[u8])) {
    let (tag, value) = tag;
    if game.odd_tags && !is_string(&text[tag.value.clone()], value) {
        hits.hit(Rule::StringForm, tag.value.clone());
    }
    if columns(value) > LONGEST {
        hits.hit(Rule::LongString, tag.value.clone());
    }
    // Also for a malformed tag pair: export format puts its value between quotes.
    values::check(hits, &text[tag.name.clone()], value, tag.value.clone());
}

/// Whether each quote and each backslash of this value has a backslash before it.
fn is_string(raw: &[u8], value: &[u8]) -> bool {
    let mut again = Vec::with_capacity(raw.len());
    put_escaped(&mut again, value);
    again == raw
}

/// The last tag pair of a name, and its value.
fn value_of<'t, 'g>(
    text: &'t [u8],
    game: &ParsedGame<'g>,
    name: &[u8],
) -> Option<(&'g TagSpan, Cow<'t, [u8]>)> {
    let tags = game.tags.iter().zip(game.tag_pairs(text));
    let (tag, (_, value)) = tags.filter(|(_, pair)| pair.0 == name).last()?;
    Some((tag, value))
}

/// What a position of chess in a FEN breaks: what it would break in a line of EPD.
fn position(
    hits: &mut RuleHits,
    text: &[u8],
    game: &ParsedGame<'_>,
    (place, fen): (&Range<usize>, &[u8]),
) {
    let variant = value_of(text, game, b"Variant");
    let rules = variant.map(|(_, value)| Rules::from_variant_tag(&value));
    if !matches!(rules, None | Some(Some(Rules::Chess | Rules::Chess960))) {
        return;
    }
    let pairs: Vec<_> = game.tag_pairs(text).collect();
    if lacks_chess960(pairs.iter().map(|(name, value)| (*name, &**value))) {
        hits.hit(Rule::FenVariant, place.clone());
    }
    let fen = decoded(fen);
    let given = fen.split(' ').filter(|field| !field.is_empty());
    let mut fields: Vec<&str> = given.take(4).collect();
    let usual = ["w", "-", "-"].get(fields.len().max(1) - 1..);
    fields.extend(usual.unwrap_or_default());
    // A field that is no such field hides those behind it.
    for _ in 0..2 {
        let line = fields.join(" ");
        let found = match EpdLine::parse(&line) {
            Ok(read) => read.lint(&line),
            Err(error) => vec![error],
        };
        let mut is_hidden = false;
        for error in found {
            let (rule, at) = match error.rule {
                Rule::EpdRights => (Rule::FenRightsLost, 2),
                Rule::EpdRightsOrder => (Rule::FenRights, 2),
                Rule::EpdEnPassant => (Rule::FenEnPassant, 3),
                _ => continue,
            };
            hits.hit(rule, place.clone());
            is_hidden |= at == 2 && rule == Rule::FenRightsLost;
            fields[at] = "-";
        }
        if !is_hidden {
            break;
        }
    }
}

/// The forms of this FEN that export writes in another way.
fn forms(hits: &mut RuleHits, place: &Range<usize>, fen: &[u8], mended: &[u8]) {
    let fields = |fen| {
        let words = <[u8]>::split(fen, |byte| b" ;".contains(byte));
        let words = words.filter(|word| !word.is_empty());
        // A FEN without operations has no more.
        words.take(8).collect::<Vec<&[u8]>>()
    };
    let (given, mended) = (fields(fen), fields(mended));
    let has_operations = fen.contains(&b';');
    for (rule, is_broken) in [
        (Rule::FenOperations, has_operations),
        (Rule::FenFiles, given.get(2) != mended.get(2)),
        (Rule::FenPawn, given.get(3) != mended.get(3)),
        (
            Rule::FenNumber,
            !has_operations && given.get(4..) != mended.get(4..),
        ),
    ] {
        if is_broken {
            hits.hit(rule, place.clone());
        }
    }
}

/// What tags say about each other, and about the movetext.
fn between(hits: &mut RuleHits, text: &[u8], game: &ParsedGame<'_>) {
    let set_up = value_of(text, game, b"SetUp").filter(|(_, value)| **value == *b"1");
    match value_of(text, game, b"FEN") {
        Some((fen, value)) => {
            if set_up.is_none() && names_position(&value) {
                hits.hit(Rule::SetUpMissing, fen.name.clone());
            }
            let variant = value_of(text, game, b"Variant");
            let name = variant.as_ref().map(|(_, name)| &**name);
            let (written, mended) = written_fen(name, &value).unwrap_or((value.clone(), None));
            if let Some(mended) = &mended {
                forms(hits, &fen.value, &written, mended);
            }
            let value = mended.map_or(written, Cow::Owned);
            // Other rules may add pockets, or a count of checks.
            let fields = value.split(|&byte| byte == b' ');
            let is_complete = fields.clone().count() == 6 && fields.clone().all(|f| !f.is_empty());
            if !is_complete && variant.is_none() {
                hits.hit(Rule::FenFields, fen.value.clone());
            }
            position(hits, text, game, (&fen.value, &value));
        }
        None => {
            if let Some((tag, _)) = set_up {
                hits.hit(Rule::FenMissing, tag.value.clone());
            }
        }
    }
    if let Some((tag, value)) = value_of(text, game, b"PlyCount")
        && let Ok(Ok(plies)) = std::str::from_utf8(&value).map(str::parse::<usize>)
        // When it is mended, the rest of a main line that is not legal becomes a comment.
        && (game.wholeness == Wholeness::Whole || hits.rules.fix)
        && plies != game.plies()
    {
        hits.hit(Rule::PlyCountWrong, tag.value.clone());
    }
    let known =
        value_of(text, game, b"Result").and_then(|(_, value)| Termination::from_tag(&value));
    if let (Some(result), Some(last)) = (known, game.elems.last())
        && last.kind == ElemKind::Terminator
        && game.terminator() != result.number()
    {
        let is_open = [result.number(), game.terminator()].contains(&Termination::Unknown.number());
        let rule = match is_open {
            true => Rule::OpenResult,
            false => Rule::OtherResult,
        };
        hits.hit(rule, last.span());
    }
}
