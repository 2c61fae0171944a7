//! Answers to searches. The last few are kept, so that scrolling the table does not repeat a
//! search.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use pgc::ask::order::{SortKey, sort};
use pgc::{Archive, Query};

use super::shelf::{Edition, Shelf};
use crate::failure::WithName;
use crate::files::copies::FoundLists;
use crate::show::footer::Footer;

/// The most answers that are kept, and the most bytes that they may take together. The newest
/// answer is kept even if it is larger.
const KEPT: usize = 8;
const MEMORY: usize = 256 << 20;

/// The games that a search found.
pub(super) struct FoundGames {
    pub(super) edition: Edition,
    pub(super) found: FoundLists,
    /// The games in sorted order, if a sort key was given: position of the archive, number of the
    /// game from 0.
    order: Option<Vec<(u32, u32)>>,
    /// The lines to show with the answer.
    pub(super) notes: Vec<String>,
}

impl FoundGames {
    pub(super) fn search(
        shelf: &Shelf,
        edition: Edition,
        query: Query,
        key: Option<SortKey>,
    ) -> anyhow::Result<FoundGames> {
        let lookup = &shelf.lookup;
        let query = lookup.people.prepare(query)?;
        let several = edition.archives.len();
        let mut found = vec![Vec::new(); several];
        let mut plies = vec![Vec::new(); several];
        let mut footer = Footer::new(several > 1);
        let mut damage = edition.ask(&query, lookup, |place, archive, _, answer| {
            let added = footer.add(archive, (&query, &answer), lookup.run.jobs);
            added.at(archive.path())?;
            (found[place], plies[place]) = (answer.found.games, answer.plies);
            Ok(())
        })?;
        let found = FoundLists::new((found, plies));
        let mut notes = footer.lines();
        notes.append(&mut damage);
        let mut order = None;
        if let Some(key) = key {
            let games = order.insert((0..found.len()).map(|place| found.at(place)).collect());
            let archives = edition.archives.iter();
            let archives: Vec<&Archive> = archives.map(|served| &*served.archive).collect();
            sort(&archives, games, key, lookup.run.jobs)?;
        }
        Ok(FoundGames {
            edition,
            found,
            order,
            notes,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    /// At most `limit` games from `offset` on: position of the archive, number of the game from 0.
    pub(super) fn page(&self, offset: usize, limit: usize, reverse: bool) -> Vec<(u32, u32)> {
        let all = self.len();
        let from = offset.min(all);
        let places = from..from.saturating_add(limit).min(all);
        let game = |place: usize| {
            let place = if reverse { all - 1 - place } else { place };
            let sorted = self.order.as_ref().map(|order| order[place]);
            sorted.unwrap_or_else(|| self.found.at(place))
        };
        places.map(game).collect()
    }

    /// The place of a game among all, if it was found.
    pub(super) fn place(&self, game: (u32, u32), reverse: bool) -> Option<usize> {
        let mut games = self.page(0, self.len(), false).into_iter();
        let place = games.position(|found| found == game)?;
        Some(if reverse {
            self.len() - 1 - place
        } else {
            place
        })
    }

    fn memory(&self) -> usize {
        let order = self.order.as_ref().map_or(0, Vec::len);
        self.found.memory() + 2 * order * size_of::<u32>()
    }
}

/// A search: the command line, and the sort key.
pub(super) type SearchKey = (String, Option<SortKey>);

/// The answers that are kept, the newest last.
#[derive(Default)]
pub(super) struct KeptAnswers(Mutex<VecDeque<(SearchKey, Arc<FoundGames>)>>);

impl KeptAnswers {
    pub(super) fn known(&self, search: &SearchKey, edition: u64) -> Option<Arc<FoundGames>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|answer| answer.1.edition.number == edition);
        let place = kept.iter().position(|answer| answer.0 == *search)?;
        let answer = kept.remove(place)?;
        let games = answer.1.clone();
        kept.push_back(answer);
        Some(games)
    }

    pub(super) fn keep(&self, search: SearchKey, games: Arc<FoundGames>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((search, games));
        let memory = |kept: &VecDeque<(SearchKey, Arc<FoundGames>)>| {
            kept.iter().map(|answer| answer.1.memory()).sum::<usize>()
        };
        while kept.len() > KEPT || (kept.len() > 1 && memory(&kept) > MEMORY) {
            kept.pop_front();
        }
    }
}
