//! Unnamed temporary files. Their errors name the folder, since its disk may be full.

use std::fs::File;
use std::io::{self, IoSlice, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::named::named;

/// A temporary file without a name, so that nobody else can open it. It disappears when it is
/// dropped, or when the process ends.
#[derive(Debug)]
pub struct TempFile {
    file: File,
    folder: PathBuf,
}

impl TempFile {
    /// Creates one in this folder.
    ///
    /// # Errors
    /// It cannot be created there.
    pub fn new_in(folder: impl AsRef<Path>) -> io::Result<TempFile> {
        let folder = folder.as_ref();
        // The error comes from `named_and_removed`: that of `tempfile_in` names a random path.
        let file = tempfile::tempfile_in(folder)
            .or_else(|_| named_and_removed(folder))
            .map_err(|error| of_folder(error, folder))?;
        Ok(TempFile {
            file,
            folder: folder.to_owned(),
        })
    }

    /// The file itself, to be mapped.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns the file; its errors no longer name the folder.
    pub fn into_file(self) -> File {
        self.file
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn named<T>(&self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|error| of_folder(error, &self.folder))
    }
}

/// As `tempfile_in`, for file systems that refuse it: a file with a name, which is removed at once.
fn named_and_removed(folder: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    let builder = tempfile::Builder::new();
    let file = builder.make_in(folder, |path| options.open(path))?;
    Ok(file.into_file())
}

/// Names the folder in an error of a temporary file.
#[must_use]
pub(crate) fn of_folder(error: io::Error, folder: impl AsRef<Path>) -> io::Error {
    let folder = folder.as_ref();
    match error.kind() {
        io::ErrorKind::Interrupted => error,
        _ => named(
            error,
            format_args!("{}: a temporary file", folder.display()),
        ),
    }
}

impl Read for &TempFile {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.named((&self.file).read(buf))
    }
}

impl Write for &TempFile {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.named((&self.file).write(buf))
    }

    fn write_vectored(&mut self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        self.named((&self.file).write_vectored(bufs))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.named((&self.file).flush())
    }
}

impl Seek for &TempFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.named((&self.file).seek(to))
    }
}

impl Read for TempFile {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        (&*self).read(buf)
    }
}

impl Write for TempFile {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        (&*self).write(buf)
    }

    fn write_vectored(&mut self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        (&*self).write_vectored(bufs)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self).flush()
    }
}

impl Seek for TempFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        (&*self).seek(to)
    }
}
