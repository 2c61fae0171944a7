//! Threads: how many a run has, and pools of them. All pools are made here. pgc never uses the
//! global pool of `rayon`, which has a thread for each processor even if the user asked for fewer.

use std::io;
use std::num::NonZero;

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

/// The error of a thread that cannot be started.
pub fn not_started(error: &dyn std::fmt::Display) -> io::Error {
    io::Error::other(format!(
        "a thread could not be started ({error}): try again with fewer (-j)"
    ))
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn threads_are_capped() {
        assert_eq!([1, 2, 64, 65, 9999].map(count), [1, 2, 64, 64, 64]);
        assert!((1..=64).contains(&count(0)));
    }
}
