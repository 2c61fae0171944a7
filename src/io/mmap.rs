//! Read-only maps of files: the only unsafe code of the library.
#![expect(unsafe_code, reason = "a map is only as safe as the file is left alone; the caller promises that")]

use std::fs::File;
use std::io;
use std::ops::Deref;

/// A file mapped read-only. An empty file is an empty slice.
#[derive(Debug)]
pub struct Map(memmap2::Mmap);

impl Map {
    /// Maps the whole file.
    ///
    /// # Errors
    /// The system refuses (the file is no regular file, for one).
    ///
    /// # Safety
    /// As long as the map lives, the file must not be written to nor made shorter, by this process or any other: its
    /// bytes would change under a shared slice, and reading past a new end raises SIGBUS. A read error of the medium
    /// shows as SIGBUS too. Files that are only ever replaced by rename, as [`output`](super::output) does, keep the
    /// promise.
    pub unsafe fn open(file: &File) -> io::Result<Map> {
        // SAFETY: the contract is the caller's, word for word.
        unsafe { memmap2::Mmap::map(file) }.map(Map)
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for Map {
    fn as_ref(&self) -> &[u8] {
        self
    }
}
