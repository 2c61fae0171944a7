//! Patterns for names and rounds.

use std::borrow::Cow;

use super::error::ArgumentError;
use super::person::PersonPattern;
use super::word::{WordPattern, in_pieces};
use crate::format::fold::{fold, folded, separates, words};

/// A pattern for names (D48): `carlsen`, `anderssen a`, `*sson`, `=Carlsen, Magnus`.
///
/// A name matches if it contains every given word, in any order, ignoring case and accents. The
/// last given word may be just the beginning of a word, and so may a single letter (an initial). A
/// word with `*`, which stands for any number of characters, must match a whole word, also if it is
/// the last. A pattern that begins with `=` matches exactly the value after it. A pattern for
/// people ([`NamePattern::person`]) matches more.
///
/// ```
/// use pgc_index::NamePattern;
///
/// let pattern = NamePattern::parse("magnus carl")?;
/// assert!(pattern.matches("Carlsen, Magnus"));
/// assert!(!pattern.matches("Karlsson, Magnus"));
/// # Ok::<(), pgc_index::ArgumentError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamePattern {
    text: String,
    /// The exact value to match, instead of the words.
    exact: Option<String>,
    /// What a word between blanks must be, instead of them.
    figure: Option<String>,
    words: Vec<WordPattern>,
    /// The person under other names.
    pub(super) person: Option<PersonPattern>,
}

impl NamePattern {
    fn new(text: &str, is_person: bool) -> Result<NamePattern, ArgumentError> {
        let mut pattern = NamePattern {
            text: text.to_owned(),
            exact: text.trim_start().strip_prefix('=').map(str::to_owned),
            ..NamePattern::default()
        };
        if pattern.exact.is_none() {
            let folded = folded(text);
            let given = asked_words(&folded);
            let last = given.len().checked_sub(1).ok_or(ArgumentError::NoWord)?;
            let words = given.iter().enumerate();
            let words = words.map(|(i, word)| WordPattern::new(word, i == last));
            pattern.words = words.collect();
            // What folds to `d` alone is spelled `dj` too.
            let spelled = folded_with_dj(text, &folded);
            let family = || asked_words(folded.split_once(',').map_or("", |parts| parts.0)).len();
            let person = || PersonPattern::new(&asked_words(&spelled), family(), &pattern.words);
            pattern.person = is_person.then(person);
        }
        Ok(pattern)
    }

    /// Parses a pattern.
    ///
    /// # Errors
    /// [`ArgumentError::NoWord`] if there is no word to search for.
    pub fn parse(text: &str) -> Result<NamePattern, ArgumentError> {
        NamePattern::new(text, false)
    }

    /// Parses a pattern for names of people: it also matches a name with initials for the given
    /// names, or in another transliteration (D67), but not if it begins with `=`.
    ///
    /// ```
    /// use pgc_index::NamePattern;
    ///
    /// let pattern = NamePattern::person("huebner robert")?;
    /// assert!(pattern.matches("H\u{fc}bner, R"));
    /// assert!(!pattern.as_spelled().matches("H\u{fc}bner, R"));
    /// # Ok::<(), pgc_index::ArgumentError>(())
    /// ```
    ///
    /// # Errors
    /// [`ArgumentError::NoWord`] if there is no word to search for.
    pub fn person(text: &str) -> Result<NamePattern, ArgumentError> {
        NamePattern::new(text, true)
    }

    /// Parses a pattern for the values of a tag. The tags that the standard defines as names of people
    /// are matched by the rules of [`NamePattern::person`] (D67), all others word by word; but digits
    /// and signs match a word between blanks in full: `+7` is neither `-7` nor `+70`.
    ///
    /// # Errors
    /// As [`NamePattern::parse`].
    pub fn for_tag(tag: &str, text: &str) -> Result<NamePattern, ArgumentError> {
        match tag {
            "White" | "Black" | "Annotator" => NamePattern::person(text),
            "Event" | "Site" => NamePattern::parse(text),
            _ => {
                let text = text.trim();
                let is_figure =
                    |c: char| c.is_ascii_graphic() && !c.is_ascii_alphabetic() && c != '*';
                if text.is_empty() || text.starts_with('=') || !text.chars().all(is_figure) {
                    return NamePattern::parse(text);
                }
                Ok(NamePattern {
                    text: text.to_owned(),
                    figure: Some(text.to_owned()),
                    ..NamePattern::default()
                })
            }
        }
    }

    /// The pattern without initials, transliterations and aliases.
    pub fn as_spelled(self) -> NamePattern {
        let person = None;
        NamePattern { person, ..self }
    }

