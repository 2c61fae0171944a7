//! The census by AVX-512: all eight directions of the board at once, one in each lane of a vector,
//! without a loop.
//!
//! In one direction only the nearest slider reaches a square. So one fill of the four diagonals
//! from all bishops at once (a Kogge-Stone fill: three rounds of doubling length) gives all their
//! moves, and the bits in the lanes are their number. A fill from the king, seen backwards, meets
//! the fill of the enemy's sliders at a pinned piece; a slider that it runs into gives check.

use std::arch::x86_64::{
    __m512i, _mm_cvtsi128_si64, _mm_unpackhi_epi64, _mm512_add_epi64, _mm512_and_si512,
    _mm512_castsi512_si128, _mm512_extracti32x4_epi32, _mm512_mask_set1_epi64,
    _mm512_maskz_mov_epi64, _mm512_or_si512, _mm512_permutex_epi64, _mm512_popcnt_epi64,
    _mm512_reduce_add_epi64, _mm512_reduce_or_epi64, _mm512_rolv_epi64, _mm512_set_epi64,
    _mm512_set1_epi64, _mm512_shuffle_i64x2, _mm512_slli_epi64, _mm512_sllv_epi64,
    _mm512_ternarylogic_epi64, _mm512_test_epi64_mask, _mm512_unpackhi_epi64,
    _mm512_unpacklo_epi64,
};

use shakmaty::{Bitboard, Role, attacks};

use crate::chess::attacks::pawn_attacks;
use crate::chess::census::MoveCounts;
use crate::chess::squares::{FILE_A, RANK_1, RANK_8};
use crate::chess::standard::{PlainMove, Standard};

const FILE_H: u64 = FILE_A << 56;

type Lanes = [u64; 8];

/// One step in each direction, as a rotation to the left: east (towards the h-file), north, west,
/// south, then north-east, north-west, south-west, south-east.
const STEPS: Lanes = [8, 1, 56, 63, 9, 57, 55, 7];

/// The squares on which such a step can end; any other would have wrapped round the edge.
const ENDS: Lanes = [
    !FILE_A,
    !RANK_1,
    !FILE_H,
    !RANK_8,
    !(FILE_A | RANK_1),
    !(FILE_H | RANK_1),
    !(FILE_H | RANK_8),
    !(FILE_A | RANK_8),
];

/// The squares on which a capture of White's pawns can end, and of Black's, by direction.
static PAWN_ENDS: [Lanes; 2] = [
    [0, 0, 0, 0, ENDS[4], ENDS[5], 0, 0],
    [0, 0, 0, 0, 0, 0, ENDS[6], ENDS[7]],
];

const fn times(lanes: Lanes, by: u64) -> Lanes {
    let mut lanes = lanes;
    let mut i = 0;
    while i < 8 {
        lanes[i] = lanes[i] * by % 64;
        i += 1;
    }
    lanes
}

/// The eight jumps of a knight, and the squares that they can end on.
const JUMPS: Lanes = [17, 10, 58, 49, 47, 54, 6, 15];
const FILES_AB: u64 = FILE_A | FILE_A << 8;
const FILES_GH: u64 = FILE_H | FILE_H >> 8;
const RANKS_12: u64 = RANK_1 | RANK_1 << 1;
const RANKS_78: u64 = RANK_8 | RANK_8 >> 1;
const JUMP_ENDS: Lanes = [
    !(FILES_AB | RANK_1),
    !(FILE_A | RANKS_12),
    !(FILE_H | RANKS_12),
    !(FILES_GH | RANK_1),
    !(FILES_GH | RANK_8),
    !(FILE_H | RANKS_78),
    !(FILE_A | RANKS_78),
    !(FILES_AB | RANK_8),
];

/// The lanes of the diagonals.
const DIAGONAL: u8 = 0xf0;

/// The rotations of the three rounds of a fill: one, two and four steps.
const ROUNDS: [Lanes; 3] = [STEPS, times(STEPS, 2), times(STEPS, 4)];

