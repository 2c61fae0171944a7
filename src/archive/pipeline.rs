//! Runs work on blocks in parallel, with results in order and a bound on the bytes in flight.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::run::Error;
use pgc_io::{threads, windows_held};

/// The limit on source bytes in flight, beyond the first job: room for eleven blocks of the usual
/// size. The work on a block takes some twelve times its source length in memory.
const IN_FLIGHT: usize = 12 * 1024 * 1024;

/// Windows of decompressors up to this size fit beside that within 256 MiB.
const WINDOWS: usize = 64 * 1024 * 1024;

/// Every so many bytes of windows beyond [`WINDOWS`] lower [`IN_FLIGHT`] by one: a window of 128
/// MiB leaves room for four blocks.
const PER_BYTE: usize = 8;

/// The length of most blocks.
const USUAL: usize = 1024 * 1024;

/// A larger job (a block with a giant game, or with very many tiny ones) runs alone on the caller's
/// thread: allocators keep the memory that a thread once had, and in time every worker would meet
/// such a job.
const LARGE: usize = 1216 * 1024;

/// The number of jobs that may wait while all threads work, for a worker or for their turn in the
/// output: the caller's thread may block on the disk, and the workers must not run out of jobs.
const AHEAD: usize = 3;

/// Takes jobs from `next` (with their cost in bytes), runs `work` on them on `threads` threads, the
/// caller's among them, and passes the results to `sink` in the order of the jobs. If `next` fails,
/// the jobs before that are still completed. A single thread is the caller's.
pub(crate) fn ordered<J: Send, R: Send>(
    threads: usize,
    mut next: impl FnMut() -> Result<Option<(usize, J)>, Error>,
    work: impl Fn(J) -> R + Sync,
    mut sink: impl FnMut(R) -> Result<(), Error>,
) -> Result<(), Error> {
    // The first job is taken early, since only then the memory of its source's decompressor is
    // known. A large window limits the threads: each keeps the memory it once had, so many threads
    // with one job in flight would take as much as if each had one.
    let mut first = Some(next());
    let most = match windows_held() > WINDOWS {
        true => room() / USUAL,
        false => usize::MAX,
    };
    let threads = threads::count(threads).min(most).max(1);
    let mut next = || first.take().unwrap_or_else(&mut next);
    if threads == 1 {
        while let Some((_, job)) = next()? {
            sink(work(job))?;
        }
        return Ok(());
    }
    let pool = threads::pool(threads - 1)?;
    let jobs = Mutex::default();
    let waiting = Waiting { jobs, work };
    pool.in_place_scope(|scope| {
        let (jobs, in_flight) = (VecDeque::new(), 0);
        let mut queue = Queue { jobs, in_flight };
        let failed = loop {
            let (cost, job) = match next() {
                Ok(Some(job)) => job,
                Ok(None) => break None,
                Err(error) => break Some(error),
            };
            let alone = cost > LARGE;
            // Results are written as soon as they are ready, so that little is left at the end.
            while let Some(result) =
                queue.take(&waiting, alone || !queue.has_room(cost, threads))?
            {
                sink(result)?;
            }
            let (sender, receiver) = sync_channel(1);
            queue.in_flight += cost;
            queue.jobs.push_back((receiver, cost));
            if cost == 0 {
                // Waking a thread would take longer.
                drop(sender.send((waiting.work)(job)));
                continue;
            }
            waiting.jobs().push_back((job, sender));
            if alone {
                waiting.do_one();
            } else {
                scope.spawn(|_| {
                    waiting.do_one();
                });
            }
        };
        while let Some(result) = queue.take(&waiting, true)? {
            sink(result)?;
        }
        failed.map_or(Ok(()), Err)
    })
}

/// The limit on source bytes in flight now.
fn room() -> usize {
    IN_FLIGHT - (windows_held().saturating_sub(WINDOWS) / PER_BYTE).min(IN_FLIGHT)
}

/// Jobs that no thread has begun, and the function to run on them.
struct Waiting<J, R, W> {
    jobs: Mutex<VecDeque<(J, SyncSender<R>)>>,
    work: W,
}

impl<J, R, W: Fn(J) -> R> Waiting<J, R, W> {
    fn jobs(&self) -> MutexGuard<'_, VecDeque<(J, SyncSender<R>)>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the first job; `false` if there is none.
    fn do_one(&self) -> bool {
        let Some((job, sender)) = self.jobs().pop_front() else {
            return false;
        };
        drop(sender.send((self.work)(job)));
        true
    }
}

/// The jobs whose results have not been taken, in order, with their costs.
struct Queue<R> {
    jobs: VecDeque<(Receiver<R>, usize)>,
    /// The sum of their costs.
    in_flight: usize,
}

impl<R> Queue<R> {
    /// Whether a job of this cost fits beside the others.
    fn has_room(&self, cost: usize, threads: usize) -> bool {
        self.in_flight + cost <= room() && self.jobs.len() < threads + AHEAD
    }

    /// Takes the result of the first job; `None` if there is none. With `wait`, waits for the
    /// result, and meanwhile runs jobs that no thread has begun.
    fn take<J, W: Fn(J) -> R>(
        &mut self,
        waiting: &Waiting<J, R, W>,
        wait: bool,
    ) -> Result<Option<R>, Error> {
        let Some((receiver, cost)) = self.jobs.front() else {
            return Ok(None);
        };
        let result = loop {
            match receiver.try_recv() {
                Err(TryRecvError::Empty) if !wait => return Ok(None),
                Err(TryRecvError::Empty) if waiting.do_one() => {}
                Err(TryRecvError::Empty) => break receiver.recv().ok(),
                result => break result.ok(),
            }
        };
        self.in_flight -= cost;
        self.jobs.pop_front();
        // The sender is dropped without a result only if the work panicked.
        let stopped = || io::Error::other("a worker stopped").into();
        result.map(Some).ok_or_else(stopped)
    }
}

/// Buffers of finished jobs, reused by later ones: asking the system for memory costs more than
/// filling it.
#[derive(Debug, Default)]
pub(crate) struct Spare(Mutex<Vec<Vec<u8>>>);

impl Spare {
    /// An empty buffer, with the capacity of a former one if there is one.
    pub(crate) fn take(&self) -> Vec<u8> {
        let mut buffers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        buffers.pop().unwrap_or_default()
    }

    /// Returns a buffer; it is kept unless it is very large or enough are kept already.
    pub(crate) fn give(&self, mut buffer: Vec<u8>) {
        let mut buffers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buffers.len() < AHEAD && (1..=2 * LARGE).contains(&buffer.capacity()) {
            buffer.clear();
            buffers.push(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LARGE;
    use pgc_block::cut::Blocks;
    use pgc_pgn::source_text::SourceText;

    /// 80,000 games in a block take 30 MB in each of eight threads.
    #[test]
    fn blocks_of_nothing_but_tiny_games_run_alone() {
        let is_alone = |text: &str, kind| {
            let source = text.repeat((2 << 20) / text.len());
            let mut source = source.as_bytes();
            let block = Blocks::of(&mut source, kind).next_block().unwrap().unwrap();
            block.cost() > LARGE
        };
        assert!(is_alone("\n\n*", SourceText::Pgn));
        assert!(is_alone("1. e4 e5 1-0\n\n", SourceText::Pgn));
        assert!(is_alone("\0\n", SourceText::Epd));
        let game = "[Event \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n\n";
        assert!(!is_alone(game, SourceText::Pgn));
        let line = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4;\n";
        assert!(!is_alone(line, SourceText::Epd));
    }
}
