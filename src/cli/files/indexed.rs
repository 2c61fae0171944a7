//! Opens archives with their indexes, reports an index that cannot be used, and writes new ones.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, anyhow, bail};
use pgc::beside::{index_path, recovery_path};
use pgc::{Archive, IndexState, OpenOptions, indexing::Indexing, other_files::INDEX_MAGIC};
use pgc_io::output::{Output, folder_of, is_stdout_begun};

use crate::args::options::WorkOptions;
use crate::failure::{Exit, WithName, false_index};
use crate::files::{destination, mistaken, still::Stamp};
use crate::interrupt::{self, Interruptible};
use crate::show::output::{grouped, note, shown};
use crate::show::{gaps, watch};

/// What to do about an index that cannot be used.
#[derive(Clone, Copy)]
pub(crate) struct Unusable {
    /// Fail instead of going on without the index.
    pub(crate) refuse: bool,
    /// Print no warning.
    pub(crate) quiet: bool,
}

impl Unusable {
    /// Opens an archive. If its index cannot be used, prints a warning that says how to make it, or
    /// fails.
    pub(crate) fn open(self, path: &Path, options: OpenOptions) -> anyhow::Result<Archive> {
        mistaken::refuse_other_file(path)?;
        let archive = open(path, options)?;
        if !options.no_index {
            self.tell(&archive, "going on")?;
        } else if self.refuse {
            self.tell(&open(path, IN_ORDER)?, "going on")?;
        }
        Ok(archive)
    }

    /// After the work: reports an unfinished addition, which was ignored, and an index that turned
    /// out to be damaged while it was used.
    pub(crate) fn check_late(self, archive: &Archive) -> anyhow::Result<()> {
        note_unfinished(archive);
        match archive.index_failed_late() {
            true => self.tell(archive, "went on"),
            false => Ok(()),
        }
    }

    fn tell(self, archive: &Archive, going: &str) -> anyhow::Result<()> {
        let known = found_false(archive.path()).map(IndexState::Damaged);
        let state = known.as_ref().unwrap_or(archive.index_state());
        // A stream of another program has no index.
        let state = Some(state).filter(|_| archive.is_ours());
        if let Some(what) = state.and_then(|state| complaint(archive.path(), state)) {
            let what = format!("{}: {what}", shown(archive.path()));
            if self.refuse {
                return Err(Exit::Damaged.error(what));
            }
            if !self.quiet {
                note!("{what}: {going} without it");
            }
        }
        Ok(())
    }
}

/// The archives whose indexes turned out to be false: as they were then, and why.
static FOUND_FALSE: Mutex<BTreeMap<PathBuf, (Stamp, String)>> = Mutex::new(BTreeMap::new());

/// Why the index of an archive is not used again in this run, if so.
fn found_false(archive: &Path) -> Option<String> {
    let found = FOUND_FALSE.lock().unwrap_or_else(PoisonError::into_inner);
    let (stamp, why) = found.get(archive)?;
    (*stamp == Stamp::new(archive)).then(|| why.clone())
}

/// Runs `work`, and again if it ends because the index of an archive is false: the archive is then
/// opened without its index. Not if `work` prints, and something has been printed.
pub(crate) fn again_if_false<T>(
    prints: bool,
    mut work: impl FnMut() -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    loop {
        let done = work();
        let Some((archive, why)) = done.as_ref().err().and_then(false_index) else {
            return done;
        };
        let mut found = FOUND_FALSE.lock().unwrap_or_else(PoisonError::into_inner);
        let now = (Stamp::new(archive), why.to_owned());
        let is_new = found.get(archive).is_none_or(|before| before.0 != now.0);
        if !is_new || prints && is_stdout_begun() {
            return done;
        }
        found.insert(archive.to_owned(), now);
    }
}

/// Options for opening an archive that is read in order. It is read instead of mapped, except on
/// Windows, where the lock of `pgc add` would keep a second handle from reading.
pub(crate) const IN_ORDER: OpenOptions = OpenOptions {
    no_index: false,
    read: cfg!(unix),
    passes_damage: false,
    proves: false,
};

