//! Writes and flushes files under a temporary name.

use std::fs::File;
use std::io::{self, IoSlice, Write};
use std::path::Path;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};

use super::named::again;
use super::rights::FileRights;
use super::temp_folder::TempFileInFolder;

pub(super) const BUFFER: usize = 1 << 18;

/// Until it is flushed, a file grows in multiples of this length, so that the system allocates no
/// smaller pieces.
pub(super) const STEP: u64 = 1 << 16;

/// While a file is being written, a thread flushes it to disk each time it has grown by this many
/// bytes, so that the flush at the end is short.
const SYNC_BYTES: usize = 4 << 20;

/// A temporary file that gets its final name when complete.
#[derive(Debug)]
pub(super) struct Temporary {
    pub(super) place: TempFileInFolder,
    /// Bytes not yet written to the file.
    held: Vec<u8>,
    /// Length of the file, without the held bytes.
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
    /// An empty file in a folder, which nobody can open before it has these rights.
    pub(super) fn new(folder: &Path, rights: Option<FileRights>) -> io::Result<Temporary> {
        Ok(Temporary {
            place: TempFileInFolder::with_rights(folder, rights)?,
            held: Vec::with_capacity(BUFFER),
            written: 0,
            broken: None,
            unsynced: 0,
            syncing: None,
            is_synced: false,
        })
    }

    /// Requests a flush of the bytes written, unless one is in progress.
    fn sync_behind(&mut self) -> io::Result<()> {
        if self.syncing.is_none() {
            // If the thread cannot be started, the flush at the end takes longer.
            self.syncing = Syncing::new(self.place.file.as_file().try_clone()?).ok();
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

    /// Flushes all bytes to disk.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        self.wait()?;
        if !self.is_synced {
            self.place.file.as_file().sync_all()?;
            self.is_synced = true;
        }
        Ok(())
    }

    /// Waits for the thread that flushes, and keeps its error: the system may report a disk error
    /// only once.
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
        let mut file = self.place.file.as_file();
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

/// Waits for a thread that flushes to disk, and returns its result.
pub(super) fn joined<T>(thread: JoinHandle<io::Result<T>>) -> io::Result<T> {
    thread
        .join()
        .unwrap_or_else(|_| Err(io::Error::other("the thread that flushes to disk stopped")))
}
