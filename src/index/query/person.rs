//! Finds a person whose name is written otherwise than asked: with initials, in another
//! transliteration, or as an alias (D67).

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::aliases::{AliasPerson, CLASSICS, Life};
use super::spelling::{TraitsOf, put_spelling, skeleton, spelling, spelling_of_dj};
use super::word::WordPattern;
use crate::format::fold::{fold, folded, places_of_words, words};

/// A pattern for names of people, beside the one that compares words as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PersonPattern {
    words: Vec<AskedWord>,
    aliases: Option<Box<AliasSet>>,
}

/// A word of the question.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AskedWord {
    /// Folded.
    word: String,
    pattern: WordPattern,
    spelling: String,
    /// The spelling with `d` for `dj`.
    other: Option<String>,
    /// The letters that every spelling has; `None`: they are not known.
    skeleton: Option<u32>,
    /// The traits ([`TraitsOf`]) of every spelling in ASCII, if it is more than an initial.
    traits: Option<u32>,
    /// Only a family name is meant, since a comma follows it.
    is_family: bool,
}

/// The names that alias files have for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AliasSet {
    /// The names as [`put_spelling`] writes them, each with the number of its person.
    names: HashMap<String, usize>,
    people: Vec<KnownPerson>,
    /// The traits of every spelling of the names in ASCII.
    traits: HashSet<u32>,
    /// The bytes of all names.
    size: usize,
    pub(super) corrections: Corrections,
}

/// A person of an alias file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KnownPerson {
    /// The first name that the file has.
    pub(super) name: String,
    pub(super) life: Life,
}

/// The number of a person in place of several who have the same name.
const SEVERAL: usize = usize::MAX;

/// The longest name, in bytes, that corrections may make: four times what an index keeps of one.
const MAX_CORRECTED: usize = 4096;

/// What an alias file replaces in every name, in this order: the first beginning that fits, inner
/// parts wherever they are, the first ending that fits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Corrections {
    pub(super) beginnings: Vec<(String, String)>,
    pub(super) parts: Vec<(String, String)>,
    pub(super) endings: Vec<(String, String)>,
}

/// The words of a value.
pub(super) struct NameWords<'v> {
    pub(super) words: Vec<&'v str>,
    /// The number of words before the comma; of a value without a comma all can be family names.
    pub(super) family: usize,
}

impl PersonPattern {
    /// `asked` are the folded words of the question, of which those before `family` are followed by
    /// a comma; `patterns` are the patterns made of them.
    pub(super) fn new(asked: &[&str], family: usize, patterns: &[WordPattern]) -> PersonPattern {
        let word = |(i, (&word, pattern)): (usize, (&&str, &WordPattern))| {
            let mut asked = AskedWord {
                word: word.to_owned(),
                pattern: pattern.clone(),
                skeleton: skeleton(word.as_bytes()),
                traits: None,
                is_family: i < family,
                spelling: spelling(word),
                other: spelling_of_dj(word),
            };
            // The spelling is in ASCII too if the word is in Russian.
            let traits = TraitsOf::new(&asked.spelling).next();
            asked.traits = traits.filter(|_| asked.is_full());
            asked
        };
        let words = asked.iter().zip(patterns).enumerate().map(word);
        let mut pattern = PersonPattern {
            words: words.collect(),
            aliases: None,
        };
        let mut folded = String::new();
        for person in &*CLASSICS {
            if pattern.is_family(person, &mut folded) {
                pattern.add_aliases(person);
            }
        }
        pattern
    }

    /// Whether a value could match, by its letters alone. `false` is certain: one word at least
    /// must be there in full.
    pub(super) fn could_match(&self, value: &str) -> bool {
        let mut traits = TraitsOf::new(value);
        let mut is_there = false;
        for word in traits.by_ref() {
            is_there |= self.words.iter().any(|asked| asked.traits == Some(word));
        }
        let is_alias = |aliases: &AliasSet| {
            !aliases.corrections.is_empty() || aliases.traits.contains(&traits.whole)
        };
        is_there || traits.is_foreign || self.aliases.as_deref().is_some_and(is_alias)
    }

    /// Whether a value matches, with initials, or as an alias. `folded` is a buffer.
    pub(super) fn matches_in(&self, value: &str, folded: &mut String) -> bool {
        fold(value, folded);
        let name = NameWords::new(value, folded);
        self.matches_words(&name, true) || self.alias_of(value, folded).is_some()
    }

    /// The first name of the person that has this name in the alias file. `folded` is the folded
    /// `value`.
    fn alias_of(&self, value: &str, folded: &mut String) -> Option<&KnownPerson> {
        self.aliases.as_deref()?.person_of(value, folded)
    }

