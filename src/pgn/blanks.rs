//! Characters that separate tokens as white space does, though they are none in ASCII
//! (spec/pgn-import.md): the white space of Unicode, and what is shown as nothing.
//!
//! Byte order marks of joined files, no-break spaces of web pages, ends of DOS files.

/// More bytes are needed to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct More;

/// White space of PGN (4.1, 7): blank, both tabs, the newline characters; form feed too.
pub const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// LF and CR.
pub fn is_newline(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Whether a character is a blank: white space, or shown as nothing.
pub fn is_blank_char(c: char) -> bool {
    c.is_whitespace() || is_unseen(c)
}

/// Whether a character is shown as nothing: the property `Default_Ignorable_Code_Point` of Unicode
/// 16, NUL, and the end of a DOS file. Between two parts of a token it separates nothing.
pub(crate) fn is_unseen(c: char) -> bool {
    matches!(c, '\0' | '\u{1a}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The character at the beginning of `text`, and its length, if it is whole in UTF-8. The no-break
/// space of Latin-1 is one too.
pub(super) fn first_char(text: &[u8]) -> Option<(char, usize)> {
    let valid = |len: usize| std::str::from_utf8(text.get(..len)?).ok()?.chars().next();
    match text.first()? {
        0xa0 => Some(('\u{a0}', 1)),
        _ => (1..=4).find_map(|len| Some((valid(len)?, len))),
    }
}

/// The length of the blank at the beginning of `text`; 0: there is none.
#[inline]
pub(super) fn blank_at(text: &[u8]) -> usize {
    match text.first() {
        Some(&byte) if is_space(byte) => 1,
        Some(0 | 0x1a | 0x80..) => odd_blank(text, is_blank_char),
        _ => 0,
    }
}

#[cold]
fn odd_blank(text: &[u8], is: impl Fn(char) -> bool) -> usize {
    first_char(text).map_or(0, |(c, len)| if is(c) { len } else { 0 })
}

/// The length of the characters at the beginning of `text` that are shown as nothing.
pub(super) fn unseen_len(text: &[u8]) -> usize {
    let mut len = 0;
    while let Some(0 | 0x1a | 0x80..) = text.get(len) {
        match odd_blank(&text[len..], is_unseen) {
            0 => break,
            n => len += n,
        }
    }
    len
}

/// The length of the blank at the end of `text`; 0: there is none.
pub(super) fn blank_before(text: &[u8]) -> usize {
    match text.last() {
        Some(&byte) if is_space(byte) => 1,
        Some(0 | 0x1a | 0x80..) => {
            let whole = |len: usize| {
                let last = std::str::from_utf8(&text[text.len() - len..]).ok()?;
                Some((last.chars().next()?, len))
            };
            match (1..=4.min(text.len())).find_map(whole) {
                Some((c, len)) if is_blank_char(c) => len,
                // The no-break space of Latin-1.
                None if text.ends_with(b"\xa0") => 1,
                _ => 0,
            }
        }
        _ => 0,
    }
}

/// Whether there are only blanks. This looks no farther than to the first other character, while
/// looking back from the end takes time at each of many tokens.
pub fn is_all_blank(mut text: &[u8]) -> bool {
    loop {
        match blank_at(text) {
            0 => return text.is_empty(),
            n => text = &text[n..],
        }
    }
}

/// `text` without the blanks at its end.
pub(super) fn trim_end(mut text: &[u8]) -> &[u8] {
    loop {
        match blank_before(text) {
            0 => return text,
            n => text = &text[..text.len() - n],
        }
    }
}

/// Where the blanks behind `at` end; on the same line, if `on_line`. `most`: no more than this
/// number of bytes are looked at, apart from the last blank.
pub(super) fn past_blanks(
    text: &[u8],
    at: usize,
    most: usize,
    on_line: bool,
    eof: bool,
) -> Result<usize, More> {
    let mut end = at;
    while end - at <= most {
        match text.get(end) {
            None => return eof.then_some(end).ok_or(More),
            Some(&byte) if on_line && is_newline(byte) => break,
            Some(&byte) if is_cut(byte, text.len() - end) && !eof => return Err(More),
            Some(_) => match blank_at(&text[end..]) {
                0 => break,
                n => end += n,
            },
        }
    }
    Ok(end)
}

/// Whether a character that begins with this byte may have more bytes than are there.
pub(super) fn is_cut(byte: u8, have: usize) -> bool {
    byte >= 0xc0 && have < 4
}

/// Where the line begins, if at most `most` bytes of blanks stand between and it begins at `start`
/// or later; else some place on the line.
pub(super) fn back_over_blanks(text: &[u8], start: usize, at: usize, most: usize) -> usize {
    let mut begin = at;
    while begin > start && !is_newline(text[begin - 1]) {
        match blank_before(&text[start..begin]) {
            0 => break,
            n if at - (begin - n) > most => break,
            n => begin -= n,
        }
    }
    begin
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each blank is found from both sides, and none in the middle of another character.
    #[test]
    fn both_ends_agree() {
        let mut found = 0;
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            let text = c.to_string();
            let expected = if is_blank_char(c) { text.len() } else { 0 };
            assert_eq!(blank_at(text.as_bytes()), expected, "{c:?}");
            assert_eq!(blank_before(text.as_bytes()), expected, "{c:?}");
            found += usize::from(is_unseen(c));
        }
        // 4,174 characters have the property in Unicode 16.
        assert_eq!(found, 4_174 + 2);
        assert_eq!((blank_at(b"\xa0"), blank_before(b"1\xa0")), (1, 1));
        assert_eq!((blank_at(b"\xa4"), blank_before(b"\xe2\x80\xa0")), (0, 0));
    }
}
