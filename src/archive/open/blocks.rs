//! The blocks of an archive: reads one of them, and numbers them for a caller that divides the
//! work.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use crate::beside::index_path;
use crate::games::rows::RowCheck;
use crate::games::walk::{BlockGames, damage};
use crate::open::Archive;
use crate::run::Error;
use crate::stream::frame::{FrameRecord, Framed, frame_at, stored_of};
use crate::stream::walk::{BlockPlace, StreamKind};
use pgc_block::head::BlockHead;
use pgc_block::small::stored::{Needs, records_of_games};
use pgc_index::{Index, IndexError};
use pgc_io::mmap::Map;

impl Archive {
    /// Calls `work` with the games of a block, after checking the block against the index or the
    /// walk. `games` are those that `work` reads, numbered from 0 in the archive, and `needs` is what
    /// it looks at.
    pub(crate) fn with_block<T>(
        &self,
        place: &BlockPlace,
        games: Range<u64>,
        needs: Needs,
        work: impl FnOnce(&mut BlockGames<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let damaged = |item, what: &str| Error::damaged(place.offset, place.before, item, what);
        match self.stream {
            StreamKind::Foreign => {
                if place.end > self.size() {
                    return Err(damaged("block", "is cut off: the archive ends here"));
                }
                let bytes = &self.bytes.read_at(place.offset, place.end)?;
                if place.crc.is_some_and(|crc| crc != crc32fast::hash(bytes)) {
                    return Err(damaged("block", "is not the one that the index describes"));
                }
                let mut games = BlockGames::foreign(bytes, place.offset, place.before);
                games.rows = self.rows_of(place);
                work(&mut games)
            }
            StreamKind::Ours => {
                let framed = self.framed(place)?;
                let (framed, head) = checked_head(place, framed.as_ref())?;
                let stored = self.stored(place, framed, head)?;
                let here = games.start.saturating_sub(place.before)
                    ..games.end.saturating_sub(place.before);
                let some = records_of_games(head, &stored, here, needs)
                    .map_err(|d| damage(d, head, framed.end, place.before))?;
                let mut games = BlockGames::some(head, &some, framed.end, place.before);
                // A row has more than tags and moves.
                let is_enough = matches!(needs, Needs::Elements | Needs::All);
                games.rows = self.rows_of(place).filter(|_| is_enough);
                work(&mut games)
            }
        }
    }

    /// The rows of the games of a block, if it is the index that has named the block.
    fn rows_of(&self, place: &BlockPlace) -> Option<RowCheck<'_>> {
        place.crc?;
        self.index().map(RowCheck::new)
    }

    /// Compares the current game with its row in the index, before it is written or printed. If
    /// they differ, the index is not used any more.
    pub fn compare(&self, games: &mut BlockGames<'_>) -> Result<(), Error> {
        games.compare().map_err(|error| match error {
            IndexError::Io(error) => error.into(),
            error => {
                self.give_up_index(&error);
                let (index, archive) = (index_path(&self.path), self.path.display());
                let index = index.display();
                Error::FalseIndex(format!(
                    "{index}: {error} (make it again with `pgc index {archive}`)"
                ))
            }
        })
    }

    /// Checks that an index has the blocks of this archive: their places, games and checksums.
    pub(crate) fn proves_blocks<D: AsRef<[u8]>>(&self, index: &Index<D>) -> Result<(), IndexError> {
        for number in 0..index.block_count() {
            let place = index.block(number)?.into();
            let framed = self.framed(&place);
            if framed.is_ok_and(|framed| checked_head(&place, framed.as_ref()).is_ok()) {
                continue;
            }
            return Err(IndexError::Unfit("its blocks are not those of its archive"));
        }
        Ok(())
    }

