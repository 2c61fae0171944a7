//! Opens archives with their indexes, reports an index that cannot be used, and writes new ones.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use pgc::beside::{index_path, recovery_path};
use pgc::indexing::Indexing;
use pgc::other_files::INDEX_MAGIC;
use pgc::{Archive, IndexState, OpenOptions};
use pgc_io::output::Output;

use super::destination;
use super::exit::Exit;
use super::failure::{Unindexed, WithName};
use super::gaps;
use super::interrupt;
use super::mistaken;
use super::options::folder_of;
use super::output::{grouped, note, shown};
use super::watch;

/// What to do about an index that cannot be used.
#[derive(Clone, Copy)]
pub(super) struct Unusable {
    /// Fail instead of going on without the index.
    pub(super) refuse: bool,
    /// Print no warning.
    pub(super) quiet: bool,
}

impl Unusable {
    /// Opens an archive. If its index cannot be used, prints a warning that says how to make it, or
    /// fails.
    pub(super) fn open(self, path: &Path, options: OpenOptions) -> anyhow::Result<Archive> {
        mistaken::refuse_other_file(path)?;
        let archive = Archive::open_with(path, options)
            .named(|| shown(path))?
            .cancelled_by(|_| interrupt::requested());
        if !options.no_index {
            self.tell(path, &archive, "going on")?;
        } else if self.refuse {
            self.tell(path, &open(path, IN_ORDER)?, "going on")?;
        }
        Ok(archive)
    }

    /// After the work: reports an unfinished addition, which was ignored, and an index that turned
    /// out to be damaged while it was used.
    pub(super) fn check_late(self, path: &Path, archive: &Archive) -> anyhow::Result<()> {
        note_unfinished(path, archive);
        if archive.index_failed_late() {
            self.tell(path, archive, "went on")?;
        }
        Ok(())
    }

    fn tell(self, path: &Path, archive: &Archive, going: &str) -> anyhow::Result<()> {
        if let Some(what) = complaint(path, archive.index_state()) {
            let what = format!("{}: {what}", shown(path));
            if self.refuse {
                return Err(Unindexed(what).into());
            }
            if !self.quiet {
                note(&format!("{what}: {going} without it"));
            }
        }
        Ok(())
    }
}

/// Options for opening an archive that is read in order. It is read instead of mapped, except on
/// Windows, where the lock of `pgc add` would keep a second handle from reading.
pub(super) const IN_ORDER: OpenOptions = OpenOptions {
    no_index: false,
    read: cfg!(unix),
    passes_damage: false,
    proves: false,
};

/// Prints the gaps of an archive; returns the exit code.
pub(super) fn tell_gaps(path: &Path, archive: &Archive) -> Exit {
    let gaps = archive.gaps();
    for (before, gap) in gaps.iter().enumerate() {
        let Some(line) = gaps::told(gap, before) else {
            break;
        };
        note(&format!("{}: {line}", shown(path)));
    }
    match gaps.is_empty() {
        true => Exit::Done,
        false => Exit::Damaged,
    }
}

/// Opens an archive that is read in order.
pub(super) fn read(path: &Path) -> anyhow::Result<Archive> {
    open(path, IN_ORDER)
}

/// Opens an archive with options.
pub(super) fn open(path: &Path, options: OpenOptions) -> anyhow::Result<Archive> {
    Archive::open_with(path, options).named(|| shown(path))
}

/// Reports an unfinished addition at the end of the archive.
pub(super) fn tell_unfinished(path: &Path, archive: &Archive) {
    if archive.is_ours() {
        // Damage is reported by the command that reads the archive.
        let _ = archive.len();
        note_unfinished(path, archive);
    }
}

/// Prints even with --quiet, since data were ignored.
fn note_unfinished(path: &Path, archive: &Archive) {
    if archive.unfinished() > 0 {
        note(&watch::unfinished(&shown(path), archive.unfinished()));
    }
}

/// Why an index cannot be used, and the command that makes a new one.
fn complaint(path: &Path, state: &IndexState) -> Option<String> {
    let place = index_path(path);
    let index = place.file_name().unwrap_or_default().to_string_lossy();
    let why = match state {
        IndexState::Damaged(_) if is_too_long(&place) => {
            return Some(format!(
                "has no index, since {index} is too long for a name"
            ));
        }
        IndexState::Used => return None,
        IndexState::Missing => format!("has no index ({index})"),
        IndexState::NotMine(why) | IndexState::Damaged(why) => {
            format!("{index} cannot be used: {why}")
        }
        _ => format!("{index} cannot be used"),
    };
    Some(format!("{why} (make it with `pgc index {}`)", shown(path)))
}

