//! Ctrl-C: a flag that the library's callbacks read, and a pipe that a run waiting for input can leave.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::thread;
use std::time::Duration;

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Chunks between the thread that reads and the one that works.
const QUEUE: usize = 4;
const CHUNK: usize = 1 << 18;
const PATIENCE: Duration = Duration::from_millis(100);

pub(super) fn install() {
    // Without a handler the signal just kills the process, and at worst leaves a temporary file.
    let _ = ctrlc::set_handler(|| REQUESTED.store(true, Ordering::Relaxed));
}

pub(super) fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// Reads in a thread of its own, since a read of a pipe that nobody writes to would outlast the signal. The thread is
/// left to itself then; it ends with the process.
pub(super) struct Pump {
    chunks: Receiver<io::Result<Chunk>>,
    /// Buffers that were read to their ends go back: a pipe gives little at a time, and new memory for each costs more than what it gives.
    spare: Sender<Vec<u8>>,
    chunk: Chunk,
}

/// Bytes of a buffer: from `at` on those that are not read yet, up to `end`.
#[derive(Default)]
struct Chunk {
    buffer: Vec<u8>,
    at: usize,
    end: usize,
}

impl Pump {
    /// Opening is left to the thread too: a named pipe that nobody writes to holds up even that.
    pub(super) fn new<R: Read>(open: impl FnOnce() -> io::Result<R> + Send + 'static) -> Pump {
        let (sender, chunks) = sync_channel(QUEUE);
        let (spare, buffers) = channel();
        thread::spawn(move || {
            let mut reader = match open() {
                Ok(reader) => reader,
                Err(error) => return drop(sender.send(Err(error))),
            };
            loop {
                let mut buffer = buffers.try_recv().unwrap_or_else(|_| vec![0; CHUNK]);
                let message = match reader.read(&mut buffer) {
                    Ok(0) => return,
                    Ok(end) => Ok(Chunk { buffer, at: 0, end }),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let failed = message.is_err();
                if sender.send(message).is_err() || failed {
                    return;
                }
            }
        });
        Pump { chunks, spare, chunk: Chunk::default() }
    }
}

impl Read for Pump {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.chunk.at == self.chunk.end {
            match self.chunks.recv_timeout(PATIENCE) {
                Ok(chunk) => {
                    let done = std::mem::replace(&mut self.chunk, chunk?);
                    // The thread may be gone, and the first buffer is none.
                    if !done.buffer.is_empty() {
                        let _ = self.spare.send(done.buffer);
                    }
                }
                Err(RecvTimeoutError::Timeout) if requested() => return Err(io::Error::other("interrupted")),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
        let Chunk { buffer, at, end } = &mut self.chunk;
        let ready = &buffer[*at..*end];
        let count = buf.len().min(ready.len());
        buf[..count].copy_from_slice(&ready[..count]);
        *at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::Pump;

    #[test]
    fn pump_hands_on_everything() {
        let bytes: Vec<u8> = (0..1_000_000_u32).map(|i| (i % 251) as u8).collect();
        let (sent, mut copy) = (bytes.clone(), Vec::new());
        Pump::new(move || Ok(std::io::Cursor::new(sent))).read_to_end(&mut copy).unwrap();
        assert!(copy == bytes);
    }
}