    /// Whether the name of an opening matches: `kings gambit` asks for the King's Gambit too.
    pub fn matches_opening(&self, name: &str) -> bool {
        self.matches(name) || self.matches(&name.replace('\'', ""))
    }

    /// Whether a value matches.
    pub fn matches(&self, value: &str) -> bool {
        self.matches_in(value, &mut String::new())
    }

    /// As [`NamePattern::matches`], with a buffer for many calls.
    pub(crate) fn matches_in(&self, value: &str, folded: &mut String) -> bool {
        self.matches_as_spelled(value, folded) || self.matches_otherwise(value, folded)
    }

    /// Whether a value matches as the name of a person in another spelling.
    pub(super) fn matches_otherwise(&self, value: &str, folded: &mut String) -> bool {
        let person = self.person.as_ref();
        person.is_some_and(|person| person.could_match(value) && person.matches_in(value, folded))
    }

    /// Whether names in other spellings can match.
    pub fn is_person(&self) -> bool {
        self.person.is_some()
    }

    /// The first name of the person that has this name in the alias file.
    pub fn alias(&self, value: &str) -> Option<&str> {
        self.person.as_ref()?.alias(value)
    }

    /// Whether a value matches by its words as they are spelled.
    pub(super) fn matches_as_spelled(&self, value: &str, folded: &mut String) -> bool {
        if let Some(text) = &self.exact {
            return value == text;
        }
        if let Some(figure) = &self.figure {
            return value.split_whitespace().any(|word| word == figure);
        }
        fold(value, folded);
        let mut patterns = self.words.iter();
        patterns.all(|pattern| words(folded).any(|word| pattern.matches(word)))
    }

    /// The exact value to match, if the pattern begins with `=`.
    pub fn exact(&self) -> Option<&str> {
        self.exact.as_deref()
    }

    /// The patterns for words.
    pub fn words(&self) -> &[WordPattern] {
        &self.words
    }

    /// The pattern as given.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// The folded text, with `dj` for \u{111}.
fn folded_with_dj<'t>(text: &str, folded_text: &'t str) -> Cow<'t, str> {
    match text.contains(['\u{110}', '\u{111}']) {
        true => Cow::Owned(folded(&text.replace(['\u{110}', '\u{111}'], "dj"))),
        false => Cow::Borrowed(folded_text),
    }
}

/// The words of a folded question.
fn asked_words(folded: &str) -> Vec<&str> {
    folded
        .split(|c| u8::try_from(c).is_ok_and(separates) && c != '*')
        .filter(|word| !word.is_empty())
        .collect()
}

/// A pattern for rounds: `3`, `3.2`, `quali*`, `=3`.
///
/// Integers separated by single full stops match rounds that begin with these numbers and then end,
/// or continue with a full stop: `3` matches `3`, `03` and `3.1`, but not `31`. Any other text is
/// the whole value, ignoring case and accents; `*` stands for any characters. A pattern that begins
/// with `=` matches exactly the value after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundPattern(RoundKind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum RoundKind {
    Exact(String),
    /// The integers, without leading zeros.
    Integers(Vec<String>),
    Pieces(Vec<String>),
}

impl RoundPattern {
    /// Parses a pattern.
    ///
    /// # Errors
    /// [`ArgumentError::NoWord`] if there is no word to search for.
    pub fn parse(text: &str) -> Result<RoundPattern, ArgumentError> {
        let given = text.trim();
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let kind = if let Some(value) = text.trim_start().strip_prefix('=') {
            RoundKind::Exact(value.to_owned())
        } else if given.is_empty() {
            return Err(ArgumentError::NoWord);
        } else if given.split('.').all(is_number) {
            let integers = given.split('.').map(|part| part.trim_start_matches('0'));
            RoundKind::Integers(integers.map(str::to_owned).collect())
        } else {
            RoundKind::Pieces(folded(given).split('*').map(str::to_owned).collect())
        };
        Ok(RoundPattern(kind))
    }

    /// Whether a value matches.
    pub fn matches(&self, value: &str) -> bool {
        match &self.0 {
            RoundKind::Exact(text) => value == text,
            RoundKind::Integers(integers) => {
                let mut rest = Some(value);
                integers.iter().all(|integer| {
                    let Some(text) = rest else { return false };
                    let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
                    let digits = &text[..text.len() - behind.len()];
                    rest = behind.strip_prefix('.');
                    !digits.is_empty()
                        && digits.trim_start_matches('0') == integer
                        && (behind.is_empty() || rest.is_some())
                })
            }
            RoundKind::Pieces(pieces) => {
                let folded = folded(value);
                match pieces.as_slice() {
                    [whole] => folded == *whole,
                    pieces => in_pieces(pieces, &folded),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(NamePattern::parse(empty), Err(ArgumentError::NoWord));
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
