//! Makes an index from summaries of games, in bounded memory.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Arc;

use super::lines::LineSorter;
use super::merge::{MergedTable, join};
use super::output::IndexOutput;
use super::run::{GameRun, SortedRun};
use super::sort::Sorted;
use super::spill::{IndexPart, Store, Temp, damaged};
use super::summary::{OfTables, Summaries};
use super::values::Joined;
use crate::format::Flags;
use crate::format::layout::{self, About, IndexError, IndexFrame, Section, VALUE_COLUMNS, kind};
use crate::format::places::{BlockEntry, Segment};
use pgc_chess::OPENING_LIST;
use pgc_io::read_at::ReadAt;
use pgc_io::temp::TempFile;

/// Options of [`Builder`].
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// Approximate memory in bytes; further data go to temporary files.
    pub memory: usize,
    /// The folder for temporary files.
    pub temp_dir: PathBuf,
    /// Whether to write the lines of games (spec/index.md section 7).
    pub lines: bool,
}

impl BuildOptions {
    /// The folder for temporary files, and half of the memory: parts in memory take up to a
    /// quarter.
    fn temp(&self) -> Temp {
        Temp {
            dir: self.temp_dir.clone(),
            memory: self.memory / 2,
        }
    }
}

/// The size of the run is checked after this number of games.
const STEP: usize = 16;

/// The sizes of an index that was written.
#[derive(Clone, Debug, Default)]
pub struct Sizes {
    /// The sections.
    pub sections: Vec<Section>,
    /// Length of the index.
    pub total: u64,
}

/// Builds an index. Add segments, blocks and games in the order of the archive; the index depends
/// on the archive alone.
///
/// ```
/// use pgc_index::{BuildOptions, Builder, Facts, IndexFrame, Summaries};
///
/// let options = BuildOptions { memory: 1 << 20, temp_dir: std::env::temp_dir(), lines: false };
/// let mut builder = Builder::new(options);
/// builder.segment_begins(0);
/// builder.block(20, 0x1234_5678)?;
/// let mut games = Summaries::default();
/// games.push([(&b"White"[..], &b"Carlsen"[..])].into_iter(), &Facts::default());
/// builder.games(&games)?;
/// builder.segment_ends(100, b"head", b"tail")?;
/// let mut index = Vec::new();
/// builder.finish(100, &mut index)?;
/// assert_eq!(IndexFrame::parse(&index).map(|frame| frame.games()).ok(), Some(1));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Builder<'a> {
    options: BuildOptions,
    digest: blake3::Hasher,
    segments: Vec<Segment>,
    blocks: Vec<BlockEntry>,
    /// The number of games so far.
    games: u32,
    run: GameRun,
    lines: Option<LineSorter>,
    /// The numbers in the run of the current block's values.
    joined: OfTables<Joined>,
    parts: Vec<IndexPart<'a>>,
    /// An upper bound for the memory of the parts.
    kept: usize,
    /// The file of runs that did not fit into memory, one after another, and its length.
    spilled: Option<(Arc<TempFile>, u64)>,
}

fn too_many(what: &str) -> io::Error {
    io::Error::other(format!("too many {what} for an index"))
}

