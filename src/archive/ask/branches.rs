//! The moves that follow the positions of an answer, and which game goes which way.

use std::collections::HashMap;

use pgc_chess::{Position, SanText};

/// A tree of moves. Each branch is one move and has a number; the branches before it have lower
/// numbers.
pub(super) struct Branches {
    /// For each branch, the branch before it and its move.
    moves: Vec<(u32, SanText)>,
    numbers: HashMap<(u32, SanText), u32>,
    /// The games, in any order, each with the last of its branches.
    pub(super) games: Vec<(u32, u32)>,
    first: Option<(u32, Position)>,
    is_mixed: bool,
}

impl Default for Branches {
    fn default() -> Branches {
        Branches {
            // The root of positions with White to move, and the root of those with Black to move.
            moves: vec![Default::default(); Branches::ROOTS as usize],
            numbers: HashMap::new(),
            games: Vec::new(),
            first: None,
            is_mixed: false,
        }
    }
}

impl Branches {
    /// The number of roots: the first branches, which have no move and stand for the position
    /// itself.
    const ROOTS: u32 = 2;

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
        self.games.push((game, last));
        last
    }

    /// Adds a game with the same position and the same last branch as a game added before.
    pub(super) fn add_alike(&mut self, game: u32, position: &Position, last: u32) {
        if let Some((first, known)) = &mut self.first
            && game < *first
        {
            (*first, *known) = (game, position.clone());
        }
        self.games.push((game, last));
    }

    /// The branch of this move after another branch; a new one if there is none yet.
    fn branch(&mut self, before: u32, san: SanText) -> u32 {
        let next = u32::try_from(self.moves.len()).unwrap_or(u32::MAX);
        *self.numbers.entry((before, san)).or_insert_with(|| {
            self.moves.push((before, san));
            next
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

    pub(super) fn join(&mut self, other: Branches) {
        let mut here: Vec<u32> = (0..Branches::ROOTS).collect();
        for &(before, san) in other.moves.iter().skip(here.len()) {
            here.push(self.branch(here[before as usize], san));
        }
        let games = other.games.iter();
        self.games
            .extend(games.map(|&(game, last)| (game, here[last as usize])));
        self.is_mixed |= other.is_mixed;
        if let Some((game, position)) = other.first {
            self.add_position(game, &position);
        }
    }

    /// Those of `games` (from 0, ascending) that were added, each with its last branch. `all` is
    /// the number of games in the archive.
    pub(super) fn in_order(&self, games: &[u32], all: u32) -> Vec<(u32, u32)> {
        // Branches plus one; 0 is none. Pages of zeros cost nothing until they are written to.
        let mut last = vec![0; all as usize];
        for &(game, branch) in &self.games {
            last[game as usize] = branch + 1;
        }
        let branch = |game: u32| last[game as usize].checked_sub(1);
        let known = games.iter().filter_map(|&game| Some((game, branch(game)?)));
        known.collect()
    }

    /// The branch before this one, and its move; `None` for a root.
    pub(super) fn step(&self, branch: usize) -> Option<(usize, SanText)> {
        let (before, san) = *self.moves.get(branch)?;
        (branch >= Branches::ROOTS as usize).then_some((before as usize, san))
    }

    /// For each branch, the first move on the way to it; for a root, the root itself.
    pub(super) fn first_moves(&self) -> Vec<u32> {
        let mut first: Vec<u32> = (0..Branches::ROOTS).collect();
        for (number, &(before, _)) in (0..).zip(&self.moves).skip(first.len()) {
            let is_first = before < Branches::ROOTS;
            first.push(if is_first {
                number
            } else {
                first[before as usize]
            });
        }
        first
    }

    /// Who made the move of each branch: 0 White, 1 Black; `None` at the roots.
    pub(super) fn movers(&self) -> Vec<Option<usize>> {
        let mut movers: Vec<Option<usize>> = vec![None; Branches::ROOTS as usize];
        for &(before, _) in self.moves.iter().skip(movers.len()) {
            // Behind the root where White is to move, White moves.
            let mover = movers[before as usize].map_or(before as usize, |last| 1 - last);
            movers.push(Some(mover));
        }
        movers
    }

    /// The position of the first game, and whether another game has a different board.
    pub(super) fn position(&self) -> (Option<Position>, bool) {
        let first = self.first.as_ref();
        (first.map(|first| first.1.clone()), self.is_mixed)
    }
}
