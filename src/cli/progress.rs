//! The progress bar, on a terminal only: bytes read from the input (or rows written), rate, time left.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pgc_io::input::Counter;

/// A bar on stderr, hidden in a quiet run.
#[derive(Clone)]
pub(super) struct Bar {
    bar: ProgressBar,
    counter: Counter,
}

impl Bar {
    pub(super) fn new(total: Option<u64>, counter: &Counter, quiet: bool) -> Bar {
        let template = match total {
            Some(_) => "{wide_bar} {bytes}/{total_bytes}  {bytes_per_sec}  {eta}",
            None => "{spinner} {bytes}  {bytes_per_sec}  {elapsed}",
        };
        Bar::of(total, template, counter, quiet)
    }

    /// A bar for a counter of rows of a table.
    #[cfg(feature = "parquet")]
    pub(super) fn of_rows(total: Option<u64>, counter: &Counter, quiet: bool) -> Bar {
        let template = match total {
            Some(_) => "{wide_bar} {human_pos}/{human_len} rows  {eta}",
            None => "{spinner} {human_pos} rows  {elapsed}",
        };
        Bar::of(total, template, counter, quiet)
    }

    fn of(total: Option<u64>, template: &str, counter: &Counter, quiet: bool) -> Bar {
        // indicatif draws on a terminal only.
        let target = match quiet {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr(),
        };
        let bar = ProgressBar::with_draw_target(total, target);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        let counter = counter.clone();
        Bar { bar, counter }
    }

    pub(super) fn update(&self) {
        self.bar.set_position(self.counter.bytes());
    }

    /// Hides the bar while `print` prints.
    pub(super) fn aside(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
