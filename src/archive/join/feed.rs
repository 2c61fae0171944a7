//! Passes text from one thread to a reader in another.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::run::{Error, Hooks, Sink, UnpackOptions};
use crate::unpack::unpack;
use pgc_io::threads::not_started;
use pgc_pgn::source_text::SourceText;

/// The length at which a chunk is passed on.
const CHUNK: usize = 1 << 18;

/// The maximum number of chunks between the threads.
const QUEUE: usize = 4;

/// The writing end.
#[derive(Debug)]
pub struct Feed {
    sender: SyncSender<Vec<u8>>,
    chunk: Vec<u8>,
}

impl Feed {
    /// Writes text.
    ///
    /// # Errors
    /// [`Error::Cancelled`]: the reader is gone.
    pub fn write(&mut self, text: &[u8]) -> Result<(), Error> {
        self.chunk.extend_from_slice(text);
        if self.chunk.len() < CHUNK {
            Ok(())
        } else {
            self.flush()
        }
    }

    fn flush(&mut self) -> Result<(), Error> {
        let chunk = std::mem::replace(&mut self.chunk, Vec::with_capacity(CHUNK + CHUNK / 4));
        self.sender.send(chunk).map_err(|_| Error::Cancelled)
    }
}

/// The reading end.
struct Fed {
    receiver: Receiver<Vec<u8>>,
    chunk: Vec<u8>,
    at: usize,
}

impl Read for Fed {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.at == self.chunk.len() {
            match self.receiver.recv() {
                Ok(chunk) => (self.chunk, self.at) = (chunk, 0),
                // The end, or a failure, which the writing thread reports.
                Err(_) => return Ok(0),
            }
        }
        let count = buf.len().min(self.chunk.len() - self.at);
        buf[..count].copy_from_slice(&self.chunk[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// Runs `give` in a thread of its own; `take` reads what it writes. The result of `take` is only
/// valid if this returns no error: `give` may have failed half way.
///
/// # Errors
/// The first of the two that failed.
pub fn feed<T, S: Send>(
    give: impl FnOnce(&mut Feed) -> Result<S, Error> + Send,
    take: impl FnOnce(&mut (dyn Read + Send)) -> Result<T, Error>,
) -> Result<(T, S), Error> {
    let (sender, receiver) = sync_channel(QUEUE);
    thread::scope(|scope| {
        let giving = move || {
            let mut feed = Feed {
                sender,
                chunk: Vec::new(),
            };
            let given = give(&mut feed)?;
            feed.flush()?;
            Ok(given)
        };
        let giver = thread::Builder::new()
            .spawn_scoped(scope, giving)
            .map_err(|error| not_started(&error))?;
        let mut fed = Fed {
            receiver,
            chunk: Vec::new(),
            at: 0,
        };
        let taken = take(&mut fed);
        drop(fed);
        let given = giver
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("a thread stopped").into()));
        match (taken, given) {
            // `give` is cancelled when `take` stops reading; then the error of `take` is the cause.
            (Err(error), Err(Error::Cancelled) | Ok(_)) | (_, Err(error)) => Err(error),
            (Ok(taken), Ok(given)) => Ok((taken, given)),
        }
    })
}

/// The messages of the thread that unpacks an archive to the one that reads the sources.
enum SourceNews {
    Begin(String, SourceText),
    Text(Vec<u8>),
    End,
}

/// A sink that passes sources to another thread.
struct SourceSender {
    sender: SyncSender<SourceNews>,
    chunk: Vec<u8>,
}

impl SourceSender {
    fn send(&self, news: SourceNews) -> io::Result<()> {
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.sender.send(news).map_err(gone)
    }

    fn flush(&mut self) -> io::Result<()> {
        let chunk = std::mem::replace(&mut self.chunk, Vec::with_capacity(CHUNK + CHUNK / 4));
        self.send(SourceNews::Text(chunk))
    }
}

impl Sink for SourceSender {
    fn begin(&mut self, name: Option<&str>) -> io::Result<()> {
        self.begin_source(name.unwrap_or_default(), SourceText::Pgn)
    }

