//! The census by AVX-512: all eight directions of the board at once, one in each lane of a vector,
//! without a loop (`lanes.rs`).
//!
//! A fill from the king, seen backwards, meets the fill of the enemy's sliders at a pinned piece; a
//! slider that it runs into gives check.

use std::arch::x86_64::*;

use shakmaty::{Bitboard, Role, attacks};

use crate::attacks::pawn_attacks;
use crate::census::MoveCounts;
use crate::lanes::{
    JUMP_ENDS, JUMPS, PAWN_ENDS, STEPS, Ways, and, constant, halve, join, nor, opposite, or,
    or_and, pair, splat, turned,
};
use crate::standard::{PlainMove, SavedBoard, Standard};

/// Plays a plain move, if one is given, and takes the census of the position.
#[target_feature(enable = "avx512f,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
pub(super) fn play(position: &mut Standard, plain: Option<PlainMove>) {
    if let Some(plain) = plain {
        position.make_plain(plain);
    }
    let SavedBoard {
        us,
        them,
        king,
        their_king,
        turn,
        ..
    } = position.saved();
    let (rooks, bishops, queens) = (
        position.by_role(Role::Rook).0,
        position.by_role(Role::Bishop).0,
        position.by_role(Role::Queen).0,
    );
    let (knights, pawns) = (position.by_role(Role::Knight), position.by_role(Role::Pawn));
    let (king_alone, ours, enemies) = (Bitboard::from_square(king), splat(us.0), splat(them.0));
    let vacant = nor(ours, enemies);
    let ways = Ways::over(vacant);
    let (rooks_or_bishops, queens) = (pair(rooks, bishops), splat(queens));
    let sliders = and(or(rooks_or_bishops, queens), enemies);
    let mut seen = ways.fill(sliders);
    // In each lane, the squares that the king sees against the lane's direction. Among them, `ties`
    // are the pieces that a slider pins there, and sliders that give check.
    let view = opposite(ways.fill(splat(king_alone.0)));
    let ties = and(view, or_and(sliders, seen, ours));
    let (their_knights, their_pawns) = (knights & them, pawns & them);
    let near = (attacks::knight_attacks(king) & their_knights)
        | (pawn_attacks(king_alone, turn) & their_pawns);

    let (mut checkers, mut pinned, mut target) = (Bitboard::EMPTY, 0, !us);
    let mut straight_or_diagonal = and(rooks_or_bishops, ours);
    let mut both = and(queens, ours);
    let mut jumping = (knights & us).0;
    if u64::from(_mm512_test_epi64_mask(ties, ties)) | near.0 != 0 {
        let (pins, checking) = (and(ties, ours), and(ties, enemies));
        // The squares from the king to a slider that gives check, and the slider's own.
        let lines = _mm512_maskz_mov_epi64(_mm512_test_epi64_mask(checking, checking), view);
        let [all_pins, all_checking, all_lines, _] =
            join(halve(pins, lines), halve(checking, splat(0)));
        checkers = Bitboard(all_checking) | near;
        if checkers.any() {
            // Against one checker, pieces may land on its line, or on the knight or pawn itself.
            // Against two, only the king can move.
            target = if checkers.more_than_one() {
                Bitboard::EMPTY
            } else {
                Bitboard(all_lines) | near
            };
            // Sliders see through a king that leaves their line.
            seen = Ways::over(or(vacant, splat(king_alone.0))).fill(sliders);
        }
        // A pinned piece moves only along its pin, in either direction.
        pinned = all_pins;
        let free = or(splat(!pinned), or(pins, opposite(pins)));
        straight_or_diagonal = and(straight_or_diagonal, free);
        both = and(both, free);
        jumping &= !pinned;
    }

    let jumps = constant(JUMP_ENDS);
    let seen = or_and(seen, turned(splat(their_knights.0), JUMPS), jumps);
    let seen = or_and(
        seen,
        turned(splat(their_pawns.0), STEPS),
        constant(PAWN_ENDS[usize::from(turn.is_white())]),
    );
    let attacked =
        Bitboard(_mm512_reduce_or_epi64(seen).cast_unsigned()) | attacks::king_attacks(their_king);

    let rooks_bishops = ways.fill(straight_or_diagonal);
    let queens = ways.fill(both);
    let knights = and(turned(splat(jumping), JUMPS), jumps);
    let landing = splat(target.0);
    let (rooks_bishops, queens, knights) = (
        and(rooks_bishops, landing),
        and(queens, landing),
        and(knights, landing),
    );
    let counts = counts(rooks_bishops, queens, knights);
    let [rooks, queens, bishops, knights] =
        join(rooks_bishops, halve(queens, knights)).map(Bitboard);
    // Field by field: copying a finished struct would have to wait for the stores of its parts.
    let census = &mut position.census;
    census.checkers = checkers;
    census.pinned = Bitboard(pinned);
    census.target = target;
    census.attacked = attacked;
    census.reach[Role::Knight as usize] = knights;
    census.reach[Role::Bishop as usize] = bishops;
    census.reach[Role::Rook as usize] = rooks;
    census.reach[Role::Queen as usize] = queens;
    census.counts = counts;
    census.see_king(king, us);
}

/// Counts the moves of each kind of piece. Rooks are in the straight lanes of `rooks_bishops`,
/// bishops in the diagonal ones.
#[target_feature(enable = "avx512f,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn counts(rooks_bishops: __m512i, queens: __m512i, knights: __m512i) -> MoveCounts {
    let rooks_bishops = _mm512_popcnt_epi64(rooks_bishops);
    const ROOK: u64 = MoveCounts::shift(Role::Rook) as u64;
    const BISHOP: u64 = MoveCounts::shift(Role::Bishop) as u64;
    let shifts = constant([ROOK, ROOK, ROOK, ROOK, BISHOP, BISHOP, BISHOP, BISHOP]);
    let packed = _mm512_sllv_epi64(rooks_bishops, shifts);
    let queens =
        _mm512_slli_epi64::<{ MoveCounts::shift(Role::Queen) }>(_mm512_popcnt_epi64(queens));
    let knights =
        _mm512_slli_epi64::<{ MoveCounts::shift(Role::Knight) }>(_mm512_popcnt_epi64(knights));
    let packed = _mm512_add_epi64(packed, _mm512_add_epi64(queens, knights));
    MoveCounts(_mm512_reduce_add_epi64(packed).cast_unsigned())
}