    /// As [`PersonPattern::alias_of`], for a value that is not folded yet.
    pub(super) fn alias(&self, value: &str) -> Option<&str> {
        self.alias_of(value, &mut folded(value))
            .map(|person| person.name.as_str())
    }

    /// Whether alias files give years of birth or death.
    pub(super) fn knows_lives(&self) -> bool {
        let mut people = self.aliases.iter().flat_map(|aliases| &aliases.people);
        people.any(|person| person.life != Life::default())
    }

    /// The life of a person with this name: known of a name in an alias file, and of one that matches
    /// otherwise than `as_spelled` as far as years are known of all people asked for.
    pub(super) fn life(&self, value: &str, as_spelled: bool) -> Life {
        if let Some(person) = self.alias_of(value, &mut folded(value)) {
            // Of a name as it is asked for, a wrong date is more likely than another person.
            let died = person.life.died.filter(|_| !as_spelled);
            return Life {
                died,
                ..person.life
            };
        }
        let aliases = self.aliases.iter().filter(|_| !as_spelled);
        let people = aliases.flat_map(|aliases| &aliases.people);
        let all = people.map(|person| person.life).reduce(|all, life| Life {
            born: all.born.min(life.born),
            died: all.died.zip(life.died).map(|(one, other)| one.max(other)),
        });
        all.unwrap_or_default()
    }

    /// Whether one of the names is certainly that of a person asked for.
    pub(super) fn is(&self, person: &AliasPerson, folded: &mut String) -> bool {
        person.names.iter().any(|name| self.names_in(name, folded))
    }

    /// As [`PersonPattern::is`], by a name whose family name the question has: `victor` asks for no
    /// Korchnoi.
    fn is_family(&self, person: &AliasPerson, folded: &mut String) -> bool {
        person.names.iter().any(|name| {
            self.names_in(name, folded) && {
                let name = NameWords::new(name, folded);
                let mut family = name.words[..name.family].iter();
                family.any(|word| self.words.iter().any(|asked| asked.is_whole(word)))
            }
        })
    }

    /// Whether a name is certainly one of the person asked for: it matches without initials.
    fn names_in(&self, name: &str, folded: &mut String) -> bool {
        if let Some(letters) = skeleton(name.as_bytes()) {
            let needed = self.words.iter().filter_map(|word| word.skeleton);
            let needed = needed.fold(0, |all, word| all | word);
            if needed & letters != needed {
                return false;
            }
        }
        fold(name, folded);
        self.matches_words(&NameWords::new(name, folded), false)
    }

    fn matches_words(&self, name: &NameWords<'_>, with_initials: bool) -> bool {
        let (mut initials, mut is_named) = (Vec::new(), false);
        for asked in &self.words {
            if name.words.iter().any(|word| asked.is(word)) {
                let family = &name.words[..name.family];
                is_named |= family.iter().any(|word| asked.is_whole(word));
                continue;
            }
            let free = (0..name.words.len())
                .find(|&i| !initials.contains(&i) && name.is_initial(i, asked));
            match free {
                Some(place) if with_initials => initials.push(place),
                _ => return false,
            }
        }
        initials.is_empty()
            || is_named
                && name.first_given().is_some_and(|first| {
                    let word = name.words[first];
                    initials.contains(&first) || self.words.iter().any(|asked| asked.is(word))
                })
    }

    /// Adds names of an alias file; returns the number of bytes that all such names take.
    pub(super) fn add_aliases(&mut self, person: &AliasPerson) -> usize {
        self.aliases.get_or_insert_default().add(person, false)
    }

    /// Corrects every name by these rules, if there are names of an alias file.
    pub(super) fn correct(&mut self, corrections: &Corrections) {
        if let Some(aliases) = &mut self.aliases {
            aliases.corrections = corrections.clone();
        }
    }
}

impl AskedWord {
    /// Whether it is more than an initial or a pattern with `*`.
    fn is_full(&self) -> bool {
        !matches!(self.pattern, WordPattern::Pieces(_)) && self.word.chars().nth(1).is_some()
    }

    /// Whether it is this whole word, perhaps in another spelling.
    fn is_whole(&self, word: &str) -> bool {
        let is_more = self.is_full() && word.len() > 1;
        if !is_more || word == self.word {
            return is_more;
        }
        let spelling = spelling(word);
        spelling == self.spelling || self.other.as_ref() == Some(&spelling)
    }

    fn is(&self, word: &str) -> bool {
        self.pattern.matches(word) || self.is_whole(word)
    }
}

