//! Makes record batches of the games of archives.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::concat::concat_batches;

use super::read::{ArchiveTable, BATCH_BYTES, BATCH_ROWS, BlockRows};
use super::schema::Selection;
use super::sorted::read_sorted;
use pgc::ask::ranked::PORTION;
use pgc::open::Archive;
use pgc::run::Error;
use pgc_index::Temp;

/// What to read, and how.
#[derive(Clone, Debug)]
pub struct TableOptions {
    /// The table, and its columns.
    pub selection: Selection,
    /// Number of threads; 0 is one for each processor.
    pub threads: usize,
    /// Approximate memory in bytes for rows that are not in archive order.
    pub memory: usize,
    /// The folder for temporary files.
    pub temp_dir: PathBuf,
}

impl TableOptions {
    /// The options to read these columns.
    pub fn new(selection: Selection) -> TableOptions {
        TableOptions {
            selection,
            threads: 0,
            memory: 256 << 20,
            temp_dir: std::env::temp_dir(),
        }
    }
}

/// Calls `each` with batches of rows, in the order of the games: pairs of the position of an
/// archive in `archives` and a game in it, numbered from 0, each once. Games in damaged blocks are
/// left out if their archive passes over damage; games whose rows an index gives are there.
///
/// If the games are not ascending, their rows are sorted by way of temporary files, so that every
/// block is decoded once: whatever the order, the time is linear and the memory bounded. Rows that
/// the indexes give need no sorting.
///
/// # Examples
/// ```
/// use pgc_tables::batches::{TableOptions, batches};
/// use pgc_tables::schema::{Selection, TableKind};
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
/// let options = TableOptions::new(Selection::usual(TableKind::Positions));
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
) -> Result<(), Error> {
    let mut gathered = GatheredBatches::new(options.selection.schema(), each);
    let read = if games.is_sorted() {
        read_ascending(archives, games, options, &mut gathered)
    } else {
        // Each of the two sorts has an eighth of this, a quarter of the whole.
        let temp = Temp {
            memory: options.memory.saturating_mul(2),
            dir: options.temp_dir.clone(),
        };
        read_sorted(archives, games, options, &temp, &mut gathered)
    };
    read.map_err(|error| match gathered.failed {
        true => error.bare(),
        false => error,
    })?;
    gathered.flush()
}

fn read_ascending(
    archives: &[&Archive],
    games: &[(u32, u32)],
    options: &TableOptions,
    gathered: &mut GatheredBatches<'_>,
) -> Result<(), Error> {
    for run in games.chunk_by(|a, b| a.0 == b.0) {
        let archive = archives[run[0].0 as usize];
        let named = |error| archive.named(error);
        let table = ArchiveTable::new(archive, &options.selection, options.threads);
        let table = table.map_err(named)?;
        for portion in run.chunks(PORTION) {
            let wanted: Vec<u32> = portion.iter().map(|game| game.1).collect();
            let read = table.read(&wanted, options.threads, &mut |rows| gathered.add(rows));
            read.map_err(named)?;
        }
    }
    Ok(())
}

/// Takes batches of a table.
pub(super) type BatchSink<'a> = dyn FnMut(RecordBatch) -> Result<(), Error> + 'a;

/// Joins the rows of blocks into batches.
pub(super) struct GatheredBatches<'a> {
    pub(super) schema: SchemaRef,
    batches: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
    each: &'a mut BatchSink<'a>,
    /// Whether `each` failed.
    pub(super) failed: bool,
}

impl<'a> GatheredBatches<'a> {
    pub(super) fn new(schema: SchemaRef, each: &'a mut BatchSink<'a>) -> GatheredBatches<'a> {
        GatheredBatches {
            schema,
            batches: Vec::new(),
            rows: 0,
            bytes: 0,
            each,
            failed: false,
        }
    }

    pub(super) fn add(&mut self, block: &mut BlockRows) -> Result<(), Error> {
        let (_, bytes) = block.size();
        match block.finish().map_err(arrow_error)? {
            Some(batch) => self.add_batch(batch, bytes),
            None => Ok(()),
        }
    }

    /// Adds rows that take about so many bytes.
    pub(super) fn add_batch(&mut self, batch: RecordBatch, bytes: usize) -> Result<(), Error> {
        self.rows += batch.num_rows();
        self.bytes += bytes;
        self.batches.push(batch);
        if self.rows >= BATCH_ROWS || self.bytes >= BATCH_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<(), Error> {
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

pub(super) fn arrow_error(error: ArrowError) -> Error {
    std::io::Error::other(error).into()
}
