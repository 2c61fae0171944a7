//! Archives, and the games of one that a question found.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use pgc::ask::node::TreeNode;
use pgc::ask::players::MatchedPlayers;
use pgc::ask::stats::{PlayerStats, Tally};
use pgc::{OpenOptions, Query};
use pgc_index::NameField;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PySlice};

use crate::change::{copies, edits, write};
use crate::chosen::{Chosen, sorted};
use crate::error::exception;
use crate::game::{Game, tag_dict};
use crate::query::query;
use crate::table::{Table, selection};

/// The number of games that an iterator reads together: the first time, and the most. It doubles
/// each time.
const FIRST: usize = 64;
const MOST: usize = 4096;

impl Chosen {
    fn item(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        if let Ok(slice) = key.cast::<PySlice>() {
            return Ok(Py::new(py, Games(self.part(slice)?))?.into_any());
        }
        if let Ok(places) = key.extract::<Vec<usize>>() {
            return Ok(Py::new(py, Games(self.at(&places)?))?.into_any());
        }
        let Ok(place) = key.extract::<isize>() else {
            let wrong = "games are numbered from 0: give a number, a slice, or a list of numbers";
            return Err(PyTypeError::new_err(wrong));
        };
        Ok(Py::new(py, self.game(py, place)?)?.into_any())
    }

    fn table(&self, columns: Option<&[String]>, table: &str) -> PyResult<Table> {
        Ok(Table {
            chosen: vec![self.clone()],
            selection: selection(columns, table)?,
        })
    }
}

/// Games of an archive: what a question found, or a slice.
#[pyclass(frozen, module = "pgc")]
pub(crate) struct Games(Chosen);

/// An archive of games, with the index beside it.
#[pyclass(frozen, module = "pgc")]
pub(crate) struct Archive(Chosen);

