//! The slow path: a list of all legal moves and their SAN. It serves the Lichess variants, which
//! `standard` does not represent, and the ordinals of the old `pgn2pgc` program.

use shakmaty::san::{San, Suffix};
use shakmaty::variant::VariantPosition;
use shakmaty::{Bitboard, Chess, KnownOutcome, Move, MoveList, Outcome, Position, Role, Square};

use super::lenient::{self, Unresolved};
use super::san::{SanText, spell, spell_drop};
use super::shared::Disambiguation;
use super::squares::turned;
use super::standard::{BoardMove, Check};

/// For each role and destination, the squares of the pieces that can move there. Pawns are left
/// out: SAN never disambiguates their moves.
struct VariantMovers([[Bitboard; Square::ALL.len()]; Role::ALL.len()]);

impl VariantMovers {
    fn new(moves: &[Move]) -> VariantMovers {
        let mut movers = VariantMovers([[Bitboard::EMPTY; Square::ALL.len()]; Role::ALL.len()]);
        for m in moves {
            if let Move::Normal { role, from, to, .. } = *m
                && role != Role::Pawn
            {
                movers.0[role as usize - 1][to as usize].add(turned(from));
            }
        }
        movers
    }

    /// The canonical SAN of one of the moves.
    fn san(&self, m: Move) -> SanText {
        let named = match m {
            Move::Normal { role, from, to, .. } => {
                Disambiguation::among(self.0[role as usize - 1][to as usize], turned(from))
            }
            _ => Disambiguation::default(),
        };
        match BoardMove::from_move(m) {
            Some(board_move) => spell(board_move, m.is_capture(), named),
            None => spell_drop(m.role(), turned(m.to())),
        }
    }
}

/// Whether the side to move is in check, or has lost.
pub(super) fn check(position: &VariantPosition) -> Check {
    // Without check only the variant's own rules can end the game in a win, so the list of moves,
    // which is slow to make, is not needed.
    let is_won = || {
        matches!(
            position.variant_outcome(),
            Outcome::Known(KnownOutcome::Decisive { .. })
        )
    };
    match position.is_check().then(|| Suffix::from_position(position)) {
        Some(Some(Suffix::Checkmate)) => Check::Mate,
        Some(_) => Check::Check,
        None if is_won() => Check::Mate,
        None => Check::None,
    }
}

/// The canonical SAN of a legal move.
pub(super) fn san(position: &VariantPosition, m: Move) -> SanText {
    VariantMovers::new(&position.legal_moves()).san(m)
}

/// The SAN of each move, with the move's index. The place of an entry in the sorted list is its
/// ordinal.
fn spelled(moves: &[Move]) -> Vec<(SanText, usize)> {
    let movers = VariantMovers::new(moves);
    moves
        .iter()
        .enumerate()
        .map(|(i, &m)| (movers.san(m), i))
        .collect()
}

fn rank_among(list: &[(SanText, usize)], entry: (SanText, usize)) -> usize {
    list.iter().filter(|&&other| other < entry).count()
}

pub(super) fn rank(position: &VariantPosition, m: Move) -> Option<usize> {
    let moves = position.legal_moves();
    let list = spelled(&moves);
    let place = moves.iter().position(|&other| other == m)?;
    Some(rank_among(&list, list[place]))
}

pub(super) fn select(position: &VariantPosition, ordinal: usize) -> Option<Move> {
    select_san(position, ordinal).map(|entry| entry.0)
}

pub(super) fn select_san(position: &VariantPosition, ordinal: usize) -> Option<(Move, SanText)> {
    let moves = position.legal_moves();
    let mut list = spelled(&moves);
    if ordinal >= list.len() {
        return None;
    }
    let (_, &mut (text, i), _) = list.select_nth_unstable(ordinal);
    Some((moves[i], text))
}

/// The move that `core` means, its ordinal, and whether `core` is its canonical SAN.
pub(super) fn resolve(
    position: &VariantPosition,
    core: &[u8],
) -> Result<(Move, Option<usize>, bool), Unresolved> {
    let moves = position.legal_moves();
    let list = spelled(&moves);
    let mut same = list.iter().filter(|(text, _)| text.as_bytes() == core);
    if let (Some(&entry), None) = (same.next(), same.next()) {
        return Ok((moves[entry.1], Some(rank_among(&list, entry)), true));
    }
    let m = lenient::find(core, &moves)?;
    let place = moves.iter().position(|&other| other == m);
    Ok((m, place.map(|i| rank_among(&list, list[i])), false))
}

/// The move to which the `pgn2pgc` program gave this ordinal.
///
/// Found from its one published archive, in which this rule explains every move: it sorted the
/// texts without disambiguation, and moves of the same text (`Nd2` by either knight) stood in the
/// order of their origins, a1, b1 ... h8.
pub(super) fn select_pgn2pgc(position: &Chess, ordinal: usize) -> Option<Move> {
    let bare = |m| SanText::from(&*San::disambiguate(m, &MoveList::new()).to_string());
    let mut list: Vec<_> = position
        .legal_moves()
        .iter()
        .map(|&m| (bare(m), m.from(), m))
        .collect();
    list.sort_by_key(|&(text, from, _)| (text, from));
    list.get(ordinal).map(|entry| entry.2)
}

#[cfg(test)]
mod tests {
    use shakmaty::variant::Variant;

    use super::*;

    /// The definition of PGN 1994: a sorted list of texts.
    fn sorted(position: &VariantPosition) -> Vec<(SanText, Move)> {
        let san = |m| SanText::from(&*San::from_move(position, m).to_string());
        let mut list: Vec<_> = position
            .legal_moves()
            .iter()
            .map(|&m| (san(m), m))
            .collect();
        list.sort_by_key(|entry| entry.0);
        list
    }

    #[test]
    fn as_sorted_lists_of_strings() {
        let variants = [
            Variant::Antichess,
            Variant::Atomic,
            Variant::Crazyhouse,
            Variant::Horde,
            Variant::KingOfTheHill,
            Variant::RacingKings,
            Variant::ThreeCheck,
        ];
        let mut state = 1_u64;
        for variant in variants.into_iter().cycle().take(7 * 6) {
            let mut position = VariantPosition::new(variant);
            for _ in 0..100 {
                let list = sorted(&position);
                for (ordinal, &(text, m)) in list.iter().enumerate() {
                    assert_eq!(select_san(&position, ordinal), Some((m, text)));
                    assert_eq!(
                        (san(&position, m), rank(&position, m)),
                        (text, Some(ordinal))
                    );
                    let resolved = resolve(&position, text.as_bytes());
                    assert_eq!(resolved, Ok((m, Some(ordinal), true)));
                }
                assert_eq!(select(&position, list.len()), None);
                if list.is_empty() {
                    break;
                }
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                position.play_unchecked(list[usize::try_from(state >> 33).unwrap() % list.len()].1);
            }
        }
    }
}
