//! Handles signals: Ctrl-C, SIGTERM and SIGHUP ask the run to stop; SIGBUS means that a mapped file
//! cannot be read; SIGXFSZ is ignored, since the write that caused it fails with an error.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{io, process, thread};

use pgc_io::{mmap, temp};
use signal_hook::consts::{SIGBUS, SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level;

use crate::failure::Exit;
use crate::interrupt;
use crate::show::output::{note, shown};

/// The time that a run has to stop by itself.
const GRACE: Duration = Duration::from_secs(2);

/// The interval at which the thread checks for a second signal.
const STEP: Duration = Duration::from_millis(50);

/// Without handlers the signals kill the process, and may leave a temporary file.
pub(super) fn install() -> io::Result<()> {
    let signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGXFSZ])?;
    // The standard library handles SIGBUS too, to detect stack overflows: its handler would run
    // before ours and end the process. It uninstalls itself at the first SIGBUS that is not a
    // stack overflow, such as the one raised here. This was tried on Linux only; elsewhere
    // SIGBUS keeps its default action.
    if cfg!(target_os = "linux") {
        low_level::raise(SIGBUS)?;
        signals.add_signal(SIGBUS)?;
    }
    thread::Builder::new()
        .spawn(move || watch(signals))
        .map(drop)
}

fn watch(mut signals: Signals) {
    let mut deadline: Option<Instant> = None;
    loop {
        let came = match deadline {
            None => signals.wait(),
            Some(_) => {
                thread::sleep(STEP);
                signals.pending()
            }
        };
        for signal in came {
            match (signal, deadline) {
                // A file reached the limit of `ulimit -f`: the write fails, and that error is
                // reported.
                (SIGXFSZ, _) => {}
                // The thread that read the map would only meet the same fault again.
                (SIGBUS, _) => end(Exit::Failure, &unreadable()),
                (_, None) => {
                    interrupt::request();
                    deadline = Some(Instant::now() + GRACE);
                }
                // The second request ends the process.
                (_, Some(_)) => end(Exit::Interrupted, message()),
            }
        }
        if deadline.is_some_and(|deadline| deadline < Instant::now()) && !interrupt::is_ending() {
            end(Exit::Interrupted, message());
        }
    }
}

fn message() -> &'static str {
    match interrupt::is_ending() {
        true => "interrupted while files were replaced: an index may not fit its archive",
        false => "interrupted",
    }
}

/// Ends the process, whatever its other threads do. Only temporary data are lost: they are
/// removed here, and all readers ignore an unfinished addition to an archive.
#[expect(clippy::exit, reason = "the main thread cannot be asked any more")]
fn end(exit: Exit, message: &str) -> ! {
    note(message);
    temp::remove_temporary();
    process::exit(exit.code().into())
}

fn unreadable() -> String {
    let (paths, is_short) = mmap::unreadable();
    let paths: Vec<String> = paths.iter().map(|path| shown(Path::new(path))).collect();
    match (paths.as_slice(), is_short) {
        ([], _) => "a bus error outside any mapped file: please report this".to_owned(),
        (paths, true) => format!("{}: was cut short while it was read", paths.join(", ")),
        (paths, false) => format!("{}: cannot be read: the disk failed", paths.join(" or ")),
    }
}
