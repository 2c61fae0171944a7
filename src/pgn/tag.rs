//! Tag pairs in text (PGN 1994 8.1), as the splitter and the reader both see them.
//!
//! One definition, with a bounded look-ahead, so that where a game ends never depends on how the
//! source was read.

use std::borrow::Cow;
use std::ops::Range;

use super::blanks::{More, past_blanks, trim_end};
pub use super::blanks::{is_all_blank, is_blank_char, is_newline, is_space};
use super::chunks::byte_table;
use super::words::{below, equal, letters, others, until};

/// The most bytes in a tag pair, brackets included; anything longer is not a tag pair.
pub(crate) const TAG_WINDOW: usize = 65_536;

/// The byte order mark of UTF-8, which may stand before everything.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// The most white space between two tokens of a tag pair.
const MAX_BLANKS: usize = 64;

/// The most blanks between the beginning of a line and a tag pair without quotes.
pub(super) const MAX_INDENT: usize = 64;

/// The standard's limit for symbols.
const MAX_NAME: usize = 255;

/// The answer of a bounded look-ahead: the thing looked for, if it is there.
pub(crate) type Scan<T> = Result<Option<T>, More>;

/// Where the parts of a tag pair stand; offsets into the bytes that were scanned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TagPair {
    /// The name.
    pub name: Range<usize>,
    /// The value, still with its backslashes.
    pub value: Range<usize>,
    /// One past the last byte of the tag pair.
    pub end: usize,
    /// Quoted, closed and bracketed as the standard says (inner quotes and blanks aside).
    pub quoted: bool,
}

/// The length of the blanks at the beginning of a game, and of `> ` before its first tag pair.
pub fn leading(text: &[u8]) -> usize {
    let blanks = past_blanks(text, 0, usize::MAX, false, true).unwrap_or(0);
    in_mail(text, blanks, true).ok().flatten().unwrap_or(blanks)
}

const fn is_name(byte: u8) -> bool {
    byte > b' '
        && byte != 0x7f
        && !matches!(
            byte,
            b'"' | b'[' | b']' | b'{' | b'}' | b'(' | b')' | b';' | b'%'
        )
}

/// Whether a tag that is read can have this name, though it may not have the form of the standard.
pub fn is_tag(name: &[u8]) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && name.iter().all(|&byte| is_name(byte))
}

const NAME: u8 = 1;
const VALUE: u8 = 2;

/// Whether a byte continues a name, or a value. A table, because a third of the bytes that are
/// examined one by one are in tags.
static GOES_ON: [u8; 256] = byte_table!(byte => {
    let in_name = if is_name(byte) { NAME } else { 0 };
    match byte {
        b'\\' | b'"' | b'\n' | b'\r' => in_name,
        _ => in_name | VALUE,
    }
});

/// The number of bytes that continue a name or a value, whichever `with` says.
#[inline]
fn run(bytes: &[u8], with: u8) -> usize {
    bytes
        .iter()
        .position(|&b| GOES_ON[usize::from(b)] & with == 0)
        .unwrap_or(bytes.len())
}

/// Skips blanks; `None` when there are more than is allowed.
fn blanks(window: &[u8], from: usize, on_line: bool, complete: bool) -> Scan<usize> {
    let end = past_blanks(window, from, MAX_BLANKS, on_line, complete)?;
    Ok(Some(end).filter(|end| end - from <= MAX_BLANKS))
}

/// The bytes in which a tag pair at `at` must end.
#[inline]
fn window(bytes: &[u8], at: usize) -> &[u8] {
    let end = bytes.len().min(at.saturating_add(TAG_WINDOW));
    bytes.get(at..end).unwrap_or_default()
}

/// Looks for a tag pair at `bytes[at]`. `eof`: nothing follows `bytes`. A value without quotes
/// counts only where `line_start` says that the bracket is the first thing on its line.
pub(crate) fn tag_pair(bytes: &[u8], at: usize, line_start: bool, eof: bool) -> Scan<TagPair> {
    match search(bytes, at, line_start, eof) {
        Err(More) if has_window(bytes, at, eof) => Ok(None),
        found => found,
    }
}

