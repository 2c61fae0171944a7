//! Makes the index of an archive, while the archive is written or afterwards. Both give the same
//! bytes.

use std::cell::RefCell;
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::rc::Rc;

use crate::foreign::export::is_ours;
use crate::games::data::GameData;
use crate::games::facts::{IndexedBlock, Wants};
use crate::games::walk::{BlockGames, damage};
use crate::open::Archive;
use crate::part_walk::walk_parts;
use crate::pipeline::Spare;
use crate::run::{Error, Hooks};
use crate::stream::reader::{ArchiveReader, OnDamage, Part};
use crate::stream::sniff::sniff;
use crate::stream::walk::FOREIGN_BLOCK;
use crc32fast::Hasher as Crc;
use pgc_block::head::BlockHead;
use pgc_block::small::stored::records;
use pgc_index::{BuildOptions, Builder, Index, IndexError, Sizes, Summaries};
use pgc_pgn::records::reader::{Dialect, RecordStream};
use pgc_pgn::records::record::Record;

/// The number of bytes at the beginning and at the end of a foreign stream that its digest covers.
pub(crate) const ENDS: u64 = 4096;

/// Options of [`index()`].
#[derive(Clone, Debug)]
pub struct IndexOptions {
    /// Memory, temporary files, and further sections.
    pub build: BuildOptions,
    /// Number of threads; 0 is one for each processor.
    pub threads: usize,
}

/// The index of an archive that is being written.
/// [`pack_indexed`](crate::pack::pack_indexed) adds what it writes.
pub struct Indexing<'a> {
    builder: Builder<'a>,
    wants: Wants,
    /// The current length of the archive.
    at: u64,
    games: u64,
}

impl fmt::Debug for Indexing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Indexing")
            .field("at", &self.at)
            .field("games", &self.games)
            .finish_non_exhaustive()
    }
}

impl<'a> Indexing<'a> {
    /// Starts the index of a new archive.
    #[must_use]
    pub fn new(options: BuildOptions) -> Indexing<'a> {
        let wants = Wants::new(options.lines);
        Indexing {
            builder: Builder::new(options),
            wants,
            at: 0,
            games: 0,
        }
    }

    /// Which facts the summaries need.
    pub(crate) fn wants(&self) -> &Wants {
        &self.wants
    }

    /// Starts with the index of an existing archive, to which segments are added. `index` is the index
    /// of `archive`, whose length it records. Its checksums are checked, and the blocks against their
    /// heads.
    ///
    /// # Errors
    /// [`IndexError`]: the index is damaged, or belongs to another archive.
    pub fn extending<D: AsRef<[u8]> + Sync>(
        options: BuildOptions,
        index: &'a Index<D>,
        archive: &Archive,
        threads: usize,
    ) -> Result<Indexing<'a>, IndexError> {
        index.verify(threads)?;
        archive.proves_blocks(index)?;
        Ok(Indexing {
            wants: Wants::new(options.lines),
            builder: Builder::from_index(options, index.data(), archive.bytes())?,
            at: index.archive_length(),
            games: index.games().into(),
        })
    }

    /// Notes that a segment begins at this offset.
    pub(crate) fn begin_at(&mut self, offset: u64) {
        self.builder.segment_begins(offset);
    }

    /// Notes that the segment with this head record ends at this offset, with this tail record.
    pub(crate) fn end_at(&mut self, offset: u64, head: &[u8], tail: &[u8]) -> Result<(), Error> {
        Ok(self.builder.segment_ends(offset, head, tail)?)
    }

    /// Notes the end of the archive: after the no-operation bytes that follow the last segment, and
    /// before an unfinished addition.
    pub(crate) fn archive_ends(&mut self, offset: u64) {
        self.at = offset;
    }

    /// Notes that a segment begins with this head record, at the current end.
    pub(crate) fn begin(&mut self, head: &[u8]) {
        self.builder.segment_begins(self.at);
        self.at += head.len() as u64;
    }

    /// Adds a block of `length` bytes (head and stored bytes) with its games, at the current end.
    pub(crate) fn block(&mut self, length: u64, indexed: IndexedBlock) -> Result<(), Error> {
        self.block_at(self.at, indexed)?;
        self.at += length;
        Ok(())
    }

    /// Adds a block at this offset, with its games.
    pub(crate) fn block_at(&mut self, offset: u64, indexed: IndexedBlock) -> Result<(), Error> {
        self.builder.block(offset, indexed.crc)?;
        self.builder.games(&indexed.games)?;
        self.games += indexed.games.len() as u64;
        self.wants.recycle(indexed.games);
        Ok(())
    }

    /// Notes that the segment with this head record ends with this tail record, at the current end.
    pub(crate) fn end(&mut self, head: &[u8], tail: &[u8]) -> Result<(), Error> {
        self.at += tail.len() as u64;
        self.end_at(self.at, head, tail)
    }

    /// Writes the index of the completed archive.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Damaged`].
    pub fn finish(self, out: &mut dyn Write) -> Result<Sizes, Error> {
        Ok(self.builder.finish(self.at, out)?)
    }
}

