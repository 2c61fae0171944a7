//! Files under a temporary name: writing and flushing them, and removing those of killed runs.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, IoSlice, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tempfile::NamedTempFile;

use super::lock::is_still;
use super::named::again;
use super::rights::FileRights;

pub(super) const BUFFER: usize = 1 << 18;

/// Until it is flushed, a file grows in multiples of this length, so that the system allocates no
/// smaller pieces.
pub(super) const STEP: u64 = 1 << 16;

/// While a file is being written, a thread flushes it to disk each time it has grown by this many
/// bytes, so that the flush at the end is short.
const SYNC_BYTES: usize = 4 << 20;

/// Prefix and suffix of the names of temporary files; six letters or digits are between them.
const TEMPORARY: (&str, &str) = (".pgc-", ".tmp");

/// A temporary file of this age that nobody has locked is abandoned.
const ABANDONED: Duration = Duration::from_secs(60);

/// The temporary files that have not been renamed yet.
static UNNAMED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unnamed() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNNAMED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the files of all incomplete outputs, for a program that ends without dropping them.
pub fn remove_temporary() {
    for path in &*unnamed() {
        // A file that has been renamed meanwhile no longer exists under this path.
        let _ = fs::remove_file(path);
    }
}

/// An entry in [`UNNAMED`].
#[derive(Debug)]
struct Unnamed(PathBuf);

impl Unnamed {
    fn new(path: &Path) -> Unnamed {
        unnamed().insert(path.to_owned());
        Unnamed(path.to_owned())
    }
}

impl Drop for Unnamed {
    fn drop(&mut self) {
        unnamed().remove(&self.0);
    }
}

/// A temporary file that gets its final name when complete.
#[derive(Debug)]
pub(super) struct Temporary {
    pub(super) file: NamedTempFile,
    _place: Unnamed,
    /// Bytes not yet written to the file.
    held: Vec<u8>,
    /// Length of the file, without the held bytes.
    written: u64,
    /// The error of writing or flushing. The content is then unknown, so every further call fails
    /// with this error.
    broken: Option<io::Error>,
    /// Number of bytes since the last request to flush.
    unsynced: usize,
    /// The thread that flushes.
    syncing: Option<Syncing>,
    /// Whether everything has been flushed.
    is_synced: bool,
}

/// Flushes a file to disk on request; requests during a flush are ignored.
#[derive(Debug)]
struct Syncing {
    ask: SyncSender<()>,
    thread: JoinHandle<io::Result<()>>,
}

impl Syncing {
    fn new(file: File) -> io::Result<Syncing> {
        let (ask, asked) = sync_channel(0);
        let sync = move || asked.iter().try_for_each(|()| file.sync_data());
        Ok(Syncing {
            ask,
            thread: thread::Builder::new().spawn(sync)?,
        })
    }
}

impl Temporary {
    /// An empty file in a folder, which nobody can open before it has these rights.
    pub(super) fn new(folder: &Path, rights: Option<FileRights>) -> io::Result<Temporary> {
        let file = temporary_as(folder, rights)?;
        Ok(Temporary {
            _place: Unnamed::new(file.path()),
            file,
            held: Vec::with_capacity(BUFFER),
            written: 0,
            broken: None,
            unsynced: 0,
            syncing: None,
            is_synced: false,
        })
    }

    /// Requests a flush of the bytes written, unless one is in progress.
    fn sync_behind(&mut self) -> io::Result<()> {
        if self.syncing.is_none() {
            // If the thread cannot be started, the flush at the end takes longer.
            self.syncing = Syncing::new(self.file.as_file().try_clone()?).ok();
        }
        match self
            .syncing
            .as_ref()
            .map(|syncing| syncing.ask.try_send(()))
        {
            Some(Err(TrySendError::Disconnected(()))) => self.wait()?,
            Some(Err(TrySendError::Full(()))) => {}
            Some(Ok(())) | None => self.unsynced = 0,
        }
        Ok(())
    }

