//! Games and moves.

use std::path::PathBuf;
use std::sync::Arc;

use pgc::parts::{Evaluation, PlayedMove};
use pgc_chess::EpSquare;
use pgc_pgn::epd::game::{GamePosition, Plies};
use pgc_pgn::text::Text;
use pyo3::exceptions::{PyIndexError, PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::archive::Games;
use crate::chosen::Chosen;
use crate::error::exception;
use crate::watch::watched;

/// A game of an archive.
#[pyclass(frozen, module = "pgc")]
pub(crate) struct Game {
    pub(crate) game: pgc::Game,
    pub(crate) archive: Arc<pgc::Archive>,
}

/// A move, with its annotations.
#[pyclass(frozen, module = "pgc")]
pub(crate) struct Move(PlayedMove);

/// A move as pickles keep it: values by their names. Another version passes over those that it does
/// not know, and gives new ones of its own a `#[pyo3(default)]`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct MoveParts {
    san: String,
    uci: String,
    nags: Vec<u32>,
    nags_before: Vec<u32>,
    raw_comments: Vec<String>,
    before: Vec<String>,
    clock: Option<f64>,
    elapsed: Option<f64>,
    pawns: Option<f64>,
    mate: Option<i32>,
    depth: Option<u32>,
    variations: Vec<Vec<Py<Move>>>,
}

/// The last value of each tag.
pub(crate) fn tag_dict<'py>(
    py: Python<'py>,
    tags: &[(String, String)],
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in tags {
        dict.set_item(PyString::intern(py, name), value)?;
    }
    Ok(dict)
}

fn centipawns(played: &PlayedMove) -> Option<i32> {
    played.evaluation()?.centipawns()
}

#[pymethods]
impl Game {
    /// The number of the game in the archive, from 1, as `pgc get` takes it.
    #[getter]
    fn number(&self) -> u64 {
        self.game.number
    }

