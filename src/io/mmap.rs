//! Read-only maps of files. Unsafe code is only here, in its caller `archive/map.rs`, and where
//! `temp.rs` tells the system to store an output.
#![expect(
    unsafe_code,
    reason = "a map is only as safe as the file is left alone; the caller promises that"
)]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A file mapped read-only. An empty file is an empty slice.
#[derive(Debug)]
pub struct Map {
    bytes: memmap2::Mmap,
    number: u64,
}

/// All open maps, so that a program can say which file caused a fault: by number, the path and the
/// length in bytes of each.
static MAPPED: Mutex<BTreeMap<u64, (PathBuf, u64)>> = Mutex::new(BTreeMap::new());

fn mapped() -> MutexGuard<'static, BTreeMap<u64, (PathBuf, u64)>> {
    MAPPED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// For a program that gets SIGBUS: the mapped files that have become shorter, and `true`; if there
/// are none, all mapped files, and `false`.
pub fn unreadable() -> (Vec<PathBuf>, bool) {
    let all = mapped().clone();
    let (short, whole): (Vec<_>, Vec<_>) = all.into_values().partition(|(path, length)| {
        fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() < *length)
    });
    let any_short = !short.is_empty();
    let files = if any_short { short } else { whole };
    (files.into_iter().map(|(path, _)| path).collect(), any_short)
}

impl Map {
    /// Maps the whole file. [`unreadable`] reports the path; for an unnamed temporary file, pass
    /// its folder.
    ///
    /// # Errors
    /// The system refuses (if it is not a regular file, for example).
    ///
    /// # Safety
    /// While the map exists, no process may write to the file or shorten it: its bytes would change
    /// under a shared slice, and reading past a new end raises SIGBUS. A read error of the disk
    /// raises SIGBUS too. Files that are only ever replaced by rename, as [`output`](super::output)
    /// does, satisfy this.
    pub unsafe fn open(file: &File, path: impl AsRef<Path>) -> io::Result<Map> {
        // SAFETY: the contract is the caller's, word for word.
        let bytes = unsafe { memmap2::Mmap::map(file) }?;
        let file = (path.as_ref().to_owned(), bytes.len() as u64);
        let mut mapped = mapped();
        let number = mapped.last_key_value().map_or(0, |(last, _)| last + 1);
        mapped.insert(number, file);
        Ok(Map { bytes, number })
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        mapped().remove(&self.number);
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl AsRef<[u8]> for Map {
    fn as_ref(&self) -> &[u8] {
        self
    }
}
