//! Lists values of a table: all, those that match a pattern, or those spelled similarly.

use std::cmp::Reverse;
use std::fmt;

use super::matching::{self, Matching};
use super::pattern::NamePattern;
use crate::format::fold::{fold, folded, words};
use crate::format::layout::IndexError;
use crate::read::reader::Index;
use crate::read::table::{GameCounts, IndexTable, NameField};

/// Words with more characters than this are compared by their beginnings only.
const LONGEST: usize = 32;
/// Maximum number of candidates for similar values; the least similar ones are dropped.
const CANDIDATES: usize = 1024;

/// A value of a table, with its number of games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedValue {
    /// The position in the table.
    pub id: u32,
    /// The value.
    pub value: String,
    /// Number of games.
    pub games: u32,
}

/// The values that matched a test of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchedNames {
    /// The table: see [`Index::value`].
    pub field: NameField,
    /// The pattern as given.
    pub pattern: String,
    /// The values that match as they are spelled: positions in the table, ascending, with the
    /// number of games of each.
    pub values: Vec<(u32, u32)>,
    /// The other names of the same people that match, likewise.
    pub otherwise: Vec<(u32, u32)>,
}

/// Values of a table, in its order. Each is read from the index when needed, since there may be
/// millions.
#[derive(Clone)]
pub struct NamedValues<'a> {
    table: IndexTable<'a>,
    /// The positions of the values; `None`: all, of which there may be millions.
    ids: Option<Vec<u32>>,
    counts: GameCounts<'a>,
}

impl fmt::Debug for NamedValues<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl NamedValues<'_> {
    /// Iterates over the values. An error concerns one value only.
    pub fn iter(&self) -> impl Iterator<Item = Result<NamedValue, IndexError>> + '_ {
        let (mut values, mut counts) = (self.table.reader(), self.counts.clone());
        let listed = self.ids.iter().flatten().copied();
        let all = match self.ids {
            Some(_) => 0..0,
            None => 0..self.table.len(),
        };
        all.chain(listed).map(move |id| {
            let value = values.value(id)?.to_owned();
            let games = counts.games(id)?;
            Ok(NamedValue { id, value, games })
        })
    }
}

impl<D: AsRef<[u8]>> Index<D> {
    /// The values of a table, or those that match the pattern if there is one.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn names(
        &self,
        field: NameField,
        pattern: Option<&NamePattern>,
    ) -> Result<NamedValues<'_>, IndexError> {
        let table = IndexTable::named(self.view(), field)?;
        let matching = pattern.map(|pattern| matching::names(&table, pattern));
        Ok(NamedValues {
            table,
            ids: matching.transpose()?.map(Matching::all),
            counts: table.counts()?,
        })
    }

    /// The values of a table, at most `most`, that are spelled like `text`: each word of `text` is,
    /// but for a few letters, a word of the value. The most similar come first; among equally
    /// similar ones, those with more games.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn near_names(
        &self,
        field: NameField,
        text: &str,
        most: usize,
    ) -> Result<Vec<NamedValue>, IndexError> {
        let table = IndexTable::named(self.view(), field)?;
        let mut likeness = Likeness::new(text);
        if likeness.given.is_empty() || most == 0 {
            return Ok(Vec::new());
        }
        let mut near: Vec<(usize, u32)> = Vec::new();
        let mut values = table.reader();
        for id in 0..table.len() {
            if let Some(far) = likeness.far(values.value(id)?) {
                near.push((far, id));
                if near.len() == 2 * CANDIDATES {
                    near.sort_unstable();
                    near.truncate(CANDIDATES);
                }
            }
        }
        near.sort_unstable();
        near.truncate(CANDIDATES);
        let mut counts = table.counts()?;
        let near = near.into_iter();
        let near = near.map(|(far, id)| Ok((far, Reverse(counts.games(id)?), id)));
        let mut near = near.collect::<Result<Vec<_>, IndexError>>()?;
        near.sort_unstable();
        near.truncate(most);
        let named = near.into_iter().map(|(_, Reverse(games), id)| {
            let value = table.value(id)?;
            Ok(NamedValue { id, value, games })
        });
        named.collect()
    }
}

/// Compares values with the words of a question.
struct Likeness {
    given: Vec<Vec<char>>,
    folded: String,
    word: Vec<char>,
}

impl Likeness {
    fn new(text: &str) -> Likeness {
        let folded = folded(&text.replace(['*', '='], " "));
        let letters = |word: &str| word.chars().take(LONGEST).collect();
        Likeness {
            given: words(&folded).map(letters).collect(),
            word: Vec::new(),
            folded,
        }
    }

