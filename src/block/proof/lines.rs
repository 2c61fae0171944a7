//! Compares a line of EPD with the records of its game.

use crate::decode::game::Decoded;
use pgc_pgn::epd::source::{SourceLine, line_end, line_of_unit};
use pgc_pgn::game::ElemKind;

/// Reads again the line that was rendered from the game. Returns how it differs from the records.
pub(crate) fn difference(game: &Decoded, text: &[u8]) -> Option<&'static str> {
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
    let last = game.play();
    let is_open = |kind, num| (kind, num) == (ElemKind::Terminator, 4);
    let is_ended = matches!(last, [elem] if is_open(elem.kind, elem.num));
    (!is_ended).then_some("its text has other elements than its records")
}
