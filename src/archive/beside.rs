//! The index beside an archive: its path, and whether it can be used.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::map::{map_file, open};
use crate::stream::frame::{FrameRecord, behind_noops, escape_len, frame_at};
use crate::stream::head::SegmentTail;
use crate::stream::reader::is_archive;
use pgc_index::{Index, Segment};
use pgc_io::mmap::Map;
use pgc_io::read_at::ReadAt;

/// Whether the index beside an archive can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexState {
    /// The index is used.
    Used,
    /// There is none.
    Missing,
    /// The index belongs to another archive, or to an older state of this one.
    NotMine(String),
    /// The index cannot be used: it is damaged, or of a newer version.
    Damaged(String),
}

/// The path of the index of an archive: `games.pgci` for `games.pgc`, `games.pgczi` for
/// `games.pgcz`; for a name without these extensions, the name with `.pgci` appended.
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
pub fn recovery_path(archive: &Path) -> PathBuf {
    path_beside(archive, "r")
}

/// The path of the alias file of an archive, which both forms share: `games.ssp` for `games.pgc`
/// and `games.pgcz`; for a name without these extensions, the name with `.ssp` appended.
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

pub(crate) const OTHER_ARCHIVE: &str =
    "it belongs to another archive, or to an older state of this one";
pub(crate) const OTHER_PLACES: &str =
    "it has other segments than the archive, or more or fewer blocks or games";

/// Whether the segments of an index are those of the archive: each head stands right behind the
/// tail before it, noops apart, from the first byte to the last, and the first block right behind
/// its head; and each segment has as many blocks and games as its tail says. An index that `pgc
/// index --partial` made of a damaged archive has fewer.
pub(crate) fn segments_agree<D: AsRef<[u8]>>(archive: &dyn ReadAt, index: &Index<D>) -> bool {
    let follow = || {
        let (mut end, mut blocks, mut games) = (0, 0, 0);
        for segment in index.segments() {
            let segment = segment.ok()?;
            let tail = segment_at(archive, index, end, &segment)?;
            let before = (segment.first_block.into(), segment.first_game.into());
            if before != (blocks, games) {
                return None;
            }
            end = segment.end;
            blocks = tail.blocks.checked_add(blocks)?;
            games = tail.games.checked_add(games)?;
        }
        let counts = (index.block_count().into(), index.games().into());
        let rest = behind_noops(archive, end).ok()?;
        let is_all = rest.is_none_or(|(at, _)| at == index.archive_length());
        (is_all && counts == (blocks, games)).then_some(())
    };
    follow().is_some()
}

/// The tail of the segment that begins at `from` in the archive, if it is this one.
fn segment_at<D: AsRef<[u8]>>(
    archive: &dyn ReadAt,
    index: &Index<D>,
    from: u64,
    segment: &Segment,
) -> Option<SegmentTail> {
    let (begin, head) = behind_noops(archive, from).ok()??;
    let behind = begin.checked_add(segment.head.into())?;
    let is_head = begin == segment.offset
        && escape_len(&head) == usize::try_from(segment.head).ok()
        && is_archive(&head) == Some(true);
    let tail = frame_at(archive, segment.end - u64::from(segment.tail)).ok()??;
    let tails = (tail.end, tail.end - tail.begin);
    let FrameRecord::Tail(counts) = tail.frame else {
        return None;
    };
    if counts.blocks > 0 {
        let (offset, game) = index.block_begin(segment.first_block).ok()?;
        let is_first = || Some(behind_noops(archive, behind).ok()??.0 == offset);
        if game != segment.first_game || offset != behind && is_first() != Some(true) {
            return None;
        }
    }
    let is_it = is_head && tails == (segment.end, segment.tail.into());
    is_it.then_some(counts)
}
