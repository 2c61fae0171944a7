//! Work on blocks in parallel, results in order, bytes in flight bounded.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, sync_channel};

use super::Error;

/// Source bytes that may be in work at one time, beyond the first job: room for some fifteen blocks of the usual size. Work takes up to some
/// fifty times as much memory as its source has bytes, where that is nothing but tiny elements.
const IN_FLIGHT: usize = 4 * 1024 * 1024;

/// A larger job, a block with a giant game in it, is done alone on the caller's thread: allocators keep what a thread once had, and every
/// worker would meet such a job in time.
const LARGE: usize = 384 * 1024;

/// The number of threads that an option of 0 means.
fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(64)
}

/// Takes jobs from `next` (with their cost in bytes), has `work` do them on so many threads, and gives the results to `sink` in the order of the
/// jobs. With one thread all is done on the caller's.
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
    let threads = if threads == 0 { default_threads() } else { threads };
    if threads == 1 {
        while let Some((job, _)) = next()? {
            sink(work(job))?;
        }
        return Ok(());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(io::Error::other)?;
    let work = &work;
    pool.in_place_scope(|scope| {
        let mut queue: VecDeque<(Receiver<R>, usize)> = VecDeque::new();
        let mut in_flight = 0;
        let mut drain = |queue: &mut VecDeque<(Receiver<R>, usize)>, in_flight: &mut usize| {
            let Some((receiver, cost)) = queue.pop_front() else { return Ok(()) };
            *in_flight -= cost;
            // The sender goes away without a result only if the work panicked.
            sink(receiver.recv().map_err(|_| io::Error::other("a worker stopped"))?)
        };
        while let Some((job, cost)) = next()? {
            let alone = cost > LARGE;
            while !queue.is_empty() && (alone || in_flight + cost > IN_FLIGHT || queue.len() >= 2 * threads) {
                drain(&mut queue, &mut in_flight)?;
            }
            let (sender, receiver) = sync_channel(1);
            in_flight += cost;
            queue.push_back((receiver, cost));
            if alone {
                drop(sender.send(work(job)));
            } else {
                scope.spawn(move |_| drop(sender.send(work(job))));
            }
        }
        while !queue.is_empty() {
            drain(&mut queue, &mut in_flight)?;
        }
        Ok(())
    })
}
