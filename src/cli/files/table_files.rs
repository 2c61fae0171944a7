//! Writes tables of games and positions to Parquet files.

use std::fs;

use anyhow::bail;
use pgc_io::input::Counter;
use pgc_io::output::Output;
use pgc_tables::batches::{TableOptions, batches};
use pgc_tables::parquet::{ParquetFile, ParquetOptions};
use pgc_tables::schema::{Selection, TableKind};

use crate::args::find::{FindArgs, NOTHING, TableName};
use crate::failure::{Exit, WithName};
use crate::files::gathered::Gathered;
use crate::interrupt;
use crate::show::output::{counted, grouped, shown};
use crate::show::watch::Bar;

/// The columns that the options name.
pub(crate) fn selection(args: &FindArgs) -> anyhow::Result<Selection> {
    let kind = match args.table {
        None | Some(TableName::Games) => TableKind::Games,
        Some(TableName::Positions) => TableKind::Positions,
        Some(TableName::Nodes) => TableKind::Nodes,
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

/// Writes the games, or their positions, to a file.
pub(crate) fn write(
    gathered: &Gathered<'_>,
    output: Option<Output>,
    args: &FindArgs,
) -> anyhow::Result<Exit> {
    let (Some(path), Some(mut output)) = (gathered.file, output) else {
        bail!("Parquet needs a file")
    };
    let options = TableOptions {
        selection: selection(args)?,
        threads: gathered.lookup.run.jobs,
        memory: gathered.memory,
        temp_dir: gathered.temp_dir(),
    };
    let kind = options.selection.kind();
    let total = (kind == TableKind::Games).then_some(gathered.games.len() as u64);
    let quiet = gathered.lookup.run.quiet;
    let bar = Bar::of_rows(total, &Counter::default(), quiet);
    let parquet = ParquetOptions {
        threads: options.threads,
        group_rows: args.group_rows,
        level: args.zstd,
    };
    let file = ParquetFile::new(&mut output, &options.selection, parquet);
    let mut file = file.at(path)?;
    let read = batches(&gathered.archives, gathered.games, &options, &mut |batch| {
        interrupt::cancelled()?;
        file.write(&batch)?;
        bar.advance(batch.num_rows() as u64);
        Ok(())
    });
    bar.finish();
    read?;
    gathered.may_commit()?;
    let rows = counted(file.rows, args.table.unwrap_or_default().row());
    file.finish().at(path)?;
    output.commit().at(path)?;
    if !quiet {
        let bytes = fs::metadata(path).map_or(0, |found| found.len());
        note_line!("{}: {rows}, {} bytes", shown(path), grouped(bytes));
    }
    Ok(Exit::Done)
}
