//! A node of a tree of moves.

use std::collections::{BTreeMap, HashMap};

use crate::ask::facts::GameFacts;
use crate::ask::score::{Average, Performance, as_float};
use pgc_chess::SanText;

/// A move, and the moves after it. The root is the position itself.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TreeNode {
    /// The games with this move.
    pub games: u64,
    /// The games that White won, that were drawn, that Black won.
    pub results: [u64; 3],
    /// The ratings of White and of Black.
    pub(super) ratings: [Average; 2],
    /// What White and Black scored against their opponents.
    pub performance: [Performance; 2],
    /// The years of the first and the last game whose year is known.
    pub years: Option<(u16, u16)>,
    /// Who made the move: 0 White, 1 Black; `None` at the root.
    pub(super) mover: Option<usize>,
    /// The players who made the move, with their games: only for the first move.
    pub players: HashMap<String, u64>,
    /// The next moves, by their SAN.
    pub next: BTreeMap<SanText, TreeNode>,
}

impl TreeNode {
    /// The score of a side (0 White, 1 Black) from 0 to 1; `None` without a game that has a result.
    pub fn score(&self, side: usize) -> Option<f64> {
        let results = self.results.map(as_float);
        let all: f64 = results.iter().sum();
        (all > 0.0).then(|| (results[2 * side] + results[1] / 2.0) / all)
    }

    /// The average rating of the players who made the move.
    pub fn rating(&self) -> Option<u64> {
        self.ratings[self.mover?].value()
    }

    /// The performance of a side.
    pub fn performance(&self, side: usize) -> Option<u64> {
        self.performance[side].rating()
    }

    /// Counts a game.
    pub(super) fn add(&mut self, facts: &GameFacts) {
        self.games += 1;
        self.ratings[0].add(facts.elo[0]);
        self.ratings[1].add(facts.elo[1]);
        if let Some([white, black]) = facts.result.half_points() {
            self.results[usize::from(black)] += 1;
            self.performance[0].add(facts.elo[1], white.into());
            self.performance[1].add(facts.elo[0], black.into());
        }
        self.years = span(self.years, facts.year.map(|year| (year, year)));
    }

    /// Adds what was counted of the games of another node.
    pub(super) fn add_counts(&mut self, other: &TreeNode) {
        self.games += other.games;
        for (sum, more) in self.results.iter_mut().zip(other.results) {
            *sum += more;
        }
        for colour in 0..2 {
            self.ratings[colour].join(other.ratings[colour]);
            self.performance[colour].join(other.performance[colour]);
        }
        self.years = span(self.years, other.years);
    }

    pub(super) fn join(&mut self, other: TreeNode) {
        self.add_counts(&other);
        self.mover = self.mover.or(other.mover);
        for (name, games) in other.players {
            *self.players.entry(name).or_default() += games;
        }
        for (san, node) in other.next {
            self.next.entry(san).or_default().join(node);
        }
    }
}

/// The years from the first to the last of both.
fn span(a: Option<(u16, u16)>, b: Option<(u16, u16)>) -> Option<(u16, u16)> {
    match (a, b) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (a, b) => a.or(b),
    }
}
