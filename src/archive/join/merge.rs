//! Merges archives: copies their segments one after another, or fetches their games in collating
//! order (spec/index.md section 5).

use std::io::{self, BufWriter, Read, Write};

use crate::archive::ask::texts::{TextOptions, texts};
use crate::archive::fault::ArchiveFault;
use crate::archive::indexing::{IndexOptions, Indexing, index};
use crate::archive::map::map_temporary;
use crate::archive::open::Archive;
use crate::archive::stream::reader::{ArchivePart, ArchiveReader};
use crate::index::{BuildOptions, Extras, Index, IndexError};
use crate::io::mmap::Map;
use crate::io::read_at::Onward;
use crate::io::temp::TempFile;
use crate::run::{Error, Hooks, NoHooks};

/// Counts of what was copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Number of bytes.
    pub bytes: u64,
    /// Number of segments.
    pub segments: u64,
    /// Number of games.
    pub games: u64,
}

/// Copies an archive byte for byte, without an unfinished addition. Heads and checksums are checked
/// on the way.
///
/// # Errors
/// [`Error::Damaged`], [`Error::Version`], [`Error::Io`], [`Error::Cancelled`].
pub fn copy_archive(
    archive: &mut dyn Read,
    out: &mut dyn Write,
    hooks: &mut dyn Hooks,
) -> Result<Copied, Error> {
    let mut copied = Copied::default();
    let mut reader = ArchiveReader::new(archive);
    while let Some(part) = reader
        .next_part()
        .map_err(|error| Error::from(error).after_game(reader.games()))?
    {
        if hooks.cancelled() {
            return Err(Error::Cancelled);
        }
        let mut stored = Vec::new();
        match part {
            ArchivePart::Head(_) => {}
            ArchivePart::Block(head, bytes, _) => {
                copied.games = copied.games.saturating_add(head.games);
                stored = bytes;
            }
            ArchivePart::Tail(_) => copied.segments += 1,
            ArchivePart::Gap(_) | ArchivePart::Gaps(_) | ArchivePart::NoTail => continue,
        }
        noops(copied.bytes, reader.begin(), out)?;
        out.write_all(&reader.record())?;
        out.write_all(&stored)?;
        hooks.progress(reader.offset() - copied.bytes);
        copied.bytes = reader.offset();
        reader.recycle({
            stored.clear();
            stored
        });
    }
    let end = reader.unfinished().unwrap_or(reader.offset());
    noops(copied.bytes, end, out)?;
    copied.bytes = end;
    reader.finish(hooks)?;
    Ok(copied)
}

/// Writes the noops that stand between two parts.
fn noops(from: u64, to: u64, out: &mut dyn Write) -> io::Result<()> {
    io::copy(&mut io::repeat(0).take(to - from), out).map(drop)
}

/// Calls `each` with the texts of all games of these archives, as they were written, in collating
/// order (spec/index.md section 5); returns their number. Equal games stay in the order of the
/// archives.
///
/// The indexes beside the archives are not used: each is made again.
///
/// # Errors
/// [`Error::Io`], also for streams of other programs; [`Error::Damaged`]; and those of `each`.
pub fn in_collating_order(
    archives: &[&Archive],
    build: &BuildOptions,
    options: &TextOptions,
    each: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
) -> Result<u64, ArchiveFault> {
    let mut made = Vec::with_capacity(archives.len());
    for (number, archive) in archives.iter().enumerate() {
        made.push(made_index(archive, build, options.threads).map_err(ArchiveFault::of(number))?);
    }
    let build = BuildOptions {
        extras: Extras::default(),
        ..build.clone()
    };
    let joint = {
        let mut indexing = Indexing::new(build.clone());
        for (archive, made) in archives.iter().zip(&made) {
            let appended = indexing.append(made, archive, options.threads);
            appended.map_err(unusable)?;
        }
        temporary_index(&build, |out| indexing.finish(out).map(drop))?
    };
    // The number of the first game of each archive in the joint index.
    let mut firsts = Vec::with_capacity(archives.len());
    let mut games = 0_u32;
    for made in &made {
        firsts.push(games);
        games += made.games();
    }
    let mut order = (0..joint.games()).map(|rank| {
        let game = joint.order(rank).map_err(unusable)?;
        // An archive without games has the same first number as the next one; the last of them has
        // the game.
        let archive = firsts.partition_point(|&first| first <= game) - 1;
        Ok((archive, game - firsts[archive]))
    });
    texts(archives, &mut order, options, &mut |_, text| each(text))?;
    Ok(u64::from(joint.games()))
}

/// Makes the index of an archive.
fn made_index(
    archive: &Archive,
    build: &BuildOptions,
    threads: usize,
) -> Result<Index<Map>, Error> {
    if !archive.is_ours() {
        let what = format!(
            "{}: is not an archive made by pgc",
            archive.path().display()
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what).into());
    }
    let options = IndexOptions {
        build: BuildOptions {
            extras: Extras::default(),
            ..build.clone()
        },
        threads,
    };
    temporary_index(build, |out| {
        index(
            &mut Onward::new(archive.bytes()),
            out,
            &options,
            &mut NoHooks,
        )
        .map(drop)
    })
}

fn temporary_index(
    build: &BuildOptions,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Error>,
) -> Result<Index<Map>, Error> {
    let file = TempFile::new_in(&build.temp_dir)?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    write(&mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    Index::open(map_temporary(&file)?).map_err(unusable)
}

fn unusable(error: IndexError) -> Error {
    match error {
        IndexError::Io(error) => error.into(),
        error => io::Error::other(format!("an index cannot be used: {error}")).into(),
    }
}
