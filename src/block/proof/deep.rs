//! Compares the text of a game with its records. A crafted layout could give a text that differs
//! from the records, and no checksum ties the two together.

use crate::decode::game::Decoded;
use crate::style::Style;
use pgc_pgn::epd::source::{SourceLine, line_end, line_of_unit};
use pgc_pgn::game::{Elem, ElemKind, ParsedGame, ParsedGames};

/// Reads again the text that was rendered from the game. Returns how it differs from the records.
pub fn difference(unit: &Decoded, style: &Style, text: &[u8]) -> Option<&'static str> {
    if style.epd {
        return line_difference(unit, text);
    }
    let mut games = ParsedGames::in_letters(style.letters);
    let mut first = None;
    // Whether the text begins a line matters only for a `%` there. One reading that agrees is
    // enough.
    for line_start in [true, false] {
        if games.read_game(text, line_start).is_err() {
            return Some("its text has more elements than a game may have");
        }
        let found = games
            .last()
            .and_then(|game| game_difference(unit, text, &game));
        found?;
        first = first.or(found);
    }
    first
}

fn game_difference(unit: &Decoded, text: &[u8], game: &ParsedGame<'_>) -> Option<&'static str> {
    let tags: Vec<_> = game.tag_pairs(text).collect();
    let tags = tags.iter().map(|(name, value)| (*name, &**value));
    if !unit.tag_pairs().eq(tags) {
        return Some("its text has other tags than its records");
    }
    if unit.wholeness != game.wholeness {
        return Some("its text ends elsewhere than its records");
    }
    if unit.elems.len() != game.elems.len() {
        return Some("its text has more or fewer elements than its records");
    }
    for (ours, theirs) in unit.elems.iter().zip(game.elems) {
        if ours.kind != theirs.kind {
            return Some("its text has other elements than its records");
        }
        let is_same = match ours.kind {
            ElemKind::Move => ours.ordinal == theirs.ordinal,
            ElemKind::Nag | ElemKind::Terminator => ours.num == theirs.num,
            ElemKind::Brace | ElemKind::Line | ElemKind::Escape | ElemKind::Text => {
                content(ours, &unit.text) == content(theirs, text)
            }
            ElemKind::Tag | ElemKind::RavOpen | ElemKind::RavClose => true,
            ElemKind::Null => false,
        };
        if !is_same {
            return Some(match ours.kind {
                ElemKind::Move => "its text has another move than its records",
                ElemKind::Nag => "its text has another sign than its records",
                ElemKind::Terminator => "its text has another result than its records",
                _ => "its text has another comment or text than its records",
            });
        }
    }
    None
}

fn content<'t>(elem: &Elem, text: &'t [u8]) -> Option<&'t [u8]> {
    text.get(match elem.kind {
        ElemKind::Text => elem.span(),
        _ => elem.inner(),
    })
}

/// Reads again the line of EPD that was rendered from the game. Returns how it differs from the
/// records.
pub(super) fn line_difference(game: &Decoded, text: &[u8]) -> Option<&'static str> {
    let (end, next) = line_end(text, 0);
    if end == 0 || next != text.len() {
        return Some("its text is not a line");
    }
    let Ok(line) = SourceLine::read(line_of_unit(text)) else {
        return Some("its text is not EPD");
    };
    let tags = line.tags();
    let said = tags.iter().map(|(name, value)| (name.as_bytes(), &**value));
    if !game.tag_pairs().eq(said) {
        return Some("its text has other tags than its records");
    }
    let is_ended = matches!(game.play(), [end] if end.kind == ElemKind::Terminator && end.num == 4);
    (!is_ended).then_some("its text has other elements than its records")
}
