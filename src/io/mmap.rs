//! Read-only maps of files. Only this file and its caller `archive/map.rs` have unsafe code.
#![expect(
    unsafe_code,
    reason = "a map is only as safe as the file is left alone; the caller promises that"
)]

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

/// All open maps, so that a program can say which file caused a fault.
static MAPPED: Mutex<Mapped> = Mutex::new(Mapped {
    next: 0,
    maps: Vec::new(),
});

struct Mapped {
    next: u64,
    /// Number, path and length in bytes of each.
    maps: Vec<(u64, PathBuf, u64)>,
}

fn mapped() -> MutexGuard<'static, Mapped> {
    MAPPED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// For a program that gets SIGBUS: the mapped files that have become shorter, and `true`; if there
/// are none, all mapped files, and `false`.
pub fn unreadable() -> (Vec<PathBuf>, bool) {
    let all: Vec<(PathBuf, u64)> = mapped()
        .maps
        .iter()
        .map(|(_, path, length)| (path.clone(), *length))
        .collect();
    let is_short = |path: &Path, length: u64| {
        fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() < length)
    };
    let short: Vec<PathBuf> = all
        .iter()
        .filter(|(path, length)| is_short(path, *length))
        .map(|(path, _)| path.clone())
        .collect();
    if short.is_empty() {
        (all.into_iter().map(|(path, _)| path).collect(), false)
    } else {
        (short, true)
    }
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
        let path = path.as_ref();
        // SAFETY: the contract is the caller's, word for word.
        let bytes = unsafe { memmap2::Mmap::map(file) }?;
        let mut mapped = mapped();
        let number = mapped.next;
        mapped.next += 1;
        mapped
            .maps
            .push((number, path.to_owned(), bytes.len() as u64));
        Ok(Map { bytes, number })
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        mapped().maps.retain(|(number, ..)| *number != self.number);
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
