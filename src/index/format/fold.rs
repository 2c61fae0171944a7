//! Folds names, so that they are found however people write them (spec/index.md section 4).

use std::ops::Range;

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// A value has at most so many words: their numbers take nine bits. What is behind them is found as
/// part of the value only.
pub const MAX_WORDS: usize = 512;

/// Replaces `out` by the folded `text`: without accents, and in lower case.
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

/// Folding works character by character: what NFKD changes beyond that is the order of marks, and
/// these are left out.
fn fold_char(c: char, out: &mut String) {
    decompose_compatible(c, |part| {
        if is_combining_mark(part) {
            return;
        }
        let newer = is_newer(part).then_some(part);
        for lower in newer
            .into_iter()
            .chain(part.to_lowercase().filter(|_| newer.is_none()))
        {
            match lower {
                '\u{df}' => out.push_str("ss"),
                '\u{e6}' => out.push_str("ae"),
                '\u{153}' => out.push_str("oe"),
                '\u{f8}' => out.push('o'),
                '\u{111}' | '\u{f0}' => out.push('d'),
                '\u{fe}' => out.push_str("th"),
                '\u{142}' => out.push('l'),
                '\u{127}' => out.push('h'),
                '\u{131}' => out.push('i'),
                other => out.push(other),
            }
        }
    });
}

/// Capitals that came with Unicode 17.0, which compilers may know. Folding is by 16.0, as the
/// tables of `unicode-normalization` are.
fn is_newer(c: char) -> bool {
    matches!(
        c,
        '\u{a7ce}' | '\u{a7d2}' | '\u{a7d4}' | '\u{16ea0}'..='\u{16eb8}'
    )
}

/// Whether this byte, which is a character then, stands between words.
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

/// The words of a folded value, at most [`MAX_WORDS`].
pub fn words(folded: &str) -> impl Iterator<Item = &str> {
    places_of_words(folded).map(|place| &folded[place])
}

/// Where they stand.
pub(crate) fn places_of_words(folded: &str) -> impl Iterator<Item = Range<usize>> {
    let (bytes, mut at) = (folded.as_bytes(), 0);
    let next = move || {
        let from = at + bytes[at..].iter().position(|&byte| !separates(byte))?;
        at = bytes[from..]
            .iter()
            .position(|&byte| separates(byte))
            .map_or(bytes.len(), |len| from + len);
        Some(from..at)
    };
    std::iter::from_fn(next).take(MAX_WORDS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization::UnicodeNormalization;

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
        ] {
            assert_eq!(folded(text), expected, "{text}");
        }
    }

    /// As the text of the specification says it, step by step.
    fn slow(text: &str) -> String {
        let mut out = String::new();
        for c in text.nfkd().filter(|&c| !is_combining_mark(c)) {
            let lower = if is_newer(c) {
                c.to_string()
            } else {
                c.to_lowercase().collect()
            };
            lower.chars().for_each(|c| match c {
                '\u{df}' => out.push_str("ss"),
                '\u{e6}' => out.push_str("ae"),
                '\u{153}' => out.push_str("oe"),
                '\u{f8}' => out.push('o'),
                '\u{111}' | '\u{f0}' => out.push('d'),
                '\u{fe}' => out.push_str("th"),
                '\u{142}' => out.push('l'),
                '\u{127}' => out.push('h'),
                '\u{131}' => out.push('i'),
                c => out.push(c),
            });
        }
        out
    }

    /// The checksum was made with other tables: those of `unicode-case-mapping` 1.0.0, which are of
    /// Unicode 16.0. Should newer tables change this, an index that was made with older ones would
    /// no longer be read as it was written.
    #[test]
    fn folding_is_by_unicode_16() {
        let mut sum = crc32fast::Hasher::new();
        for c in '\0'..=char::MAX {
            sum.update(folded(&c.to_string()).as_bytes());
            sum.update(b"\n");
        }
        assert_eq!(sum.finalize(), 0x32d3_5d57);
    }

    #[test]
    fn character_by_character_is_as_good_as_all_at_once() {
        let mut all: Vec<char> = ('\0'..=char::MAX)
            .filter(|c| !c.is_ascii() || c.is_ascii_graphic())
            .collect();
        assert!(
            all.iter()
                .all(|&c| folded(&c.to_string()) == slow(&c.to_string()))
        );
        // Neighbours that have nothing to do with each other.
        let mut state = 1_u64;
        for i in (1..all.len()).rev() {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            all.swap(i, usize::try_from(state >> 33).unwrap() % (i + 1));
        }
        for some in all.chunks(1000) {
            let text: String = some.iter().collect();
            assert_eq!(folded(&text), slow(&text));
        }
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
        assert_eq!(of("\u{300c}a\u{300d} b"), ["\u{300c}a\u{300d}", "b"]);
        assert_eq!(words(&"a ".repeat(600)).count(), 512);
    }
}