/// Makes the index of any archive, also of other programs. Returns the sizes of its sections and
/// the number of games.
///
/// # Examples
/// ```no_run
/// use pgc::NoHooks;
/// use pgc::index;
/// use pgc::parts::{BuildOptions, IndexOptions};
///
/// let mut archive = std::fs::File::open("games.pgc")?;
/// let mut out = std::fs::File::create("games.pgci")?;
/// let build = BuildOptions { memory: 64 << 20, temp_dir: ".".into(), lines: true };
/// let options = IndexOptions { build, threads: 0 };
/// index(&mut archive, &mut out, &options, &mut NoHooks)?;
/// # Ok::<(), pgc::Error>(())
/// ```
///
/// # Errors
/// See [`Error`].
pub fn index(
    archive: &mut (impl Read + Seek + Send),
    out: &mut dyn Write,
    options: &IndexOptions,
    hooks: &mut dyn Hooks,
) -> Result<(Sizes, u64), Error> {
    let (ours, _) = sniff(archive, OnDamage::of(hooks))?;
    archive.rewind()?;
    let mut indexing = Indexing::new(options.build.clone());
    if ours {
        read_ours(archive, &mut indexing, options.threads, hooks)?;
    } else {
        read_foreign(archive, &mut indexing, hooks)?;
    }
    let games = indexing.games;
    Ok((indexing.finish(out)?, games))
}

fn read_ours(
    archive: &mut (impl Read + Send),
    indexing: &mut Indexing<'_>,
    threads: usize,
    hooks: &mut dyn Hooks,
) -> Result<(), Error> {
    let mut reader = ArchiveReader::passing(archive, OnDamage::of(hooks));
    let wants = indexing.wants.clone();
    let spare = Spare::default();
    // The record of the head of the segment.
    let mut first = Vec::new();
    walk_parts(
        &mut reader,
        threads,
        &spare,
        |head, stored, at, place| {
            let records = records(head, &stored).map_err(|d| damage(d, head, at, place.games));
            let place = (place.begin, at, place.games);
            let indexed = records.and_then(|records| indexed_block(head, &records, place, &wants));
            spare.give(stored);
            indexed
        },
        |part, place| {
            if hooks.cancelled() {
                return Err(Error::Cancelled);
            }
            match part {
                Part::Head(_) => {
                    indexing.begin_at(place.begin);
                    first = place.record;
                }
                Part::Block(head, indexed, _) => {
                    indexing.block_at(place.begin, indexed?)?;
                    hooks.progress(head.stored());
                }
                Part::Tail(_) => indexing.end_at(place.end, &first, &place.record)?,
                Part::NoTail => indexing.end_at(place.end, &first, &[])?,
                Part::Gap(_) => {}
                Part::Gaps(gaps) => gaps.iter().for_each(|gap| hooks.gap(gap)),
            }
            Ok(())
        },
    )?;
    indexing.archive_ends(reader.finish(hooks)?);
    Ok(())
}

/// Summarises the games of a block. The numbers are the offsets of its head and of the bytes behind
/// it, and the number of games before it.
pub(crate) fn indexed_block(
    head: &BlockHead,
    records: &[u8],
    (begin, at, before): (u64, u64, u64),
    wants: &Wants,
) -> Result<IndexedBlock, Error> {
    let mut block = BlockGames::ours(head, records, at, before);
    let mut games = wants.summaries();
    while block.next()? {
        block.game().summarize(&mut games, wants);
    }
    if games.len() as u64 == head.games {
        let crc = head.crc;
        return Ok(IndexedBlock { games, crc });
    }
    let what = format!("{}, the head says {}", games.len(), head.games);
    Err(Error::damaged(begin, before, "games of the block", what))
}

/// A reader that keeps a copy of the bytes read, until it is known which block they belong to.
struct Tee<'r, R>(&'r mut R, Rc<RefCell<Vec<u8>>>);

impl<R: Read> Read for Tee<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.0.read(buffer)?;
        self.1.borrow_mut().extend_from_slice(&buffer[..n]);
        Ok(n)
    }
}