/// Whether all bytes in which a tag pair at `at` must end are there.
pub(super) fn has_window(bytes: &[u8], at: usize, eof: bool) -> bool {
    eof || window(bytes, at).len() == TAG_WINDOW
}

/// As [`tag_pair`], but [`More`] also where the window ends in a quoted value.
pub(super) fn search(bytes: &[u8], at: usize, line_start: bool, eof: bool) -> Scan<TagPair> {
    if let Some(pair) = plain_pair(bytes, at) {
        return Ok(Some(pair));
    }
    let complete = has_window(bytes, at, eof);
    let found = scan(window(bytes, at), line_start, complete)?;
    Ok(found.map(|pair| TagPair {
        name: pair.name.start + at..pair.name.end + at,
        value: pair.value.start + at..pair.value.end + at,
        end: pair.end + at,
        quoted: pair.quoted,
    }))
}

/// Where a tag pair stands behind `>`, as in quoted mail; one whose value is quoted.
pub(super) fn in_mail(bytes: &[u8], at: usize, eof: bool) -> Scan<usize> {
    let is_quote = |byte: &&u8| matches!(byte, b'>' | b' ' | b'\t');
    let most = 1 + MAX_INDENT;
    let quotes = bytes[at..].iter().take(most).take_while(is_quote).count();
    match bytes.get(at + quotes) {
        _ if quotes == 0 || bytes[at] != b'>' => Ok(None),
        None if !eof => Err(More),
        Some(b'[') => Ok(tag_pair(bytes, at + quotes, false, eof)?.map(|_| at + quotes)),
        _ => Ok(None),
    }
}

/// A bit for the name of a tag, to tell most names apart at once. The factors were searched, so that
/// the names of one usual program seldom share a bit.
#[inline]
pub fn name_bit(name: &[u8]) -> u64 {
    let byte = |at: usize| name.get(at).map_or(0, |&byte| usize::from(byte));
    let (middle, last) = (byte(name.len() / 2), byte(name.len().wrapping_sub(1)));
    1 << ((19 * name.len() + 47 * byte(0) + 29 * last + 18 * middle) % 64)
}

/// The lengths of name and value of [`plain_pair`].
#[inline]
fn plain(window: &[u8]) -> Option<(usize, usize)> {
    let name = window.strip_prefix(b"[")?;
    let len = until(name, |word| others(letters(word)));
    if len == 0 || len > MAX_NAME {
        return None;
    }
    let value = name[len..].strip_prefix(b" \"")?;
    // The line ends are below 0x0e.
    let value_len = until(value, |word| {
        equal(word, 0, b'"') | equal(word, 0, b'\\') | below(word, 0x0e)
    });
    value[value_len..]
        .starts_with(b"\"]")
        .then_some((len, value_len))
}

/// The tag pair `[Name "value"]` at `bytes[at]`, if nothing in it needs a closer look, as in nearly
/// all tag pairs. `None`: there may still be a tag pair.
#[inline]
pub(super) fn plain_pair(bytes: &[u8], at: usize) -> Option<TagPair> {
    let (name, value) = plain(window(bytes, at))?;
    let name = at + 1..at + 1 + name;
    let value = name.end + 2..name.end + 2 + value;
    Some(TagPair {
        end: value.end + 2,
        name,
        value,
        quoted: true,
    })
}

