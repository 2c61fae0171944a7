//! Appends segments to an archive in place, all of them or none (spec/extension.md 3.1).
//!
//! The archive is valid at every moment: until the last write, a mark before the new bytes makes
//! readers stop there.

use std::fs::{File, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use crate::run::Error;
use crate::stream::reader::{ArchivePart, ArchiveReader, OnDamage};
use crate::stream::sniff::sniff;
use pgc_io::lock::is_still;
use pgc_pgn::records::Marker;
use pgc_pgn::records::private::UNFINISHED;

/// The size of the write buffer.
const BUFFER: usize = 1 << 18;

/// What to do with an existing unfinished addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// Cut it off only if it holds no complete head, block or tail, and the index does not cover
    /// it.
    Check {
        /// The length of the archive according to its index.
        indexed: Option<u64>,
    },
    /// Cut it off, whatever it holds.
    Discard,
}

/// A summary of an archive from its heads and tails; records are not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extent {
    /// The length of the archive, without an unfinished addition.
    pub length: u64,
    /// Length of an unfinished addition after it.
    pub unfinished: u64,
    /// The number of games, according to the tails.
    pub games: u64,
    /// The total length of the sources, according to the tails.
    pub source: u64,
    /// The BLAKE3 digest of the digests of the sources: archives with the same have the same sources.
    pub digest: [u8; 32],
}

/// Reads the heads and tails of a file that should be an archive made by pgc.
///
/// # Errors
/// [`Error::Empty`], [`Error::Foreign`], [`Error::Damaged`] or [`Error::Io`].
pub fn extent(file: &File) -> Result<Extent, Error> {
    let mut file = file;
    let end = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    match sniff(&mut file, OnDamage::Pass)? {
        (_, begin) if begin.is_empty() => return Err(Error::Empty),
        (true, _) => {}
        (false, begin) if begin.is_blank() => return Err(Error::blank()),
        (false, _) => return Err(Error::Foreign),
    }
    file.rewind()?;
    let mut reader = ArchiveReader::for_heads(file, OnDamage::Stop);
    let (mut extent, mut digests) = (Extent::default(), blake3::Hasher::new());
    while let Some(part) = reader.next_head()? {
        if let ArchivePart::Tail(tail) = part {
            extent.games = extent.games.saturating_add(tail.games);
            extent.source = extent.source.saturating_add(tail.source);
            digests.update(&tail.digest);
        }
    }
    extent.length = reader.unfinished().unwrap_or(end);
    extent.unfinished = end - extent.length;
    extent.digest = digests.finalize().into();
    Ok(extent)
}

/// An addition in progress. The bytes [written](Write) must be complete segments, as
/// [`pack`](crate::pack::pack) writes them. Dropping it without
/// [`commit`](Addition::commit) leaves the archive as it was.
#[derive(Debug)]
pub struct Addition {
    file: File,
    path: PathBuf,
    before: Extent,
    /// The first bytes of the first head, written last, over the mark.
    first: Vec<u8>,
    /// Bytes not yet written to the file.
    buffer: Vec<u8>,
    /// Number of bytes received.
    taken: u64,
    /// Number of bytes in the file, including the mark.
    written: u64,
    /// Whether the file may be longer than the archive was.
    dirty: bool,
    done: bool,
}

