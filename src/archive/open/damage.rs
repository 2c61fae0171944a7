//! The damage that was met in an archive, and passed over.

use std::collections::BTreeMap;
use std::sync::{MutexGuard, PoisonError};

use super::Archive;
use crate::run::{Error, Gap};
use crate::stream::frame::{FrameRecord, frame_at};
use crate::stream::walk::BlockPlace;

/// The key of a gap among those that were met.
fn place_of(gap: &Gap) -> (u64, bool) {
    (gap.begin, gap.end > gap.begin)
}

impl Archive {
    /// The damage met so far, if it is [passed over](super::OpenOptions::passes_damage), in the
    /// order of the archive.
    pub fn gaps(&self) -> Vec<Gap> {
        let mut gaps = self.met().clone();
        for gap in &self.walk().gaps {
            gaps.entry(place_of(gap)).or_insert_with(|| gap.clone());
        }
        gaps.into_values().collect()
    }

    /// The gaps met, by offset.
    fn met(&self) -> MutexGuard<'_, BTreeMap<(u64, bool), Gap>> {
        self.gaps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn passes_damage(&self) -> bool {
        self.passes_damage
    }

    /// Notes damage that was passed over.
    pub(crate) fn meet(&self, gap: Gap) {
        self.met().entry(place_of(&gap)).or_insert(gap);
    }

    /// Notes damage in a block as a gap. Returns the error if damage is not to be passed over, or
    /// if the error is not damage.
    pub(crate) fn pass_over(&self, place: &BlockPlace, error: Error) -> Result<(), Error> {
        if !self.passes_damage || !matches!(error, Error::Damaged { .. }) {
            return Err(error);
        }
        let framed = frame_at(&*self.bytes, place.offset).ok().flatten();
        let source = framed.and_then(|framed| match framed.frame {
            FrameRecord::Block(head) => Some(head.source),
            _ => None,
        });
        let before = self.number_of(place.before) - 1;
        let gap = Gap::new(error, place.offset..place.end.min(self.size()), before);
        self.meet(gap.of_block(place.games, source));
        Ok(())
    }

    /// The number of a game for [`Archive::game`] (from 1), given its number in the index (from 0).
    /// They differ by more than one only behind gaps, if there is no index: the stand-in that
    /// [`Archive::find`] then makes leaves out lost games.
    pub fn number_of(&self, game: u64) -> u64 {
        let number = game.saturating_add(1);
        if self.index().is_some() || !self.passes_damage {
            return number;
        }
        let moved = |place: BlockPlace| {
            let before = self.walk().games_before(place.offset)?;
            Some(before.saturating_add(number - place.before))
        };
        self.stand_in_place(game).and_then(moved).unwrap_or(number)
    }

    /// The block that holds a game according to the stand-in, if damage was met in making it.
    pub(super) fn stand_in_place(&self, game: u64) -> Option<BlockPlace> {
        let index = self.stand_in.get().filter(|_| self.passes_damage)?;
        if self.met().is_empty() {
            return None;
        }
        let game = u32::try_from(game).ok()?;
        let at = (game < index.games()).then(|| index.place(game).ok())??;
        Some(BlockPlace::from_index(at, false))
    }

    /// Finds all blocks, for [`Archive::number_of`].
    pub(crate) fn walk_all(&self) -> Result<(), Error> {
        self.walk().count(&*self.bytes).map(drop)
    }

    /// The error for a game (from 0) that stood in a gap.
    pub(super) fn lost(&self, game: u64) -> Error {
        let gaps = self.gaps();
        let holds = |gap: &&Gap| {
            gap.game.is_some_and(|first| {
                (first..first.saturating_add(gap.games.unwrap_or(0))).contains(&(game + 1))
            })
        };
        match gaps.iter().find(holds) {
            Some(gap) => gap.error(),
            None => {
                let begin = gaps.first().map_or(0, |gap| gap.begin);
                Error::damaged(begin, game, "block", "is missing")
            }
        }
    }
}
