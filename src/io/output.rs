//! Writes files that appear complete or not at all.
//!
//! ```
//! use std::io::Write;
//! use pgc_io::output::Output;
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("games.pgc");
//! let mut output = Output::create(&path, false)?;
//! output.write_all(b"whole")?;
//! assert!(!path.exists());
//! output.commit()?;
//! assert_eq!(std::fs::read(&path)?, b"whole");
//! # Ok::<(), std::io::Error>(())
//! ```

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::lock::{Turn, lock_to_replace};
use super::named::WithName;
use super::rights::FileRights;
use super::temp::{BUFFER, Temporary};

/// Whether data have been given to standard output.
static STDOUT_BEGUN: AtomicBool = AtomicBool::new(false);

/// Whether data have been given to standard output, so that the work cannot begin again.
pub fn is_stdout_begun() -> bool {
    STDOUT_BEGUN.load(Ordering::Relaxed)
}

/// Notes that data are given to standard output.
pub fn begin_stdout() {
    STDOUT_BEGUN.store(true, Ordering::Relaxed);
}

/// An output: a file, a device or standard output. A file that is dropped without
/// [`commit`](Output::commit) leaves nothing behind. Errors name the output.
#[derive(Debug)]
pub struct Output {
    target: OutputTarget,
    /// The name of the output in messages.
    name: String,
}

#[derive(Debug)]
enum OutputTarget {
    File(NewFile),
    /// A device or a named pipe, which is not replaced.
    Device(BufWriter<File>),
    Stdout(BufWriter<Stdout>),
}

#[derive(Debug)]
struct NewFile {
    file: Temporary,
    path: PathBuf,
    replace: bool,
    /// The rights of the file to be replaced, or of the file that this one belongs to.
    rights: Option<FileRights>,
    /// `Some` after [`Output::lock_replaced`]; the inner `Option` is the lock on the file to be
    /// replaced, which keeps others from writing to it, if there is one.
    lock: Option<Option<File>>,
}

impl Output {
    /// Creates a temporary file in the folder of the path, since a rename cannot cross file
    /// systems. It follows a link, also to a file that does not exist yet, and writes to a device or
    /// a named pipe directly. A file that replaces another one gets its permissions and its owner.
    ///
    /// # Errors
    /// The file exists and `replace` is not given, or its folder cannot be written.
    pub fn create(path: impl AsRef<Path>, replace: bool) -> io::Result<Output> {
        Output::create_from(path.as_ref(), replace, &[])
    }

    /// As [`create`](Output::create); a new file can be read by nobody who could not read all of
    /// these `inputs`, from which it is made.
    ///
    /// # Errors
    /// As [`create`](Output::create).
    pub fn create_from(path: &Path, replace: bool, inputs: &[PathBuf]) -> io::Result<Output> {
        let rights = FileRights::read(path, true).or_else(|| FileRights::within(inputs));
        Output::create_as(path, replace, rights)
    }

    /// As [`create`](Output::create), with the permissions and the owner of the file `other`, if it
    /// exists: the index of a private archive is private too.
    ///
    /// # Errors
    /// As [`create`](Output::create).
    pub fn create_beside(path: &Path, replace: bool, other: &Path) -> io::Result<Output> {
        let rights = FileRights::read(other, true).or_else(|| FileRights::read(path, true));
        Output::create_as(path, replace, rights)
    }