fn scan(window: &[u8], line_start: bool, complete: bool) -> Scan<TagPair> {
    if *window.first().ok_or(More)? != b'[' {
        return Ok(None);
    }
    let Some(name_at) = blanks(window, 1, false, complete)? else {
        return Ok(None);
    };
    let most = window.len().min(name_at + MAX_NAME + 1);
    let name_len = run(&window[name_at..most], NAME);
    let name_end = name_at + name_len;
    match name_len {
        _ if name_len > MAX_NAME => return Ok(None),
        _ if name_end == window.len() => return Err(More),
        0 => return Ok(None),
        _ => {}
    }
    // Blanks at its end are no part of a name.
    let name_end = name_at + trim_end(&window[name_at..name_end]).len();
    let Some(value_at) = blanks(window, name_end, false, complete)? else {
        return Ok(None);
    };
    match window.get(value_at) {
        None => Err(More),
        Some(b'"') => quoted(window, name_at..name_end, value_at + 1, complete),
        Some(_) if window[name_end..value_at].iter().any(|&b| is_newline(b)) => Ok(None),
        Some(_) if value_at > name_end && window[name_at].is_ascii_uppercase() => {
            match words(window, name_at, value_at, complete)? {
                None if line_start => bare(window, name_at..name_end, value_at, complete),
                found => Ok(found),
            }
        }
        Some(_) => Ok(None),
    }
}

/// `[White ACPL "252"]`: more words before a quoted value are a part of the name, which so is none
/// that anybody understands. The second word is at `word_at`.
fn words(window: &[u8], name_at: usize, word_at: usize, complete: bool) -> Scan<TagPair> {
    let mut at = word_at;
    loop {
        let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let rest = window[at..].iter().take(MAX_NAME + 1);
        let end = at + rest.take_while(is_word).count();
        if end == at || end - name_at > MAX_NAME {
            return Ok(None);
        }
        let Some(next) = blanks(window, end, true, complete)? else {
            return Ok(None);
        };
        match window.get(next) {
            Some(b'"') => {
                let pair = quoted(window, name_at..end, next + 1, complete)?;
                let odd = |pair| TagPair {
                    quoted: false,
                    ..pair
                };
                return Ok(pair.filter(|pair| pair.quoted).map(odd));
            }
            Some(_) if next > end => at = next,
            _ => return Ok(None),
        }
    }
}

/// The value ends at the first quote, not behind a backslash, that a bracket follows. A line
/// without one ends the tag pair at its last bracket, or where the line ends.
fn quoted(window: &[u8], name: Range<usize>, value_at: usize, complete: bool) -> Scan<TagPair> {
    let mut i = value_at;
    loop {
        i += run(window.get(i..).unwrap_or_default(), VALUE);
        let Some(&byte) = window.get(i) else { break };
        match byte {
            b'\\' if window.get(i + 1).is_some_and(|&b| !is_newline(b)) => i += 1,
            b'"' => match blanks(window, i + 1, false, complete)? {
                Some(close) if window.get(close) == Some(&b']') => {
                    return Ok(Some(TagPair {
                        name,
                        value: value_at..i,
                        end: close + 1,
                        quoted: true,
                    }));
                }
                _ => {}
            },
            b'\n' | b'\r' => return Ok(Some(loose(window, name, value_at, i))),
            _ => {}
        }
        i += 1;
    }
    if complete && window.len() < TAG_WINDOW {
        Ok(Some(loose(window, name, value_at, window.len())))
    } else {
        Err(More)
    }
}

/// The tag pair of a line without a proper end: the value goes up to the last bracket, without the
/// quote before that.
fn loose(window: &[u8], name: Range<usize>, value_at: usize, line_end: usize) -> TagPair {
    let line = &window[value_at..line_end];
    let (mut len, end) = match line.iter().rposition(|&b| b == b']') {
        Some(i) => (i, value_at + i + 1),
        None => (line.len(), line_end),
    };
    len = trim_end(&line[..len]).len();
    // Without a bracket the blanks at the line end are not part of the tag pair.
    let end = if end == line_end && line.last() != Some(&b']') {
        value_at + len
    } else {
        end
    };
    len -= match line[..len].last() {
        Some(b'"') => 1,
        _ => closing_quote(&line[..len], false),
    };
    TagPair {
        name,
        value: value_at..value_at + len,
        end,
        quoted: false,
    }
}

