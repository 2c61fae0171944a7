//! Values of properties: escapes, soft line breaks, composed values.

use std::borrow::Cow;

use pgc_pgn::text::decoded;

/// Appends `NAME[text]` with the escapes of the text.
pub(super) fn put_property(out: &mut Vec<u8>, name: &str, text: &str) {
    out.extend_from_slice(name.as_bytes());
    out.push(b'[');
    put_escaped(out, text, false);
    out.push(b']');
}

/// Appends a property with these texts as values, if there are any; one blank between words: white
/// space in a comment of PGN has no other meaning.
pub(super) fn put_list(out: &mut Vec<u8>, name: &str, texts: &[Cow<'_, str>]) {
    if !texts.is_empty() {
        out.extend_from_slice(name.as_bytes());
    }
    for text in texts {
        out.push(b'[');
        for (at, word) in text.split_whitespace().enumerate() {
            if at > 0 {
                out.push(b' ');
            }
            put_escaped(out, word, false);
        }
        out.push(b']');
    }
}

/// Appends `[first:second]` with their escapes.
pub(super) fn put_composed(out: &mut Vec<u8>, first: &str, second: &str) {
    out.push(b'[');
    put_escaped(out, first, true);
    out.push(b':');
    put_escaped(out, second, true);
    out.push(b']');
}

fn put_escaped(out: &mut Vec<u8>, text: &str, is_part: bool) {
    for byte in text.bytes() {
        if matches!(byte, b']' | b'\\') || (is_part && byte == b':') {
            out.push(b'\\');
        }
        out.push(byte);
    }
}

/// The text of a value: a backslash removes a line break that follows; before another character,
/// only the backslash is removed. Line breaks become `\n`, other white space becomes blanks.
pub(super) fn text_of(raw: &[u8]) -> String {
    let raw = decoded(raw);
    let mut text = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        let is_escaped = c == '\\';
        let c = if is_escaped { chars.next() } else { Some(c) };
        let Some(c) = c else { break };
        match c {
            '\n' | '\r' => {
                // LF CR and CR LF are one line break.
                let other = if c == '\n' { '\r' } else { '\n' };
                chars.next_if_eq(&other);
                if !is_escaped {
                    text.push('\n');
                }
            }
            '\t' | '\u{b}' | '\u{c}' => text.push(' '),
            c => text.push(c),
        }
    }
    text
}

/// The two parts of a composed value, as they are written.
pub(super) fn parts(raw: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut is_escaped = false;
    let colon = raw.iter().position(|&byte| {
        let found = byte == b':' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        found
    })?;
    Some((&raw[..colon], &raw[colon + 1..]))
}

/// The length of a value up to its closing bracket; `None` if there is none.
pub(super) fn value_len(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b']', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b']' {
            return Some(at);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_soft_line_breaks() {
        for (raw, text) in [
            ("a\\]b\\\\c", "a]b\\c"),
            ("soft\\\nbreak, soft\\\r\nagain", "softbreak, softagain"),
            ("hard\r\nbreak\ttab", "hard\nbreak tab"),
            ("\\a\\:\\", "a:"),
        ] {
            assert_eq!(text_of(raw.as_bytes()), text, "{raw}");
        }
        let mut out = Vec::new();
        put_property(&mut out, "N", "a]b\\c:d");
        put_composed(&mut out, "x:y", "z]");
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "N[a\\]b\\\\c:d][x\\:y:z\\]]"
        );
        assert_eq!(parts(b"x\\:y:z:"), Some((&b"x\\:y"[..], &b"z:"[..])));
        assert_eq!(parts(b"x\\:y"), None);
        assert_eq!(value_len(b"a\\]b]c"), Some(4));
        assert_eq!(value_len(b"a\\]"), None);
        assert_eq!(value_len(b"a\\"), None);
    }
}
