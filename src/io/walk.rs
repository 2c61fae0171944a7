//! Finds inputs in folders, and reads lists of paths.

use std::fs;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

use super::named::WithName;

/// Maximum length of a path in a list; a longer one means that the file is not a list.
const MAX_PATH: u64 = 1 << 16;

const ENDINGS: [&str; 18] = [
    ".pgn", ".pgn.gz", ".pgn.bz2", ".pgn.xz", ".pgn.zst", ".epd", ".epd.gz", ".epd.bz2", ".epd.xz",
    ".epd.zst", ".fen", ".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst",
];

/// The PGN and EPD files in a folder and the folders in it, compressed ones and zip files included,
/// sorted by the bytes of their names, folder by folder. Leaves out hidden files and folders, and
/// does not follow links to folders.
///
/// # Errors
/// A folder cannot be read; the message names it.
pub fn folder(root: impl AsRef<Path>) -> io::Result<Vec<PathBuf>> {
    folder_of(root, &ENDINGS)
}

/// As [`folder`], for files with these endings, ignoring case.
///
/// # Errors
/// A folder cannot be read; the message names it.
pub fn folder_of(root: impl AsRef<Path>, endings: &[&str]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![root.as_ref().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).named(folder.display())? {
            let entry = entry.named(folder.display())?;
            let name = entry.file_name();
            let name = name.as_encoded_bytes();
            if name.starts_with(b".") {
                continue;
            }
            let kind = entry.file_type().named(folder.display())?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if endings.iter().any(|ending| has_ending(name, ending))
                // A broken link is listed too: opening it reports the error.
                && fs::metadata(entry.path()).map_or(true, |metadata| metadata.is_file())
            {
                found.push(entry.path());
            }
        }
    }
    // Paths compare part by part, so the order is the same on every system.
    found.sort();
    Ok(found)
}

fn has_ending(name: &[u8], ending: &str) -> bool {
    let stem = name.len().saturating_sub(ending.len());
    stem > 0 && name[stem..].eq_ignore_ascii_case(ending.as_bytes())
}

/// Reads a list of paths: one on each line (LF or CR LF), or with `nul` each ended by a NUL. Skips
/// empty paths. Returns each path with its number in the list, from 1, empty paths counted.
///
/// # Errors
/// The list cannot be read, or holds a path that is not valid on this system.
pub fn list(mut from: impl BufRead, nul: bool) -> io::Result<Vec<(u64, PathBuf)>> {
    let end = if nul { b'\0' } else { b'\n' };
    let (mut paths, mut number) = (Vec::new(), 0);
    loop {
        let mut path = Vec::new();
        number += 1;
        if from.by_ref().take(MAX_PATH).read_until(end, &mut path)? == 0 {
            return Ok(paths);
        }
        let ended = path.pop_if(|last| *last == end);
        if ended.is_none() && path.len() as u64 == MAX_PATH {
            let what = "a path longer than 65,536 bytes: is this a list of paths?";
            let what = format!("line {number}: {what}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        path.pop_if(|last| !nul && *last == b'\r');
        if !path.is_empty() {
            paths.push((number, path_of(path)?));
        }
    }
}

/// A path of these bytes; other systems than Unix have bytes that are no path.
#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> io::Result<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Ok(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> io::Result<PathBuf> {
    let no_path = |_| io::Error::new(io::ErrorKind::InvalidData, "a path is not valid UTF-8");
    String::from_utf8(bytes).map(PathBuf::from).map_err(no_path)
}