    fn create_as(path: &Path, replace: bool, rights: Option<FileRights>) -> io::Result<Output> {
        let target = match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
            }
            Ok(metadata) if !metadata.is_file() => {
                let file = File::options().write(true).open(path)?;
                OutputTarget::Device(BufWriter::with_capacity(BUFFER, file))
            }
            Ok(_) => OutputTarget::temporary(fs::canonicalize(path)?, replace, rights)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                OutputTarget::temporary(link_target(path), replace, rights)?
            }
            Err(error) => return Err(error),
        };
        let name = path.display().to_string();
        Ok(Output { target, name })
    }

    /// As [`create_from`](Output::create_from), for an untrusted path: no link is followed, no
    /// device opened.
    pub(super) fn create_here(path: &Path, replace: bool, inputs: &[PathBuf]) -> io::Result<Self> {
        if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir()) {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
        }
        let name = path.display().to_string();
        let rights = FileRights::read(path, false).or_else(|| FileRights::within(inputs));
        let target = OutputTarget::temporary(path.to_owned(), replace, rights)?;
        Ok(Output { target, name })
    }

    /// Locks the file that will be replaced, if there is one, so that no program adds data to it
    /// that would be lost.
    ///
    /// # Errors
    /// Another program writes to the file at this moment.
    pub fn lock_replaced(&mut self) -> io::Result<()> {
        match &mut self.target {
            OutputTarget::File(new) if new.replace => new.lock = Some(lock_to_replace(&new.path)?),
            _ => {}
        }
        Ok(())
    }

    /// Standard output.
    pub fn stdout() -> Output {
        let target = OutputTarget::Stdout(BufWriter::with_capacity(BUFFER, io::stdout()));
        let name = "standard output".to_owned();
        Output { target, name }
    }

    /// Standard output for binary data.
    ///
    /// # Errors
    /// Standard output is a terminal.
    pub fn stdout_binary() -> io::Result<Output> {
        if io::stdout().is_terminal() {
            let what = "an archive cannot be written to a terminal";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        Ok(Output::stdout())
    }

    /// Whether the output is no file, so that written bytes cannot be withdrawn.
    pub fn is_stream(&self) -> bool {
        !matches!(self.target, OutputTarget::File(_))
    }

    /// A handle to read the bytes written so far; `None` if the output is no file.
    ///
    /// # Errors
    /// Writing fails.
    pub fn reader(&mut self) -> io::Result<Option<File>> {
        let OutputTarget::File(new) = &mut self.target else {
            return Ok(None);
        };
        new.file.flush().named(&self.name)?;
        let reader = File::open(new.file.place.file.path());
        reader.map(Some).named(&self.name)
    }

    /// Lets nobody read the new file who may not read this one.
    pub fn narrow(&mut self, other: &File) {
        if let OutputTarget::File(new) = &mut self.target {
            new.rights = new.rights.or_else(|| FileRights::within_file(other));
        }
    }

    /// Flushes the bytes written so far to disk, so that [`commit`](Output::commit) has less to do.
    ///
    /// # Errors
    /// Writing fails.
    pub fn sync(&mut self) -> io::Result<()> {
        match &mut self.target {
            OutputTarget::File(new) => new.file.sync().named(&self.name),
            _ => self.flush(),
        }
    }

    /// Sets whether [`commit`](Output::commit) replaces a file at the path.
    pub fn set_replace(&mut self, yes: bool) {
        if let OutputTarget::File(new) = &mut self.target {
            new.replace = yes;
        }
    }

    /// Moves the file to its final path, durably.
    ///
    /// # Errors
    /// Writing fails, or another file has appeared at the path.
    pub fn commit(self) -> io::Result<()> {
        self.place().map(drop)
    }

    /// As [`commit`](Output::commit); no other pgc replaces the file before the result is dropped.
    ///
    /// # Errors
    /// As [`commit`](Output::commit).
    pub fn place(self) -> io::Result<Placed> {
        let file = self.target.commit(|path, is_guarded| match is_guarded {
            true => Turn::wait_beside(folder_of(path), path).map(Some),
            false => Ok(Some(Turn::wait(folder_of(path)))),
        });
        file.map(|file| Placed(file.flatten())).named(self.name)
    }

    /// As [`commit`](Output::commit), for a file that belongs to the file `other` in the same
    /// folder. Waits for a moment when no other pgc writes to `other` or replaces it, and moves the
    /// file only if `may` returns `true` then. Returns whether it moved the file.
    ///
    /// # Errors
    /// As [`commit`](Output::commit), or another pgc writes to `other` for longer than we wait.
    pub fn commit_beside(self, other: &Path, may: impl FnOnce() -> bool) -> io::Result<bool> {
        let file = self.target.commit(|path, _| {
            let turn = Turn::wait_beside(folder_of(path), other)?;
            Ok(may().then_some(turn))
        });
        file.map(|file| file.is_some()).named(self.name)
    }

    fn writer(&mut self) -> &mut dyn Write {
        match &mut self.target {
            OutputTarget::File(new) => &mut new.file,
            OutputTarget::Device(file) => file,
            OutputTarget::Stdout(stdout) => {
                begin_stdout();
                stdout
            }
        }
    }
}