/// Checks that an index may be written at `path`; returns whether a file is replaced. An older
/// index may be replaced, since it can be made again; any other file only with `force`.
pub(super) fn may_replace(path: &Path, force: bool) -> anyhow::Result<bool> {
    let mut begin = Vec::new();
    match File::open(path) {
        Ok(file) if file.metadata().is_ok_and(|metadata| metadata.is_file()) => {
            file.take(INDEX_MAGIC.len() as u64)
                .read_to_end(&mut begin)
                .with_context(|| shown(path))?;
        }
        Ok(_) => bail!("{}: is not a file", shown(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(_) if is_too_long(path) => bail!(
            "{}: is too long for a name: an index needs one byte more than its archive, so give the archive a shorter name, or no index",
            shown(path)
        ),
        Err(error) => return Err(error).with_context(|| shown(path)),
    }
    if begin == INDEX_MAGIC || force {
        return Ok(true);
    }
    Err(anyhow!(
        "{}: already exists and is not an index (remove it, or replace it with pgc index -f)",
        shown(path)
    ))
}

/// Whether the name of a file is longer than its file system allows.
fn is_too_long(path: &Path) -> bool {
    path.symlink_metadata()
        .is_err_and(|error| error.kind() == io::ErrorKind::InvalidFilename)
}

/// Creates an index file.
pub(super) fn create(path: &Path, force: bool, archive: &Path) -> anyhow::Result<Output> {
    let replace = may_replace(path, force)?;
    destination::clear(folder_of(path));
    destination::begin_beside(path, replace, archive)
}

/// Where an archive and its index go.
pub(super) struct Pair<'p> {
    pub(super) archive: &'p Path,
    pub(super) index: &'p Path,
    /// Whether the index may replace a file that is not an index.
    pub(super) force: bool,
}

impl Pair<'_> {
    /// Moves a written archive to its path, then its index (P7): an archive without an index is
    /// complete, an index without its archive is useless. The index is written before the archive
    /// is moved, so that only for a moment the old index stands beside the new archive. (If the run
    /// is killed in that moment, `pgc find` warns and does not use the index.)
    ///
    /// `make` writes the index from the written archive, while a thread flushes the archive to
    /// disk, and returns its length. The outer error means that there is no archive, the inner
    /// error that there is no index.
    pub(super) fn place(
        &self,
        mut archive: Output,
        make: impl FnOnce(&mut File, &mut Output) -> anyhow::Result<u64>,
    ) -> anyhow::Result<anyhow::Result<u64>> {
        let written = archive.reader();
        let flushing = archive.sync_aside();
        let made = written
            .map_err(anyhow::Error::from)
            .and_then(|written| self.made(written, make));
        let archive = flushing.wait().named(|| shown(self.archive))?;
        let _ending = interrupt::must_end()?;
        let placed = archive.place().named(|| shown(self.archive))?;
        let indexed = made.and_then(|(mut output, bytes)| {
            // Another program may have placed an index since.
            output.set_replace(may_replace(self.index, self.force)?);
            output.commit().named(|| shown(self.index))?;
            Ok(bytes)
        });
        drop(placed);
        Ok(indexed.with_context(|| without_index(self.archive)))
    }

    fn made(
        &self,
        written: Option<File>,
        make: impl FnOnce(&mut File, &mut Output) -> anyhow::Result<u64>,
    ) -> anyhow::Result<(Output, u64)> {
        let mut written =
            written.with_context(|| format!("{}: is not a file", shown(self.archive)))?;
        let mut output = create(self.index, self.force, self.archive)?;
        output.narrow(&written);
        let bytes = make(&mut written, &mut output)?;
        output.sync().named(|| shown(self.index))?;
        Ok((output, bytes))
    }
}

/// Warns that the index beside a changed archive describes the archive before the change.
pub(super) fn tell_outdated(archive: &Path) {
    let place = index_path(archive);
    if place.exists() {
        note(&format!(
            "{}: no longer fits {}: make it again with `pgc index {1}`",
            shown(&place),
            shown(archive)
        ));
    }
}

/// Warns of files beside a written archive that belong to the one that it replaced: its recovery
/// data, and its index if no new one was written.
pub(super) fn tell_left(archive: &Path, has_index: bool) {
    if !has_index {
        tell_outdated(archive);
    }
    tell_unprotected(archive);
}

/// Warns that the recovery data beside a written archive belong to the archive that it replaced.
pub(super) fn tell_unprotected(archive: &Path) {
    let place = recovery_path(archive);
    if place.exists() {
        note(&format!(
            "{}: is of the archive as it was: make it again with `pgc protect -f {}`",
            shown(&place),
            shown(archive)
        ));
    }
}

/// The message when an archive was written, but its index was not.
fn without_index(archive: &Path) -> String {
    let archive = shown(archive);
    format!(
        "{archive} is complete, but its index was not written (make it with `pgc index {archive}`)"
    )
}

/// Writes the index whose data were collected while the archive was written; returns its length.
pub(super) fn finish(indexing: Indexing<'_>, out: &mut dyn Write) -> anyhow::Result<u64> {
    let made = indexing.finish(&mut InterruptibleWriter(out));
    interrupt::cancelled()?;
    Ok(made?.total)
}

/// A writer that fails once the user interrupts. The code that makes an index never calls
/// [`pgc::Hooks::cancelled`], but it writes.
pub(super) struct InterruptibleWriter<W>(pub(super) W);

impl<W: Write> Write for InterruptibleWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        interrupt::check()?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// `games.pgci: 412,345 bytes, 41.1 a game`.
pub(super) fn line(index: &Path, bytes: u64, games: u64) -> String {
    let name = shown(index);
    let each = if games == 0 {
        String::new()
    } else {
        format!(", {:.1} a game", bytes as f64 / games as f64)
    };
    format!("{name}: {} bytes{each}", grouped(bytes))
}