    /// Calls `work` with the head of a block, its stored bytes and their offset in the archive,
    /// after the same checks as [`Archive::with_block`]. Returns `None` if the block is not coded.
    pub(crate) fn with_coded<T>(
        &self,
        place: &BlockPlace,
        work: impl FnOnce(&BlockHead, &[u8], u64) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        if self.stream == StreamKind::Foreign {
            return Ok(None);
        }
        let framed = self.framed(place)?;
        let (framed, head) = checked_head(place, framed.as_ref())?;
        if !head.is_coded() {
            return Ok(None);
        }
        let stored = self.stored(place, framed, head)?;
        work(head, &stored, framed.end).map(Some)
    }

    /// Checks the blocks of games (numbered from 0, ascending) against their checksums, which does not
    /// decode them.
    ///
    /// # Errors
    /// [`Error::Damaged`] unless the archive passes over damage, and [`Error::Io`].
    #[doc(hidden)]
    pub fn check_blocks_of(&self, games: &[u32], threads: usize) -> Result<(), Error> {
        let check = |place: &BlockPlace, _| match self.stream {
            StreamKind::Foreign => self.with_block(place, 0..0, Needs::Tags, |_| Ok(())),
            StreamKind::Ours => {
                let framed = self.framed(place)?;
                let (framed, head) = checked_head(place, framed.as_ref())?;
                self.stored(place, framed, head).map(drop)
            }
        };
        self.over_blocks(games, threads, check, Ok)
    }

    /// Whether all blocks that an index leaves out are damaged. No index is used here.
    pub(super) fn leaves_out_damage(&self, index: &Index<Map>) -> bool {
        let block = |number| {
            let at = index.block(number)?;
            Ok((at.offset, u64::from(at.games)))
        };
        let blocks = (0..index.block_count()).map(block);
        let Ok(known) = blocks.collect::<Result<HashSet<_>, IndexError>>() else {
            return false;
        };
        let mut next = 0;
        while let Ok(Some(place)) = self.numbered_place(next) {
            next = place.end_game();
            let is_known = known.contains(&(place.offset, place.games));
            let here = place.before..next;
            if !is_known
                && self
                    .with_block(&place, here, Needs::All, |_| Ok(()))
                    .is_ok()
            {
                return false;
            }
        }
        true
    }

    fn framed(&self, place: &BlockPlace) -> Result<Option<Framed>, Error> {
        frame_at(&*self.bytes, place.offset).map_err(|e| e.after_game(place.before))
    }

    fn stored(
        &self,
        place: &BlockPlace,
        framed: &Framed,
        head: &BlockHead,
    ) -> Result<Cow<'_, [u8]>, Error> {
        stored_of(&*self.bytes, framed, head).map_err(|e| e.after_game(place.before))
    }

    /// About the number of bytes that a block takes in memory.
    pub(crate) fn cost(&self, place: &BlockPlace) -> usize {
        let length = place.end - place.offset;
        let framed = match self.stream {
            StreamKind::Ours => frame_at(&*self.bytes, place.offset).ok().flatten(),
            StreamKind::Foreign => None,
        };
        // The head of a coded block has the length of the records. Damage is reported when the
        // block is read.
        let bytes = match framed.map(|framed| framed.frame) {
            Some(FrameRecord::Block(head)) if head.is_coded() => head.records.max(length),
            _ => length,
        };
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }

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
    /// other give games that follow each other; numbers beyond the last block stand for the end of
    /// the games.
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
        // No game comes before the first block, even if damage took some there.
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

/// The head of a block, if it is the one that the index or the walk describes.
fn checked_head<'f>(
    place: &BlockPlace,
    framed: Option<&'f Framed>,
) -> Result<(&'f Framed, &'f BlockHead), Error> {
    let damaged = |what: &str| Error::damaged(place.offset, place.before, "block head", what);
    let found = framed.map(|framed| (framed, &framed.frame));
    let Some((framed, FrameRecord::Block(head))) = found else {
        return Err(damaged("is missing: another record is in its place"));
    };
    let is_other = head.games != place.games
        || place.crc.is_some_and(|crc| crc != head.crc)
        || framed.next() > place.end;
    if is_other {
        return Err(damaged("is not the one that the index describes"));
    }
    Ok((framed, head))
}
