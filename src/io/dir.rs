//! A folder that takes files by names that nobody can be trusted to have chosen well.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::output::Output;

/// Writes one file after another into a folder, each whole or absent.
///
/// A name that would leave the folder is refused. A name that comes again in the same run, letter case aside (some file
/// systems do not tell `A.pgn` from `a.pgn`), gets a number: `games.pgn`, `games-2.pgn`, `games-3.pgn`.
#[derive(Debug)]
pub struct DirSink {
    folder: PathBuf,
    replace: bool,
    /// Names in lower case, each with the last number given to it: many of one name cost no search.
    taken: HashMap<String, u64>,
    open: Option<(PathBuf, Output)>,
    written: Vec<PathBuf>,
    protected: Vec<PathBuf>,
}

impl DirSink {
    /// Makes the folder where it is missing.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new(folder: &Path, replace: bool) -> io::Result<DirSink> {
        fs::create_dir_all(folder)?;
        Ok(DirSink {
            folder: folder.to_owned(),
            replace,
            taken: HashMap::new(),
            open: None,
            written: Vec::new(),
            protected: Vec::new(),
        })
    }

    /// Never replaces these files: a source may have the name of the archive that it comes from.
    pub fn protect(&mut self, files: &[PathBuf]) {
        self.protected.extend(files.iter().filter_map(|file| fs::canonicalize(file).ok()));
    }

    /// Begins a file.
    ///
    /// # Errors
    /// The name is refused, or the file exists and may not be replaced.
    pub fn begin(&mut self, name: &str) -> io::Result<()> {
        if let Some(reason) = refusal(name) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("source name {name:?} {reason}")));
        }
        let name = self.free(name);
        let path = self.folder.join(&name);
        if fs::canonicalize(&path).is_ok_and(|path| self.protected.contains(&path)) {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                format!("{}: is an input, and inputs are never replaced", path.display()),
            ));
        }
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let mut output = Output::create_here(path.clone(), self.replace).map_err(named)?;
        output.lock_replaced().map_err(named)?;
        self.open = Some((path, output));
        Ok(())
    }

    /// More of it.
    ///
    /// # Errors
    /// Writing fails, or no file was begun.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.open {
            Some((_, output)) => output.write_all(bytes),
            None => Err(io::Error::other("no file was begun")),
        }
    }

    /// It is whole.
    ///
    /// # Errors
    /// Writing fails, or no file was begun.
    pub fn end(&mut self) -> io::Result<()> {
        let Some((path, output)) = self.open.take() else { return Err(io::Error::other("no file was begun")) };
        output.commit().map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
        self.written.push(path);
        Ok(())
    }

    /// The files that are whole so far.
    #[must_use]
    pub fn written(&self) -> &[PathBuf] {
        &self.written
    }

    fn free(&mut self, name: &str) -> String {
        let key = name.to_lowercase();
        let Some(&last) = self.taken.get(&key) else {
            self.taken.insert(key, 1);
            return name.to_owned();
        };
        let (stem, ending) = match name.rfind('.').filter(|&at| at > 0) {
            Some(at) => name.split_at(at),
            None => (name, ""),
        };
        let mut number = last;
        let candidate = loop {
            number += 1;
            let candidate = format!("{stem}-{number}{ending}");
            if !self.taken.contains_key(&candidate.to_lowercase()) {
                break candidate;
            }
        };
        self.taken.insert(candidate.to_lowercase(), 1);
        self.taken.insert(key, number);
        candidate
    }
}

/// Why a name cannot be a file in a folder, on any system: an archive made on one is opened on another.
#[must_use]
pub fn refusal(name: &str) -> Option<&'static str> {
    let bytes = name.as_bytes();
    match bytes {
        [] => Some("is empty"),
        [b'.'] | [b'.', b'.'] => Some("is a folder"),
        _ if bytes.contains(&b'/') || bytes.contains(&b'\\') => Some("has a path separator"),
        _ if bytes.contains(&0) => Some("has a NUL"),
        [drive, b':', ..] if drive.is_ascii_alphabetic() => Some("names a drive"),
        _ if cfg!(windows) && bytes.contains(&b':') => Some("names a stream of a file"),
        _ => None,
    }
}