/// Opens an archive. With `pass_damage`, games in damaged blocks are left out; otherwise damage is
/// an error. `jobs` is the number of threads; 0 is one for each processor.
#[pyfunction]
#[pyo3(signature = (path, *, pass_damage=false, jobs=0))]
pub(crate) fn open(
    py: Python<'_>,
    path: PathBuf,
    pass_damage: bool,
    jobs: usize,
) -> PyResult<Archive> {
    let options = OpenOptions::default().passing_damage(pass_damage);
    let opened = py.detach(|| {
        let archive = pgc::Archive::open_with(&path, options)?;
        let games = u32::try_from(archive.len()?).unwrap_or(u32::MAX);
        Ok((archive, games))
    });
    let (archive, games) = opened.map_err(|error| exception(&path, error))?;
    Ok(Archive(Chosen {
        archive: Arc::new(archive),
        games: (0..games).collect(),
        jobs,
        pass_damage,
    }))
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

impl Archive {
    fn asked(&self, py: Python<'_>, questions: Option<&Bound<'_, PyDict>>) -> PyResult<Chosen> {
        match questions {
            None => Ok(self.0.clone()),
            Some(_) => self.0.narrowed(py, &query(questions)?),
        }
    }
}

/// The query of a string, or of keyword arguments.
fn asked(text: Option<&str>, questions: Option<&Bound<'_, PyDict>>) -> PyResult<Query> {
    let Some(text) = text else {
        return query(questions);
    };
    if questions.is_some() {
        let wrong = "ask by a string or by keyword arguments, not by both";
        return Err(PyTypeError::new_err(wrong));
    }
    Query::parse(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn gap<'py>(py: Python<'py>, gap: &pgc::Gap) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("begin", gap.begin)?;
    dict.set_item("end", gap.end)?;
    dict.set_item("first_game", gap.game)?;
    dict.set_item("games", gap.games)?;
    dict.set_item("offset", gap.offset)?;
    dict.set_item("what", format!("{}: {}", gap.item, gap.what))?;
    Ok(dict)
}

#[pymethods]
impl Archive {
    /// The path of the archive.
    #[getter]
    fn path(&self) -> PathBuf {
        self.0.archive.path().to_owned()
    }

    /// Whether the index beside the archive is used.
    #[getter]
    fn indexed(&self) -> bool {
        self.0.archive.index().is_some()
    }

    /// The options with which the archive was opened.
    #[getter]
    fn _options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.0.options(py)
    }

    fn __len__(&self) -> usize {
        self.0.games.len()
    }

    fn __getitem__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.0.item(py, key)
    }

    fn __iter__(&self) -> GameIterator {
        GameIterator(Portions::new(&self.0))
    }

    /// Finds games. The keyword arguments are the questions of `pgc find`, with `_` for `-`; a list
    /// matches any of its values. Instead, one string may have the questions as they follow
    /// `pgc find ARCHIVE` on a command line.
    ///
    /// >>> len(archive.find(player="anderssen", date=["1851", "1852"], not_result="black"))
    /// 2
    /// >>> len(archive.find("-p anderssen -d 1851..1852 --not-result black"))
    /// 2
    #[pyo3(signature = (text=None, /, **questions))]
    fn find(
        &self,
        py: Python<'_>,
        text: Option<&str>,
        questions: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Games> {
        Ok(Games(self.0.narrowed(py, &asked(text, questions)?)?))
    }

    /// The number of blocks. A block has about 1 MiB of PGN, and is decoded as a whole.
    ///
    /// >>> archive.blocks
    /// 1
    #[getter]
    fn blocks(&self, py: Python<'_>) -> PyResult<u64> {
        self.0.run(py, |archive, _| archive.block_count())
    }

    /// The games of the blocks from `first` up to, but not including, `last`, as the two ends of a
    /// slice. Work that is divided at these games decodes no block twice.
    ///
    /// >>> archive.games_of_blocks(0, 1)
    /// (0, 13)
    fn games_of_blocks(&self, py: Python<'_>, first: u64, last: u64) -> PyResult<(u64, u64)> {
        let blocks = first..last.max(first);
        let games = self
            .0
            .run(py, |archive, _| archive.games_of_blocks(&blocks))?;
        Ok((games.start, games.end))
    }

    /// The damage met so far, if the archive was opened with `pass_damage`: for each gap its bytes
    /// in the archive, the number of games missing, and the number of the first of them, from 1
    /// (`None` where unknown).
    #[getter]
    fn gaps<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let gaps = self.0.archive.gaps();
        gaps.iter().map(|found| gap(py, found)).collect()
    }

    /// The tags of each game as a dict, without reading moves.
    #[pyo3(signature = (**questions))]
    fn tags(&self, py: Python<'_>, questions: Option<&Bound<'_, PyDict>>) -> PyResult<TagIterator> {
        Ok(TagIterator(Portions::new(&self.asked(py, questions)?)))
    }

    /// A table of games (or `table="positions"`) for any reader of Arrow streams; see
    /// spec/tables.md for the columns. Each time that the table is read, pgc reads the archive; or
    /// only its index, if that has all columns, and then damage in the archive stays unnoticed.
    #[pyo3(signature = (columns=None, *, table="games", **questions))]
    fn to_arrow(
        &self,
        py: Python<'_>,
        columns: Option<Vec<String>>,
        table: &str,
        questions: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Table> {
        self.asked(py, questions)?.table(columns.as_deref(), table)
    }

    /// What a player scored, in total and with each colour: the games of those matching names that
    /// can be one person's. `other_names` has the others; `all_names=True` adds up all.
    #[pyo3(signature = (*, all_names=false, **questions))]
    fn stats<'py>(
        &self,
        py: Python<'py>,
        all_names: bool,
        questions: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let query = query(questions)?;
        if !PlayerStats::has_subject(&query) {
            let wrong = "name the player: player=, white= or black=";
            return Err(PyValueError::new_err(wrong));
        }
        let (chosen, answer) = self.0.found(py, &query)?;
        let mut stats = PlayerStats::default();
        let players = chosen.run(py, |archive, jobs| {
            let mut matched = MatchedPlayers::default();
            archive.add_to_players(&mut matched, &query, &answer, jobs)?;
            let players = matched.choose(all_names);
            archive.add_to_stats(&mut stats, &query, &answer, Some(&players), jobs)?;
            Ok(players)
        })?;
        let dict = tally(py, &stats.all)?;
        dict.set_item("white", tally(py, &stats.colours[0])?)?;
        dict.set_item("black", tally(py, &stats.colours[1])?)?;
        dict.set_item("names", stats.names)?;
        dict.set_item("other_names", players.others)?;
        Ok(dict)
    }

    /// The games that the archive has more than once: a list of their numbers for each game, the
    /// best copy first (the rules of `pgc dups`).
    #[pyo3(signature = (**questions))]
    fn dups(
        &self,
        py: Python<'_>,
        questions: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<Vec<u64>>> {
        let chosen = self.asked(py, questions)?;
        chosen.run(py, |_, _| copies(&chosen))
    }

    /// Writes an archive with changed games, and its index; this archive stays as it is. Returns the
    /// number of games that changed: of those that match the questions, or of all.
    ///
    /// `set` gives tags a value, `unset` takes tags away, `rename_player` maps old names to new
    /// ones, and `delete` leaves games out. Everything else of the games stays, to the byte.
    #[pyo3(signature = (output, *, set=None, unset=None, rename_player=None, delete=false, force=false, **questions))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn edit(
        &self,
        py: Python<'_>,
        output: PathBuf,
        set: Option<BTreeMap<String, String>>,
        unset: Option<Vec<String>>,
        rename_player: Option<BTreeMap<String, String>>,
        delete: bool,
        force: bool,
        questions: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<u64> {
        let edits = edits(set, unset, rename_player, delete);
        let edits = edits.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let wrong = |text: &'static str| Err(PyValueError::new_err(text));
        if edits.is_empty() {
            return wrong("nothing to do: give set, unset, rename_player or delete");
        }
        if delete && questions.is_none() {
            return wrong("delete needs a question that chooses the games");
        }
        let query = questions.map(|_| query(questions)).transpose()?;
        let (path, jobs) = (self.0.archive.path(), self.0.jobs);
        if path.extension() != output.extension() {
            return wrong("the output has another form: give it the ending of the archive");
        }
        let written = py.detach(|| write(path, &output, (&edits, query.as_ref()), (force, jobs)));
        written.map_err(|(path, error)| exception(&path, error))
    }

    /// The moves that follow the position asked for, or the usual start, each a dict with its games,
    /// results and the moves that follow it, `depth` plies deep; most games first.
    #[pyo3(signature = (*, depth=1, **questions))]
    fn _tree<'py>(
        &self,
        py: Python<'py>,
        depth: usize,
        questions: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let query = query(questions)?;
        let (_, answer) = self.0.found(py, &query)?;
        let mut root = TreeNode::default();
        let add = |archive: &pgc::Archive, jobs| {
            archive.add_to_tree(&mut root, &answer, (depth, 0), jobs)
        };
        self.0.run(py, add)?;
        node(py, &root)
    }

    /// The names of a field (`player`, `event`, `round`, `site`, or any tag), each with its number
    /// of games, in byte order.
    #[pyo3(signature = (field="player"))]
    fn names<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyDict>> {
        let indexed = match field {
            "player" => Some(NameField::Player),
            "event" => Some(NameField::Event),
            "round" => Some(NameField::Round),
            _ => None,
        };
        let field = if field == "site" { "Site" } else { field };
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

    fn __repr__(&self) -> String {
        let (path, games) = (self.0.archive.path().display(), self.0.games.len());
        format!("<pgc.Archive {path}: {games} games>")
    }
}

