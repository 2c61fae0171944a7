//! Errors on stderr, as `pgc: path: message: cause`, and the exit code that belongs to each.

use std::io;
use std::path::Path;

use pgc::internals::archive::ArchiveFault;
use pgc::internals::io::is_named;

use super::exit::Exit;
use super::interrupt;
use super::output::{note, shown};

/// Prints an error, unless it is one to end quietly on, and says how to exit.
pub(super) fn report(error: &anyhow::Error) -> Exit {
    let exit = exit_of(error);
    match exit {
        // `| head` has read enough.
        Exit::Done => {}
        Exit::Interrupted => note("interrupted"),
        _ => note(&format!("{error:#}")),
    }
    exit
}

/// Whether nothing more should be printed, on either stream.
pub(super) fn is_quiet(error: &anyhow::Error) -> bool {
    matches!(exit_of(error), Exit::Done | Exit::Interrupted)
}

/// Says which file an error is about, unless the error knows that itself: where a run reads one
/// file and writes another, it may be either.
pub(super) trait Named<T> {
    /// As `with_context`.
    fn named(self, name: impl FnOnce() -> String) -> anyhow::Result<T>;
}

impl<T, E: Into<anyhow::Error>> Named<T> for Result<T, E> {
    fn named(self, name: impl FnOnce() -> String) -> anyhow::Result<T> {
        self.map_err(|error| with_name(error.into(), name))
    }
}

/// The error with this name, unless it knows its file.
pub(super) fn with_name(error: anyhow::Error, name: impl FnOnce() -> String) -> anyhow::Error {
    if knows_its_file(&error) {
        error
    } else {
        error.context(name())
    }
}

/// Says which of these archives an error is about.
pub(super) fn of_archive<'p>(
    fault: ArchiveFault,
    path: impl FnOnce(usize) -> &'p Path,
) -> anyhow::Error {
    match fault.archive {
        Some(archive) => with_name(fault.error.into(), || shown(path(archive))),
        None => fault.error.into(),
    }
}

fn knows_its_file(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| match cause.downcast_ref::<pgc::Error>() {
            // Transparent: the inner error is no link of the chain.
            Some(pgc::Error::Io(error)) => is_named(error),
            _ => cause.downcast_ref::<io::Error>().is_some_and(is_named),
        })
}

fn exit_of(error: &anyhow::Error) -> Exit {
    // An interrupted run fails in whatever it was doing.
    if interrupt::requested() {
        return Exit::Interrupted;
    }
    for cause in error.chain() {
        match cause.downcast_ref::<pgc::Error>() {
            Some(pgc::Error::Damaged { .. }) => return Exit::Damaged,
            Some(pgc::Error::NoSuchGame { .. }) => return Exit::Partly,
            Some(pgc::Error::Cancelled) => return Exit::Interrupted,
            // Transparent: the inner error is no link of the chain.
            Some(pgc::Error::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                return Exit::Done;
            }
            _ => {}
        }
        if cause.downcast_ref::<Different>().is_some()
            || cause.downcast_ref::<Unindexed>().is_some()
        {
            return Exit::Damaged;
        }
        if cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
        {
            return Exit::Done;
        }
    }
    Exit::Failure
}

/// An index is required, and there is none that can be used; or it is not what it should be.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Unindexed(pub(super) String);

/// An archive does not hold what a file does.
#[derive(Debug, thiserror::Error)]
pub(super) enum Different {
    /// They differ in a byte.
    #[error("differs from {path} at byte {offset} (of the unpacked text, from 0)")]
    At { path: String, offset: u64 },
    /// One is the beginning of the other.
    #[error("unpacks to {archive} bytes, but {path} goes on")]
    Longer { path: String, archive: u64 },
    /// The other way round.
    #[error("unpacks to more than the {file} bytes of {path}")]
    Shorter { path: String, file: u64 },
}

#[cfg(test)]
mod tests {
    use super::{Different, Exit, exit_of, io};

    #[test]
    fn exit_codes_of_errors() {
        let pipe = || io::Error::from(io::ErrorKind::BrokenPipe);
        let damaged = || pgc::Error::Damaged {
            offset: 1,
            game: 2,
            item: "marker",
            what: "unknown".into(),
        };
        assert_eq!(
            exit_of(&anyhow::Error::from(pipe()).context("x")),
            Exit::Done
        );
        assert_eq!(
            exit_of(&anyhow::Error::from(pgc::Error::from(pipe())).context("x")),
            Exit::Done
        );
        assert_eq!(
            exit_of(&anyhow::Error::from(damaged()).context("games.pgc")),
            Exit::Damaged
        );
        assert_eq!(exit_of(&pgc::Error::Cancelled.into()), Exit::Interrupted);
        assert_eq!(
            exit_of(&pgc::Error::Version { found: 9, known: 1 }.into()),
            Exit::Failure
        );
        assert_eq!(
            exit_of(
                &Different::At {
                    path: "a".into(),
                    offset: 3
                }
                .into()
            ),
            Exit::Damaged
        );
        assert_eq!(exit_of(&anyhow::anyhow!("no such thing")), Exit::Failure);
        let text = format!("{:#}", anyhow::Error::from(damaged()).context("games.pgc"));
        assert_eq!(text, "games.pgc: byte 1, game 2, marker: unknown");
    }
}
