//! Finds the games that archives have more than once.

use std::cmp::Reverse;
use std::path::PathBuf;

use crate::dups::copies::Worths;
use crate::dups::fields::{FieldReader, split};
use crate::dups::inside::{Copies, InsideSearch};
use crate::dups::lines::{DupCounts, add_lines, plies};
use crate::dups::same::{GameFields, sets};
use crate::open::Archive;
use crate::run::{Error, go_on};
use pgc_index::{Sorted, Sorter, Temp};

/// Two games do not share this many plies by chance (D66): as copies, they need no known player.
pub const LONG: usize = 50;

/// The least number of plies of a game that counts as the beginning of another (D66).
pub(crate) const BEGINNING: usize = 10;

/// How to look for duplicates.
#[derive(Clone, Debug)]
pub struct DupOptions {
    /// Number of threads; 0 is one for each processor.
    pub threads: usize,
    /// Approximate memory in bytes for sorting.
    pub memory: usize,
    /// The folder for temporary files.
    pub temp_dir: PathBuf,
    /// Look for games inside others.
    pub inside: bool,
    /// Look for games with the same moves, but other names, years or results.
    pub names: bool,
    /// Read which copy of a game is the best; else the first counts as the best.
    pub best: bool,
    /// From this many plies on, games with the same moves need no known player to be copies.
    pub long: usize,
}

/// Groups, one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups<T> {
    members: Vec<T>,
    /// Where each group ends.
    ends: Vec<usize>,
}

/// Groups of games.
pub type DupGroups = Groups<DupGame>;

/// A game of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DupGame {
    /// The position of its archive among the arguments, and its number there, from 0.
    pub game: (u32, u32),
    /// Whether it is spare.
    pub is_spare: bool,
}

impl<T> Groups<T> {
    /// The number of groups.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The groups; those that are found, in the order of the first game of each.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = begins.zip(&self.ends);
        ranges.map(|(begin, &end)| &self.members[begin..end])
    }

    fn push(&mut self, group: impl Iterator<Item = T>) {
        self.members.extend(group);
        self.ends.push(self.members.len());
    }
}

impl DupGroups {
    /// All spare games, ascending.
    pub fn spare(&self) -> Vec<(u32, u32)> {
        let spare = self.members.iter().filter(|member| member.is_spare);
        let mut spare: Vec<(u32, u32)> = spare.map(|member| member.game).collect();
        spare.sort_unstable();
        spare
    }
}

impl Groups<u64> {
    /// The groups, in the order of their first games; the games of each ascend.
    fn in_order(&self) -> Vec<&[u64]> {
        let mut groups: Vec<&[u64]> = self.iter().collect();
        groups.sort_unstable_by_key(|group| group[0]);
        groups
    }
}

/// A game, `archive << 32 | game`, as a member of a group.
fn member(game: u64, is_spare: bool) -> DupGame {
    let game = split(game);
    DupGame { game, is_spare }
}

/// The games that archives have more than once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Duplicates {
    /// Copies of a game, the best first; the others are spare.
    pub same: DupGroups,
    /// Games of which some are the beginning of others; the longer games come first. A beginning is
    /// spare if a game that continues it has at least as much annotation, and the same result (if
    /// the beginning has one).
    pub inside: DupGroups,
    /// Games with the same moves that differ in players, year or result. None is spare.
    pub names: DupGroups,
    /// The numbers of games compared and left out.
    pub counts: DupCounts,
}

/// Finds the duplicates among games (D66). `games` has a list for each archive: numbers of games,
/// from 0, ascending. Time is about that of reading the archives; temporary files hold what exceeds
/// the memory.
///
/// # Examples
/// ```
/// use pgc::dups::find::{DupOptions, duplicates};
/// use pgc::{Archive, NoHooks, PackOptions, pack};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("two.pgc");
/// let mut bytes = Vec::new();
/// let game = "[White \"Réti, R\"]\n[Black \"Tal\"]\n\n1. e4 e5 *\n\n";
/// let pgn = [game, &game.replace("Réti, R", "R Reti")].concat();
/// pack(&mut pgn.as_bytes(), "two.pgn", &mut bytes, &PackOptions::default(), &mut NoHooks)?;
/// std::fs::write(&path, bytes)?;
///
/// let archive = Archive::open(&path)?;
/// let found = duplicates(&[&archive], &[vec![0, 1]], &DupOptions::new(folder.path()))?;
/// let copies = found.same.iter().next().unwrap();
/// assert_eq!([copies[0].game, copies[1].game], [(0, 0), (0, 1)]);
/// # Ok::<(), pgc::Error>(())
/// ```
///
/// # Errors
/// [`crate::Error::Damaged`], [`crate::Error::Io`], [`crate::Error::Cancelled`].
pub fn duplicates(
    archives: &[&Archive],
    games: &[Vec<u32>],
    options: &DupOptions,
) -> Result<Duplicates, Error> {
    let temp = Temp {
        dir: options.temp_dir.clone(),
        memory: options.memory,
    };
    let mut sorter = Sorter::new(&temp);
    let mut found = Duplicates::default();
    for (number, (archive, games)) in archives.iter().zip(games).enumerate() {
        let to = (&mut sorter, &mut found.counts);
        let added = add_lines(archive, number as u64, games, to, options.threads);
        added.map_err(|error| archive.named(error))?;
    }
    let sorted = sorter.finish()?;
    let mut search = DupSearch {
        archives,
        options,
        fields: FieldReader::new(archives, games, &temp, options.threads)?,
        same: Groups::default(),
        names: Groups::default(),
        inside: InsideSearch::default(),
    };
    search.all(&sorted)?;
    drop(sorted);
    search.finish(found)
}

