//! Writes Parquet files into folders as Hive names them: `year=1992/games.parquet`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, UInt32Array, downcast_integer_array};
use arrow_schema::DataType;
use arrow_select::take::take_record_batch;

use super::batches::{TableOptions, arrow_error, batches};
use super::parquet::{ParquetFile, ParquetOptions};
use super::schema::{Selection, TableKind};
use pgc::open::Archive;
use pgc::run::Error;
use pgc_io::threads;

/// The row groups of all files together take about so many bytes of memory before they end.
const OPEN_BYTES: usize = 256 << 20;

/// The most files, which are all open until the last game is written.
const MOST_FILES: usize = 1_000;

/// Writes a table of games into the new folder FOLDER, as `FOLDER/COLUMN=VALUE/games.parquet` for
/// each value of a column of text or of whole numbers. The files are without this column, which
/// readers take from the names. The other arguments are those of [`batches`]; `tell` learns how many
/// rows were written. Returns the number of all rows.
///
/// # Errors
/// Those of [`batches`], and of `tell`; [`Error::Io`] if there is no such column, or if it has more
/// than 1,000 values.
pub fn write_folders(
    (folder, column): (&Path, &str),
    archives: &[&Archive],
    games: &[(u32, u32)],
    options: &TableOptions,
    parquet: ParquetOptions,
    tell: &mut dyn FnMut(u64) -> Result<(), Error>,
) -> Result<u64, Error> {
    let by = Selection::named(TableKind::Games, &[column]).map_err(io::Error::other)?;
    let selection = options.selection.with(&by);
    let by = by.schema();
    let column = by.field(0).name();
    let place = selection.schema().index_of(column).map_err(arrow_error)?;
    let options = TableOptions {
        selection,
        ..options.clone()
    };
    let pool = Arc::new(threads::pool(threads::count(options.threads))?);
    let mut files: BTreeMap<String, ParquetFile<File>> = BTreeMap::new();
    fs::create_dir(folder)?;
    batches(archives, games, &options, &mut |mut batch| {
        let values = batch.remove_column(place);
        let mut rows_of: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for row in 0..batch.num_rows() {
            let name = format!("{column}={}", value(&values, row)?);
            rows_of.entry(name).or_default().extend(u32::try_from(row));
        }
        for (name, rows) in rows_of {
            let open = files.len();
            let file = match files.entry(name) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    if open == MOST_FILES {
                        let what = format!("{column} has more than {MOST_FILES} values");
                        return Err(io::Error::other(what).into());
                    }
                    let folder = folder.join(new.key());
                    fs::create_dir(&folder)?;
                    let file = File::create_new(folder.join("games.parquet"))?;
                    new.insert(ParquetFile::new(
                        file,
                        batch.schema(),
                        &options,
                        parquet,
                        &pool,
                    )?)
                }
            };
            let part = take_record_batch(&batch, &UInt32Array::from(rows));
            file.write(&part.map_err(arrow_error)?)?;
        }
        if files.values().map(ParquetFile::bytes).sum::<usize>() >= OPEN_BYTES {
            files.values_mut().try_for_each(ParquetFile::end_group)?;
        }
        tell(batch.num_rows() as u64)
    })?;
    let files = files.into_values().map(ParquetFile::finish);
    files.sum()
}

/// A value as Hive makes it the part of a path.
fn value(values: &dyn Array, row: usize) -> io::Result<String> {
    if values.is_null(row) {
        return Ok("__HIVE_DEFAULT_PARTITION__".to_owned());
    }
    let text = downcast_integer_array!(
        values => values.value(row).to_string(),
        DataType::Utf8 => values.as_string::<i32>().value(row).to_owned(),
        _ => return Err(io::Error::other("only text and whole numbers divide a table")),
    );
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-~ ".contains(&byte);
    if text.bytes().all(is_plain) {
        return Ok(text);
    }
    let one = |byte: u8| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    Ok(text.bytes().map(one).collect())
}
