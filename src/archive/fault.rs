//! What went wrong, and with which of several archives.

use crate::run::Error;

/// An error, and the archive that it is about.
#[derive(Debug)]
pub struct ArchiveFault {
    /// The place of the archive among those that were given; `None`: it is about something else.
    pub archive: Option<usize>,
    /// What went wrong.
    pub error: Error,
}

impl ArchiveFault {
    /// To be given to `map_err`.
    pub(crate) fn of(archive: usize) -> impl Fn(Error) -> ArchiveFault {
        move |error| ArchiveFault {
            archive: Some(archive),
            error,
        }
    }
}

impl From<Error> for ArchiveFault {
    fn from(error: Error) -> ArchiveFault {
        ArchiveFault {
            archive: None,
            error,
        }
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
