//! Stops work that nobody wants any more: between blocks, and between the games of a block.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What says whether to stop. It is told what is done so far, or 0.
pub type Asked = fn(u64) -> bool;

/// Every so many games a thread asks: a game without comments takes microseconds, and asking some
/// tens of nanoseconds.
const GAMES: u8 = 8;

thread_local! {
    static ASKED: Cell<Option<Asked>> = const { Cell::new(None) };
    static CALLS: Cell<u8> = const { Cell::new(0) };
    static RUN: RefCell<Option<Arc<Stop>>> = const { RefCell::new(None) };
}

/// Sets the function that runs which begin on this thread ask now and then, on all their threads.
/// They end once it has returned `true`, which it must go on to do on this thread.
pub fn asked_by(asked: Option<Asked>) {
    ASKED.set(asked);
}

/// The function that [`asked_by`] has set.
pub fn asked() -> Option<Asked> {
    ASKED.get()
}

/// Whether the threads of a run should stop.
#[derive(Debug)]
pub struct Stop {
    asked: Option<Asked>,
    is_set: AtomicBool,
}

impl Stop {
    /// Of a run that begins on this thread.
    pub fn new() -> Arc<Stop> {
        let is_set = AtomicBool::new(false);
        let asked = asked();
        Arc::new(Stop { asked, is_set })
    }

    /// Stops the run.
    pub fn set(&self) {
        self.is_set.store(true, Ordering::Relaxed);
    }

    /// Whether the run stops. If so, what its threads have done last has no meaning.
    pub fn is_set(&self) -> bool {
        if self.asked.is_some_and(|asked| asked(0)) {
            self.set();
        }
        self.is_set.load(Ordering::Relaxed)
    }

    /// Does work of the run on this thread.
    pub fn within<T>(self: &Arc<Stop>, work: impl FnOnce() -> T) -> T {
        let outer = RUN.replace(Some(Arc::clone(self)));
        let done = work();
        RUN.set(outer);
        done
    }
}

/// Whether the run that this thread works for stops. Whatever reads or writes a game calls this.
#[inline]
pub(crate) fn is_set() -> bool {
    let calls = CALLS.get().wrapping_add(1);
    CALLS.set(calls);
    calls.is_multiple_of(GAMES) && is_due()
}

/// Asks. What is asked may begin a run of its own.
#[cold]
fn is_due() -> bool {
    RUN.with_borrow(Option::clone)
        .is_some_and(|run| run.is_set())
}
