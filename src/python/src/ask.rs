//! Questions to the games of several archives together.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use pgc::ask::node::TreeNode;
use pgc::ask::players::MatchedPlayers;
use pgc::ask::stats::{PlayerStats, Tally};
use pgc::dups::find::{DupGame, DupGroups, DupOptions, duplicates};
use pgc::standings::{EventGames, StandingsOptions};
use pgc_tables::schema::Selection;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::archive::Games;
use crate::chosen::Chosen;
use crate::error::exception;
use crate::query::query;
use crate::table::{Table, selection};
use crate::watch::watched;

/// Lists of games.
type Parts<'py> = Vec<PyRef<'py, Games>>;

/// The games of parts, ascending: those of one archive together, each once.
fn together(parts: &Parts<'_>) -> Vec<Chosen> {
    let mut all: Vec<(Chosen, Vec<u32>)> = Vec::new();
    for part in parts.iter().map(|part| &part.0) {
        let mut known = all.iter_mut();
        match known.find(|one| Arc::ptr_eq(&one.0.archive, &part.archive)) {
            Some(one) => one.1.extend_from_slice(&part.games),
            None => all.push((part.clone(), part.games.to_vec())),
        }
    }
    let ascending = all.into_iter().map(|(chosen, mut games)| {
        games.sort_unstable();
        games.dedup();
        chosen.with(games.into())
    });
    ascending.collect()
}

/// What a player scored, in total and with each colour: the games of those matching names that can
/// be one person's. `other_names` has the others; `all_names` adds up all.
#[pyfunction]
#[pyo3(signature = (parts, all_names, **questions))]
pub(crate) fn stats<'py>(
    py: Python<'py>,
    parts: Parts<'py>,
    all_names: bool,
    questions: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let query = query(questions)?;
    if !PlayerStats::has_subject(&query) {
        let wrong = "name the player: player=, white= or black=";
        return Err(PyValueError::new_err(wrong));
    }
    let found = together(&parts);
    let found = found.iter().map(|part| part.found(py, &query));
    let found = found.collect::<PyResult<Vec<_>>>()?;
    let (mut matched, mut stats) = (MatchedPlayers::default(), PlayerStats::default());
    for (chosen, answer) in &found {
        chosen.run(py, |archive, jobs| {
            archive.add_to_players(&mut matched, &query, answer, jobs)
        })?;
    }
    let players = matched.choose(all_names);
    for (chosen, answer) in &found {
        chosen.run(py, |archive, jobs| {
            archive.add_to_stats(&mut stats, &query, answer, Some(&players), jobs)
        })?;
    }
    let dict = tally(py, &stats.all)?;
    dict.set_item("white", tally(py, &stats.colours[0])?)?;
    dict.set_item("black", tally(py, &stats.colours[1])?)?;
    dict.set_item("names", stats.names)?;
    dict.set_item("other_names", players.others)?;
    Ok(dict)
}

/// The moves that follow the position asked for, or the usual start, each a dict with its games,
/// results and the moves that follow it, `depth` plies deep; most games first.
#[pyfunction]
#[pyo3(signature = (parts, depth, **questions))]
pub(crate) fn tree<'py>(
    py: Python<'py>,
    parts: Parts<'py>,
    depth: usize,
    questions: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let query = query(questions)?;
    let mut root = TreeNode::default();
    for part in together(&parts) {
        let (_, answer) = part.found(py, &query)?;
        part.run(py, |archive, jobs| {
            archive.add_to_tree(&mut root, &answer, (depth, 0), jobs)
        })?;
    }
    node(py, &root)
}

