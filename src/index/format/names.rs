//! The values of a table as an index stores them: sorted, in groups, each without the bytes that it
//! shares with the value before (spec/index.md section 4.1).

use super::integers::{put_halves, take_halves};
use super::layout::MAX_VALUE;
use super::lines::shared;

/// Appends a value that follows `before` in its group; the first follows an empty one.
pub(crate) fn put_name(out: &mut Vec<u8>, before: &[u8], value: &[u8]) {
    let shared = shared(before, value);
    put_halves(out, [shared, value.len() - shared]);
    out.extend_from_slice(&value[shared..]);
}

/// Reads a value; `value` is the one before it in its group, or empty. `None` if it is damaged.
pub(crate) fn take_name(src: &mut &[u8], value: &mut Vec<u8>) -> Option<()> {
    let [shared, own] = take_halves(src)?;
    if shared > value.len() || own > MAX_VALUE - shared.min(MAX_VALUE) {
        return None;
    }
    value.truncate(shared);
    value.extend_from_slice(src.get(..own)?);
    *src = &src[own..];
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::integers::{HALF, put_varint};
    use super::*;

    /// The example of spec/index.md section 4.1.
    #[test]
    fn names_of_the_text() {
        let mut out = Vec::new();
        put_name(&mut out, b"", b"Tal, Mikhail");
        put_name(&mut out, b"Tal, Mikhail", b"Talbot");
        assert_eq!(out, *b"\x0cTal, Mikhail\x33bot");
    }

    #[test]
    fn names_come_back() {
        let long = "x".repeat(MAX_VALUE);
        let names = [
            "",
            "a",
            "ab",
            &long,
            &long[..20],
            "xxxxxxxxxxxxxxxy",
            "y",
            "",
        ];
        let (mut out, mut before) = (Vec::new(), "");
        for name in names {
            put_name(&mut out, before.as_bytes(), name.as_bytes());
            before = name;
        }
        let (mut src, mut value) = (out.as_slice(), Vec::new());
        for name in names {
            take_name(&mut src, &mut value).unwrap();
            assert_eq!(value, name.as_bytes());
        }
        assert!(src.is_empty() && take_name(&mut src, &mut value).is_none());
        // More shared bytes than there are, a value that is cut off, and one that is too long.
        assert!(take_name(&mut &[0x10][..], &mut Vec::new()).is_none());
        assert!(take_name(&mut &[0x02, b'a'][..], &mut Vec::new()).is_none());
        let mut too_long = vec![0x0f];
        put_varint(&mut too_long, (MAX_VALUE + 1 - HALF) as u64);
        too_long.extend_from_slice(&[b'x'; MAX_VALUE + 1]);
        assert!(take_name(&mut too_long.as_slice(), &mut Vec::new()).is_none());
    }
}
