//! Names as people write them: folding, words, and the rules by which a name or a round matches
//! (spec/index.md section 4).

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
fn separates(byte: u8) -> bool {
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
pub(super) fn places_of_words(folded: &str) -> impl Iterator<Item = Range<usize>> {
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

/// Why a pattern cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// Nothing in it can match.
    #[error("names no word; a value is found as a whole with = before it")]
    NoWord,
}

/// What is asked of one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WordPattern {
    /// The word is this.
    Whole(String),
    /// The word begins so.
    Begin(String),
    /// The word is these pieces with any characters between them: at least two, some may be empty.
    Pieces(Vec<String>),
}

impl WordPattern {
    /// `text` is folded and not empty; `last`: nothing comes behind it.
    fn new(text: &str, last: bool) -> WordPattern {
        let mut chars = text.chars();
        let initial = chars.next().is_some_and(char::is_alphabetic) && chars.next().is_none();
        if text.contains('*') {
            WordPattern::Pieces(text.split('*').map(str::to_owned).collect())
        } else if last || initial {
            WordPattern::Begin(text.to_owned())
        } else {
            WordPattern::Whole(text.to_owned())
        }
    }

    /// What all words that match begin with.
    pub(crate) fn beginning(&self) -> &str {
        match self {
            WordPattern::Whole(text) | WordPattern::Begin(text) => text,
            WordPattern::Pieces(pieces) => pieces.first().map_or("", String::as_str),
        }
    }

    /// Whether a folded word matches.
    pub(crate) fn matches(&self, word: &str) -> bool {
        match self {
            WordPattern::Whole(text) => word == text,
            WordPattern::Begin(text) => word.starts_with(text.as_str()),
            WordPattern::Pieces(pieces) => in_pieces(pieces, word),
        }
    }
}

/// Whether `text` is the pieces with anything between them. Taking each piece where it first fits
/// leaves most for the others.
fn in_pieces(pieces: &[String], text: &str) -> bool {
    let [first, middle @ .., last] = pieces else {
        return false;
    };
    let Some(mut rest) = text
        .strip_prefix(first.as_str())
        .and_then(|rest| rest.strip_suffix(last.as_str()))
    else {
        return false;
    };
    for piece in middle {
        let Some(at) = rest.find(piece.as_str()) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    true
}

/// What a name has to be (D48): `carlsen`, `anderssen a`, `*sson`, `=Carlsen, Magnus`.
///
/// A name matches if every word given is a word of it, in any order, without regard to case and
/// accents. The last word given may be a beginning, and so may a single letter: an initial. In a
/// word with `*`, which stands for any characters of a word or none, the `*` alone says where it is
/// open. With `=` before it the value has to be exactly what is behind.
///
/// ```
/// use pgc::index::NamePattern;
///
/// let pattern = NamePattern::parse("magnus carl")?;
/// assert!(pattern.matches("Carlsen, Magnus"));
/// assert!(!pattern.matches("Karlsson, Magnus"));
/// # Ok::<(), pgc::index::PatternError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern {
    text: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Exact(String),
    Words(Vec<WordPattern>),
}

impl NamePattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// [`PatternError::NoWord`] if there is nothing to look for.
    pub fn parse(text: &str) -> Result<NamePattern, PatternError> {
        if let Some(value) = text.trim_start().strip_prefix('=') {
            return Ok(NamePattern {
                text: text.to_owned(),
                kind: Kind::Exact(value.to_owned()),
            });
        }
        let mut folded = String::new();
        fold(text, &mut folded);
        let given: Vec<&str> = folded
            .split(|c| u8::try_from(c).is_ok_and(separates) && c != '*')
            .filter(|word| !word.is_empty())
            .collect();
        let last = given.len().checked_sub(1).ok_or(PatternError::NoWord)?;
        let words = given
            .iter()
            .enumerate()
            .map(|(i, word)| WordPattern::new(word, i == last))
            .collect();
        Ok(NamePattern {
            text: text.to_owned(),
            kind: Kind::Words(words),
        })
    }

    /// Whether a value matches.
    #[must_use]
    pub fn matches(&self, value: &str) -> bool {
        self.matches_in(value, &mut String::new())
    }

    /// As [`NamePattern::matches`], for many values: `folded` is overwritten.
    pub(crate) fn matches_in(&self, value: &str, folded: &mut String) -> bool {
        match &self.kind {
            Kind::Exact(text) => value == text,
            Kind::Words(patterns) => {
                fold(value, folded);
                patterns
                    .iter()
                    .all(|pattern| words(folded).any(|word| pattern.matches(word)))
            }
        }
    }

    /// The value that it asks for exactly.
    pub(crate) fn exact(&self) -> Option<&str> {
        match &self.kind {
            Kind::Exact(text) => Some(text),
            Kind::Words(_) => None,
        }
    }

    /// What it asks of words.
    pub(crate) fn words(&self) -> &[WordPattern] {
        match &self.kind {
            Kind::Exact(_) => &[],
            Kind::Words(words) => words,
        }
    }

    /// As it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl std::str::FromStr for NamePattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<NamePattern, PatternError> {
        NamePattern::parse(text)
    }
}