/// Divides a foreign stream into blocks.
#[derive(Default)]
struct Runs {
    /// Bytes that have been read but not added to a checksum.
    ahead: Rc<RefCell<Vec<u8>>>,
    /// The offset of the current block, and the offset up to which its checksum goes.
    begin: u64,
    hashed: u64,
    crc: Crc,
    /// Set once the block is long enough: its end, its checksum, and the checksum of the bytes
    /// after it.
    full: Option<(u64, u32, Crc)>,
    games: Summaries,
}

impl Runs {
    /// Adds all bytes before this offset to the checksums.
    fn reach(&mut self, offset: u64) {
        let mut ahead = self.ahead.borrow_mut();
        let known = usize::try_from(offset - self.hashed).unwrap_or(usize::MAX);
        let known = known.min(ahead.len());
        self.crc.update(&ahead[..known]);
        if let Some((_, _, behind)) = &mut self.full {
            behind.update(&ahead[..known]);
        }
        ahead.drain(..known);
        self.hashed = offset;
    }

    /// A game begins: if the block is long enough, it ends with the game before.
    fn game_begins(&mut self, indexing: &mut Indexing<'_>) -> Result<(), Error> {
        let Some((end, crc, behind)) = self.full.take() else {
            return Ok(());
        };
        let games = std::mem::take(&mut self.games);
        indexing.block_at(self.begin, IndexedBlock { games, crc })?;
        self.begin = end;
        self.crc = behind;
        Ok(())
    }

    fn game_ends(&mut self, game: &GameData, wants: &Wants, offset: u64) {
        game.summarize(&mut self.games, wants);
        if offset - self.begin >= FOREIGN_BLOCK {
            let crc = self.crc.clone().finalize();
            self.full = Some((offset, crc, Crc::new()));
        }
    }

    /// Ends the last block, which includes everything after the last game; a stream without games
    /// is one block.
    fn end(self, indexing: &mut Indexing<'_>) -> Result<(), Error> {
        let (games, crc) = (self.games, self.crc.finalize());
        indexing.block_at(self.begin, IndexedBlock { games, crc })
    }
}

fn read_foreign(
    archive: &mut (impl Read + Seek),
    indexing: &mut Indexing<'_>,
    hooks: &mut dyn Hooks,
) -> Result<(), Error> {
    indexing.builder.foreign();
    indexing.builder.segment_begins(0);
    let mut runs = Runs::default();
    let tee = Tee(&mut *archive, Rc::clone(&runs.ahead));
    let mut records = RecordStream::new(tee, Dialect::Standard);
    let mut game = GameData::default();
    let mut told = 0;
    loop {
        let number = records.game();
        let Some((offset, record)) = records.next_record()? else {
            break;
        };
        let marker = record.marker();
        let number = number + u64::from(matches!(record, Record::Game { .. } | Record::GameBegin));
        let bad = |item, what: &str| Error::damaged(offset, number, item, what);
        match record {
            Record::Escape(data) if is_ours(data) => {
                let what = "is a private record of pgc in the wrong place";
                return Err(bad("escape-string", what));
            }
            Record::Game { .. } | Record::GameBegin => {
                runs.game_begins(indexing)?;
                game.restart();
            }
            _ => {}
        }
        let more = game.take(&record);
        let more = more.map_err(|what| bad(marker.name(), what))?;
        if !more || records.offset() - runs.hashed >= FOREIGN_BLOCK {
            runs.reach(records.offset());
        }
        if !more {
            game.end_foreign();
            runs.game_ends(&game, &indexing.wants, records.offset());
            if hooks.cancelled() {
                return Err(Error::Cancelled);
            }
            if records.offset() - told >= FOREIGN_BLOCK {
                hooks.progress(records.offset() - told);
                told = records.offset();
            }
        }
    }
    let length = records.offset();
    runs.reach(length);
    runs.end(indexing)?;
    end_foreign(archive, indexing, length)
}

/// Notes the end of a foreign stream of this length, with the bytes that stand for its head and its
/// tail.
fn end_foreign(
    archive: &mut (impl Read + Seek),
    indexing: &mut Indexing<'_>,
    length: u64,
) -> Result<(), Error> {
    let ends = length.min(ENDS);
    let mut read = |from: u64| -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        archive.seek(SeekFrom::Start(from))?;
        archive.take(ends).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let (head, tail) = (read(0)?, read(length - ends)?);
    indexing.builder.segment_ends(length, &head, &tail)?;
    indexing.at = length;
    Ok(())
}
