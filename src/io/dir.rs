//! Writes files under untrusted names into a folder.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::named::WithName;
use super::output::Output;

/// Writes one file after another into a folder; each appears complete or not at all.
///
/// A name that would leave the folder, or that no file can have, is [changed](file_name). A name
/// that repeats in the same run, ignoring case (some file systems do not distinguish `A.pgn` from
/// `a.pgn`), gets a number: `games.pgn`, `games-2.pgn`, `games-3.pgn`.
#[derive(Debug, Default)]
pub struct DirSink {
    folder: PathBuf,
    replace: bool,
    /// Names in lower case.
    taken: TakenPaths,
    /// Those of them that are folders of files.
    folders: HashSet<String>,
    open: Option<(PathBuf, Output)>,
    written: Vec<PathBuf>,
    changed: Vec<(String, PathBuf)>,
    protected: Vec<PathBuf>,
}

impl DirSink {
    /// Creates the folder if it is missing.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn new(folder: impl AsRef<Path>, replace: bool) -> io::Result<DirSink> {
        let folder = folder.as_ref();
        if fs::metadata(folder).is_ok_and(|metadata| !metadata.is_dir()) {
            let what = "is no folder, and the files need one";
            return Err(io::Error::new(io::ErrorKind::NotADirectory, what));
        }
        fs::create_dir_all(folder)?;
        Ok(DirSink {
            folder: folder.to_owned(),
            replace,
            ..DirSink::default()
        })
    }

    /// Names the inputs: they are never replaced, since a source may have the name of its own
    /// archive, and nobody can read a file from them who could not read them.
    pub fn protect(&mut self, files: &[PathBuf]) {
        let paths = files.iter().flat_map(fs::canonicalize);
        self.protected.extend(paths);
    }

    /// Begins a file. If the name is a path, the file comes into the folders that it names.
    ///
    /// # Errors
    /// The file exists and may not be replaced, or it or its folders cannot be created; one of these
    /// is a link.
    pub fn begin(&mut self, name: &str) -> io::Result<()> {
        let mut safe = file_path(name);
        let keys = |path: &str| -> Vec<String> {
            let ends = path.match_indices('/');
            { ends.map(|(end, _)| path[..end].to_lowercase()) }.collect()
        };
        // One source can be a folder of another: then it gets a number, or the other one name.
        let is_file = |key: &String| self.taken.contains_key(key) && !self.folders.contains(key);
        if keys(&safe).iter().any(is_file) {
            safe = file_name(&safe);
        }
        for folder in keys(&safe) {
            self.taken.entry(folder.clone()).or_insert(1);
            self.folders.insert(folder);
        }
        let free = free_path(&mut self.taken, &safe, str::to_lowercase);
        let mut path = self.folder.clone();
        let mut parts = free.split('/').peekable();
        while let Some(part) = parts.next() {
            path.push(part);
            if parts.peek().is_some() {
                own_folder(&path).named(path.display())?;
            }
        }
        self.begin_at(name, &free, path)
    }

    /// Begins a file in a subfolder, which is created if it is missing. The name must be new in
    /// this run: no number is added to it.
    ///
    /// # Errors
    /// The file exists and may not be replaced, or it or its folder cannot be created.
    pub fn begin_in(&mut self, folder: &str, name: &str) -> io::Result<()> {
        let (inner, safe) = (self.folder.join(file_name(folder)), file_name(name));
        fs::create_dir_all(&inner).named(inner.display())?;
        self.begin_at(name, &safe, inner.join(&safe))
    }

    fn begin_at(&mut self, name: &str, given: &str, path: PathBuf) -> io::Result<()> {
        if given != name {
            self.changed.push((name.to_owned(), path.clone()));
        }
        if fs::canonicalize(&path).is_ok_and(|path| self.protected.contains(&path)) {
            let what = "is an input, and inputs are never replaced";
            let error = io::Error::new(io::ErrorKind::AlreadyExists, what);
            return Err(error).named(path.display());
        }
        let output = Output::create_here(&path, self.replace, &self.protected);
        let mut output = output.named(path.display())?;
        output.lock_replaced().named(path.display())?;
        self.open = Some((path, output));
        Ok(())
    }

    /// Writes to the file.
    ///
    /// # Errors
    /// Writing fails, or no file was begun.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.open {
            Some((_, output)) => output.write_all(bytes),
            None => Err(io::Error::other("no file was begun")),
        }
    }

    /// Completes the file.
    ///
    /// # Errors
    /// Writing fails, or no file was begun.
    pub fn end(&mut self) -> io::Result<()> {
        self.detach()?.1.commit()
    }

    /// Returns the file, which the caller completes, and its path.
    ///
    /// # Errors
    /// No file was begun.
    pub fn detach(&mut self) -> io::Result<(PathBuf, Output)> {
        let open = self.open.take();
        let open = open.ok_or_else(|| io::Error::other("no file was begun"))?;
        self.written.push(open.0.clone());
        Ok(open)
    }

    /// The files so far.
    pub fn written(&self) -> &[PathBuf] {
        &self.written
    }

    /// The sources whose names had to be changed, with their files.
    pub fn changed(&self) -> &[(String, PathBuf)] {
        &self.changed
    }
}

