//! Sorts a list of games into archive order, for functions that decode each block once whatever the
//! order of the list, and what they read back into the order of the list.

use std::io;
use std::iter;

use crate::run::Error;
use pgc_index::{Sorter, Temp};

/// The most games that are passed on together.
pub const PORTION: usize = 1 << 16;

/// Called with the position of an archive, and some of its games, ascending: the number of each,
/// from 0, and its position in the list.
pub type EachPortion<'e> = dyn FnMut(usize, &[(u32, u64)]) -> Result<(), Error> + 'e;

/// Sorts the games of a list into archive order, in bounded memory, and passes them on in portions.
/// A game is the position of its archive, and its number there, from 0.
///
/// # Errors
/// [`Error::Io`], and those of `each`.
pub fn in_archive_order(
    games: &mut dyn Iterator<Item = (usize, u32)>,
    temp: &Temp,
    each: &mut EachPortion<'_>,
) -> Result<(), Error> {
    let mut sorter = Sorter::new(temp);
    for ((archive, game), rank) in games.zip(0..) {
        let lead = u32::try_from(archive).unwrap_or(u32::MAX);
        sorter.push(lead, &game.swap_bytes().to_le_bytes(), rank)?;
    }
    let sorted = sorter.finish()?;
    let mut sorted = sorted.read()?;
    let next = || {
        let next = sorted.next().transpose()?;
        Some(next.map(|(archive, game, rank)| {
            let game = game.first_chunk().copied().unwrap_or_default();
            let game = u32::from_le_bytes(game).swap_bytes();
            (archive as usize, (game, rank))
        }))
    };
    in_portions(&mut iter::from_fn(next), each)
}

/// Passes on games that are in archive order.
pub(super) fn in_portions(
    games: &mut dyn Iterator<Item = io::Result<(usize, (u32, u64))>>,
    each: &mut EachPortion<'_>,
) -> Result<(), Error> {
    let (mut archive, mut portion) = (0, Vec::new());
    for next in games {
        let (of, game) = next?;
        if !portion.is_empty() && (of != archive || portion.len() == PORTION) {
            each(archive, &portion)?;
            portion.clear();
        }
        archive = of;
        portion.push(game);
    }
    match portion.is_empty() {
        true => Ok(()),
        false => each(archive, &portion),
    }
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
