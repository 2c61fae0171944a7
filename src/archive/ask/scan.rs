//! Visits and fetches the games of an archive, with blocks in parallel and results in order.

use std::ops::Range;

use crate::game::Game;
use crate::games::walk::BlockGames;
use crate::open::Archive;
use crate::pipeline::ordered;
use crate::run::{Error, go_on};
use crate::stream::walk::BlockPlace;
use pgc_block::small::stored::Needs;
use pgc_pgn::text::decoded;

/// The tag pairs of a game.
type TagPairs = Vec<(String, String)>;

impl Archive {
    /// Calls `work` with each of the `wanted` games (from 0, ascending; `None`: all of them) as the
    /// current game. `work` collects results for each block, which go to `sink` in the order of the
    /// blocks. Each block is decoded at most once, and only as far as `work` `needs` it. `threads`: 0 is one for each processor.
    pub fn scan<R: Default + Send>(
        &self,
        wanted: Option<&[u32]>,
        needs: Needs,
        threads: usize,
        work: impl Fn(&BlockPlace, &mut BlockGames<'_>, &mut R) -> Result<(), Error> + Sync,
        sink: impl FnMut(R) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let gather = |place: &BlockPlace, range| {
            self.gather(place, wanted.map(|list| &list[range]), needs, &work)
        };
        self.each_block(wanted, threads, gather, sink)
    }

    /// As [`Archive::scan`], for results of a block that may get too large: `work` returns whether it
    /// took the game. One thread visits the games that were not taken again, for a further result.
    ///
    /// # Errors
    /// As [`Archive::scan`].
    pub fn scan_in_parts<R: Default + Send>(
        &self,
        wanted: &[u32],
        needs: Needs,
        threads: usize,
        work: impl Fn(&BlockPlace, &mut BlockGames<'_>, &mut R) -> Result<bool, Error> + Sync,
        mut sink: impl FnMut(R) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let work = |place: &BlockPlace, games: &mut BlockGames<'_>, part: &mut (R, Vec<u32>)| {
            let game = u32::try_from(games.number() - 1).unwrap_or(u32::MAX);
            if !work(place, games, &mut part.0)? {
                part.1.push(game);
            }
            Ok(())
        };
        self.scan(Some(wanted), needs, threads, work, |mut part| {
            loop {
                let (result, late) = part;
                sink(result)?;
                if late.is_empty() {
                    return Ok(());
                }
                part = Default::default();
                self.scan(Some(&late), needs, 1, work, |found| {
                    part = found;
                    Ok(())
                })?;
            }
        })
    }

    /// Some games (numbered from 0, in any order) without their texts, in the order of the list, each
    /// block decoded once. Games in damaged blocks are missing if the archive passes over damage.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    pub fn games_at(&self, wanted: &[u32], threads: usize) -> Result<Vec<Game>, Error> {
        self.each_at(wanted, Needs::All, threads, Game::new)
    }

    /// The numbers (from 1) and tags of some games; otherwise as [`Archive::games_at`].
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    pub fn tags_at(&self, wanted: &[u32], threads: usize) -> Result<Vec<(u64, TagPairs)>, Error> {
        let text = |bytes: &[u8]| decoded(bytes).into_owned();
        self.each_at(wanted, Needs::Elements, threads, |games| {
            let tags = games.game().tags();
            let tags = tags.map(|(name, value)| (text(name), text(value)));
            Ok((games.number(), tags.collect()))
        })
    }

