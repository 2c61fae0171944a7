//! Makes an index of the summaries of games, in bounded memory.

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;

use super::layout::{About, IndexError, Section, kind};
use super::output::Output;
use super::summary::Summaries;

/// How an index is built.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// About so many bytes of memory are used; what is more goes to temporary files.
    pub memory: usize,
    /// Where these are.
    pub temp_dir: PathBuf,
    /// Write the hashes of section 6.
    pub hashes: bool,
}

/// What the builder asks of the archive. Games are numbered from 0, in the index that is built.
pub trait Fetch {
    /// Calls `each` with the movetext of each of these games (ascending), in their order: as `unpack --export --utf8` writes it behind the
    /// empty line that follows the tag pairs. Asked only for games that are equal in the first seven keys.
    ///
    /// # Errors
    /// Those of reading the archive and of `each`.
    fn movetexts(&mut self, games: &[u32], each: &mut dyn FnMut(u32, &[u8]) -> io::Result<()>) -> io::Result<()>;

    /// Calls `each` with the value of Site (as [`super::Summary`] has it) of each of these games (ascending), in their order. Asked only for
    /// games of an index that was appended and has no sites.
    ///
    /// # Errors
    /// Those of reading the archive and of `each`.
    fn sites(&mut self, games: &[u32], each: &mut dyn FnMut(u32, &str) -> io::Result<()>) -> io::Result<()>;
}

/// What was written.
#[derive(Clone, Debug, Default)]
pub struct Sizes {
    /// The sections.
    pub sections: Vec<Section>,
    /// Bytes of the whole index.
    pub total: u64,
    /// Games whose movetext was asked for.
    pub movetexts: u64,
}

/// Makes an index. Segments, blocks and games come in the order of the archive; what comes out depends on the archive alone.
pub struct Builder<'a> {
    options: BuildOptions,
    old: Vec<&'a [u8]>,
    games: u32,
}

impl fmt::Debug for Builder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("options", &self.options).field("games", &self.games).finish_non_exhaustive()
    }
}

impl<'a> Builder<'a> {
    /// Of nothing, yet.
    #[must_use]
    pub fn new(options: BuildOptions) -> Builder<'a> {
        Builder { options, old: Vec::new(), games: 0 }
    }

    /// All that `index` holds, as if its games came now. `archive` is what it belongs to, which will begin at `base` in the whole.
    ///
    /// # Errors
    /// The index is damaged, does not belong to `archive`, or cannot be joined with what is there.
    pub fn append(&mut self, index: &'a [u8], archive: &[u8], base: u64) -> Result<(), IndexError> {
        let _ = (archive, base);
        self.old.push(index);
        Err(io::Error::from(io::ErrorKind::Unsupported).into())
    }

    /// The archive is no archive of ours; `pgn2pgc`: it is of that dialect. One segment follows.
    pub fn foreign(&mut self, pgn2pgc: bool) {
        let _ = pgn2pgc;
    }

    /// A segment begins at this offset of the archive.
    pub fn segment_begins(&mut self, offset: u64) {
        let _ = offset;
    }

    /// A block begins at this offset, whose records have this CRC-32. The games that come next are in it.
    ///
    /// # Errors
    /// There are too many blocks.
    pub fn block(&mut self, offset: u64, crc: u32) -> io::Result<()> {
        let _ = (offset, crc);
        Ok(())
    }

    /// The next games of the block at hand.
    ///
    /// # Errors
    /// There are too many games, or a temporary file cannot be written.
    pub fn games(&mut self, games: &Summaries) -> io::Result<()> {
        self.games += u32::try_from(games.len()).unwrap_or(0);
        Ok(())
    }

    /// The segment ends at this offset. `head` and `tail` are its first and its last record, as they stand in the archive.
    pub fn segment_ends(&mut self, end: u64, head: &[u8], tail: &[u8]) {
        let _ = (end, head, tail);
    }

    /// Writes the index of an archive of this length.
    ///
    /// # Errors
    /// Those of `fetch`, of `out`, and of temporary files; an appended index is damaged.
    pub fn finish(self, archive_length: u64, fetch: &mut dyn Fetch, out: &mut dyn Write) -> io::Result<Sizes> {
        let _ = fetch;
        let mut output = Output::begin(out)?;
        output.entries(kind::SEGMENTS)?;
        output.bytes(&[], 0)?;
        output.end_section()?;
        output.integers(kind::DATE, 0)?;
        output.integer(0)?;
        output.end(&About { archive_length, ..About::default() })?;
        Err(io::ErrorKind::Unsupported.into())
    }
}