    /// How many letters differ in the words of a value that are most like the given ones; `None` if
    /// one of these is not there.
    fn far(&mut self, value: &str) -> Option<usize> {
        fold(value, &mut self.folded);
        let word = &mut self.word;
        self.given.iter().try_fold(0, |sum, given| {
            let limit = limit(given.len());
            let least = words(&self.folded)
                .filter(|word| word.len() <= 4 * (given.len() + limit))
                .filter_map(|other| {
                    word.clear();
                    word.extend(other.chars().take(LONGEST));
                    distance(given, word, limit)
                })
                .min();
            least.map(|least| sum + least)
        })
    }
}

/// Those of some texts that are spelled like `text`, the most similar and shortest first, at most
/// five.
pub fn near_texts<'t>(text: &str, texts: impl IntoIterator<Item = &'t str>) -> Vec<&'t str> {
    let mut likeness = Likeness::new(text);
    if likeness.given.is_empty() {
        return Vec::new();
    }
    let far = |value: &'t str| Some((likeness.far(value)?, value.len(), value));
    let mut near: Vec<_> = texts.into_iter().filter_map(far).collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(5).map(|near| near.2).collect()
}

/// Words of a fixed list that are nearly `word`, the nearest first: at most one letter differs, in
/// words of eight letters or more two; or else the only one that begins with `word`.
pub fn near_words<'t>(word: &str, all: impl IntoIterator<Item = &'t str>) -> Vec<&'t str> {
    let letters = |word: &str| word.chars().take(LONGEST).collect::<Vec<char>>();
    let given = letters(word);
    if given.len() < 3 {
        return Vec::new();
    }
    let limit = (given.len() / 4).clamp(1, 2);
    let (mut near, mut longer) = (Vec::new(), Vec::new());
    for known in all {
        near.extend(distance(&given, &letters(known), limit).map(|far| (far, known)));
        longer.extend(Some(known).filter(|known| known.starts_with(word)));
    }
    near.sort_unstable();
    if near.is_empty() && longer.len() == 1 {
        return longer;
    }
    near.into_iter().map(|near| near.1).collect()
}

/// The number of wrong letters allowed in a word.
fn limit(letters: usize) -> usize {
    match letters {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    }
}

/// The number of letters to insert, delete, change or swap with a neighbour to turn one word into
/// the other, if at most `limit`.
fn distance(a: &[char], b: &[char], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut rows = [[0_usize; LONGEST + 1]; 3];
    rows[2] = std::array::from_fn(|j| j);
    for i in 1..=a.len() {
        rows.rotate_left(1);
        let [before_last, last, now] = &mut rows;
        now[0] = i;
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (last[j] + 1).min(now[j - 1] + 1).min(last[j - 1] + same);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before_last[j - 2] + 1);
            }
            now[j] = least;
        }
        if now[..=b.len()].iter().all(|&cell| cell > limit) {
            return None;
        }
    }
    let far = rows[2][b.len()];
    (far <= limit).then_some(far)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_near() {
        let options = [
            "opening",
            "source",
            "force",
            "columns",
            "not-opening",
            "moves",
            "moves-to",
        ];
        let near = |word| near_words(word, options);
        assert_eq!(near("opneing"), ["opening"]);
        assert_eq!(near("colunms"), ["columns"]);
        assert_eq!(near("col"), ["columns"]);
        assert_eq!(near("move"), ["moves"]);
        assert_eq!(near("not-openign"), ["not-opening"]);
        assert_eq!(near("sourec"), ["source"]);
        assert!(near_words("source", ["force"]).is_empty());
        assert!(near("xy").is_empty() && near("o").is_empty());
        let names = [
            "Sicilian Defense: Najdorf Variation",
            "Ruy Lopez",
            "Sicilian Defense",
        ];
        assert_eq!(near_texts("najdorff", names), [names[0]]);
        assert_eq!(near_texts("sicilain", names), [names[2], names[0]]);
        assert!(near_texts("?", names).is_empty());
    }

    #[test]
    fn distances() {
        let far = |a: &str, b: &str, limit| {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            assert_eq!(distance(&a, &b, limit), distance(&b, &a, limit));
            distance(&a, &b, limit)
        };
        assert_eq!(far("carlsen", "carlsen", 2), Some(0));
        assert_eq!(far("carlsen", "karlsen", 2), Some(1));
        assert_eq!(far("carlsen", "carlson", 2), Some(1));
        assert_eq!(far("carlsen", "carslen", 2), Some(1));
        assert_eq!(far("carlsen", "carlse", 2), Some(1));
        assert_eq!(far("carlsen", "larsen", 2), Some(2));
        assert_eq!(far("carlsen", "larsen", 1), None);
        assert_eq!(far("carlsen", "kramnik", 2), None);
        assert_eq!(far("", "ab", 2), Some(2));
        assert_eq!(far("", "", 0), Some(0));
    }
}
