//! Archives, and the games of one that a question found.

use std::path::PathBuf;
use std::sync::Arc;

use pgc::OpenOptions;
use pgc_index::NameField;
use pgc_pgn::tag_column::is_tag_name;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PySlice};

use crate::ask::query;
use crate::change::{Changes, edits, write};
use crate::chosen::{Chosen, sorted};
use crate::error::exception;
use crate::game::{Game, tag_dict};
use crate::watch::watched;

/// Games of an archive: what a question found, or a slice.
#[pyclass(frozen, subclass, module = "pgc")]
pub(crate) struct Games(pub(crate) Chosen);

/// An archive of games, with the index beside it.
#[pyclass(frozen, extends = Games, module = "pgc")]
pub(crate) struct Archive;

/// Opens an archive. With `pass_damage`, games in damaged blocks are left out; otherwise damage is
/// an error. `jobs` is the number of threads; 0 is one for each processor.
#[pyfunction]
#[pyo3(signature = (path, *, pass_damage=false, jobs=0))]
pub(crate) fn open(
    py: Python<'_>,
    path: PathBuf,
    pass_damage: bool,
    jobs: usize,
) -> PyResult<Py<Archive>> {
    let options = OpenOptions::default().passing_damage(pass_damage);
    let opened = watched(py, || {
        let archive = pgc::Archive::open_with(&path, options)?;
        let games = u32::try_from(archive.len()?).unwrap_or(u32::MAX);
        Ok((archive, games))
    })?;
    let (archive, games) = opened.map_err(|error| exception(&path, error))?;
    let games = Games(Chosen {
        archive: Arc::new(archive),
        games: (0..games).collect(),
        jobs,
        pass_damage,
    });
    Py::new(py, PyClassInitializer::from(games).add_subclass(Archive))
}

/// The games of several parts in another order, as runs of games of one archive each.
#[pyfunction]
pub(crate) fn sorted_runs(
    py: Python<'_>,
    parts: Vec<PyRef<'_, Games>>,
    key: &str,
    reverse: bool,
    limit: usize,
) -> PyResult<Vec<Games>> {
    let parts: Vec<&Chosen> = parts.iter().map(|part| &part.0).collect();
    let runs = sorted(py, &parts, (key, reverse), limit)?;
    Ok(runs.into_iter().map(Games).collect())
}

/// The beginning, the end and the offset of damage, the first game and the number of games that are
/// missing, and what is wrong.
type GapParts = (u64, u64, u64, Option<u64>, Option<u64>, String);

#[pymethods]
impl Games {
    /// The number of blocks of the archive. A block has about 1 MiB of PGN, and is decoded as a
    /// whole.
    ///
    /// >>> archive.blocks
    /// 1
    #[getter]
    fn blocks(&self, py: Python<'_>) -> PyResult<u64> {
        self.0.run(py, |archive, _| archive.block_count())
    }

    /// The games of the blocks from `first` up to, but not including, `last`, as the two ends of a
    /// slice of the archive. Work that is divided at these games decodes no block twice.
    ///
    /// >>> archive.games_of_blocks(0, 1)
    /// (0, 13)
    fn games_of_blocks(&self, py: Python<'_>, first: u64, last: u64) -> PyResult<(u64, u64)> {
        let blocks = first..last.max(first);
        let games = |archive: &pgc::Archive, _| archive.games_of_blocks(&blocks);
        self.0.run(py, games).map(|games| (games.start, games.end))
    }

    /// The options with which the archive was opened.
    #[getter]
    fn _options(&self) -> (bool, usize) {
        (self.0.pass_damage, self.0.jobs)
    }

    fn __len__(&self) -> usize {
        self.0.games.len()
    }