impl Addition {
    /// Opens and locks an archive, and cuts off an unfinished addition if `unfinished` allows that.
    ///
    /// # Errors
    /// As [`extent`]; [`Error::NoFile`], [`Error::Busy`] or [`Error::Precious`]. The file is then
    /// unchanged.
    pub fn begin(path: &Path, unfinished: Unfinished) -> Result<Addition, Error> {
        let file = File::options().read(true).write(true).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(Error::NoFile);
        }
        lock(&file)?;
        if !is_still(&file, path)? {
            // Another program replaced the file between opening and locking.
            return Err(Error::Busy);
        }
        let before = extent(&file)?;
        if before.unfinished > 0 {
            if let Unfinished::Check { indexed } = unfinished {
                check(&file, &before, indexed)?;
            }
            file.set_len(before.length)?;
            file.sync_all()?;
        }
        Ok(Addition {
            file,
            path: path.to_owned(),
            before,
            first: Vec::with_capacity(UNFINISHED.len()),
            buffer: Vec::with_capacity(BUFFER),
            taken: 0,
            written: 0,
            dirty: false,
            done: false,
        })
    }

    /// The archive before the addition, and the length of the unfinished addition that was cut off.
    pub fn before(&self) -> Extent {
        self.before
    }

    /// The number of bytes received.
    pub fn len(&self) -> u64 {
        self.taken
    }

    /// Whether nothing has been written to it.
    pub fn is_empty(&self) -> bool {
        self.taken == 0
    }

    /// The locked file of the archive; its position is unspecified.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Makes the addition part of the archive and returns the new length. The file stays locked
    /// until this is dropped; nothing more can be added.
    ///
    /// # Errors
    /// [`Error::Replaced`], or writing fails; the archive is then as it was once this is
    /// dropped.
    pub fn commit(&mut self) -> Result<u64, Error> {
        if self.taken > 0 && !self.done {
            if self.first.len() < UNFINISHED.len() {
                return Err(no_segment().into());
            }
            self.write_out()?;
            self.file.sync_all()?;
            // The path must still name this file, or nobody would find the games.
            if !is_still(&self.file, &self.path)? {
                return Err(Error::Replaced);
            }
            self.file.seek(SeekFrom::Start(self.before.length))?;
            // One write: between two, the head would be damaged.
            self.file.write_all(&self.first)?;
            self.file.sync_all()?;
            self.dirty = false;
        }
        self.done = true;
        Ok(self.before.length + self.taken)
    }

    /// Writes the mark: readers ignore everything after it until it is replaced.
    fn mark(&mut self) -> io::Result<()> {
        self.dirty = true;
        self.file.seek(SeekFrom::Start(self.before.length))?;
        self.file.write_all(&UNFINISHED)?;
        self.written = UNFINISHED.len() as u64;
        // The mark must be on disk before the bytes after it, or a crash could leave apparent
        // damage.
        self.file.sync_all()
    }

    fn write_out(&mut self) -> io::Result<()> {
        if !self.dirty {
            self.mark()?;
        }
        self.file
            .seek(SeekFrom::Start(self.before.length + self.written))?;
        self.file.write_all(&self.buffer)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

/// Locks an archive. It tries several times, since a program that asks whether the archive is
/// locked holds a lock itself for an instant.
fn lock(file: &File) -> Result<(), Error> {
    const TRIES: usize = 20;
    const STEP: Duration = Duration::from_millis(5);
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => sleep(STEP),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
    Err(Error::Busy)
}

/// Checks that cutting off the unfinished addition loses nothing.
fn check(file: &File, before: &Extent, indexed: Option<u64>) -> Result<(), Error> {
    let precious = |what| Error::Precious {
        offset: before.length,
        games: before.games,
        what,
    };
    if let Some(indexed) = indexed.filter(|&indexed| indexed > before.length) {
        let what = format!("the index beside the archive covers more of it: {indexed} bytes");
        return Err(precious(what));
    }
    let remains = Remains::find(file, before.length, before.unfinished)?;
    if remains == Remains::default() {
        return Ok(());
    }
    let bytes = before.unfinished;
    Err(precious(match remains {
        Remains { blocks: 0, .. } => format!("its {bytes} bytes hold a complete head or tail"),
        Remains { blocks, games, .. } => {
            let plural = |count| if count == 1 { "" } else { "s" };
            let (of_blocks, of_games) = (plural(blocks), plural(games));
            format!(
                "its {bytes} bytes hold {blocks} whole block{of_blocks} with {games} game{of_games}"
            )
        }
    }))
}

/// What is still complete in an unfinished addition, so that it is not cut off silently: counts of
/// the heads and tails with a correct checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Remains {
    /// Heads and tails of segments, and block heads without the bytes behind them.
    pub frames: u64,
    /// Block heads whose stored bytes also lie within the file.
    pub blocks: u64,
    /// Games of these blocks, according to their heads.
    pub games: u64,
}

impl Remains {
    /// Searches the `length` bytes from `from` on.
    fn find(mut file: &File, from: u64, length: u64) -> Result<Remains, Error> {
        let mut remains = Remains::default();
        file.seek(SeekFrom::Start(from))?;
        let mut reader = ArchiveReader::for_heads(file, OnDamage::Salvage);
        while let Some(part) = reader.next_head()? {
            match part {
                ArchivePart::Block(head, ..) if reader.offset() <= length => {
                    remains.blocks += 1;
                    remains.games = remains.games.saturating_add(head.games);
                }
                ArchivePart::Head(_) | ArchivePart::Block(..) | ArchivePart::Tail(_) => {
                    // The head of a segment that lost it has no record.
                    remains.frames += u64::from(!reader.record().is_empty());
                }
                ArchivePart::Gap(_) | ArchivePart::Gaps(_) | ArchivePart::NoTail => {}
            }
        }
        Ok(remains)
    }
}

fn no_segment() -> io::Error {
    let what = "the added bytes do not begin with a segment";
    io::Error::new(io::ErrorKind::InvalidData, what)
}

impl Write for Addition {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.done {
            return Err(io::Error::other("the addition is finished"));
        }
        let (first, rest) = bytes.split_at(bytes.len().min(UNFINISHED.len() - self.first.len()));
        self.first.extend_from_slice(first);
        let first = self.first.first();
        if first.is_some_and(|&first| first != Marker::Escape.byte()) {
            return Err(no_segment());
        }
        self.buffer.extend_from_slice(rest);
        self.taken += bytes.len() as u64;
        if self.buffer.len() >= BUFFER {
            self.write_out()?;
        }
        Ok(bytes.len())
    }

    /// Does nothing: only [`commit`](Addition::commit) makes bytes safe.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Addition {
    fn drop(&mut self) {
        if self.dirty {
            // If this fails, an unfinished addition remains, which every reader ignores.
            let cut = self.file.set_len(self.before.length);
            let _ = cut.and_then(|()| self.file.sync_all());
        }
    }
}
