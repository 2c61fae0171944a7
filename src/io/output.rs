//! Writes files that appear complete or not at all.
//!
//! ```
//! use std::io::Write;
//! use pgc::internals::io::Output;
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("games.pgc");
//! let mut output = Output::create(&path, false)?;
//! output.write_all(b"whole")?;
//! assert!(!path.exists());
//! output.commit()?;
//! assert_eq!(std::fs::read(&path)?, b"whole");
//! # Ok::<(), std::io::Error>(())
//! ```

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, IoSlice, IsTerminal, Stdout, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tempfile::NamedTempFile;

use super::lock::{is_still, lock_to_replace};
use super::named::{again, named};
use super::rights::FileRights;

const BUFFER: usize = 1 << 18;

/// Files are written in multiples of this, so that the system need not allocate smaller pieces.
const STEP: u64 = 1 << 16;

/// The system is asked to flush after this number of bytes while writing goes on, so that little is
/// left to wait for at the end.
const SYNC_BYTES: usize = 4 << 20;

/// Prefix and suffix of the names of temporary files; six letters or digits are between them.
const TEMPORARY: (&str, &str) = (".pgc-", ".tmp");

/// A temporary file of this age that nobody has locked is abandoned.
const ABANDONED: Duration = Duration::from_secs(60);

/// An output. Dropping a file without [`commit`](Output::commit) leaves nothing behind. Its errors
/// name it.
#[derive(Debug)]
pub struct Output {
    target: OutputTarget,
    /// Its name in messages.
    name: String,
}

#[derive(Debug)]
enum OutputTarget {
    File {
        file: Temporary,
        path: PathBuf,
        replace: bool,
        /// Those of the file to be replaced, or of the one that this file belongs to.
        rights: Option<FileRights>,
        /// The lock on the file to be replaced, held so that no program writes to it meanwhile.
        lock: Option<Option<File>>,
    },
    /// A device or a named pipe, which is not replaced.
    Device(BufWriter<File>),
    Stdout(BufWriter<Stdout>),
}

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
struct Temporary {
    file: NamedTempFile,
    _place: Unnamed,
    /// Bytes not yet written, and the length of the file without them.
    held: Vec<u8>,
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
    /// Requests a flush of the bytes written, unless one is in progress.
    fn sync_behind(&mut self) -> io::Result<()> {
        if self.syncing.is_none() {
            // Without the thread, completing the file takes longer.
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

    fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        self.wait()?;
        if !self.is_synced {
            self.file.as_file().sync_all()?;
            self.is_synced = true;
        }
        Ok(())
    }

    /// Waits for the thread: the system may report an error of the disk only once.
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

impl Output {
    /// Creates a temporary file in the folder of the path, since a rename cannot cross file
    /// systems. A link is followed; a device or a named pipe is written directly. The permissions
    /// and the owner of a file that is replaced are kept.
    ///
    /// # Errors
    /// The file exists and `replace` is not given, or its folder cannot be written.
    pub fn create(path: impl AsRef<Path>, replace: bool) -> io::Result<Output> {
        let path = path.as_ref();
        Output::create_as(path, replace, FileRights::of(path, true))
    }

    /// As [`create`](Output::create), with the permissions and the owner of another file, if there
    /// is one: what is beside a private file is as private.
    ///
    /// # Errors
    /// As [`create`](Output::create).
    pub fn create_beside(path: &Path, replace: bool, other: &Path) -> io::Result<Output> {
        let rights = FileRights::of(other, true).or_else(|| FileRights::of(path, true));
        Output::create_as(path, replace, rights)
    }

    fn create_as(path: &Path, replace: bool, rights: Option<FileRights>) -> io::Result<Output> {
        let target = match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
            }
            Ok(metadata) if !metadata.is_file() => {
                let file = File::options().write(true).open(path)?;
                OutputTarget::Device(BufWriter::with_capacity(BUFFER, file))
            }
            Ok(_) => Output::temporary(fs::canonicalize(path)?, replace, rights)?,
            Err(_) => Output::temporary(path.to_owned(), replace, rights)?,
        };
        Ok(Output {
            target,
            name: path.display().to_string(),
        })
    }

