//! Exit codes.

use std::process::ExitCode;

/// How a run ended. The order is the order of gravity: of several archives the gravest outcome
/// counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Exit {
    /// Everything was done.
    Done,
    /// Nothing was found, or something was dropped because the user allowed it.
    Partly,
    /// Usage, or reading and writing.
    Failure,
    /// An archive is damaged.
    Damaged,
    /// By the user.
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
