//! Examines text eight bytes at a time, as numbers, to find where a run of bytes ends without a
//! branch for each byte, which would often be mispredicted at the end.
//!
//! A *mark* is the highest bit of a byte of such a number, the other bits being 0. The first byte
//! of the text is the lowest.

const MARKS: u64 = every(0x80);

/// Eight times this byte.
pub(super) const fn every(byte: u8) -> u64 {
    byte as u64 * 0x0101_0101_0101_0101
}

/// The number of bytes before the first that `ends` marks. `ends` looks at eight bytes at once; its
/// marks behind the first do not matter.
#[inline(always)]
pub(super) fn until(bytes: &[u8], ends: impl Fn(u64) -> u64) -> usize {
    let mut at = 0;
    while let Some(word) = word(&bytes[at..]) {
        let marks = ends(word);
        if marks != 0 {
            return at + first(marks);
        }
        at += size_of::<u64>();
    }
    at + bytes[at..]
        .iter()
        .position(|&byte| ends(u64::from(byte)) & 0x80 != 0)
        .unwrap_or(bytes.len() - at)
}

/// The first eight bytes as a number.
#[inline(always)]
pub(super) fn word(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk().map(|word| u64::from_le_bytes(*word))
}

/// The index of the first byte with a mark; 8 if there is none.
#[inline(always)]
pub(super) fn first(marks: u64) -> usize {
    marks.trailing_zeros() as usize / 8
}

/// The number of digits at the beginning of `text`; no more than `most` are counted.
pub(super) fn digits(text: &[u8], most: usize) -> usize {
    let text = text.iter().take(most);
    text.take_while(|byte| byte.is_ascii_digit()).count()
}

/// Marks bytes that are 0; behind the first of them perhaps others too.
#[inline]
const fn zeros(word: u64) -> u64 {
    below(word, 1)
}

/// Marks bytes below `limit` (at most 0x80); behind the first of them perhaps others too.
#[inline]
pub(super) const fn below(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(every(limit)) & !word & MARKS
}

/// Marks bytes that are `byte` once the bits of `or` are set in them; behind the first of them
/// perhaps others too.
#[inline]
pub(super) const fn equal(word: u64, or: u8, byte: u8) -> u64 {
    zeros((word | every(or)) ^ every(byte))
}

/// Marks bytes from `from` to `to`, both in ASCII, and no others.
#[inline]
pub(super) const fn within(word: u64, from: u8, to: u8) -> u64 {
    let low = word & !MARKS;
    (low + every(0x80 - from)) & !(low + every(0x7f - to)) & !word & MARKS
}

/// Marks letters of ASCII, and no other bytes.
#[inline]
pub(super) const fn letters(word: u64) -> u64 {
    within(word | every(0x20), b'a', b'z')
}

/// Marks the bytes that `marks` does not; it must mark no wrong bytes.
#[inline]
pub(super) const fn others(marks: u64) -> u64 {
    marks ^ MARKS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first byte with a mark, in front of and behind every other byte.
    fn assert_finds(ends: impl Fn(u64) -> u64 + Copy, wanted: impl Fn(u8) -> bool) {
        for pair in 0..=u16::MAX {
            let [a, b] = pair.to_le_bytes();
            let text = [a, b, a, b, b, a, a, a, b, b, a];
            let expected = text
                .iter()
                .position(|&byte| wanted(byte))
                .unwrap_or(text.len());
            for from in 0..=expected {
                assert_eq!(until(&text[from..], ends), expected - from, "{a:#x} {b:#x}");
            }
        }
    }

    #[test]
    fn each_byte_is_told() {
        assert_finds(|word| below(word, 0x0e), |byte| byte < 0x0e);
        assert_finds(|word| equal(word, 0, b'"'), |byte| byte == b'"');
        assert_finds(
            |word| equal(word, 2, b'*'),
            |byte| byte == b'(' || byte == b'*',
        );
        assert_finds(
            |word| others(letters(word)),
            |byte| !byte.is_ascii_alphabetic(),
        );
        assert_finds(
            |word| others(within(word, b'0', b':')),
            |byte| !matches!(byte, b'0'..=b':'),
        );
        assert_finds(letters, |byte| byte.is_ascii_alphabetic());
    }
}