impl DupOptions {
    /// The usual options: all kinds.
    pub fn new(temp_dir: impl Into<PathBuf>) -> DupOptions {
        DupOptions {
            threads: 0,
            memory: 256 << 20,
            temp_dir: temp_dir.into(),
            inside: true,
            names: true,
            best: true,
            long: LONG,
        }
    }
}

struct DupSearch<'a> {
    archives: &'a [&'a Archive],
    options: &'a DupOptions,
    fields: FieldReader<'a>,
    same: Groups<u64>,
    names: Groups<u64>,
    inside: InsideSearch,
}

impl DupSearch<'_> {
    fn all(&mut self, sorted: &Sorted) -> Result<(), Error> {
        let mut reader = sorted.read()?;
        let (mut lead, mut line, mut games) = (0, Vec::new(), Vec::new());
        while let Some((next_lead, next_line, game)) = reader.next()? {
            if next_lead != lead || next_line != line {
                self.line(lead, &line, &games)?;
                lead = next_lead;
                line.clear();
                line.extend_from_slice(next_line);
                games.clear();
                go_on(0)?;
            }
            games.push(game);
        }
        self.line(lead, &line, &games)
    }

    /// Adds the games with one line.
    fn line(&mut self, lead: u32, line: &[u8], games: &[u64]) -> Result<(), Error> {
        let plies = plies(lead, line);
        if self.options.inside && plies >= BEGINNING {
            self.inside.add(lead, line, games, &self.fields)?;
        }
        if games.len() < 2 {
            return Ok(());
        }
        let is_long = plies >= self.options.long;
        let sets = sets(&self.fields.read(games)?, is_long);
        if self.options.names && is_long && sets.iter().any(|set| *set != sets[0]) {
            self.names.push(games.iter().copied());
        }
        let in_sets = sets.into_iter().zip(games);
        let in_sets = in_sets.filter_map(|(set, &game)| Some((set?, game)));
        let mut in_sets: Vec<(u32, u64)> = in_sets.collect();
        in_sets.sort_unstable();
        for set in in_sets.chunk_by(|a, b| a.0 == b.0) {
            if set.len() > 1 {
                self.same.push(set.iter().map(|game| game.1));
            }
        }
        Ok(())
    }

    fn finish(self, mut found: Duplicates) -> Result<Duplicates, Error> {
        let (archives, threads) = (self.archives, self.options.threads);
        let ranked = self.same.members.iter().filter(|_| self.options.best);
        let worths = Worths::read(archives, ranked.copied(), threads)?;
        for group in self.same.in_order() {
            let mut copies = group.to_vec();
            copies.sort_unstable_by_key(|&game| (Reverse(worths.worth(game)), game));
            let copies = copies.into_iter().enumerate();
            found
                .same
                .push(copies.map(|(at, game)| member(game, at > 0)));
        }
        for group in self.names.in_order() {
            let games = group.iter();
            found.names.push(games.map(|&game| member(game, false)));
        }
        let linked = self.inside.found;
        let games = linked.iter().flat_map(|copies| &copies.games).copied();
        let worths = Worths::read(archives, games, threads)?;
        let mut merits = Vec::with_capacity(linked.len());
        for copies in &linked {
            let fields = self.fields.read(&copies.games)?.into_iter();
            let notes = copies.games.iter().map(|&game| worths.notes(game));
            let of_games = notes.zip(fields.map(GameFields::result));
            merits.push(of_games.collect::<Vec<_>>());
        }
        found.inside = nested(&linked, &merits);
        Ok(found)
    }
}

/// The groups of games that are linked, directly or by others. `merits` are the amount of
/// annotation and the result of each game.
fn nested(linked: &[Copies], merits: &[Vec<(u32, u32)>]) -> DupGroups {
    // A beginning comes before the games that continue it. `most_behind` has, for each beginning
    // and result, the most annotation of a game that continues it; at 0, of any such game.
    let mut first: Vec<usize> = (0..linked.len()).collect();
    let mut most_behind: Vec<[Option<u32>; 4]> = vec![[None; 4]; linked.len()];
    let mut least: Vec<u64> = vec![u64::MAX; linked.len()];
    for (number, copies) in linked.iter().enumerate() {
        if let Some(beginning) = copies.beginning {
            first[number] = first[beginning];
            for &(notes, result) in &merits[number] {
                for result in [0, result as usize] {
                    let most = &mut most_behind[beginning][result];
                    *most = (*most).max(Some(notes));
                }
            }
        }
        let least = &mut least[first[number]];
        *least = copies.games.iter().copied().fold(*least, u64::min);
    }
    let mut order: Vec<usize> = (0..linked.len()).collect();
    order.sort_by_key(|&number| (least[first[number]], Reverse(number)));
    let mut groups = DupGroups::default();
    for group in order.chunk_by(|&a, &b| first[a] == first[b]) {
        groups.push(group.iter().flat_map(|&number| {
            let games = linked[number].games.iter().zip(&merits[number]);
            let most_behind = &most_behind[number];
            games.map(move |(&game, &(notes, result))| {
                let most = most_behind[result as usize];
                member(game, most.is_some_and(|most| most >= notes))
            })
        }));
    }
    groups
}
