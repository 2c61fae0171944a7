//! Games of an archive that somebody chose.

use std::sync::Arc;

use pgc::Query;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::error::exception;
use crate::game::Game;

/// Games of an archive, numbered from 0, ascending.
#[derive(Clone)]
pub(crate) struct Chosen {
    pub(crate) archive: Arc<pgc::Archive>,
    pub(crate) games: Arc<[u32]>,
    pub(crate) jobs: usize,
}

impl Chosen {
    /// Those of the games that match, and the answer for the whole archive.
    pub(crate) fn found(&self, py: Python<'_>, query: &Query) -> PyResult<(Chosen, pgc::Answer)> {
        let answer = py.detach(|| self.archive.find(query, self.jobs));
        let answer = answer.map_err(|error| exception(self.archive.path(), error))?;
        let game = |number: u64| u32::try_from(number - 1).unwrap_or(u32::MAX);
        let mut here = self.games.iter().peekable();
        let mut is_here = |game: &u32| {
            while here.next_if(|&known| known < game).is_some() {}
            here.peek() == Some(&game)
        };
        let found = Chosen {
            games: answer.numbers().map(game).filter(&mut is_here).collect(),
            ..self.clone()
        };
        Ok((found, answer))
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
        let found = py.detach(|| self.archive.games_at(&[game], 1));
        let found = found.map_err(|error| exception(self.archive.path(), error))?;
        let archive = Arc::clone(&self.archive);
        match found.into_iter().next() {
            Some(game) => Ok(Game { game, archive }),
            None => Err(crate::error::Error::new_err(
                "the game is in a damaged block",
            )),
        }
    }

    pub(crate) fn part(&self, slice: &Bound<'_, PySlice>) -> PyResult<Chosen> {
        let count = isize::try_from(self.games.len()).unwrap_or(isize::MAX);
        let slice = slice.indices(count)?;
        let Some(step) = usize::try_from(slice.step).ok().filter(|&step| step > 0) else {
            return Err(PyValueError::new_err(
                "games come in the order of the archive",
            ));
        };
        let begin = slice.start.unsigned_abs();
        let games = self
            .games
            .iter()
            .skip(begin)
            .step_by(step)
            .take(slice.slicelength);
        Ok(Chosen {
            games: games.copied().collect(),
            ..self.clone()
        })
    }
}
