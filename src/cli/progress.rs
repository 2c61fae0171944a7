//! The progress bar, on a terminal only: bytes read from the input, rate, time left.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pgc_io::input::Counter;

/// A bar on stderr, hidden in a quiet run.
#[derive(Clone)]
pub(super) struct Bar {
    bar: ProgressBar,
    counter: Counter,
}

fn begin(total: Option<u64>, template: &str, quiet: bool) -> ProgressBar {
    // indicatif draws on a terminal only.
    let target = if quiet {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    };
    let bar = ProgressBar::with_draw_target(total, target);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

impl Bar {
    pub(super) fn new(total: Option<u64>, counter: &Counter, quiet: bool) -> Bar {
        let template = match total {
            Some(_) => "{wide_bar} {bytes}/{total_bytes}  {bytes_per_sec}  {eta}",
            None => "{spinner} {bytes}  {bytes_per_sec}  {elapsed}",
        };
        Bar {
            bar: begin(total, template, quiet),
            counter: counter.clone(),
        }
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

/// A bar on stderr that counts rows of a table, hidden in a quiet run.
#[cfg(feature = "parquet")]
pub(super) struct RowBar(ProgressBar);

#[cfg(feature = "parquet")]
impl RowBar {
    pub(super) fn new(total: Option<u64>, quiet: bool) -> RowBar {
        let template = match total {
            Some(_) => "{wide_bar} {human_pos}/{human_len} rows  {eta}",
            None => "{spinner} {human_pos} rows  {elapsed}",
        };
        RowBar(begin(total, template, quiet))
    }

    pub(super) fn update(&self, rows: u64) {
        self.0.set_position(rows);
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
