//! Locks that keep programs from replacing a file that another one writes to.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

/// Whether the file under this name is the one that is open.
///
/// # Errors
/// Neither can be looked at.
#[cfg(unix)]
pub(crate) fn is_still(file: &File, path: impl AsRef<Path>) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (open.dev(), open.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// As far as the standard library can tell.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn is_still(_: &File, path: impl AsRef<Path>) -> io::Result<bool> {
    Ok(fs::exists(path)?)
}

/// Locks the file with this name against programs that write to it, for as long as the handle is
/// open; `None` where there is no file, or none that can be locked (some file systems cannot).
///
/// # Errors
/// Another program writes to it at this moment.
pub(super) fn lock_to_replace(path: &Path) -> io::Result<Option<File>> {
    loop {
        let Ok(file) = File::open(path) else {
            return Ok(None);
        };
        match file.try_lock_shared() {
            // Replaced between the two: the lock is of a file without a name.
            Ok(()) if !is_still(&file, path)? => {}
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(
                    io::ErrorKind::ResourceBusy,
                    "another program is writing to it",
                ));
            }
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}
