//! Archives with their indexes: what is said when an index cannot be used, and how one is written.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use pgc::internals::archive::Indexing;
use pgc::internals::archive::index_path;
use pgc::internals::io::Output;
use pgc::{Archive, IndexState, OpenOptions};

use super::destination;
use super::failure::{Named, Unindexed};
use super::interrupt;
use super::mistaken::{self, INDEX_MAGIC};
use super::output::{grouped, note, shown};
use super::watch;

/// What is to be done about an index that cannot be used.
#[derive(Clone, Copy)]
pub(super) struct Unusable {
    /// Refuse the archive.
    pub(super) refuse: bool,
    /// Say nothing.
    pub(super) quiet: bool,
}

impl Unusable {
    /// Opens an archive. Where its index cannot be used, says so and how to mend that, or refuses.
    pub(super) fn open(self, path: &Path, options: OpenOptions) -> anyhow::Result<Archive> {
        mistaken::refuse_other_file(path, false)?;
        let archive = Archive::open_with(path, options)
            .named(|| shown(path))?
            .cancelled_by(interrupt::requested);
        if !options.no_index {
            self.tell(path, &archive, "looking")?;
        }
        Ok(archive)
    }

    /// Says so where an unfinished addition was ignored, and where the index turned out to be
    /// damaged while it was used.
    pub(super) fn check_late(self, path: &Path, archive: &Archive) -> anyhow::Result<()> {
        note_unfinished(path, archive);
        if archive.index_failed_late() {
            self.tell(path, archive, "looked")?;
        }
        Ok(())
    }

    fn tell(self, path: &Path, archive: &Archive, looks: &str) -> anyhow::Result<()> {
        if let Some(what) = complaint(path, archive.index_state()) {
            let what = format!("{}: {what}", shown(path));
            if self.refuse {
                return Err(Unindexed(what).into());
            }
            if !self.quiet {
                note(&format!("{what}: {looks} without it"));
            }
        }
        Ok(())
    }
}

/// How an archive is opened that is gone through in order: it is read, but where locks (that of
/// `add`) keep other handles from reading.
pub(super) const IN_ORDER: OpenOptions = OpenOptions {
    no_index: false,
    pgn2pgc: false,
    read: cfg!(unix),
};

/// Opens such an archive.
pub(super) fn read(path: &Path) -> anyhow::Result<Archive> {
    Archive::open_with(path, IN_ORDER).named(|| shown(path))
}

/// Says so where an unfinished addition is ignored, which the end of the archive tells.
pub(super) fn tell_unfinished(path: &Path, archive: &Archive) {
    if archive.is_ours() {
        // What is damaged is told of by those who read it.
        let _ = archive.len();
        note_unfinished(path, archive);
    }
}

/// However quiet the run is: that data are ignored is no chatter.
fn note_unfinished(path: &Path, archive: &Archive) {
    if archive.unfinished() > 0 {
        note(&watch::unfinished(&shown(path), archive.unfinished()));
    }
}

/// Why an index is of no use, and what mends it.
fn complaint(path: &Path, state: &IndexState) -> Option<String> {
    let index = index_path(path);
    let index = index.file_name().unwrap_or_default().to_string_lossy();
    let why = match state {
        IndexState::Used => return None,
        IndexState::Missing => format!("has no index ({index})"),
        IndexState::NotMine(why) | IndexState::Damaged(why) => {
            format!("{index} cannot be used: {why}")
        }
        _ => format!("{index} cannot be used"),
    };
    Some(format!("{why} (`pgc index {}` makes it)", shown(path)))
}

/// Makes sure that an index may be written here: an older index is derived data and may go,
/// anything else only if that is wanted.
pub(super) fn may_replace(path: &Path, force: bool) -> anyhow::Result<bool> {
    let mut begin = Vec::new();
    match File::open(path) {
        Ok(file) if file.metadata().is_ok_and(|metadata| metadata.is_file()) => {
            file.take(INDEX_MAGIC.len() as u64)
                .read_to_end(&mut begin)
                .with_context(|| shown(path))?;
        }
        Ok(_) => bail!("{}: is no file", shown(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error).with_context(|| shown(path)),
    }
    if begin == INDEX_MAGIC || force {
        return Ok(true);
    }
    Err(anyhow!(
        "{}: exists already and is no index (-f replaces it)",
        shown(path)
    ))
}

/// Begins an index file.
pub(super) fn create(path: &Path, force: bool, archive: &Path) -> anyhow::Result<Output> {
    let replace = may_replace(path, force)?;
    destination::begin(path, replace, &[archive.to_owned()])
}

/// Writes the index of an archive that is in its place; gives its bytes.
pub(super) fn write(
    archive: &Path,
    place: &Path,
    force: bool,
    write: impl FnOnce(&mut Output) -> anyhow::Result<u64>,
) -> anyhow::Result<u64> {
    let written = || -> anyhow::Result<u64> {
        let mut output = create(place, force, archive)?;
        let bytes = write(&mut output)?;
        output.commit().named(|| shown(place))?;
        Ok(bytes)
    };
    written().with_context(|| without_index(archive))
}

/// What is said where the index could not be made.
pub(super) fn without_index(archive: &Path) -> String {
    let archive = shown(archive);
    format!("{archive} is whole, but has no index (`pgc index {archive}` makes it)")
}

/// Writes the index that was made while the archive was.
pub(super) fn finish(
    indexing: Indexing<'_>,
    archive: &mut File,
    threads: usize,
    out: &mut dyn Write,
) -> anyhow::Result<u64> {
    let made = indexing.finish(archive, threads, &mut Interruptible(out));
    interrupt::cancelled()?;
    Ok(made?.total)
}

/// An output that fails when the user wants no more: making an index asks nobody whether to go on,
/// but it writes.
pub(super) struct Interruptible<W>(pub(super) W);

impl<W: Write> Write for Interruptible<W> {
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