    fn begin_source(&mut self, name: &str, text: SourceText) -> io::Result<()> {
        self.send(SourceNews::Begin(name.to_owned(), text))
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.chunk.extend_from_slice(bytes);
        if self.chunk.len() < CHUNK {
            Ok(())
        } else {
            self.flush()
        }
    }

    fn end(&mut self) -> io::Result<()> {
        self.flush()?;
        self.send(SourceNews::End)
    }
}

/// Reads one source.
struct SourceReader<'r> {
    receiver: &'r mut Receiver<SourceNews>,
    chunk: Vec<u8>,
    at: usize,
    ended: bool,
}

impl Read for SourceReader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.at == self.chunk.len() && !self.ended {
            match self.receiver.recv() {
                Ok(SourceNews::Text(chunk)) => (self.chunk, self.at) = (chunk, 0),
                Ok(SourceNews::Begin(..) | SourceNews::End) => self.ended = true,
                // The source is not complete; the other thread reports why.
                Err(_) => return Err(io::ErrorKind::BrokenPipe.into()),
            }
        }
        let count = buf.len().min(self.chunk.len() - self.at);
        buf[..count].copy_from_slice(&self.chunk[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// Unpacks an archive in a thread of its own; calls `take` with the name, the kind and the text of
/// each source, in UTF-8 if it is stored so.
///
/// # Errors
/// Those of unpacking, as `Ok(Err(..))`, and those of `take`.
pub fn unpack_each<E>(
    archive: &mut (dyn Read + Send),
    threads: usize,
    hooks: &mut dyn Hooks,
    mut take: impl FnMut(&str, SourceText, &mut (dyn Read + Send)) -> Result<(), E>,
) -> Result<Result<(), Error>, E> {
    let (sender, mut receiver) = sync_channel(QUEUE);
    thread::scope(|scope| {
        let giving = move || {
            let mut sink = SourceSender {
                sender,
                chunk: Vec::new(),
            };
            let options = UnpackOptions {
                utf8: true,
                threads,
                ..UnpackOptions::default()
            };
            unpack(archive, &mut sink, &options, hooks).map(drop)
        };
        let giver = match thread::Builder::new().spawn_scoped(scope, giving) {
            Ok(giver) => giver,
            Err(error) => return Ok(Err(not_started(&error).into())),
        };
        let mut taken = Ok(());
        while let Ok(news) = receiver.recv() {
            let SourceNews::Begin(name, text) = news else {
                continue;
            };
            let mut reader = SourceReader {
                receiver: &mut receiver,
                chunk: Vec::new(),
                at: 0,
                ended: false,
            };
            taken = take(&name, text, &mut reader);
            if taken.is_err() {
                break;
            }
        }
        drop(receiver);
        let given = giver
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("a thread stopped").into()));
        let is_gone = |error: &Error| matches!(error, Error::Io(error) if error.kind() == io::ErrorKind::BrokenPipe);
        match (given, taken) {
            // Unpacking stops when nobody reads on; then the error of `take` is the cause.
            (Err(error), Err(_)) if !is_gone(&error) => Ok(Err(error)),
            (_, Err(error)) => Err(error),
            (given, Ok(())) => Ok(given),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_through_and_failures_are_told() {
        let text: Vec<u8> = (0..3_000_000_u32).map(|i| (i % 251) as u8).collect();
        let give = |feed: &mut Feed| {
            text.chunks(1000)
                .try_for_each(|part| feed.write(part))
                .map(|()| 7)
        };
        let mut copy = Vec::new();
        let (taken, given) = feed(give, |read| Ok(read.read_to_end(&mut copy)?)).unwrap();
        assert!((taken, given) == (text.len(), 7) && copy == text);
        // Nobody reads on.
        let error = feed(give, |_| Err::<(), _>(Error::Io(io::Error::other("full")))).unwrap_err();
        assert_eq!(error.to_string(), "full");
        // The source fails: what was read looks whole, but is no success.
        let fails = |feed: &mut Feed| {
            feed.write(b"half")
                .and(Err::<(), _>(Error::Io(io::Error::other("gone"))))
        };
        let error = feed(fails, |read| Ok(read.read_to_end(&mut Vec::new())?)).unwrap_err();
        assert_eq!(error.to_string(), "gone");
    }
}
