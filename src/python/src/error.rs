//! Errors of the library as exceptions.

use std::path::Path;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyOSError};
use pyo3::prelude::*;

create_exception!(
    pgc,
    Error,
    PyException,
    "An archive is damaged, is of a newer version, or lacks the game asked for."
);

/// The exception for an error of the library: `OSError` if the system failed, else `pgc.Error`.
pub(crate) fn exception(path: &Path, error: pgc::Error) -> PyErr {
    match error {
        pgc::Error::Io(error) if error.raw_os_error().is_some() => {
            // With the number of the error, Python raises `FileNotFoundError` and the like.
            let number = error.raw_os_error().unwrap_or_default();
            let text = error.to_string();
            PyOSError::new_err((number, text, path.display().to_string()))
        }
        pgc::Error::Io(error) => PyOSError::new_err(format!("{}: {error}", path.display())),
        error => Error::new_err(format!("{}: {error}", path.display())),
    }
}
