//! Games of an archive that somebody chose.

use std::collections::HashSet;
use std::sync::Arc;

use pgc::Query;
use pgc::ask::order::{SortKey, sort};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::error::{DamagedError, exception};
use crate::game::Game;
use crate::watch::watched;

/// Games of an archive, numbered from 0, in any order.
#[derive(Clone)]
pub(crate) struct Chosen {
    pub(crate) archive: Arc<pgc::Archive>,
    pub(crate) games: Arc<[u32]>,
    pub(crate) jobs: usize,
    pub(crate) pass_damage: bool,
}

impl Chosen {
    /// Does work with the archive and a number of threads, as [`watched`] does.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&pgc::Archive, usize) -> Result<T, pgc::Error> + Send,
    ) -> PyResult<T> {
        let done = watched(py, || work(&self.archive, self.jobs))?;
        done.map_err(|error| exception(self.archive.path(), error))
    }

    /// Other games of the archive.
    pub(crate) fn with(&self, games: Arc<[u32]>) -> Chosen {
        Chosen {
            games,
            ..self.clone()
        }
    }

    /// Those of the games that match, and the answer with them.
    pub(crate) fn found(&self, py: Python<'_>, query: &Query) -> PyResult<(Chosen, pgc::Answer)> {
        let mut answer = self.run(py, |archive, jobs| archive.find(query, jobs))?;
        let mut here = self.games.to_vec();
        here.sort_unstable();
        let (found, last) = (&answer.found.games, here.last().copied());
        // Of an archive from its first game on, all that match are here.
        if last.is_none_or(|last| last as usize >= here.len()) || found.last().copied() > last {
            answer.keep_only(&here);
        }
        let found = answer.found.games.as_slice();
        let games = match self.games.is_sorted() {
            true => found.into(),
            false => {
                let is_found = |game: &u32| found.binary_search(game).is_ok();
                self.games.iter().copied().filter(is_found).collect()
            }
        };
        Ok((self.with(games), answer))
    }

    /// Those of the games that match. Without games, the archive is not asked.
    pub(crate) fn narrowed(&self, py: Python<'_>, query: &Query) -> PyResult<Chosen> {
        if self.games.is_empty() {
            return Ok(self.clone());
        }
        Ok(self.found(py, query)?.0)
    }

    pub(crate) fn game(&self, py: Python<'_>, place: isize) -> PyResult<Game> {
        let count = self.games.len();
        let at = if place < 0 {
            count.checked_add_signed(place)
        } else {
            usize::try_from(place).ok()
        };
        let Some(&game) = at.and_then(|at| self.games.get(at)) else {
            return Err(PyIndexError::new_err(format!("there are {count} games")));
        };
        let found = self.run(py, |archive, _| archive.games_at(&[game], 1))?;
        let archive = Arc::clone(&self.archive);
        match found.into_iter().next() {
            Some(game) => Ok(Game { game, archive }),
            None => Err(DamagedError::new_err("the game is in a damaged block")),
        }
    }

    /// The games from one place to another.
    pub(crate) fn between(&self, begin: usize, end: usize) -> &[u32] {
        let end = end.min(self.games.len());
        &self.games[begin.min(end)..end]
    }

    pub(crate) fn part(&self, slice: &Bound<'_, PySlice>) -> PyResult<Chosen> {
        let count = isize::try_from(self.games.len()).unwrap_or(isize::MAX);
        let slice = slice.indices(count)?;
        let Some(step) = usize::try_from(slice.step).ok().filter(|&step| step > 0) else {
            let wrong = "games come in the order of the archive";
            return Err(PyValueError::new_err(wrong));
        };
        let begin = slice.start.unsigned_abs();
        let games = self.games.iter().skip(begin).step_by(step);
        Ok(self.with(games.take(slice.slicelength).copied().collect()))
    }

    /// The games at these places, which are different.
    pub(crate) fn at(&self, places: &[usize]) -> PyResult<Chosen> {
        let game = |&place| self.games.get(place).copied();
        let games: Option<Vec<u32>> = places.iter().map(game).collect();
        let missing = || format!("there are {} games", self.games.len());
        let games = games.ok_or_else(|| PyIndexError::new_err(missing()))?;
        let mut once = HashSet::new();
        if !games.iter().all(|game| once.insert(game)) {
            return Err(PyValueError::new_err("a list of games has each only once"));
        }
        Ok(self.with(games.into()))
    }
}

/// The games of several parts in the order of a key of `pgc find --sort`, the first `limit` of them,
/// as runs of games of one archive each.
pub(crate) fn sorted(
    py: Python<'_>,
    parts: &[&Chosen],
    (key, reverse): (&str, bool),
    limit: usize,
) -> PyResult<Vec<Chosen>> {
    let Some(key) = SortKey::from_name(key) else {
        let all = SortKey::names().collect::<Vec<_>>().join(", ");
        return Err(PyValueError::new_err(format!("sort: {key:?}: use {all}")));
    };
    let parts_games = (0..).zip(parts);
    let games = parts_games.flat_map(|(at, part)| part.games.iter().map(move |&game| (at, game)));
    let mut games: Vec<(u32, u32)> = games.collect();
    games.sort_unstable();
    if let Some(first) = parts.first() {
        let archives: Vec<&pgc::Archive> = parts.iter().map(|part| &*part.archive).collect();
        let sorted = watched(py, || sort(&archives, &mut games, key, first.jobs))?;
        sorted.map_err(|error| exception(&std::env::temp_dir(), error))?;
    }
    if reverse {
        games.reverse();
    }
    games.truncate(limit);
    let run = |run: &[(u32, u32)]| {
        let games = run.iter().map(|game| game.1);
        parts[run[0].0 as usize].with(games.collect())
    };
    Ok(games.chunk_by(|a, b| a.0 == b.0).map(run).collect())
}
