//! The slow way: a sorted list of SAN texts. For the Lichess variants, whose rules no mask here knows, and for the
//! ordinals of the old `pgn2pgc` program.

use shakmaty::san::San;
use shakmaty::variant::VariantPosition;
use shakmaty::{Chess, Move, MoveList, Position};

use super::lenient::{self, Rung};
use super::position::Unresolved;
use super::san::SanText;

/// The canonical SAN of a legal move, as shakmaty prints it.
pub(super) fn san(position: &VariantPosition, m: Move) -> SanText {
    let mut text = SanText::default();
    San::from_move(position, m).to_string().bytes().for_each(|byte| text.push(byte));
    text
}

/// The legal moves in the order of their ordinals.
fn sorted(position: &VariantPosition) -> Vec<(SanText, Move)> {
    let mut list: Vec<_> = position.legal_moves().iter().map(|&m| (san(position, m), m)).collect();
    list.sort_by_key(|entry| entry.0);
    list
}

pub(super) fn rank(position: &VariantPosition, m: Move) -> Option<usize> {
    sorted(position).iter().position(|entry| entry.1 == m)
}

pub(super) fn select(position: &VariantPosition, ordinal: usize) -> Option<Move> {
    select_san(position, ordinal).map(|entry| entry.0)
}

pub(super) fn select_san(position: &VariantPosition, ordinal: usize) -> Option<(Move, SanText)> {
    sorted(position).get(ordinal).map(|&(text, m)| (m, text))
}

/// The move that `core` means, and the rung on which it does.
pub(super) fn resolve(position: &VariantPosition, core: &[u8]) -> Result<(Move, Rung), Unresolved> {
    if let Some(m) = San::from_ascii(core).ok().and_then(|text| text.to_move(position).ok())
        && san(position, m).as_bytes() == core
    {
        return Ok((m, Rung::Canonical));
    }
    lenient::find(core, &position.legal_moves())
}

/// The move to which the `pgn2pgc` program gave this ordinal.
///
/// Found from its one published archive, in which this rule explains every move: it sorted the texts without
/// disambiguation, and moves of the same text (`Nd2` by either knight) stood in the order of their origins, a1, b1 ... h8.
pub(super) fn select_pgn2pgc(position: &Chess, ordinal: usize) -> Option<Move> {
    let bare = |m: Move| {
        let mut text = SanText::default();
        San::disambiguate(m, &MoveList::new()).to_string().bytes().for_each(|byte| text.push(byte));
        text
    };
    let mut list: Vec<_> = position.legal_moves().iter().map(|&m| (bare(m), m.from(), m)).collect();
    list.sort_by_key(|&(text, from, _)| (text, from));
    list.get(ordinal).map(|entry| entry.2)
}
