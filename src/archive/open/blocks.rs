//! The blocks of an archive by number, for a caller that divides the work on it.

use std::ops::Range;

use super::Archive;
use crate::run::Error;

impl Archive {
    /// The number of blocks.
    ///
    /// # Errors
    /// As [`Archive::len`].
    #[doc(hidden)]
    pub fn block_count(&self) -> Result<u64, Error> {
        if let Some(index) = self.index() {
            return Ok(u64::from(index.block_count()));
        }
        let mut walk = self.walk();
        walk.count(&*self.bytes, self.stream)?;
        Ok(walk.block_count())
    }

    /// The games, numbered from 0, that begin in the blocks of a range. Ranges that follow each
    /// other give games that follow each other; a block that there is not begins behind the last
    /// game.
    ///
    /// # Examples
    /// ```
    /// use pgc::{Archive, NoHooks, PackOptions, pack};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("one.pgc");
    /// let mut bytes = Vec::new();
    /// pack(&mut &b"1. e4 *\n"[..], "one.pgn", &mut bytes, &PackOptions::default(), &mut NoHooks)?;
    /// std::fs::write(&path, bytes)?;
    ///
    /// let archive = Archive::open(&path)?;
    /// assert_eq!(archive.block_count()?, 1);
    /// assert_eq!(archive.games_of_blocks(&(0..1))?, 0..1);
    /// assert_eq!(archive.games_of_blocks(&(1..9))?, 1..1);
    /// # Ok::<(), pgc::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Archive::len`].
    #[doc(hidden)]
    pub fn games_of_blocks(&self, blocks: &Range<u64>) -> Result<Range<u64>, Error> {
        Ok(self.games_before(blocks.start)?..self.games_before(blocks.end)?)
    }

    /// The number of games before a block.
    fn games_before(&self, block: u64) -> Result<u64, Error> {
        // The games before the first block are none, also if damage took some.
        if block == 0 {
            return Ok(0);
        }
        if block >= self.block_count()? {
            return self.len();
        }
        if let (Some(index), Ok(number)) = (self.index(), u32::try_from(block)) {
            match index.block(number) {
                Ok(place) => return Ok(place.first_game.into()),
                Err(error) => self.give_up_index(&error),
            }
        }
        let games = self.len()?;
        Ok(self.walk().games_before_block(block).unwrap_or(games))
    }
}
