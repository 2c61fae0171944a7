//! Tag values: what a record can hold of them, and how the true value comes back (D6;
//! spec/extension.md section 7).

use std::borrow::Cow;

use pgc_pgn::text::from_latin1;
use pgc_pgn::writer::{Termination, is_tag_name};

/// Longest name and value of a tag pair record.
pub(crate) const MAX_VALUE: usize = 255;

/// The length that names and values of nearly all tags do not exceed.
pub(crate) const SHORT: usize = 32;

/// Whether a tag pair record can have this name.
pub fn is_record_name(name: &[u8]) -> bool {
    name.len() <= MAX_VALUE && is_tag_name(name)
}

/// Whether a record holds this value of a source byte for byte: nothing in it is to be unescaped,
/// replaced or guessed.
pub(crate) fn is_plain(raw: &[u8]) -> bool {
    // No early exit, so that the compiler looks at many at a time.
    raw.len() <= MAX_VALUE
        && raw.iter().fold(true, |plain, &b| {
            plain & (b' '..=b'~').contains(&b) & (b != b'\\')
        })
}

/// The part of a true value that a record can hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted<'a> {
    /// Latin-1, no controls, at most 255 bytes.
    pub bytes: Cow<'a, [u8]>,
    /// Has `?` in place of characters that do not fit.
    pub replaced: bool,
    /// The value is longer, and was cut.
    pub cut: bool,
}

/// Makes a true value fit a record.
pub fn fit_value(value: &[u8]) -> Fitted<'_> {
    let mut replaced = false;
    let mut fit = |c: char| match u8::try_from(u32::from(c)) {
        // No control characters.
        Ok(byte @ (0x20..=0x7e | 0xa0..)) => byte,
        _ => {
            replaced = true;
            b'?'
        }
    };
    let is_ascii = |byte: &u8| (b' '..=b'~').contains(byte);
    let (bytes, cut) = if value.len() <= MAX_VALUE && value.iter().all(is_ascii) {
        (Cow::Borrowed(value), false)
    } else if let Ok(text) = std::str::from_utf8(value) {
        let first = text.chars().take(MAX_VALUE);
        (
            first.map(fit).collect(),
            text.chars().nth(MAX_VALUE).is_some(),
        )
    } else {
        let first = value.iter().take(MAX_VALUE);
        let bytes = first.map(|&byte| fit(char::from(byte))).collect();
        (bytes, value.len() > MAX_VALUE)
    };
    Fitted {
        bytes,
        replaced,
        cut,
    }
}

/// The value of the record for a tag of this true value.
pub(crate) fn record_value(value: &[u8]) -> Cow<'_, [u8]> {
    fit_value(value).bytes
}

/// The true value, as a reader guesses it from the record.
pub(crate) fn guess_value(record: &[u8], utf8: bool) -> Cow<'_, [u8]> {
    match utf8 {
        true => from_latin1(record),
        false => Cow::Borrowed(record),
    }
}

/// The number of the terminator that a Result value stands for (0: none).
pub fn terminator_of(result: &[u8]) -> u8 {
    Termination::from_bytes(result).map_or(0, Termination::number)
}

/// How the terminator of a number is spelled.
pub fn terminator_text(number: u32) -> &'static [u8] {
    let number = u8::try_from(number).ok();
    let termination = number.and_then(Termination::from_number);
    termination.map_or("", Termination::as_str).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminators() {
        for (number, text) in [(0, "1/2"), (1, "1-0"), (2, "0-1"), (3, "1/2-1/2"), (4, "*")] {
            assert_eq!(terminator_of(text.as_bytes()), number);
            assert_eq!(
                terminator_text(number.into()),
                if number == 0 { b"" } else { text.as_bytes() }
            );
        }
        assert_eq!(terminator_text(5), b"");
    }

    #[test]
    fn values() {
        assert_eq!(&*record_value(b"Tal"), b"Tal");
        assert_eq!(&*record_value("J\u{f6}rg".as_bytes()), b"J\xf6rg");
        assert_eq!(&*record_value(b"J\xf6rg"), b"J\xf6rg");
        assert_eq!(
            &*record_value("\u{141}\u{f3}d\u{17a}".as_bytes()),
            b"?\xf3d?"
        );
        assert_eq!(&*record_value(b"a\tb\x7f\xc2\x85"), b"a?b??");
        assert_eq!(record_value(&[b'x'; 300]).len(), 255);
        let fitted = |value: &str| {
            let Fitted {
                bytes,
                replaced,
                cut,
            } = fit_value(value.as_bytes());
            (bytes.len(), replaced, cut)
        };
        assert_eq!(fitted("what?"), (5, false, false));
        assert_eq!(fitted(&"\u{f6}".repeat(255)), (255, false, false));
        assert_eq!(fitted(&"\u{f6}".repeat(256)), (255, false, true));
        assert_eq!(fitted("\u{141}"), (1, true, false));
        // What is cut off is not replaced too.
        assert_eq!(fitted(&("x".repeat(255) + "\u{141}")), (255, false, true));
        assert_eq!(&*guess_value(b"J\xf6rg", true), "J\u{f6}rg".as_bytes());
        assert_eq!(&*guess_value(b"J\xf6rg", false), b"J\xf6rg");
    }
}
