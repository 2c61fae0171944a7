//! Passes text from one thread to a reader in another.

use std::io::{self, Cursor, Read};
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

/// What the writing thread sends.
#[derive(Debug)]
enum SourceNews {
    Begin(String, SourceText),
    Text(Vec<u8>),
    End,
}

/// The writing end.
#[derive(Debug)]
pub struct Feed {
    sender: SyncSender<SourceNews>,
    chunk: Vec<u8>,
}

impl Feed {
    /// Writes text.
    ///
    /// # Errors
    /// [`Error::Io`], a broken pipe: the reader is gone.
    pub fn write(&mut self, text: &[u8]) -> Result<(), Error> {
        Ok(Sink::write(self, text)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        let chunk = std::mem::replace(&mut self.chunk, Vec::with_capacity(CHUNK + CHUNK / 4));
        self.send(SourceNews::Text(chunk))
    }

    fn send(&self, news: SourceNews) -> io::Result<()> {
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.sender.send(news).map_err(gone)
    }
}

impl Sink for Feed {
    fn begin(&mut self, name: Option<&str>) -> io::Result<()> {
        self.begin_source(name.unwrap_or_default(), SourceText::Pgn)
    }

    fn begin_source(&mut self, name: &str, text: SourceText) -> io::Result<()> {
        self.send(SourceNews::Begin(name.to_owned(), text))
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.chunk.extend_from_slice(bytes);
        match self.chunk.len() < CHUNK {
            true => Ok(()),
            false => self.flush(),
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
    chunk: Cursor<Vec<u8>>,
    ended: bool,
}

impl SourceReader<'_> {
    fn new(receiver: &mut Receiver<SourceNews>) -> SourceReader<'_> {
        SourceReader {
            receiver,
            chunk: Cursor::default(),
            ended: false,
        }
    }
}

impl Read for SourceReader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.chunk.read(buf)?;
            if count > 0 || buf.is_empty() || self.ended {
                return Ok(count);
            }
            match self.receiver.recv() {
                Ok(SourceNews::Text(chunk)) => self.chunk = Cursor::new(chunk),
                Ok(SourceNews::Begin(..) | SourceNews::End) => self.ended = true,
                // The source is not complete; the other thread reports why.
                Err(_) => return Err(io::ErrorKind::BrokenPipe.into()),
            }
        }
    }
}

/// Whether one thread failed because the other had stopped.
fn is_gone(error: &Error) -> bool {
    matches!(error, Error::Io(error) if error.kind() == io::ErrorKind::BrokenPipe)
}

/// Runs `give` in a thread of its own, and `take` with what that sends; returns both results.
fn beside<T, S: Send>(
    give: impl FnOnce(Feed) -> Result<S, Error> + Send,
    take: impl FnOnce(Receiver<SourceNews>) -> T,
) -> io::Result<(Result<S, Error>, T)> {
    let (sender, receiver) = sync_channel(QUEUE);
    thread::scope(|scope| {
        let chunk = Vec::new();
        let giving = move || give(Feed { sender, chunk });
        let giver = thread::Builder::new().spawn_scoped(scope, giving);
        let giver = giver.map_err(|error| not_started(&error))?;
        let taken = take(receiver);
        let stopped = |_| Err(io::Error::other("a thread stopped").into());
        Ok((giver.join().unwrap_or_else(stopped), taken))
    })
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
    let giving = |mut feed: Feed| {
        let given = give(&mut feed)?;
        feed.end()?;
        Ok(given)
    };
    match beside(giving, |mut receiver| {
        take(&mut SourceReader::new(&mut receiver))
    })? {
        // `give` fails when `take` stops reading; then the error of `take` is the cause.
        (Err(error), _) if !is_gone(&error) => Err(error),
        (_, Err(error)) | (Err(error), _) => Err(error),
        (Ok(given), Ok(taken)) => Ok((taken, given)),
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
    let options = UnpackOptions {
        utf8: true,
        threads,
        ..UnpackOptions::default()
    };
    let giving = |mut sink: Feed| unpack(archive, &mut sink, &options, hooks).map(drop);
    let taking = |mut receiver: Receiver<SourceNews>| {
        while let Ok(news) = receiver.recv() {
            if let SourceNews::Begin(name, text) = news {
                take(&name, text, &mut SourceReader::new(&mut receiver))?;
            }
        }
        Ok(())
    };
    match beside(giving, taking) {
        Err(error) => Ok(Err(error.into())),
        // Unpacking stops when nobody reads on; then the error of `take` is the cause.
        Ok((Err(error), Err(_))) if !is_gone(&error) => Ok(Err(error)),
        Ok((_, Err(error))) => Err(error),
        Ok((given, Ok(()))) => Ok(given),
    }
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
