//! Text whose encoding nobody states: UTF-8 if it is valid as such, else Latin-1 (D6).

use std::borrow::Cow;

use crate::blanks::is_unseen;

/// A text to be written, and its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text<'a> {
    /// Bytes of Latin-1, as in all records of the standard.
    Latin1(&'a [u8]),
    /// Any characters.
    Utf8(&'a str),
}

impl<'a> Text<'a> {
    /// UTF-8 if the bytes are valid as such, else Latin-1.
    pub fn from_bytes(bytes: &'a [u8]) -> Text<'a> {
        std::str::from_utf8(bytes).map_or(Text::Latin1(bytes), Text::Utf8)
    }

    /// The bytes, as they stand in the source.
    pub fn bytes(&self) -> &'a [u8] {
        match self {
            Text::Latin1(bytes) => bytes,
            Text::Utf8(text) => text.as_bytes(),
        }
    }

    /// Passes each character to `f`.
    pub fn each_char(self, mut f: impl FnMut(char)) {
        match self {
            Text::Latin1(bytes) => bytes.iter().for_each(|&b| f(char::from(b))),
            Text::Utf8(text) => text.chars().for_each(f),
        }
    }

    /// The text as a string.
    pub fn decoded(self) -> Cow<'a, str> {
        match self {
            Text::Latin1(bytes) => bytes.iter().map(|&b| char::from(b)).collect(),
            Text::Utf8(text) => Cow::Borrowed(text),
        }
    }
}

impl<'a> From<&'a [u8]> for Text<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Text::Latin1(bytes)
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Text::Utf8(text)
    }
}

/// Whether a character could deceive a reader where it is shown: it controls a terminal, is
/// invisible, or changes the direction of text (D58).
pub fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// These bytes as a string: UTF-8 if they are valid as such, else Latin-1.
pub fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    Text::from_bytes(bytes).decoded()
}

/// The bytes of [`decoded`], cut behind a whole character to at most `most` bytes.
pub fn decoded_up_to(bytes: &[u8], most: usize) -> Cow<'_, [u8]> {
    if bytes.is_ascii() {
        return Cow::Borrowed(&bytes[..bytes.len().min(most)]);
    }
    let text = decoded(bytes);
    let end = text.floor_char_boundary(most);
    match in_utf8(text) {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..end]),
        Cow::Owned(mut bytes) => {
            bytes.truncate(end);
            Cow::Owned(bytes)
        }
    }
}

/// Latin-1 as UTF-8.
pub fn from_latin1(bytes: &[u8]) -> Cow<'_, [u8]> {
    if bytes.is_ascii() {
        Cow::Borrowed(bytes)
    } else {
        in_utf8(Text::Latin1(bytes).decoded())
    }
}

/// The bytes of a text.
pub fn in_utf8(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// The encoding of what is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Latin-1 (PGN 1994 4.1). Of what it does not have, blanks become spaces, what is not seen is
    /// left out, and the rest is written as `?`.
    #[default]
    Latin1,
    /// UTF-8, which most programs read today.
    Utf8,
}

impl Encoding {
    pub(super) fn put(self, out: &mut Vec<u8>, c: char) {
        let Some(c) = self.written(c) else { return };
        match self {
            Encoding::Latin1 => out.push(u8::try_from(c).unwrap_or(b'?')),
            Encoding::Utf8 => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }

    /// The character that is written for this one; `None`: nothing.
    pub(super) fn written(self, c: char) -> Option<char> {
        match self {
            Encoding::Latin1 if c > '\u{ff}' && c.is_whitespace() => Some(' '),
            Encoding::Latin1 if c > '\u{ff}' && is_unseen(c) => None,
            _ => Some(c),
        }
    }

    /// Printing columns of text in this encoding.
    pub(super) fn columns(self, text: &[u8]) -> usize {
        match self {
            Encoding::Latin1 => text.len(),
            Encoding::Utf8 => text.iter().filter(|&b| b & 0xc0 != 0x80).count(),
        }
    }
}

/// Replaces a control character, of ASCII or of Latin-1 (0x80 to 0x9f): PGN has none (PGN 1994
/// 4.1).
pub(super) fn without_controls(c: char) -> char {
    if c.is_control() { '?' } else { c }
}