/// A node of a tree of moves.
fn node<'py>(py: Python<'py>, tree: &TreeNode) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("games", tree.games)?;
    dict.set_item("white", tree.results[0])?;
    dict.set_item("draws", tree.results[1])?;
    dict.set_item("black", tree.results[2])?;
    dict.set_item("score", tree.score(0))?;
    dict.set_item("rating", tree.ratings.value())?;
    dict.set_item("years", tree.years)?;
    let mut next: Vec<_> = tree.next.iter().collect();
    next.sort_by_key(|(_, node)| std::cmp::Reverse(node.games));
    let moves = PyDict::new(py);
    for (san, below) in next {
        let san = std::str::from_utf8(san.as_bytes()).unwrap_or_default();
        moves.set_item(san, node(py, below)?)?;
    }
    dict.set_item("moves", moves)?;
    Ok(dict)
}

fn tally<'py>(py: Python<'py>, tally: &Tally) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("games", tally.games)?;
    dict.set_item("wins", tally.wins)?;
    dict.set_item("draws", tally.draws)?;
    dict.set_item("losses", tally.losses)?;
    dict.set_item("score", tally.score())?;
    dict.set_item("rating", tally.ratings.value())?;
    dict.set_item("performance", tally.performance.rating())?;
    Ok(dict)
}

