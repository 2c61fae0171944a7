//! Answers to searches. The last few are kept, so that a table that is scrolled does not search
//! again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use pgc::internals::archive::{SortKey, sort};
use pgc::{Archive, Query};

use super::shelf::{Edition, Shelf};
use crate::cli::failure::{self, WithName};
use crate::cli::footer::Footer;
use crate::cli::output::shown;

/// The number of answers that are kept, and the memory that they may take together. The newest is
/// kept whatever it takes.
const KEPT: usize = 8;
const MEMORY: usize = 256 << 20;

/// The games that a search found.
pub(super) struct FoundGames {
    pub(super) edition: Edition,
    /// The games found in each archive, from 0.
    found: Vec<Vec<u32>>,
    /// For a question about positions, the ply of each.
    plies: Vec<Vec<u32>>,
    /// The number of games before those of each archive, and of all.
    begins: Vec<usize>,
    /// If they are sorted: position of the archive, number of the game from 0.
    order: Option<Vec<(u32, u32)>>,
    /// What there is to say about the answer.
    pub(super) notes: Vec<String>,
}

impl FoundGames {
    pub(super) fn search(
        shelf: &Shelf,
        edition: Edition,
        query: Query,
        key: Option<SortKey>,
    ) -> anyhow::Result<FoundGames> {
        let (people, jobs) = (&shelf.lookup.people, shelf.lookup.run.jobs);
        let maybe = query.maybe;
        let query = people.prepare(query)?;
        let (mut found, mut plies, mut begins) = (Vec::new(), Vec::new(), vec![0]);
        let mut footer = Footer::new(edition.archives.len() > 1);
        let mut damage = Vec::new();
        for served in edition.archives.iter() {
            let archive = &served.archive;
            let query = people.beside(&query, archive.path())?;
            let named = || shown(archive.path());
            let answer = archive.find(&query, jobs).named(named)?;
            footer.add(archive, &answer, jobs).named(named)?;
            let errors = answer.damage.iter();
            damage.extend(errors.map(|error| format!("{}: {error}", named())));
            if !archive.gaps().is_empty() {
                damage.push(format!(
                    "{}: part of it is damaged, and its games are not in the answer",
                    named()
                ));
            }
            begins.push(begins.last().unwrap_or(&0) + answer.found.games.len());
            found.push(answer.found.games);
            plies.push(answer.plies);
        }
        let mut notes = footer.lines(begins.last().map_or(0, |&all| all as u64), maybe);
        notes.append(&mut damage);
        let mut games = FoundGames {
            edition,
            found,
            plies,
            begins,
            order: None,
            notes,
        };
        if let Some(key) = key {
            let mut order = (0..games.len()).map(|place| games.at(place)).collect();
            let archives = games.edition.archives.iter();
            let archives: Vec<&Archive> = archives.map(|served| &served.archive).collect();
            sort(&archives, &mut order, key, jobs)
                .map_err(|fault| failure::of_archive(fault, |place| archives[place].path()))?;
            games.order = Some(order);
        }
        Ok(games)
    }

    pub(super) fn len(&self) -> usize {
        self.begins.last().copied().unwrap_or(0)
    }

    /// Some of the games: position of the archive, number of the game from 0.
    pub(super) fn page(&self, offset: usize, limit: usize, reverse: bool) -> Vec<(u32, u32)> {
        let all = self.len();
        let from = offset.min(all);
        let places = from..from.saturating_add(limit).min(all);
        let game = |place: usize| match &self.order {
            Some(order) => order[place],
            None => self.at(place),
        };
        places
            .map(|place| game(if reverse { all - 1 - place } else { place }))
            .collect()
    }

    /// The ply of the position that was asked for.
    pub(super) fn ply(&self, (archive, game): (u32, u32)) -> Option<u32> {
        let place = self.found[archive as usize].binary_search(&game).ok()?;
        self.plies[archive as usize].get(place).copied()
    }

    /// The game at a place in the order of the archives.
    fn at(&self, place: usize) -> (u32, u32) {
        let archive = self.begins.partition_point(|&begin| begin <= place);
        let archive = archive.saturating_sub(1);
        (
            u32::try_from(archive).unwrap_or(u32::MAX),
            self.found[archive][place - self.begins[archive]],
        )
    }

    fn memory(&self) -> usize {
        let order = self.order.as_ref().map_or(0, Vec::len);
        let plies: usize = self.plies.iter().map(Vec::len).sum();
        (self.len() + plies + 2 * order) * size_of::<u32>()
    }
}

/// A search: the command line, and the sort key.
pub(super) type Search = (String, Option<SortKey>);

/// The answers that are kept, the newest last.
#[derive(Default)]
pub(super) struct KeptAnswers(Mutex<VecDeque<(Search, Arc<FoundGames>)>>);

impl KeptAnswers {
    pub(super) fn known(&self, search: &Search, edition: u64) -> Option<Arc<FoundGames>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|answer| answer.1.edition.number == edition);
        let place = kept.iter().position(|answer| answer.0 == *search)?;
        let answer = kept.remove(place)?;
        let games = answer.1.clone();
        kept.push_back(answer);
        Some(games)
    }

    pub(super) fn keep(&self, search: Search, games: Arc<FoundGames>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((search, games));
        let memory = |kept: &VecDeque<(Search, Arc<FoundGames>)>| {
            kept.iter().map(|answer| answer.1.memory()).sum::<usize>()
        };
        while kept.len() > KEPT || (kept.len() > 1 && memory(&kept) > MEMORY) {
            kept.pop_front();
        }
    }
}
