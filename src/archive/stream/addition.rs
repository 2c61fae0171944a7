//! Adds segments at the end of an archive in place, all of them or none (spec/extension.md 3.1).
//!
//! The archive is whole at every moment: until the last step everything new stands behind a mark
//! that makes readers stop there.

use std::fs::{File, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::archive::stream::reader::{ArchiveError, ArchiveReader, Part, is_archive};
use crate::archive::stream::remains::Remains;
use crate::io::lock::is_still;
use crate::records::Marker;
use crate::records::private::UNFINISHED;

/// Bytes are gathered before they are written.
const BUFFER: usize = 1 << 18;

/// So much of a file tells whose it is, noops at its beginning aside.
const BEGIN: u64 = 1 << 16;

/// Why nothing can be added to a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdditionError {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Somebody else adds to it.
    #[error("another program is adding to it or replacing it")]
    Busy,
    /// It is a folder, a pipe or a device.
    #[error("is not a regular file")]
    NoFile,
    /// It is empty, or there are only noops in it.
    #[error("is empty")]
    Empty,
    /// It does not begin with a head.
    #[error("is not an archive made by pgc")]
    Foreign,
    /// It is damaged already.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// What looks like an unfinished addition is more than that, or may be: nothing is cut off.
    #[error("byte {offset}, unfinished addition: {what}")]
    Precious {
        /// Where it begins.
        offset: u64,
        /// Games before it.
        games: u64,
        /// What speaks against cutting it off.
        what: String,
    },
    /// The file under the name is another by now.
    #[error("another program has replaced the file: nothing was added to the new one")]
    Replaced,
}

/// What becomes of an unfinished addition that stands behind the archive already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// It is cut off if nothing in it is whole and the archive was never longer, as far as its
    /// index knows.
    Check {
        /// The length of the archive that its index was made for.
        indexed: Option<u64>,
    },
    /// It is cut off, whatever it is.
    Discard,
}

/// What heads and tails tell of an archive, its records left unread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Its length, without an unfinished addition.
    pub length: u64,
    /// Bytes of an unfinished addition behind it.
    pub unfinished: u64,
    /// Its segments.
    pub segments: u64,
    /// Games in them, as their tails say.
    pub games: u64,
    /// Bytes of their sources, as their tails say.
    pub source: u64,
}

/// Reads the heads and tails of a file that should be an archive of ours.
///
/// # Errors
/// [`AdditionError::Empty`], [`AdditionError::Foreign`], [`AdditionError::Archive`] or
/// [`AdditionError::Io`].
pub fn extent(file: &File) -> Result<Extent, AdditionError> {
    let mut file = file;
    let end = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let mut begin = Vec::new();
    file.take(BEGIN).read_to_end(&mut begin)?;
    match is_archive(&begin) {
        Some(true) => {}
        None if begin.iter().all(|&byte| byte == Marker::Noop.byte()) => {
            return Err(AdditionError::Empty);
        }
        _ => return Err(AdditionError::Foreign),
    }
    file.rewind()?;
    // Heads are small and far apart.
    let mut reader = ArchiveReader::new(BufReader::with_capacity(1 << 12, file));
    let mut extent = Extent::default();
    while let Some(part) = reader.next_head()? {
        if let Part::Tail(tail) = part {
            extent.segments += 1;
            extent.games = extent.games.saturating_add(tail.games);
            extent.source = extent.source.saturating_add(tail.source);
        }
    }
    extent.length = reader.unfinished().unwrap_or(end);
    extent.unfinished = end - extent.length;
    Ok(extent)
}

/// Segments on their way to the end of an archive. What is [written](Write) here must be whole
/// segments, as [`pack`](crate::archive::pack::pack) writes them. Dropped without
/// [`commit`](Addition::commit), it leaves the archive as it was.
#[derive(Debug)]
pub struct Addition {
    file: File,
    path: PathBuf,
    before: Extent,
    /// The first bytes of the first head, which are written last.
    first: Vec<u8>,
    /// Not yet in the file.
    buffer: Vec<u8>,
    /// Bytes given so far.
    taken: u64,
    /// Bytes in the file.
    written: u64,
    /// The file may be longer than the archive was.
    dirty: bool,
    done: bool,
}

