//! Threads: how many a run has, and pools of them. All pools are made here. pgc never uses the
//! global pool of `rayon`, which has a thread for each processor even if the user asked for fewer.

use std::io;
use std::num::NonZero;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The most threads of a run.
const MOST: usize = 64;

/// The number of threads of a run that asked for `asked`; 0 asks for one for each processor.
pub fn count(asked: usize) -> usize {
    let threads = match asked {
        0 => std::thread::available_parallelism().map_or(1, NonZero::get),
        _ => asked,
    };
    threads.min(MOST)
}

/// Starts a pool with this number of threads.
///
/// # Errors
/// The system cannot start so many.
pub fn pool(threads: usize) -> io::Result<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| not_started(&error))
}

/// For fewer items than this, threads are not worth their start.
const FEW: usize = 4;
/// The number of results that wait for their turn.
const WAVE: usize = 64;

/// Passes the results of `work` for all items to `sink`, in order. `threads`: 0 is one for each
/// processor.
///
/// # Errors
/// Those of `work`; the system cannot start so many threads.
pub fn in_order<T: Sync, R: Send, E: Send + From<io::Error>>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> Result<R, E> + Sync,
    mut sink: impl FnMut(R),
) -> Result<(), E> {
    let threads = count(threads);
    if threads < 2 || items.len() < FEW {
        return items.iter().try_for_each(|item| work(item).map(&mut sink));
    }
    let pool = pool(threads)?;
    for items in items.chunks(WAVE) {
        let results = || items.par_iter().map(&work).collect::<Result<Vec<R>, E>>();
        pool.install(results)?.into_iter().for_each(&mut sink);
    }
    Ok(())
}

/// The error of a thread that cannot be started.
pub fn not_started(error: &dyn std::fmt::Display) -> io::Error {
    io::Error::other(format!(
        "a thread could not be started ({error}): try again with fewer (-j)"
    ))
}

#[cfg(test)]
mod tests {
    use super::{WAVE, count, in_order};

    #[test]
    fn threads_are_capped() {
        assert_eq!([1, 2, 64, 65, 9999].map(count), [1, 2, 64, 64, 64]);
        assert!((1..=64).contains(&count(0)));
    }

    #[test]
    fn results_come_in_order_whatever_the_threads() {
        for (items, threads) in [(0, 1), (3, 2), (3 * WAVE + 1, 1), (3 * WAVE + 1, 2)] {
            let items: Vec<usize> = (0..items).collect();
            let mut seen = Vec::new();
            let work = |&item: &usize| Ok::<_, std::io::Error>(2 * item);
            in_order(&items, threads, work, |twice| seen.push(twice / 2)).unwrap();
            assert_eq!(seen, items);
            let fails = |&item: &usize| match item {
                2.. => Err(std::io::Error::other("2")),
                _ => Ok(item),
            };
            let result = in_order(&items, threads, fails, |_| {});
            assert_eq!(result.is_err(), items.len() > 2);
        }
    }
}
