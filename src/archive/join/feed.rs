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
    Failed(Error),
}

/// The writing end.
#[derive(Debug)]
pub struct Feed {
    sender: SyncSender<SourceNews>,
    chunk: Vec<u8>,
}

impl Feed {
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
    fn begin(&mut self, name: Option<&str>, text: SourceText) -> io::Result<()> {
        let name = name.unwrap_or_default().to_owned();
        self.send(SourceNews::Begin(name, text))
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
                Ok(SourceNews::Failed(error)) => return Err(error.into()),
                Err(_) => return Err(io::Error::other(STOPPED)),
            }
        }
    }
}

/// The other thread panicked.
const STOPPED: &str = "a thread stopped";

/// Runs `give` in a thread of its own, and `take` with what that sends, its error too; returns both
/// results.
fn beside<T, S: Send, E: From<Error>>(
    give: impl FnOnce(&mut Feed) -> Result<S, Error> + Send,
    take: impl FnOnce(Receiver<SourceNews>) -> Result<T, E>,
) -> Result<(T, S), E> {
    let (sender, receiver) = sync_channel(QUEUE);
    thread::scope(|scope| {
        let giving = move || {
            let chunk = Vec::new();
            let mut feed = Feed { sender, chunk };
            let given = give(&mut feed);
            // If nobody receives the error, the other thread has failed before.
            given.map_err(|error| drop(feed.send(SourceNews::Failed(error))))
        };
        let giver = thread::Builder::new().spawn_scoped(scope, giving);
        let giver = giver.map_err(|error| Error::from(not_started(&error)))?;
        let taken = take(receiver)?;
        let given = giver.join().ok().and_then(Result::ok);
        let given = given.ok_or_else(|| Error::from(io::Error::other(STOPPED)))?;
        Ok((taken, given))
    })
}

/// Runs `give` in a thread of its own; `take` reads what it writes, to the end. The result of `take`
/// is only valid if this returns no error: `give` may have failed half way.
///
/// # Errors
/// The first of the two that failed.
pub fn feed<T, S: Send>(
    give: impl FnOnce(&mut Feed) -> Result<S, Error> + Send,
    take: impl FnOnce(&mut (dyn Read + Send)) -> Result<T, Error>,
) -> Result<(T, S), Error> {
    let giving = |feed: &mut Feed| {
        let given = give(feed)?;
        feed.end()?;
        Ok(given)
    };
    beside(giving, |mut receiver| {
        take(&mut SourceReader::new(&mut receiver))
    })
}

/// Unpacks an archive in a thread of its own; calls `take` with the name, the kind and the text of
/// each source, in UTF-8 if it is stored so.
///
/// # Errors
/// Those of unpacking, and those of `take`.
pub fn unpack_each<E: From<Error>>(
    archive: &mut (dyn Read + Send),
    threads: usize,
    hooks: &mut dyn Hooks,
    mut take: impl FnMut(&str, SourceText, &mut (dyn Read + Send)) -> Result<(), E>,
) -> Result<(), E> {
    let options = UnpackOptions {
        utf8: true,
        threads,
        ..UnpackOptions::default()
    };
    let giving = |sink: &mut Feed| unpack(archive, sink, &options, hooks).map(drop);
    let taking = |mut receiver: Receiver<SourceNews>| {
        while let Ok(news) = receiver.recv() {
            match news {
                SourceNews::Begin(name, text) => {
                    take(&name, text, &mut SourceReader::new(&mut receiver))?;
                }
                SourceNews::Failed(error) => return Err(error.into()),
                SourceNews::Text(_) | SourceNews::End => {}
            }
        }
        Ok(())
    };
    beside(giving, taking).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_through_and_failures_are_told() {
        let text: Vec<u8> = (0..3_000_000_u32).map(|i| (i % 251) as u8).collect();
        let give = |feed: &mut Feed| {
            text.chunks(1000).try_for_each(|part| feed.write(part))?;
            Ok(7)
        };
        let mut copy = Vec::new();
        let (taken, given) = feed(give, |read| Ok(read.read_to_end(&mut copy)?)).unwrap();
        assert!((taken, given) == (text.len(), 7) && copy == text);
        // Nobody reads on.
        let error = feed(give, |_| Err::<(), _>(Error::Io(io::Error::other("full")))).unwrap_err();
        assert_eq!(error.to_string(), "full");
        // The source fails: what was read looks whole, but is no success.
        let fails = |feed: &mut Feed| {
            feed.write(b"half")?;
            Err::<(), _>(Error::Io(io::Error::other("gone")))
        };
        let error = feed(fails, |read| Ok(read.read_to_end(&mut Vec::new())?)).unwrap_err();
        assert_eq!(error.to_string(), "gone");
    }
}
