//! Regular files, which can be read at any offset, and maps of them.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use pgc_io::Format;
use pgc_io::mmap::Map;
use pgc_io::temp::TempFile;

/// Opens a regular file, which can be read at any offset.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let other = || {
        let what = "is not a regular file: games can be fetched only from one";
        io::Error::new(io::ErrorKind::InvalidInput, what)
    };
    // Asked first, since opening a pipe waits for a program that writes to it.
    if !fs::metadata(path)?.is_file() {
        return Err(other());
    }
    let file = File::open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(other()),
    }
}

/// Maps an open file.
#[expect(unsafe_code, reason = "a caller of `Map::open`")]
pub(crate) fn map_file(file: &File, path: &Path) -> io::Result<Map> {
    // SAFETY: nobody can keep other programs from writing to the file or cutting it short. This one
    // does neither: archives and indexes are replaced by rename, and `add` writes only behind the
    // bytes that are looked at here. If somebody else cuts the file short, or the medium fails,
    // reading raises SIGBUS and the process ends (the program says first which file it was); if
    // somebody changes bytes, a checksum shows it, or at worst answers are wrong while the writing
    // goes on.
    unsafe { Map::open(file, path) }
}

/// Maps a temporary file that has no name.
///
/// # Errors
/// The system refuses.
#[expect(unsafe_code, reason = "a caller of `Map::open`")]
pub fn map_temporary(file: &TempFile) -> io::Result<Map> {
    // SAFETY: nobody else can open a file without a name, and the caller writes no more to it.
    unsafe { Map::open(&file.file, &file.folder) }
}

/// The compression of a file that begins with these bytes; `None` if it is not compressed.
pub(crate) fn compressed(bytes: &[u8]) -> Option<Format> {
    let format = Format::detect(&bytes[..bytes.len().min(Format::HEAD)]);
    (format != Format::Plain).then_some(format)
}
