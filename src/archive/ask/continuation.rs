//! What was played from the positions that a query found.

use crate::ask::find::Answer;
use crate::ask::lines::{LineExtent, MainLine};
use crate::open::Archive;
use crate::run::Error;
use crate::stream::walk::BlockPlace;
use pgc_chess::Position;

/// A game, from the position that the query asked for.
pub(super) struct Continuation {
    /// Its number in the archive, from 0.
    pub(super) game: u32,
    pub(super) position: Position,
    /// The ordinals of the moves from there.
    pub(super) ordinals: Vec<u8>,
}

impl Archive {
    /// Calls `work` with the games of an answer, block by block: each from the position that the
    /// query asked for, or else from its start. Games without a main line are left out.
    pub(super) fn continuations<R: Send>(
        &self,
        answer: &Answer,
        threads: usize,
        work: impl Fn(&[Continuation]) -> R + Sync,
        mut sink: impl FnMut(R),
    ) -> Result<(), Error> {
        let games = &answer.found.games;
        self.over_blocks(
            games,
            threads,
            |place, range| {
                let plies = answer.plies.get(range.clone()).unwrap_or_default();
                Ok(work(&self.continuations_in(place, &games[range], plies)?))
            },
            |result| {
                sink(result);
                Ok(())
            },
        )
    }

    /// The continuations of the `games` of a block. `plies`: the ply at which each begins; if
    /// empty, 0.
    fn continuations_in(
        &self,
        place: &BlockPlace,
        games: &[u32],
        plies: &[u32],
    ) -> Result<Vec<Continuation>, Error> {
        let of_line = |at: usize, line: &MainLine<'_>| {
            let ply = plies.get(at).map_or(0, |&ply| ply as usize);
            let (before, ordinals) = line.ordinals.split_at_checked(ply)?;
            let mut position = line.position()?;
            for &ordinal in before {
                position.play_ordinal(ordinal)?;
            }
            Some(Continuation {
                game: games[at],
                position,
                ordinals: ordinals.to_vec(),
            })
        };
        let mut found = Vec::with_capacity(games.len());
        let extent = LineExtent::main(usize::MAX);
        self.each_main_line(place, games, extent, &mut |at, line| {
            found.extend(of_line(at, line));
        })?;
        Ok(found)
    }
}