impl<'a> Builder<'a> {
    /// Starts an empty index.
    pub fn new(options: BuildOptions) -> Builder<'a> {
        Builder {
            run: GameRun::new(options.memory),
            lines: options.lines.then(|| LineSorter::new(options.temp())),
            options,
            digest: blake3::Hasher::new(),
            segments: Vec::new(),
            blocks: Vec::new(),
            games: 0,
            joined: Default::default(),
            parts: Vec::new(),
            kept: 0,
            spilled: None,
        }
    }

    /// Starts with the index of an archive that gets further segments. The index is checked against
    /// the archive.
    ///
    /// # Errors
    /// The index is damaged, does not belong to `archive`, or cannot be extended.
    pub fn from_index(
        options: BuildOptions,
        index: &'a [u8],
        archive: &(impl ReadAt + ?Sized),
    ) -> Result<Builder<'a>, IndexError> {
        let mut builder = Builder::new(options);
        let frame = IndexFrame::parse(index)?;
        (0..frame.pages()).try_for_each(|page| frame.check_page(index, page))?;
        if frame.about.openings != OPENING_LIST {
            return Err(IndexError::Unfit("its openings are those of another list"));
        }
        builder.take_places(&frame, index, archive)?;
        if let Some(lines) = &mut builder.lines {
            lines.take(&frame, index)?;
        }
        builder.games = frame.games();
        if frame.games() > 0 {
            builder.parts.push(IndexPart {
                store: Store::Bytes(index.into()),
                sections: frame.sections().to_vec(),
                first_game: 0,
                games: frame.games(),
            });
        }
        Ok(builder)
    }

    /// Takes over the segments and blocks of an index.
    fn take_places(
        &mut self,
        frame: &IndexFrame,
        index: &[u8],
        archive: &(impl ReadAt + ?Sized),
    ) -> Result<(), IndexError> {
        let section = |kind| frame.section(kind).ok_or(IndexError::NotAnIndex);
        let (segments, blocks) = (section(kind::SEGMENTS)?, section(kind::BLOCKS)?);
        let entries = segments.bytes(index).chunks_exact(layout::SEGMENT);
        self.segments = entries.map(Segment::parse).collect();
        let entries = blocks.bytes(index).chunks_exact(layout::BLOCK);
        self.blocks = entries.map(BlockEntry::parse).collect();
        for segment in &self.segments {
            let records = segment.records(archive.size()).ok_or_else(|| {
                IndexError::damaged(segments.offset, "a segment beyond the archive")
            })?;
            for (from, to) in records {
                self.digest.update(&archive.read_at(from, to)?);
            }
        }
        if self.digest.finalize() != frame.about.digest || frame.archive_length() > archive.size() {
            return Err(IndexError::Unfit("it does not belong to its archive"));
        }
        Ok(())
    }

    /// Notes that a segment begins at this offset of the archive.
    pub fn segment_begins(&mut self, offset: u64) {
        // `block` ensures that the number of blocks is a u32.
        let first_block = u32::try_from(self.blocks.len()).unwrap_or(u32::MAX);
        self.segments.push(Segment {
            offset,
            end: offset,
            first_game: self.games,
            first_block,
            ..Segment::default()
        });
    }

    /// Notes that a block begins at this offset; `crc` is the CRC-32 of its records. The next games
    /// are in it.
    ///
    /// # Errors
    /// There are too many blocks.
    pub fn block(&mut self, offset: u64, crc: u32) -> io::Result<()> {
        if self.blocks.len() >= u32::MAX as usize {
            return Err(too_many("blocks"));
        }
        self.blocks.push(BlockEntry {
            offset,
            first_game: self.games,
            crc,
        });
        Ok(())
    }

    /// Adds games of the current block.
    ///
    /// # Errors
    /// There are too many games, or a temporary file cannot be written.
    pub fn games(&mut self, games: &Summaries) -> io::Result<()> {
        games.begin(&mut self.joined, &self.run.tables);
        if let Some(lines) = &mut self.lines {
            for (game, number) in games.games.iter().zip(self.games..) {
                let [.., flags] = game.numbers;
                if Flags::from_bits(flags).has_line() {
                    lines.push(&game.line, number)?;
                }
            }
        }
        for some in games.games.chunks(STEP) {
            let count = u32::try_from(some.len()).unwrap_or(u32::MAX);
            let sum = self.games.checked_add(count);
            self.games = sum.ok_or_else(|| too_many("games"))?;
            self.run.extend(some, &games.tables, &mut self.joined);
            if self.run.memory() > self.options.memory {
                self.spill()?;
                games.begin(&mut self.joined, &self.run.tables);
            }
        }
        Ok(())
    }

    /// Notes that the segment ends at this offset. `head` and `tail` are its first and last record,
    /// as stored in the archive.
    ///
    /// # Errors
    /// A temporary file cannot be written or read.
    pub fn segment_ends(&mut self, end: u64, head: &[u8], tail: &[u8]) -> io::Result<()> {
        self.digest.update(head);
        self.digest.update(tail);
        if let Some(lines) = &mut self.lines {
            lines.end_segment()?;
        }
        if let Some(segment) = self.segments.last_mut() {
            segment.end = end;
            // A record is shorter than 64 KiB.
            [segment.head, segment.tail] =
                [head, tail].map(|record| u32::try_from(record.len()).unwrap_or(u32::MAX));
        }
        Ok(())
    }

    /// Turns the run into a part, in memory as long as the parts there are small, else in a
    /// temporary file.
    fn spill(&mut self) -> io::Result<()> {
        if self.run.games() == 0 {
            return Ok(());
        }
        let run = std::mem::take(&mut self.run);
        let games = u32::try_from(run.games()).map_err(|_| too_many("games"))?;
        let temp = self.options.temp();
        // The part takes less memory than the run.
        let is_small = run.memory() <= self.options.memory / 2;
        let run = SortedRun::new(run);
        let mut bytes = Vec::new();
        let put = is_small
            .then(|| run.put(&mut bytes, 0, &temp))
            .transpose()?;
        let kept = put.filter(|_| self.kept + bytes.len() <= self.options.memory / 4);
        let (store, sections) = if let Some((sections, _)) = kept {
            self.kept += bytes.len();
            (Store::Bytes(bytes.into()), sections)
        } else {
            let (file, len) = match self.spilled.take() {
                Some(spilled) => spilled,
                None => (Arc::new(temp.file()?), 0),
            };
            let mut out = &*file;
            out.seek(SeekFrom::Start(len))?;
            let (sections, end) = run.put(&mut out, len, &temp)?;
            self.spilled = Some((Arc::clone(&file), end));
            (Store::File(file), sections)
        };
        self.parts.push(IndexPart {
            store,
            sections,
            first_game: self.games - games,
            games,
        });
        Ok(())
    }

    /// Writes the index of an archive of this length.
    ///
    /// # Errors
    /// Those of `out`, and of temporary files; an appended index is damaged.
    pub fn finish(mut self, archive_length: u64, out: &mut dyn Write) -> io::Result<Sizes> {
        self.spill()?;
        let temp = self.options.temp();
        let tables = join(&self.parts, self.games, &temp)?;

        let mut output = IndexOutput::begin_index(out)?;
        self.put_places(&mut output)?;
        self.put_columns(&mut output, &tables, &temp)?;
        for table in &tables {
            table.put(&mut output, &temp)?;
        }
        if let Some(lines) = self.lines.take() {
            lines.put(&mut output, self.games)?;
        }
        let about = About {
            games: self.games,
            archive_length,
            digest: *self.digest.finalize().as_bytes(),
            openings: OPENING_LIST,
        };
        let (sections, total) = output.end_index(&about)?;
        Ok(Sizes { sections, total })
    }

    fn put_places(&self, output: &mut IndexOutput<'_>) -> io::Result<()> {
        output.entries(kind::SEGMENTS)?;
        for segment in &self.segments {
            output.bytes(&segment.bytes(), 1)?;
        }
        output.end_section()?;
        output.entries(kind::BLOCKS)?;
        for block in &self.blocks {
            output.bytes(&block.bytes(), 1)?;
        }
        output.end_section()
    }

    fn put_columns(
        &self,
        output: &mut IndexOutput<'_>,
        tables: &[MergedTable],
        temp: &Temp,
    ) -> io::Result<()> {
        for column in kind::DATE..=kind::OPENING {
            let of_values = VALUE_COLUMNS.iter().find(|known| known.0 == column);
            let table = of_values.map(|known| known.1);
            let table = tables.iter().find(|known| Some(known.coded.kind) == table);
            put_column(output, &self.parts, column, table, temp)?;
        }
        Ok(())
    }
}