    /// The tags, in the order of the source. A tag that occurs twice has its last value.
    #[getter]
    fn tags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        tag_dict(py, &self.game.tags)
    }

    /// The value of a tag; `KeyError` if there is none.
    fn __getitem__(&self, name: &str) -> PyResult<&str> {
        let value = self.game.tag(name);
        value.ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    /// The moves of the main line with their annotations.
    #[getter]
    fn moves(&self) -> Vec<Move> {
        self.game.moves.iter().cloned().map(Move).collect()
    }

    /// The moves of the main line in SAN.
    #[getter]
    fn san(&self) -> Vec<&str> {
        let moves = self.game.moves.iter();
        moves.map(|played| played.san.as_str()).collect()
    }

    /// The moves of the main line in the notation of UCI.
    #[getter]
    fn uci(&self) -> Vec<&str> {
        let moves = self.game.moves.iter();
        moves.map(|played| played.uci.as_str()).collect()
    }

    /// Seconds left on the clock after each move, or `None`.
    #[getter]
    fn clocks(&self) -> Vec<Option<f64>> {
        self.game.moves.iter().map(PlayedMove::clock).collect()
    }

    /// The evaluation after each move in hundredths of a pawn, or `None`.
    #[getter]
    fn evals(&self) -> Vec<Option<i32>> {
        self.game.moves.iter().map(centipawns).collect()
    }

    /// The position after so many half moves as FEN, by default the last one; `IndexError` if
    /// there are not so many. It has the en passant square where a capture is legal, or with
    /// `ep="always"` after each double step of a pawn (PGN 1994 16.1.3.4).
    #[pyo3(signature = (ply=None, *, ep="legal"))]
    fn fen(&self, ply: Option<isize>, ep: &str) -> PyResult<String> {
        let count = self.game.moves.len();
        let ply = match ply {
            None => Some(count),
            Some(ply) if ply < 0 => (count + 1).checked_add_signed(ply),
            Some(ply) => usize::try_from(ply).ok(),
        };
        let missing = || PyIndexError::new_err(format!("there are positions 0 to {count}"));
        let ply = ply.filter(|&ply| ply <= count).ok_or_else(missing)?;
        let mut positions = self.game.positions("").ok_or_else(missing)?;
        let unknown = || PyValueError::new_err(format!("ep={ep:?}: write \"legal\" or \"always\""));
        positions.ep = EpSquare::from_name(ep).ok_or_else(unknown)?;
        let mut fen = None;
        let each = |position: &GamePosition| {
            fen = Some(position.fen.clone());
            Ok::<_, PyErr>(())
        };
        positions.each(&Plies::Of(ply..=ply), each)?;
        fen.ok_or_else(missing)
    }

    /// This game alone.
    #[getter]
    fn _alone(&self) -> Games {
        Games(Chosen {
            archive: Arc::clone(&self.archive),
            games: [u32::try_from(self.game.number - 1).unwrap_or(u32::MAX)].into(),
            jobs: 0,
            pass_damage: false,
        })
    }

    /// The path of the archive.
    #[getter]
    fn path(&self) -> PathBuf {
        self.archive.path().to_owned()
    }

    /// The comments before the first move.
    #[getter]
    fn comments(&self) -> Vec<String> {
        self.game.comments.clone()
    }

    /// The start position as FEN, unless it is the usual one.
    #[getter]
    fn start(&self) -> Option<&str> {
        self.game.start.as_deref()
    }

    /// The ECO code, the name and the ply of the opening.
    #[getter]
    fn _opening(&self) -> Option<(&str, &str, usize)> {
        let opening = self.game.opening()?;
        Some((opening.eco, opening.name, opening.ply))
    }

    /// The terminator of the movetext, `1-0`, `0-1`, `1/2-1/2` or `*`; `None` if there is none.
    #[getter]
    fn termination(&self) -> Option<&'static str> {
        self.game.termination.map(|end| end.as_str())
    }

    /// `understood`, `partly understood` (the main line ends in text, from its first illegal move on)
    /// or `kept as text` (no move is understood).
    #[getter]
    fn wholeness(&self) -> &'static str {
        self.game.wholeness.name()
    }

    /// The text of the main line from the first move on that is not legal; `None` if all are.
    #[getter]
    fn tail(&self) -> Option<&str> {
        self.game.tail.as_deref()
    }

    /// The text of the game as it was written. Bytes that are not UTF-8 are taken as Latin-1.
    #[getter]
    fn pgn(&self, py: Python<'_>) -> PyResult<String> {
        let bytes = self.text(py)?;
        Ok(Text::from_bytes(&bytes).decoded().into_owned())
    }

    /// The text of the game as it was written, byte for byte.
    #[getter]
    fn pgn_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.text(py)?))
    }

    /// All moves, variations too, each after the move that it follows: the place of that move in the
    /// list, from 1 (0 is the start of the game), the move in the notation of UCI, the comment, the
    /// comment before the move, and the NAGs.
    fn _nodes(&self) -> Vec<(usize, &str, String, String, &[u32])> {
        let mut nodes = Vec::with_capacity(self.game.moves.len());
        let mut open = vec![(0, &*self.game.moves)];
        // A stack instead of recursion, since variations may be nested deeply.
        while let Some((mut parent, line)) = open.pop() {
            for played in line {
                let (comment, before) = (played.comments.join(" "), played.before.join(" "));
                nodes.push((parent, &*played.uci, comment, before, &*played.nags));
                open.extend(played.variations.iter().rev().map(|line| (parent, &**line)));
                parent = nodes.len();
            }
        }
        nodes
    }

    /// The game for python-chess, with its variations, comments and glyphs.
    fn to_chess<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("pgc._chess")?;
        module.call_method1("to_chess", (slf,))
    }

    fn __repr__(&self) -> String {
        let tag = |name| self.game.tag(name).unwrap_or("?");
        let [white, black, date, result] = ["White", "Black", "Date", "Result"].map(tag);
        let number = self.game.number;
        format!("<pgc.Game {number}: {white} - {black}, {date} {result}>")
    }
}

