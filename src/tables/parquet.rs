//! Writes record batches to a Parquet file.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Fields, Schema, SchemaRef};
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::arrow::{ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::statistics::Statistics;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, SchemaDescriptor};
use rayon::ThreadPool;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::batches::{TableOptions, batches};
use super::schema::TableKind;
use pgc::open::Archive;
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

/// Columns that a dictionary of their values makes longer, with the code that makes them shorter.
const WITHOUT_DICTIONARY: [(&str, Encoding); 8] = [
    ("number", Encoding::DELTA_BINARY_PACKED),
    ("ply", Encoding::PLAIN),
    ("key", Encoding::PLAIN),
    ("evals.list.element", Encoding::PLAIN),
    ("clocks.list.element", Encoding::BYTE_STREAM_SPLIT),
    ("elapsed.list.element", Encoding::BYTE_STREAM_SPLIT),
    ("clock", Encoding::BYTE_STREAM_SPLIT),
    ("elapsed", Encoding::BYTE_STREAM_SPLIT),
];

/// Columns of text whose values begin alike. Once their dictionary has so many bytes, most values
/// are new.
const ALIKE: [&str; 3] = ["site", "url", "fen"];
const ALIKE_BYTES: usize = 64 << 10;

/// Long texts, whose least and greatest values chose no page.
const LONG: [&str; 4] = ["pgn", "tail", "first_comment", "comment"];

/// Columns with Bloom filters, by which a reader passes over row groups without a player or a
/// position.
const FILTERED: [&str; 3] = ["white", "black", "key"];

/// How a Parquet file is written; `None` suits most readers of the table.
#[derive(Clone, Copy, Debug, Default)]
pub struct ParquetOptions {
    /// The most rows of a row group.
    pub group_rows: Option<usize>,
    /// The level of Zstandard, from 1 to 22.
    pub level: Option<i32>,
}

/// Writes a Parquet file; the columns of a batch are encoded in parallel.
pub(super) struct ParquetFile<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    factory: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    /// So many columns, the first ones, are left out if they are null throughout: nobody asked for
    /// them.
    unasked: usize,
    pool: Arc<ThreadPool>,
    /// The columns of the open row group.
    columns: Vec<ArrowColumnWriter>,
    group_rows: usize,
    most_rows: usize,
    /// The number of rows so far.
    rows: u64,
}

impl<W: Write + Send> ParquetFile<W> {
    /// Begins a file with these columns.
    pub(super) fn new(
        out: W,
        schema: SchemaRef,
        table: &TableOptions,
        options: ParquetOptions,
        pool: &Arc<ThreadPool>,
    ) -> Result<ParquetFile<W>, Error> {
        let usual = match table.selection.kind() {
            TableKind::Games => GROUP_GAMES,
            TableKind::Positions | TableKind::Nodes => GROUP_POSITIONS,
        };
        let most_rows = options.group_rows.unwrap_or(usual).max(1);
        let level = options.level.unwrap_or(LEVEL);
        let properties = Arc::new(properties(&schema, most_rows, level).map_err(failed)?);
        let root = parquet_schema(&schema).map_err(failed)?.root_schema_ptr();
        let writer = SerializedFileWriter::new(out, root, properties).map_err(failed)?;
        let factory = ArrowRowGroupWriterFactory::new(&writer, Arc::clone(&schema));
        Ok(ParquetFile {
            writer,
            factory,
            schema,
            unasked: table.selection.unasked,
            pool: Arc::clone(pool),
            columns: Vec::new(),
            group_rows: 0,
            most_rows,
            rows: 0,
        })
    }

    /// Appends rows.
    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
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
        if self.group_rows >= self.most_rows || self.bytes() >= GROUP_BYTES {
            self.end_group()?;
        }
        Ok(())
    }

    /// About how many bytes the open row group takes.
    pub(super) fn bytes(&self) -> usize {
        let sizes = self.columns.iter().map(ArrowColumnWriter::memory_size);
        sizes.sum()
    }

    pub(super) fn end_group(&mut self) -> Result<(), Error> {
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

    /// Completes the file; returns the number of its rows.
    pub(super) fn finish(mut self) -> Result<u64, Error> {
        self.end_group()?;
        let metadata = self.writer.finish().map_err(failed)?;
        let used = without_nulls(&self.schema, &metadata, self.unasked);
        if let Some(used) = used.map_err(failed)? {
            // The last footer counts.
            let mut footer = Vec::new();
            let writer = ParquetMetaDataWriter::new(&mut footer, &used);
            writer.finish().map_err(failed)?;
            self.writer.write_all(&footer)?;
            self.writer.flush()?;
        }
        Ok(self.rows)
    }
}