    fn __getitem__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let part = if let Ok(slice) = key.cast::<PySlice>() {
            self.0.part(slice)?
        } else if let Ok(places) = key.extract::<Vec<usize>>() {
            self.0.at(&places)?
        } else if let Ok(place) = key.extract::<isize>() {
            return Ok(Py::new(py, self.0.game(py, place)?)?.into_any());
        } else {
            let wrong = "games are numbered from 0: give a number, a slice, or a list of numbers";
            return Err(PyTypeError::new_err(wrong));
        };
        Ok(Py::new(py, Games(part))?.into_any())
    }

    /// The games at these places, without those in damaged blocks.
    fn _games(&self, py: Python<'_>, begin: usize, end: usize) -> PyResult<Vec<Game>> {
        let wanted = self.0.between(begin, end);
        let games = self
            .0
            .run(py, |archive, jobs| archive.games_at(wanted, jobs))?;
        let archive = || Arc::clone(&self.0.archive);
        let game = |game| Game {
            game,
            archive: archive(),
        };
        Ok(games.into_iter().map(game).collect())
    }

    /// The numbers of the games in the archive, from 1.
    #[getter]
    fn numbers(&self) -> Vec<u64> {
        let games = self.0.games.iter();
        let number = |&game: &u32| self.0.archive.number_of(game.into());
        games.map(number).collect()
    }

    /// Finds the games that match questions.
    fn _find(&self, py: Python<'_>, questions: &str) -> PyResult<Games> {
        Ok(Games(self.0.narrowed(py, &query(questions)?)?))
    }

    /// The path of the archive.
    #[getter]
    fn path(&self) -> PathBuf {
        self.0.archive.path().to_owned()
    }

    /// Checks the blocks of these games against their checksums, which does not decode them. Damage is
    /// an error; if the archive was opened with `pass_damage`, `Archive.gaps` has it afterwards.
    fn check_blocks(&self, py: Python<'_>) -> PyResult<()> {
        let mut games = self.0.games.to_vec();
        games.sort_unstable();
        let check = |archive: &pgc::Archive, jobs| archive.check_blocks_of(&games, jobs);
        self.0.run(py, check)
    }

    /// The tags of the games at these places, without those in damaged blocks.
    fn _tags<'py>(
        &self,
        py: Python<'py>,
        begin: usize,
        end: usize,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let wanted = self.0.between(begin, end);
        let tags = self
            .0
            .run(py, |archive, jobs| archive.tags_at(wanted, jobs))?;
        tags.iter().map(|(_, tags)| tag_dict(py, tags)).collect()
    }

    /// Whether the index beside the archive is used.
    #[getter]
    fn indexed(&self) -> bool {
        self.0.archive.index().is_some()
    }

    #[getter]
    fn _gaps(&self) -> Vec<GapParts> {
        let parts = |gap: pgc::Gap| {
            let what = format!("{}: {}", gap.item, gap.what);
            (gap.begin, gap.end, gap.offset, gap.game, gap.games, what)
        };
        self.0.archive.gaps().into_iter().map(parts).collect()
    }

    /// Writes an archive with changed games, and its index. Returns the number of games that changed:
    /// of these games, those that match the questions.
    fn _edit(
        &self,
        py: Python<'_>,
        output: PathBuf,
        changes: Changes,
        delete: bool,
        force: bool,
        questions: Option<&str>,
    ) -> PyResult<u64> {
        let edits = edits(changes, delete);
        let edits = edits.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let is_all = self.0.games.len() as u64 == self.0.run(py, |archive, _| archive.len())?;
        if delete && questions.is_none() && is_all {
            let wrong = "delete needs a question that chooses the games";
            return Err(PyValueError::new_err(wrong));
        }
        let query = questions.map(query).transpose()?;
        let mut games = self.0.games.to_vec();
        games.sort_unstable();
        let games = (!is_all).then_some(games.as_slice());
        let (path, jobs) = (self.0.archive.path(), self.0.jobs);
        let chosen = (query.as_ref(), games);
        let written = watched(py, || write(path, &output, &edits, chosen, (force, jobs)))?;
        written.map_err(|(path, error)| exception(&path, error))
    }

    /// The names of a field (`player`, `event`, `round`, `site`, or any tag), each with its number
    /// of games, in byte order.
    #[pyo3(name = "_names")]
    fn names<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyDict>> {
        let indexed = match field {
            "player" => Some(NameField::Player),
            "event" => Some(NameField::Event),
            "round" => Some(NameField::Round),
            _ => None,
        };
        let field = if field == "site" { "Site" } else { field };
        if indexed.is_none() && !is_tag_name(field) {
            let wrong = format!("names: {field:?}: use player, event, round, site, or a tag (ECO)");
            return Err(PyValueError::new_err(wrong));
        }
        let mut names = Vec::new();
        let mut add = |name: &str, games: u64| {
            names.push((name.to_owned(), games));
            Ok(())
        };
        self.0.run(py, |archive, jobs| match indexed {
            Some(field) => archive.each_name(field, None, jobs, &mut add),
            None => archive.each_tag_name(field, None, jobs, &mut add),
        })?;
        names.into_py_dict(py)
    }
}
