//! Errors of the library as exceptions.

use std::path::Path;

use pgc::ErrorKind;
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

/// The exception for an error of the library: `OSError` if the system failed, `pgc.DamagedError`
/// for damage, else `pgc.Error`.
pub(crate) fn exception(path: &Path, error: pgc::Error) -> PyErr {
    let hint = error.hint().filter(|_| error.kind() != ErrorKind::Damaged);
    let hint = hint.map_or(String::new(), |hint| format!(" ({hint})"));
    match error {
        pgc::Error::Within { file, error } => exception(&file, *error),
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
        error if error.kind() == ErrorKind::Damaged => {
            DamagedError::new_err(format!("{}: {error}", path.display()))
        }
        error => Error::new_err(format!("{}: {error}{hint}", path.display())),
    }
}
