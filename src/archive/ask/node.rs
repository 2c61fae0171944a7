//! A node of a tree of moves.

use std::collections::{BTreeMap, HashMap};

use crate::ask::facts::GameFacts;
use crate::ask::score::Tally;
use pgc_chess::SanText;

/// A move, and the moves after it. The root is the position itself.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TreeNode {
    /// The games with this move, as White and as Black sees them.
    pub(super) sides: [Tally; 2],
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
    /// The number of games with this move.
    pub fn games(&self) -> u64 {
        self.sides[0].games
    }

    /// The games that White won, that were drawn, that Black won.
    pub fn results(&self) -> [u64; 3] {
        let white = &self.sides[0];
        [white.wins, white.draws, white.losses]
    }

    /// The score of a side (0 White, 1 Black) from 0 to 1; `None` without a game that has a result.
    pub fn score(&self, side: usize) -> Option<f64> {
        self.sides[side].score()
    }

    /// The average rating of the players who made the move.
    pub fn rating(&self) -> Option<u64> {
        self.sides[self.mover?].ratings.value()
    }

    /// The performance of a side.
    pub fn performance(&self, side: usize) -> Option<u64> {
        self.sides[side].performance.rating()
    }

    /// Counts a game.
    pub(super) fn add(&mut self, facts: &GameFacts) {
        for (colour, side) in self.sides.iter_mut().enumerate() {
            side.add(facts, colour, true);
        }
        self.years = span(self.years, facts.year.map(|year| (year, year)));
    }

    /// Adds what was counted of the games of another node.
    pub(super) fn add_counts(&mut self, other: &TreeNode) {
        for (side, more) in self.sides.iter_mut().zip(&other.sides) {
            side.join(more);
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