impl<'v> NameWords<'v> {
    /// `folded` is the folded `value`.
    pub(super) fn new(value: &str, folded: &'v str) -> NameWords<'v> {
        let comma = folded.find(',');
        let mut family = 0;
        let mut all = Vec::new();
        for place in places_of_words(folded) {
            let word = &folded[place.clone()];
            let is_family = comma.is_none_or(|comma| place.start < comma);
            if !(is_family && comma.is_some()) && are_initials(value, folded, place) {
                let letters = (0..word.len()).map(|at| &word[at..=at]);
                family += if is_family { word.len() } else { 0 };
                all.extend(letters);
            } else {
                family += usize::from(is_family);
                all.push(word);
            }
        }
        NameWords { words: all, family }
    }

    /// Whether a word is a given name.
    fn is_given(&self, place: usize) -> bool {
        place >= self.family || self.family == self.words.len() && is_letter(self.words[place])
    }

    /// Whether a word is an initial that can stand for a word of the question.
    fn is_initial(&self, place: usize, asked: &AskedWord) -> bool {
        let word = self.words[place];
        asked.is_full()
            && !asked.is_family
            && is_letter(word)
            && self.is_given(place)
            && asked.word.starts_with(word)
    }

    /// The first given name.
    fn first_given(&self) -> Option<usize> {
        (0..self.words.len()).find(|&place| self.is_given(place))
    }
}

/// Whether a word of two or three letters is initials written together: `Fischer RJ`. Only an ASCII
/// name with lower-case letters elsewhere can tell.
fn are_initials(value: &str, folded: &str, place: Range<usize>) -> bool {
    const TITLES: [&str; 9] = ["gm", "im", "fm", "cm", "wgm", "wim", "ii", "iii", "jr"];
    let is_upper = |word: &[u8]| word.iter().all(u8::is_ascii_uppercase);
    (2..=3).contains(&place.len())
        && value.is_ascii()
        && is_upper(&value.as_bytes()[place.clone()])
        && value.bytes().any(|byte| byte.is_ascii_lowercase())
        && !TITLES.contains(&&folded[place])
}

fn is_letter(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(char::is_alphabetic) && chars.next().is_none()
}

impl AliasSet {
    /// Adds the names of a person; returns the number of bytes that all names take. A name that
    /// another person has too stays that person's, or with `is_strict` becomes nobody's.
    pub(super) fn add(&mut self, person: &AliasPerson, is_strict: bool) -> usize {
        let number = self.people.len();
        let name = person.names.first().cloned().unwrap_or_default();
        self.size += name.len() + size_of::<KnownPerson>();
        let life = person.life;
        self.people.push(KnownPerson { name, life });
        let mut folded = String::new();
        for name in &person.names {
            fold(name, &mut folded);
            let mut spelling = String::new();
            words(&folded).for_each(|word| put_spelling(word, &mut spelling));
            // A name like `?` is nobody's.
            if spelling.is_empty() {
                continue;
            }
            let mut traits = TraitsOf::new(&spelling);
            traits.by_ref().for_each(drop);
            self.traits.insert(traits.whole);
            // Roughly the memory that a name takes.
            self.size += spelling.len() + 48;
            let known = self.names.entry(spelling).or_insert(number);
            if is_strict && *known != number {
                *known = SEVERAL;
            }
        }
        self.size
    }

    /// The person who has this name, with its last word in its place or first.
    pub(super) fn person_of(&self, value: &str, folded: &mut String) -> Option<&KnownPerson> {
        if !self.corrections.is_empty() {
            let name = self.corrections.correct(value)?;
            fold(&name, folded);
        }
        let mut spelling = String::new();
        words(folded).for_each(|word| put_spelling(word, &mut spelling));
        let person = |spelling: &String| self.people.get(*self.names.get(spelling)?);
        if let Some(person) = person(&spelling) {
            return Some(person);
        }
        spelling.clear();
        let last = words(folded).last().unwrap_or_default();
        let others = words(folded).count().saturating_sub(1);
        put_spelling(last, &mut spelling);
        let others = words(folded).take(others);
        others.for_each(|word| put_spelling(word, &mut spelling));
        person(&spelling)
    }
}

impl Corrections {
    pub(super) fn is_empty(&self) -> bool {
        self.beginnings.is_empty() && self.parts.is_empty() && self.endings.is_empty()
    }

    /// Corrects a name; `None` if the result would be longer than any name.
    fn correct(&self, name: &str) -> Option<String> {
        let mut name = name.to_owned();
        let mut beginnings = self.beginnings.iter();
        if let Some((wrong, right)) = beginnings.find(|pair| name.starts_with(&pair.0)) {
            name.replace_range(..wrong.len(), right);
        }
        for (wrong, right) in &self.parts {
            let growth = name.matches(wrong).count() * right.len();
            if name.len() + growth > MAX_CORRECTED {
                return None;
            }
            name = name.replace(wrong, right);
        }
        let mut endings = self.endings.iter();
        if let Some((wrong, right)) = endings.find(|pair| name.ends_with(&pair.0)) {
            name.replace_range(name.len() - wrong.len().., right);
        }
        Some(name)
    }
}
