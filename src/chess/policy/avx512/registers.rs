//! Registers of 512 bits: reading and writing arrays, and sums of lanes.

use std::arch::x86_64::*;

use crate::policy::list::{PLACES, ROOM};
use crate::policy::tables::{CLASSES, Sixteen, WeightRow};

/// [`CLASSES`] as they stand in two registers.
pub(super) static CLASS_BYTES: [Sixteen; 2] = {
    let mut lanes = [Sixteen([0; 16]); 2];
    let mut i = 0;
    while i < 128 {
        lanes[i / 64].0[i / 4 % 16] |= (CLASSES[i] as i32) << (8 * (i % 4));
        i += 1;
    }
    lanes
};

/// The squares in order, a byte each.
pub(super) static SQUARES: Sixteen = {
    let (mut lanes, mut four) = ([0; 16], 0x0302_0100);
    let mut i = 0;
    while i < 16 {
        lanes[i] = four;
        four += 0x0404_0404;
        i += 1;
    }
    Sixteen(lanes)
};

/// Adds up the lanes of four vectors in part: each quarter of the result has one number for each
/// vector.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn add_four(vectors: [__m512i; 4]) -> __m512i {
    let [a, b, c, d] = vectors;
    let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd))
}

/// Adds up the quarters of four results of [`add_four`]: the sums of sixteen vectors, in order.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn add_quads(quads: [__m512i; 4]) -> __m512i {
    let [a, b, c, d] = quads;
    let ab = add_halves(a, b);
    let cd = add_halves(c, d);
    add_halves(ab, cd)
}

/// Adds neighbouring quarters: two of `a`, then two of `b`.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn add_halves(a: __m512i, b: __m512i) -> __m512i {
    _mm512_add_epi32(
        _mm512_shuffle_i32x4::<0x88>(a, b),
        _mm512_shuffle_i32x4::<0xdd>(a, b),
    )
}

/// The sum up to each number, inclusive.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn running(a: __m512i) -> __m512i {
    let zero = _mm512_setzero_si512();
    let a = _mm512_add_epi32(a, _mm512_alignr_epi32::<15>(a, zero));
    let a = _mm512_add_epi32(a, _mm512_alignr_epi32::<14>(a, zero));
    let a = _mm512_add_epi32(a, _mm512_alignr_epi32::<12>(a, zero));
    _mm512_add_epi32(a, _mm512_alignr_epi32::<8>(a, zero))
}

/// The last number in every lane.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn last(a: __m512i) -> __m512i {
    _mm512_permutexvar_epi32(_mm512_set1_epi32(15), a)
}

/// The low halves of 32 numbers, in order.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn words(a: __m512i, b: __m512i) -> __m512i {
    let low = _mm512_castsi256_si512(_mm512_cvtepi32_epi16(a));
    _mm512_inserti64x4::<1>(low, _mm512_cvtepi32_epi16(b))
}

/// The lowest 16 bytes.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn lower(a: __m512i) -> __m128i {
    _mm512_extracti32x4_epi32::<0>(a)
}

/// Eight sets of squares as a vector.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn eight(sets: &[u64; 8]) -> __m512i {
    let mut lanes = [0; 16];
    for (lane, &set) in lanes.as_chunks_mut::<2>().0.iter_mut().zip(sets) {
        let [a, b, c, d, e, f, g, h] = set.to_le_bytes();
        *lane = [[a, b, c, d], [e, f, g, h]].map(i32::from_le_bytes);
    }
    read_numbers(&lanes)
}

