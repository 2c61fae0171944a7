//! How a run ends: exit codes, and errors, which go to stderr as `pgc: path: message: cause`, each with
//! its exit code.

use std::error::Error;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;
use pgc::ErrorKind;
use pgc_io::is_named;

use crate::interrupt;
use crate::show::output::{note, shown};

/// How a run ended, with its exit code, least grave first: over several archives the gravest
/// outcome is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Exit {
    /// Everything was done.
    Done = 0,
    /// Nothing was found, or something was dropped, renamed or not kept apart.
    Partly = 1,
    /// Wrong usage, or reading or writing failed.
    Failure = 2,
    /// An archive is damaged, differs from its file, or lacks a required index.
    Damaged = 3,
    /// The user stopped the run.
    Interrupted = 130,
}

impl Exit {
    pub(super) fn partly_if(is_so: bool) -> Exit {
        if is_so { Exit::Partly } else { Exit::Done }
    }

    pub(super) fn damaged_if(is_so: bool) -> Exit {
        if is_so { Exit::Damaged } else { Exit::Done }
    }

    /// An error that ends a run with this exit code.
    pub(super) fn error(self, what: impl Into<String>) -> anyhow::Error {
        let (exit, what) = (self, what.into());
        OwnError { exit, what }.into()
    }

    pub(super) fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// Prints an error and returns its exit code. A broken pipe ends the run without a message.
pub(super) fn report(error: &anyhow::Error) -> Exit {
    let exit = exit_of(error);
    match exit {
        // The reader of our output has closed it, as `| head` does.
        Exit::Done => {}
        Exit::Interrupted => note("interrupted"),
        _ => {
            note(&format!("{error:#}"));
            let hint = error.chain().find_map(|cause| library(cause)?.hint());
            hint.iter().for_each(|hint| note(hint));
        }
    }
    exit
}

fn library<'e>(cause: &'e (dyn Error + 'static)) -> Option<&'e pgc::Error> {
    cause.downcast_ref()
}

/// The false index that is the cause of an error, if one is: its archive, and what is false.
pub(super) fn false_index(error: &anyhow::Error) -> Option<(&Path, &str)> {
    error.chain().find_map(|cause| match library(cause) {
        Some(pgc::Error::FalseIndex { archive, why, .. }) => Some((archive.as_path(), &**why)),
        _ => None,
    })
}

/// Whether the run should end without another message: the output pipe is closed, or the user
/// interrupted.
pub(super) fn is_quiet(error: &anyhow::Error) -> bool {
    matches!(exit_of(error), Exit::Done | Exit::Interrupted)
}

/// Adds the name of a file to an error that does not name one yet. Where a call reads one file and
/// writes another, its caller cannot tell which of the two failed.
pub(super) trait WithName<T>: Sized {
    /// Like `with_context`, but leaves an error alone that already names its file.
    fn named(self, name: impl FnOnce() -> String) -> anyhow::Result<T>;

    /// As [`WithName::named`], for the file at a path.
    fn at(self, path: &Path) -> anyhow::Result<T> {
        self.named(|| shown(path))
    }
}

impl<T, E: Into<anyhow::Error>> WithName<T> for Result<T, E> {
    fn named(self, name: impl FnOnce() -> String) -> anyhow::Result<T> {
        self.map_err(|error| {
            let error = error.into();
            match error.chain().any(names_file) {
                true => error,
                false => error.context(name()),
            }
        })
    }
}

/// Whether a cause of an error names its file.
fn names_file(cause: &(dyn Error + 'static)) -> bool {
    match library(cause) {
        // This variant is transparent, so the chain does not list the inner error.
        Some(pgc::Error::Io(error)) => is_named(error),
        Some(error) => error.place().file.is_some(),
        None => cause.downcast_ref().is_some_and(is_named),
    }
}

/// The exit code of an error.
pub(super) fn exit_of(error: &anyhow::Error) -> Exit {
    // After an interrupt any call may fail; the interrupt is the cause.
    if interrupt::requested() {
        return Exit::Interrupted;
    }
    for cause in error.chain() {
        if let Some(own) = cause.downcast_ref::<OwnError>() {
            return own.exit;
        }
        let io = || Some(ErrorKind::Io(cause.downcast_ref::<io::Error>()?.kind()));
        match library(cause).map(pgc::Error::kind).or_else(io) {
            Some(ErrorKind::Damaged) => return Exit::Damaged,
            Some(ErrorKind::Missing) => return Exit::Partly,
            Some(ErrorKind::Cancelled) => return Exit::Interrupted,
            Some(ErrorKind::Io(io::ErrorKind::BrokenPipe)) => return Exit::Done,
            _ => {}
        }
    }
    Exit::Failure
}

/// An error that the program finds itself, with its exit code.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
struct OwnError {
    exit: Exit,
    what: String,
}

/// An output was not written, since games for it are missing because of damage.
pub(super) const INCOMPLETE: &str =
    "nothing was written, since games are missing (--partial writes what is whole)";

/// Refuses to write an output if the search failed or met damage, unless the user asked for a part.
pub(super) fn may_write(searched: Exit, partial: bool) -> anyhow::Result<()> {
    match searched {
        Exit::Failure if !partial => bail!(
            "nothing was written, since an archive could not be read (--partial writes the games of the others)"
        ),
        Exit::Damaged if !partial => Err(Exit::Damaged.error(INCOMPLETE)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Exit, exit_of, io};

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
            exit_of(&Exit::Damaged.error("differs from a at byte 3")),
            Exit::Damaged
        );
        assert_eq!(exit_of(&anyhow::anyhow!("no such thing")), Exit::Failure);
        let text = format!("{:#}", anyhow::Error::from(damaged()).context("games.pgc"));
        assert_eq!(text, "games.pgc: byte 1, game 2, marker: unknown");
    }

    #[test]
    fn codes_and_gravity() {
        let all = [
            Exit::Done,
            Exit::Partly,
            Exit::Failure,
            Exit::Damaged,
            Exit::Interrupted,
        ];
        assert_eq!(all.map(Exit::code), [0, 1, 2, 3, 130]);
        assert!(all.is_sorted());
    }
}
