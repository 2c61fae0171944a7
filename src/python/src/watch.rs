//! Long calls: they look for signals (Ctrl-C), and tell a function of Python how far they are.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pgc::{Hooks, stop};
use pgc_io::input::Counter;
use pyo3::prelude::*;

/// Signals are looked for at most so often.
pub(crate) const PATIENCE: Duration = Duration::from_millis(30);

thread_local! {
    static CALL: RefCell<Call> = const { RefCell::new(Call::None) };
    static PROGRESS: RefCell<Option<Py<PyAny>>> = const { RefCell::new(None) };
}

/// What the library does on this thread.
enum Call {
    None,
    /// Work for a caller in Python, who waits; when signals were last looked for, what is done, and
    /// what the signals raised.
    Of(Option<Instant>, u64, Option<PyErr>),
    /// Work ahead for a reader, who may have left.
    Ahead(Arc<AtomicBool>),
}

/// Sets the function that long calls of this thread tell how far they are; returns the one before.
#[pyfunction]
pub(crate) fn set_progress(function: Option<Py<PyAny>>) -> Option<Py<PyAny>> {
    PROGRESS.replace(function)
}

/// The library asks this now and then, with what is done so far, or 0: whether to stop.
fn asked(done: u64) -> bool {
    let due = CALL.with_borrow_mut(|call| match call {
        Call::None => Err(false),
        Call::Ahead(left) => Err(left.load(Ordering::Relaxed)),
        Call::Of(_, _, Some(_)) => Err(true),
        Call::Of(last, known, _) => {
            *known = if done == 0 { *known } else { done };
            let is_due = last.is_none_or(|last| last.elapsed() >= PATIENCE);
            *last = is_due.then(Instant::now).or(*last);
            is_due.then_some(*known).ok_or(false)
        }
    });
    let done = match due {
        Ok(done) => done,
        Err(stop) => return stop,
    };
    // Handlers of signals and the function may call pgc themselves.
    let (outer, function) = (CALL.replace(Call::None), PROGRESS.take());
    let tell = |py: Python<'_>| {
        py.check_signals()?;
        let function = function.as_ref();
        let called = function.map(|function| function.call1(py, (done,)));
        called.transpose().map(drop)
    };
    let raised = Python::attach(tell).err();
    PROGRESS.set(function);
    let stop = raised.is_some();
    CALL.set(match outer {
        Call::Of(last, known, _) => Call::Of(last, known, raised),
        other => other,
    });
    stop
}

/// Does work while other threads of Python go on. Fails with what a signal or the function for
/// progress raised meanwhile.
pub(crate) fn watched<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    stop::asked_by(Some(asked));
    let outer = CALL.replace(Call::Of(None, 0, None));
    let done = py.detach(work);
    match CALL.replace(outer) {
        Call::Of(_, _, Some(raised)) => Err(raised),
        _ => Ok(done),
    }
}

/// Does work until `left` is set.
pub(crate) fn ahead(left: Arc<AtomicBool>, work: impl FnOnce()) {
    stop::asked_by(Some(asked));
    CALL.set(Call::Ahead(left));
    work();
}

/// Tells how many bytes are done.
#[derive(Default)]
pub(crate) struct Watch<'a> {
    /// Counts what was read of compressed inputs, if there may be such.
    pub(crate) read: Option<&'a Counter>,
    pub(crate) done: u64,
}

impl Hooks for Watch<'_> {
    fn progress(&mut self, bytes: u64) {
        self.done += bytes;
        // What it answers is asked again before the next block.
        asked(self.read.map_or(self.done, Counter::bytes));
    }
}
