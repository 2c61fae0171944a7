//! Locks that keep programs from replacing a file while another program writes to it.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a program that wants to replace a file waits for another program that has just placed
/// the file and still writes its index.
const PATIENCE: Duration = Duration::from_secs(4);

/// As [`PATIENCE`], at the end of a run, when giving up would lose the work of the run.
const PATIENCE_AT_END: Duration = Duration::from_secs(20);

const STEP: Duration = Duration::from_millis(5);

/// Whether the path still names the open file.
///
/// # Errors
/// The metadata of the file or the path cannot be read.
#[cfg(unix)]
pub fn is_still(file: &File, path: impl AsRef<Path>) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (open.dev(), open.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether the path names any file: on this system the standard library cannot compare files.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn is_still(_: &File, path: impl AsRef<Path>) -> io::Result<bool> {
    Ok(fs::exists(path)?)
}

/// Whether another pgc adds to the file at this moment, or has just placed it and still writes its
/// index. To find out, this takes a shared lock for an instant.
pub fn is_being_written(path: &Path) -> bool {
    let locked = File::open(path).map(|file| file.try_lock_shared());
    matches!(locked, Ok(Err(TryLockError::WouldBlock)))
}

/// Locks the file at a path against every other pgc that writes to it or replaces it; `None` if one
/// of them works for longer than we wait, or the file system has no locks.
pub fn lock_alone(path: &Path) -> Option<File> {
    locked(path, File::try_lock).ok().flatten()
}

/// Locks the file at a path, while the returned handle is open, against every other pgc that writes
/// to it; `None` if there is no file, or if the file system has no locks.
///
/// # Errors
/// Another pgc is writing to the file.
pub(super) fn lock_to_replace(path: &Path) -> io::Result<Option<File>> {
    locked(path, File::try_lock_shared)
}

fn locked(
    path: &Path,
    lock: impl Fn(&File) -> Result<(), TryLockError>,
) -> io::Result<Option<File>> {
    let begun = Instant::now();
    loop {
        let Ok(file) = File::open(path) else {
            return Ok(None);
        };
        match lock(&file) {
            // The file was replaced between opening and locking: the lock is on a file without a
            // name.
            Ok(()) if !is_still(&file, path)? => {}
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => sleep(STEP),
            Err(TryLockError::WouldBlock) => return Err(busy()),
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}

/// A program's turn to move files to their names in a folder: while it lasts, no other pgc does so.
/// It is a lock on the folder; Windows and some file systems do not have such locks.
#[derive(Debug)]
pub(super) struct Turn(#[expect(dead_code, reason = "holds the lock")] Option<File>);

impl Turn {
    /// Waits for the turn in a folder.
    pub(super) fn wait(folder: &Path) -> Turn {
        let Ok(file) = File::open(folder) else {
            return Turn(None);
        };
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE_AT_END {
            match file.try_lock() {
                Ok(()) => return Turn(Some(file)),
                Err(TryLockError::WouldBlock) => sleep(STEP / 5),
                Err(TryLockError::Error(_)) => break,
            }
        }
        Turn(None)
    }

    /// As [`wait`](Turn::wait), for a moment when no other pgc writes to this file of the folder.
    /// The turn is given up while waiting for the writer, who may need a turn to finish.
    ///
    /// # Errors
    /// Another pgc writes to the file for longer than we wait.
    pub(super) fn wait_beside(folder: &Path, file: &Path) -> io::Result<Turn> {
        let begun = Instant::now();
        loop {
            let turn = Turn::wait(folder);
            if !is_being_written(file) {
                return Ok(turn);
            }
            drop(turn);
            if begun.elapsed() > PATIENCE_AT_END {
                return Err(busy());
            }
            sleep(STEP);
        }
    }
}

fn busy() -> io::Error {
    let what = "another program is writing to it";
    io::Error::new(io::ErrorKind::ResourceBusy, what)
}
