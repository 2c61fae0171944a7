//! Writes tables of games and positions to Parquet files.

use std::fs::{self, Metadata};

use anyhow::{Context, bail};
use pgc_io::input::Counter;
use pgc_io::output::{Output, folder_of};
use pgc_tables::batches::TableOptions;
use pgc_tables::folders::write_folders;
use pgc_tables::parquet::{ParquetOptions, write_parquet};
use pgc_tables::schema::{Selection, TableKind};

use crate::args::find::{FindArgs, NOTHING, TableName};
use crate::failure::{Exit, WithName};
use crate::files::gathered::Gathered;
use crate::interrupt;
use crate::show::output::{counted, grouped};
use crate::show::watch::Bar;

/// The columns that the options name.
pub(crate) fn selection(args: &FindArgs) -> anyhow::Result<Selection> {
    let kind = match args.table {
        None | Some(TableName::Games) => TableKind::Games,
        Some(TableName::Positions) => TableKind::Positions,
        Some(TableName::Nodes) => TableKind::Nodes,
    };
    let names: Vec<&str> = args.columns.iter().map(|name| name.trim()).collect();
    if args.with.is_empty() {
        return Ok(match names.is_empty() {
            true => Selection::usual(kind),
            false => Selection::named(kind, &names)?,
        });
    }
    let groups = args.with.iter().map(String::as_str);
    let groups: Vec<&str> = groups.filter(|name| *name != NOTHING).collect();
    if let Some(name) = groups.iter().find(|name| !kind.has_group(name)) {
        let kind = kind.name();
        bail!("--with {name}: the table of {kind} has no such columns");
    }
    Ok(Selection::from_groups(kind, &groups).with(&Selection::named(kind, &names)?))
}

/// Writes the games, or their positions, to a file, or to a folder of files.
pub(crate) fn write(
    gathered: &Gathered<'_>,
    output: Option<Output>,
    args: &FindArgs,
) -> anyhow::Result<Exit> {
    let path = gathered.file.context("Parquet needs a file")?;
    let options = TableOptions {
        selection: selection(args)?,
        threads: gathered.lookup.run.jobs,
        memory: gathered.memory,
        temp_dir: gathered.temp_dir(),
    };
    let kind = options.selection.kind();
    let total = (kind == TableKind::Games).then_some(gathered.games.len() as u64);
    let bar = Bar::for_rows(total, &Counter::default(), gathered.lookup.run.quiet);
    let parquet = ParquetOptions {
        group_rows: args.group_rows,
        level: args.zstd,
    };
    let (archives, games) = (&gathered.archives, gathered.games);
    let tell = &mut |rows| {
        bar.advance(rows);
        interrupt::cancelled()
    };
    let rows = match &args.partition {
        None => {
            let mut output = output.context("Parquet needs a file")?;
            let rows = write_parquet(&mut output, archives, games, &options, parquet, tell);
            let rows = rows.at(path)?;
            gathered.may_commit()?;
            output.commit().at(path)?;
            rows
        }
        Some(column) => {
            let beside = tempfile::tempdir_in(folder_of(path)).at(path)?;
            let made = beside.path().join("table");
            let to = (&*made, &**column);
            let rows = write_folders(to, archives, games, &options, parquet, tell);
            let rows = rows.at(path)?;
            gathered.may_commit()?;
            fs::rename(made, path).at(path)?;
            rows
        }
    };
    bar.finish();
    let rows = counted(rows, args.table.unwrap_or_default().row());
    let file = fs::metadata(path).ok().filter(Metadata::is_file);
    let bytes = file.map(|file| format!(", {} bytes", grouped(file.len())));
    gathered.tell_written(&(rows + bytes.as_deref().unwrap_or_default()));
    Ok(Exit::Done)
}
