//! Examines text 64 bytes at a time: for each class of bytes, a 64-bit mask tells where they stand.
//! Its lowest bit is the first byte of the chunk.
//!
//! The classes of a byte are the bits of its entry in a table. With AVX-512 all bytes of a chunk
//! are looked up at once; with AVX2 they are compared with each byte of a class; other machines
//! look up one byte after another.

/// The bytes in a chunk.
pub(super) const CHUNK: usize = 64;

/// The classes of each byte. Only ASCII bytes belong to one.
pub(super) type ClassTable = [u8; 256];

/// The table of these classes.
pub(super) const fn table<const N: usize>(classes: &[&[u8]; N]) -> ClassTable {
    let mut table = [0; 256];
    let mut class = 0;
    while class < N {
        let mut i = 0;
        while i < classes[class].len() {
            let byte = classes[class][i];
            assert!(byte.is_ascii());
            table[byte as usize] |= 1 << class;
            i += 1;
        }
        class += 1;
    }
    table
}

/// The rest of a text, less than a chunk, filled up with zeros.
pub(super) fn last_chunk(rest: &[u8]) -> [u8; CHUNK] {
    let mut chunk = [0; CHUNK];
    chunk[..rest.len()].copy_from_slice(rest);
    chunk
}

/// The masks of the `N` classes of `table`, on any machine.
#[inline(always)]
pub(super) fn marks<const N: usize>(chunk: &[u8; CHUNK], table: &ClassTable) -> [u64; N] {
    const LOWEST: u64 = u64::from_le_bytes([1; 8]);
    // As a factor, brings the lowest bits of eight bytes together in the highest byte.
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

/// The masks by AVX-512: looks up all bytes at once.
#[cfg(target_arch = "x86_64")]
pub(super) mod wide {
    use std::arch::x86_64::{
        __m512i, _mm512_maskz_permutex2var_epi8, _mm512_movepi8_mask, _mm512_set_epi64,
        _mm512_set1_epi8, _mm512_test_epi8_mask,
    };

    use super::{CHUNK, ClassTable};

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    pub(in super::super) fn marks<const N: usize>(
        chunk: &[u8; CHUNK],
        table: &ClassTable,
    ) -> [u64; N] {
        let text = vector(chunk);
        let [front, back, ..] = table.as_chunks().0 else {
            return [0; N];
        };
        let is_ascii = !_mm512_movepi8_mask(text);
        let classes = _mm512_maskz_permutex2var_epi8(is_ascii, vector(front), text, vector(back));
        let mut marks = [0; N];
        for (class, marks) in marks.iter_mut().enumerate() {
            *marks = _mm512_test_epi8_mask(classes, _mm512_set1_epi8(1 << class));
        }
        marks
    }

    /// The compiler makes a single load of this.
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

/// The masks by AVX2: compares all bytes with each byte of a class.
#[cfg(target_arch = "x86_64")]
pub(super) mod compared {
    use std::arch::x86_64::{
        __m256i, _mm256_cmpeq_epi8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set_epi64x,
        _mm256_set1_epi8, _mm256_setzero_si256,
    };

    use super::CHUNK;

    #[target_feature(enable = "avx2")]
    #[inline]
    pub(in super::super) fn marks<const N: usize>(
        chunk: &[u8; CHUNK],
        classes: &[&[u8]; N],
    ) -> [u64; N] {
        let [front, back] = [&chunk[..32], &chunk[32..]].map(|half| vector(half));
        classes.map(|class| {
            let (mut in_front, mut in_back) = (_mm256_setzero_si256(), _mm256_setzero_si256());
            for &byte in class {
                let byte = _mm256_set1_epi8(byte.cast_signed());
                in_front = _mm256_or_si256(in_front, _mm256_cmpeq_epi8(front, byte));
                in_back = _mm256_or_si256(in_back, _mm256_cmpeq_epi8(back, byte));
            }
            let [low, high] =
                [in_front, in_back].map(|found| _mm256_movemask_epi8(found).cast_unsigned());
            u64::from(high) << 32 | u64::from(low)
        })
    }

    /// The compiler makes a single load of this.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn vector(bytes: &[u8]) -> __m256i {
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = i64::from_le_bytes(*bytes);
        }
        let [a, b, c, d] = words;
        _mm256_set_epi64x(d, c, b, a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASSES: [&[u8]; 3] = [b"{", b"abc\x7f", b"{\n"];
    const TABLE: ClassTable = table(&CLASSES);

    #[test]
    fn all_ways_find_the_same() {
        for shift in 0..=255_u8 {
            let chunk: [u8; CHUNK] =
                std::array::from_fn(|i| shift.wrapping_add(u8::try_from(i * 3).unwrap()));
            let found: [u64; 3] = marks(&chunk, &TABLE);
            for (i, byte) in chunk.iter().enumerate() {
                for (class, bytes) in CLASSES.iter().enumerate() {
                    assert_eq!(
                        found[class] >> i & 1 == 1,
                        bytes.contains(byte),
                        "{byte} {class}"
                    );
                }
            }
            #[cfg(target_arch = "x86_64")]
            assert_eq!([looked_up(&chunk), by_comparing(&chunk)], [found; 2]);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512vbmi"))]
    fn looked_up(chunk: &[u8; CHUNK]) -> [u64; 3] {
        multiversion::target::match_target! {
            "x86_64+avx512f+avx512bw+avx512vbmi" => wide::marks(chunk, &TABLE),
            _ => marks(chunk, &TABLE),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[multiversion::multiversion(targets("x86_64+avx2"))]
    fn by_comparing(chunk: &[u8; CHUNK]) -> [u64; 3] {
        multiversion::target::match_target! {
            "x86_64+avx2" => compared::marks(chunk, &CLASSES),
            _ => marks(chunk, &TABLE),
        }
    }
}