/// What is left out of the files of a zip or tar file.
#[derive(Default)]
pub(super) struct LeftOut {
    /// Number of files whose names begin with a dot.
    pub(super) hidden: usize,
    /// Names of the links.
    pub(super) links: Vec<String>,
}

/// The keys of used paths, each with the last number given to it, so that repeated names need no
/// search.
pub(super) type TakenPaths = HashMap<String, u64>;

/// Returns the path, with a number behind the name of its file if it was used before:
/// `games-2.pgn`. Paths with the same `key` count as equal.
pub(super) fn free_path(taken: &mut TakenPaths, path: &str, key: fn(&str) -> String) -> String {
    let Some(&last) = taken.get(&key(path)) else {
        taken.insert(key(path), 1);
        return path.to_owned();
    };
    let (folder, file) = path.split_at(path.rfind('/').map_or(0, |at| at + 1));
    let (stem, ending) = split_ending(file);
    let mut number = last;
    let free = loop {
        number += 1;
        let free = fitting(stem, &format!("-{number}{ending}"));
        let free = format!("{folder}{free}");
        if !taken.contains_key(&key(&free)) {
            break free;
        }
    };
    taken.insert(key(&free), 1);
    taken.insert(key(path), number);
    free
}

/// A path as the name of a source: its parts with `/` between them, without those that lead nowhere
/// or out of the folder.
pub(crate) fn relative(path: &str) -> String {
    let mut parts: Vec<&str> = path.split(['/', '\\']).collect();
    parts.retain(|part| !leads_away(part));
    parts.join("/")
}

/// Whether a part of a path leads nowhere or out of the folder.
fn leads_away(part: &str) -> bool {
    matches!(part, "" | "." | "..")
}

/// Maximum length of a name in bytes on most file systems.
const LONGEST: usize = 255;

/// A longer extension does not count as one.
const LONGEST_ENDING: usize = 16;

/// Returns a valid file name for this system: the given name if possible. Path separators and
/// control characters become `_`; a name that is too long is shortened before its extension.
pub fn file_name(name: &str) -> String {
    let forbidden = |c: char| {
        c.is_control() || matches!(c, '/' | '\\') || (cfg!(windows) && r#"<>:"|?*"#.contains(c))
    };
    let mut safe = name.replace(forbidden, "_");
    if let [drive, b':', ..] = safe.as_bytes()
        && drive.is_ascii_alphabetic()
    {
        safe.replace_range(1..2, "_");
    }
    if cfg!(windows) {
        safe.truncate(safe.trim_end_matches(['.', ' ']).len());
    }
    if leads_away(&safe) || (cfg!(windows) && is_device(&safe)) {
        safe.insert(0, '_');
    }
    let (stem, ending) = split_ending(&safe);
    fitting(stem, ending)
}

/// As [`file_name`], for a path with `/`: each part becomes a valid file name. A path that leads
/// elsewhere becomes one file name.
pub fn file_path(path: &str) -> String {
    if path.split('/').any(leads_away) {
        return file_name(path);
    }
    let parts: Vec<String> = path.split('/').map(file_name).collect();
    parts.join("/")
}

/// Creates a folder if it is missing. A link to a folder could lead anywhere.
fn own_folder(path: &Path) -> io::Result<()> {
    let is_link = |metadata: fs::Metadata| metadata.file_type().is_symlink();
    match fs::create_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        Err(_) if fs::symlink_metadata(path).is_ok_and(is_link) => Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "is a link to a folder, which is not followed",
        )),
        Err(_) if !path.is_dir() => Err(io::Error::new(
            io::ErrorKind::NotADirectory,
            "is no folder, and a source needs one there",
        )),
        _ => Ok(()),
    }
}

/// Whether a file of this name is a device on Windows.
pub fn is_device(name: &str) -> bool {
    let first = name.split('.').next().unwrap_or_default();
    let first = first.trim_end().to_ascii_uppercase();
    let number = first.strip_prefix("COM").or(first.strip_prefix("LPT"));
    let number = number.map(|rest| Vec::from_iter(rest.chars()));
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&first.as_str())
        || matches!(
            number.as_deref(),
            Some(['0'..='9' | '\u{b9}' | '\u{b2}' | '\u{b3}'])
        )
}

/// Splits a name into stem and extension with its dot.
fn split_ending(name: &str) -> (&str, &str) {
    let dot = name.rfind('.');
    let at = dot.filter(|&at| at > 0 && name.len() - at <= LONGEST_ENDING);
    name.split_at(at.unwrap_or(name.len()))
}

/// Joins stem and extension, shortening the stem if necessary.
fn fitting(stem: &str, end: &str) -> String {
    let room = LONGEST.saturating_sub(end.len());
    format!("{}{end}", &stem[..stem.floor_char_boundary(room)])
}
