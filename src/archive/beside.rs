//! The index beside an archive: its path, and whether it can be used.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::map::{map_file, open};
use crate::run::Error;
use crate::stream::frame::{FrameRecord, frame_at};
use crate::stream::walk::StreamKind;
use pgc_index::{Index, IndexError};
use pgc_io::mmap::Map;
use pgc_io::read_at::ReadAt;

/// Whether the index beside an archive can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexState {
    /// It is used.
    Used,
    /// There is none.
    Missing,
    /// It belongs to another archive, or to an older state of this one.
    NotMine(String),
    /// It cannot be used: it is damaged, or of a newer version.
    Damaged(String),
}

/// The path of the index of an archive: `games.pgci` for `games.pgc`, `games.pgczi` for
/// `games.pgcz`; for a name without these extensions, the name with `.pgci` appended.
#[must_use]
pub fn index_path(archive: &Path) -> PathBuf {
    path_beside(archive, "i")
}

/// For an archive that is a symbolic link: the file beside the archive itself, so that all names of
/// an archive share it. `None` if the archive is no link, or if only the file beside the link
/// exists. (The folder of the archive may belong to somebody else.)
fn of_link(archive: &Path, letter: &str, here: &Path) -> Option<PathBuf> {
    if !fs::symlink_metadata(archive).ok()?.is_symlink() {
        return None;
    }
    let there = named_beside(&fs::canonicalize(archive).ok()?, letter);
    (there.exists() || !here.exists()).then_some(there)
}

/// The path of the recovery data of an archive: `games.pgcr`, `games.pgczr`, or the name with
/// `.pgcr` appended, as [`index_path`] has it.
#[must_use]
pub fn recovery_path(archive: &Path) -> PathBuf {
    path_beside(archive, "r")
}

/// The path of the alias file of an archive, which both forms share: `games.ssp` for `games.pgc`
/// and `games.pgcz`; for a name without these extensions, the name with `.ssp` appended.
#[must_use]
pub fn alias_path(archive: &Path) -> PathBuf {
    match is_named(archive) {
        true => archive.with_extension("ssp"),
        false => archive.with_added_extension("ssp"),
    }
}

fn is_named(archive: &Path) -> bool {
    let ending = archive.extension().unwrap_or_default();
    ending.eq_ignore_ascii_case("pgc") || ending.eq_ignore_ascii_case("pgcz")
}

fn path_beside(archive: &Path, letter: &str) -> PathBuf {
    let here = named_beside(archive, letter);
    of_link(archive, letter, &here).unwrap_or(here)
}

fn named_beside(archive: &Path, letter: &str) -> PathBuf {
    let mut name = archive.file_name().unwrap_or_default().to_owned();
    if !is_named(archive) {
        name.push(".pgc");
    }
    name.push(letter);
    archive.with_file_name(name)
}

/// Whether an index can be used with an archive.
pub(crate) fn admitted<D: AsRef<[u8]>>(
    archive: &dyn ReadAt,
    stream: StreamKind,
    index: &Index<D>,
) -> Result<IndexState, Error> {
    Ok(match index.belongs(archive) {
        Ok(true) if index.is_foreign() == (stream == StreamKind::Foreign) => IndexState::Used,
        Ok(true) => IndexState::NotMine(OTHER_KIND.to_owned()),
        Ok(false) => IndexState::NotMine(OTHER_ARCHIVE.to_owned()),
        // Reading the archive failed; the index may be fine.
        Err(IndexError::Io(error)) => return Err(error.into()),
        Err(error) => IndexState::Damaged(error.to_string()),
    })
}

/// Maps an index without checking which archive it belongs to.
///
/// # Errors
/// [`IndexState::Missing`], [`IndexState::Damaged`].
pub fn map_index(path: &Path) -> Result<Index<Map>, IndexState> {
    let bytes = match open(path).and_then(|file| map_file(&file, path)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(IndexState::Missing),
        Err(error) => return Err(IndexState::Damaged(error.to_string())),
    };
    Index::open(bytes).map_err(|error| IndexState::Damaged(error.to_string()))
}

const OTHER_ARCHIVE: &str = "it belongs to another archive, or to an older state of this one";
pub(crate) const OTHER_COUNTS: &str = "it has more or fewer blocks or games than the archive";
const OTHER_KIND: &str = "it was made with another --dialect";

/// Whether each segment has as many blocks and games as its tail says. An index that `pgc index
/// --partial` made of a damaged archive has fewer.
pub(crate) fn counts_agree<D: AsRef<[u8]>>(archive: &dyn ReadAt, index: &Index<D>) -> bool {
    let mut segments = index.segments().peekable();
    while let Some(segment) = segments.next() {
        let next = match segments.peek() {
            Some(Ok(next)) => (next.first_block, next.first_game),
            _ => (index.block_count(), index.games()),
        };
        let Ok(segment) = segment else { return false };
        let at = segment.end - u64::from(segment.tail);
        let framed = frame_at(archive, at).ok().flatten();
        let Some(FrameRecord::Tail(tail)) = framed.map(|framed| framed.frame) else {
            return false;
        };
        let count = |first: u32, next: u32| next.checked_sub(first).map(u64::from);
        if count(segment.first_block, next.0) != Some(tail.blocks)
            || count(segment.first_game, next.1) != Some(tail.games)
        {
            return false;
        }
    }
    true
}
