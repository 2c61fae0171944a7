//! Visits the games of an archive, with blocks in parallel and results in order.

use std::ops::Range;

use crate::games::walk::BlockGames;
use crate::open::Archive;
use crate::pipeline::ordered;
use crate::run::Error;
use crate::stream::walk::BlockPlace;
use pgc_block::small::stored::Needs;

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
        mut sink: impl FnMut(R) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (mut next, mut rest) = (0, wanted);
        ordered(
            threads,
            || {
                let first = match rest {
                    None => next,
                    Some([]) => return Ok(None),
                    Some([first, ..]) => u64::from(*first),
                };
                let Some(place) = self.place(first)? else {
                    return Ok(None);
                };
                next = place.end_game();
                let here = rest.map(|list| {
                    let (here, more) =
                        list.split_at(list.partition_point(|&game| u64::from(game) < next));
                    rest = Some(more);
                    &here[here.partition_point(|&game| u64::from(game) < place.before)..]
                });
                Ok(Some((self.cost(&place), (place, here))))
            },
            |(place, here)| (place, self.gather(&place, here, needs, &work)),
            |(place, result)| {
                self.pass(place.end_game())?;
                match result {
                    Ok(found) => sink(found),
                    Err(error) => self.pass_over(&place, error),
                }
            },
        )
    }

    /// Reads these games (from 0, in any order), and calls `each` with the position of each in the
    /// list and with what `of` makes of it. For fewer than 1,000, one thread is enough.
    pub(crate) fn each_of<T: Send>(
        &self,
        games: &[u32],
        needs: Needs,
        threads: usize,
        of: impl Fn(&BlockGames<'_>) -> T + Sync,
        mut each: impl FnMut(usize, T),
    ) -> Result<(), Error> {
        let mut places: Vec<usize> = (0..games.len()).collect();
        places.sort_by_key(|&place| games[place]);
        let sorted: Vec<u32> = places.iter().map(|&place| games[place]).collect();
        self.scan(
            Some(&sorted),
            needs,
            if games.len() < 1000 { 1 } else { threads },
            |_, games, out: &mut Vec<(u64, T)>| {
                out.push((games.number() - 1, of(games)));
                Ok(())
            },
            |found| {
                for (game, value) in found {
                    if let Ok(at) = sorted.binary_search_by_key(&game, |&game| game.into()) {
                        each(places[at], value);
                    }
                }
                Ok(())
            },
        )
    }

    /// Calls `work` with each block that holds some of the `games` (from 0, ascending) and their
    /// range in the list; passes the results to `sink`, in the order of the blocks.
    pub(crate) fn over_blocks<R: Send>(
        &self,
        games: &[u32],
        threads: usize,
        work: impl Fn(&BlockPlace, Range<usize>) -> Result<R, Error> + Sync,
        mut sink: impl FnMut(&BlockPlace, Result<R, Error>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut begin = 0;
        ordered(
            if games.len() < 1000 { 1 } else { threads },
            || {
                let Some(&first) = games.get(begin) else {
                    return Ok(None);
                };
                let Some(place) = self.place(u64::from(first))? else {
                    return Ok(None);
                };
                let end = place.end_game();
                let here = games[begin..].partition_point(|&game| u64::from(game) < end);
                // Games before the block are in a gap.
                let lost = games[begin..].partition_point(|&game| u64::from(game) < place.before);
                let range = begin + lost..begin + here;
                begin = range.end;
                Ok(Some((self.cost(&place), (place, range))))
            },
            |(place, range)| {
                let result = work(&place, range);
                (place, result)
            },
            |(place, result)| {
                sink(&place, result)?;
                self.pass(place.end_game())
            },
        )
    }

    fn gather<R: Default>(
        &self,
        place: &BlockPlace,
        wanted: Option<&[u32]>,
        needs: Needs,
        work: &impl Fn(&BlockPlace, &mut BlockGames<'_>, &mut R) -> Result<(), Error>,
    ) -> Result<R, Error> {
        let end = place.end_game();
        let (first, last) = match wanted {
            // All of them were in a gap.
            Some([]) => return Ok(R::default()),
            Some(list @ [first, ..]) => {
                let last = list.last().unwrap_or(first);
                (u64::from(*first), u64::from(*last) + 1)
            }
            _ => (place.before, end),
        };
        self.with_block(place, first..last, needs, |games| {
            let mut found = R::default();
            games.pass(first.saturating_sub(place.before))?;
            let mut list = wanted.map(|list| list.iter());
            let mut want = list.as_mut().and_then(Iterator::next);
            while (wanted.is_none() || want.is_some()) && games.next()? {
                if want.is_some_and(|&game| u64::from(game) + 1 != games.number()) {
                    continue;
                }
                work(place, games, &mut found)?;
                want = list.as_mut().and_then(Iterator::next);
            }
            Ok(found)
        })
    }
}
