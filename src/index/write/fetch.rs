//! What an index needs of the archive beside the summaries of its games.

use std::io;

/// What the builder asks of the archive. Games are numbered from 0, in the index that is built.
pub trait Fetch {
    /// Calls `each` with the movetext of each of these games (ascending), in their order: as
    /// `unpack --export --utf8` writes it behind the empty line that follows the tag pairs. Asked
    /// only for games that are equal in the first seven keys.
    ///
    /// # Errors
    /// Those of reading the archive and of `each`.
    fn movetexts(
        &mut self,
        games: &[u32],
        each: &mut dyn FnMut(u32, &[u8]) -> io::Result<()>,
    ) -> io::Result<()>;

    /// Calls `each` with the value of Site (as [`super::GameSummary`] has it) of each of these games
    /// (ascending), in their order. Asked only for games of an index that was appended and has no
    /// sites.
    ///
    /// # Errors
    /// Those of reading the archive and of `each`.
    fn sites(
        &mut self,
        games: &[u32],
        each: &mut dyn FnMut(u32, &str) -> io::Result<()>,
    ) -> io::Result<()>;
}

/// Refuses: for archives of which it is known that no two games are equal.
#[derive(Clone, Copy, Debug)]
pub struct NoFetch;

impl Fetch for NoFetch {
    fn movetexts(
        &mut self,
        _games: &[u32],
        _each: &mut dyn FnMut(u32, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn sites(
        &mut self,
        _games: &[u32],
        _each: &mut dyn FnMut(u32, &str) -> io::Result<()>,
    ) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