    /// Flushes all bytes to disk.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        self.wait()?;
        if !self.is_synced {
            self.file.as_file().sync_all()?;
            self.is_synced = true;
        }
        Ok(())
    }

    /// Waits for the thread that flushes, and keeps its error: the system may report a disk error
    /// only once.
    fn wait(&mut self) -> io::Result<()> {
        let Some(Syncing { ask, thread }) = self.syncing.take() else {
            return Ok(());
        };
        drop(ask);
        let done = joined(thread);
        if let Err(error) = &done {
            self.broken.get_or_insert(again(error));
        }
        done
    }

    /// Writes the held bytes and `buf`.
    fn put(&mut self, buf: &[u8]) -> io::Result<()> {
        if let Some(error) = &self.broken {
            return Err(again(error));
        }
        let put = self.put_all(buf);
        if let Err(error) = &put {
            self.broken = Some(again(error));
        }
        put
    }

    fn put_all(&mut self, buf: &[u8]) -> io::Result<()> {
        let mut file = self.file.as_file();
        let mut slices = [IoSlice::new(&self.held), IoSlice::new(buf)];
        let mut left = &mut slices[..];
        IoSlice::advance_slices(&mut left, 0);
        while !left.is_empty() {
            match file.write_vectored(left) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => IoSlice::advance_slices(&mut left, n),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let bytes = self.held.len() + buf.len();
        self.held.clear();
        self.written += bytes as u64;
        self.is_synced = false;
        self.unsynced += bytes;
        Ok(())
    }
}

impl Write for Temporary {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let bytes = self.held.len() + buf.len();
        let rest = (self.written + bytes as u64) % STEP;
        match usize::try_from(rest)
            .ok()
            .and_then(|rest| buf.len().checked_sub(rest))
        {
            Some(now) if bytes >= BUFFER => {
                self.put(&buf[..now])?;
                self.held.extend_from_slice(&buf[now..]);
                if self.unsynced >= SYNC_BYTES {
                    self.sync_behind()?;
                }
            }
            _ => self.held.extend_from_slice(buf),
        }
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.held.is_empty() && self.broken.is_none() {
            Ok(())
        } else {
            self.put(&[])
        }
    }
}

/// Waits for a thread that flushes to disk, and returns its result.
pub(super) fn joined<T>(thread: JoinHandle<io::Result<T>>) -> io::Result<T> {
    thread
        .join()
        .unwrap_or_else(|_| Err(io::Error::other("the thread that flushes to disk stopped")))
}

/// Creates a temporary file that has a name; if this run is killed, a later run removes the file.
///
/// # Errors
/// It cannot be created there.
pub fn temporary_in(folder: impl AsRef<Path>) -> io::Result<NamedTempFile> {
    temporary_as(folder.as_ref(), None)
}

/// As [`temporary_in`]; nobody can open the file before it has these rights.
fn temporary_as(folder: &Path, rights: Option<FileRights>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY.0).suffix(TEMPORARY.1);
    // Not by `tempfile_in`: only the owner could read the file, and its errors name the random path
    // of the file.
    let file = builder.make_in(folder, |path| {
        let mut options = File::options();
        #[cfg(unix)]
        if rights.is_some() {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        options.read(true).write(true).create_new(true).open(path)
    })?;
    rights.map_or(Ok(()), |rights| rights.give(file.as_file(), true))?;
    if cfg!(unix) {
        // Marks the file as in use, see `clear_abandoned`. On a file system without locks, the user
        // removes abandoned files.
        let _ = file.as_file().try_lock();
    }
    Ok(file)
}

/// Removes temporary files of killed runs from a folder, and returns their paths: files with the
/// name of our temporary files that nobody has locked, and that were last written at least a minute
/// ago, since a run creates a file before it locks it.
pub fn clear_abandoned(folder: impl AsRef<Path>) -> Vec<PathBuf> {
    let folder = folder.as_ref();
    // Other systems have no such lock: it would keep a run from reading its own file.
    if !cfg!(unix) {
        return Vec::new();
    }
    let Ok(entries) = fs::read_dir(if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    }) else {
        return Vec::new();
    };
    let ours = entries.flatten().filter(|entry| {
        let name = entry.file_name();
        let middle = name.as_encoded_bytes().strip_prefix(TEMPORARY.0.as_bytes());
        let middle = middle.and_then(|rest| rest.strip_suffix(TEMPORARY.1.as_bytes()));
        middle
            .is_some_and(|middle| middle.len() == 6 && middle.iter().all(u8::is_ascii_alphanumeric))
    });
    ours.map(|entry| entry.path())
        .filter(|path| remove_abandoned(path).unwrap_or(false))
        .collect()
}

fn remove_abandoned(path: &Path) -> io::Result<bool> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_file()
        || metadata
            .modified()?
            .elapsed()
            .is_ok_and(|age| age < ABANDONED)
    {
        return Ok(false);
    }
    let file = File::open(path)?;
    if file.try_lock().is_err() || !is_still(&file, path)? {
        return Ok(false);
    }
    fs::remove_file(path).map(|()| true)
}