    /// As [`create`](Output::create), for an untrusted path: no link is followed, no device opened.
    pub(super) fn create_here(path: PathBuf, replace: bool) -> io::Result<Output> {
        if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir()) {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
        }
        let name = path.display().to_string();
        let rights = FileRights::of(&path, false);
        Ok(Output {
            target: Output::temporary(path, replace, rights)?,
            name,
        })
    }

    fn temporary(
        path: PathBuf,
        replace: bool,
        rights: Option<FileRights>,
    ) -> io::Result<OutputTarget> {
        // Checked again at the end, without a race; checking now saves the work.
        if !replace && fs::symlink_metadata(&path).is_ok() {
            return Err(exists());
        }
        let file = temporary_as(folder_of(&path), rights)?;
        let held = Vec::with_capacity(BUFFER);
        let _place = Unnamed::new(file.path());
        let (broken, syncing) = (None, None);
        let file = Temporary {
            file,
            _place,
            held,
            written: 0,
            broken,
            unsynced: 0,
            syncing,
            is_synced: false,
        };
        Ok(OutputTarget::File {
            file,
            path,
            replace,
            rights,
            lock: None,
        })
    }

    /// Locks an existing file that will be replaced, so that no program adds data to it that would
    /// be lost.
    ///
    /// # Errors
    /// Another program writes to it at this moment.
    pub fn lock_replaced(&mut self) -> io::Result<()> {
        if let OutputTarget::File {
            path,
            replace: true,
            lock,
            ..
        } = &mut self.target
        {
            *lock = Some(lock_to_replace(path)?);
        }
        Ok(())
    }

    /// Standard output.
    #[must_use]
    pub fn stdout() -> Output {
        let target = OutputTarget::Stdout(BufWriter::with_capacity(BUFFER, io::stdout()));
        Output {
            target,
            name: "standard output".to_owned(),
        }
    }

    /// Standard output for binary data.
    ///
    /// # Errors
    /// It is a terminal.
    pub fn stdout_binary() -> io::Result<Output> {
        if io::stdout().is_terminal() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "an archive cannot be written to a terminal",
            ));
        }
        Ok(Output::stdout())
    }

    /// Whether written bytes cannot be withdrawn.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        !matches!(self.target, OutputTarget::File { .. })
    }

    /// Another handle, to read the bytes written so far; `None` if nothing can be read.
    ///
    /// # Errors
    /// Writing fails.
    pub fn reader(&mut self) -> io::Result<Option<File>> {
        let OutputTarget::File { file, .. } = &mut self.target else {
            return Ok(None);
        };
        let reader = file.flush().and_then(|()| File::open(file.file.path()));
        reader.map(Some).map_err(|error| named(error, &self.name))
    }

    /// Flushes the bytes written so far to disk, so that [`commit`](Output::commit) has less to do.
    ///
    /// # Errors
    /// Writing fails.
    pub fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        let OutputTarget::File { file, .. } = &mut self.target else {
            return Ok(());
        };
        file.sync().map_err(|error| named(error, &self.name))
    }

    /// As [`commit`](Output::commit), on a thread of its own, since it mostly waits for the disk.
    #[must_use]
    pub fn commit_aside(self) -> Committing {
        let output = Arc::new(Mutex::new(Some(self)));
        let theirs = Arc::clone(&output);
        Committing {
            thread: thread::Builder::new()
                .spawn(move || commit_in(&theirs))
                .ok(),
            output,
        }
    }

    /// Moves the file to its final path, durably.
    ///
    /// # Errors
    /// Writing fails, or another file has appeared at the path.
    pub fn commit(self) -> io::Result<()> {
        self.place().map(drop)
    }

    /// As [`commit`](Output::commit); no program of ours replaces the file before the result is
    /// dropped.
    ///
    /// # Errors
    /// As [`commit`](Output::commit).
    pub fn place(self) -> io::Result<Placed> {
        self.target
            .commit()
            .map(Placed)
            .map_err(|error| named(error, self.name))
    }

    fn writer(&mut self) -> &mut dyn Write {
        match &mut self.target {
            OutputTarget::File { file, .. } => file,
            OutputTarget::Device(file) => file,
            OutputTarget::Stdout(stdout) => stdout,
        }
    }
}

