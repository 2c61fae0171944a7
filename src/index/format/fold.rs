//! Folds names to a common form without accents and case, so that different spellings match
//! (spec/index.md section 4).

use std::ops::Range;

/// Maximum number of words of a value: the number of a word takes nine bits. Further words are only
/// found as part of the value.
pub(crate) const MAX_WORDS: usize = 512;

/// Replaces `out` by the folded `text`: without accents, in lower case.
pub fn fold(text: &str, out: &mut String) {
    out.clear();
    if text.is_ascii() {
        out.push_str(text);
        out.make_ascii_lowercase();
        return;
    }
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
        } else {
            fold_char(c, out);
        }
    }
}

/// The folded `text`.
pub(crate) fn folded(text: &str) -> String {
    let mut out = String::new();
    fold(text, &mut out);
    out
}

/// Appends the folded form of a character beyond ASCII.
fn fold_char(c: char, out: &mut String) {
    let code = u32::from(c);
    if let 0xac00..=0xd7a3 = code {
        let syllable = code - 0xac00;
        let letters = [
            0x1100 + syllable / 588,
            0x1161 + syllable % 588 / 28,
            0x11a7 + syllable % 28,
        ];
        let count = if syllable % 28 == 0 { 2 } else { 3 };
        out.extend(letters.into_iter().take(count).filter_map(char::from_u32));
        return;
    }
    let at = RANGES.partition_point(|range| range.last < code);
    match RANGES.get(at).filter(|range| range.first <= code) {
        None => out.push(c),
        Some(range) if range.shift != 0 => {
            let shifted = code.checked_add_signed(range.shift);
            out.extend(shifted.and_then(char::from_u32));
        }
        Some(range) => {
            let codes = TABLE[range.codes..].lines().next().unwrap_or_default();
            let codes = codes.split_ascii_whitespace();
            let codes = codes.filter_map(|code| u32::from_str_radix(code, 16).ok());
            out.extend(codes.filter_map(char::from_u32));
        }
    }
}

/// The folded forms of characters beyond ASCII: the table in the specification, which never changes.
/// The Unicode tables of compilers and libraries do change, and an index must be read as it was
/// written.
const TABLE: &str = include_str!("folding.txt");

/// The lines of the table, ascending. The compiler reads them, because a process that folds one name
/// would take longer to read them than to search an index.
static RANGES: [FoldedRange; count()] = ranges();

/// A range of characters that fold in the same way.
#[derive(Clone, Copy)]
struct FoldedRange {
    first: u32,
    last: u32,
    /// The distance from each character to its folded form; if 0, all fold to the same codes.
    shift: i32,
    /// Where these begin in [`TABLE`]; they go on to the end of the line.
    codes: usize,
}

/// The number of lines that are no comments.
const fn count() -> usize {
    let (text, mut at, mut count) = (TABLE.as_bytes(), 0, 0);
    while at < text.len() {
        count += (text[at] != b'#') as usize;
        at = next_line(at);
    }
    count
}

const fn ranges() -> [FoldedRange; count()] {
    let none = FoldedRange {
        first: 0,
        last: 0,
        shift: 0,
        codes: 0,
    };
    let (text, mut at, mut all, mut count) = (TABLE.as_bytes(), 0, [none; count()], 0);
    while at < text.len() {
        if text[at] != b'#' {
            let (first, end) = number(at, 16);
            let (last, end) = match text[end] {
                b'.' => number(end + 2, 16),
                _ => (first, end),
            };
            let (distance, codes) = number(end + 2, 10);
            let shift = match text[end + 1] {
                b'+' => distance.cast_signed(),
                b'-' => -distance.cast_signed(),
                _ => 0,
            };
            all[count] = FoldedRange {
                first,
                last,
                shift,
                codes,
            };
            count += 1;
        }
        at = next_line(at);
    }
    all
}

/// The number that begins at a place of the table, and where it ends.
const fn number(mut at: usize, base: u32) -> (u32, usize) {
    let mut number = 0;
    while let Some(digit) = (TABLE.as_bytes()[at] as char).to_digit(base) {
        number = number * base + digit;
        at += 1;
    }
    (number, at)
}

/// Where the line behind this place begins.
const fn next_line(mut at: usize) -> usize {
    while TABLE.as_bytes()[at] != b'\n' {
        at += 1;
    }
    at + 1
}

