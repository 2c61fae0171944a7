//! Sets of squares in the eight lanes of a vector of AVX-512, one for each direction.
//!
//! In one direction only the nearest slider reaches a square. So one fill of the four diagonals
//! from all bishops at once (a Kogge-Stone fill: three rounds of doubling length) gives all their
//! moves, and the bits in the lanes are their number.

use std::arch::x86_64::*;

use super::squares::{FILE_A, RANK_1, RANK_8};

const FILE_H: u64 = FILE_A << 56;

pub(super) type Lanes = [u64; 8];

/// One step in each direction, as a rotation to the left: east (towards the h-file), north, west,
/// south, then north-east, north-west, south-west, south-east.
pub(super) const STEPS: Lanes = [8, 1, 56, 63, 9, 57, 55, 7];

/// The squares on which such a step can end; any other would have wrapped round the edge.
pub(super) const ENDS: Lanes = [
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
pub(super) static PAWN_ENDS: [Lanes; 2] = [
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
pub(super) const JUMPS: Lanes = [17, 10, 58, 49, 47, 54, 6, 15];
const FILES_AB: u64 = FILE_A | FILE_A << 8;
const FILES_GH: u64 = FILE_H | FILE_H >> 8;
const RANKS_12: u64 = RANK_1 | RANK_1 << 1;
const RANKS_78: u64 = RANK_8 | RANK_8 >> 1;
pub(super) const JUMP_ENDS: Lanes = [
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

/// The vacant squares over which a fill advances in each lane's direction, by one step, two, four.
#[derive(Clone, Copy)]
pub(super) struct Ways([__m512i; 3]);

impl Ways {
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(super) fn over(vacant: __m512i) -> Ways {
        let one = and(vacant, constant(ENDS));
        let two = and(one, turned(one, ROUNDS[0]));
        let four = and(two, turned(two, ROUNDS[1]));
        Ways([one, two, four])
    }

    /// The squares that the pieces of each lane attack in its direction: vacant squares and the
    /// first occupied one.
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(super) fn fill(self, from: __m512i) -> __m512i {
        let Ways([one, two, four]) = self;
        let reached = or_and(from, one, turned(from, ROUNDS[0]));
        let reached = or_and(reached, two, turned(reached, ROUNDS[1]));
        let reached = or_and(reached, four, turned(reached, ROUNDS[2]));
        and(turned(reached, ROUNDS[0]), constant(ENDS))
    }
}

/// Exchanges the lanes of opposite directions.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn opposite(a: __m512i) -> __m512i {
    _mm512_permutex_epi64::<0x4e>(a)
}

/// ORs the upper four lanes of each vector onto its lower four. Returns those of `a`, then those of
/// `b`.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn halve(a: __m512i, b: __m512i) -> __m512i {
    or(
        _mm512_shuffle_i64x2::<0x44>(a, b),
        _mm512_shuffle_i64x2::<0xee>(a, b),
    )
}

/// ORs the four lanes of each half into one number: the halves of `ab` and of `cd`, as [`halve`]
/// makes them, in the order a, c, b, d.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn join(ab: __m512i, cd: __m512i) -> [u64; 4] {
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

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn turned(a: __m512i, by: Lanes) -> __m512i {
    _mm512_rolv_epi64(a, constant(by))
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn and(a: __m512i, b: __m512i) -> __m512i {
    _mm512_and_si512(a, b)
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn or(a: __m512i, b: __m512i) -> __m512i {
    _mm512_or_si512(a, b)
}

/// `!(a | b)`
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn nor(a: __m512i, b: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0x3>(a, b, b)
}

/// `a | (b & c)`
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn or_and(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0xf8>(a, b, c)
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn constant(lanes: Lanes) -> __m512i {
    let [a, b, c, d, e, f, g, h] = lanes.map(u64::cast_signed);
    _mm512_set_epi64(h, g, f, e, d, c, b, a)
}

/// `a` in every lane.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn splat(a: u64) -> __m512i {
    _mm512_set1_epi64(a.cast_signed())
}

/// `straight` in the straight lanes, `diagonal` in the diagonal ones.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn pair(straight: u64, diagonal: u64) -> __m512i {
    _mm512_mask_set1_epi64(splat(straight), DIAGONAL, diagonal.cast_signed())
}
