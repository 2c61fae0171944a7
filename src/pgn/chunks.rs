//! Text looked at 64 bytes at a time: for each class of bytes a number says where they stand, its lowest bit for the first byte of the chunk.
//!
//! The classes of a byte are the bits of its entry in a table. With AVX-512 all bytes of a chunk are looked up at once.

/// So many bytes are a chunk.
pub(super) const CHUNK: usize = 64;

/// Which classes each byte belongs to: only ASCII belongs to any.
pub(super) type Table = [u8; 256];

/// The same table, but for these bytes, which belong to this class too.
pub(super) const fn with(mut table: Table, class: usize, bytes: &[u8]) -> Table {
    let mut i = 0;
    while i < bytes.len() {
        assert!(bytes[i].is_ascii());
        table[bytes[i] as usize] |= 1 << class;
        i += 1;
    }
    table
}

/// What is left of a text, less than a chunk, as one: bytes that are in no class follow.
pub(super) fn last_chunk(rest: &[u8]) -> [u8; CHUNK] {
    let mut chunk = [0; CHUNK];
    chunk[..rest.len()].copy_from_slice(rest);
    chunk
}

/// The marks of the classes of `table`, of which there are `N`.
#[inline(always)]
pub(super) fn marks<const N: usize>(chunk: &[u8; CHUNK], table: &Table) -> [u64; N] {
    const LOWEST: u64 = u64::from_le_bytes([1; 8]);
    // Brings the lowest bits of eight bytes together in the highest byte.
    const TOGETHER: u64 = 0x0102_0408_1020_4080;
    let mut marks = [0; N];
    for (place, bytes) in (0..).step_by(8).zip(chunk.as_chunks::<8>().0) {
        let classes = u64::from_le_bytes(bytes.map(|byte| table[usize::from(byte)]));
        for (class, marks) in marks.iter_mut().enumerate() {
            *marks |= ((classes >> class) & LOWEST).wrapping_mul(TOGETHER) >> 56 << place;
        }
    }
    marks
}

/// The same at once.
#[cfg(target_arch = "x86_64")]
pub(super) mod wide {
    use std::arch::x86_64::{
        __m512i, _mm512_maskz_permutex2var_epi8, _mm512_movepi8_mask, _mm512_set_epi64, _mm512_set1_epi8,
        _mm512_test_epi8_mask,
    };

    use super::{CHUNK, Table};

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    pub(in super::super) fn marks<const N: usize>(chunk: &[u8; CHUNK], table: &Table) -> [u64; N] {
        let text = vector(chunk);
        let [front, back, ..] = table.as_chunks().0 else { return [0; N] };
        let is_ascii = !_mm512_movepi8_mask(text);
        let classes = _mm512_maskz_permutex2var_epi8(is_ascii, vector(front), text, vector(back));
        let mut marks = [0; N];
        for (class, marks) in marks.iter_mut().enumerate() {
            *marks = _mm512_test_epi8_mask(classes, _mm512_set1_epi8(1 << class));
        }
        marks
    }

    /// A load, to the compiler.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    fn vector(bytes: &[u8; CHUNK]) -> __m512i {
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = i64::from_le_bytes(*bytes);
        }
        let [a, b, c, d, e, f, g, h] = words;
        _mm512_set_epi64(h, g, f, e, d, c, b, a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_find_the_same() {
        const TABLE: Table = with(with(with([0; 256], 0, b"{"), 1, b"abc\x7f"), 2, b"{\n");
        for shift in 0..=255_u8 {
            let chunk: [u8; CHUNK] = std::array::from_fn(|i| shift.wrapping_add(u8::try_from(i * 3).unwrap()));
            let found: [u64; 3] = marks(&chunk, &TABLE);
            for (i, &byte) in chunk.iter().enumerate() {
                let classes =
                    (0..3).map(|class| (found[class] >> i & 1) as u8).rev().fold(0, |all, bit| all << 1 | bit);
                assert_eq!(classes, TABLE[usize::from(byte)]);
            }
            #[cfg(target_arch = "x86_64")]
            assert_eq!(best_marks(&chunk, &TABLE), found);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512vbmi"))]
    fn best_marks(chunk: &[u8; CHUNK], table: &Table) -> [u64; 3] {
        multiversion::target::match_target! {
            "x86_64+avx512f+avx512bw+avx512vbmi" => wide::marks(chunk, table),
            _ => marks(chunk, table),
        }
    }
}
