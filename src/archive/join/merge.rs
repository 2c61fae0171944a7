//! Merges archives: copies their segments one after another, or fetches their games in collating
//! order.

use std::io::{self, Read, Write};

use crate::ask::order::{SortKey, sort};
use crate::ask::texts::{TextOptions, texts};
use crate::fault::ArchiveFault;
use crate::open::Archive;
use crate::run::{Error, Hooks, go_on};
use crate::stream::reader::{ArchivePart, ArchiveReader};

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
/// [`Error::Damaged`], [`Error::Version`], [`Error::TrialForm`], [`Error::Io`],
/// [`Error::Cancelled`].
pub fn copy_archive(
    archive: &mut dyn Read,
    out: &mut dyn Write,
    hooks: &mut dyn Hooks,
) -> Result<Copied, Error> {
    let mut copied = Copied::default();
    let mut reader = ArchiveReader::new(archive);
    while let Some(part) = reader
        .next_part()
        .map_err(|error| error.after_game(reader.games()))?
    {
        go_on(hooks)?;
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
        out.write_all(reader.record())?;
        out.write_all(&stored)?;
        hooks.progress(reader.offset() - copied.bytes);
        copied.bytes = reader.offset();
        stored.clear();
        reader.recycle(stored);
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

/// Calls `each` with the texts of all games of these archives, as they were written, in the collating
/// order of the standard, section 12; returns their number. Equal games stay in the order of the
/// archives.
///
/// # Errors
/// [`Error::Io`], also for streams of other programs; [`Error::Damaged`]; and those of `each`.
pub fn in_collating_order(
    archives: &[&Archive],
    options: &TextOptions,
    each: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
) -> Result<u64, ArchiveFault> {
    let mut games = Vec::new();
    for (number, archive) in (0..).zip(archives) {
        let fault = ArchiveFault::of(number as usize);
        if !archive.is_ours() {
            let path = archive.path().display();
            let what = format!("{path}: is not an archive made by pgc");
            let error = io::Error::new(io::ErrorKind::InvalidInput, what);
            return Err(fault(error.into()));
        }
        let count = archive.len().map_err(fault)?;
        games.extend((0..u32::try_from(count).unwrap_or(u32::MAX)).map(|game| (number, game)));
    }
    let count = games.len() as u64;
    sort(archives, &mut games, SortKey::Standard, options.threads)?;
    let games = games.iter();
    let order = games.map(|&(archive, game)| (archive as usize, game));
    texts(archives, order, options, &mut |_, text| each(text))?;
    Ok(count)
}
