//! Signals: Ctrl-C and its like ask the run to stop; SIGBUS says that a mapped file cannot be read;
//! SIGXFSZ comes with an error that says enough.

#[cfg(unix)]
pub(super) use unix::install;

/// Without a handler Ctrl-C just kills the process, and at worst leaves a temporary file.
#[cfg(not(unix))]
pub(super) fn install() {
    let _ = ctrlc::set_handler(super::interrupt::request);
}

#[cfg(unix)]
mod unix {
    use std::path::Path;
    use std::time::{Duration, Instant};
    use std::{io, process, thread};

    use pgc::internals::io::{mmap, output};
    use signal_hook::consts::{SIGBUS, SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level;

    use crate::cli::exit::Exit;
    use crate::cli::interrupt;
    use crate::cli::output::{note, shown};

    /// A run that was asked to stop has so long to do that by itself.
    const GRACE: Duration = Duration::from_secs(2);

    /// How often the watching thread looks whether it was asked again.
    const STEP: Duration = Duration::from_millis(50);

    /// Without handlers the signals just kill the process, and at worst leave a temporary file.
    pub(in crate::cli) fn install() {
        let _ = start();
    }

    fn start() -> io::Result<()> {
        let signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGXFSZ])?;
        // The standard library handles SIGBUS too: its handler would be called before ours and end
        // the process. It lets go of the signal when it gets one that is no overflow of the stack,
        // as this one. Where nobody tried that, SIGBUS ends the process as ever.
        if cfg!(target_os = "linux") {
            low_level::raise(SIGBUS)?;
            signals.add_signal(SIGBUS)?;
        }
        thread::Builder::new()
            .name("signals".to_owned())
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
                    // A file has become longer than the user allows (`ulimit -f`): the write that
                    // was too much fails, and that is reported.
                    (SIGXFSZ, _) => {}
                    // The thread that read the map does nothing any more but meet the same fault
                    // again.
                    (SIGBUS, _) => end(Exit::Failure, &unreadable()),
                    (_, None) => {
                        interrupt::request();
                        deadline = Some(Instant::now() + GRACE);
                    }
                    // Asked twice.
                    (_, Some(_)) => end(Exit::Interrupted, "interrupted"),
                }
            }
            if deadline.is_some_and(|deadline| deadline < Instant::now()) {
                end(Exit::Interrupted, "interrupted");
            }
        }
    }

    /// Ends the process, whatever its other threads do. What is lost by that is only what a run of
    /// any other end would remove: an addition to an archive that is not finished is ignored by all
    /// readers.
    #[expect(clippy::exit, reason = "the main thread cannot be asked any more")]
    fn end(exit: Exit, message: &str) -> ! {
        note(message);
        output::remove_temporary();
        process::exit(exit.code().into())
    }

    fn unreadable() -> String {
        let (paths, is_short) = mmap::unreadable();
        let paths: Vec<String> = paths.iter().map(|path| shown(Path::new(path))).collect();
        match (paths.as_slice(), is_short) {
            ([], _) => "a bus error: please report this".to_owned(),
            (paths, true) => format!("{}: was cut short while it was read", paths.join(", ")),
            (paths, false) => format!("{}: cannot be read: the medium failed", paths.join(" or ")),
        }
    }
}
