//! Integers as an index stores them (spec/index.md sections 1 and 4): packed to bits, the lowest
//! bit of a byte first.

/// An array of integers of one width, as stored in the file.
#[derive(Clone, Copy, Debug)]
pub struct Integers<'a> {
    bytes: &'a [u8],
    len: usize,
    width: u8,
}

impl<'a> Integers<'a> {
    /// `len` integers of `width` bits; the array is empty if there is no such width, or if `bytes`
    /// has fewer.
    pub fn new(bytes: &'a [u8], width: u8, len: usize) -> Integers<'a> {
        let fits = is_width(width) && bytes_of(len as u64, width) <= bytes.len() as u64;
        let len = if fits { len } else { 0 };
        Integers { bytes, len, width }
    }

    /// The integer at position `i`.
    #[inline]
    pub fn get(&self, i: usize) -> Option<u64> {
        if i >= self.len {
            return None;
        }
        let bit = i as u64 * u64::from(self.width);
        let at = usize::try_from(bit / 8).ok()?;
        Some(word_at(self.bytes, at) >> (bit % 8) & mask(self.width))
    }

    /// Iterates over the integers.
    pub fn iter(&self) -> impl Iterator<Item = u64> + use<'a> {
        let all = *self;
        (0..all.len).map_while(move |i| all.get(i))
    }

    /// Replaces `out` by the integers at these positions, which ascend, cut to 32 bits; 0 beyond the
    /// last.
    pub fn pick(&self, places: &[u32], out: &mut Vec<u32>) {
        out.clear();
        let (Some(&first), Some(&last)) = (places.first(), places.last()) else {
            return;
        };
        let (from, to) = (first as usize / 8 * 8, last as usize + 1);
        if to - from > 4 * places.len() + 8 {
            let integer = |&place: &u32| self.get(place as usize).map_or(0, low);
            out.extend(places.iter().map(integer));
            return;
        }
        // All between them are read faster than one after another.
        self.put_range(from, to, out);
        out.resize(to - from, 0);
        if to - first as usize == places.len() {
            out.drain(..first as usize - from);
            return;
        }
        for (at, &place) in places.iter().enumerate() {
            out[at] = out[place as usize - from];
        }
        out.truncate(places.len());
    }

