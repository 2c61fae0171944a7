//! Weighs moves by AVX-512 with VNNI: bits of the board select bytes of a vector, dot products of
//! sixteen moves are added up together, and small tables are looked up within registers.
//!
//! Arrays are read and written number by number, of which the compiler makes one instruction.

use std::arch::x86_64::*;

use shakmaty::Bitboard;

use crate::policy::list::MoveList;
use crate::policy::memory::Memory;
use crate::policy::score::{Active, ScoreView, lane};
use crate::policy::tables::{NO_OWN, Sixteen, Tables};
use crate::standard::Standard;

mod board;
mod registers;

use registers::*;

/// Weighs the legal moves of a position, if there are not too many for the model.
#[target_feature(
    enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx512vnni,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt"
)]
pub(super) fn weigh(position: &Standard, memory: &Memory, tables: &Tables, out: &mut MoveList) {
    let pawns = position.pawns();
    board::find_pawns(position, &pawns, out);
    // `board::look` finds what our side attacks, so the compiler drops that work here.
    let _ = out.find_pieces(position, &pawns);
    let Some(len) = out.len() else { return };
    let (ours, theirs, checks) = board::look(position);
    let view = ScoreView::new(position, memory, tables, ours, theirs, checks);
    let active = narrow(&view.active(memory));
    list(&view, active, out);
    for first in (0..len).step_by(16) {
        write_numbers(&mut out.extra, first, _mm512_setzero_si512());
    }
    view.extras(out, rare(&view, out));
    let best = scores(&view, active, out, len);
    frequencies(tables, out, len, best);
}

/// The hidden units as bytes.
#[target_feature(enable = "avx512f")]
#[inline]
fn narrow(active: &Active) -> __m512i {
    let mut lanes = Sixteen([0; 16]);
    for (lane, units) in lanes.0.iter_mut().zip(active.0.as_chunks::<4>().0) {
        let [a, b, c, d] = *units;
        *lane = i32::from(a) | i32::from(b) << 8 | i32::from(c) << 16 | i32::from(d) << 24;
    }
    read(&lanes)
}

/// A byte for each square: the sum of the weights of the sets that contain the square.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn codes<const N: usize>(planes: [(Bitboard, i8); N]) -> __m512i {
    let mut codes = _mm512_setzero_si512();
    for (set, weight) in planes {
        codes = _mm512_mask_add_epi8(codes, set.0, codes, _mm512_set1_epi8(weight));
    }
    codes
}

/// Lists the moves of all pieces, those to the last rank only once, with the sums for their
/// origins.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx512vnni")]
#[inline]
fn list(view: &ScoreView<'_>, active: __m512i, out: &mut MoveList) {
    let (sight, turn) = (&view.sight, view.position.turn);
    let base = codes([
        (sight.kinds[0], 12),
        (sight.kinds[1], 24),
        (sight.kinds[2], 48),
        (sight.least[0], 2),
        (sight.least[1], 4),
        (sight.least[2], 8),
    ]);
    let one = _mm512_set1_epi8(1);
    let for_pawns = sight.defended_for_pawns(view.position).0;
    let pawns = _mm512_mask_add_epi8(base, for_pawns, base, one);
    let pieces = _mm512_mask_add_epi8(base, sight.twice.0, base, one);
    let classes = _mm512_permutex2var_epi8(read(&CLASS_BYTES[0]), base, read(&CLASS_BYTES[1]));
    let back = view.back().0;
    let classes = _mm512_mask_add_epi8(classes, back, classes, _mm512_set1_epi8(4));
    let seen = _mm512_xor_si512(read(&SQUARES), _mm512_set1_epi8(turn.fold_wb(0, 7)));
    let mut number = _mm512_setzero_si512();
    let count = out.movers.count;
    let finder = OriginFinder::new(view, out);
    for first in (0..count).step_by(16) {
        let origins = finder.find(view.tables, active, out, first);
        for (i, mover) in (first..count.min(first + 16)).enumerate() {
            let origin = origins.sum(view.tables, i);
            out.origins[mover & 63].0 = numbers(origin);
            let codes = if mover < out.movers.pawns {
                pawns
            } else {
                pieces
            };
            let (set, begin) = (out.movers.destinations(mover).0, out.movers.begin(mover));
            // Each piece overwrites what earlier pieces wrote behind their last moves.
            write(&mut out.moved_by, begin, number);
            write(
                &mut out.squares,
                begin,
                _mm512_maskz_compress_epi8(set, seen),
            );
            write(
                &mut out.exchanges,
                begin,
                _mm512_maskz_compress_epi8(set, codes),
            );
            let classes = _mm512_maskz_compress_epi8(set, classes);
            let sums = _mm512_permutexvar_epi32(wide(classes), origin);
            write_numbers(&mut out.origin_sums, begin, sums);
            if set.count_ones() > 16 {
                let more = _mm512_extracti32x4_epi32::<1>(classes);
                let sums = _mm512_permutexvar_epi32(_mm512_cvtepu8_epi32(more), origin);
                write_numbers(&mut out.origin_sums, begin + 16, sums);
            }
            number = _mm512_add_epi32(number, _mm512_set1_epi32(0x0101_0101));
        }
    }
}