/// What a round has to be: `3`, `3.2`, `quali*`, `=3`.
///
/// Integers with single full stops between them match the rounds that begin with these numbers and
/// end there or go on with a full stop: `3` matches `3`, `03` and `3.1`, not `31`. Anything else is
/// the whole value without regard to case and accents, `*` standing for any characters. With `=`
/// before it the value has to be exactly what is behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundPattern {
    text: String,
    kind: RoundKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum RoundKind {
    Exact(String),
    /// The integers, without zeros before them.
    Integers(Vec<String>),
    Pieces(Vec<String>),
}

impl RoundPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// [`PatternError::NoWord`] if there is nothing to look for.
    pub fn parse(text: &str) -> Result<RoundPattern, PatternError> {
        let given = text.trim();
        let kind = if let Some(value) = text.trim_start().strip_prefix('=') {
            RoundKind::Exact(value.to_owned())
        } else if given.is_empty() {
            return Err(PatternError::NoWord);
        } else if given
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
        {
            RoundKind::Integers(
                given
                    .split('.')
                    .map(|part| part.trim_start_matches('0').to_owned())
                    .collect(),
            )
        } else {
            let mut folded = String::new();
            fold(given, &mut folded);
            RoundKind::Pieces(folded.split('*').map(str::to_owned).collect())
        };
        Ok(RoundPattern {
            text: text.to_owned(),
            kind,
        })
    }

    /// Whether a value matches.
    #[must_use]
    pub fn matches(&self, value: &str) -> bool {
        match &self.kind {
            RoundKind::Exact(text) => value == text,
            RoundKind::Integers(integers) => {
                let mut rest = Some(value);
                integers.iter().all(|integer| {
                    let Some(text) = rest else { return false };
                    let digits = text
                        .find(|c: char| !c.is_ascii_digit())
                        .unwrap_or(text.len());
                    let behind = &text[digits..];
                    rest = behind.strip_prefix('.');
                    digits > 0
                        && text[..digits].trim_start_matches('0') == integer
                        && (behind.is_empty() || rest.is_some())
                })
            }
            RoundKind::Pieces(pieces) => {
                let mut folded = String::new();
                fold(value, &mut folded);
                match pieces.as_slice() {
                    [whole] => folded == *whole,
                    pieces => in_pieces(pieces, &folded),
                }
            }
        }
    }

    /// As it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl std::str::FromStr for RoundPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<RoundPattern, PatternError> {
        RoundPattern::parse(text)
    }
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

    #[test]
    fn names_match() {
        let fits = |pattern: &str, value: &str| NamePattern::parse(pattern).unwrap().matches(value);
        for (pattern, value, expected) in [
            ("carlsen", "Carlsen, Magnus", true),
            ("carls", "Carlsen, Magnus", true),
            ("carls magnus", "Carlsen, Magnus", false),
            ("Magnus Carlsen", "Carlsen, Magnus", true),
            ("magnus CARLS", "Carlsen, Magnus", true),
            ("m carlsen", "Carlsen, Magnus", true),
            ("carlsen, m.", "Carlsen, Magnus", true),
            ("carlsen, n.", "Carlsen, Magnus", false),
            ("1 carlsen", "Carlsen, 1st", false),
            (
                "\u{421}\u{43f}",
                "\u{421}\u{43f}\u{430}\u{441}\u{441}\u{43a}\u{438}\u{439}",
                true,
            ),
            ("sao paulo", "S\u{e3}o Paulo", true),
            ("S\u{c3}O paulo", "Sao Paulo op", true),
            ("*sson", "Andersson, Ulf", true),
            ("*sson", "Anderssonn, Ulf", false),
            ("ulf*", "Andersson, Ulf", true),
            ("a*s*n ulf", "Andersson, Ulf", true),
            ("a*d*d*", "Andersson, Ulf", false),
            ("*", "?", false),
            ("*", "x", true),
            ("s*s", "s", false),
            ("=?", "?", true),
            ("=carlsen", "Carlsen", false),
            ("=Carlsen", "Carlsen", true),
            ("=Carlsen", "Carlsen ", false),
            (" =", "", true),
        ] {
            assert_eq!(fits(pattern, value), expected, "{pattern} {value}");
        }
        for empty in ["", "  ", "?", ", .", "\u{301}"] {
            assert_eq!(NamePattern::parse(empty), Err(PatternError::NoWord));
        }
    }

    #[test]
    fn rounds_match() {
        let fits =
            |pattern: &str, value: &str| RoundPattern::parse(pattern).unwrap().matches(value);
        for (pattern, value, expected) in [
            ("3", "3", true),
            ("3", "03", true),
            ("3", "3.1", true),
            ("3", "3.x", true),
            ("3", "31", false),
            ("3", "3a", false),
            ("3", "13", false),
            ("3.1", "3", false),
            ("3.1", "3.1.2", true),
            ("3.1", "3.10", false),
            ("3.", "3", false),
            ("0", "0", true),
            ("0", "", false),
            ("=3", "3.1", false),
            ("=3", "3", true),
            ("?", "?", true),
            ("-", "-", true),
            ("-", "?", false),
            ("final", "FINAL", true),
            ("final", "Finals", false),
            ("quali*", "Qualification 2", true),
            ("3*", "31", true),
            ("*.1", "3.1", true),
            ("*", "", true),
        ] {
            assert_eq!(fits(pattern, value), expected, "{pattern} {value}");
        }
        assert!(RoundPattern::parse(" ").is_err());
    }
}
