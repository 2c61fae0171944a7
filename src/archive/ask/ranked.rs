//! Sorts a list of games into archive order, for functions that decode each block once whatever the
//! order of the list, and what they read back into the order of the list.

use std::io;

use crate::fault::ArchiveFault;
use crate::run::Error;
use pgc_index::{Sorter, Temp};

/// A game of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct RankedGame {
    /// The position of its archive among the archives.
    pub archive: usize,
    /// Its number there, from 0.
    pub game: u32,
    /// Its position in the list.
    pub rank: u64,
}

/// Collects the games of a list, in bounded memory.
#[derive(Debug)]
pub struct ArchiveOrder {
    /// The number of games in the list.
    count: u64,
    sorter: Sorter,
}

impl ArchiveOrder {
    /// Ranks games in this much memory, and then in files of this folder.
    pub fn new(temp: &Temp) -> ArchiveOrder {
        ArchiveOrder {
            count: 0,
            sorter: Sorter::new(temp),
        }
    }

    /// Adds the next game of the list: the position of its archive, and its number from 0.
    pub fn put(&mut self, archive: usize, game: u32) -> io::Result<()> {
        let lead = u32::try_from(archive).unwrap_or(u32::MAX);
        let number = game.swap_bytes().to_le_bytes();
        self.count += 1;
        self.sorter.push(lead, &number, self.count - 1)
    }

    /// Calls `each` with the games in archive order, as [`each_portion`] does.
    pub fn each_portion(self, each: &mut PortionSink<'_>) -> Result<(), ArchiveFault> {
        let sorted = self.sorter.finish()?;
        let mut sorted = sorted.read()?;
        let mut next = || {
            let next = sorted.next();
            next.map(|next| {
                next.map(|(archive, number, rank)| RankedGame {
                    archive: archive as usize,
                    game: u32::from_le_bytes(number.first_chunk().copied().unwrap_or_default())
                        .swap_bytes(),
                    rank,
                })
            })
        };
        each_portion(&mut next, each)
    }
}

/// The most games of an archive that are read together; only at their ends a block is decoded
/// twice.
pub const PORTION: usize = 1 << 16;

/// Takes the position of an archive, and games of it, ascending, each with its rank.
pub type PortionSink<'a> = dyn FnMut(usize, &[(u32, u64)]) -> Result<(), ArchiveFault> + 'a;

/// Calls `each` with at most [`PORTION`] games at a time, which come in archive order.
pub(super) fn each_portion(
    games: &mut dyn FnMut() -> io::Result<Option<RankedGame>>,
    each: &mut PortionSink<'_>,
) -> Result<(), ArchiveFault> {
    let mut ahead = games()?;
    while let Some(RankedGame { archive, .. }) = ahead {
        let mut portion = Vec::new();
        while let Some(next) = ahead
            && next.archive == archive
            && portion.len() < PORTION
        {
            portion.push((next.game, next.rank));
            ahead = games()?;
        }
        each(archive, &portion)?;
    }
    Ok(())
}

/// Sorts data by their ranks, in bounded memory. Those of one rank keep their order.
#[derive(Debug)]
pub struct RankOrder {
    sorter: Sorter,
    count: u64,
    entry: Vec<u8>,
}

/// Length of the rank and the number that stand before the data.
const RANK: usize = 16;

impl RankOrder {
    /// Sorts in this much memory, and then in files of this folder.
    pub fn new(temp: &Temp) -> RankOrder {
        RankOrder {
            sorter: Sorter::new(temp),
            count: 0,
            entry: Vec::new(),
        }
    }

    /// Adds data.
    pub fn put(&mut self, rank: u64, data: &[u8]) -> io::Result<()> {
        if data.len() > u32::MAX as usize - RANK {
            return Err(io::Error::other("a game of more than 4 GiB"));
        }
        self.entry.clear();
        // Big-endian, so that byte order is numeric order.
        let keys = [rank, self.count].map(|key| key.swap_bytes().to_le_bytes());
        self.entry.extend_from_slice(keys.as_flattened());
        self.entry.extend_from_slice(data);
        self.count += 1;
        self.sorter.push(0, &self.entry, 0)
    }

    /// Calls `each` with the ranks and the data in order.
    pub fn each(self, mut each: impl FnMut(u64, &[u8]) -> Result<(), Error>) -> Result<(), Error> {
        let sorted = self.sorter.finish()?;
        let mut sorted = sorted.read()?;
        while let Some((_, entry, _)) = sorted.next()? {
            if let Some((rank, data)) = entry.split_first_chunk() {
                let rank = u64::from_le_bytes(*rank).swap_bytes();
                each(rank, data.get(RANK - 8..).unwrap_or_default())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_come_in_the_order_of_their_ranks_from_memory_and_from_files() {
        let folder = tempfile::tempdir().unwrap();
        let entries: Vec<(u64, Vec<u8>)> = (0..5000_u64)
            .map(|i| {
                let rank = (i * 7919 % 1000) << (i % 2 * 32);
                (
                    rank,
                    i.to_string().repeat(usize::from(i % 3 == 0)).into_bytes(),
                )
            })
            .collect();
        let mut sorted = entries.clone();
        // A stable sort.
        sorted.sort_by_key(|entry| entry.0);
        for memory in [1 << 12, 1 << 30] {
            let dir = folder.path().to_owned();
            let mut order = RankOrder::new(&Temp { dir, memory });
            for (rank, data) in &entries {
                order.put(*rank, data).unwrap();
            }
            let mut found = Vec::new();
            let each = |rank, data: &[u8]| {
                found.push((rank, data.to_vec()));
                Ok(())
            };
            order.each(each).unwrap();
            assert_eq!(found, sorted);
        }
    }
}
