//! Tells whether two names can be those of one person (D67).

use super::person::NameWords;
use super::spelling::{spelling, spelling_of_dj};
use crate::format::fold::folded;

/// A name in the ways in which it can be read.
#[derive(Clone, Debug)]
pub struct ReadName(Vec<NameReading>);

/// The family name and the given names, each word folded, and in its normalised spelling.
#[derive(Clone, Debug)]
struct NameReading {
    family: Vec<SpelledWord>,
    given: Vec<SpelledWord>,
}

#[derive(Clone, Debug)]
struct SpelledWord {
    word: String,
    spelling: String,
}

impl ReadName {
    /// Reads a name: with a comma, as family name and given names; without one, its last or its first
    /// word is the family name.
    pub fn new(name: &str) -> ReadName {
        let folded = folded(name);
        let parts = NameWords::new(name, &folded);
        let words = parts.words.iter().map(|word| SpelledWord::new(word));
        let words: Vec<SpelledWord> = words.collect();
        if parts.family < words.len() && folded.contains(',') {
            let mut family = words;
            let given = family.split_off(parts.family);
            return ReadName(vec![NameReading { family, given }]);
        }
        let mut places = vec![words.len().saturating_sub(1), 0];
        places.dedup();
        let full = places.into_iter().filter(|&place| {
            let word = words.get(place);
            word.is_some_and(|word| word.initial().is_none())
        });
        let reading = |place: usize| {
            let mut given = words.clone();
            let family = vec![given.remove(place)];
            NameReading { family, given }
        };
        ReadName(full.map(reading).collect())
    }

    /// Whether this and the other can be names of one person: yes, if one family name has all words
    /// of the other, and the given names, in their order, are equal or one is an initial of the
    /// other; no, if only the given names differ. `None`: the family names differ.
    pub fn can_be(&self, other: &ReadName) -> Option<bool> {
        let all = self.0.iter();
        let pairs = all.flat_map(|a| other.0.iter().map(move |b| (a, b)));
        let fits = pairs.filter(|(a, b)| a.has_family_of(b) || b.has_family_of(a));
        fits.map(|(a, b)| a.has_given_of(b)).max()
    }
}

impl NameReading {
    fn has_family_of(&self, other: &NameReading) -> bool {
        let has = |word: &SpelledWord| self.family.iter().any(|own| own.is(word));
        !other.family.is_empty() && other.family.iter().all(has)
    }

    fn has_given_of(&self, other: &NameReading) -> bool {
        self.given.iter().zip(&other.given).all(|(a, b)| {
            let stands_for = |a: &SpelledWord, b: &SpelledWord| {
                a.initial()
                    .is_some_and(|initial| b.word.starts_with(initial))
            };
            a.is(b) || a.single() == b.single() || stands_for(a, b) || stands_for(b, a)
        })
    }
}

impl SpelledWord {
    fn new(word: &str) -> SpelledWord {
        SpelledWord {
            word: word.to_owned(),
            spelling: spelling(word),
        }
    }

    /// Whether both are spellings of one word.
    fn is(&self, other: &SpelledWord) -> bool {
        let is_with_dj = |a: &SpelledWord, b: &SpelledWord| {
            spelling_of_dj(&a.word).as_ref() == Some(&b.spelling)
        };
        self.spelling == other.spelling || is_with_dj(self, other) || is_with_dj(other, self)
    }

    /// The spelling with single for double letters: Gary is Garry.
    fn single(&self) -> Vec<u8> {
        let mut letters = self.spelling.clone().into_bytes();
        letters.dedup();
        letters
    }

    /// The letter, if it is only one.
    fn initial(&self) -> Option<char> {
        let mut chars = self.word.chars();
        chars.next().filter(|_| chars.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::ReadName;

    #[test]
    fn names_of_one_person() {
        for (a, b, expected) in [
            ("Carlsen, Magnus", "Carlsen,M", Some(true)),
            ("Carlsen, Magnus", "Magnus Carlsen", Some(true)),
            ("Carlsen, Magnus", "carlsen magnus", Some(true)),
            ("Carlsen, Magnus", "M. Carlsen", Some(true)),
            ("Carlsen, Magnus", "Carlsen, Magnus (NOR)", Some(true)),
            ("Carlsen, Magnus", "Carlsen", Some(true)),
            ("Carlsen, Magnus", "Carlsen, Henrik", Some(false)),
            ("Carlsen, Magnus", "Carlsen, H", Some(false)),
            ("Carlsen, Magnus", "Henrik Carlsen", Some(false)),
            ("Carlsen, Magnus", "Carlsson, Magnus", None),
            ("Smith, John", "Smith, J", Some(true)),
            ("Smith, John", "Smith, James", Some(false)),
            ("Smith, John R", "Smith, John", Some(true)),
            ("Smith, John R", "Smith, J T", Some(false)),
            ("Fischer, Robert James", "Fischer,RJ", Some(true)),
            ("Fischer, Robert James", "Fischer, J", Some(false)),
            ("H\u{fc}bner, R", "Huebner, Robert", Some(true)),
            ("De la Cruz, A", "De Jong, A", None),
            ("Garcia Martinez, Silvino", "Garcia, S", Some(true)),
            ("Kasparov, Gary", "Kasparov, Garry", Some(true)),
            ("Wang, Yu", "Wang, Yue", Some(false)),
            ("\u{110}uri\u{107}, M", "Djuric, M", Some(true)),
            ("Djokic, D", "Dokic, D", Some(true)),
            ("?", "?", None),
            ("M", "M", None),
        ] {
            let [a, b] = [a, b].map(ReadName::new);
            assert_eq!(
                (a.can_be(&b), b.can_be(&a)),
                (expected, expected),
                "{a:?} {b:?}"
            );
        }
    }
}
