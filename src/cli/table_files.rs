//! Writes tables of games and positions to Parquet files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::bail;
use pgc_io::input::Counter;
use pgc_io::output::Output;
use pgc_tables::batches::{TableOptions, batches};
use pgc_tables::parquet::ParquetFile;
use pgc_tables::schema::{Selection, TableKind};

use super::destination;
use super::failure::{Exit, WithName, of_archive};
use super::find_args::{FindArgs, NOTHING, TableName};
use super::gathered::Gathered;
use super::interrupt;
use super::output::{counted, grouped, shown};
use super::watch::Bar;

/// The most rows of a file in a folder.
const PART_GAMES: u64 = 1 << 20;
const PART_POSITIONS: u64 = 16 * PART_GAMES;

/// Refuses a folder that already has files of such a table, unless `force` is set.
pub(super) fn prepare_folder(folder: &Path, force: bool) -> anyhow::Result<()> {
    if folder.exists()
        && let Some((path, _)) = parts_in(folder)?.first().filter(|_| !force)
    {
        bail!("{}: already exists (replace it with -f)", shown(path));
    }
    Ok(())
}

/// The table files of an earlier run in a folder, and their numbers.
fn parts_in(folder: &Path) -> anyhow::Result<Vec<(PathBuf, u64)>> {
    let mut parts = Vec::new();
    for entry in fs::read_dir(folder).at(folder)? {
        let path = entry.at(folder)?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let number = name.and_then(|name| name.strip_prefix("part-")?.strip_suffix(".parquet"));
        if let Some(Ok(number)) = number.map(str::parse) {
            parts.push((path, number));
        }
    }
    parts.sort();
    Ok(parts)
}

fn part_path(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("part-{number:05}.parquet"))
}

/// The columns that the options name.
pub(super) fn selection(args: &FindArgs) -> anyhow::Result<Selection> {
    let kind = match args.table {
        None | Some(TableName::Games) => TableKind::Games,
        Some(TableName::Positions) => TableKind::Positions,
    };
    if !args.columns.is_empty() {
        let names: Vec<&str> = args.columns.iter().map(|name| name.trim()).collect();
        return Ok(Selection::named(kind, &names)?);
    }
    if args.with.is_empty() {
        return Ok(Selection::usual(kind));
    }
    let groups = args.with.iter().map(String::as_str);
    let groups: Vec<&str> = groups.filter(|name| *name != NOTHING).collect();
    if let Some(name) = groups.iter().find(|name| !kind.has_group(name)) {
        let kind = kind.name();
        bail!("--with {name}: the table of {kind} has no such columns");
    }
    Ok(Selection::of_groups(kind, &groups))
}

/// Writes the games to a file, or to several in a folder.
pub(super) fn write(
    gathered: &Gathered<'_>,
    output: Option<Output>,
    args: &FindArgs,
) -> anyhow::Result<Exit> {
    let Some(path) = gathered.file else {
        bail!("Parquet needs a file")
    };
    let options = TableOptions {
        selection: selection(args)?,
        threads: gathered.lookup.run.jobs,
        memory: gathered.memory,
        temp_dir: gathered.temp_dir(),
    };
    let in_folder = output.is_none();
    if in_folder {
        fs::create_dir_all(path).at(path)?;
        destination::clear(path);
    }
    let total = gathered.games.len() as u64;
    let is_games = options.selection.kind() == TableKind::Games;
    let (total, quiet) = (is_games.then_some(total), gathered.lookup.run.quiet);
    let bar = Bar::of_rows(total, &Counter::default(), quiet);
    let mut parts = ParquetParts {
        gathered,
        options: &options,
        folder: in_folder.then_some(path),
        open: None,
        done: Vec::new(),
        rows: 0,
    };
    if let Some(output) = output {
        parts.open = Some(parts.begin(output)?);
    }
    let read = batches(&gathered.archives, gathered.games, &options, &mut |batch| {
        interrupt::cancelled()?;
        parts.write(&batch)?;
        bar.advance(batch.num_rows() as u64);
        Ok(())
    });
    bar.finish();
    read.map_err(of_archive(&gathered.archives))?;
    gathered.may_commit()?;
    let rows = parts.rows;
    let bytes = parts.commit(path)?;
    if !quiet {
        let rows = counted(rows, if is_games { "game" } else { "position" });
        note_line!("{}: {rows}, {} bytes", shown(path), grouped(bytes));
    }
    Ok(Exit::Done)
}

/// The files being written. They get their names at the end, once all of them are complete.
struct ParquetParts<'a> {
    gathered: &'a Gathered<'a>,
    options: &'a TableOptions,
    folder: Option<&'a Path>,
    open: Option<ParquetFile<Output>>,
    done: Vec<Output>,
    rows: u64,
}

impl ParquetParts<'_> {
    fn begin(&self, output: Output) -> Result<ParquetFile<Output>, pgc::Error> {
        ParquetFile::new(output, &self.options.selection, self.options.threads)
    }

    fn write(&mut self, batch: &arrow_array::RecordBatch) -> Result<(), pgc::Error> {
        let most = match (self.folder, self.options.selection.kind()) {
            (None, _) => u64::MAX,
            (_, TableKind::Games) => PART_GAMES,
            (_, TableKind::Positions) => PART_POSITIONS,
        };
        let mut from = 0;
        while from < batch.num_rows() {
            let mut file = match self.open.take() {
                Some(file) => file,
                None => self.begin(self.next_part()?)?,
            };
            let room = usize::try_from(most - file.rows).unwrap_or(usize::MAX);
            let part = batch.slice(from, room.min(batch.num_rows() - from));
            from += part.num_rows();
            file.write(&part)?;
            self.rows += part.num_rows() as u64;
            match file.rows >= most {
                true => self.done.push(file.finish()?),
                false => self.open = Some(file),
            }
        }
        Ok(())
    }

    fn next_part(&self) -> Result<Output, pgc::Error> {
        let folder = self.folder.unwrap_or(Path::new(""));
        let path = part_path(folder, self.done.len());
        let archives = self.gathered.archives.iter();
        let inputs: Vec<_> = archives.map(|archive| archive.path().to_owned()).collect();
        let output = Output::create_from(&path, self.gathered.force, &inputs);
        Ok(output.map_err(|error| pgc_io::named(error, path.display()))?)
    }

    /// Moves the files to their names, and returns their total length in bytes.
    fn commit(mut self, path: &Path) -> anyhow::Result<u64> {
        if let Some(file) = self.open.take() {
            self.done.push(file.finish().at(path)?);
        } else if self.done.is_empty() {
            // A table without rows gets a file too.
            let file = self.begin(self.next_part()?)?;
            self.done.push(file.finish().at(path)?);
        }
        let count = self.done.len();
        let mut bytes = 0;
        for (number, mut output) in self.done.into_iter().enumerate() {
            output.flush().at(path)?;
            let place = match self.folder {
                Some(folder) => part_path(folder, number),
                None => path.to_owned(),
            };
            output.commit().at(&place)?;
            bytes += fs::metadata(&place).map_or(0, |found| found.len());
        }
        // Readers would take further files of an earlier run for part of this table.
        if let Some(folder) = self.folder {
            for (path, number) in parts_in(folder)? {
                if number >= count as u64 {
                    fs::remove_file(&path).at(&path)?;
                }
            }
        }
        Ok(bytes)
    }
}
