//! Temporary files with a name. Each lies in a folder of its own, so that a later run can remove
//! what a killed run left, and cannot mistake another file for it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tempfile::{NamedTempFile, TempPath};

use super::lock::is_still;
use super::rights::FileRights;

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
pub struct TempFileInFolder {
    /// The file.
    pub file: NamedTempFile,
    /// Dropped last.
    _folder: TempFolder,
}

impl TempFileInFolder {
    /// Creates one below a folder.
    ///
    /// # Errors
    /// It cannot be created there.
    pub fn new(folder: impl AsRef<Path>) -> io::Result<TempFileInFolder> {
        Self::with_rights(folder.as_ref(), None)
    }

    /// As [`new`](Self::new), with these rights of the file.
    pub(super) fn with_rights(
        folder: &Path,
        rights: Option<FileRights>,
    ) -> io::Result<TempFileInFolder> {
        let folder = TempFolder::new(folder)?;
        let path = folder.0.join(FILE);
        // Nobody else can open it: only we can enter the folder.
        let mut options = File::options();
        let file = options
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)?;
        let file = NamedTempFile::from_parts(file, TempPath::try_from_path(path)?);
        rights.map_or(Ok(()), |rights| rights.give(file.as_file(), true))?;
        if cfg!(unix) {
            // Marks the file as in use, see `clear_abandoned`. On a file system without locks, the
            // user removes abandoned files.
            let _ = file.as_file().try_lock();
        }
        Ok(TempFileInFolder {
            file,
            _folder: folder,
        })
    }

    /// Moves the file to its final path.
    pub(super) fn persist(self, path: &Path, replace: bool) -> io::Result<File> {
        let moved = if replace {
            self.file.persist(path)
        } else {
            self.file.persist_noclobber(path)
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
        let middle = name.as_encoded_bytes().strip_prefix(FOLDER.0.as_bytes());
        let middle = middle.and_then(|rest| rest.strip_suffix(FOLDER.1.as_bytes()));
        middle
            .is_some_and(|middle| middle.len() == 6 && middle.iter().all(u8::is_ascii_alphanumeric))
    });
    ours.map(|entry| entry.path())
        .filter(|path| remove_abandoned(path).unwrap_or(false))
        .collect()
}

fn remove_abandoned(folder: &Path) -> io::Result<bool> {
    let is_old = |path: &Path| -> io::Result<Option<fs::FileType>> {
        let metadata = fs::symlink_metadata(path)?;
        let age = metadata.modified()?.elapsed();
        Ok(age
            .is_ok_and(|age| age >= ABANDONED)
            .then(|| metadata.file_type()))
    };
    // A link to a folder is not a folder here.
    if !fs::symlink_metadata(folder)?.is_dir() {
        return Ok(false);
    }
    let names = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name()));
    let names = names.collect::<io::Result<Vec<_>>>()?;
    match names.as_slice() {
        [] if is_old(folder)?.is_some() => {}
        [name] if name == FILE => {
            let path = folder.join(name);
            if !is_old(&path)?.is_some_and(|kind| kind.is_file()) {
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
