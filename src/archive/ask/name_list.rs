//! Sorts names with their numbers of games, on disk if they exceed memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use crate::ask::ranked::RankOrder;
use crate::run::Error;
use pgc_index::{Sorter, Temp};

/// Approximate memory for a list; each sorter uses an eighth of it.
const MEMORY: usize = 128 << 20;

/// For a limit up to this, names that can no longer be among the first are dropped at once.
const SMALL: u64 = 1 << 16;

/// How a [`NameList`] is sorted.
#[derive(Clone, Debug)]
pub struct NameListOptions {
    /// Names may repeat, in any order: their numbers of games are added up, and the names are
    /// sorted by their bytes. Otherwise the names come from one archive, and their order is kept.
    pub several: bool,
    /// Sort the names by their numbers of games, the most first; equal ones keep their order.
    pub by_games: bool,
    /// The number of names to keep; 0: all.
    pub limit: u64,
    /// Approximate memory in bytes.
    pub memory: usize,
    /// The folder for temporary files.
    pub temp_dir: PathBuf,
}

impl NameListOptions {
    /// Options for all names of one archive, in its order.
    pub fn new(temp_dir: &Path) -> NameListOptions {
        NameListOptions {
            several: false,
            by_games: false,
            limit: 0,
            memory: MEMORY,
            temp_dir: temp_dir.to_owned(),
        }
    }
}

/// Collects names with their numbers of games, and sorts them. A temporary file holds what does not
/// fit into memory.
#[derive(Debug)]
pub struct NameList {
    /// Sorts names that may repeat, before their games are added up.
    sums: Option<Sorter>,
    ranked: Ranked,
}

impl NameList {
    /// An empty list.
    pub fn new(options: &NameListOptions) -> NameList {
        let temp = Temp {
            dir: options.temp_dir.clone(),
            memory: options.memory,
        };
        NameList {
            sums: options.several.then(|| Sorter::new(&temp)),
            ranked: Ranked {
                order: RankOrder::new(&temp),
                by_games: options.by_games,
                limit: NonZero::new(options.limit).map_or(u64::MAX, NonZero::get),
                place: 0,
                best: BinaryHeap::new(),
                most: 0,
            },
        }
    }

    /// Adds a name with its number of games.
    ///
    /// # Errors
    /// [`Error::Io`]: a temporary file cannot be written.
    pub fn add(&mut self, name: &str, games: u64) -> Result<(), Error> {
        match &mut self.sums {
            Some(sums) => sums.push(0, name.as_bytes(), games)?,
            None => self.ranked.push(name.as_bytes(), games)?,
        }
        Ok(())
    }

    /// Sorts the names added so far.
    ///
    /// # Errors
    /// [`Error::Io`]: a temporary file cannot be written or read.
    pub fn finish(mut self) -> Result<SortedNames, Error> {
        if let Some(sums) = self.sums.take() {
            let sorted = sums.finish()?;
            let mut reader = sorted.read()?;
            let (mut name, mut sum) = (Vec::new(), None);
            while let Some((_, next, games)) = reader.next()? {
                match &mut sum {
                    Some(sum) if name == next => *sum += games,
                    sum => {
                        if let Some(sum) = sum.replace(games) {
                            self.ranked.push(&name, sum)?;
                        }
                        name.clear();
                        name.extend_from_slice(next);
                    }
                }
            }
            if let Some(sum) = sum {
                self.ranked.push(&name, sum)?;
            }
        }
        let ranked = self.ranked;
        Ok(SortedNames {
            order: ranked.order,
            names: ranked.place.min(ranked.limit),
            most: ranked.most,
        })
    }
}

/// Sorts names that do not repeat.
#[derive(Debug)]
struct Ranked {
    order: RankOrder,
    by_games: bool,
    limit: u64,
    /// The number of names so far.
    place: u64,
    /// The highest numbers of games so far, as many as the limit.
    best: BinaryHeap<Reverse<u64>>,
    /// The highest number of games of a kept name.
    most: u64,
}

impl Ranked {
    fn push(&mut self, name: &[u8], games: u64) -> io::Result<()> {
        let place = self.place;
        self.place += 1;
        if !self.is_wanted(place, games) {
            return Ok(());
        }
        self.most = self.most.max(games);
        let rank = if self.by_games { !games } else { place };
        self.order.put(rank, &[&games.to_le_bytes(), name].concat())
    }

