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
        return error;
    }
    let (kind, name) = (error.kind(), name.to_string());
    io::Error::new(kind, FileError { name, cause: error })
}

/// Names the file in the error of a result.
pub(super) trait WithName {
    /// As [`named`].
    fn named(self, name: impl Display) -> Self;
}

impl<T> WithName for io::Result<T> {
    fn named(self, name: impl Display) -> Self {
        self.map_err(|error| named(error, name))
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
        self.inner.write(bytes).named(&self.name)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush().named(&self.name)
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
