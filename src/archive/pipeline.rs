//! Runs work on blocks in parallel, with results in order and a bound on the bytes in flight.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::run::Error;
use pgc_block::cut::{Block, Blocks};
use pgc_block::stop::Stop;
use pgc_io::{threads, windows_held};
use pgc_pgn::source_text::SourceText;

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

/// So long the caller's thread waits for a worker before it asks whether to stop.
const PATIENCE: Duration = Duration::from_millis(20);

/// Takes jobs from `next` (with their cost in bytes), runs `work` on them on `threads` threads, the
/// caller's among them, and passes the results to `sink` in the order of the jobs. If `next` fails,
/// the jobs before that are still completed. A single thread is the caller's. When the run is to
/// [`stop`](pgc_block::stop), the jobs that have begun end at their next game, and no result is
/// passed on.
pub(crate) fn ordered<J: Send, R: Send>(
    threads: usize,
    mut next: impl FnMut() -> Result<Option<(usize, J)>, Error>,
    work: impl Fn(J) -> R + Sync,
    mut sink: impl FnMut(R) -> Result<(), Error>,
) -> Result<(), Error> {
    let stop = &Stop::new();
    let work = |job| stop.within(|| work(job));
    let mut sink = |result| match stop.is_set() {
        true => Err(Error::Cancelled),
        false => sink(result),
    };
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
    let do_one = || waiting.do_one();
    let mut feed = |spawn: &dyn Fn()| {
        let jobs = VecDeque::new();
        let mut queue = Queue { jobs, stop };
        let failed = loop {
            let (cost, job) = match next() {
                Ok(Some(job)) => job,
                Ok(None) => break None,
                Err(error) => break Some(error),
            };
            let alone = cost > LARGE;
            // Results are written as soon as they are ready, so that little is left at the end.
            while let Some(result) = queue.take(&do_one, alone || !queue.has_room(cost, threads))? {
                sink(result)?;
            }
            let (done, is_done) = sync_channel(1);
            let result = Arc::default();
            queue.jobs.push_back((Arc::clone(&result), is_done, cost));
            if cost == 0 {
                // Waking a thread would take longer.
                *lock(&result) = Some((waiting.work)(job));
                continue;
            }
            lock(&waiting.jobs).push_back(Job { job, result, done });
            if alone {
                do_one();
            } else {
                spawn();
            }
        };
        while let Some(result) = queue.take(&do_one, true)? {
            sink(result)?;
        }
        failed.map_or(Ok(()), Err)
    };
    in_scope(&pool, &do_one, &mut |spawn| {
        let fed = feed(spawn);
        // After a failure nobody wants the results of the other jobs.
        lock(&waiting.jobs).clear();
        fed.inspect_err(|_| stop.set())
    })
}

/// Cuts a source into blocks, runs `work` on them, and passes them with the results to `sink`, as
/// [`ordered`] does.
pub(crate) fn over_source<R: Send>(
    (source, text): (&mut (dyn Read + Send), SourceText),
    threads: usize,
    work: impl Fn(&mut Block) -> R + Sync,
    mut sink: impl FnMut(&Block, R) -> Result<(), Error>,
) -> Result<(), Error> {
    let blocks = RefCell::new(Blocks::new(source, text));
    ordered(
        threads,
        || {
            let block = blocks.borrow_mut().next_block()?;
            Ok(block.map(|block| (block.cost(), block)))
        },
        |mut block| {
            let result = work(&mut block);
            (block, result)
        },
        |(block, result)| {
            sink(&block, result)?;
            blocks.borrow_mut().recycle(block.src);
            Ok(())
        },
    )
}

/// What hands out jobs, by a function that starts one.
type Feed<'f> = &'f mut dyn FnMut(&dyn Fn()) -> Result<(), Error>;

