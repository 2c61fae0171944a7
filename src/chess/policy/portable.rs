//! Weighs moves. Two parts of it are given by the caller, since `vectors.rs` has them too.

use super::list::MoveList;
use super::memory::{Memory, seen};
use super::score::{Active, Pairs, ScoreView, byte};
use super::tables::{CLASSES, NO_ROW, Sixteen, Tables, step_key};
use crate::squares::RANK_1;
use crate::standard::Standard;

/// Weighs the legal moves of a position, if there are not too many for the model.
#[inline(always)]
pub(super) fn weigh(
    position: &Standard,
    memory: &Memory,
    tables: &Tables,
    out: &mut MoveList,
    codes: impl Fn(&[(u64, u8); 6]) -> [u8; 64],
    dots: impl Fn(&Active, &Pairs<'_>) -> [i32; 8],
) {
    let pawns = position.pawns();
    out.find_pawns(position, &pawns);
    let ours = out.find_pieces(position, &pawns);
    let Some(len) = out.len() else { return };
    let view = ScoreView::new(position, memory, tables, ours);
    let active = view.active(memory);
    list(&view, &codes(&planes(&view)), out, |rows| {
        dots(&active, rows)
    });
    view.extras(out, rare(&view, out));
    let best = scores(&view, out, len, |rows| dots(&active, rows));
    frequencies(tables, out, len, best);
}

/// The sets of squares that make the exchange of a move to a square, but for whether the square is
/// defended, each with what it adds.
#[inline(always)]
fn planes(view: &ScoreView<'_>) -> [(u64, u8); 6] {
    let sight = &view.sight;
    [
        (sight.kinds[0].0, 12),
        (sight.kinds[1].0, 24),
        (sight.kinds[2].0, 48),
        (sight.least[0].0, 2),
        (sight.least[1].0, 4),
        (sight.least[2].0, 8),
    ]
}

/// For each square, the sum of the numbers of the sets that contain it.
#[inline(always)]
pub(super) fn codes(planes: &[(u64, u8); 6]) -> [u8; 64] {
    let mut codes = [0; 64];
    for (file, code) in codes.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let parts =
            planes.map(|(set, weight)| spread(set >> (8 * file) & 0xff) * u64::from(weight));
        *code = parts.iter().sum::<u64>().to_le_bytes();
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
    codes: &[u8; 64],
    out: &mut MoveList,
    dots: impl Fn(&Pairs<'_>) -> [i32; 8],
) {
    let (tables, turn) = (view.tables, view.position.turn);
    let for_pawns = view.sight.defended_for_pawns(view.position);
    let back = view.back();
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
            let defended = if mover < out.movers.pawns {
                for_pawns
            } else {
                view.sight.twice
            };
            for (place, to) in places.zip(out.movers.destinations(mover)) {
                let code = codes[to.to_usize()] + u8::from(defended.contains(to));
                let class = CLASSES[usize::from(code & 127)] | u8::from(back.contains(to)) << 2;
                out.moved_by[place] = byte(mover);
                out.squares[place] = byte(seen(to, turn));
                out.exchanges[place] = code;
                out.origin_sums[place] = origin.0[usize::from(class & 15)];
                out.extra[place] = 0;
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
    view: &ScoreView<'_>,
    out: &mut MoveList,
    len: usize,
    dots: impl Fn(&Pairs<'_>) -> [i32; 8],
) -> i32 {
    let tables = view.tables;
    let steps = view.steps();
    let exchanges = &tables.exchange[view.late()];
    let mut best = i32::MIN;
    for first in (0..len).step_by(8) {
        // Behind the last move there are those of an earlier position.
        let mut sums = [0; 8];
        let rows = std::array::from_fn(|i| {
            let place = first + i;
            let piece = out.movers.piece(usize::from(out.moved_by[place]));
            let (sq, code) = (out.squares[place], out.exchanges[place]);
            let exchange = (piece * 72 + usize::from(code)) & 511;
            let step = steps[piece & 7] as usize + step_key(usize::from(sq));
            sums[i] = exchanges[exchange] + tables.step[step & 0x3fff] + out.origin_sums[place];
            [
                &tables.destinations[(piece * 64 + usize::from(sq)) & 511],
                &tables.exchanges[exchange],
            ]
        });
        for ((place, dot), sum) in (first..len).zip(dots(&rows)).zip(sums) {
            let score = ((dot + sum) >> 4) + out.extra[place];
            out.scores[place] = score;
            best = best.max(score);
        }
    }
    best
}

/// Turns scores into sums of frequencies.
#[inline(always)]
fn frequencies(tables: &Tables, out: &mut MoveList, len: usize, best: i32) {
    if len == 1 {
        // The only legal move takes no bits.
        out.ends[0] = 1;
        return;
    }
    let mut end = 0_u32;
    for place in 0..len {
        let behind = (best - out.scores[place]).cast_unsigned();
        let whole = (behind >> 8).min(31);
        end += (u32::from(tables.exp[(behind & 0xff) as usize]) >> whole).max(1);
        out.ends[place] = end.cast_signed();
    }
}