/// The lowest 16 bytes as numbers.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn wide(a: __m512i) -> __m512i {
    _mm512_cvtepu8_epi32(lower(a))
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn read(lanes: &Sixteen) -> __m512i {
    read_numbers(&lanes.0)
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn read_numbers(lanes: &[i32; 16]) -> __m512i {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *lanes;
    _mm512_set_epi32(p, o, n, m, l, k, j, i, h, g, f, e, d, c, b, a)
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn row(row: &WeightRow) -> __m512i {
    let (lanes, _) = row.0.as_chunks::<4>();
    let mut numbers = [0; 16];
    for (number, lane) in numbers.iter_mut().zip(lanes) {
        *number = i32::from_le_bytes(lane.map(i8::cast_unsigned));
    }
    read_numbers(&numbers)
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn bytes(bytes: &[u8; 64]) -> __m512i {
    let (lanes, _) = bytes.as_chunks::<4>();
    let mut numbers = [0; 16];
    for (number, &lane) in numbers.iter_mut().zip(lanes) {
        *number = i32::from_le_bytes(lane);
    }
    read_numbers(&numbers)
}

/// The sixteen bytes from a place on, in the lowest lanes.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn sixteen(bytes: &[u8], first: usize) -> __m512i {
    let Some(bytes) = bytes.get(first..).and_then(<[u8]>::first_chunk::<16>) else {
        return _mm512_setzero_si512();
    };
    let (lanes, _) = bytes.as_chunks::<4>();
    let lane = |i: usize| i32::from_le_bytes(lanes[i]);
    _mm512_zextsi128_si512(_mm_set_epi32(lane(3), lane(2), lane(1), lane(0)))
}

/// Sixteen numbers from a place on.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn read_from(all: &[i32; ROOM], first: usize) -> __m512i {
    match all[first & PLACES..].first_chunk::<16>() {
        Some(lanes) => read_numbers(lanes),
        None => _mm512_setzero_si512(),
    }
}

/// Writes sixteen numbers from a place on.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn write_numbers(all: &mut [i32; ROOM], first: usize, a: __m512i) {
    if let Some(lanes) = all[first & PLACES..].first_chunk_mut::<16>() {
        *lanes = numbers(a);
    }
}

/// Writes 64 bytes from a place on.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn write(bytes: &mut [u8; ROOM], first: usize, a: __m512i) {
    let Some(bytes) = bytes[first & PLACES..].first_chunk_mut::<64>() else {
        return;
    };
    let (lanes, _) = bytes.as_chunks_mut::<4>();
    for (lane, number) in lanes.iter_mut().zip(numbers(a)) {
        *lane = number.to_le_bytes();
    }
}

/// The numbers of all lanes.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn numbers(a: __m512i) -> [i32; 16] {
    let [a, b, c, d] = [
        four(_mm512_extracti32x4_epi32::<0>(a)),
        four(_mm512_extracti32x4_epi32::<1>(a)),
        four(_mm512_extracti32x4_epi32::<2>(a)),
        four(_mm512_extracti32x4_epi32::<3>(a)),
    ];
    [
        a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], c[0], c[1], c[2], c[3], d[0], d[1], d[2],
        d[3],
    ]
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn four(a: __m128i) -> [i32; 4] {
    [
        _mm_extract_epi32::<0>(a),
        _mm_extract_epi32::<1>(a),
        _mm_extract_epi32::<2>(a),
        _mm_extract_epi32::<3>(a),
    ]
}

/// Writes eight sets of squares at the beginning.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn write_eight(sets: &mut [u64; 64], a: __m512i) {
    if let Some(lanes) = sets.first_chunk_mut::<8>() {
        for (set, &[low, high]) in lanes.iter_mut().zip(numbers(a).as_chunks::<2>().0) {
            *set = u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32;
        }
    }
}

/// Writes the lowest 16 bytes at the beginning.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn write_low(bytes: &mut [u8; 64], a: __m512i) {
    for (lane, number) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(four(lower(a))) {
        *lane = number.to_le_bytes();
    }
}

/// Writes eight words at the beginning.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn write_words(words: &mut [u16; 64], a: __m128i) {
    for (pair, number) in words.as_chunks_mut::<2>().0.iter_mut().zip(four(a)) {
        let [a, b, c, d] = number.to_le_bytes();
        *pair = [[a, b], [c, d]].map(u16::from_le_bytes);
    }
}
