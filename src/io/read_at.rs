//! Random access to bytes in memory, in a map, or in an open file.

use std::borrow::Cow;
use std::fmt::Debug;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::named::WithName;

/// Bytes with random access.
pub trait ReadAt: Debug + Send + Sync {
    /// The number of bytes.
    fn size(&self) -> u64;

    /// The bytes `from..to`; fewer if the end comes before `to`.
    ///
    /// # Errors
    /// The bytes cannot be read.
    fn read_at(&self, from: u64, to: u64) -> io::Result<Cow<'_, [u8]>>;
}

impl<T: AsRef<[u8]> + Debug + Send + Sync + ?Sized> ReadAt for T {
    fn size(&self) -> u64 {
        self.as_ref().len() as u64
    }

    fn read_at(&self, from: u64, to: u64) -> io::Result<Cow<'_, [u8]>> {
        let bytes = self.as_ref();
        let place = |at| usize::try_from(at).map_or(bytes.len(), |at| at.min(bytes.len()));
        let (from, to) = (place(from), place(to));
        Ok(Cow::Borrowed(&bytes[from.min(to)..to]))
    }
}

/// Reads some bytes of a file from an offset on, wherever other readers of it are. Neither waits for
/// the other.
///
/// # Errors
/// The bytes cannot be read.
pub(crate) fn read_some_at(file: &File, at: u64, buf: &mut [u8]) -> io::Result<usize> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::read_at(file, buf, at)
    }
    #[cfg(windows)]
    {
        std::os::windows::fs::FileExt::seek_read(file, buf, at)
    }
}

/// An open file, with the length that it had when it was opened. A failed read is an error that
/// names the file; with a map the process would get SIGBUS.
#[derive(Debug)]
pub struct OpenFile {
    file: File,
    path: PathBuf,
    size: u64,
}

impl OpenFile {
    /// Wraps an open file; errors name the path.
    ///
    /// # Errors
    /// The system does not tell its length.
    pub fn new(file: File, path: &Path) -> io::Result<OpenFile> {
        let (size, path) = (file.metadata()?.len(), path.to_owned());
        Ok(OpenFile { file, path, size })
    }
}

impl ReadAt for OpenFile {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, from: u64, to: u64) -> io::Result<Cow<'_, [u8]>> {
        let length = to.min(self.size).saturating_sub(from);
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        let mut filled = 0;
        while filled < bytes.len() {
            let read = match read_some_at(&self.file, from + filled as u64, &mut bytes[filled..]) {
                Ok(0) => Err(io::Error::new(
                    ErrorKind::UnexpectedEof,
                    "was cut short while it was read",
                )),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                read => read,
            };
            filled += read.named(self.path.display())?;
        }
        Ok(bytes.into())
    }
}

/// Reads a [`ReadAt`] sequentially.
#[derive(Debug)]
pub struct Onward<'a> {
    bytes: &'a dyn ReadAt,
    at: u64,
}

impl<'a> Onward<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a dyn ReadAt) -> Onward<'a> {
        Onward::from(bytes, 0)
    }

    /// Starts at an offset.
    pub fn from(bytes: &'a dyn ReadAt, at: u64) -> Onward<'a> {
        Onward { bytes, at }
    }
}

impl Read for Onward<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let to = self.at.saturating_add(buf.len() as u64);
        let bytes = self.bytes.read_at(self.at, to)?;
        buf[..bytes.len()].copy_from_slice(&bytes);
        self.at += bytes.len() as u64;
        Ok(bytes.len())
    }
}

impl Seek for Onward<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.bytes.size().checked_add_signed(by),
        };
        self.at = at.ok_or(ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