    fn each_at<T: Send>(
        &self,
        wanted: &[u32],
        needs: Needs,
        threads: usize,
        read: impl Fn(&BlockGames<'_>) -> Result<T, Error> + Sync,
    ) -> Result<Vec<T>, Error> {
        let mut found: Vec<Option<T>> = wanted.iter().map(|_| None).collect();
        let of = |games: &mut BlockGames<'_>| {
            self.compare(games)?;
            read(games)
        };
        self.each_of(wanted, needs, threads, of, |at, value| {
            found[at] = Some(value);
            Ok(())
        })?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Reads these games (from 0, in any order), and calls `each` with the position of each in the
    /// list and with what `of` makes of it. For fewer than 1,000, one thread is enough.
    pub(crate) fn each_of<T: Send>(
        &self,
        games: &[u32],
        needs: Needs,
        threads: usize,
        of: impl Fn(&mut BlockGames<'_>) -> Result<T, Error> + Sync,
        mut each: impl FnMut(usize, T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut places: Vec<usize> = (0..games.len()).collect();
        places.sort_by_key(|&place| games[place]);
        places.dedup_by_key(|place| games[*place]);
        let sorted: Vec<u32> = places.iter().map(|&place| games[place]).collect();
        self.scan(
            Some(&sorted),
            needs,
            if games.len() < 1000 { 1 } else { threads },
            |_, games, out: &mut Vec<(u64, T)>| {
                out.push((games.number() - 1, of(games)?));
                Ok(())
            },
            |found| {
                for (game, value) in found {
                    if let Ok(at) = sorted.binary_search_by_key(&game, |&game| game.into()) {
                        each(places[at], value)?;
                    }
                }
                Ok(())
            },
        )
    }

    /// Calls `work` with each block that holds some of the `games` (from 0, ascending) and their
    /// range in the list; passes the results to `sink`, in the order of the blocks. Damaged blocks
    /// are passed over if the archive was opened that way.
    pub(crate) fn over_blocks<R: Send>(
        &self,
        games: &[u32],
        threads: usize,
        work: impl Fn(&BlockPlace, Range<usize>) -> Result<R, Error> + Sync,
        sink: impl FnMut(R) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let threads = if games.len() < 1000 { 1 } else { threads };
        self.each_block(Some(games), threads, work, sink)
    }

    /// As [`Archive::over_blocks`], with any number of threads; `None`: all blocks.
    pub(super) fn each_block<R: Send>(
        &self,
        wanted: Option<&[u32]>,
        threads: usize,
        work: impl Fn(&BlockPlace, Range<usize>) -> Result<R, Error> + Sync,
        mut sink: impl FnMut(R) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (mut next, mut begin) = (0, 0);
        ordered(
            threads,
            || {
                let first = match wanted.map(|list| list.get(begin)) {
                    None => next,
                    Some(None) => return Ok(None),
                    Some(Some(&first)) => first.into(),
                };
                let Some(place) = self.place(first)? else {
                    return Ok(None);
                };
                next = place.end_game();
                let rest = wanted.map_or(&[][..], |list| &list[begin..]);
                let before = |end: u64| begin + rest.partition_point(|&game| u64::from(game) < end);
                // Games before the block are in a gap.
                let range = before(place.before)..before(next);
                begin = range.end;
                Ok(Some((self.cost(&place), (place, range))))
            },
            |(place, range)| {
                let result = work(&place, range);
                (place, result)
            },
            |(place, result)| {
                go_on(place.end_game())?;
                match result {
                    Ok(found) => sink(found),
                    Err(error) => self.pass_over(&place, error),
                }
            },
        )
    }

    fn gather<R: Default>(
        &self,
        place: &BlockPlace,
        wanted: Option<&[u32]>,
        needs: Needs,
        mut work: impl FnMut(&BlockPlace, &mut BlockGames<'_>, &mut R) -> Result<(), Error>,
    ) -> Result<R, Error> {
        let (first, end) = match wanted.map(|list| (list.first(), list.last())) {
            None => (place.before, place.end_game()),
            Some((Some(&first), Some(&last))) => (u64::from(first), u64::from(last) + 1),
            // All of them were in a gap.
            Some(_) => return Ok(R::default()),
        };
        self.with_block(place, first..end, needs, |games| {
            let mut found = R::default();
            if let Some(wanted) = wanted {
                games.visit(wanted, |_, games| work(place, games, &mut found))?;
                return Ok(found);
            }
            games.pass(0)?;
            while games.next()? {
                work(place, games, &mut found)?;
            }
            Ok(found)
        })
    }
}
