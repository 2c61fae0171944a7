//! Makes the index of an archive, while the archive is written or afterwards. Both give the same
//! bytes.

use std::io::{self, Read, Seek, Write};

use crate::games::facts::{IndexedBlock, Wants};
use crate::games::walk::{BlockGames, damage};
use crate::open::Archive;
use crate::part_walk::walk_parts;
use crate::run::{Error, Hooks};
use crate::stream::reader::{ArchiveReader, OnDamage, Part};
use crate::stream::sniff::sniff;
use pgc_block::head::BlockHead;
use pgc_block::small::stored::{Needs, records};
use pgc_index::{BuildOptions, Builder, Index, IndexError, Sizes, Summaries};

/// Options of [`index()`].
#[derive(Clone, Debug)]
pub struct IndexOptions {
    /// Memory, temporary files, and further sections.
    pub build: BuildOptions,
    /// Number of threads; 0 is one for each processor.
    pub threads: usize,
    /// Pass over damage, as [`UnpackOptions::passes_damage`](crate::UnpackOptions::passes_damage)
    /// does; the index leaves damaged blocks out.
    pub passes_damage: bool,
}

impl IndexOptions {
    /// Options for an index of a whole archive, made by so many worker threads.
    pub fn new(build: BuildOptions, threads: usize) -> IndexOptions {
        IndexOptions {
            build,
            threads,
            passes_damage: false,
        }
    }
}

/// The index of an archive that is being written.
/// [`pack_indexed`](crate::pack::pack_indexed) adds what it writes.
#[derive(Debug)]
pub struct Indexing<'a> {
    builder: Builder<'a>,
    /// Which facts the summaries need.
    pub(crate) wants: Wants,
    /// The current length of the archive.
    at: u64,
    /// The record of the head of the segment.
    head: Vec<u8>,
    games: u64,
}

impl<'a> Indexing<'a> {
    /// Starts the index of a new archive.
    pub fn new(options: BuildOptions) -> Indexing<'a> {
        let wants = Wants::new(options.lines);
        Indexing {
            builder: Builder::new(options),
            wants,
            at: 0,
            head: Vec::new(),
            games: 0,
        }
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
            head: Vec::new(),
            games: index.games().into(),
        })
    }

    /// Goes on at this offset. Between two parts an archive has no-operation bytes, or bytes that are
    /// damaged; behind the last part it has no-operation bytes, or an unfinished addition.
    pub(crate) fn go_to(&mut self, offset: u64) {
        self.at = offset;
    }

    /// Notes that a segment begins here with this head record, which is empty if it is lost.
    pub(crate) fn begin(&mut self, head: &[u8]) {
        self.builder.segment_begins(self.at);
        self.at += head.len() as u64;
        self.head = head.to_vec();
    }

    /// Adds a block of `length` bytes (head and stored bytes) with its games.
    pub(crate) fn block(&mut self, length: u64, indexed: IndexedBlock) -> Result<(), Error> {
        self.builder.block(self.at, indexed.crc)?;
        self.builder.games(&indexed.games)?;
        self.games += indexed.games.len() as u64;
        self.at += length;
        Ok(())
    }

    /// Notes that the segment ends with this tail record, which is empty if it is lost.
    pub(crate) fn end(&mut self, tail: &[u8]) -> Result<(), Error> {
        self.at += tail.len() as u64;
        Ok(self.builder.segment_ends(self.at, &self.head, tail)?)
    }

    /// Writes the index of the completed archive.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Damaged`].
    pub fn finish(self, out: &mut dyn Write) -> Result<Sizes, Error> {
        Ok(self.builder.finish(self.at, out)?)
    }
}

/// Makes the index of an archive. Returns the sizes of its sections and the number of games.
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
/// let options = IndexOptions::new(build, 0);
/// index(&mut archive, &mut out, &options, &mut NoHooks)?;
/// # Ok::<(), pgc::Error>(())
/// ```
///
/// # Errors
/// See [`Error`]; [`Error::Io`] also for a stream that another program wrote.
pub fn index(
    archive: &mut (impl Read + Seek + Send),
    out: &mut dyn Write,
    options: &IndexOptions,
    hooks: &mut dyn Hooks,
) -> Result<(Sizes, u64), Error> {
    let (ours, _) = sniff(archive, OnDamage::passing(options.passes_damage))?;
    if !ours {
        let what = "is PGC made by another program, which has no index: turn it into PGN with pgc unpack, then pack that";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what).into());
    }
    archive.rewind()?;
    let mut indexing = Indexing::new(options.build.clone());
    read(archive, &mut indexing, options, hooks)?;
    let games = indexing.games;
    Ok((indexing.finish(out)?, games))
}

fn read(
    archive: &mut (impl Read + Send),
    indexing: &mut Indexing<'_>,
    options: &IndexOptions,
    hooks: &mut dyn Hooks,
) -> Result<(), Error> {
    let mut reader = ArchiveReader::passing(archive, OnDamage::passing(options.passes_damage));
    let wants = indexing.wants;
    walk_parts(
        &mut reader,
        options.threads,
        |head, stored, at, place| {
            let records = records(head, stored).map_err(|d| damage(d, head, at, place.games));
            let place = (place.begin, at, place.games);
            records.and_then(|records| indexed_block(head, &records, place, &wants))
        },
        |part, place| {
            indexing.go_to(place.begin);
            match part {
                Part::Head(_) => indexing.begin(&place.record),
                Part::Block(head, indexed, _) => {
                    indexing.block(place.end - place.begin, indexed?)?;
                    hooks.progress(head.stored());
                }
                Part::Tail(_) => indexing.end(&place.record)?,
                Part::NoTail => {
                    indexing.go_to(place.end);
                    indexing.end(&[])?;
                }
                Part::Gap(_) => {}
                Part::Gaps(gaps) => gaps.iter().for_each(|gap| hooks.gap(gap)),
            }
            Ok(())
        },
    )?;
    indexing.go_to(reader.finish(hooks)?);
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
    let mut block = BlockGames::new(head, records, at, before, None, Needs::All);
    let mut games = Summaries::default();
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
