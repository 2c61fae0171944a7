//! Questions to the games of several archives together.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use pgc::Query;
use pgc::ask::node::TreeNode;
use pgc::ask::players::MatchedPlayers;
use pgc::ask::stats::PlayerStats;
use pgc::dups::find::{DupGame, DupGroups, DupOptions, duplicates};
use pgc::standings::{EventGames, StandingsOptions};
use pgc_index::{JOINS, OPTIONS};
use pgc_tables::schema::Selection;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::archive::Games;
use crate::chosen::Chosen;
use crate::error::exception;
use crate::table::{Table, selection};
use crate::watch::watched;

/// Lists of games.
type Parts<'py> = Vec<PyRef<'py, Games>>;

/// Games, wins, draws and losses; the score, the average rating, the performance.
type TallyParts = ([u64; 4], Option<f64>, Option<u64>, Option<u64>);
type Names = HashMap<String, u64>;

/// The query that the options of `pgc find` ask.
pub(crate) fn query(questions: &str) -> PyResult<Query> {
    Query::parse(questions).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Refuses what is no query.
#[pyfunction]
pub(crate) fn check(questions: &str) -> PyResult<()> {
    query(questions).map(drop)
}

/// The name, the placeholder of the value, and the meaning of each question.
#[pyfunction]
pub(crate) fn questions() -> Vec<(&'static str, &'static str, &'static str)> {
    let joins = JOINS.iter().map(|join| (join.name, join.value, join.help));
    let all = OPTIONS
        .iter()
        .map(|option| (option.name, option.value, option.help));
    all.chain(joins).collect()
}

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
/// be one person's, these names and the others; `all_names` adds up all.
#[pyfunction]
pub(crate) fn stats(
    py: Python<'_>,
    parts: Parts<'_>,
    all_names: bool,
    questions: &str,
) -> PyResult<([TallyParts; 3], Names, Names)> {
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
    let [white, black] = &stats.colours;
    let tallies = [&stats.all, white, black].map(|tally| {
        let (rating, performance) = (tally.ratings.value(), tally.performance.rating());
        let counts = [tally.games, tally.wins, tally.draws, tally.losses];
        (counts, tally.score(), rating, performance)
    });
    Ok((tallies, stats.names, players.others))
}

/// The moves that follow the position asked for, or the usual start, `depth` plies deep; most games
/// first.
#[pyfunction]
pub(crate) fn tree<'py>(
    py: Python<'py>,
    parts: Parts<'py>,
    depth: usize,
    questions: &str,
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
#[pyo3(signature = (parts, *, rounds, as_written, ratings, tie_breaks, anchor))]
pub(crate) fn standings(
    py: Python<'_>,
    parts: Parts<'_>,
    rounds: bool,
    as_written: bool,
    ratings: bool,
    tie_breaks: Vec<String>,
    anchor: Option<(String, f64)>,
) -> PyResult<String> {
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
    let found = found.map_err(|error| exception(&std::env::temp_dir(), error));
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
    let worse: HashSet<(u32, u32)> = copies(py, &all)?.spare().into_iter().collect();
    let kept = parts.iter().map(|part| {
        let part = &part.0;
        let same = |one: &Chosen| Arc::ptr_eq(&one.archive, &part.archive);
        let place = (0..).zip(&all).find(|(_, one)| same(one));
        let is_worse = |game| place.is_some_and(|(place, _)| worse.contains(&(place, game)));
        let games = part.games.iter().copied().filter(|&game| !is_worse(game));
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
    // A deep tree has millions of nodes.
    py.check_signals()?;
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
