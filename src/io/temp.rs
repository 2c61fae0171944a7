//! Temporary files: unnamed ones; named ones, each in a folder of its own, so that a later run can
//! remove what a killed run left, and cannot mistake another file for it; and outputs, which get
//! their final names when they are complete.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::mem;
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tempfile::{NamedTempFile, TempPath};

use super::lock::is_still;
use super::named::{again, named};
use super::rights::FileRights;

/// A temporary file without a name, so that nobody else can open it. It disappears when it is
/// dropped, or when the process ends. Its errors name the folder, since its disk may be full.
#[derive(Debug)]
pub struct TempFile {
    /// The file itself, to be mapped; its own errors do not name the folder.
    pub file: File,
    /// The folder of the file.
    pub folder: PathBuf,
}

impl TempFile {
    /// Creates one in this folder.
    ///
    /// # Errors
    /// The folder takes no new file.
    pub fn new_in(folder: impl AsRef<Path>) -> io::Result<TempFile> {
        let folder = folder.as_ref();
        // The error comes from `named_and_removed`: that of `tempfile_in` names a random path.
        let file = tempfile::tempfile_in(folder)
            .or_else(|_| named_and_removed(folder))
            .map_err(|error| of_folder(error, folder))?;
        let folder = folder.to_owned();
        Ok(TempFile { file, folder })
    }

    fn named<T>(&self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|error| of_folder(error, &self.folder))
    }
}

/// As `tempfile_in`, for file systems that refuse it: a file with a name, which is removed at once.
fn named_and_removed(folder: &Path) -> io::Result<File> {
    let file = tempfile::Builder::new().make_in(folder, |path| new_file().open(path))?;
    Ok(file.into_file())
}

/// To create a file that does not exist yet.
fn new_file() -> OpenOptions {
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    options
}

/// Names the folder in an error of a temporary file.
fn of_folder(error: io::Error, folder: &Path) -> io::Error {
    let folder = folder.display();
    match error.kind() {
        io::ErrorKind::Interrupted => error,
        _ => named(error, format_args!("{folder}: a temporary file")),
    }
}

impl Read for &TempFile {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.named((&self.file).read(buf))
    }
}

impl Write for &TempFile {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.named((&self.file).write(buf))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.named((&self.file).flush())
    }
}

impl Seek for &TempFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.named((&self.file).seek(to))
    }
}

/// Prefix and suffix of the names of the folders; six letters or digits are between them.
const FOLDER: (&str, &str) = (".pgc-", ".tmp");

/// The name of the only file in such a folder.
const FILE: &str = "pgc-output";

/// A temporary file of this age that nobody has locked is abandoned, and so is an empty folder.
const ABANDONED: Duration = Duration::from_secs(60);

/// The folders of this process.
static FOLDERS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn folders() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the files of all incomplete outputs, for a program that ends without dropping them.
pub fn remove_temporary() {
    for folder in &*folders() {
        // A file that has got its final name is no longer in its folder.
        let _ = fs::remove_file(folder.join(FILE)).and(fs::remove_dir(folder));
    }
}

/// A folder for one temporary file. It disappears when it is dropped, if it is empty.
#[derive(Debug)]
struct TempFolder(PathBuf);

impl TempFolder {
    fn new(folder: &Path) -> io::Result<TempFolder> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(FOLDER.0).suffix(FOLDER.1);
        // Not by `tempdir_in`, whose errors name the random path of the folder.
        let made = builder.disable_cleanup(true).make_in(folder, create)?;
        let path = made.path().to_owned();
        folders().insert(path.clone());
        Ok(TempFolder(path))
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
        folders().remove(&self.0);
    }
}

/// Creates a folder that only its owner can enter.
fn create(path: &Path) -> io::Result<()> {
    let builder = &mut fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(builder, 0o700);
    builder.create(path)
}

/// A temporary file that has a name, in a folder of its own. Both disappear when it is dropped; if
/// this run is killed, a later run removes them.
#[derive(Debug)]
pub(super) struct TempFileInFolder {
    /// The file.
    pub(super) file: NamedTempFile,
    /// Dropped last.
    _folder: TempFolder,
}

impl TempFileInFolder {
    /// Creates one below a folder, with these rights of the file.
    pub(super) fn with_rights(folder: &Path, rights: Option<FileRights>) -> io::Result<Self> {
        let folder = TempFolder::new(folder)?;
        let path = folder.0.join(FILE);
        // Nobody else can open it: only we can enter the folder.
        let file = new_file().open(&path)?;
        let file = NamedTempFile::from_parts(file, TempPath::try_from_path(path)?);
        rights.map_or(Ok(()), |rights| rights.give(file.as_file(), true))?;
        if cfg!(unix) {
            // Marks the file as in use, see `clear_abandoned`. On a file system without locks, the
            // user removes abandoned files.
            let _ = file.as_file().try_lock();
        }
        let _folder = folder;
        Ok(TempFileInFolder { file, _folder })
    }

    /// Moves the file to its final path.
    pub(super) fn persist(self, path: &Path, replace: bool) -> io::Result<File> {
        let moved = match replace {
            true => self.file.persist(path),
            false => self.file.persist_noclobber(path),
        };
        // The error holds the file, which must disappear before its folder.
        moved.map_err(|error| error.error)
    }
}