/// The standings of the games, as `pgc table --json` prints them: with a list of the games and with
/// spellings kept apart if asked for.
#[pyfunction]
pub(crate) fn standings(
    py: Python<'_>,
    parts: Parts<'_>,
    asked: (bool, bool, bool),
    tie_breaks: Vec<String>,
    anchor: Option<(String, f64)>,
) -> PyResult<String> {
    let (rounds, as_written, ratings) = asked;
    let mut event = EventGames::new(rounds);
    for part in together(&parts) {
        part.run(py, |archive, jobs| {
            event.add_games(archive, &part.games, jobs)
        })?;
    }
    let standings = event.standings(&StandingsOptions {
        tie_breaks,
        as_written,
        ratings,
        anchor,
    });
    let wrong = |error: &dyn std::fmt::Display| {
        PyValueError::new_err(error.to_string().trim_start_matches('-').to_owned())
    };
    let standings = standings.map_err(|error| wrong(&error))?;
    serde_json::to_string(&standings).map_err(|error| wrong(&error))
}

/// The copies among games, by the rules of `pgc dups`.
fn copies(py: Python<'_>, parts: &[Chosen]) -> PyResult<DupGroups> {
    let archives: Vec<&pgc::Archive> = parts.iter().map(|part| &*part.archive).collect();
    let games: Vec<Vec<u32>> = parts.iter().map(|part| part.games.to_vec()).collect();
    let options = DupOptions {
        threads: parts.first().map_or(0, |part| part.jobs),
        inside: false,
        names: false,
        ..DupOptions::new(std::env::temp_dir())
    };
    let found = watched(py, || duplicates(&archives, &games, &options))?;
    let first = || archives.first().map_or("".as_ref(), |first| first.path());
    let found = found.map_err(|error| exception(first(), error));
    Ok(found?.same)
}

/// The games that are there more than once: for each, the archives and the numbers of its copies,
/// the best first.
#[pyfunction]
pub(crate) fn dups(py: Python<'_>, parts: Parts<'_>) -> PyResult<Vec<Vec<(PathBuf, u64)>>> {
    let parts = together(&parts);
    let copies = copies(py, &parts)?;
    let game = |of: &DupGame| {
        let (archive, game) = of.game;
        let archive = &parts[archive as usize].archive;
        (archive.path().to_owned(), archive.number_of(game.into()))
    };
    let groups = copies.iter();
    let groups = groups.map(|group| group.iter().map(game).collect());
    Ok(groups.collect())
}

/// The parts without all but the best copy of each game.
#[pyfunction]
pub(crate) fn unique(py: Python<'_>, parts: Parts<'_>) -> PyResult<Vec<Games>> {
    let all = together(&parts);
    let spare: HashSet<(u32, u32)> = copies(py, &all)?.spare().into_iter().collect();
    let kept = parts.iter().map(|part| {
        let part = &part.0;
        let same = |one: &Chosen| Arc::ptr_eq(&one.archive, &part.archive);
        let place = all.iter().position(same).unwrap_or(0) as u32;
        let games = part.games.iter().copied();
        let games = games.filter(|&game| !spare.contains(&(place, game)));
        Games(part.with(games.collect()))
    });
    Ok(kept.collect())
}

/// A table of the games (or positions) of parts, one after the other.
#[pyfunction]
pub(crate) fn table(
    parts: Parts<'_>,
    columns: Option<Vec<String>>,
    table: &str,
) -> PyResult<Table> {
    let selection: Selection = selection(columns.as_deref(), table)?;
    let chosen = parts.iter().map(|part| part.0.clone()).collect();
    Ok(Table { chosen, selection })
}

/// A node of a tree of moves.
fn node<'py>(py: Python<'py>, tree: &TreeNode) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let [white, draws, black] = tree.results();
    dict.set_item("games", tree.games())?;
    dict.set_item("white", white)?;
    dict.set_item("draws", draws)?;
    dict.set_item("black", black)?;
    dict.set_item("score", tree.score(0))?;
    dict.set_item("rating", tree.rating())?;
    dict.set_item("years", tree.years)?;
    let mut next: Vec<_> = tree.next.iter().collect();
    next.sort_by_key(|(_, node)| std::cmp::Reverse(node.games()));
    let moves = PyDict::new(py);
    for (san, below) in next {
        moves.set_item(san.as_str(), node(py, below)?)?;
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