/// The pieces that may give check or take back, as bits.
#[target_feature(enable = "avx512f")]
#[inline]
fn rare(view: &ScoreView<'_>, out: &MoveList) -> u64 {
    let mut checks = [0; 8];
    for (set, &check) in checks.iter_mut().zip(&view.checks.direct) {
        *set = check.0;
    }
    let (checks, taken) = (
        eight(&checks),
        _mm512_set1_epi64(view.taken().0.cast_signed()),
    );
    let blockers = _mm512_set1_epi64(view.checks.blockers.0.cast_signed());
    let mut rare = 0;
    for first in (0..out.movers.count).step_by(8) {
        let pieces = _mm512_cvtepu8_epi64(lower(sixteen(&out.movers.pieces, first)));
        let from = _mm512_cvtepu8_epi64(lower(sixteen(&out.movers.from, first)));
        let Some(sets) = out.movers.destinations[first & 63..].first_chunk::<8>() else {
            break;
        };
        let hits = _mm512_or_si512(_mm512_permutexvar_epi64(pieces, checks), taken);
        let mut found = _mm512_test_epi64_mask(hits, eight(sets));
        if view.checks.blockers.any() {
            let own = _mm512_sllv_epi64(_mm512_set1_epi64(1), from);
            found |= _mm512_test_epi64_mask(own, blockers);
        }
        rare |= u64::from(found) << first;
    }
    // Behind the last piece the arrays may still have pieces of an earlier position.
    rare & ((1 << (out.movers.count & 63)) - 1)
}

/// Finds [`Origins`].
struct OriginFinder {
    /// A code for each square, of what [`ORIGIN_CODE`](super::tables::ORIGIN_CODE) counts.
    codes: __m512i,
    /// A bit for the mover that made our last move.
    same: u64,
    phase: i32,
    flip: i32,
}

/// The parts of the sums for the origins of sixteen pieces.
struct Origins {
    dots: [i32; 16],
    entries: [i32; 16],
    own: [i32; 16],
}

impl OriginFinder {
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn new(view: &ScoreView<'_>, out: &MoveList) -> OriginFinder {
        let sight = &view.sight;
        let codes = codes([
            (sight.least[0], 4),
            (sight.least[1], 8),
            (sight.least[2], 16),
            (sight.once, 2),
            (sight.moved, 1),
        ]);
        let from = bytes(&out.movers.from);
        let (same, phase) = match view.last_to() {
            Some(to) => (
                _mm512_cmpeq_epi8_mask(from, _mm512_set1_epi8(u8::from(to).cast_signed())),
                lane(view.phase),
            ),
            None => (0, lane(NO_OWN)),
        };
        OriginFinder {
            codes,
            same,
            phase,
            flip: view.position.turn.fold_wb(0, 7),
        }
    }