/// Prints the gaps of an archive; returns the exit code.
pub(crate) fn tell_gaps(archive: &Archive) -> Exit {
    let gaps = archive.gaps();
    gaps::lines(&gaps).for_each(|line| note!("{}: {line}", shown(archive.path())));
    Exit::damaged_if(!gaps.is_empty())
}

/// Opens an archive with options.
pub(crate) fn open(path: &Path, options: OpenOptions) -> anyhow::Result<Archive> {
    let is_used = !options.no_index && found_false(path).is_none();
    Archive::open_with(path, options.with_index(is_used)).at(path)
}

/// Reports an unfinished addition at the end of the archive.
pub(crate) fn tell_unfinished(archive: &Archive) {
    if archive.is_ours() {
        // Damage is reported by the command that reads the archive.
        let _ = archive.len();
        note_unfinished(archive);
    }
}

/// Prints even with --quiet, since data were ignored.
fn note_unfinished(archive: &Archive) {
    if archive.unfinished() > 0 {
        let path = shown(archive.path());
        note(&watch::unfinished(&path, archive.unfinished()));
    }
}

/// Why an index cannot be used, and the command that makes a new one.
fn complaint(path: &Path, state: &IndexState) -> Option<String> {
    let place = index_path(path);
    let index = place.file_name().unwrap_or_default().to_string_lossy();
    let why = match state {
        IndexState::Damaged(_) if is_too_long(&place) => {
            let what = format!("has no index, since {index} is too long for a name");
            return Some(what);
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
pub(crate) fn may_replace(path: &Path, force: bool) -> anyhow::Result<bool> {
    let mut begin = Vec::new();
    match File::open(path) {
        Ok(file) if file.metadata().is_ok_and(|metadata| metadata.is_file()) => {
            let mut file = file.take(INDEX_MAGIC.len() as u64);
            file.read_to_end(&mut begin).at(path)?;
        }
        Ok(_) => bail!("{}: is not a file", shown(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(_) if is_too_long(path) => bail!(
            "{}: is too long for a name: an index needs one byte more than its archive, so give the archive a shorter name, or no index",
            shown(path)
        ),
        Err(error) => return Err(error).at(path),
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
pub(crate) fn create(path: &Path, force: bool, archive: &Path) -> anyhow::Result<Output> {
    let replace = may_replace(path, force)?;
    destination::clear(folder_of(path));
    destination::begin_beside(path, replace, archive)
}

/// An archive to write, and the index beside it.
pub(crate) struct NewArchive<'p> {
    pub(crate) path: &'p Path,
    /// `None` if no index is wanted.
    pub(crate) index: Option<PathBuf>,
    /// Whether the index may replace a file that is not an index.
    pub(crate) force: bool,
}

impl<'p> NewArchive<'p> {
    /// Refuses an index that cannot be written before the work, so that a refusal costs nothing.
    pub(crate) fn new(path: &'p Path, has_index: bool, force: bool) -> anyhow::Result<Self> {
        let index = has_index.then(|| index_path(path));
        if let Some(index) = &index {
            may_replace(index, force)?;
        }
        Ok(NewArchive { path, index, force })
    }

    /// Creates the archive, which must be a file.
    pub(crate) fn create(&self, inputs: &[PathBuf]) -> anyhow::Result<Output> {
        let output = destination::create(self.path, self.force, inputs)?;
        if output.is_stream() {
            bail!("{}: is not a file", shown(self.path));
        }
        Ok(output)
    }

    /// Collects the data of the index while the archive is written.
    pub(crate) fn indexing(&self, work: &WorkOptions, lines: bool) -> Option<Indexing<'static>> {
        let index = self.index.as_deref()?;
        Some(Indexing::new(work.build(index, lines)))
    }

    /// Moves a written archive to its path, then its index (P7): an archive without an index is
    /// complete, an index without its archive is useless. The index is written before the archive
    /// is moved, so that only for a moment the old index stands beside the new archive. (If the run
    /// is killed in that moment, `pgc find` warns and does not use the index.)
    ///
    /// `make` writes the index from the written archive, and returns its length. The outer error means that there is no archive, the inner
    /// error that there is no index.
    pub(crate) fn place(
        &self,
        mut archive: Output,
        make: impl FnOnce(&mut File, &mut Output) -> anyhow::Result<u64>,
    ) -> anyhow::Result<anyhow::Result<Option<u64>>> {
        let Some(index) = &self.index else {
            let _ending = interrupt::must_end()?;
            archive.commit().at(self.path)?;
            return Ok(Ok(None));
        };
        let made = || {
            let written = archive.reader()?;
            let mut written =
                written.with_context(|| format!("{}: is not a file", shown(self.path)))?;
            let mut output = create(index, self.force, self.path)?;
            output.narrow(&written);
            let bytes = make(&mut written, &mut output)?;
            output.sync().at(index)?;
            anyhow::Ok((output, bytes))
        };
        let made = made();
        // Before the last signal is ignored, since it takes the longest.
        archive.sync().at(self.path)?;
        let _ending = interrupt::must_end()?;
        let placed = archive.place().at(self.path)?;
        let indexed = made.and_then(|(mut output, bytes)| {
            // Another program may have placed an index since.
            output.set_replace(may_replace(index, self.force)?);
            output.commit().at(index)?;
            Ok(Some(bytes))
        });
        drop(placed);
        let archive = shown(self.path);
        Ok(indexed.with_context(|| {
            format!("{archive} is complete, but its index was not written (make it with `pgc index {archive}`)")
        }))
    }

    /// As [`NewArchive::place`], with the index whose data were collected.
    pub(crate) fn finish(
        &self,
        archive: Output,
        indexing: Option<Indexing<'_>>,
    ) -> anyhow::Result<anyhow::Result<Option<u64>>> {
        self.place(archive, |_, out| {
            finish(indexing.context("no index was collected")?, out)
        })
    }

    /// The index as [`summary::tell`] takes it: its path, its length and its number of games.
    ///
    /// [`summary::tell`]: crate::show::summary::tell
    pub(crate) fn told(&self, bytes: Option<u64>, games: u64) -> Option<(&Path, u64, u64)> {
        let index = self.index.as_deref()?;
        bytes.map(|bytes| (index, bytes, games))
    }

    /// Warns of files beside the archive that belong to the one that it replaced: its recovery
    /// data, and its index if no new one was written.
    pub(crate) fn tell_left(&self, quiet: bool) {
        if !quiet {
            if self.index.is_none() {
                tell_outdated(self.path);
            }
            tell_unprotected(self.path);
        }
    }
}

/// Warns that the index beside a changed archive describes the archive before the change.
pub(crate) fn tell_outdated(archive: &Path) {
    let place = index_path(archive);
    if place.exists() {
        let (place, archive) = (shown(&place), shown(archive));
        note!("{place}: no longer fits {archive}: make it again with `pgc index {archive}`");
    }
}

/// Warns that the recovery data beside a written archive belong to the archive that it replaced.
pub(crate) fn tell_unprotected(archive: &Path) {
    let place = recovery_path(archive);
    if place.exists() {
        let (place, archive) = (shown(&place), shown(archive));
        note!(
            "{place}: protects the archive as it was: make it again with `pgc protect -f {archive}`"
        );
    }
}

/// Writes the index whose data were collected while the archive was written; returns its length.
pub(crate) fn finish(indexing: Indexing<'_>, out: &mut dyn Write) -> anyhow::Result<u64> {
    let made = indexing.finish(&mut Interruptible(out));
    interrupt::cancelled()?;
    Ok(made?.total)
}

/// `games.pgci: 412,345 bytes, 41.1 a game`.
pub(crate) fn line(index: &Path, bytes: u64, games: u64) -> String {
    let (name, all, each) = (shown(index), grouped(bytes), bytes as f64 / games as f64);
    match games {
        0 => format!("{name}: {all} bytes"),
        _ => format!("{name}: {all} bytes, {each:.1} a game"),
    }
}