impl Addition {
    /// Opens an archive, locks it, and cuts off an unfinished addition if it may.
    ///
    /// # Errors
    /// [`AdditionError`]; the file is as it was then.
    pub fn begin(path: &Path, unfinished: Unfinished) -> Result<Addition, AdditionError> {
        let file = File::options().read(true).write(true).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(AdditionError::NoFile);
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(AdditionError::Busy),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        if !is_still(&file, path)? {
            // It was opened before another program replaced it, and locked behind that.
            return Err(AdditionError::Busy);
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

    /// The archive as it was, and how much of an unfinished addition was cut off.
    #[must_use]
    pub fn before(&self) -> Extent {
        self.before
    }

    /// Bytes given so far.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.taken
    }

    /// Whether nothing was given so far.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.taken == 0
    }

    /// The archive, open and locked; where it is positioned does not matter.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Makes the addition part of the archive, and gives its new length. The file stays locked
    /// until this is dropped; nothing more can be added.
    ///
    /// # Errors
    /// [`AdditionError::Replaced`], or writing fails; when this is dropped, the archive is as it
    /// was.
    pub fn commit(&mut self) -> Result<u64, AdditionError> {
        if self.taken > 0 && !self.done {
            if self.first.len() < UNFINISHED.len() {
                return Err(no_segment().into());
            }
            self.write_out()?;
            self.file.sync_all()?;
            // Whoever opens the archive from now on must find the games in it.
            if !is_still(&self.file, &self.path)? {
                return Err(AdditionError::Replaced);
            }
            self.file.seek(SeekFrom::Start(self.before.length))?;
            // All of them at once: between two writes the head would be damaged.
            self.file.write_all(&self.first)?;
            self.file.sync_all()?;
            self.dirty = false;
        }
        self.done = true;
        Ok(self.before.length + self.taken)
    }

    /// Everything behind this mark is ignored from now on, until it is replaced.
    fn mark(&mut self) -> io::Result<()> {
        self.dirty = true;
        self.file.seek(SeekFrom::Start(self.before.length))?;
        self.file.write_all(&UNFINISHED)?;
        self.written = UNFINISHED.len() as u64;
        // Were it on the disk later than what follows, a crash could leave what looks like damage.
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

/// Makes sure that nothing is lost when the unfinished addition is cut off.
fn check(file: &File, before: &Extent, indexed: Option<u64>) -> Result<(), AdditionError> {
    let precious = |what| AdditionError::Precious {
        offset: before.length,
        games: before.games,
        what,
    };
    if let Some(indexed) = indexed.filter(|&indexed| indexed > before.length) {
        let what = format!("the index beside the archive covers more of it: {indexed} bytes");
        return Err(precious(what));
    }
    let remains = Remains::find(file, before.length, before.length + before.unfinished)?;
    if remains.is_empty() {
        return Ok(());
    }
    let bytes = before.unfinished;
    Err(precious(match remains {
        Remains { blocks: 0, .. } => format!("its {bytes} bytes hold a complete head or tail"),
        Remains { blocks, games, .. } => {
            let blocks = match blocks {
                1 => "1 whole block".to_owned(),
                blocks => format!("{blocks} whole blocks"),
            };
            let games = match games {
                1 => "1 game".to_owned(),
                games => format!("{games} games"),
            };
            format!("its {bytes} bytes hold {blocks} with {games}")
        }
    }))
}

fn no_segment() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "the added bytes do not begin with a segment",
    )
}

impl Write for Addition {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.done {
            return Err(io::Error::other("the addition is finished"));
        }
        let (first, rest) = bytes.split_at(bytes.len().min(UNFINISHED.len() - self.first.len()));
        self.first.extend_from_slice(first);
        if self
            .first
            .first()
            .is_some_and(|&first| first != Marker::Escape.byte())
        {
            return Err(no_segment());
        }
        self.buffer.extend_from_slice(rest);
        self.taken += bytes.len() as u64;
        if self.buffer.len() >= BUFFER {
            self.write_out()?;
        }
        Ok(bytes.len())
    }

    /// Nothing is safe before [`commit`](Addition::commit).
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Addition {
    fn drop(&mut self) {
        if self.dirty {
            // If that fails too, what is there is an unfinished addition, which every reader
            // ignores.
            let _ = self
                .file
                .set_len(self.before.length)
                .and_then(|()| self.file.sync_all());
        }
    }
}
