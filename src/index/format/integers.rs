//! Integers as an index stores them (spec/index.md sections 1 and 4).

/// An array of integers of one width, as stored in the file.
#[derive(Clone, Copy, Debug)]
pub struct Integers<'a> {
    bytes: &'a [u8],
    width: usize,
    mask: u64,
}

impl<'a> Integers<'a> {
    /// `width` is 1 to 8; with any other, the array is empty.
    #[must_use]
    pub fn new(bytes: &'a [u8], width: u8) -> Integers<'a> {
        if !(1..=8).contains(&width) {
            return Integers {
                bytes: &[],
                width: 1,
                mask: 0,
            };
        }
        Integers {
            bytes,
            width: usize::from(width),
            mask: u64::MAX >> (64 - 8 * u32::from(width)),
        }
    }

    /// The number of integers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len() / self.width
    }

    /// Whether the array is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The integer at position `i`.
    #[must_use]
    pub fn get(&self, i: usize) -> Option<u64> {
        let at = i.checked_mul(self.width)?;
        // Except near the end, eight bytes can be read, whatever the width.
        if let Some(eight) = self
            .bytes
            .get(at..)
            .and_then(|rest| rest.first_chunk::<8>())
        {
            return Some(u64::from_le_bytes(*eight) & self.mask);
        }
        let bytes = self.bytes.get(at..at.checked_add(self.width)?)?;
        let mut eight = [0; 8];
        eight[..self.width].copy_from_slice(bytes);
        Some(u64::from_le_bytes(eight))
    }

    /// Iterates over the integers.
    pub fn iter(&self) -> impl Iterator<Item = u64> + use<'a> {
        let all = *self;
        (0..all.len()).map_while(move |i| all.get(i))
    }
}

/// The least width that holds `largest`.
#[must_use]
pub(crate) fn width_of(largest: u64) -> u8 {
    // At most 64 bits, so at most 8.
    u8::try_from((64 - largest.leading_zeros()).div_ceil(8).max(1)).unwrap_or(8)
}

/// Appends an integer, cut to the width.
pub(crate) fn put_integer(out: &mut Vec<u8>, width: u8, number: u64) {
    out.extend_from_slice(&number.to_le_bytes()[..usize::from(width.min(8))]);
}

/// Appends integers of one width.
pub(crate) fn put_integers(
    out: &mut Vec<u8>,
    width: u8,
    numbers: impl ExactSizeIterator<Item = u64>,
) {
    // With a constant width the compiler copies the bytes without a function call.
    fn put<const WIDTH: usize>(out: &mut Vec<u8>, numbers: impl ExactSizeIterator<Item = u64>) {
        let from = out.len();
        out.resize(from + WIDTH * numbers.len(), 0);
        let places = out[from..].as_chunks_mut::<WIDTH>().0;
        places
            .iter_mut()
            .zip(numbers)
            .for_each(|(place, number)| place.copy_from_slice(&number.to_le_bytes()[..WIDTH]));
    }
    match width {
        1 => put::<1>(out, numbers),
        2 => put::<2>(out, numbers),
        3 => put::<3>(out, numbers),
        4 => put::<4>(out, numbers),
        8 => put::<8>(out, numbers),
        _ => numbers.for_each(|number| put_integer(out, width, number)),
    }
}

/// Appends a varint.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(u8::try_from(number & 0x7f).unwrap_or(0) | 0x80);
        number >>= 7;
    }
    out.push(u8::try_from(number).unwrap_or(0));
}

/// Reads a varint; `None` if it is cut off or too large.
pub(crate) fn take_varint(src: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for (i, &byte) in src.iter().enumerate().take(10) {
        let bits = u64::from(byte & 0x7f);
        if i == 9 && bits > 1 {
            return None;
        }
        number |= bits << (7 * i);
        if byte < 0x80 {
            *src = &src[i + 1..];
            return Some(number);
        }
    }
    None
}

/// Appends the postings of a value: the numbers of its games, which ascend.
pub(crate) fn put_postings_of(out: &mut Vec<u8>, games: &[u32]) {
    put_varint(out, games.len() as u64);
    let mut before = None;
    for &game in games {
        let less = before.map_or(0, |before: u32| before + 1);
        put_varint(out, u64::from(game - less));
        before = Some(game);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postings_of_the_text() {
        let mut out = Vec::new();
        put_postings_of(&mut out, &[0, 1, 5, 300]);
        // Four; 0; 1 - 0 - 1; 5 - 1 - 1; 300 - 5 - 1 = 294.
        assert_eq!(out, [4, 0, 0, 3, 0xa6, 0x02]);
        out.clear();
        put_postings_of(&mut out, &[200]);
        assert_eq!(out, [1, 0xc8, 0x01]);
    }

    #[test]
    fn integers_of_all_widths() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
        let list = |width| Integers::new(&bytes, width).iter().collect::<Vec<_>>();
        assert_eq!(list(1), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        assert_eq!(list(2), [0x201, 0x403, 0x605, 0x807, 0xa09, 0xc0b]);
        assert_eq!(list(3), [0x03_0201, 0x06_0504, 0x09_0807, 0x0c_0b0a]);
        assert_eq!(list(5), [0x05_0403_0201, 0x0a_0908_0706]);
        assert_eq!(list(8), [0x0807_0605_0403_0201]);
        assert!(list(0).is_empty() && list(9).is_empty());
        assert_eq!(Integers::new(&bytes, 5).get(2), None);
        assert_eq!(Integers::new(&bytes, 5).get(usize::MAX), None);
        for (largest, width) in [
            (0, 1),
            (255, 1),
            (256, 2),
            (65_535, 2),
            (65_536, 3),
            (u64::from(u32::MAX), 4),
            (1 << 32, 5),
            (u64::MAX, 8),
        ] {
            assert_eq!(width_of(largest), width, "{largest}");
            let mut out = Vec::new();
            put_integers(&mut out, width, [largest].into_iter());
            assert_eq!(
                (out.len(), Integers::new(&out, width).get(0)),
                (usize::from(width), Some(largest))
            );
        }
    }

    #[test]
    fn varints() {
        for (number, bytes) in [
            (0, &[0][..]),
            (127, &[0x7f]),
            (128, &[0x80, 0x01]),
            (300, &[0xac, 0x02]),
            (16_384, &[0x80, 0x80, 0x01]),
        ] {
            let mut out = Vec::new();
            put_varint(&mut out, number);
            assert_eq!(out, bytes);
            assert_eq!(take_varint(&mut &bytes[..]), Some(number));
            assert_eq!(take_varint(&mut &bytes[..bytes.len() - 1]), None);
        }
        let mut out = Vec::new();
        put_varint(&mut out, u64::MAX);
        assert_eq!(
            (out.len(), take_varint(&mut out.as_slice())),
            (10, Some(u64::MAX))
        );
        out[9] = 2;
        assert_eq!(take_varint(&mut out.as_slice()), None);
        assert_eq!(take_varint(&mut [0xff; 12].as_slice()), None);
    }
}
