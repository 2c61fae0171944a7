//! Reads games of archives into record batches: blocks in parallel, rows in order.

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::concat::concat_batches;

use super::games::{GameRows, RowPlace};
use super::indexed::IndexedGames;
use super::positions::PositionRows;
use super::schema::{Selection, TableColumn, TableKind};
use crate::archive::fault::ArchiveFault;
use crate::archive::games::walk::BlockGames;
use crate::archive::open::Archive;
use crate::archive::stream::walk::BlockPlace;
use crate::index::{Index, IndexError};
use crate::run::Error;

/// A batch ends with the block that brings it to so many rows, or so many bytes.
const BATCH_ROWS: usize = 8192;
const BATCH_BYTES: usize = 8 << 20;

/// The rows of a block take at most about so many bytes while other blocks are read; more of them,
/// and nearly no block has more, are read later, on one thread. Several threads are at work, and
/// the memory is bounded for all of them.
const BLOCK_BYTES: usize = 12 << 20;

/// The number of games whose blocks are looked up together.
const PORTION: usize = 1 << 16;

/// What to read.
#[derive(Clone, Debug)]
pub struct TableOptions {
    /// The table, and its columns.
    pub selection: Selection,
    /// Number of threads; 0 is one for each processor.
    pub threads: usize,
}

/// Calls `each` with batches of rows, in the order of the games: pairs of the position of an
/// archive in `archives` and a game in it, numbered from 0, ascending. Games in damaged blocks are
/// left out if their archive passes over damage.
///
/// # Examples
/// ```
/// use pgc::internals::tables::{Selection, TableKind, TableOptions, batches};
/// use pgc::{Archive, NoHooks, PackOptions, pack};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("two.pgc");
/// let pgn = &mut &b"1. e4 e5 *\n\n1. d4 *\n"[..];
/// let mut bytes = Vec::new();
/// pack(pgn, "two.pgn", &mut bytes, &PackOptions::default(), &mut NoHooks)?;
/// std::fs::write(&path, bytes)?;
///
/// let archive = Archive::open(&path)?;
/// let options = TableOptions {
///     selection: Selection::usual(TableKind::Positions),
///     threads: 1,
/// };
/// let mut rows = 0;
/// batches(&[&archive], &[(0, 0), (0, 1)], &options, &mut |batch| {
///     rows += batch.num_rows();
///     Ok(())
/// })?;
/// // Three positions of the first game and two of the second.
/// assert_eq!(rows, 5);
/// # Ok::<(), pgc::Error>(())
/// ```
///
/// # Errors
/// [`Error::Damaged`], [`Error::Io`], and those of `each`, which are about no archive.
pub fn batches(
    archives: &[&Archive],
    games: &[(u32, u32)],
    options: &TableOptions,
    each: &mut dyn FnMut(RecordBatch) -> Result<(), Error>,
) -> Result<(), ArchiveFault> {
    let mut gathered = GatheredBatches {
        schema: options.selection.schema(),
        batches: Vec::new(),
        rows: 0,
        bytes: 0,
        each,
        failed: false,
    };
    for run in games.chunk_by(|a, b| a.0 == b.0) {
        let number = run[0].0 as usize;
        let archive = archives[number];
        let read = read_archive(archive, run, options, &mut gathered);
        read.map_err(|error| ArchiveFault {
            archive: Some(number).filter(|_| !gathered.failed),
            error,
        })?;
    }
    Ok(gathered.flush()?)
}

fn read_archive(
    archive: &Archive,
    games: &[(u32, u32)],
    options: &TableOptions,
    gathered: &mut GatheredBatches<'_>,
) -> Result<(), Error> {
    let table = ArchiveTable::new(archive, options)?;
    for portion in games.chunks(PORTION) {
        let wanted: Vec<u32> = portion.iter().map(|game| game.1).collect();
        let answered = table.answer_from_index(&wanted, gathered)?;
        if answered == wanted.len() {
            continue;
        }
        archive.scan(
            Some(&wanted[answered..]),
            options.threads,
            |place, games, rows| table.push(place, games, rows),
            |mut rows: BlockRows| {
                gathered.add(&mut rows)?;
                while !rows.late.is_empty() {
                    rows = table.read_late(&rows.late)?;
                    gathered.add(&mut rows)?;
                }
                Ok(())
            },
        )?;
    }
    Ok(())
}

/// An archive whose games become rows.
struct ArchiveTable<'a> {
    archive: &'a Archive,
    path: String,
    /// The names of the sources, and the numbers of games up to the end of each.
    sources: Vec<(u64, Option<String>)>,
    selection: Selection,
}

/// Rows of a block.
#[derive(Default)]
struct BlockRows {
    rows: Option<TableRows>,
    /// The games of the block that are not among them.
    late: Vec<u32>,
    /// The text of the current game.
    text: Vec<u8>,
}

enum TableRows {
    Games(Box<GameRows>),
    Positions(Box<PositionRows>),
}

impl TableRows {
    fn new(selection: Selection) -> TableRows {
        match selection.kind() {
            TableKind::Games => TableRows::Games(Box::new(GameRows::new(selection))),
            TableKind::Positions => TableRows::Positions(Box::new(PositionRows::new(selection))),
        }
    }

    /// The number of rows, and about their bytes.
    fn size(&self) -> (usize, usize) {
        match self {
            TableRows::Games(rows) => (rows.rows(), rows.bytes()),
            TableRows::Positions(rows) => (rows.rows(), rows.bytes()),
        }
    }

    fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        match self {
            TableRows::Games(rows) => rows.finish(),
            TableRows::Positions(rows) => rows.finish(),
        }
    }
}

impl ArchiveTable<'_> {
    fn new<'a>(archive: &'a Archive, options: &TableOptions) -> Result<ArchiveTable<'a>, Error> {
        let (mut sources, mut end) = (Vec::new(), 0);
        if options.selection.has(TableColumn::Source) {
            archive.each_segment(options.threads, |name, games| {
                end += games;
                sources.push((end, name.map(str::to_owned)));
                Ok(())
            })?;
        }
        Ok(ArchiveTable {
            archive,
            path: archive.path().display().to_string(),
            sources,
            selection: options.selection,
        })
    }

    fn row_place(&self, game: u64) -> RowPlace<'_> {
        let source = self.sources.partition_point(|source| source.0 <= game);
        RowPlace {
            archive: &self.path,
            number: self.archive.number_of(game),
            source: self.sources.get(source).and_then(|s| s.1.as_deref()),
        }
    }

    /// Adds the first of these games from the index alone, and returns how many: all of them, none
    /// if the index lacks a column, or those before the first value that it may have cut. After
    /// damage in the index its archive does not use it any more.
    fn answer_from_index(
        &self,
        games: &[u32],
        gathered: &mut GatheredBatches<'_>,
    ) -> Result<usize, Error> {
        let mut answered = 0;
        while answered < games.len()
            && let Some(index) = self.archive.index()
        {
            let mut rows = GameRows::new(self.selection);
            match self.push_indexed(index, &games[answered..], &mut rows) {
                Ok(()) => {}
                // Reading failed; the index may be fine.
                Err(IndexError::Io(error)) => return Err(error.into()),
                // The rows so far were read before the damage was met.
                Err(error) => self.archive.give_up_index(&error),
            }
            if rows.rows() == 0 {
                break;
            }
            answered += rows.rows();
            gathered.add_rows(&mut TableRows::Games(Box::new(rows)))?;
        }
        Ok(answered)
    }

    /// Adds games until the rows make a batch, or the index does not say all of a game.
    fn push_indexed<D: AsRef<[u8]>>(
        &self,
        index: &Index<D>,
        games: &[u32],
        rows: &mut GameRows,
    ) -> Result<(), IndexError> {
        let Some(mut reader) = IndexedGames::of(index, self.selection)? else {
            return Ok(());
        };
        for &game in games {
            let Some(found) = reader.game(game)? else {
                break;
            };
            rows.push_indexed(self.row_place(game.into()), &found);
            if rows.rows() >= BATCH_ROWS || rows.bytes() >= BATCH_BYTES {
                break;
            }
        }
        Ok(())
    }

    /// Adds the current game to the rows of its block.
    fn push(
        &self,
        place: &BlockPlace,
        games: &mut BlockGames<'_>,
        block: &mut BlockRows,
    ) -> Result<(), Error> {
        let game = games.number() - 1;
        let new = || TableRows::new(self.selection);
        let rows = block.rows.get_or_insert_with(new);
        if rows.size().1 > BLOCK_BYTES {
            block.late.push(u32::try_from(game).unwrap_or(u32::MAX));
            return Ok(());
        }
        let row = self.row_place(game);
        match rows {
            TableRows::Positions(rows) => rows.push(row, games),
            TableRows::Games(rows) => {
                rows.push(row, games)?;
                if self.selection.has(TableColumn::Pgn) {
                    // The text may go on in the next blocks, and reading it moves on from the game.
                    block.text.clear();
                    self.archive.text_of(place, games, &mut |bytes| {
                        block.text.extend_from_slice(bytes);
                        Ok(())
                    })?;
                    rows.push_text(&block.text);
                }
                Ok(())
            }
        }
    }

    /// Reads games that were left out of the rows of their block.
    fn read_late(&self, late: &[u32]) -> Result<BlockRows, Error> {
        let mut found = BlockRows::default();
        self.archive.scan(
            Some(late),
            1,
            |place, games, rows| self.push(place, games, rows),
            |rows| {
                found = rows;
                Ok(())
            },
        )?;
        Ok(found)
    }
}

/// Joins the rows of blocks into batches.
struct GatheredBatches<'a> {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
    each: &'a mut dyn FnMut(RecordBatch) -> Result<(), Error>,
    /// Whether `each` failed.
    failed: bool,
}

impl GatheredBatches<'_> {
    fn add(&mut self, block: &mut BlockRows) -> Result<(), Error> {
        match &mut block.rows {
            Some(rows) => self.add_rows(rows),
            None => Ok(()),
        }
    }

    fn add_rows(&mut self, rows: &mut TableRows) -> Result<(), Error> {
        let (count, bytes) = rows.size();
        self.batches.push(rows.finish().map_err(arrow_error)?);
        self.rows += count;
        self.bytes += bytes;
        if self.rows >= BATCH_ROWS || self.bytes >= BATCH_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        let batches = std::mem::take(&mut self.batches);
        let joined = match <[RecordBatch; 1]>::try_from(batches) {
            Ok([only]) => only,
            Err(several) => concat_batches(&self.schema, &several).map_err(arrow_error)?,
        };
        (self.rows, self.bytes) = (0, 0);
        if joined.num_rows() == 0 {
            return Ok(());
        }
        (self.each)(joined).inspect_err(|_| self.failed = true)
    }
}

fn arrow_error(error: ArrowError) -> Error {
    std::io::Error::other(error).into()
}
