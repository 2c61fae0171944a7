//! Errors of the library as exceptions.

use std::path::Path;

use pgc::fault::ArchiveFault;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyFileExistsError, PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;

create_exception!(
    pgc,
    Error,
    PyException,
    "An archive is damaged, is of a newer version, or lacks the game asked for."
);

create_exception!(
    pgc,
    DamagedError,
    Error,
    "Part of an archive is damaged; the message names the byte and what is missing."
);

/// The exception for an error with one of these archives, or else with temporary files.
pub(crate) fn fault_exception(archives: &[&pgc::Archive], fault: ArchiveFault) -> PyErr {
    match fault.archive {
        Some(archive) => exception(archives[archive].path(), fault.error),
        None => exception(&std::env::temp_dir(), fault.error),
    }
}

/// The exception for an error of the library: `OSError` if the system failed, `pgc.DamagedError`
/// for damage, else `pgc.Error`.
pub(crate) fn exception(path: &Path, error: pgc::Error) -> PyErr {
    match error {
        pgc::Error::Io(error) if error.raw_os_error().is_some() => {
            // With the number of the error, Python raises `FileNotFoundError` and the like.
            let number = error.raw_os_error().unwrap_or_default();
            let text = error.to_string();
            PyOSError::new_err((number, text, path.display().to_string()))
        }
        pgc::Error::Io(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            // EEXIST, so that Python shows the path as it does for its own errors.
            let path = path.display().to_string();
            PyFileExistsError::new_err((17, "already exists (replace it with force=True)", path))
        }
        pgc::Error::Io(error) => PyOSError::new_err(format!("{}: {error}", path.display())),
        pgc::Error::Cancelled => PyKeyboardInterrupt::new_err(()),
        pgc::Error::Damaged { .. } => DamagedError::new_err(format!("{}: {error}", path.display())),
        error => Error::new_err(format!("{}: {error}", path.display())),
    }
}