/// Plays a plain move, if one is given, and takes the census of the position.
#[target_feature(enable = "avx512f,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
pub(super) fn play(position: &mut Standard, plain: Option<PlainMove>) {
    if let Some(plain) = plain {
        position.make_plain(plain);
    }
    let Standard {
        us,
        them,
        king,
        their_king,
        turn,
        ..
    } = *position;
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

/// The vacant squares over which a fill advances in each lane's direction, by one step, two, four.
#[derive(Clone, Copy)]
struct Ways([__m512i; 3]);

impl Ways {
    #[target_feature(enable = "avx512f,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
    #[inline]
    fn over(vacant: __m512i) -> Ways {
        let one = and(vacant, constant(ENDS));
        let two = and(one, turned(one, ROUNDS[0]));
        let four = and(two, turned(two, ROUNDS[1]));
        Ways([one, two, four])
    }

    /// The squares that the pieces of each lane attack in its direction: vacant squares and the
    /// first occupied one.
    #[target_feature(enable = "avx512f,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
    #[inline]
    fn fill(self, from: __m512i) -> __m512i {
        let Ways([one, two, four]) = self;
        let reached = or_and(from, one, turned(from, ROUNDS[0]));
        let reached = or_and(reached, two, turned(reached, ROUNDS[1]));
        let reached = or_and(reached, four, turned(reached, ROUNDS[2]));
        and(turned(reached, ROUNDS[0]), constant(ENDS))
    }
}

/// Exchanges the lanes of opposite directions.
#[target_feature(enable = "avx512f,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn opposite(a: __m512i) -> __m512i {
    _mm512_permutex_epi64::<0x4e>(a)
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

/// ORs the upper four lanes of each vector onto its lower four. Returns those of `a`, then those of
/// `b`.
#[target_feature(enable = "avx512f,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn halve(a: __m512i, b: __m512i) -> __m512i {
    or(
        _mm512_shuffle_i64x2::<0x44>(a, b),
        _mm512_shuffle_i64x2::<0xee>(a, b),
    )
}

/// ORs the four lanes of each half into one number: the halves of `ab` and of `cd`, as [`halve`]
/// makes them, in the order a, c, b, d.
#[target_feature(enable = "avx512f,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn join(ab: __m512i, cd: __m512i) -> [u64; 4] {
    let pairs = or(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    let pairs = or(pairs, _mm512_shuffle_i64x2::<0xb1>(pairs, pairs));
    let (front, back) = (
        _mm512_castsi512_si128(pairs),
        _mm512_extracti32x4_epi32::<2>(pairs),
    );
    let [a, b] = [front, back].map(|pair| _mm_cvtsi128_si64(pair).cast_unsigned());
    let [c, d] =
        [front, back].map(|pair| _mm_cvtsi128_si64(_mm_unpackhi_epi64(pair, pair)).cast_unsigned());
    [a, c, b, d]
}

#[target_feature(enable = "avx512f,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn turned(a: __m512i, by: Lanes) -> __m512i {
    _mm512_rolv_epi64(a, constant(by))
}

#[target_feature(enable = "avx512f,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn and(a: __m512i, b: __m512i) -> __m512i {
    _mm512_and_si512(a, b)
}

#[target_feature(enable = "avx512f,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn or(a: __m512i, b: __m512i) -> __m512i {
    _mm512_or_si512(a, b)
}

/// `!(a | b)`
#[target_feature(enable = "avx512f,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn nor(a: __m512i, b: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0x3>(a, b, b)
}

/// `a | (b & c)`
#[target_feature(enable = "avx512f,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn or_and(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0xf8>(a, b, c)
}

#[target_feature(enable = "avx512f,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn constant(lanes: Lanes) -> __m512i {
    let [a, b, c, d, e, f, g, h] = lanes.map(u64::cast_signed);
    _mm512_set_epi64(h, g, f, e, d, c, b, a)
}

/// `a` in every lane.
#[target_feature(enable = "avx512f,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn splat(a: u64) -> __m512i {
    _mm512_set1_epi64(a.cast_signed())
}

/// `straight` in the straight lanes, `diagonal` in the diagonal ones.
#[target_feature(enable = "avx512f,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn pair(straight: u64, diagonal: u64) -> __m512i {
    _mm512_mask_set1_epi64(splat(straight), DIAGONAL, diagonal.cast_signed())
}
