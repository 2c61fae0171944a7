//! Examines text 64 bytes at a time: for each class of bytes, a 64-bit mask tells where they stand.
//! Its lowest bit is the first byte of the chunk.
//!
//! With AVX2 all bytes of a chunk are looked up at once; other machines look up one byte after
//! another.

/// A table with this value for each byte.
macro_rules! byte_table {
    ($byte:ident => $value:expr) => {{
        let mut $byte = 0_u8;
        let mut table = [$value; 256];
        while $byte < u8::MAX {
            $byte += 1;
            table[$byte as usize] = $value;
        }
        table
    }};
}
pub(super) use byte_table;

/// The bytes in a chunk.
pub(super) const CHUNK: usize = 64;

/// Tables of `N` classes of bytes, all of them ASCII.
pub(super) struct Classes<const N: usize> {
    /// The classes of each byte, as bits.
    table: [u8; 256],
    /// By lower and by upper half of a byte. Those of a class whose upper half is the same share a
    /// bit, so a byte belongs to a class if both halves have one of the bits of the class.
    #[cfg(target_arch = "x86_64")]
    halves: [[u8; 16]; 2],
    #[cfg(target_arch = "x86_64")]
    bits: [u8; N],
}

impl<const N: usize> Classes<N> {
    pub(super) const fn new(classes: &[&[u8]; N]) -> Classes<N> {
        let (mut table, mut halves, mut bits) = ([0; 256], [[0; 16]; 2], [0; N]);
        let mut next = 0;
        let mut class = 0;
        while class < N {
            let mut upper = 0;
            while upper < 8 {
                let mut bit = 0;
                let mut i = 0;
                while i < classes[class].len() {
                    let byte = classes[class][i];
                    assert!(byte.is_ascii());
                    if byte as usize >> 4 == upper {
                        table[byte as usize] |= 1 << class;
                        // Overflows, which stops the compiler, if eight bits are not enough.
                        bit = 1_u8 << next;
                        halves[0][byte as usize & 15] |= bit;
                    }
                    i += 1;
                }
                if bit > 0 {
                    halves[1][upper] |= bit;
                    bits[class] |= bit;
                    next += 1;
                }
                upper += 1;
            }
            class += 1;
        }
        Classes {
            table,
            #[cfg(target_arch = "x86_64")]
            halves,
            #[cfg(target_arch = "x86_64")]
            bits,
        }
    }
}

/// The rest of a text, less than a chunk, filled up with zeros.
pub(super) fn last_chunk(rest: &[u8]) -> [u8; CHUNK] {
    let mut chunk = [0; CHUNK];
    chunk[..rest.len()].copy_from_slice(rest);
    chunk
}

/// The masks of these classes, on any machine.
#[inline(always)]
pub(super) fn marks<const N: usize>(chunk: &[u8; CHUNK], classes: &Classes<N>) -> [u64; N] {
    const LOWEST: u64 = u64::from_le_bytes([1; 8]);
    // As a factor, brings the lowest bits of eight bytes together in the highest byte.
    const TOGETHER: u64 = 0x0102_0408_1020_4080;
    let mut marks = [0; N];
    for (place, bytes) in (0..).step_by(8).zip(chunk.as_chunks::<8>().0) {
        let found = u64::from_le_bytes(bytes.map(|byte| classes.table[usize::from(byte)]));
        for (class, marks) in marks.iter_mut().enumerate() {
            *marks |= ((found >> class) & LOWEST).wrapping_mul(TOGETHER) >> 56 << place;
        }
    }
    marks
}

/// The masks by AVX2: looks up the halves of all bytes at once.
#[cfg(target_arch = "x86_64")]
pub(super) mod wide {
    use std::arch::x86_64::{
        __m256i, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_movemask_epi8, _mm256_set_epi64x,
        _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
    };

    use super::{CHUNK, Classes};

    #[target_feature(enable = "avx2")]
    #[inline]
    pub(in super::super) fn marks<const N: usize>(
        chunk: &[u8; CHUNK],
        classes: &Classes<N>,
    ) -> [u64; N] {
        // Loops, since closures in `map` are not inlined: `map` is compiled without AVX2.
        let [lower, upper] = &classes.halves;
        let lower = vector([*lower, *lower].as_flattened());
        let upper = vector([*upper, *upper].as_flattened());
        let mut marks = [0; N];
        for (place, half) in [(0, &chunk[..32]), (32, &chunk[32..])] {
            let text = vector(half);
            let above = _mm256_and_si256(_mm256_srli_epi16::<4>(text), _mm256_set1_epi8(15));
            // A byte beyond ASCII finds 0.
            let found = _mm256_and_si256(
                _mm256_shuffle_epi8(lower, text),
                _mm256_shuffle_epi8(upper, above),
            );
            for (marks, bits) in marks.iter_mut().zip(classes.bits) {
                let bits = _mm256_and_si256(found, _mm256_set1_epi8(bits.cast_signed()));
                let others = _mm256_cmpeq_epi8(bits, _mm256_setzero_si256());
                *marks |= u64::from(!_mm256_movemask_epi8(others).cast_unsigned()) << place;
            }
        }
        marks
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
    static TABLES: Classes<3> = Classes::new(&CLASSES);

    #[test]
    fn all_ways_find_the_same() {
        for shift in 0..=255_u8 {
            let chunk: [u8; CHUNK] =
                std::array::from_fn(|i| shift.wrapping_add(u8::try_from(i * 3).unwrap()));
            let found: [u64; 3] = marks(&chunk, &TABLES);
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
            assert_eq!(looked_up(&chunk), found);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[multiversion::multiversion(targets("x86_64+avx2"))]
    fn looked_up(chunk: &[u8; CHUNK]) -> [u64; 3] {
        multiversion::target::match_target! {
            "x86_64+avx2" => wide::marks(chunk, &TABLES),
            _ => marks(chunk, &TABLES),
        }
    }
}