/// Calls `feed` with a function that has a thread of the pool call `do_one`, and waits until all
/// such calls have returned. (Not generic: `ordered` is built for some thirty kinds of job.)
fn in_scope(
    pool: &rayon::ThreadPool,
    do_one: &(dyn Fn() -> bool + Sync),
    feed: Feed<'_>,
) -> Result<(), Error> {
    pool.in_place_scope(|scope| {
        feed(&|| {
            scope.spawn(|_| {
                do_one();
            });
        })
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The limit on source bytes in flight now.
fn room() -> usize {
    IN_FLIGHT - (windows_held().saturating_sub(WINDOWS) / PER_BYTE).min(IN_FLIGHT)
}

/// Where the result of a job goes: whoever has done it fills this, then drops a sender of nothing.
/// (A channel for each kind of result would be an eighth of all code of this crate.)
type Slot<R> = Arc<Mutex<Option<R>>>;

/// A job that no thread has begun.
struct Job<J, R> {
    job: J,
    result: Slot<R>,
    /// Dropped when the job is done.
    done: SyncSender<()>,
}

/// Jobs that no thread has begun, and the function to run on them.
struct Waiting<J, R, W> {
    jobs: Mutex<VecDeque<Job<J, R>>>,
    work: W,
}

impl<J, R, W: Fn(J) -> R> Waiting<J, R, W> {
    /// Runs the first job; `false` if there is none.
    fn do_one(&self) -> bool {
        // The lock is not held while the job runs.
        let first = lock(&self.jobs).pop_front();
        let Some(Job { job, result, done }) = first else {
            return false;
        };
        let made = (self.work)(job);
        *lock(&result) = Some(made);
        drop(done);
        true
    }
}

/// The jobs whose results have not been taken, in order, with their costs.
struct Queue<'s, R> {
    jobs: VecDeque<(Slot<R>, Receiver<()>, usize)>,
    stop: &'s Stop,
}

impl<R> Queue<'_, R> {
    /// Whether a job of this cost fits beside the others.
    fn has_room(&self, cost: usize, threads: usize) -> bool {
        let in_flight: usize = self.jobs.iter().map(|job| job.2).sum();
        in_flight + cost <= room() && self.jobs.len() < threads + AHEAD
    }

    /// Takes the result of the first job; `None` if there is none. With `wait`, waits for the
    /// result, and meanwhile runs jobs that no thread has begun.
    fn take(&mut self, do_one: &dyn Fn() -> bool, wait: bool) -> Result<Option<R>, Error> {
        let Some((slot, is_done, _)) = self.jobs.front() else {
            return Ok(None);
        };
        if !finished(is_done, do_one, wait, self.stop) {
            return Ok(None);
        }
        let result = lock(slot).take();
        self.jobs.pop_front();
        // A slot stays empty only if the work panicked.
        let stopped = || io::Error::other("a worker stopped").into();
        result.map(Some).ok_or_else(stopped)
    }
}

/// Whether a job is done. With `wait`, waits until it is, and meanwhile runs other jobs.
fn finished(is_done: &Receiver<()>, do_one: &dyn Fn() -> bool, wait: bool, stop: &Stop) -> bool {
    loop {
        match is_done.try_recv() {
            Err(TryRecvError::Empty) if !wait => return false,
            Err(TryRecvError::Empty) if do_one() => {}
            Err(TryRecvError::Empty) => {
                while is_done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    // Asks, which sets it for the workers: some can be asked on this thread alone.
                    stop.is_set();
                }
                return true;
            }
            _ => return true,
        }
    }
}

/// Buffers of finished jobs, reused by later ones: asking the system for memory costs more than
/// filling it.
#[derive(Debug, Default)]
pub(crate) struct Spare(Mutex<Vec<Vec<u8>>>);

impl Spare {
    /// An empty buffer, with the capacity of a former one if there is one.
    pub(crate) fn take(&self) -> Vec<u8> {
        let mut buffers = lock(&self.0);
        buffers.pop().unwrap_or_default()
    }

    /// Returns a buffer; it is kept unless it is very large or enough are kept already.
    pub(crate) fn give(&self, mut buffer: Vec<u8>) {
        let mut buffers = lock(&self.0);
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
            let block = Blocks::new(&mut source, kind)
                .next_block()
                .unwrap()
                .unwrap();
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
