//! Writes files under a temporary name.

use std::io::{self, Write};
use std::path::Path;

use super::named::again;
use super::rights::FileRights;
use super::temp_folder::TempFileInFolder;

pub(super) const BUFFER: usize = 1 << 18;

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
}

impl Temporary {
    /// An empty file in a folder, which nobody can open before it has these rights.
    pub(super) fn new(folder: &Path, rights: Option<FileRights>) -> io::Result<Temporary> {
        Ok(Temporary {
            place: TempFileInFolder::with_rights(folder, rights)?,
            held: Vec::with_capacity(BUFFER),
            broken: None,
            is_synced: false,
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
            let put = self.place.file.as_file().write_all(buf);
            self.kept(put)?;
        }
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Some(error) = &self.broken {
            return Err(again(error));
        }
        let put = self.place.file.as_file().write_all(&self.held);
        self.held.clear();
        self.kept(put)
    }
}