    #[target_feature(enable = "avx512f,avx512vbmi,avx512vnni")]
    #[inline]
    fn find(&self, tables: &Tables, active: __m512i, out: &MoveList, first: usize) -> Origins {
        let (from, pieces) = (
            wide(sixteen(&out.movers.from, first)),
            wide(sixteen(&out.movers.pieces, first)),
        );
        let seen = _mm512_xor_si512(from, _mm512_set1_epi32(self.flip));
        let rows = numbers(_mm512_add_epi32(_mm512_slli_epi32::<6>(pieces), seen));
        let mut quads = [_mm512_setzero_si512(); 4];
        for (quad, sums) in quads.iter_mut().enumerate() {
            let mut four = [_mm512_setzero_si512(); 4];
            for (i, sum) in four.iter_mut().enumerate() {
                let number = rows[4 * quad + i] as usize & 511;
                *sum = _mm512_dpbusd_epi32(*sum, active, row(&tables.origins[number]));
            }
            *sums = add_four(four);
        }
        let by_8 = _mm512_slli_epi32::<3>(pieces);
        let by_24 = _mm512_add_epi32(by_8, _mm512_slli_epi32::<4>(pieces));
        let codes = _mm512_permutexvar_epi8(sixteen(&out.movers.from, first), self.codes);
        let codes = wide(codes);
        let own = if self.phase == lane(NO_OWN) {
            _mm512_setzero_si512()
        } else {
            by_8
        };
        let own = _mm512_add_epi32(own, _mm512_set1_epi32(self.phase));
        let same = (self.same >> first & 0xffff) as u16;
        Origins {
            dots: numbers(add_quads(quads)),
            entries: numbers(_mm512_add_epi32(by_24, codes)),
            own: numbers(_mm512_mask_add_epi32(own, same, own, _mm512_set1_epi32(4))),
        }
    }
}

impl Origins {
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn sum(&self, tables: &Tables, i: usize) -> __m512i {
        let sum = _mm512_add_epi32(
            read(&tables.origin[self.entries[i & 15] as usize & 255]),
            read(&tables.own[self.own[i & 15] as usize & 63]),
        );
        _mm512_add_epi32(sum, _mm512_set1_epi32(self.dots[i & 15]))
    }
}

/// Where sixteen moves find what they add up.
struct LookupPlaces {
    /// Rows of destinations.
    destinations: [i32; 16],
    /// Rows and entries of exchanges.
    exchanges: [i32; 16],
    /// Entries of steps.
    steps: [i32; 16],
}

/// The scores of all moves; returns the best.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vnni")]
#[inline]
fn scores(view: &ScoreView<'_>, active: __m512i, out: &mut MoveList, len: usize) -> i32 {
    let tables = view.tables;
    let lowest = _mm512_set1_epi32(i32::MIN);
    let mut best = lowest;
    let places = PlaceFinder::new(view, out);
    let exchanges = &tables.exchange[view.late()];
    for first in (0..len).step_by(16) {
        let at = places.find(out, first);
        let mut quads = [_mm512_setzero_si512(); 4];
        for (quad, sums) in quads.iter_mut().enumerate() {
            if first + 4 * quad >= len {
                break;
            }
            let mut four = [_mm512_setzero_si512(); 4];
            for (i, sum) in four.iter_mut().enumerate() {
                let i = 4 * quad + i;
                let exchange = at.exchanges[i] as usize & 511;
                let entries = exchanges[exchange] + tables.step[at.steps[i] as usize & 0x3fff];
                // The entries begin in the lowest lane; all lanes are added up in the end.
                *sum = _mm512_zextsi128_si512(_mm_cvtsi32_si128(entries));
                *sum = _mm512_dpbusd_epi32(*sum, active, row(&tables.exchanges[exchange]));
                let destination = at.destinations[i] as usize & 511;
                *sum = _mm512_dpbusd_epi32(*sum, active, row(&tables.destinations[destination]));
            }
            *sums = add_four(four);
        }
        let sums = _mm512_add_epi32(add_quads(quads), read_from(&out.origin_sums, first));
        let sums = _mm512_srai_epi32::<4>(sums);
        let score = _mm512_add_epi32(sums, read_from(&out.extra, first));
        write_numbers(&mut out.scores, first, score);
        let valid = (below(len - first) & 0xffff) as u16;
        best = _mm512_max_epi32(best, _mm512_mask_mov_epi32(lowest, valid, score));
    }
    _mm512_reduce_max_epi32(best)
}