/// A file at its final path. It is locked until this is dropped, so that its index can follow it
/// before another file takes its place.
#[derive(Debug)]
pub struct Placed(#[expect(dead_code, reason = "holds the lock")] Option<File>);

impl OutputTarget {
    fn commit(self) -> io::Result<Option<File>> {
        match self {
            OutputTarget::Stdout(mut stdout) => stdout.flush().map(|()| None),
            OutputTarget::Device(mut file) => file.flush().map(|()| None),
            OutputTarget::File {
                mut file,
                path,
                replace,
                rights,
                lock,
            } => {
                file.sync()?;
                let file = file.file;
                rights.map_or(Ok(()), |rights| rights.give(file.as_file(), false))?;
                // The path may name another file now.
                let again = if lock.is_some() {
                    lock_to_replace(&path)?
                } else {
                    None
                };
                // Windows cannot replace an open file.
                let locks = (!cfg!(windows)).then_some((lock, again));
                let persisted = if replace {
                    file.persist(&path)
                } else {
                    file.persist_noclobber(&path)
                };
                drop(locks);
                match persisted {
                    Ok(file) => sync_folder(folder_of(&path)).map(|()| Some(file)),
                    Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                        Err(exists())
                    }
                    Err(error) => Err(error.error),
                }
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.writer()
            .write(buf)
            .map_err(|error| named(error, &self.name))
    }

    fn write_all(&mut self, buf: &[u8]) -> io::Result<()> {
        self.writer()
            .write_all(buf)
            .map_err(|error| named(error, &self.name))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer()
            .flush()
            .map_err(|error| named(error, &self.name))
    }
}

/// An output that is being committed on another thread.
#[derive(Debug)]
pub struct Committing {
    /// The output, if no thread could be started.
    output: Arc<Mutex<Option<Output>>>,
    thread: Option<JoinHandle<io::Result<Placed>>>,
}

impl Committing {
    /// Waits for the commit and returns its result.
    ///
    /// # Errors
    /// Those of [`Output::commit`].
    pub fn wait(self) -> io::Result<Placed> {
        match self.thread {
            Some(thread) => joined(thread),
            None => commit_in(&self.output),
        }
    }
}

fn commit_in(output: &Mutex<Option<Output>>) -> io::Result<Placed> {
    let output = output.lock().unwrap_or_else(PoisonError::into_inner).take();
    output.map_or(Ok(Placed(None)), Output::place)
}

fn joined<T>(thread: JoinHandle<io::Result<T>>) -> io::Result<T> {
    thread
        .join()
        .unwrap_or_else(|_| Err(io::Error::other("the thread that flushes to disk stopped")))
}

/// Creates a temporary file that has a name; a later run removes it if this one is killed.
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
    // A file of `tempfile_in` could be read by its owner only, and its errors name a path that
    // nobody asked for.
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

/// Removes temporary files of killed runs from a folder, and returns their paths. A file is one if
/// it has the name of our temporary files, nobody holds its lock, and it is older than the time
/// between creating and locking one.
pub fn clear_abandoned(folder: impl AsRef<Path>) -> Vec<PathBuf> {
    let folder = folder.as_ref();
    // On other systems the lock would keep a run from reading its own file.
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

fn exists() -> io::Error {
    io::Error::new(
        io::ErrorKind::AlreadyExists,
        "already exists (replace it with -f)",
    )
}

fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Flushes the folder, so that the rename survives a power cut. Some file systems cannot do this,
/// and a folder may be writable though not readable; the file is complete anyway.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if !is_refused(&error) => {
            let what = format!("is complete, but its folder could not be flushed: {error}");
            Err(io::Error::new(error.kind(), what))
        }
        _ => Ok(()),
    }
}

/// Whether the system cannot flush such a folder, or does not let us.
fn is_refused(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    matches!(error.kind(), InvalidInput | PermissionDenied | Unsupported)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_grows_by_whole_steps_and_has_all_bytes() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("x");
        let mut output = Output::create(&path, false)?;
        let reader = output.reader()?.ok_or(io::ErrorKind::NotFound)?;
        let bytes: Vec<u8> = (0..9_000_000_u32).map(|i| (i % 251) as u8).collect();
        let (mut rest, mut flushed) = (&bytes[..], 0);
        for size in [
            1,
            70_000,
            BUFFER - 1,
            BUFFER + 5_000,
            3,
            2 * BUFFER,
            999,
            65_536,
        ]
        .into_iter()
        .cycle()
        {
            let (now, after) = rest.split_at(size.min(rest.len()));
            output.write_all(now)?;
            rest = after;
            let len = reader.metadata()?.len();
            assert!(len == flushed || len.is_multiple_of(STEP), "{len}");
            if size == 3 {
                output.flush()?;
                flushed = reader.metadata()?.len();
                assert_eq!(flushed, (bytes.len() - rest.len()) as u64);
            }
            if rest.is_empty() {
                break;
            }
        }
        output.commit()?;
        assert!(fs::read(&path)? == bytes);
        Ok(())
    }

    #[test]
    fn what_was_not_written_is_not_committed() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("x");
        let mut output = Output::create(&path, false)?;
        let OutputTarget::File { file, .. } = &mut output.target else {
            return Err(io::ErrorKind::NotFound.into());
        };
        // Nothing can be written through this handle.
        *file.file.as_file_mut() = File::open(file.file.path())?;
        assert!(output.write_all(&[0; BUFFER]).is_err());
        assert!(output.commit().is_err());
        assert_eq!(fs::read_dir(folder.path())?.count(), 0);
        Ok(())
    }

    #[test]
    fn what_is_written_can_be_read_before_it_has_its_name() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("x");
        let begin = || -> io::Result<Output> {
            let mut output = Output::create(&path, false)?;
            output.write_all(b"whole")?;
            Ok(output)
        };
        let (mut first, mut second) = (begin()?, begin()?);
        let reader = first.reader()?.ok_or(io::ErrorKind::NotFound)?;
        assert_eq!(
            (io::read_to_string(reader)?.as_str(), path.exists()),
            ("whole", false)
        );
        first.sync()?;
        first.write_all(b" and more")?;
        first.commit_aside().wait()?;
        assert_eq!(fs::read(&path)?, b"whole and more");
        second.sync()?;
        assert!(
            matches!(second.commit_aside().wait(), Err(error) if error.kind() == io::ErrorKind::AlreadyExists)
        );
        assert_eq!(
            (
                fs::read_dir(folder.path())?.count(),
                Output::stdout().reader()?.is_none()
            ),
            (1, true)
        );
        Ok(())
    }
}
