//! What the builder of an index needs from the archive, apart from summaries of games.

use std::io;

/// Fetches data of games from the archive. Games are numbered from 0, in the index that is built.
pub trait Fetch {
    /// Calls `each` with the movetext of each of these games, in their (ascending) order: the text
    /// that `unpack --export --utf8` writes after the empty line that ends the tag pairs. Only
    /// called for games with equal first seven keys.
    ///
    /// # Errors
    /// Those of reading the archive and of `each`.
    fn movetexts(
        &mut self,
        games: &[u32],
        each: &mut dyn FnMut(u32, &[u8]) -> io::Result<()>,
    ) -> io::Result<()>;

    /// Calls `each` with the value of Site (as in [`super::GameSummary`]) of each of these games,
    /// in their (ascending) order. Only called for games of an appended index without sites.
    ///
    /// # Errors
    /// Those of reading the archive and of `each`.
    fn sites(
        &mut self,
        games: &[u32],
        each: &mut dyn FnMut(u32, &str) -> io::Result<()>,
    ) -> io::Result<()>;
}

/// Refuses every call: for archives without equal games.
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
