//! What both sides attack, and the moves of pawns, by AVX-512: a direction or a pawn in each lane.

use std::arch::x86_64::*;

use shakmaty::{Bitboard, Color, Role, attacks};

use super::registers::*;
use crate::attacks::pawn_attacks;
use crate::lanes::{
    JUMP_ENDS, JUMPS, Ways, and, constant, halve, join, nor, or, or_and, pair, splat, turned,
};
use crate::pawns::Pawns;
use crate::policy::list::MoveList;
use crate::policy::sight::{Checks, OurSight, TheirSight};
use crate::squares::{BACKRANKS, RANK_1};
use crate::standard::Standard;

/// What both sides attack, and where we would give check.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn look(position: &Standard) -> (OurSight, TheirSight, Checks) {
    let (us, them) = (position.us, position.them);
    let (rooks, bishops) = (position.by_role(Role::Rook), position.by_role(Role::Bishop));
    let (queens, knights) = (
        position.by_role(Role::Queen),
        position.by_role(Role::Knight),
    );
    let vacant = nor(splat(us.0), splat(them.0));
    let rooks_bishops = pair(rooks.0, bishops.0);
    let queens = splat(queens.0);

    let (ours, enemies) = (splat(us.0), splat(them.0));
    let through = Ways::over(or(vacant, splat(1 << position.king.to_u32())));
    let their_knights = jumps(knights & them);
    let their_queens = through.fill(and(queens, enemies));
    let [their_rooks, their_queens, their_bishops, their_knights] = join(
        through.fill(and(rooks_bishops, enemies)),
        halve(their_queens, their_knights),
    )
    .map(Bitboard);
    let theirs = TheirSight {
        pawns: pawn_attacks(position.by_role(Role::Pawn) & them, !position.turn),
        minors: their_knights | their_bishops,
        rooks: their_rooks,
        queens: their_queens,
        kings: attacks::king_attacks(position.their_king),
    };

    let ways = Ways::over(vacant);
    let sliders = and(or(rooks_bishops, queens), ours);
    let (once, twice) = count(ways.fill(sliders), jumps(knights & us));
    let mut sight = OurSight::of_pawns(position);
    sight.twice |= twice | (sight.once & once);
    sight.once |= once;
    sight.add(attacks::king_attacks(position.king));

    // In each direction from the enemy's king, the first piece, if it is ours, and what it sees.
    let view = ways.fill(splat(1 << position.their_king.to_u32()));
    let first = and(view, ours);
    let snipers = _mm512_test_epi64_mask(ways.fill(first), sliders);
    let blockers = _mm512_maskz_mov_epi64(snipers, first);
    let [rook, blockers, bishop, _] =
        join(view, halve(blockers, _mm512_setzero_si512())).map(Bitboard);
    let king = Bitboard::from_square(position.their_king);
    let checks = Checks {
        direct: [
            pawn_attacks(king, !position.turn),
            attacks::knight_attacks(position.their_king),
            bishop,
            rook,
            rook | bishop,
            Bitboard::EMPTY,
        ],
        blockers,
    };
    (sight, theirs, checks)
}

#[target_feature(enable = "avx512f")]
#[inline]
fn jumps(knights: Bitboard) -> __m512i {
    and(turned(splat(knights.0), JUMPS), constant(JUMP_ENDS))
}

/// The squares that are in at least one lane of the two vectors, and those in at least two.
#[target_feature(enable = "avx512f")]
#[inline]
fn count(a: __m512i, b: __m512i) -> (Bitboard, Bitboard) {
    let (once, twice) = (or(a, b), and(a, b));
    let (once, twice) = add(
        (once, twice),
        (
            _mm512_shuffle_i64x2::<0x4e>(once, once),
            _mm512_shuffle_i64x2::<0x4e>(twice, twice),
        ),
    );
    let (once, twice) = add(
        (once, twice),
        (
            _mm512_shuffle_i64x2::<0xb1>(once, once),
            _mm512_shuffle_i64x2::<0xb1>(twice, twice),
        ),
    );
    let (once, twice) = add(
        (once, twice),
        (
            _mm512_shuffle_epi32::<0x4e>(once),
            _mm512_shuffle_epi32::<0x4e>(twice),
        ),
    );
    let [once, twice] = [once, twice]
        .map(|set| Bitboard(_mm_cvtsi128_si64(_mm512_castsi512_si128(set)).cast_unsigned()));
    (once, twice)
}