    /// Whether a name may still be among the first `limit` names.
    fn is_wanted(&mut self, place: u64, games: u64) -> bool {
        if !self.by_games {
            return place < self.limit;
        }
        if self.limit > SMALL {
            return true;
        }
        if (self.best.len() as u64) < self.limit {
            self.best.push(Reverse(games));
            return true;
        }
        // Of equal ones the earlier is kept.
        let is_better = self.best.peek().is_some_and(|least| games > least.0);
        if is_better {
            self.best.pop();
            self.best.push(Reverse(games));
        }
        is_better
    }
}

/// A sorted list of names.
#[derive(Debug)]
pub struct SortedNames {
    order: RankOrder,
    names: u64,
    most: u64,
}

impl SortedNames {
    /// The number of names.
    pub fn len(&self) -> u64 {
        self.names
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.names == 0
    }

    /// The highest number of games of a name.
    pub fn most_games(&self) -> u64 {
        self.most
    }

    /// Calls `each` with the names in order.
    ///
    /// # Errors
    /// [`Error::Io`], and those of `each`.
    pub fn each(self, each: &mut dyn FnMut(&str, u64) -> Result<(), Error>) -> Result<(), Error> {
        let mut left = self.names;
        self.order.each(|_, entry| {
            if left == 0 {
                return Ok(());
            }
            left -= 1;
            let named = entry.split_first_chunk();
            let named = named.and_then(|(games, name)| Some((games, str::from_utf8(name).ok()?)));
            let changed = || io::Error::other("a temporary file was changed by another program");
            let (games, name) = named.ok_or_else(changed)?;
            each(name, u64::from_le_bytes(*games))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn listed(options: &NameListOptions, names: &[(String, u64)]) -> (Vec<(String, u64)>, u64) {
        let mut list = NameList::new(options);
        names
            .iter()
            .for_each(|(name, games)| list.add(name, *games).unwrap());
        let sorted = list.finish().unwrap();
        let mut found = Vec::new();
        let (len, is_empty, most) = (sorted.len(), sorted.is_empty(), sorted.most_games());
        sorted
            .each(&mut |name, games| {
                found.push((name.to_owned(), games));
                Ok(())
            })
            .unwrap();
        assert_eq!((len, is_empty), (found.len() as u64, found.is_empty()));
        (found, most)
    }

    /// What the list must be, of names that all fit into memory.
    fn expected(options: &NameListOptions, names: &[(String, u64)]) -> Vec<(String, u64)> {
        let mut expected = names.to_vec();
        if options.several {
            let mut sums: BTreeMap<String, u64> = BTreeMap::new();
            names
                .iter()
                .for_each(|(name, games)| *sums.entry(name.clone()).or_default() += games);
            expected = sums.into_iter().collect();
        }
        if options.by_games {
            expected.sort_by_key(|name| Reverse(name.1));
        }
        if options.limit > 0 {
            expected.truncate(usize::try_from(options.limit).unwrap());
        }
        expected
    }

    #[test]
    fn names_come_in_order_whatever_the_memory_and_the_limit() {
        // 37 and 3001 share no factor: every name comes, in no order of its own.
        let once: Vec<(String, u64)> = (0..3001_u64)
            .map(|i| (format!("n{}", i * 37 % 3001), i * i % 13))
            .collect();
        let again: Vec<(String, u64)> = once.iter().chain(&once[..1000]).cloned().collect();
        for case in 0..60 {
            let options = NameListOptions {
                several: case % 2 == 1,
                by_games: case / 2 % 2 == 1,
                limit: [0, 1, 700, 3001, 100_000][case / 4 % 5],
                memory: [0, 100_000, 1 << 30][case / 20],
                temp_dir: std::env::temp_dir(),
            };
            let names = if options.several { &again } else { &once };
            let expected = expected(&options, names);
            let most = expected.iter().map(|name| name.1).max().unwrap_or(0);
            assert_eq!(listed(&options, names), (expected, most), "{options:?}");
            assert_eq!(listed(&options, &[]), (Vec::new(), 0));
        }
    }
}
