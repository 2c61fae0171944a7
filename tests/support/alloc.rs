//! Counts what a thread allocates, so that tests can hold the reading of hostile data to a bound.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    /// Bytes allocated on this thread less those freed on it, and the most that there ever were.
    static COUNTS: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

fn count(bytes: isize) {
    // While a thread ends, its counter is gone, and nothing is counted.
    let _ = COUNTS.try_with(|counts| {
        let (now, most) = counts.get();
        counts.set((now + bytes, most.max(now + bytes)));
    });
}

#[expect(unsafe_code, reason = "an allocator cannot be written without")]
// SAFETY: everything is passed on to the system's allocator, as it came; counting allocates
// nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: the caller keeps the promises that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-layout.size().cast_signed());
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size.cast_signed() - layout.size().cast_signed());
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs `work` and returns the most bytes that it had allocated on this thread at one time.
pub(crate) fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = COUNTS.with(|counts| {
        let (now, _) = counts.get();
        counts.set((now, now));
        now
    });
    let result = work();
    let (_, most) = COUNTS.with(Cell::get);
    (result, usize::try_from(most - before).unwrap_or(0))
}

#[test]
fn counts_what_is_allocated() {
    let (len, most) = peak(|| vec![1_u8; 1 << 20].len() + vec![2_u8; 1 << 21].len());
    assert_eq!(len, 3 << 20);
    assert!((2 << 20..4 << 20).contains(&most), "{most}");
}