/// `[Event Some place]`: the bracket must be the last thing on the line.
fn bare(window: &[u8], name: Range<usize>, value_at: usize, complete: bool) -> Scan<TagPair> {
    let line_end = match memchr::memchr2(b'\n', b'\r', &window[value_at..]) {
        Some(n) => value_at + n,
        None if window.len() == TAG_WINDOW => return Ok(None),
        None if complete => window.len(),
        None => return Err(More),
    };
    let line = trim_end(&window[value_at..line_end]);
    Ok(line.strip_suffix(b"]").map(|value| {
        let value = trim_end(value);
        let quotes = typographic(value);
        TagPair {
            name,
            value: value_at + quotes.start..value_at + quotes.end,
            end: value_at + line.len(),
            quoted: false,
        }
    }))
}

/// The quotes of typographers, which a word processor puts in the place of `"`.
const QUOTES: [&str; 16] = [
    "\u{201c}", "\u{201d}", "\u{201e}", "\u{201f}", "\u{2018}", "\u{2019}", "\u{201a}", "\u{201b}",
    "\u{ab}", "\u{bb}", "\u{2039}", "\u{203a}", "\u{2033}", "\u{ff02}", "'", "`",
];

/// These quotes in Windows-1252, where they are no UTF-8.
const ANSI_QUOTES: &[u8] = b"\x82\x84\x91\x92\x93\x94\xab\xbb";

/// The length of the quote at the end of a value; `ansi`: the value is in Windows-1252.
fn closing_quote(value: &[u8], ansi: bool) -> usize {
    match value.last() {
        Some(last) if ansi => usize::from(ANSI_QUOTES.contains(last) || *last == b'"'),
        Some(b'"') => 1,
        _ => { QUOTES.iter() }
            .find(|quote| value.ends_with(quote.as_bytes()))
            .map_or(0, |quote| quote.len()),
    }
}

/// The part of a bare value that stands between the quotes of typographers, if it has them.
fn typographic(value: &[u8]) -> Range<usize> {
    let opening = QUOTES
        .iter()
        .find(|quote| value.starts_with(quote.as_bytes()));
    let (begin, ansi) = match (opening, value.first()) {
        (Some(quote), _) => (quote.len(), false),
        (None, Some(first)) if ANSI_QUOTES.contains(first) => (1, true),
        _ => return 0..value.len(),
    };
    match closing_quote(&value[begin..], ansi) {
        0 => 0..value.len(),
        len => begin..value.len() - len,
    }
}

/// Undoes `\"` and `\\` (PGN 1994 7); any other backslash stands for itself.
pub fn unescape(raw: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', raw).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut value = Vec::with_capacity(raw.len());
    let mut bytes = raw.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match bytes.peek() {
            Some(&next @ (b'"' | b'\\')) if byte == b'\\' => {
                value.push(next);
                bytes.next();
            }
            _ => value.push(byte),
        }
    }
    Cow::Owned(value)
}

/// Appends a tag pair as export format has it (PGN 1994 8.1).
pub fn put_tag_pair(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    out.push(b'[');
    out.extend_from_slice(name);
    out.extend_from_slice(b" \"");
    put_escaped(out, value);
    out.extend_from_slice(b"\"]");
}

