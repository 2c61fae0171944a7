//! Rows of games in any order: from the indexes alone, or read in archive order, each block once,
//! and sorted as bytes in bounded memory.

use arrow_array::RecordBatch;
use arrow_row::{RowConverter, RowParser, SortField};
use arrow_schema::SchemaRef;

use super::batches::{GatheredBatches, TableOptions, arrow_error};
use super::read::{ArchiveTable, BATCH_BYTES, BATCH_ROWS, BlockRows, answer_from_indexes};
use pgc::ask::ranked::{RankOrder, in_archive_order};
use pgc::open::Archive;
use pgc::run::Error;
use pgc_index::Temp;

/// Reads rows of games in the order of the list.
pub(super) fn read_sorted(
    archives: &[&Archive],
    games: &[(u32, u32)],
    options: &TableOptions,
    temp: &Temp,
    gathered: &mut GatheredBatches<'_>,
) -> Result<(), Error> {
    let mut tables = Vec::with_capacity(archives.len());
    for archive in archives {
        let table = ArchiveTable::new(archive, &options.selection, options.threads);
        tables.push(table.map_err(|error| archive.named(error))?);
    }
    let tables: Vec<&ArchiveTable<'_>> = tables.iter().collect();
    let answered = answer_from_indexes(&tables, games, &mut |rows| gathered.add(rows))?;
    if answered == games.len() {
        return Ok(());
    }
    let mut sorter = RowSorter::new(&gathered.schema, temp)?;
    let rest = games[answered..].iter();
    let mut rest = rest.map(|&(archive, game)| (archive as usize, game));
    in_archive_order(&mut rest, temp, &mut |number, portion| {
        let archive = archives[number];
        let mut of_sorter = false;
        let list: Vec<u32> = portion.iter().map(|game| game.0).collect();
        let read = tables[number].read(&list, options.threads, &mut |rows| {
            sorter.add(rows, portion).inspect_err(|_| of_sorter = true)
        });
        read.map_err(|error| match of_sorter {
            true => error,
            false => archive.named(error),
        })
    })?;
    sorter.drain(gathered)
}

/// Length of the field before each row that says how long the row is.
const LENGTH: usize = 4;

/// Sorts rows by the positions of their games in a list.
struct RowSorter {
    schema: SchemaRef,
    converter: RowConverter,
    order: RankOrder,
    /// Rows of a game.
    entry: Vec<u8>,
}

impl RowSorter {
    fn new(schema: &SchemaRef, temp: &Temp) -> Result<RowSorter, Error> {
        let fields = schema.fields().iter();
        let fields = fields.map(|field| SortField::new(field.data_type().clone()));
        Ok(RowSorter {
            schema: SchemaRef::clone(schema),
            converter: RowConverter::new(fields.collect()).map_err(arrow_error)?,
            order: RankOrder::new(temp),
            entry: Vec::new(),
        })
    }

    /// Adds rows of games of a portion (each with its position in the list), some at a time: a game
    /// may have a million positions.
    fn add(&mut self, block: &mut BlockRows, portion: &[(u32, u64)]) -> Result<(), Error> {
        let games = block.games.clone();
        let Some(batch) = block.finish().map_err(arrow_error)? else {
            return Ok(());
        };
        let mut open = games.iter().peekable();
        for begin in (0..batch.num_rows()).step_by(BATCH_ROWS) {
            let slice = batch.slice(begin, BATCH_ROWS.min(batch.num_rows() - begin));
            let end = begin + slice.num_rows();
            let rows = self.converter.convert_columns(slice.columns());
            let rows = rows.map_err(arrow_error)?;
            let mut from = begin;
            while let Some(&&(game, to)) = open.peek() {
                self.entry.clear();
                for row in (from..to.min(end)).map(|row| rows.row(row - begin)) {
                    let bytes = row.data();
                    let length = u32::try_from(bytes.len())
                        .map_err(|_| std::io::Error::other("a row of more than 4 GiB"))?;
                    self.entry.extend_from_slice(&length.to_le_bytes());
                    self.entry.extend_from_slice(bytes);
                }
                // Entries with the same rank keep their order.
                let place = portion.binary_search_by_key(&game, |game| game.0);
                if let Some(place) = place.ok().filter(|_| !self.entry.is_empty()) {
                    self.order.put(portion[place].1, &self.entry)?;
                }
                if to > end {
                    break;
                }
                from = to;
                open.next();
            }
        }
        Ok(())
    }

    /// Passes the rows on in the order of the list.
    fn drain(self, gathered: &mut GatheredBatches<'_>) -> Result<(), Error> {
        // One long game may have made it large.
        drop(self.entry);
        let mut found = SortedRows {
            schema: self.schema,
            parser: self.converter.parser(),
            converter: self.converter,
            bytes: Vec::new(),
            ends: Vec::new(),
        };
        self.order.each(|_, mut rest| {
            while let Some((length, behind)) = rest.split_first_chunk::<LENGTH>() {
                let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
                let row = behind.get(..length);
                let row =
                    row.ok_or_else(|| std::io::Error::from(std::io::ErrorKind::UnexpectedEof))?;
                found.bytes.extend_from_slice(row);
                found.ends.push(found.bytes.len());
                rest = &behind[length..];
                if found.ends.len() >= BATCH_ROWS || found.bytes.len() >= BATCH_BYTES {
                    found.flush(gathered)?;
                }
            }
            Ok(())
        })?;
        found.flush(gathered)
    }
}

/// Rows as bytes, before they become a batch.
struct SortedRows {
    schema: SchemaRef,
    converter: RowConverter,
    parser: RowParser,
    bytes: Vec<u8>,
    /// Where each row ends in the bytes.
    ends: Vec<usize>,
}

impl SortedRows {
    fn flush(&mut self, gathered: &mut GatheredBatches<'_>) -> Result<(), Error> {
        if self.ends.is_empty() {
            return Ok(());
        }
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        let spans = begins.zip(&self.ends);
        let rows = spans.map(|(begin, &end)| self.parser.parse(&self.bytes[begin..end]));
        let columns = self.converter.convert_rows(rows).map_err(arrow_error)?;
        let batch = RecordBatch::try_new(SchemaRef::clone(&self.schema), columns);
        let bytes = self.bytes.len();
        self.bytes.clear();
        // Nor is the room for one long row kept.
        self.bytes.shrink_to(2 * BATCH_BYTES);
        self.ends.clear();
        gathered.add_batch(batch.map_err(arrow_error)?, bytes)
    }
}