    /// Appends the integers at positions `from..to`, cut to 32 bits. This is fast only if `from` is
    /// a multiple of 8.
    pub(crate) fn put_range(&self, from: usize, to: usize, out: &mut Vec<u32>) {
        /// Eight integers take as many bytes as one takes bits. Leaves out the last ones, if they
        /// are fewer than eight or end near the end of `bytes`.
        fn unpack<const WIDTH: usize>(bytes: &[u8], count: usize, out: &mut Vec<u32>) {
            let mask = u64::MAX >> (64 - WIDTH);
            for at in (0..count / 8 * WIDTH).step_by(WIDTH) {
                // The last integer of the eight is read with bytes that follow them.
                let Some(eight) = bytes.get(at..at + WIDTH + 8) else {
                    return;
                };
                let mut integers = [0; 8];
                for (i, integer) in integers.iter_mut().enumerate() {
                    let word = eight[i * WIDTH / 8..].first_chunk::<8>();
                    let word = u64::from_le_bytes(word.copied().unwrap_or_default());
                    *integer = low(word >> (i * WIDTH % 8) & mask);
                }
                out.extend_from_slice(&integers);
            }
        }
        macro_rules! unpack_widths {
            ($bytes:expr, $count:expr, $($width:literal)*) => {
                match self.width {
                    $($width => unpack::<$width>($bytes, $count, out),)*
                    _ => {}
                }
            };
        }
        let to = to.min(self.len);
        let before = out.len();
        if from.is_multiple_of(8) && from < to {
            let bytes = &self.bytes[from / 8 * usize::from(self.width)..];
            unpack_widths!(bytes, to - from, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
        }
        let done = out.len() - before;
        out.extend((from + done..to).filter_map(|i| self.get(i)).map(low));
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half")]
fn low(integer: u64) -> u32 {
    integer as u32
}

/// The eight bytes from `at` on, with zeros behind the last.
#[inline]
fn word_at(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    if let Some(eight) = rest.first_chunk::<8>() {
        return u64::from_le_bytes(*eight);
    }
    let mut eight = [0; 8];
    eight[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(eight)
}

/// The lowest `width` bits.
#[inline]
fn mask(width: u8) -> u64 {
    u64::MAX >> (64 - u32::from(width.clamp(1, 64)))
}

/// The least width, in bits, that holds `largest`.
pub(crate) fn width_of(largest: u64) -> u8 {
    match 64 - largest.leading_zeros() {
        0 => 1,
        // An integer lies within the eight bytes from its first bit on.
        58.. => 64,
        width => u8::try_from(width).unwrap_or(64),
    }
}

/// Whether integers can have this width.
pub(crate) fn is_width(width: u8) -> bool {
    matches!(width, 1..=57 | 64)
}

/// The number of bytes of `count` integers of a width; the maximum if it is too large.
pub(crate) fn bytes_of(count: u64, width: u8) -> u64 {
    let bits = count.checked_mul(u64::from(width));
    bits.map_or(u64::MAX, |bits| bits.div_ceil(8))
}

/// Packs numbers to bits.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitWriter {
    /// The bits that do not fill a word yet.
    word: u64,
    filled: u32,
}

impl BitWriter {
    /// Appends a number of `width` bits, at most 64.
    #[inline]
    pub(crate) fn put(&mut self, out: &mut Vec<u8>, number: u64, width: u32) {
        self.word |= number << self.filled;
        self.filled += width;
        if self.filled >= 64 {
            out.extend_from_slice(&self.word.to_le_bytes());
            self.filled -= 64;
            // The bits that did not fit; none, if the shift is by 64.
            self.word = number.checked_shr(width - self.filled).unwrap_or(0);
        }
    }

    /// Appends a number, at least 1, in the gamma code of Elias: as many zeros as bits follow the
    /// highest one, then that one, then the bits that follow it.
    pub(crate) fn put_gamma(&mut self, out: &mut Vec<u8>, number: u64) {
        let further = number.max(1).ilog2();
        self.put(out, 1 << further, further + 1);
        self.put(out, number & !(1 << further), further);
    }

    /// The number of bits so far, if `out` has those that fill words.
    pub(crate) fn len(&self, out: &[u8]) -> u64 {
        out.len() as u64 * 8 + u64::from(self.filled)
    }

    /// Moves the bits that are left to another writer.
    pub(crate) fn move_to(&mut self, other: &mut BitWriter, out: &mut Vec<u8>) {
        other.put(out, self.word, self.filled);
        (self.word, self.filled) = (0, 0);
    }

    /// Appends the bits that are left, and zeros up to the next byte.
    pub(crate) fn end(&mut self, out: &mut Vec<u8>) {
        let bytes = self.word.to_le_bytes();
        out.extend_from_slice(&bytes[..self.filled.div_ceil(8) as usize]);
        (self.word, self.filled) = (0, 0);
    }
}

/// Reads packed bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    bit: u64,
}

impl<'a> BitReader<'a> {
    /// Reads from this bit on.
    pub(crate) fn new(bytes: &'a [u8], bit: u64) -> BitReader<'a> {
        BitReader { bytes, bit }
    }

    /// The number of the next bit.
    pub(crate) fn at(&self) -> u64 {
        self.bit
    }

    /// Skips bits; `None` if there are fewer.
    #[inline]
    pub(crate) fn skip(&mut self, bits: u64) -> Option<()> {
        self.bit = self.bit.checked_add(bits)?;
        (self.bit <= self.bytes.len() as u64 * 8).then_some(())
    }

    /// The next 57 bits or more, with zeros behind the last.
    #[inline]
    fn word(&self) -> u64 {
        let at = usize::try_from(self.bit / 8).unwrap_or(usize::MAX);
        word_at(self.bytes, at) >> (self.bit % 8)
    }

    /// Reads a number of at most 57 bits; `None` if there are fewer.
    #[inline]
    pub(crate) fn get(&mut self, width: u32) -> Option<u64> {
        let number = self.word() & ((1 << width) - 1);
        self.skip(u64::from(width))?;
        Some(number)
    }

    /// Reads a number in a Golomb code: the gamma code of one more than its higher part, and the
    /// lowest `k` bits.
    #[inline]
    pub(crate) fn golomb(&mut self, k: u32) -> Option<u64> {
        let word = self.word();
        let further = word.trailing_zeros();
        if 2 * further + 1 + k > 57 {
            let high = self.gamma()? - 1;
            return Some(high << k | self.get(k)?);
        }
        // All of it is in the word.
        let rest = word >> (further + 1);
        let high = (rest & ((1 << further) - 1)) + (1 << further) - 1;
        self.skip(u64::from(2 * further + 1 + k))?;
        Some(high << k | (rest >> further & ((1 << k) - 1)))
    }

    /// Reads a number of at most 50 bits in the gamma code of Elias.
    #[inline]
    pub(crate) fn gamma(&mut self) -> Option<u64> {
        let further = self.word().trailing_zeros();
        if further >= 50 {
            return None;
        }
        self.skip(u64::from(further) + 1)?;
        Some(1 << further | self.get(further)?)
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

/// The largest number that half a byte holds; what is beyond it follows as a varint.
pub(crate) const HALF: usize = 15;

/// Appends two numbers, each in half of a byte if it fits.
pub(crate) fn put_halves(out: &mut Vec<u8>, numbers: [usize; 2]) {
    let [high, low] = numbers.map(|number| u8::try_from(number.min(HALF)).unwrap_or(0));
    out.push(high << 4 | low);
    for rest in numbers.into_iter().filter_map(|n| n.checked_sub(HALF)) {
        put_varint(out, rest as u64);
    }
}

/// Reads two numbers that [`put_halves`] wrote; `None` if they are damaged.
#[inline]
pub(crate) fn take_halves(src: &mut &[u8]) -> Option<[usize; 2]> {
    let (&byte, mut rest) = src.split_first()?;
    let mut number = |half: u8| match usize::from(half) {
        HALF => usize::try_from(take_varint(&mut rest)?)
            .ok()?
            .checked_add(HALF),
        number => Some(number),
    };
    let numbers = [number(byte >> 4)?, number(byte & 0xf)?];
    *src = rest;
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_all_widths() {
        for width in (1..=57).chain([64]) {
            let largest = mask(width);
            assert_eq!(width_of(largest), width);
            let numbers: Vec<u64> = (0..37_u64)
                .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) & largest)
                .collect();
            let (mut bits, mut bytes) = (BitWriter::default(), Vec::new());
            for &number in &numbers {
                bits.put(&mut bytes, number, u32::from(width));
            }
            bits.end(&mut bytes);
            assert_eq!(bytes.len() as u64, bytes_of(37, width), "{width}");
            let list = Integers::new(&bytes, width, 37);
            assert_eq!(list.iter().collect::<Vec<_>>(), numbers, "{width}");
            assert_eq!(list.get(37), None);
            assert_eq!(Integers::new(&bytes[1..], width, 37).len, 0);
            for (from, to) in [(0, 37), (8, 16), (3, 20), (16, 99), (37, 37)] {
                let mut range = Vec::new();
                list.put_range(from, to, &mut range);
                let expected = numbers[from..to.min(37)].iter().map(|&number| low(number));
                assert!(range.into_iter().eq(expected), "{width}, {from}..{to}");
            }
            for places in [
                &[][..],
                &[3],
                &[0, 36],
                &[9, 10, 13, 36],
                &[5, 12, 36, 37, 40],
            ] {
                let mut picked = vec![7; 3];
                list.pick(places, &mut picked);
                let expected = places.iter().map(|&at| numbers.get(at as usize));
                let expected = expected.map(|number| number.map_or(0, |&number| low(number)));
                assert!(picked.into_iter().eq(expected), "{width}, {places:?}");
            }
        }
        assert!([0, 58, 63, 65].iter().all(|&width| !is_width(width)));
        assert_eq!(
            [width_of(0), width_of(1 << 57), width_of(1 << 63)],
            [1, 64, 64]
        );
    }

    /// The example of spec/index.md section 1.
    #[test]
    fn integers_of_the_text() {
        let (mut bits, mut bytes) = (BitWriter::default(), Vec::new());
        (1..=5).for_each(|number| bits.put(&mut bytes, number, 3));
        bits.end(&mut bytes);
        assert_eq!(bytes, [0xd1, 0x58]);
    }

    #[test]
    fn bits_come_back() {
        let (mut bits, mut bytes) = (BitWriter::default(), Vec::new());
        let numbers = [1, 2, 3, 4, 31, 32, 1000, 65_535, 1 << 40, (1 << 49) + 5];
        for number in numbers {
            bits.put_gamma(&mut bytes, number);
            bits.put(&mut bytes, number & 0x1ff, 9);
        }
        bits.end(&mut bytes);
        let mut reader = BitReader::new(&bytes, 0);
        for number in numbers {
            assert_eq!(reader.gamma(), Some(number));
            assert_eq!(reader.get(9), Some(number & 0x1ff));
        }
        assert!(reader.at() <= bytes.len() as u64 * 8);
        assert_eq!((reader.get(57), reader.skip(u64::MAX)), (None, None));
        assert_eq!(BitReader::new(&[0; 8], 0).gamma(), None);
        assert_eq!(BitReader::new(&[0, 1], 0).gamma(), None);
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
