//! Weighs moves. Two parts of it are given by the caller, since `vectors.rs` has them too.

use super::list::MoveList;
use super::memory::{Memory, seen};
use super::score::{Active, Pairs, ScoreView};
use super::tables::{NO_ROW, Sixteen, Tables};
use crate::squares::RANK_1;
use crate::standard::Standard;

/// Weighs the legal moves of a position, if there are not too many for the model.
#[inline(always)]
pub(super) fn weigh(
    position: &Standard,
    memory: &Memory,
    tables: &Tables,
    out: &mut MoveList,
    codes: impl Fn(&[(u64, u8)]) -> [u8; 64],
    dots: impl Fn(&Active, &Pairs<'_>) -> [i32; 8],
) {
    let pawns = position.pawns();
    out.find_pawns(position, &pawns);
    let ours = out.find_pieces(position, &pawns);
    let Some(len) = out.len() else { return };
    let view = ScoreView::new(position, memory, tables, ours);
    let active = view.active(memory);
    list(&view, &squares(&view, codes), out, |rows| {
        dots(&active, rows)
    });
    view.extras(out, rare(&view, out));
    let best = scores(tables, out, len, |rows| dots(&active, rows));
    frequencies(tables, out, len, best);
}

/// What each square is as a destination: its exchange for pieces and for pawns, and its class.
#[inline(always)]
fn squares(view: &ScoreView<'_>, codes: impl Fn(&[(u64, u8)]) -> [u8; 64]) -> [[u8; 64]; 3] {
    let sight = &view.sight;
    let [kinds, least] = [sight.kinds, sight.least].map(|sets| sets.map(|set| set.0));
    let pieces = codes(&[
        (kinds[0], 12),
        (kinds[1], 24),
        (kinds[2], 48),
        (least[0], 2),
        (least[1], 4),
        (least[2], 8),
        (sight.twice.0, 1),
    ]);
    // A capture needs two attackers, of which the pawn is one; a step needs only one, since a pawn
    // does not attack the square ahead.
    let once = sight.once & !sight.twice & !view.position.them;
    let mut pawns = codes(&[(once.0, 1)]);
    for (pawns, pieces) in pawns.iter_mut().zip(pieces) {
        *pawns += pieces;
    }
    let more = least[1] | least[2];
    let classes = codes(&[
        (least[0] & !more, 1),
        (more, 2),
        (view.back.0, 4),
        (kinds[0] | kinds[1] | kinds[2], 8),
    ]);
    [pieces, pawns, classes]
}

/// For each square, the sum of the numbers of the sets that contain it.
#[inline(always)]
pub(super) fn codes(planes: &[(u64, u8)]) -> [u8; 64] {
    let mut codes = [0; 64];
    for (file, code) in codes.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let parts = planes
            .iter()
            .map(|&(set, weight)| spread(set >> (8 * file) & 0xff) * u64::from(weight));
        *code = parts.sum::<u64>().to_le_bytes();
    }
    codes
}

