//! The moves that follow the positions of an answer, which game goes which way, and what the index
//! knows of the games of each.

use hashbrown::HashMap;

use crate::ask::facts::FactColumns;
use crate::ask::node::TreeNode;
use pgc_chess::{Position, SanText};

/// A tree of moves. Each branch is one move and has a number; the branches before it have lower
/// numbers. The first two have no move: they are the roots, positions with White to move (0), and
/// with Black to move (1).
#[derive(Default)]
pub(super) struct Branches {
    /// For each branch behind the roots, the branch before it and its move.
    moves: Vec<(u32, SanText)>,
    numbers: HashMap<(u32, SanText), u32>,
    /// The games, in any order.
    games: Vec<u32>,
    /// The last branch of the next of them, and how many they are.
    runs: Vec<(u32, usize)>,
    /// The position of the first game.
    pub(super) first: Option<(u32, Position)>,
    /// Whether another game has a different board.
    pub(super) is_mixed: bool,
}

const ROOTS: u32 = 2;

impl Branches {
    /// Adds a game that goes on from this position with these moves. Returns its last branch.
    pub(super) fn add(
        &mut self,
        game: u32,
        position: &Position,
        moves: impl Iterator<Item = SanText>,
    ) -> u32 {
        let root = u32::from(!position.white_to_move());
        let last = moves.fold(root, |before, san| self.branch(before, san));
        self.add_position(game, position);
        self.games.push(game);
        self.put_run(last, 1);
        last
    }

    /// Adds games with the same position and the same last branch as a game added before.
    pub(super) fn add_alike(&mut self, games: &[u32], position: &Position, last: u32) {
        if let (Some((first, known)), Some(&least)) = (&mut self.first, games.iter().min())
            && least < *first
        {
            (*first, *known) = (least, position.clone());
        }
        self.games.extend_from_slice(games);
        self.put_run(last, games.len());
    }

    fn put_run(&mut self, last: u32, games: usize) {
        match self.runs.last_mut() {
            Some((branch, run)) if *branch == last => *run += games,
            _ => self.runs.push((last, games)),
        }
    }

    /// The branch of this move after another branch; a new one if there is none yet.
    fn branch(&mut self, before: u32, san: SanText) -> u32 {
        let known = u32::try_from(self.moves.len()).unwrap_or(u32::MAX);
        *self.numbers.entry((before, san)).or_insert_with(|| {
            self.moves.push((before, san));
            known.saturating_add(ROOTS)
        })
    }

    fn add_position(&mut self, game: u32, position: &Position) {
        match &mut self.first {
            Some((first, known)) => {
                self.is_mixed |= !known.is_same_board(position);
                if game < *first {
                    (*first, *known) = (game, position.clone());
                }
            }
            None => self.first = Some((game, position.clone())),
        }
    }

    /// Adds the branches of further games. In `last`, which has a number for each game of the
    /// archive, these get one more than the number of the last of their branches.
    pub(super) fn join(&mut self, other: Branches, last: &mut [u32]) {
        let mut here: Vec<u32> = (0..ROOTS).collect();
        for (before, san) in other.moves {
            here.push(self.branch(here[before as usize], san));
        }
        let mut games = other.games.as_slice();
        for (branch, run) in other.runs {
            let (alike, rest) = games.split_at(run);
            let branch = here[branch as usize] + 1;
            for &game in alike {
                if let Some(last) = last.get_mut(game as usize) {
                    *last = branch;
                }
            }
            games = rest;
        }
        self.is_mixed |= other.is_mixed;
        if let Some((game, position)) = other.first {
            self.add_position(game, &position);
        }
    }

    /// The branch before this one, and its move; `None` for a root.
    pub(super) fn step(&self, branch: usize) -> Option<(usize, SanText)> {
        let (before, san) = *self.moves.get(branch.checked_sub(ROOTS as usize)?)?;
        Some((before as usize, san))
    }

    /// For each branch, the first move on the way to it; `None` at the roots.
    pub(super) fn first_moves(&self) -> Vec<Option<u32>> {
        let mut first = vec![None; ROOTS as usize];
        for (number, &(before, _)) in (ROOTS..).zip(&self.moves) {
            first.push(first[before as usize].or(Some(number)));
        }
        first
    }

    /// Who made the move of each branch: 0 White, 1 Black; `None` at the roots.
    pub(super) fn movers(&self) -> Vec<Option<usize>> {
        let mut movers: Vec<Option<usize>> = vec![None; ROOTS as usize];
        for &(before, _) in &self.moves {
            // Behind the root where White is to move, White moves.
            let mover = movers[before as usize].map_or(before as usize, |last| 1 - last);
            movers.push(Some(mover));
        }
        movers
    }
}

/// The games of each branch, counted.
#[derive(Default)]
pub(super) struct BranchCounts {
    pub(super) nodes: Vec<TreeNode>,
    /// For each branch that is a first move, the player who made it, once for each game.
    pub(super) players: Vec<Vec<u32>>,
}

impl BranchCounts {
    /// Counts games (from 0, ascending) at the last of their branches, which `last` says as
    /// [`Branches::join`] does.
    pub(super) fn new(
        games: &[u32],
        (branches, last): (&Branches, &[u32]),
        columns: &FactColumns<'_>,
    ) -> BranchCounts {
        let node = |mover| TreeNode {
            mover,
            ..TreeNode::default()
        };
        let mut nodes: Vec<TreeNode> = branches.movers().into_iter().map(node).collect();
        let mut players = vec![Vec::new(); nodes.len()];
        let first_moves = branches.first_moves();
        columns.each(games, |game, facts| {
            let last = last.get(game as usize).and_then(|last| last.checked_sub(1));
            let Some(last) = last else {
                return;
            };
            nodes[last as usize].add(facts);
            if let Some(first) = first_moves[last as usize].map(|first| first as usize)
                && let Some(mover) = nodes[first].mover
            {
                players[first].push(facts.players[mover]);
            }
        });
        BranchCounts { nodes, players }
    }

    pub(super) fn joined(mut self, other: BranchCounts) -> BranchCounts {
        for (node, more) in self.nodes.iter_mut().zip(&other.nodes) {
            node.add_counts(more);
        }
        for (players, mut more) in self.players.iter_mut().zip(other.players) {
            players.append(&mut more);
        }
        self
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