#[target_feature(enable = "avx512f")]
#[inline]
fn add(a: (__m512i, __m512i), b: (__m512i, __m512i)) -> (__m512i, __m512i) {
    (or(a.0, b.0), or_and(or(a.1, b.1), a.0, b.0))
}

/// Begins a list with the pawns that can move.
#[target_feature(enable = "avx512f,avx512vbmi2,avx512vpopcntdq")]
#[inline]
pub(super) fn find_pawns(position: &Standard, pawns: &Pawns, out: &mut MoveList) {
    let ours = position.pieces(Role::Pawn);
    if ours.count() > 8 {
        return out.find_pawns(position, pawns);
    }
    let squares = _mm512_maskz_compress_epi8(ours.0, read(&SQUARES));
    let lanes = (((1_u32 << ours.count()) - 1) & 0xff) as u8;
    let from = _mm512_cvtepu8_epi64(lower(squares));
    let from = _mm512_maskz_sllv_epi64(lanes, splat(1), from);
    let (ahead, left, right, home) = match position.turn {
        Color::White => ([1; 8], [57; 8], [9; 8], RANK_1 << 1),
        Color::Black => ([63; 8], [55; 8], [7; 8], RANK_1 << 6),
    };
    let one = turned(from, ahead);
    // Only over a vacant square: else the destination in `push` is that of the pawn in front.
    let occupied = splat(position.occupied().0);
    let may_double =
        _mm512_testn_epi64_mask(one, occupied) & _mm512_test_epi64_mask(from, splat(home));
    let two = _mm512_maskz_mov_epi64(may_double, turned(one, ahead));
    let steps = and(or(one, two), splat(pawns.push.0));
    let steps = or_and(steps, turned(from, left), splat(pawns.left.0));
    let mut sets = or_and(steps, turned(from, right), splat(pawns.right.0));
    if let Some(to) = pawns.passed {
        let passers = _mm512_test_epi64_mask(from, splat(pawns.passers.0));
        let passing = or(sets, splat(1 << to.to_u32()));
        sets = _mm512_mask_mov_epi64(sets, passers, passing);
    }
    let moving = _mm512_test_epi64_mask(sets, sets);
    let sets = _mm512_maskz_compress_epi64(moving, sets);
    let promotions = _mm512_popcnt_epi64(and(sets, splat(BACKRANKS.0)));
    let counts = _mm512_add_epi64(_mm512_popcnt_epi64(sets), promotions);
    let counts = _mm512_add_epi64(counts, _mm512_slli_epi64::<1>(promotions));
    let zero = _mm512_setzero_si512();
    let ends = _mm512_add_epi64(counts, _mm512_alignr_epi64::<7>(counts, zero));
    let ends = _mm512_add_epi64(ends, _mm512_alignr_epi64::<6>(ends, zero));
    let ends = _mm512_add_epi64(ends, _mm512_alignr_epi64::<4>(ends, zero));
    let begins = _mm512_sub_epi64(ends, counts);
    write_eight(&mut out.movers.destinations, sets);
    write_low(
        &mut out.movers.from,
        _mm512_maskz_compress_epi8(u64::from(moving), squares),
    );
    write_low(&mut out.movers.pieces, zero);
    write_words(&mut out.movers.begin, _mm512_cvtepi64_epi16(begins));
    let moves = _mm_cvtsi128_si64(lower(_mm512_alignr_epi64::<7>(zero, ends)));
    out.begin_with(moving.count_ones() as usize, (moves & 0xffff) as usize);
}