/// Writes a column, whose integers may be places in a table.
fn put_column(
    output: &mut IndexOutput<'_>,
    parts: &[IndexPart<'_>],
    column: u32,
    table: Option<&MergedTable>,
    temp: &Temp,
) -> io::Result<()> {
    // Each part stores other integers with the least sufficient width.
    let widths = parts.iter().map(|part| Ok(part.section(column)?.width));
    let widths = widths.collect::<io::Result<Vec<u8>>>()?;
    let width = widths.into_iter().max().unwrap_or(1);
    let largest = match table {
        Some(table) => u64::from(table.coded.count.saturating_sub(1)),
        None => u64::MAX >> (64 - u32::from(width)),
    };
    output.integers(column, largest)?;
    let places = table.and_then(|table| table.places.as_ref());
    let mut places = places.map(Sorted::read).transpose()?;
    for part in parts {
        let (section, mut cursor) = part.cursor(column, temp.room(1))?;
        let mut map = None;
        if let (Some(places), Some(table)) = (&mut places, table) {
            let values = part.section(table.coded.kind + kind::VALUES)?.count;
            let mut next = || Ok(places.next()?.map_or(0, |(_, _, place)| place));
            let of_part = (0..values).map(|_| next());
            map = Some(of_part.collect::<io::Result<Vec<u64>>>()?);
        }
        for _ in 0..section.count {
            let id = cursor.integer(section.width)?;
            let Some(map) = &map else {
                output.integer(id)?;
                continue;
            };
            let place = usize::try_from(id).ok().and_then(|id| map.get(id));
            let &place = place.ok_or_else(|| damaged("number of a value"))?;
            output.integer(place)?;
        }
    }
    output.end_section()
}