/// Whether this byte is a character that separates words.
pub(crate) fn separates(byte: u8) -> bool {
    const SEPARATES: [bool; 256] = {
        let (mut all, mut byte) = ([false; 256], 0_u8);
        while byte.is_ascii() {
            all[byte as usize] = !byte.is_ascii_alphanumeric();
            byte += 1;
        }
        all
    };
    SEPARATES[usize::from(byte)]
}

/// The words of a folded value, at most `MAX_WORDS`.
pub fn words(folded: &str) -> impl Iterator<Item = &str> {
    places_of_words(folded).map(|place| &folded[place])
}

/// The positions of the words of a folded value, at most [`MAX_WORDS`].
pub(crate) fn places_of_words(folded: &str) -> impl Iterator<Item = Range<usize>> {
    let (bytes, mut at) = (folded.as_bytes(), 0);
    let next = move || {
        let from = at + bytes[at..].iter().position(|&byte| !separates(byte))?;
        let len = bytes[from..].iter().position(|&byte| separates(byte));
        at = len.map_or(bytes.len(), |len| from + len);
        Some(from..at)
    };
    std::iter::from_fn(next).take(MAX_WORDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        let mut out = String::from("something else");
        fold(text, &mut out);
        out
    }

    #[test]
    fn folds() {
        for (text, expected) in [
            ("Carlsen, Magnus", "carlsen, magnus"),
            ("\u{c9}v\u{e9}nement", "evenement"),
            ("E\u{301}v", "ev"),
            (
                "Gro\u{df}meister STRASSE \u{1e9e}",
                "grossmeister strasse ss",
            ),
            ("\u{c6}r\u{f8}sk\u{f8}bing \u{d8}", "aeroskobing o"),
            ("\u{141}\u{f3}d\u{17a}", "lodz"),
            ("\u{110}or\u{111}e \u{d0}\u{f0} \u{de}or", "dorde dd thor"),
            (
                "\u{130}stanbul \u{131}\u{11f}d\u{131}r \u{126}",
                "istanbul igdir h",
            ),
            (
                "\u{412}\u{430}\u{441}\u{438}\u{43b}\u{438}\u{439}",
                "\u{432}\u{430}\u{441}\u{438}\u{43b}\u{438}\u{438}",
            ),
            ("\u{3a3}\u{399}\u{3a3}", "\u{3c3}\u{3b9}\u{3c3}"),
            ("\u{fb01}n \u{2460} \u{ff21}\u{a0}b\u{2026}", "fin 1 a b..."),
            ("\u{d55c}", "\u{1112}\u{1161}\u{11ab}"),
            ("O\u{2019}K \u{b4}\u{2bc} \u{201c}x\u{bb}", "o'k '' \"x\""),
            ("a\u{2013}b\u{2014}c\u{2212}d \u{bd}", "a-b-c-d 1/2"),
            ("a\u{ad}b\u{200b}c \u{1f44d} \u{2122}", "abc   tm"),
        ] {
            assert_eq!(folded(text), expected, "{text}");
        }
    }

    /// The checksum was made by another program: from what `unicode-normalization` 0.1.24 and
    /// `unicode-case-mapping` 1.0.0 say of each character, which are of Unicode 16.0, and the general
    /// categories of regex-syntax 0.8.11, which are too.
    #[test]
    fn folding_is_by_unicode_16() {
        let mut sum = crc32fast::Hasher::new();
        for c in '\0'..=char::MAX {
            sum.update(folded(&c.to_string()).as_bytes());
            sum.update(b"\n");
        }
        assert_eq!(sum.finalize(), 0x6684_4363);
    }

    #[test]
    fn words_are_what_stands_between_punctuation() {
        let of = |text: &str| words(text).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            of("o'kelly de galway,  a."),
            ["o", "kelly", "de", "galway", "a"]
        );
        assert_eq!(of("?"), Vec::<String>::new());
        assert_eq!(of("deep thought (2)"), ["deep", "thought", "2"]);
        assert_eq!(of(&folded("\u{300c}a\u{300d} b")), ["a", "b"]);
        assert_eq!(of(&folded("O\u{2019}Kelly\u{2013}X")), ["o", "kelly", "x"]);
        assert_eq!(words(&"a ".repeat(600)).count(), 512);
    }
}
