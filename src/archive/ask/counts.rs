//! Counts what the index knows of the games of each branch.

use hashbrown::HashMap;

use crate::ask::branches::Branches;
use crate::ask::facts::{FactColumns, GameFacts};
use crate::ask::node::{TreeNode, span};
use crate::ask::score::{Average, Performance};

/// Sums over some games; arrays of two have White first.
#[derive(Clone, Copy, Default)]
pub(super) struct GameSums {
    games: u64,
    results: [u64; 3],
    ratings: [Average; 2],
    performance: [Performance; 2],
    years: Option<(u16, u16)>,
}

impl GameSums {
    fn add(&mut self, facts: &GameFacts) {
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

    fn join(&mut self, other: &GameSums) {
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

    /// The node of the tree; `mover` is who made its move: 0 White, 1 Black, `None` at the root.
    fn node(&self, mover: Option<usize>) -> TreeNode {
        TreeNode {
            games: self.games,
            results: self.results,
            ratings: mover.map_or_else(Average::default, |mover| self.ratings[mover]),
            performance: self.performance,
            years: self.years,
            ..TreeNode::default()
        }
    }
}

/// The sums over the games of each branch.
#[derive(Default)]
pub(super) struct BranchCounts {
    sums: Vec<GameSums>,
    /// For each first move, the player who made it, once for each game.
    pub(super) players: HashMap<u32, Vec<u32>>,
}

impl BranchCounts {
    /// Counts games at the last of their branches.
    pub(super) fn of(
        games: &[(u32, u32)],
        branches: &Branches,
        columns: &FactColumns<'_>,
    ) -> BranchCounts {
        let (first_moves, movers) = (branches.first_moves(), branches.movers());
        let mut counts = BranchCounts {
            sums: vec![GameSums::default(); movers.len()],
            players: HashMap::new(),
        };
        for &(game, last) in games {
            let facts = columns.facts(game);
            counts.sums[last as usize].add(&facts);
            if let Some(first) = first_moves[last as usize]
                && let Some(mover) = movers[first as usize]
            {
                let players = counts.players.entry(first).or_default();
                players.push(facts.players[mover]);
            }
        }
        counts
    }

    pub(super) fn joined(mut self, other: BranchCounts) -> BranchCounts {
        for (sums, more) in self.sums.iter_mut().zip(&other.sums) {
            sums.join(more);
        }
        for (branch, mut players) in other.players {
            self.players.entry(branch).or_default().append(&mut players);
        }
        self
    }

    /// A node for each branch, with the games of all branches behind it.
    pub(super) fn nodes(mut self, branches: &Branches) -> Vec<TreeNode> {
        for branch in (0..self.sums.len()).rev() {
            if let Some((before, _)) = branches.step(branch) {
                let behind = self.sums[branch];
                self.sums[before].join(&behind);
            }
        }
        let all = self.sums.iter().zip(branches.movers());
        all.map(|(sums, mover)| sums.node(mover)).collect()
    }
}

/// How often each number occurs in a list.
pub(super) fn frequencies(list: &[u32]) -> Vec<(u32, u32)> {
    let most = list.iter().max().map_or(0, |&most| most as usize + 1);
    let (mut counts, mut numbers) = (vec![0_u32; most], Vec::new());
    for &number in list {
        let count = &mut counts[number as usize];
        if *count == 0 {
            numbers.push(number);
        }
        *count += 1;
    }
    let counted = |number: u32| (number, counts[number as usize]);
    numbers.into_iter().map(counted).collect()
}