/// A file at its final path. It is locked until this is dropped, so that its index can follow it
/// before another file takes its place.
#[derive(Debug)]
pub struct Placed(#[expect(dead_code, reason = "holds the lock")] Option<File>);

impl OutputTarget {
    /// A file under a temporary name.
    fn temporary(path: PathBuf, replace: bool, rights: Option<FileRights>) -> io::Result<Self> {
        // `commit` checks this again, without a race. A refusal now saves the work.
        if !replace && fs::symlink_metadata(&path).is_ok() {
            return Err(exists());
        }
        Ok(OutputTarget::File(NewFile {
            file: Temporary::new(folder_of(&path), rights)?,
            path,
            replace,
            rights,
            lock: None,
        }))
    }

    /// Moves the file to its path during the turn that `turn` returns. `turn` gets the path, and
    /// whether [`Output::lock_replaced`] was called; if it returns `None`, the file is dropped and
    /// the result is `None`. The inner `Option` of the result is the file, `None` for a stream.
    fn commit(
        self,
        turn: impl FnOnce(&Path, bool) -> io::Result<Option<Turn>>,
    ) -> io::Result<Option<Option<File>>> {
        match self {
            OutputTarget::Stdout(mut stdout) => stdout.flush().map(|()| Some(None)),
            OutputTarget::Device(mut file) => file.flush().map(|()| Some(None)),
            OutputTarget::File(mut new) => {
                new.file.sync()?;
                let (file, path) = (new.file.place, &new.path);
                let give = |rights: FileRights| rights.give(file.file.as_file(), false);
                new.rights.map_or(Ok(()), give)?;
                // The path may name another file by now than the locked one, so `turn` looks again.
                let Some(turn) = turn(path, new.lock.is_some())? else {
                    return Ok(None);
                };
                // Windows cannot replace an open file.
                let lock = (!cfg!(windows)).then_some(new.lock);
                let persisted = file.persist(path, new.replace);
                drop((turn, lock));
                match persisted {
                    Ok(file) => sync_folder(folder_of(path)).map(|()| Some(Some(file))),
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
                    Err(error) => Err(error),
                }
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.writer().write(buf).named(&self.name)
    }

    fn write_all(&mut self, buf: &[u8]) -> io::Result<()> {
        self.writer().write_all(buf).named(&self.name)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush().named(&self.name)
    }
}

fn exists() -> io::Error {
    let what = "already exists (replace it with -f)";
    io::Error::new(io::ErrorKind::AlreadyExists, what)
}

/// The folder of a file; `.` for a bare file name.
pub fn folder_of(path: &Path) -> &Path {
    let parent = path.parent().filter(|path| !path.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// Where a link to a file that does not exist leads; the path itself if it is no link.
fn link_target(path: &Path) -> PathBuf {
    let mut target = path.to_owned();
    // The system has found no more links than it allows.
    while let Ok(next) = fs::read_link(&target) {
        target = folder_of(&target).join(next);
    }
    target
}

/// Flushes the folder, so that the rename survives a power cut. It is no error if the file system
/// cannot do this, or if the folder is writable but not readable: the file is complete anyway.
fn sync_folder(folder: &Path) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    if !cfg!(unix) {
        return Ok(());
    }
    let refusals = [InvalidInput, PermissionDenied, Unsupported];
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if !refusals.contains(&error.kind()) => {
            let what = format!("is complete, but its folder could not be flushed: {error}");
            Err(io::Error::new(error.kind(), what))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_all_bytes_but_those_of_one_buffer() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("x");
        let mut output = Output::create(&path, false)?;
        let reader = output.reader()?.ok_or(io::ErrorKind::NotFound)?;
        let bytes: Vec<u8> = (0..9_000_000_u32).map(|i| (i % 251) as u8).collect();
        let (mut rest, mut flushed) = (&bytes[..], 0);
        for size in [
            1,
            70_000,
            BUFFER - 1,
            BUFFER + 5_000,
            3,
            2 * BUFFER,
            999,
            65_536,
        ]
        .into_iter()
        .cycle()
        {
            let (now, after) = rest.split_at(size.min(rest.len()));
            output.write_all(now)?;
            rest = after;
            let len = reader.metadata()?.len();
            assert!(len >= flushed && len + BUFFER as u64 >= (bytes.len() - rest.len()) as u64);
            if size == 3 {
                output.flush()?;
                flushed = reader.metadata()?.len();
                assert_eq!(flushed, (bytes.len() - rest.len()) as u64);
            }
            if rest.is_empty() {
                break;
            }
        }
        output.commit()?;
        assert!(fs::read(&path)? == bytes);
        Ok(())
    }

    #[test]
    fn what_was_not_written_is_not_committed() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("x");
        let mut output = Output::create(&path, false)?;
        let OutputTarget::File(new) = &mut output.target else {
            return Err(io::ErrorKind::NotFound.into());
        };
        // Nothing can be written through this handle.
        let file = &mut new.file.place.file;
        *file.as_file_mut() = File::open(file.path())?;
        assert!(output.write_all(&[0; BUFFER]).is_err());
        assert!(output.commit().is_err());
        assert_eq!(fs::read_dir(folder.path())?.count(), 0);
        Ok(())
    }

    #[test]
    fn what_is_written_can_be_read_before_it_has_its_name() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("x");
        let begin = || -> io::Result<Output> {
            let mut output = Output::create(&path, false)?;
            output.write_all(b"whole")?;
            Ok(output)
        };
        let (mut first, second) = (begin()?, begin()?);
        let reader = first.reader()?.ok_or(io::ErrorKind::NotFound)?;
        assert_eq!(
            (io::read_to_string(reader)?.as_str(), path.exists()),
            ("whole", false)
        );
        first.sync()?;
        first.write_all(b" and more")?;
        first.commit()?;
        assert_eq!(fs::read(&path)?, b"whole and more");
        assert!(
            matches!(second.commit(), Err(error) if error.kind() == io::ErrorKind::AlreadyExists)
        );
        assert_eq!(
            (
                fs::read_dir(folder.path())?.count(),
                Output::stdout().reader()?.is_none()
            ),
            (1, true)
        );
        Ok(())
    }
}