/// Writes a table of games to a file. The arguments are those of [`batches`]; `tell` learns how many
/// rows were written. Returns the number of all rows.
///
/// # Errors
/// Those of [`batches`], and of `tell`.
pub fn write_parquet(
    out: impl Write + Send,
    archives: &[&Archive],
    games: &[(u32, u32)],
    options: &TableOptions,
    parquet: ParquetOptions,
    tell: &mut dyn FnMut(u64) -> Result<(), Error>,
) -> Result<u64, Error> {
    let pool = Arc::new(threads::pool(threads::count(options.threads))?);
    let schema = options.selection.schema();
    let mut file = ParquetFile::new(out, schema, options, parquet, &pool)?;
    batches(archives, games, options, &mut |batch| {
        file.write(&batch)?;
        tell(batch.num_rows() as u64)
    })?;
    file.finish()
}

/// The name and version of the table, and its schema of Arrow.
fn labels(schema: &Schema) -> Option<Vec<KeyValue>> {
    let labels = schema.metadata().iter();
    let labels = labels.map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
    let properties = WriterProperties::builder().set_key_value_metadata(Some(labels.collect()));
    let mut properties = properties.build();
    add_encoded_arrow_schema_to_metadata(schema, &mut properties);
    properties.key_value_metadata().cloned()
}

fn parquet_schema(schema: &Schema) -> Result<SchemaDescriptor, ParquetError> {
    // Lists and maps get the names that Parquet prescribes: `element`, `key_value`.
    let converter = ArrowSchemaConverter::new().with_coerce_types(true);
    converter.convert(schema)
}

fn properties(
    schema: &Schema,
    most_rows: usize,
    level: i32,
) -> Result<WriterProperties, ParquetError> {
    let path = |name: &str| ColumnPath::new(name.split('.').map(str::to_owned).collect());
    let level = ZstdLevel::try_new(level)?;
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_created_by(format!("pgc version {}", env!("CARGO_PKG_VERSION")))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_coerce_types(true)
        .set_key_value_metadata(labels(schema));
    for (column, encoding) in WITHOUT_DICTIONARY {
        properties = properties
            .set_column_dictionary_enabled(path(column), false)
            .set_column_encoding(path(column), encoding);
    }
    for column in ALIKE {
        properties = properties
            .set_column_dictionary_page_size_limit(path(column), ALIKE_BYTES)
            .set_column_encoding(path(column), Encoding::DELTA_BYTE_ARRAY);
    }
    let names = schema.fields().iter();
    let names = names
        .filter(|field| !field.data_type().is_nested())
        .map(|field| &**field.name());
    for column in names {
        if !LONG.contains(&column) {
            let level = EnabledStatistics::Page;
            properties = properties.set_column_statistics_enabled(path(column), level);
        }
        if FILTERED.contains(&column) {
            // Groups of more rows end by their bytes before.
            let values = most_rows.min(GROUP_POSITIONS) as u64;
            properties = properties
                .set_column_bloom_filter_enabled(path(column), true)
                .set_column_bloom_filter_max_ndv(path(column), values);
        }
    }
    Ok(properties.build())
}

/// What a file has besides those of its first columns that are null throughout; `None` if there are
/// none, or no rows.
fn without_nulls(
    schema: &Schema,
    metadata: &ParquetMetaData,
    first: usize,
) -> Result<Option<ParquetMetaData>, ParquetError> {
    let file = metadata.file_metadata();
    let described = file.schema_descr_ptr();
    let mut used = vec![metadata.num_row_groups() == 0; schema.fields().len()];
    for group in metadata.row_groups() {
        for (leaf, chunk) in group.columns().iter().enumerate() {
            let nulls = chunk.statistics().and_then(Statistics::null_count_opt);
            let is_null = nulls == u64::try_from(chunk.num_values()).ok();
            let root = described.get_column_root_idx(leaf);
            used[root] |= root >= first || !(is_null && schema.field(root).is_nullable());
        }
    }
    if !used.contains(&false) {
        return Ok(None);
    }
    let fields = schema.fields().iter().zip(&used).filter(|field| *field.1);
    let fields: Fields = fields.map(|field| Arc::clone(field.0)).collect();
    let left = Schema::new_with_metadata(fields, schema.metadata().clone());
    let now = Arc::new(parquet_schema(&left)?);
    let group = |group: &RowGroupMetaData| {
        let chunks = group.columns().iter().enumerate();
        let chunks = chunks.filter(|chunk| used[described.get_column_root_idx(chunk.0)]);
        RowGroupMetaData::builder(Arc::clone(&now))
            .set_num_rows(group.num_rows())
            .set_total_byte_size(group.total_byte_size())
            .set_column_metadata(chunks.map(|chunk| chunk.1.clone()).collect())
            .build()
    };
    let groups = metadata.row_groups().iter().map(group);
    let groups = groups.collect::<Result<Vec<_>, _>>()?;
    let (version, rows) = (file.version(), file.num_rows());
    let creator = file.created_by().map(str::to_owned);
    let file = FileMetaData::new(version, rows, creator, labels(&left), now, None);
    Ok(Some(ParquetMetaData::new(file, groups)))
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
