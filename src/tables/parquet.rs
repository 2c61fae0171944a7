//! Writes record batches to a Parquet file.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::arrow::{ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;
use rayon::ThreadPool;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use pgc::run::Error;
use pgc_io::threads;

/// The most rows of a row group: a size that most readers expect.
const GROUP_GAMES: usize = 122_880;
const GROUP_POSITIONS: usize = 16 * GROUP_GAMES;

/// A row group also ends when it takes this many bytes: it stays in memory until it ends.
const GROUP_BYTES: usize = 64 << 20;

/// 4 to 14 % smaller than level 1, and read as fast; above it files hardly get smaller
/// (benches/README.md).
const LEVEL: i32 = 9;

/// Columns that a dictionary of their values makes longer.
const WITHOUT_DICTIONARY: [&str; 4] = ["number", "ply", "key", "evals.list.item"];

/// Columns with Bloom filters, by which a reader passes over row groups without a player or a
/// position.
const FILTERED: [&str; 3] = ["white", "black", "key"];

use super::schema::{Selection, TableKind};

/// Writes a Parquet file; the columns of a batch are encoded in parallel.
pub struct ParquetFile<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    factory: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    pool: ThreadPool,
    /// The columns of the open row group.
    columns: Vec<ArrowColumnWriter>,
    group_rows: usize,
    most_rows: usize,
    /// The number of rows so far.
    pub rows: u64,
}

impl<W: Write + Send> std::fmt::Debug for ParquetFile<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetFile")
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

impl<W: Write + Send> ParquetFile<W> {
    /// Begins a file with these columns. `threads`: 0 is one for each processor.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn new(out: W, selection: &Selection, threads: usize) -> Result<ParquetFile<W>, Error> {
        let schema = selection.schema();
        let most_rows = match selection.kind() {
            TableKind::Games => GROUP_GAMES,
            TableKind::Positions => GROUP_POSITIONS,
        };
        let metadata = schema.metadata().iter();
        let pairs = metadata.map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
        let level = ZstdLevel::try_new(LEVEL).map_err(failed)?;
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_created_by(format!("pgc version {}", env!("CARGO_PKG_VERSION")))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_key_value_metadata(Some(pairs.collect()))
            .set_column_encoding("number".into(), Encoding::DELTA_BINARY_PACKED);
        for column in WITHOUT_DICTIONARY {
            let path = column.split('.').map(str::to_owned).collect::<Vec<_>>();
            properties = properties.set_column_dictionary_enabled(ColumnPath::new(path), false);
        }
        for column in FILTERED.iter().filter(|name| schema.index_of(name).is_ok()) {
            properties = properties
                .set_column_bloom_filter_enabled((*column).into(), true)
                .set_column_bloom_filter_max_ndv((*column).into(), most_rows as u64);
        }
        let mut properties = properties.build();
        add_encoded_arrow_schema_to_metadata(&schema, &mut properties);
        let columns = ArrowSchemaConverter::new().convert(&schema);
        let root = columns.map_err(failed)?.root_schema_ptr();
        let writer = SerializedFileWriter::new(out, root, Arc::new(properties)).map_err(failed)?;
        let factory = ArrowRowGroupWriterFactory::new(&writer, Arc::clone(&schema));
        Ok(ParquetFile {
            writer,
            factory,
            schema,
            pool: threads::pool(threads::count(threads))?,
            columns: Vec::new(),
            group_rows: 0,
            most_rows,
            rows: 0,
        })
    }

    /// Appends rows.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let mut from = 0;
        while from < batch.num_rows() {
            let room = self.most_rows - self.group_rows;
            let part = batch.slice(from, room.min(batch.num_rows() - from));
            from += part.num_rows();
            self.write_part(&part)?;
        }
        Ok(())
    }

    /// Appends rows for which the row group has room.
    fn write_part(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        if self.columns.is_empty() {
            let group = self.writer.flushed_row_groups().len();
            self.columns = self.factory.create_column_writers(group).map_err(failed)?;
        }
        let mut leaves = Vec::with_capacity(self.columns.len());
        for (field, array) in self.schema.fields().iter().zip(batch.columns()) {
            leaves.extend(compute_leaves(field, array).map_err(failed)?);
        }
        let columns = &mut self.columns;
        let encode = || {
            let pairs = columns.into_par_iter().zip(leaves);
            pairs.try_for_each(|(column, leaf)| column.write(&leaf))
        };
        self.pool.install(encode).map_err(failed)?;
        self.group_rows += batch.num_rows();
        self.rows += batch.num_rows() as u64;
        let sizes = self.columns.iter().map(ArrowColumnWriter::memory_size);
        if self.group_rows >= self.most_rows || sizes.sum::<usize>() >= GROUP_BYTES {
            self.end_group()?;
        }
        Ok(())
    }

    fn end_group(&mut self) -> Result<(), Error> {
        let columns = std::mem::take(&mut self.columns);
        if columns.is_empty() {
            return Ok(());
        }
        let close = || {
            let chunks = columns.into_par_iter().map(ArrowColumnWriter::close);
            chunks.collect::<Result<Vec<_>, _>>()
        };
        let chunks = self.pool.install(close).map_err(failed)?;
        let mut group = self.writer.next_row_group().map_err(failed)?;
        for chunk in chunks {
            chunk.append_to_row_group(&mut group).map_err(failed)?;
        }
        group.close().map_err(failed)?;
        self.group_rows = 0;
        Ok(())
    }

    /// Completes the file, and returns what it was written to.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn finish(mut self) -> Result<W, Error> {
        self.end_group()?;
        self.writer.into_inner().map_err(failed)
    }
}

/// Unwraps an I/O error, so that a full disk is reported as such.
fn failed(error: ParquetError) -> Error {
    let error = match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    };
    error.into()
}
