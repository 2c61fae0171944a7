//! The blocks of an archive: reads one of them, and numbers them for a caller that divides the
//! work.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::Ordering;

use crate::beside::{index_path, segments_agree};
use crate::games::rows::RowCheck;
use crate::games::walk::{BlockGames, damage};
use crate::open::Archive;
use crate::run::Error;
use crate::stream::frame::{FrameRecord, Framed, behind_noops, frame_at, stored_of};
use crate::stream::reader::OnDamage;
use crate::stream::walk::{BlockPlace, BlockWalk};
use pgc_block::head::BlockHead;
use pgc_block::small::stored::{Needs, records_of_games};
use pgc_index::{BlockPosition, Index, IndexError};

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
        let (mut work, mut done) = (Some(work), None);
        self.with_games(place, games, needs, &mut |games| {
            done = work.take().map(|work| work(games)).transpose()?;
            Ok(())
        })?;
        done.ok_or_else(|| place.too_few())
    }

    /// As [`Archive::with_block`], which is built for each kind of answer: this is built once.
    fn with_games(
        &self,
        place: &BlockPlace,
        games: Range<u64>,
        needs: Needs,
        work: &mut dyn FnMut(&mut BlockGames<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (head, at) = &self.head_at(place)?;
        let stored = self.stored(place, *at, head)?;
        let here = games.start.saturating_sub(place.before)..games.end.saturating_sub(place.before);
        let (records, skipped) = records_of_games(head, &stored, here, needs)
            .map_err(|d| damage(d, head, *at, place.before))?;
        let mut games = BlockGames::new(head, &records, *at, place.before, skipped, needs);
        // A row has more than tags and moves.
        if matches!(needs, Needs::Elements | Needs::All) {
            games.rows = self.rows_of(place);
        }
        work(&mut games)
    }

    /// The rows of the games of a block, if it is the index that has named the block.
    fn rows_of(&self, place: &BlockPlace) -> Option<RowCheck<'_>> {
        place.crc?;
        let plays = self.plays.load(Ordering::Relaxed);
        self.index().map(|index| RowCheck::new(index, plays))
    }

    /// Compares the current game with its row in the index, before it is written or printed. If
    /// they differ, the index is not used any more.
    pub fn compare(&self, games: &mut BlockGames<'_>) -> Result<(), Error> {
        games.compare().map_err(|error| self.refuse(error))
    }

    /// Stops using the index, which is false or damaged.
    fn refuse(&self, error: IndexError) -> Error {
        if let IndexError::Io(error) = error {
            return error.into();
        }
        self.give_up_index(&error);
        Error::FalseIndex {
            archive: self.path.clone(),
            index: index_path(&self.path),
            why: error.to_string(),
        }
    }

    /// Calls `ask`; once more if the index turns out to be false, which is not used then.
    pub(crate) fn again_if_false<T>(
        &self,
        mut ask: impl FnMut() -> Result<T, Error>,
    ) -> Result<T, Error> {
        match ask() {
            Err(Error::FalseIndex { .. }) => ask(),
            done => done,
        }
    }

    /// Checks that an index has the blocks of this archive: their places, numbers, games and
    /// checksums.
    ///
    /// # Errors
    /// [`IndexError::FalseBlock`]; the index is damaged.
    pub fn proves_blocks<D: AsRef<[u8]>>(&self, index: &Index<D>) -> Result<(), IndexError> {
        let is_all = segments_agree(self.bytes(), index);
        for number in 0..index.block_count() {
            let place = BlockPlace::from_index(index.block(number)?, is_all);
            let found = frame_at(self.bytes(), place.offset).ok().flatten();
            let is_it = found.map(|found| self.is_described(&place, &found, Some(index)));
            if !is_it.unwrap_or(Ok(false))? {
                return Err(IndexError::FalseBlock(place.offset));
            }
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
        let (head, at) = self.head_at(place)?;
        if !head.is_coded() {
            return Ok(None);
        }
        let stored = self.stored(place, at, &head)?;
        work(&head, &stored, at).map(Some)
    }

    /// Checks the blocks of games (numbered from 0, ascending) against their checksums, which does not
    /// decode them.
    ///
    /// # Errors
    /// [`Error::Damaged`] unless the archive passes over damage, and [`Error::Io`].
    pub fn check_blocks_of(&self, games: &[u32], threads: usize) -> Result<(), Error> {
        let check = |place: &BlockPlace, _| {
            let (head, at) = self.head_at(place)?;
            self.stored(place, at, &head).map(drop)
        };
        self.over_blocks(games, threads, check, Ok)
    }

    /// Whether the archive is damaged, and the index has all its blocks in their order, apart from
    /// damaged ones.
    pub(super) fn leaves_out_damage<D: AsRef<[u8]>>(&self, index: &Index<D>) -> bool {
        let mut walk = BlockWalk::new(OnDamage::Pass);
        if walk.count(&*self.bytes).is_err() {
            return false;
        }
        let (mut known, mut is_damaged) = (0, !walk.gaps.is_empty());
        for place in walk.places() {
            let at = match known < index.block_count() {
                true => index.block(known).ok(),
                false => None,
            };
            let is_it =
                |at: BlockPosition| (at.offset, u64::from(at.games)) == (place.offset, place.games);
            if at.is_some_and(is_it) {
                known += 1;
                continue;
            }
            let here = place.before..place.end_game();
            let read = self.with_block(place, here, Needs::All, |_| Ok(()));
            is_damaged = true;
            if read.is_ok() {
                return false;
            }
        }
        is_damaged && known == index.block_count()
    }

    /// The head of the block in this place, and the offset behind it. All that opens blocks comes
    /// here: an index proposes the place, and the head of the block decides.
    fn head_at(&self, place: &BlockPlace) -> Result<(Box<BlockHead>, u64), Error> {
        let damaged = |what: &str| Error::damaged(place.offset, place.before, "block head", what);
        let error = match frame_at(&*self.bytes, place.offset) {
            Ok(Some(found)) if matches!(found.frame, FrameRecord::Block(_)) => {
                let index = self.index().filter(|_| place.number.is_some());
                match (self.is_described(place, &found, index), found.frame) {
                    (Ok(true), FrameRecord::Block(head)) => return Ok((head, found.end)),
                    (Err(error), _) => return Err(self.refuse(error)),
                    _ => damaged(NOT_DESCRIBED),
                }
            }
            Ok(_) => damaged("is missing: another record is in its place"),
            Err(error) => error.after_game(place.before),
        };
        Err(self.blame(place, error))
    }

    /// Whether this is the head of the block that the index or the walk describes.
    fn is_described<D: AsRef<[u8]>>(
        &self,
        place: &BlockPlace,
        found: &Framed,
        index: Option<&Index<D>>,
    ) -> Result<bool, IndexError> {
        let FrameRecord::Block(head) = &found.frame else {
            return Ok(false);
        };
        let next = found.next();
        let is_behind = |at| matches!(behind_noops(self.bytes(), next), Ok(Some(it)) if it.0 == at);
        let is_next = |number: u32| {
            head.number == u64::from(number)
                && found.begin == place.offset
                && (next == place.end || is_behind(place.end))
        };
        let is_it = head.games == place.games
            && place.crc.is_none_or(|crc| crc == head.crc)
            && next <= place.end
            && place.number.is_none_or(is_next);
        // The head counts the moves of variations too.
        Ok(is_it && index.map_or(Ok(0), |index| index.plies(place.numbers()))? <= head.plies)
    }

    /// The error for a block that is not as its place says. If the index gave the place, and the
    /// archive itself has whole heads, the index is false.
    fn blame(&self, place: &BlockPlace, error: Error) -> Error {
        let is_damage = matches!(error, Error::Damaged { .. });
        match place.number {
            Some(_) if is_damage && self.is_whole() => {
                self.refuse(IndexError::FalseBlock(place.offset))
            }
            _ => error,
        }
    }

    /// Whether the archive can be walked from its beginning to its end.
    fn is_whole(&self) -> bool {
        let mut walk = BlockWalk::new(OnDamage::Stop);
        *self
            .is_whole
            .get_or_init(|| walk.count(self.bytes()).is_ok())
    }

    fn stored(
        &self,
        place: &BlockPlace,
        at: u64,
        head: &BlockHead,
    ) -> Result<Cow<'_, [u8]>, Error> {
        stored_of(&*self.bytes, at, head).map_err(|e| e.after_game(place.before))
    }

    /// About the number of bytes that a block takes in memory.
    pub(crate) fn cost(&self, place: &BlockPlace) -> usize {
        let length = place.end - place.offset;
        let framed = frame_at(&*self.bytes, place.offset).ok().flatten();
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
    pub fn block_count(&self) -> Result<u64, Error> {
        if let Some(index) = self.index() {
            return Ok(u64::from(index.block_count()));
        }
        let mut walk = self.walk();
        walk.count(&*self.bytes)?;
        Ok(walk.places().len() as u64)
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

/// What is wrong with a block that its place does not describe.
const NOT_DESCRIBED: &str = "is not the one that the index describes";