#[pymethods]
impl Games {
    /// The options with which the archive was opened.
    #[getter]
    fn _options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.0.options(py)
    }

    fn __len__(&self) -> usize {
        self.0.games.len()
    }

    fn __getitem__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.0.item(py, key)
    }

    fn __iter__(&self) -> GameIterator {
        GameIterator(Portions::new(&self.0))
    }

    /// The numbers of the games in the archive, from 1.
    #[getter]
    fn numbers(&self) -> Vec<u64> {
        let games = self.0.games.iter();
        let number = |&game: &u32| self.0.archive.number_of(game.into());
        games.map(number).collect()
    }

    /// Those of these games that match; the arguments are those of `Archive.find`.
    ///
    /// >>> archive.find(white="anderssen").find("-d 1852").numbers
    /// [2]
    #[pyo3(signature = (text=None, /, **questions))]
    fn find(
        &self,
        py: Python<'_>,
        text: Option<&str>,
        questions: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Games> {
        Ok(Games(self.0.narrowed(py, &asked(text, questions)?)?))
    }

    /// The path of the archive.
    #[getter]
    fn path(&self) -> PathBuf {
        self.0.archive.path().to_owned()
    }

    /// These games in another order: `date`, `white`, `elo` or another key of `pgc find --sort`.
    #[pyo3(signature = (key, *, reverse=false))]
    fn sorted(&self, py: Python<'_>, key: &str, reverse: bool) -> PyResult<Games> {
        let sorted = sorted(py, &[&self.0], (key, reverse), usize::MAX)?;
        let sorted = sorted.into_iter().next();
        Ok(Games(sorted.unwrap_or_else(|| self.0.clone())))
    }

    /// Checks the blocks of these games against their checksums, which does not decode them. Damage is
    /// an error; if the archive was opened with `pass_damage`, `Archive.gaps` has it afterwards.
    fn check_blocks(&self, py: Python<'_>) -> PyResult<()> {
        let mut games = self.0.games.to_vec();
        games.sort_unstable();
        let check = |archive: &pgc::Archive, jobs| archive.check_blocks_of(&games, jobs);
        self.0.run(py, check)
    }

    /// The tags of each game as a dict, without reading moves.
    fn tags(&self) -> TagIterator {
        TagIterator(Portions::new(&self.0))
    }

    /// A table of these games, as `Archive.to_arrow` makes it.
    #[pyo3(signature = (columns=None, *, table="games"))]
    fn to_arrow(&self, columns: Option<Vec<String>>, table: &str) -> PyResult<Table> {
        self.0.table(columns.as_deref(), table)
    }

    fn __repr__(&self) -> String {
        let (path, games) = (self.0.archive.path().display(), self.0.games.len());
        format!("<pgc.Games: {games} of {path}>")
    }
}

/// Reads games in growing portions: the first game comes at once, and many games come fast.
struct Portions<T> {
    chosen: Chosen,
    next: usize,
    size: usize,
    ready: VecDeque<T>,
}

impl<T: Send> Portions<T> {
    fn new(chosen: &Chosen) -> Portions<T> {
        Portions {
            chosen: chosen.clone(),
            next: 0,
            size: FIRST,
            ready: VecDeque::new(),
        }
    }

    fn next(
        &mut self,
        py: Python<'_>,
        read: impl Fn(&pgc::Archive, &[u32], usize) -> Result<Vec<T>, pgc::Error> + Sync,
        number: impl Fn(&T) -> u64,
    ) -> PyResult<Option<T>> {
        // A portion may be empty if all its games are in damaged blocks.
        while self.ready.is_empty() && self.next < self.chosen.games.len() {
            let end = (self.next + self.size).min(self.chosen.games.len());
            let wanted = &self.chosen.games[self.next..end];
            let mut ascending = wanted.to_vec();
            ascending.sort_unstable();
            let read = |archive: &pgc::Archive, jobs| read(archive, &ascending, jobs);
            let mut found = self.chosen.run(py, read)?;
            if ascending != wanted {
                let number_of = |&game: &u32| self.chosen.archive.number_of(game.into());
                let places = wanted.iter().map(number_of).zip(0_usize..);
                let places: HashMap<u64, usize> = places.collect();
                found.sort_by_key(|item| places.get(&number(item)));
            }
            self.ready = found.into();
            self.next = end;
            self.size = (2 * self.size).min(MOST);
        }
        Ok(self.ready.pop_front())
    }
}

#[pyclass(module = "pgc")]
pub(crate) struct GameIterator(Portions<pgc::Game>);

#[pymethods]
impl GameIterator {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Game>> {
        let archive = Arc::clone(&self.0.chosen.archive);
        let next = (self.0).next(py, pgc::Archive::games_at, |game| game.number)?;
        Ok(next.map(|game| Game { game, archive }))
    }
}

#[pyclass(module = "pgc")]
pub(crate) struct TagIterator(Portions<(u64, Vec<(String, String)>)>);

#[pymethods]
impl TagIterator {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let next = self.0.next(py, pgc::Archive::tags_at, |found| found.0)?;
        next.map(|(_, tags)| tag_dict(py, &tags)).transpose()
    }
}
