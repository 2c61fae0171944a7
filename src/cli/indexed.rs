//! Archives with their indexes: what is said when an index cannot be used, and how one is written.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use pgc::archive::open::index_path;
use pgc::index::BuildOptions;
use pgc::io::output::Output;
use pgc::{Archive, IndexState, OpenOptions};

use super::destination;
use super::failure::Unindexed;
use super::interrupt;
use super::mistaken::{self, INDEX_MAGIC};
use super::output::{grouped, note, shown};
use super::watch;

/// Of the memory that a run may use, the builder of an index gets this part: the rest is for
/// packing.
const SHARE: usize = 8;

/// Opens an archive. Where its index cannot be used, says so and how to mend that, or refuses.
pub(super) fn open(
    path: &Path,
    options: OpenOptions,
    require: bool,
    quiet: bool,
) -> anyhow::Result<Archive> {
    mistaken::refuse_other_file(path, options.pgn2pgc)?;
    let archive = Archive::open_with(path, options)
        .with_context(|| shown(path))?
        .cancelled_by(interrupt::requested);
    if options.no_index {
        return Ok(archive);
    }
    if let Some(what) = complaint(path, archive.index_state()) {
        if require {
            return Err(Unindexed(format!("{}: {what}", shown(path))).into());
        }
        if !quiet {
            note(&format!("{}: {what}: looking without it", shown(path)));
        }
    }
    Ok(archive)
}

/// Says so where an unfinished addition was ignored, and where the index turned out to be damaged
/// while it was used.
pub(super) fn check_late(
    path: &Path,
    archive: &Archive,
    require: bool,
    quiet: bool,
) -> anyhow::Result<()> {
    note_unfinished(path, archive);
    if let Some(what) =
        complaint(path, archive.index_state()).filter(|_| archive.index_failed_late())
    {
        if require {
            return Err(Unindexed(format!("{}: {what}", shown(path))).into());
        }
        if !quiet {
            note(&format!("{}: {what}: looked without it", shown(path)));
        }
    }
    Ok(())
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
pub(super) fn complaint(path: &Path, state: &IndexState) -> Option<String> {
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

/// How an index is built.
pub(super) fn build_options(
    memory: usize,
    temp_dir: Option<&Path>,
    output: &Path,
    hashes: bool,
) -> BuildOptions {
    let beside = output
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    BuildOptions {
        memory: memory / SHARE,
        temp_dir: temp_dir.unwrap_or(beside).to_owned(),
        hashes,
    }
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

/// `256M` as a number of bytes.
pub(super) fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1 << 10),
        Some((at, 'm' | 'M')) => (&text[..at], 1 << 20),
        Some((at, 'g' | 'G')) => (&text[..at], 1 << 30),
        _ => (text, 1),
    };
    let number: usize = digits
        .trim()
        .parse()
        .map_err(|_| "a size is a number, perhaps with K, M or G: 256M".to_owned())?;
    number
        .checked_mul(unit)
        .ok_or_else(|| "too much".to_owned())
}

/// The path beside the archive, where no other is given.
pub(super) fn place(archive: &Path, output: Option<&PathBuf>) -> PathBuf {
    output.cloned().unwrap_or_else(|| index_path(archive))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(
            ["512", "4k", "256M", "2G"].map(size),
            [Ok(512), Ok(4096), Ok(256 << 20), Ok(2 << 30)]
        );
        for wrong in [
            "",
            "M",
            "1.5G",
            "-1",
            "99999999999999999999",
            "99999999999G",
        ] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
