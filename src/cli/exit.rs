//! Exit codes.

use std::process::ExitCode;

/// How a run ended, least grave first: over several archives the gravest outcome is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Exit {
    /// Everything was done.
    Done,
    /// Nothing was found, or something was dropped, renamed or not kept apart.
    Partly,
    /// Wrong usage, or reading or writing failed.
    Failure,
    /// An archive is damaged, differs from its file, or lacks a required index.
    Damaged,
    /// The user stopped the run.
    Interrupted,
}

impl Exit {
    pub(super) fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Partly => 1,
            Exit::Failure => 2,
            Exit::Damaged => 3,
            Exit::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

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