/// Appends a value with a backslash before each quote and backslash (PGN 1994 7).
pub fn put_escaped(out: &mut Vec<u8>, value: &[u8]) {
    if memchr::memchr2(b'"', b'\\', value).is_none() {
        out.extend_from_slice(value);
        return;
    }
    for &byte in value {
        if matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Option<(&str, &str, &str)> {
        let t = tag_pair(text.as_bytes(), 0, true, true).ok()??;
        Some((&text[t.name], &text[t.value], &text[t.end..]))
    }

    #[test]
    fn forms() {
        assert_eq!(parts("[Event \"x\"]\n"), Some(("Event", "x", "\n")));
        assert_eq!(
            parts("[ Event\n\"x\" ] [A \"b\"]"),
            Some(("Event", "x", " [A \"b\"]"))
        );
        assert_eq!(
            parts("[A \"a \\\" b\\\\\"]z"),
            Some(("A", "a \\\" b\\\\", "z"))
        );
        assert_eq!(
            parts("[A \"The \"Big\" One\"]\n"),
            Some(("A", "The \"Big\" One", "\n"))
        );
        assert_eq!(
            parts("[Site \"{* England\"]x"),
            Some(("Site", "{* England", "x"))
        );
        assert_eq!(parts("[A \"x]  \ny"), Some(("A", "x", "  \ny")));
        assert_eq!(parts("[A \"x\" \ny"), Some(("A", "x", " \ny")));
        assert_eq!(parts("[A \"C:\\\"]\ny"), Some(("A", "C:\\", "\ny")));
        assert_eq!(
            parts("[Event some place] \nz"),
            Some(("Event", "some place", " \nz"))
        );
        // More words before a quoted value are a part of the name.
        assert_eq!(
            parts("[White ACPL \"252\"]\n"),
            Some(("White ACPL", "252", "\n"))
        );
        assert_eq!(
            parts("[FEN Source 2 \"a \"b\" c\"] [A \"b\"]"),
            Some(("FEN Source 2", "a \"b\" c", " [A \"b\"]"))
        );
        for (text, value) in [
            ("[White a.b \"c\"]", "a.b \"c\""),
            ("[White a \"c\" d]", "a \"c\" d"),
            ("[White a \"c\\\"]", "a \"c\\\""),
        ] {
            assert_eq!(parts(text), Some(("White", value, "")));
        }
        // Blanks of Unicode stand where blanks may stand, and in a name only between letters.
        assert_eq!(
            parts("[\u{feff}Ev\u{200b}ent\u{3000}\"x\"\0]\n"),
            Some(("Ev\u{200b}ent", "x", "\n"))
        );
        assert_eq!(
            parts("[Event some place\u{a0}]\u{ad} \nz"),
            Some(("Event", "some place", "\u{ad} \nz"))
        );
        for quoted in [
            "\u{201c}x y\u{201d}",
            "\u{201e}x y\u{201c}",
            "\u{ab}x y\u{bb}",
            "'x y'",
            "\u{201c}x y\"",
            "\"x y\u{201d}",
        ] {
            let text = format!("[Event {quoted}]");
            assert_eq!(parts(&text), Some(("Event", "x y", "")), "{quoted}");
        }
        for bare in ["'s x", "x'", "\u{201c}", "\u{201c}a\u{201d} b"] {
            let text = format!("[Event {bare}]");
            assert_eq!(parts(&text), Some(("Event", bare, "")), "{bare}");
        }
        let ansi = tag_pair(b"[Event \x93x\x94]", 0, true, true);
        assert_eq!(ansi.map(|pair| pair.unwrap().value), Ok(8..9));
        assert_eq!(parts("[%clk 0:01:00]"), None);
        assert_eq!(parts("[event some place]"), None);
        assert_eq!(parts("[Event]"), None);
    }

    #[test]
    fn every_prefix_asks_for_more_or_tells_the_same() {
        for text in [
            "[Event \"x\"]\n",
            "[ A \"a\\\"b\" \n ]\n",
            "[Event some place]\n",
            "[A \"x\n",
            "[A b\n",
            "[\u{feff}A\u{2003} \u{3000}\"x\"\u{e0001}]\n",
            "[A b_c \"x \"y\"]\n",
            "[A b \"x\n",
            "[A\u{ad}\u{3000}b]\u{200b}\n",
        ] {
            let all = tag_pair(text.as_bytes(), 0, true, false);
            for end in 0..text.len() {
                let part = tag_pair(&text.as_bytes()[..end], 0, true, false);
                assert!(
                    part == Err(More) || part == all,
                    "{text:?} cut at {end}: {part:?}, {all:?}"
                );
            }
        }
    }

    #[test]
    fn escapes_undo_what_was_put() {
        for value in ["", "a", "\"", "\\", "a\"b\\c\\\\\"", "\\n"] {
            let mut out = Vec::new();
            put_tag_pair(&mut out, b"A", value.as_bytes());
            let t = tag_pair(&out, 0, true, true).unwrap().unwrap();
            assert_eq!(&*unescape(&out[t.value]), value.as_bytes());
        }
    }
}
