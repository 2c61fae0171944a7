//! Passes a signal on to the run: a flag that the library's callbacks check, and a reader of pipes
//! that stops waiting when the flag is set.

use std::fs::File;
use std::io::{self, Read, Write};
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(windows)]
use std::os::windows::io::AsHandle;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use pgc::Error;
#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, Timespec, poll};
#[cfg(unix)]
use rustix::io::Errno;

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// The number of threads that replace an archive and its index, which one signal must not
/// interrupt.
static ENDING: AtomicUsize = AtomicUsize::new(0);

const PATIENCE: Duration = Duration::from_millis(100);

/// The capacity to ask for a pipe, so that its writer need not wait while we work on a block.
#[cfg(target_os = "linux")]
const PIPE: usize = 1 << 20;

/// Asks the run to stop.
pub(super) fn request() {
    REQUESTED.store(true, Ordering::SeqCst);
}

pub(super) fn requested() -> bool {
    REQUESTED.load(Ordering::SeqCst) && !is_ending()
}

/// While it lasts, the run ignores the first signal; a second one ends the process.
#[must_use]
pub(super) struct MustEnd(());

impl Drop for MustEnd {
    fn drop(&mut self) {
        ENDING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// From here on the run must come to its end.
///
/// # Errors
/// A signal has come already.
pub(super) fn must_end() -> Result<MustEnd, Error> {
    ENDING.fetch_add(1, Ordering::SeqCst);
    let ending = MustEnd(());
    match REQUESTED.load(Ordering::SeqCst) {
        true => Err(Error::Cancelled),
        false => Ok(ending),
    }
}

/// Whether there is an [`MustEnd`].
pub(super) fn is_ending() -> bool {
    ENDING.load(Ordering::SeqCst) > 0
}

/// Has the library ask on this thread whether to stop.
pub(super) fn watch() {
    pgc::stop::asked_by(Some(|_| requested()));
}

/// Fails the run once the signal has come.
pub(super) fn cancelled() -> Result<(), Error> {
    (!requested()).then_some(()).ok_or(Error::Cancelled)
}

/// A reader or writer that fails once the signal has come. Some functions of the library never ask
/// whether to stop, but all of them read or write.
pub(super) struct Interruptible<T>(pub(super) T);

impl<R: Read> Read for Interruptible<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        cancelled()?;
        self.0.read(buf)
    }
}

impl<W: Write> Write for Interruptible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        cancelled()?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A reader of a pipe or a device. It stops waiting for data when the signal comes.
pub(super) enum Pipe {
    /// A thread opens the file: opening a named pipe without a writer would block past the signal.
    /// The thread ends with the process.
    Opening(Receiver<io::Result<File>>),
    Open(File),
}

impl Pipe {
    pub(super) fn stdin() -> io::Result<Pipe> {
        #[cfg(unix)]
        let stdin = io::stdin().as_fd().try_clone_to_owned()?;
        #[cfg(windows)]
        let stdin = io::stdin().as_handle().try_clone_to_owned()?;
        Ok(Pipe::opened(stdin.into()))
    }

    pub(super) fn open(path: PathBuf) -> io::Result<Pipe> {
        let (sender, opened) = sync_channel(1);
        thread::Builder::new().spawn(move || drop(sender.send(File::open(path))))?;
        Ok(Pipe::Opening(opened))
    }

    fn opened(file: File) -> Pipe {
        #[cfg(target_os = "linux")]
        let _ = rustix::pipe::fcntl_setpipe_size(&file, PIPE);
        Pipe::Open(file)
    }
}

impl Read for Pipe {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match self {
                Pipe::Open(file) => {
                    if is_ready(file)? {
                        return file.read(buf);
                    }
                }
                Pipe::Opening(file) => match file.recv_timeout(PATIENCE) {
                    Ok(file) => *self = Pipe::opened(file?),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(io::ErrorKind::BrokenPipe.into());
                    }
                },
            }
            cancelled()?;
        }
    }
}

/// Waits up to [`PATIENCE`] for data; returns whether a read would not block.
#[cfg(unix)]
fn is_ready(file: &File) -> io::Result<bool> {
    let patience = Timespec {
        tv_sec: 0,
        tv_nsec: i64::from(PATIENCE.subsec_nanos()),
    };
    match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&patience)) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// On other systems a blocking read cannot be abandoned.
#[cfg(not(unix))]
fn is_ready(_: &File) -> io::Result<bool> {
    Ok(true)
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::{Read, Write, pipe};
    use std::os::fd::OwnedFd;
    use std::thread;

    use super::Pipe;

    #[test]
    fn all_of_a_pipe_is_read() {
        let bytes: Vec<u8> = (0..3_000_000_u32).map(|i| (i % 251) as u8).collect();
        let (reader, mut writer) = pipe().unwrap();
        let sent = bytes.clone();
        let writing = thread::spawn(move || writer.write_all(&sent).unwrap());
        let mut copy = Vec::new();
        Pipe::opened(OwnedFd::from(reader).into())
            .read_to_end(&mut copy)
            .unwrap();
        writing.join().unwrap();
        assert!(copy == bytes);
    }
}
