//! An error of a function that works on several archives.

use crate::run::Error;

/// An error, and the archive that it is about.
#[derive(Debug)]
pub struct ArchiveFault {
    /// The position of the archive among the arguments; `None` if the error is about something
    /// else.
    pub archive: Option<usize>,
    /// What went wrong.
    pub error: Error,
}

impl ArchiveFault {
    /// Returns a function for `map_err` that adds the archive.
    pub fn of(archive: usize) -> impl Fn(Error) -> ArchiveFault {
        let archive = Some(archive);
        move |error| ArchiveFault { archive, error }
    }
}

impl From<Error> for ArchiveFault {
    fn from(error: Error) -> ArchiveFault {
        let archive = None;
        ArchiveFault { archive, error }
    }
}

impl From<std::io::Error> for ArchiveFault {
    fn from(error: std::io::Error) -> ArchiveFault {
        Error::from(error).into()
    }
}

impl From<ArchiveFault> for Error {
    fn from(fault: ArchiveFault) -> Error {
        fault.error
    }
}
