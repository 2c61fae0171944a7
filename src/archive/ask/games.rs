//! Fetches games, or only their tags, block by block.

use crate::game::Game;
use crate::games::walk::BlockGames;
use crate::open::Archive;
use crate::run::Error;
use pgc_block::small::stored::Needs;
use pgc_pgn::text::decoded;

/// The tag pairs of a game.
type TagPairs = Vec<(String, String)>;

/// For programs that walk over many games.
impl Archive {
    /// Some games (numbered from 0, ascending) without their texts, each block decoded once. Games
    /// in damaged blocks are missing if the archive passes over damage.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    #[doc(hidden)]
    pub fn games_at(&self, wanted: &[u32], threads: usize) -> Result<Vec<Game>, Error> {
        self.each_at(wanted, Needs::All, threads, Game::new)
    }

    /// The numbers (from 1) and tags of some games; otherwise as [`Archive::games_at`].
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    #[doc(hidden)]
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
        let mut found = Vec::with_capacity(wanted.len());
        self.scan(
            Some(wanted),
            needs,
            threads,
            |_, games, block: &mut Vec<T>| {
                self.compare(games)?;
                block.push(read(games)?);
                Ok(())
            },
            |block| {
                found.extend(block);
                Ok(())
            },
        )?;
        Ok(found)
    }
}
