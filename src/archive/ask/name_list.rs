//! Names with their games, put in order beyond memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::path::{Path, PathBuf};

use crate::index::{Sorted, Sorter, Temp};
use crate::run::Error;

/// Bytes of memory for a list, about; sorters use an eighth each.
const MEMORY: usize = 128 << 20;

/// Before a name that is sorted stand two numbers of eight bytes that it is sorted by.
const RANK: usize = 16;

/// With a limit up to this, names that cannot be among the first any more are not kept at all.
const SMALL: u64 = 1 << 16;

/// How a [`NameList`] is put in order.
#[derive(Clone, Debug)]
pub struct NameListOptions {
    /// Names may come again, in any order: their games are added up, and they are put in the order
    /// of their bytes. Otherwise the names are those of one archive, whose order is kept.
    pub several: bool,
    /// The names with the most games come first; of equal ones the order is kept.
    pub by_games: bool,
    /// Only so many of the first; 0: all.
    pub limit: u64,
    /// Bytes of memory, about.
    pub memory: usize,
    /// The folder for what is more.
    pub temp_dir: PathBuf,
}

impl NameListOptions {
    /// All names of one archive, in its order.
    #[must_use]
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

/// Gathers names with the numbers of their games, and puts them in order. What does not fit into
/// memory lies in a temporary file.
#[derive(Debug)]
pub struct NameList {
    /// Names that may come again.
    sums: Option<Sorter>,
    ranked: Ranked,
}

impl NameList {
    /// An empty list.
    #[must_use]
    pub fn new(options: &NameListOptions) -> NameList {
        let temp = Temp {
            dir: options.temp_dir.clone(),
            memory: options.memory,
        };
        NameList {
            sums: options.several.then(|| Sorter::new(&temp)),
            ranked: Ranked {
                sorter: Sorter::new(&temp),
                by_games: options.by_games,
                limit: if options.limit == 0 {
                    u64::MAX
                } else {
                    options.limit
                },
                place: 0,
                best: BinaryHeap::new(),
                most: 0,
            },
        }
    }

    /// Adds a name that is in so many games.
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

    /// No more comes.
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
        let Ranked {
            sorter,
            limit,
            most,
            place,
            ..
        } = self.ranked;
        Ok(SortedNames {
            sorted: sorter.finish()?,
            names: place.min(limit),
            most,
        })
    }
}

/// Sorts names that come once each.
#[derive(Debug)]
struct Ranked {
    sorter: Sorter,
    by_games: bool,
    limit: u64,
    /// Names that came.
    place: u64,
    /// The most games that came, as many as the limit.
    best: BinaryHeap<Reverse<u64>>,
    /// The games of the name with the most, of those that are wanted.
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
        // The highest byte first, so that the bytes are in the order of the numbers.
        let [rank, place] = [rank, place].map(|number| number.swap_bytes().to_le_bytes());
        let text = [&rank[..], &place, name].concat();
        self.sorter.push(0, &text, games)
    }

    /// Whether a name may be among the first so many, as far as is known.
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
        // Of equal ones the earlier is wanted.
        let is_better = self.best.peek().is_some_and(|least| games > least.0);
        if is_better {
            self.best.pop();
            self.best.push(Reverse(games));
        }
        is_better
    }
}

/// Names in order.
#[derive(Debug)]
pub struct SortedNames {
    sorted: Sorted,
    names: u64,
    most: u64,
}

impl SortedNames {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.names
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names == 0
    }

    /// The most games that one of them is in.
    #[must_use]
    pub fn most_games(&self) -> u64 {
        self.most
    }

    /// Gives them in their order.
    ///
    /// # Errors
    /// [`Error::Io`], and those of `each`.
    pub fn each(&self, each: &mut dyn FnMut(&str, u64) -> Result<(), Error>) -> Result<(), Error> {
        let mut reader = self.sorted.read()?;
        for _ in 0..self.names {
            let Some((_, text, games)) = reader.next()? else {
                break;
            };
            let name = text
                .get(RANK..)
                .and_then(|name| std::str::from_utf8(name).ok());
            each(
                name.ok_or_else(|| {
                    io::Error::other("a temporary file was changed by another program")
                })?,
                games,
            )?;
        }
        Ok(())
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
        sorted
            .each(&mut |name, games| {
                found.push((name.to_owned(), games));
                Ok(())
            })
            .unwrap();
        assert_eq!(
            (sorted.len(), sorted.is_empty()),
            (found.len() as u64, found.is_empty())
        );
        (found, sorted.most_games())
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
