//! Numbers and strings in the data of private escapes (spec/extension.md section 2).

/// The lowest first byte of a num of more than one byte.
const LONG: u64 = 0xf0;
/// First number that takes the LEB128 form.
const HUGE: u64 = LONG + 15 * 256;

/// Appends a num.
#[inline]
pub fn put_num(out: &mut Vec<u8>, number: u64) {
    match num_word(number) {
        Some((word, len)) => put_word(out, word, len),
        None => put_huge_num(out, number),
    }
}

/// A num of one byte or two as the low bytes of a word, and its length. Branch-free: the length is
/// unpredictable.
#[inline]
pub(crate) fn num_word(number: u64) -> Option<(u64, usize)> {
    let is_long = number >= LONG;
    let long = ((LONG << 8) - LONG).wrapping_add(number).swap_bytes() >> 48;
    (number < HUGE).then_some((
        if is_long { long } else { number },
        1 + usize::from(is_long),
    ))
}

/// Appends the low `len` bytes of `word`, the lowest first: a copy of known length is one
/// instruction.
#[inline(always)]
pub(crate) fn put_word(out: &mut Vec<u8>, word: u64, len: usize) {
    let end = out.len() + len;
    out.extend_from_slice(&word.to_le_bytes());
    out.truncate(end);
}

#[cold]
fn put_huge_num(out: &mut Vec<u8>, number: u64) {
    out.push(0xff);
    let mut rest = number - HUGE;
    while rest >= 0x80 {
        out.push(u8::try_from(rest & 0x7f | 0x80).unwrap_or(0));
        rest >>= 7;
    }
    out.push(u8::try_from(rest).unwrap_or(0));
}

/// Takes a num; `None` if it is cut off or too large.
#[inline]
pub fn take_num(src: &mut &[u8]) -> Option<u64> {
    let (number, rest) = split_num(src)?;
    *src = rest;
    Some(number)
}

/// The num that `src` begins with, and the bytes behind it. Returned by value, so that callers that
/// take several nums keep them in registers.
#[inline(always)]
fn split_num(src: &[u8]) -> Option<(u64, &[u8])> {
    let (&first, rest) = src.split_first()?;
    let first = u64::from(first);
    if first < LONG {
        Some((first, rest))
    } else {
        split_long_num(first, rest)
    }
}

/// [`split_num`] for a num that begins with this byte, at least [`LONG`].
#[inline(never)]
fn split_long_num(first: u64, mut rest: &[u8]) -> Option<(u64, &[u8])> {
    if first < 0xff {
        let (&second, rest) = rest.split_first()?;
        return Some((LONG + ((first - LONG) << 8) + u64::from(second), rest));
    }
    let mut number = 0_u64;
    for shift in (0..63).step_by(7) {
        let byte = take_byte(&mut rest)?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number
                .checked_add(HUGE)
                .filter(|&n| n < 1 << 63)
                .map(|number| (number, rest));
        }
    }
    None
}

/// 0, -1, 1, -2, 2 ... as 0, 1, 2, 3, 4 ...: an snum as a num.
#[inline]
pub(crate) fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

/// Undoes [`zigzag`].
#[inline]
pub(crate) fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

/// A place in a block, or a count of things in it.
#[expect(clippy::cast_possible_truncation, reason = "a block is below 4 GiB")]
pub(crate) fn at32(at: usize) -> u32 {
    at as u32
}

/// Takes one byte.
#[inline]
pub fn take_byte(src: &mut &[u8]) -> Option<u8> {
    let (&byte, rest) = src.split_first()?;
    *src = rest;
    Some(byte)
}

/// Takes `len` bytes.
pub fn take_slice<'a>(src: &mut &'a [u8], len: u64) -> Option<&'a [u8]> {
    let (taken, rest) = src.split_at_checked(usize::try_from(len).ok()?)?;
    *src = rest;
    Some(taken)
}

/// Takes a CRC-32.
pub(crate) fn take_crc(src: &mut &[u8]) -> Option<u32> {
    let (&sum, rest) = src.split_first_chunk()?;
    *src = rest;
    Some(u32::from_le_bytes(sum))
}

/// Appends a str.
pub fn put_str(out: &mut Vec<u8>, bytes: &[u8]) {
    put_num(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Takes a str.
pub fn take_str<'a>(src: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = take_num(src)?;
    take_slice(src, len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nums_of_the_spec() {
        let pairs: [(u64, &[u8]); 8] = [
            (0, &[0]),
            (239, &[0xef]),
            (240, &[0xf0, 0]),
            (4079, &[0xfe, 0xff]),
            (4080, &[0xff, 0]),
            (4208, &[0xff, 0x80, 0x01]),
            (495, &[0xf0, 0xff]),
            (496, &[0xf1, 0]),
        ];
        for (number, bytes) in pairs {
            let mut out = Vec::new();
            put_num(&mut out, number);
            assert_eq!(out, bytes, "{number}");
            let mut src = bytes;
            assert_eq!(take_num(&mut src), Some(number));
            assert!(src.is_empty());
            assert_eq!(take_num(&mut &bytes[..bytes.len() - 1]), None);
        }
        let mut out = Vec::new();
        put_num(&mut out, (1 << 63) - 1);
        assert_eq!(take_num(&mut out.as_slice()), Some((1 << 63) - 1));
        assert_eq!(take_num(&mut [0xff; 12].as_slice()), None);
    }

    #[test]
    fn snums() {
        for n in [0, -1, 1, -2, 2, 119, -120, i64::MAX / 2, i64::MIN / 2] {
            assert_eq!(unzigzag(zigzag(n)), n);
        }
        assert_eq!([0, -1, 1, -2, 2].map(zigzag), [0, 1, 2, 3, 4]);
    }
}
