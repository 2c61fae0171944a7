//! Work on blocks in parallel, results in order, bytes in flight bounded.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::io::windows_held;
use crate::run::Error;
use crate::threads;

/// Source bytes that may be in work at one time, beyond the first job: room for some eleven blocks
/// of the usual size. Work takes up to some fifty times as much memory as its source has bytes,
/// where that is nothing but tiny elements.
const IN_FLIGHT: usize = 3 * 1024 * 1024;

/// Windows of decoders that find room beside that, as long as all is to stay below 256 MiB.
const WINDOWS: usize = 64 * 1024 * 1024;

/// For so many bytes of windows beyond that, a byte less may be in work: a window of 128 MiB leaves
/// room for four blocks.
const PER_BYTE: usize = 32;

/// Most blocks are about so long, or somewhat longer.
const USUAL: usize = 256 * 1024;

/// A larger job, a block with a giant game in it, is done alone on the caller's thread: allocators
/// keep what a thread once had, and every worker would meet such a job in time.
const LARGE: usize = 384 * 1024;

/// So many jobs may wait, for a worker or for those before them, while all threads work: the
/// caller's may have to wait for the medium, and the workers are not to run out of work meanwhile.
const AHEAD: usize = 3;

/// Takes jobs from `next` (with their cost in bytes), has `work` do them on so many threads, the
/// caller's among them, and gives the results to `sink` in the order of the jobs; what `next` gave
/// before it failed is done all the same. With one thread all is done on the caller's.
pub(crate) fn ordered<J, R>(
    threads: usize,
    mut next: impl FnMut() -> Result<Option<(J, usize)>, Error>,
    work: impl Fn(J) -> R + Sync,
    mut sink: impl FnMut(R) -> Result<(), Error>,
) -> Result<(), Error>
where
    J: Send,
    R: Send,
{
    // With the first job it is known how much memory its source takes. A thread keeps what it once
    // had, so that many threads with one job in work would take as much as if all had one.
    let mut first = Some(next());
    let most = if windows_held() > WINDOWS {
        room() / USUAL
    } else {
        usize::MAX
    };
    let threads = threads::count(threads).min(most).max(1);
    let mut next = || first.take().unwrap_or_else(&mut next);
    if threads == 1 {
        while let Some((job, _)) = next()? {
            sink(work(job))?;
        }
        return Ok(());
    }
    let pool = threads::pool(threads - 1)?;
    let waiting = Waiting {
        jobs: Mutex::default(),
        work,
    };
    pool.in_place_scope(|scope| {
        let mut queue = Queue {
            jobs: VecDeque::new(),
            in_flight: 0,
        };
        let failed = loop {
            let (job, cost) = match next() {
                Ok(Some(job)) => job,
                Ok(None) => break None,
                Err(error) => break Some(error),
            };
            let alone = cost > LARGE;
            // What is done goes out at once, lest much is left to do at the end.
            while let Some(result) =
                queue.take(&waiting, alone || !queue.has_room(cost, threads))?
            {
                sink(result)?;
            }
            let (sender, receiver) = sync_channel(1);
            queue.in_flight += cost;
            queue.jobs.push_back((receiver, cost));
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

/// Source bytes that may be in work now.
fn room() -> usize {
    IN_FLIGHT - (windows_held().saturating_sub(WINDOWS) / PER_BYTE).min(IN_FLIGHT)
}

/// Jobs that nobody has begun, and what is to be done with them.
struct Waiting<J, R, W> {
    jobs: Mutex<VecDeque<(J, SyncSender<R>)>>,
    work: W,
}

impl<J, R, W: Fn(J) -> R> Waiting<J, R, W> {
    fn jobs(&self) -> MutexGuard<'_, VecDeque<(J, SyncSender<R>)>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does the first one; `false` if there is none.
    fn do_one(&self) -> bool {
        let Some((job, sender)) = self.jobs().pop_front() else {
            return false;
        };
        drop(sender.send((self.work)(job)));
        true
    }
}

/// The jobs whose results were not taken yet, with their costs, in order.
struct Queue<R> {
    jobs: VecDeque<(Receiver<R>, usize)>,
    /// Sum of these.
    in_flight: usize,
}

impl<R> Queue<R> {
    /// A job of this cost can be taken on beside the others.
    fn has_room(&self, cost: usize, threads: usize) -> bool {
        self.in_flight + cost <= room() && self.jobs.len() < threads + AHEAD
    }

    /// The result of the first job; `None` if there is none. If `wait`, that comes in any case:
    /// meanwhile jobs are done that nobody has begun.
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
        // The sender goes away without a result only if the work panicked.
        result
            .map(Some)
            .ok_or_else(|| io::Error::other("a worker stopped").into())
    }
}

/// Buffers of jobs that are done, for those to come: to ask the system for memory again and again
/// costs more than to fill it.
#[derive(Debug, Default)]
pub(crate) struct Spare(Mutex<Vec<Vec<u8>>>);

impl Spare {
    /// An empty buffer.
    pub(crate) fn take(&self) -> Vec<u8> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
            .unwrap_or_default()
    }

    /// Takes one back, unless it is very large or there are many.
    pub(crate) fn give(&self, mut buffer: Vec<u8>) {
        let mut buffers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buffers.len() < AHEAD && (1..=2 * LARGE).contains(&buffer.capacity()) {
            buffer.clear();
            buffers.push(buffer);
        }
    }
}
