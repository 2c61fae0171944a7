//! Errors that name their file: a run reads some files and writes others.

use std::fmt::Display;
use std::io::{self, Write};

/// An I/O error and the name of its file, always wrapped in an [`io::Error`] of the same kind.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {cause}")]
pub(crate) struct FileError {
    name: String,
    /// Part of the message, so it is not a separate source.
    cause: io::Error,
}

/// Adds the name of the file, unless the error has one already.
pub fn named(error: io::Error, name: impl Display) -> io::Error {
    if is_named(&error) {
        error
    } else {
        io::Error::new(
            error.kind(),
            FileError {
                name: name.to_string(),
                cause: error,
            },
        )
    }
}

/// Whether the error names its file.
pub fn is_named(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<FileError>())
}

/// A copy of an error, since an [`io::Error`] cannot be cloned.
pub(super) fn again(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

/// A writer whose errors name its file.
#[derive(Debug)]
pub struct NamedWriter<W> {
    inner: W,
    name: String,
}

impl<W: Write> NamedWriter<W> {
    /// Writes to `inner`, which messages call `name`.
    pub fn new(inner: W, name: String) -> NamedWriter<W> {
        NamedWriter { inner, name }
    }
}

impl<W: Write> Write for NamedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner
            .write(bytes)
            .map_err(|error| named(error, &self.name))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush().map_err(|error| named(error, &self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_name_stays_and_so_does_the_kind() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let text = full.to_string();
        let error = named(named(full, "games.pgc"), "games.pgn");
        assert_eq!(
            (error.kind(), error.to_string()),
            (io::ErrorKind::StorageFull, format!("games.pgc: {text}"))
        );
    }
}
