//! Takes the census piece by piece, on any machine.

use shakmaty::{Bitboard, Role, attacks};

use crate::attacks::{bishop_attacks, pawn_attacks, rook_attacks};
use crate::census::MoveCounts;
use crate::standard::{PlainMove, SavedBoard, Standard};

/// Plays a plain move, if one is given, and takes the census of the position.
#[inline(always)]
pub(super) fn play(position: &mut Standard, plain: Option<PlainMove>) {
    if let Some(plain) = plain {
        position.make_plain(plain);
    }
    take(position);
}

/// Takes the census. Each field is stored as soon as it is known: copying a finished struct would
/// have to wait for the stores of its parts.
#[inline(always)]
pub(super) fn take(position: &mut Standard) {
    position.census.attacked = attacked(position);
    let (checkers, pinned) = ties(position);
    position.census.checkers = checkers;
    position.census.pinned = pinned;
    position.census.target = landing(position, checkers);
    let mut counts = 0;
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        let (mut reach, mut count) = (Bitboard::EMPTY, 0);
        for from in position.pieces(role) {
            let set = position.destinations(role, from);
            reach |= set;
            count += set.count();
        }
        position.census.reach[role as usize] = reach;
        // At most 512 moves, which fit the 12 bits: a square is reached from at most 8 sides.
        counts |= MoveCounts::one(role, count as u64).0;
    }
    position.census.counts = MoveCounts(counts);
    let (king, us) = (position.king, position.us);
    position.census.see_king(king, us);
}

/// The enemy pieces that give check, and our pieces that are pinned to the king.
#[inline(always)]
fn ties(position: &Standard) -> (Bitboard, Bitboard) {
    let SavedBoard {
        us,
        them,
        turn,
        king,
        ..
    } = position.board;
    let (rooks, bishops) = (
        position.movers_along(Role::Rook),
        position.movers_along(Role::Bishop),
    );
    let mut checkers = (attacks::knight_attacks(king) & position.by_role(Role::Knight))
        | (pawn_attacks(Bitboard::from_square(king), turn) & position.by_role(Role::Pawn));
    let mut pinned = Bitboard::EMPTY;
    // Seen through our own pieces, the first enemy slider on a line gives check, pins a piece, or
    // does neither.
    let snipers = (rook_attacks(king, them) & rooks) | (bishop_attacks(king, them) & bishops);
    for sniper in snipers & them {
        let between = attacks::between(king, sniper) & us;
        if between.is_empty() {
            checkers.add(sniper);
        } else if !between.more_than_one() {
            pinned |= between;
        }
    }
    (checkers & them, pinned)
}

/// The squares where a piece other than the king may land.
#[inline(always)]
fn landing(position: &Standard, checkers: Bitboard) -> Bitboard {
    let evasion = match checkers.first() {
        None => Bitboard::FULL,
        // Against two checkers only the king can move.
        Some(_) if checkers.more_than_one() => Bitboard::EMPTY,
        Some(checker) => attacks::between(position.king, checker).with(checker),
    };
    !position.us & evasion
}

/// The squares that the enemy attacks. Sliders see through our king.
#[inline(always)]
fn attacked(position: &Standard) -> Bitboard {
    let them = position.them;
    let mut set = pawn_attacks(position.by_role(Role::Pawn) & them, !position.turn);
    set |= attacks::king_attacks(position.their_king);
    for knight in position.by_role(Role::Knight) & them {
        set |= attacks::knight_attacks(knight);
    }
    let occupied = (position.us | them).without(position.king);
    for slider in position.movers_along(Role::Rook) & them {
        set |= rook_attacks(slider, occupied);
    }
    for slider in position.movers_along(Role::Bishop) & them {
        set |= bishop_attacks(slider, occupied);
    }
    set
}

#[cfg(test)]
mod tests {
    use shakmaty::fen::Fen;
    use shakmaty::{CastlingMode, Chess, FromSetup as _, Position as _};

    use super::*;
    use crate::squares::nth_bit;
    use crate::{ordinal, ply};

    /// `ply` uses the fastest version that this machine can run; `take` runs on any.
    #[test]
    fn both_ways_to_take_it_agree() {
        let starts = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "q3k2b/8/8/3Q4/1r1RKB1r/3N4/2b3b1/4q2q w - - 0 1",
            "1q1q3k/6q1/3R4/1B1P2Nq/q2RKR1q/2B5/2qN1Q2/q3q3 w - - 0 1",
        ];
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for start in starts.iter().cycle().take(200) {
            let setup = Fen::from_ascii(start.as_bytes())
                .expect("a FEN")
                .into_setup();
            let chess = Chess::from_setup(setup, CastlingMode::Standard)
                .or_else(shakmaty::PositionError::ignore_too_much_material)
                .or_else(shakmaty::PositionError::ignore_impossible_check)
                .expect("a position");
            let mut position = ply::start(&chess).expect("there are kings");
            for _ in 0..80 {
                let mut again = position.clone();
                take(&mut again);
                assert_eq!(position.census, again.census, "{:?}", position.to_chess());
                let moves = position.to_chess().legal_moves().len();
                if moves == 0 {
                    break;
                }
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                let n = (state >> 33) as usize % moves;
                let (board_move, _) = ordinal::select(&position, n, nth_bit).expect("a move");
                ply::play(&mut position, board_move);
            }
        }
    }
}