impl Game {
    fn text(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        let mut bytes = Vec::new();
        let copied = watched(py, || self.archive.copy_game(self.game.number, &mut bytes))?;
        copied.map_err(|error| exception(self.archive.path(), error))?;
        Ok(bytes)
    }
}

#[pymethods]
impl Move {
    /// The move in SAN, with its check mark.
    #[getter]
    fn san(&self) -> &str {
        &self.0.san
    }

    /// The move in the notation of UCI.
    #[getter]
    fn uci(&self) -> &str {
        &self.0.uci
    }

    /// The numbers of its NAGs.
    #[getter]
    fn nags(&self) -> Vec<u32> {
        self.0.nags.clone()
    }

    /// The comments after it as they are written, with their commands.
    #[getter]
    fn raw_comments(&self) -> Vec<String> {
        self.0.comments.clone()
    }

    /// The comments before it, if it is the first of a variation.
    #[getter]
    fn before(&self) -> Vec<String> {
        self.0.before.clone()
    }

    /// The numbers of the NAGs before it, if it is the first of a variation.
    #[getter]
    fn nags_before(&self) -> Vec<u32> {
        self.0.nags_before.clone()
    }

    /// Seconds left on the player's clock, or `None`.
    #[getter]
    fn clock(&self) -> Option<f64> {
        self.0.clock()
    }

    /// Seconds that the move took, or `None`.
    #[getter]
    fn elapsed(&self) -> Option<f64> {
        self.0.elapsed()
    }

    /// The evaluation in hundredths of a pawn, positive if White is better, or `None`.
    #[getter]
    fn eval(&self) -> Option<i32> {
        centipawns(&self.0)
    }

    /// The number of moves to mate, negative if White is mated, or `None`.
    #[getter]
    fn mate(&self) -> Option<i32> {
        match self.0.evaluation()? {
            Evaluation::Pawns(_) => None,
            Evaluation::Mate(moves) => Some(moves),
        }
    }

    /// The depth of the search behind the evaluation, in plies, or `None`.
    #[getter]
    fn depth(&self) -> Option<u32> {
        self.0.says.depth
    }

    /// The variations that replace this move.
    #[getter]
    fn variations(&self) -> Vec<Vec<Move>> {
        let line = |line: &Vec<PlayedMove>| line.iter().cloned().map(Move).collect();
        self.0.variations.iter().map(line).collect()
    }

    /// The evaluation in pawns, as it is written.
    #[getter]
    fn _pawns(&self) -> Option<f64> {
        match self.0.evaluation()? {
            Evaluation::Pawns(pawns) => Some(pawns),
            Evaluation::Mate(_) => None,
        }
    }

    /// The move with these parts.
    #[staticmethod]
    fn _of(parts: MoveParts) -> Move {
        let mut made = PlayedMove::default();
        (made.san, made.uci) = (parts.san.as_str().into(), parts.uci.as_str().into());
        (made.nags, made.nags_before) = (parts.nags, parts.nags_before);
        (made.comments, made.before) = (parts.raw_comments, parts.before);
        let says = &mut made.says;
        (says.clock, says.elapsed, says.depth) = (parts.clock, parts.elapsed, parts.depth);
        says.evaluation = parts
            .pawns
            .map(Evaluation::Pawns)
            .or(parts.mate.map(Evaluation::Mate));
        let line = |line: Vec<Py<Move>>| line.iter().map(|m| m.get().0.clone()).collect();
        made.variations = parts.variations.into_iter().map(line).collect();
        Move(made)
    }

    fn __eq__(&self, other: &Move) -> bool {
        self.0 == other.0
    }

    fn __repr__(&self) -> String {
        format!("<pgc.Move {}>", self.0.san)
    }
}
