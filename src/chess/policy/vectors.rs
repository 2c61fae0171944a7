//! The parts of weighing that are much faster with AVX2 than `portable.rs` is. Arrays are read and
//! written number by number, of which the compiler makes one instruction.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi8, _mm256_add_epi32, _mm256_and_si256, _mm256_cmpeq_epi8,
    _mm256_extract_epi32, _mm256_extract_epi64, _mm256_hadd_epi32, _mm256_madd_epi16,
    _mm256_maddubs_epi16, _mm256_permute2x128_si256, _mm256_set_epi64x, _mm256_set1_epi8,
    _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setzero_si256,
    _mm256_shuffle_epi8,
};

use super::score::{Active, Pairs};
use super::tables::{UNITS, WeightRow};
use crate::squares::RANK_1;

/// [`portable::dots`](super::portable::dots).
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn dots(active: &Active, pairs: &Pairs<'_>) -> [i32; 8] {
    let units = halves(&active.0);
    let [a, b, c, d, e, f, g, h] = pairs;
    let quads = [four(units, [a, b, c, d]), four(units, [e, f, g, h])];
    let sums = _mm256_add_epi32(
        _mm256_permute2x128_si256::<0x20>(quads[0], quads[1]),
        _mm256_permute2x128_si256::<0x31>(quads[0], quads[1]),
    );
    [
        _mm256_extract_epi32::<0>(sums),
        _mm256_extract_epi32::<1>(sums),
        _mm256_extract_epi32::<2>(sums),
        _mm256_extract_epi32::<3>(sums),
        _mm256_extract_epi32::<4>(sums),
        _mm256_extract_epi32::<5>(sums),
        _mm256_extract_epi32::<6>(sums),
        _mm256_extract_epi32::<7>(sums),
    ]
}

/// The dot products of four pairs, each in two parts.
#[target_feature(enable = "avx2")]
#[inline]
fn four(units: [__m256i; 2], [a, b, c, d]: [&[&WeightRow; 2]; 4]) -> __m256i {
    _mm256_hadd_epi32(
        _mm256_hadd_epi32(pair(units, a), pair(units, b)),
        _mm256_hadd_epi32(pair(units, c), pair(units, d)),
    )
}

#[target_feature(enable = "avx2")]
#[inline]
fn pair(units: [__m256i; 2], [one, other]: &[&WeightRow; 2]) -> __m256i {
    _mm256_add_epi32(products(units, one), products(units, other))
}

/// The products of a row, added up in eight lanes. Two of them fit 16 bits, since a unit is at most
/// 128: 2 · 128 · -128 is the lowest such number.
#[target_feature(enable = "avx2")]
#[inline]
fn products(units: [__m256i; 2], row: &WeightRow) -> __m256i {
    let row = halves(&row.0.map(i8::cast_unsigned));
    let one = _mm256_set1_epi16(1);
    _mm256_add_epi32(
        _mm256_madd_epi16(_mm256_maddubs_epi16(units[0], row[0]), one),
        _mm256_madd_epi16(_mm256_maddubs_epi16(units[1], row[1]), one),
    )
}

/// [`portable::codes`](super::portable::codes).
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn codes(planes: &[(u64, u8)]) -> [u8; 64] {
    // Four bytes of a set become 32, eight of each.
    let eightfold = _mm256_set_epi64x(
        (3 * RANK_1).cast_signed(),
        (2 * RANK_1).cast_signed(),
        RANK_1.cast_signed(),
        0,
    );
    let bits = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64.cast_signed());
    let mut sums = [_mm256_setzero_si256(); 2];
    for &(set, weight) in planes {
        let weight = _mm256_set1_epi8(weight.cast_signed());
        for (sum, &half) in sums.iter_mut().zip(set.to_le_bytes().as_chunks::<4>().0) {
            let bytes = _mm256_set1_epi32(i32::from_le_bytes(half));
            let own = _mm256_and_si256(_mm256_shuffle_epi8(bytes, eightfold), bits);
            let is_in = _mm256_cmpeq_epi8(own, bits);
            *sum = _mm256_add_epi8(*sum, _mm256_and_si256(is_in, weight));
        }
    }
    let mut codes = [0; 64];
    let (words, _) = codes.as_chunks_mut::<8>();
    for (words, sum) in words.as_chunks_mut::<4>().0.iter_mut().zip(sums) {
        *words = [
            _mm256_extract_epi64::<0>(sum),
            _mm256_extract_epi64::<1>(sum),
            _mm256_extract_epi64::<2>(sum),
            _mm256_extract_epi64::<3>(sum),
        ]
        .map(i64::to_le_bytes);
    }
    codes
}

#[target_feature(enable = "avx2")]
#[inline]
fn halves(bytes: &[u8; UNITS]) -> [__m256i; 2] {
    let ([a, b, c, d, e, f, g, h], _) = bytes.as_chunks() else {
        return [_mm256_setzero_si256(); 2];
    };
    [half([a, b, c, d]), half([e, f, g, h])]
}

#[target_feature(enable = "avx2")]
#[inline]
fn half([a, b, c, d]: [&[u8; 8]; 4]) -> __m256i {
    _mm256_set_epi64x(
        i64::from_le_bytes(*d),
        i64::from_le_bytes(*c),
        i64::from_le_bytes(*b),
        i64::from_le_bytes(*a),
    )
}
