//! The movetext of a game: records of moves, NAGs and variations, and of `%` lines.

use pgc_pgn::game::{Elem, ElemKind, ParsedGame};
use pgc_pgn::records::Marker;
use pgc_pgn::records::private::{EscapeKind, begin_private, end_private, put_source_escape, stuff};
use pgc_pgn::records::record::put_moves;
use pgc_pgn::split::UnitKind;

/// Appends the records of moves, NAGs, variations and `%` lines; all other elements are in the
/// escape `A`. Returns whether there are no records but those of the main line.
pub(crate) fn put_play(out: &mut Vec<u8>, src: &[u8], game: &ParsedGame<'_>) -> bool {
    use ElemKind::{Escape, Nag, RavClose, RavOpen};
    let mut ordinals = game.ordinals;
    let is_plain = !game.kinds.any(&[Nag, RavOpen, RavClose, Escape]);
    if !is_plain {
        let mut moves = 0;
        for elem in &game.elems[game.tag_elems..] {
            if elem.kind == ElemKind::Move {
                moves += 1;
            } else if has_record(elem) {
                let (before, behind) = ordinals.split_at(std::mem::take(&mut moves));
                put_moves(out, before);
                put_element(out, src, elem);
                ordinals = behind;
            }
        }
    }
    put_moves(out, ordinals);
    is_plain
}

/// Appends the escape of text outside games, or of a piece of a game.
pub(crate) fn put_text(out: &mut Vec<u8>, kind: UnitKind, text: &[u8]) {
    let (kind, continues) = match kind {
        UnitKind::Stray(continues) => (EscapeKind::Stray, continues),
        UnitKind::Piece(continues) => (EscapeKind::Piece, continues),
        UnitKind::Game => (EscapeKind::Piece, false),
    };
    let begin = begin_private(out, kind);
    stuff(out, &[u8::from(continues)]);
    stuff(out, text);
    end_private(out, kind, begin);
}

/// Whether the element has a record, or is part of one; the others are annotations.
pub(crate) fn has_record(elem: &Elem) -> bool {
    use ElemKind::{Escape, Move, Nag, RavClose, RavOpen, Tag};
    match elem.kind {
        Nag => elem.num <= MAX_NAG,
        kind => matches!(kind, Move | RavOpen | RavClose | Escape | Tag),
    }
}

/// Appends the record of an element that has one of its own.
fn put_element(out: &mut Vec<u8>, src: &[u8], elem: &Elem) {
    match elem.kind {
        ElemKind::Nag => out.extend([Marker::Nag.byte(), u8::try_from(elem.num).unwrap_or(0)]),
        ElemKind::RavOpen => out.push(Marker::RavBegin.byte()),
        ElemKind::RavClose => out.push(Marker::RavEnd.byte()),
        _ => put_source_escape(out, &src[elem.inner()]),
    }
}

/// The greatest NAG that a record can hold.
pub const MAX_NAG: u32 = 255;
