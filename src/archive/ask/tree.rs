//! The moves played from a position, and how they fared.

use rayon::prelude::*;

use crate::ask::branches::{BranchCounts, Branches, frequencies};
use crate::ask::find::Answer;
use crate::ask::lines::Continuation;
use crate::ask::node::TreeNode;
use crate::open::Archive;
use crate::run::Error;
use pgc_chess::Position;
use pgc_index::NameField;
use pgc_io::threads;

/// With fewer games than this, threads are not worth their start.
const MANY_GAMES: usize = 20_000;

impl Archive {
    /// Adds to `tree` the moves that follow the positions of an answer, `depth` plies deep. Each
    /// first move gets the names of the `players` players who made it most often. Returns the
    /// position of the first game, and whether another game has a different board. Damaged blocks
    /// are passed over if the archive was opened that way.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`], [`Error::Cancelled`].
    pub fn add_to_tree(
        &self,
        tree: &mut TreeNode,
        answer: &Answer,
        (depth, players): (usize, usize),
        threads: usize,
    ) -> Result<(Option<Position>, bool), Error> {
        let (mut branches, mut last, unread) = self.branches_of_lines(answer, depth, threads)?;
        self.continuations(
            &unread,
            threads,
            |games: &[Continuation]| {
                let mut part = Branches::default();
                for game in games {
                    let mut position = game.position.clone();
                    let ordinals = game.ordinals.iter().take(depth);
                    let moves = ordinals.map_while(|&ordinal| position.play_ordinal(ordinal));
                    part.add(game.game, &game.position, moves);
                }
                part
            },
            |part| branches.join(part, &mut last),
        )?;
        self.count_branches((&branches, &last), answer, tree, players, threads)?;
        Ok((branches.first.map(|first| first.1), branches.is_mixed))
    }

    /// Adds the games of the branches to a tree.
    fn count_branches(
        &self,
        branches: (&Branches, &[u32]),
        answer: &Answer,
        tree: &mut TreeNode,
        players: usize,
        threads: usize,
    ) -> Result<(), Error> {
        let columns = self.fact_columns(true, threads)?;
        let games = &answer.found.games;
        let count = |games: &[u32]| BranchCounts::new(games, branches, &columns);
        let counted = match threads::count(threads) {
            threads if threads > 1 && games.len() >= MANY_GAMES => {
                let shares = games.par_chunks(games.len().div_ceil(threads));
                let counts = || shares.map(count).reduce_with(BranchCounts::joined);
                threads::pool(threads)?.install(counts).unwrap_or_default()
            }
            _ => count(games),
        };
        let mut nodes = counted.nodes;
        for (node, makers) in nodes.iter_mut().zip(counted.players) {
            let makers = frequencies(&makers);
            let named = self.most_frequent(NameField::Player, makers, players, threads)?;
            let named = named.into_iter().map(|of| (of.value, of.games.into()));
            node.players.extend(named);
        }
        while let Some(node) = nodes.pop() {
            match branches.0.step(nodes.len()) {
                Some((before, san)) => {
                    nodes[before].add_counts(&node);
                    nodes[before].next.insert(san, node);
                }
                None => tree.join(node),
            }
        }
        Ok(())
    }
}
