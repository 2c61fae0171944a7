//! What was played from the positions that a query found.

use crate::ask::find::Answer;
use crate::ask::lines::LineExtent;
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
        work: impl Fn(&[Continuation]) -> Result<R, Error> + Sync,
        mut sink: impl FnMut(R),
    ) -> Result<(), Error> {
        let games = &answer.found.games;
        self.over_blocks(
            games,
            threads,
            |place, range| {
                let plies = answer.plies.get(range.clone()).unwrap_or_default();
                work(&self.continuations_in(place, &games[range], plies)?)
            },
            |place, result| match result {
                Ok(result) => {
                    sink(result);
                    Ok(())
                }
                Err(error) => self.pass_over(place, error),
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
        let (mut found, mut next) = (Vec::with_capacity(games.len()), 0);
        self.each_main_line(
            place,
            games,
            LineExtent::main(usize::MAX),
            &mut |game, line| {
                while games.get(next).is_some_and(|&wanted| wanted < game) {
                    next += 1;
                }
                let ply = plies.get(next).map_or(0, |&ply| ply as usize);
                let Some((before, ordinals)) = line.ordinals.split_at_checked(ply) else {
                    return;
                };
                let Some(mut position) = line.position() else {
                    return;
                };
                if before
                    .iter()
                    .all(|&ordinal| position.play_ordinal(ordinal).is_some())
                {
                    found.push(Continuation {
                        game,
                        position,
                        ordinals: ordinals.to_vec(),
                    });
                }
            },
        )?;
        Ok(found)
    }
}
