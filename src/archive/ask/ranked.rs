//! Sorts a list of games into archive order, for functions that decode each block once whatever the
//! order of the list.

use crate::ask::shuffle::{Drain, Room, Shuffle, number};
use crate::fault::ArchiveFault;
use crate::open::Archive;
use crate::run::Error;

/// A game of a list.
#[derive(Debug, Clone, Copy)]
pub struct RankedGame {
    /// The position of its archive among the archives.
    pub archive: usize,
    /// Its number there, from 0.
    pub game: u32,
    /// Its position in the list.
    pub rank: u64,
}

/// Collects the games of a list, in linear time and bounded memory.
#[derive(Debug)]
pub struct ArchiveOrder<'a> {
    archives: &'a [&'a Archive],
    /// The number of games before each archive.
    bases: Vec<u64>,
    /// The number of games in all archives.
    all: u64,
    /// The number of games in the list.
    count: u64,
    shuffle: Shuffle,
}

impl<'a> ArchiveOrder<'a> {
    /// Ranks the games of these archives.
    pub fn new(archives: &'a [&'a Archive], room: &Room) -> Result<ArchiveOrder<'a>, ArchiveFault> {
        let (mut bases, mut all) = (Vec::with_capacity(archives.len()), 0_u64);
        for (number, archive) in archives.iter().enumerate() {
            bases.push(all);
            all += archive.len().map_err(ArchiveFault::of(number))?;
        }
        Ok(ArchiveOrder {
            archives,
            bases,
            all,
            count: 0,
            // Each entry holds a rank.
            shuffle: Shuffle::new(all, all.saturating_mul(8), room),
        })
    }

    /// Adds the next game of the list: the position of its archive, and its number from 0.
    pub fn put(&mut self, archive: usize, game: u32) -> Result<(), ArchiveFault> {
        let games = self
            .archives
            .get(archive)
            .map_or(Ok(0), |archive| archive.len())
            .map_err(ArchiveFault::of(archive))?;
        if u64::from(game) >= games {
            return Err(ArchiveFault::of(archive)(Error::NoSuchGame {
                number: u64::from(game) + 1,
                games,
            }));
        }
        let key = self.bases[archive] + u64::from(game);
        self.shuffle.put(key, &self.count.to_le_bytes())?;
        self.count += 1;
        Ok(())
    }

    /// The number of games in the list, and in all archives.
    pub fn counts(&self) -> (u64, u64) {
        (self.count, self.all)
    }

    /// Returns the games in archive order.
    pub fn drain(self) -> RankedGames {
        RankedGames {
            bases: self.bases,
            drain: self.shuffle.drain(),
        }
    }
}

/// Returns the games of a list in archive order.
#[derive(Debug)]
pub struct RankedGames {
    bases: Vec<u64>,
    drain: Drain,
}

impl RankedGames {
    /// The next game; `None` behind the last.
    #[expect(
        clippy::should_implement_trait,
        reason = "a `for` loop would hide its errors"
    )]
    pub fn next(&mut self) -> Result<Option<RankedGame>, Error> {
        let Some((key, rank)) = self.drain.next()? else {
            return Ok(None);
        };
        let rank = number(rank);
        let bases = &self.bases;
        let archive = bases.partition_point(|&base| base <= key).saturating_sub(1);
        let game = u32::try_from(key - bases[archive]).unwrap_or(u32::MAX);
        Ok(Some(RankedGame {
            archive,
            game,
            rank,
        }))
    }
}