/// A mask of `count` ones.
#[inline(always)]
fn below(count: usize) -> u32 {
    if count < 32 { (1 << count) - 1 } else { !0 }
}

/// Finds [`LookupPlaces`].
struct PlaceFinder {
    pieces: __m512i,
    steps: __m512i,
}

impl PlaceFinder {
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn new(view: &ScoreView<'_>, out: &MoveList) -> PlaceFinder {
        let [a, b, c, d, e, f, g, h] = view.steps();
        PlaceFinder {
            pieces: bytes(&out.movers.pieces),
            steps: _mm512_set_epi32(h, g, f, e, d, c, b, a, h, g, f, e, d, c, b, a),
        }
    }

    #[target_feature(enable = "avx512f,avx512vbmi,avx512vnni")]
    #[inline]
    fn find(&self, out: &MoveList, first: usize) -> LookupPlaces {
        let squares = sixteen(&out.squares, first);
        let codes = sixteen(&out.exchanges, first);
        let movers = sixteen(&out.moved_by, first);
        let pieces = wide(_mm512_permutexvar_epi8(movers, self.pieces));
        let (squares, codes) = (wide(squares), wide(codes));
        let by_64 = _mm512_slli_epi32::<6>(pieces);
        let files = _mm512_and_si512(squares, _mm512_set1_epi32(0x38));
        let key = _mm512_add_epi32(squares, files);
        LookupPlaces {
            destinations: numbers(_mm512_add_epi32(by_64, squares)),
            exchanges: numbers(_mm512_add_epi32(
                _mm512_add_epi32(by_64, _mm512_slli_epi32::<3>(pieces)),
                codes,
            )),
            steps: numbers(_mm512_add_epi32(
                key,
                _mm512_permutexvar_epi32(pieces, self.steps),
            )),
        }
    }
}

/// Turns scores into sums of frequencies.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn frequencies(tables: &Tables, out: &mut MoveList, len: usize, best: i32) {
    if len == 1 {
        // The only legal move takes no bits.
        out.ends[0] = 1;
        return;
    }
    let best = _mm512_set1_epi32(best);
    let mut end = _mm512_setzero_si512();
    // A score that is behind by more than 16 bits can hold has the lowest frequency anyway.
    let most = _mm512_set1_epi32(0xffff);
    for first in (0..len).step_by(32) {
        let [low, high] = [first, first + 16];
        let low = _mm512_sub_epi32(best, read_from(&out.scores, low));
        let high = _mm512_sub_epi32(best, read_from(&out.scores, high));
        let behind = words(_mm512_min_epu32(low, most), _mm512_min_epu32(high, most));
        let frequencies = _mm512_srlv_epi16(exp(tables, behind), _mm512_srli_epi16::<8>(behind));
        let frequencies = _mm512_max_epu16(frequencies, _mm512_set1_epi16(1));
        let frequencies = _mm512_maskz_mov_epi16(below(len - first), frequencies);
        let low = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(frequencies));
        let high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64::<1>(frequencies));
        let low = _mm512_add_epi32(running(low), end);
        let high = _mm512_add_epi32(running(high), last(low));
        end = last(high);
        write_numbers(&mut out.ends, first, low);
        write_numbers(&mut out.ends, first + 16, high);
    }
}

/// The exponentials of the low bytes of 32 words.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn exp(tables: &Tables, words: __m512i) -> __m512i {
    let [a, b, c, d, e, f, g, h] = &tables.exp_pairs;
    let (bit_6, bit_7) = (
        _mm512_test_epi16_mask(words, _mm512_set1_epi16(0x40)),
        _mm512_test_epi16_mask(words, _mm512_set1_epi16(0x80)),
    );
    let ab = _mm512_permutex2var_epi16(read(a), words, read(b));
    let cd = _mm512_permutex2var_epi16(read(c), words, read(d));
    let ef = _mm512_permutex2var_epi16(read(e), words, read(f));
    let gh = _mm512_permutex2var_epi16(read(g), words, read(h));
    let low = _mm512_mask_blend_epi16(bit_6, ab, cd);
    let high = _mm512_mask_blend_epi16(bit_6, ef, gh);
    _mm512_mask_blend_epi16(bit_7, low, high)
}
