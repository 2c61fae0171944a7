//! Weighs moves on any machine.

use super::list::MoveList;
use super::memory::{Memory, seen};
use super::score::{Active, ScoreView, byte};
use super::sight::{Checks, TheirSight};
use super::tables::{CLASSES, Sixteen, Tables, UNITS, WeightRow, step_key};
use crate::squares::RANK_1;
use crate::standard::Standard;

/// Weighs the legal moves of a position, if there are not too many for the model.
#[inline(always)]
pub(super) fn weigh(position: &Standard, memory: &Memory, tables: &Tables, out: &mut MoveList) {
    let pawns = position.pawns();
    out.find_pawns(position, &pawns);
    let ours = out.find_pieces(position, &pawns);
    let Some(len) = out.len() else { return };
    let (theirs, checks) = (TheirSight::new(position), Checks::new(position));
    let view = ScoreView::new(position, memory, tables, ours, theirs, checks);
    let active = view.active(memory);
    list(&view, &active, out);
    view.extras(out, rare(&view, out));
    let best = scores(&view, &active, out, len);
    frequencies(tables, out, len, best);
}

/// For each square, the exchange of a move to it, but for whether the square is defended.
#[inline(always)]
fn codes(view: &ScoreView<'_>) -> [u8; 64] {
    let sight = &view.sight;
    let planes = [
        (sight.kinds[0], 12),
        (sight.kinds[1], 24),
        (sight.kinds[2], 48),
        (sight.least[0], 2),
        (sight.least[1], 4),
        (sight.least[2], 8),
    ];
    let mut codes = [0; 8];
    for (set, weight) in planes {
        for (file, code) in codes.iter_mut().enumerate() {
            *code += spread(set.0 >> (8 * file) & 0xff) * weight;
        }
    }
    let mut bytes = [0; 64];
    let (files, _) = bytes.as_chunks_mut::<8>();
    for (file, code) in files.iter_mut().zip(codes) {
        *file = code.to_le_bytes();
    }
    bytes
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
fn list(view: &ScoreView<'_>, active: &Active, out: &mut MoveList) {
    let codes = codes(view);
    let turn = view.position.turn;
    let for_pawns = view.sight.defended_for_pawns(view.position);
    let back = view.back();
    for mover in 0..out.movers.count {
        let origin = origin(view, active, out, mover);
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
fn origin(view: &ScoreView<'_>, active: &Active, out: &MoveList, mover: usize) -> Sixteen {
    let tables = view.tables;
    let (piece, from) = (out.movers.piece(mover), out.movers.from(mover));
    let row = &tables.origins[(piece * 64 + seen(from, view.position.turn)) & 511];
    let dot = dot(active, row);
    let [entry, own] = view.origin(piece, from);
    let (entry, own) = (&tables.origin[entry], &tables.own[own]);
    let mut sums = Sixteen([0; 16]);
    for class in 0..16 {
        sums.0[class] = entry.0[class] + own.0[class] + dot;
    }
    sums
}

#[inline(always)]
fn dot(active: &Active, row: &WeightRow) -> i32 {
    let mut sum = 0;
    for unit in 0..UNITS {
        sum += i32::from(active.0[unit]) * i32::from(row.0[unit]);
    }
    sum
}

/// The scores of all moves; returns the best.
#[inline(always)]
fn scores(view: &ScoreView<'_>, active: &Active, out: &mut MoveList, len: usize) -> i32 {
    let tables = view.tables;
    let steps = view.steps();
    let exchanges = &tables.exchange[view.late()];
    let mut best = i32::MIN;
    for place in 0..len {
        let mover = usize::from(out.moved_by[place] & 63);
        let (sq, code) = (out.squares[place], out.exchanges[place]);
        let piece = out.movers.piece(mover);
        let exchange = (piece * 72 + usize::from(code)) & 511;
        let step = steps[piece & 7] as usize + step_key(usize::from(sq));
        let sum = exchanges[exchange] + tables.step[step & 0x3fff] + out.origin_sums[place];
        let rows = [
            &tables.destinations[(piece * 64 + usize::from(sq)) & 511],
            &tables.exchanges[exchange],
        ];
        let mut dot = 0;
        for unit in 0..UNITS {
            let weight = i16::from(rows[0].0[unit]) + i16::from(rows[1].0[unit]);
            dot += i32::from(active.0[unit]) * i32::from(weight);
        }
        let score = ((dot + sum) >> 4) + out.extra[place];
        out.scores[place] = score;
        best = best.max(score);
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
