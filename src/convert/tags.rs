//! Tag values: what a record can hold of them, and how the true value comes back (D6; spec/extension.md section 7).

use std::borrow::Cow;

/// Longest name and value of a tag pair record.
pub(super) const MAX_VALUE: usize = 255;

/// A tag pair record can have this name.
#[must_use]
pub(super) fn is_record_name(name: &[u8]) -> bool {
    (1..=MAX_VALUE).contains(&name.len()) && name.iter().all(|&b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The value of the record for a tag of this true value: Latin-1, no controls, at most 255 bytes.
#[must_use]
pub(super) fn record_value(value: &[u8]) -> Cow<'_, [u8]> {
    if value.len() <= MAX_VALUE && value.iter().all(|b| (b' '..=b'~').contains(b)) {
        return Cow::Borrowed(value);
    }
    let mut latin: Vec<u8> = match std::str::from_utf8(value) {
        Ok(text) => text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect(),
        Err(_) => value.to_vec(),
    };
    for byte in &mut latin {
        if is_control(*byte) {
            *byte = b'?';
        }
    }
    latin.truncate(MAX_VALUE);
    Cow::Owned(latin)
}

fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=0x1f | 0x7f..=0x9f)
}

/// What a reader takes the true value to be.
#[must_use]
pub(super) fn guess_value(record: &[u8], utf8: bool) -> Cow<'_, [u8]> {
    if !utf8 || record.is_ascii() {
        return Cow::Borrowed(record);
    }
    Cow::Owned(record.iter().map(|&b| char::from(b)).collect::<String>().into_bytes())
}

/// The terminator that a Result value stands for (0: none).
#[must_use]
pub(super) fn terminator_of(result: &[u8]) -> u8 {
    match result {
        b"1-0" => 1,
        b"0-1" => 2,
        b"1/2-1/2" => 3,
        b"*" => 4,
        _ => 0,
    }
}

/// How a terminator is spelled.
#[must_use]
pub(super) fn terminator_text(number: u8) -> &'static [u8] {
    match number {
        1 => b"1-0",
        2 => b"0-1",
        3 => b"1/2-1/2",
        4 => b"*",
        _ => b"",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        assert_eq!(&*record_value(b"Tal"), b"Tal");
        assert_eq!(&*record_value("J\u{f6}rg".as_bytes()), b"J\xf6rg");
        assert_eq!(&*record_value(b"J\xf6rg"), b"J\xf6rg");
        assert_eq!(&*record_value("\u{141}\u{f3}d\u{17a}".as_bytes()), b"?\xf3d?");
        assert_eq!(&*record_value(b"a\tb\x7f\xc2\x85"), b"a?b??");
        assert_eq!(record_value(&[b'x'; 300]).len(), 255);
        assert_eq!(&*guess_value(b"J\xf6rg", true), "J\u{f6}rg".as_bytes());
        assert_eq!(&*guess_value(b"J\xf6rg", false), b"J\xf6rg");
    }
}
