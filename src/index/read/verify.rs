//! Verifies the checksums of all pages of an index. Whether its statements are true only the
//! archive can tell: `pgc test` makes the index again and compares.

use rayon::prelude::*;

use super::reader::Index;
use crate::format::layout::{IndexError, PAGE};
use pgc_io::threads;

/// Fewer pages than this are checked by one thread.
const FEW: u64 = 64;

impl<D: AsRef<[u8]> + Sync> Index<D> {
    /// Checks the checksums of all pages, with a number of threads; 0 is one for each processor.
    ///
    /// # Errors
    /// The index is damaged, or a thread cannot be started.
    pub fn verify(&self, threads: usize) -> Result<(), IndexError> {
        let view = self.view();
        let check = |page: u64| view.check(page * PAGE, page * PAGE + 1);
        let pages = view.frame.pages();
        // A few pages are checked faster than a thread starts.
        let threads = if pages < FEW {
            1
        } else {
            threads::count(threads)
        };
        match threads {
            1 => (0..pages).try_for_each(check),
            threads => {
                threads::pool(threads)?.install(|| (0..pages).into_par_iter().try_for_each(check))
            }
        }
    }
}