/// A byte 1 for each bit 1 of a byte.
#[inline(always)]
fn spread(byte: u64) -> u64 {
    let bits = (byte * RANK_1) & 0x8040_2010_0804_0201;
    (bits + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & RANK_1
}

/// Lists the moves of all pieces, those to the last rank only once, with the sums for their
/// origins.
#[inline(always)]
fn list(
    view: &ScoreView<'_>,
    [pieces, pawns, classes]: &[[u8; 64]; 3],
    out: &mut MoveList,
    dots: impl Fn(&Pairs<'_>) -> [i32; 8],
) {
    let (tables, turn) = (view.tables, view.position.turn);
    for first in (0..out.movers.count).step_by(8) {
        // Behind the last piece there are those of an earlier position.
        let rows = std::array::from_fn(|i| {
            let (piece, from) = (out.movers.piece(first + i), out.movers.from(first + i));
            let origin = (piece * 64 + seen(from, turn)) & 511;
            [&tables.origins[origin], &tables.exchanges[NO_ROW]]
        });
        for (mover, dot) in (first..out.movers.count).zip(dots(&rows)) {
            let origin = origin(view, out, mover, dot);
            let places = out.movers.begin(mover)..;
            let exchanges = if mover < out.movers.pawns {
                pawns
            } else {
                pieces
            };
            let piece = out.movers.piece(mover);
            for (place, to) in places.zip(out.movers.destinations(mover)) {
                let [exchange, class] = [exchanges, classes].map(|of| of[to.to_usize()].into());
                view.put(out, place, piece, to, exchange, origin.0[class & 15]);
            }
            out.origins[mover & 63] = origin;
        }
    }
}

/// The pieces that may give check or take back, as bits.
#[inline(always)]
fn rare(view: &ScoreView<'_>, out: &MoveList) -> u64 {
    let taken = view.taken();
    let mut rare = 0;
    for mover in 0..out.movers.count {
        let (piece, from) = (out.movers.piece(mover), out.movers.from(mover));
        let hits = out.movers.destinations(mover) & (view.checks.direct[piece % 6] | taken);
        let is_rare = hits.any() | view.checks.blockers.contains(from);
        rare |= u64::from(is_rare) << (mover & 63);
    }
    rare
}

/// The sums for the origin of a piece, by class of destination.
#[inline(always)]
fn origin(view: &ScoreView<'_>, out: &MoveList, mover: usize, dot: i32) -> Sixteen {
    let [entry, own] = view.origin(out.movers.piece(mover), out.movers.from(mover));
    let (entry, own) = (&view.tables.origin[entry], &view.tables.own[own]);
    Sixteen(std::array::from_fn(|class| {
        entry.0[class] + own.0[class] + dot
    }))
}

/// The dot products of the hidden units and the sum of each pair of rows.
#[inline(always)]
pub(super) fn dots(active: &Active, pairs: &Pairs<'_>) -> [i32; 8] {
    pairs.map(|[one, other]| {
        let mut sum = 0;
        for (unit, &value) in active.0.iter().enumerate() {
            let weight = i16::from(one.0[unit]) + i16::from(other.0[unit]);
            sum += i32::from(value) * i32::from(weight);
        }
        sum
    })
}

/// The scores of all moves; returns the best.
#[inline(always)]
fn scores(
    tables: &Tables,
    out: &mut MoveList,
    len: usize,
    dots: impl Fn(&Pairs<'_>) -> [i32; 8],
) -> i32 {
    // Behind the last move there are those of an earlier position, which must not be the best.
    out.sums[len..][..8].fill(i32::MIN / 2);
    let mut best = [i32::MIN; 8];
    for first in (0..len).step_by(8) {
        let rows = std::array::from_fn(|i| {
            let [destination, exchange] = out.rows[first + i].map(usize::from);
            [
                &tables.destinations[destination & 511],
                &tables.exchanges[exchange & 511],
            ]
        });
        let dots = dots(&rows);
        for i in 0..8 {
            let score = (dots[i] + out.sums[first + i]) >> 4;
            out.scores[first + i] = score;
            best[i] = best[i].max(score);
        }
    }
    best.into_iter().fold(i32::MIN, i32::max)
}

/// Turns scores into sums of frequencies.
#[inline(always)]
fn frequencies(tables: &Tables, out: &mut MoveList, len: usize, best: i32) {
    if len == 1 {
        // The only legal move takes no bits. (Sums stand in eights.)
        out.ends[..8].fill(1);
        return;
    }
    let mut end = 0_u32;
    for first in (0..len).step_by(8) {
        let mut shares = [0; 8];
        for (share, score) in shares.iter_mut().zip(&out.scores[first..][..8]) {
            let behind = (best - score).cast_unsigned();
            let whole = (behind >> 8).min(31);
            *share = (tables.exp[(behind & 0xff) as usize] >> whole).max(1);
        }
        for (sum, share) in out.ends[first..][..8].iter_mut().zip(shares) {
            end += share;
            *sum = end.cast_signed();
        }
    }
}