/// Removes what killed runs left in a folder, and returns the paths: folders with the names of our
/// temporary folders that are empty, or that have only our temporary file and nobody has locked it.
/// Either must be a minute old, since a run creates a file before it locks it. No other file is
/// removed, whatever its name is.
pub fn clear_abandoned(folder: impl AsRef<Path>) -> Vec<PathBuf> {
    let folder = folder.as_ref();
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    // Other systems have no such lock: it would keep a run from reading its own file.
    let entries = cfg!(unix).then(|| fs::read_dir(folder).ok()).flatten();
    let ours = entries.into_iter().flatten().flatten().filter(|entry| {
        let name = entry.file_name();
        let middle = name.as_encoded_bytes().strip_prefix(FOLDER.0.as_bytes());
        let middle = middle.and_then(|rest| rest.strip_suffix(FOLDER.1.as_bytes()));
        middle
            .is_some_and(|middle| middle.len() == 6 && middle.iter().all(u8::is_ascii_alphanumeric))
    });
    let mut paths: Vec<PathBuf> = ours.map(|entry| entry.path()).collect();
    paths.retain(|path| remove_abandoned(path).unwrap_or(false));
    paths
}

fn remove_abandoned(folder: &Path) -> io::Result<bool> {
    let is_old = |metadata: &fs::Metadata| -> io::Result<bool> {
        let age = metadata.modified()?.elapsed();
        Ok(age.is_ok_and(|age| age >= ABANDONED))
    };
    // A link to a folder is not a folder here.
    let metadata = fs::symlink_metadata(folder)?;
    if !metadata.is_dir() {
        return Ok(false);
    }
    let names = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name()));
    let names = names.collect::<io::Result<Vec<_>>>()?;
    match names.as_slice() {
        [] if is_old(&metadata)? => {}
        [name] if name == FILE => {
            let path = folder.join(name);
            let metadata = fs::symlink_metadata(&path)?;
            if !metadata.is_file() || !is_old(&metadata)? {
                return Ok(false);
            }
            let file = File::open(&path)?;
            if file.try_lock().is_err() || !is_still(&file, &path)? {
                return Ok(false);
            }
            fs::remove_file(path)?;
        }
        _ => return Ok(false),
    }
    fs::remove_dir(folder).map(|()| true)
}

pub(super) const BUFFER: usize = 1 << 18;

/// After so many bytes the system is told to store them.
const TOLD: usize = 1 << 20;

/// Tells the system to begin to write the file to the disk. Nobody waits for that; an error comes
/// back from the next `sync_all`.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "no crate has this call of the system")]
fn begin_to_store(file: &File) {
    // SAFETY: the call takes no pointer, and the file is open while it is borrowed.
    unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE) };
}

#[cfg(not(target_os = "linux"))]
fn begin_to_store(_: &File) {}

/// A temporary file that gets its final name when complete.
#[derive(Debug)]
pub(super) struct Temporary {
    pub(super) place: TempFileInFolder,
    /// Bytes not yet written to the file.
    held: Vec<u8>,
    /// The error of writing or flushing. The content is then unknown, so every further call fails
    /// with this error.
    broken: Option<io::Error>,
    /// Whether everything has been flushed to disk.
    is_synced: bool,
    /// Bytes written to the file that the system has not been told to store.
    untold: usize,
}

impl Temporary {
    /// An empty file in a folder, which nobody can open before it has these rights.
    pub(super) fn new(folder: &Path, rights: Option<FileRights>) -> io::Result<Temporary> {
        Ok(Temporary {
            place: TempFileInFolder::with_rights(folder, rights)?,
            held: Vec::with_capacity(BUFFER),
            broken: None,
            is_synced: false,
            untold: 0,
        })
    }

    /// Flushes all bytes to disk.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        if !self.is_synced {
            let synced = self.place.file.as_file().sync_all();
            self.kept(synced)?;
            self.is_synced = true;
        }
        Ok(())
    }

    /// Writes to the file, and tells the system now and then to store on the disk what it has got:
    /// otherwise all of it would wait for `sync`.
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        let put = self.place.file.as_file().write_all(bytes);
        self.untold += bytes.len();
        if self.untold >= TOLD {
            begin_to_store(self.place.file.as_file());
            self.untold = 0;
        }
        self.kept(put)
    }

    /// Keeps an error: the system may report one of the disk only once.
    fn kept(&mut self, done: io::Result<()>) -> io::Result<()> {
        if let Err(error) = &done {
            self.broken.get_or_insert(again(error));
        }
        done
    }
}

impl Write for Temporary {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.is_synced = false;
        if self.held.len() + buf.len() >= BUFFER {
            self.flush()?;
        }
        if buf.len() < BUFFER {
            self.held.extend_from_slice(buf);
        } else {
            self.put(buf)?;
        }
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Some(error) = &self.broken {
            return Err(again(error));
        }
        let mut held = mem::take(&mut self.held);
        let put = self.put(&held);
        held.clear();
        self.held = held;
        put
    }
}
