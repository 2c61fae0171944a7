//! `pgc find --table positions` as CSV and JSON: a row for each position of the games that were
//! found.

use std::io::Write;

use anyhow::bail;
use pgc::games::positions::{
    COLUMNS, NODE_COLUMNS, PositionColumn, PositionValue, PositionWalk, WantedFacts,
};
use pgc::games::walk::BlockGames;
use pgc::open::Needs;
use pgc::{Archive, Error};
use pgc_pgn::tag_column::is_same_name;
use serde_json::{Value, json};

use super::Hunt;
use crate::args::find::{FindArgs, TableName};
use crate::failure::{Exit, WithName};
use crate::files::gathered::Gathered;
use crate::interrupt;
use crate::show::columns::RowFormat;
use crate::show::output::counted;
use crate::show::screen::TextOutput;
use crate::show::unknown::similar;

/// The rows of a block are kept up to this many bytes; those of further games are made later.
const BLOCK_BYTES: usize = 8 << 20;

/// The columns without --columns, of positions and of nodes.
const USUAL: [&str; 2] = [
    "archive number ply fen san uci",
    "archive number node parent ply san nags comment before",
];

/// The columns that --columns names.
pub(super) fn columns(args: &FindArgs) -> anyhow::Result<Vec<&'static PositionColumn>> {
    let named = args.columns.iter().map(|name| name.trim());
    let are_nodes = args.table == Some(TableName::Nodes);
    let further: &[PositionColumn] = if are_nodes { &NODE_COLUMNS } else { &[] };
    let usual = USUAL[usize::from(are_nodes)].split_whitespace();
    let named: Vec<&str> = match args.columns.is_empty() {
        true => usual.collect(),
        false => named.collect(),
    };
    let mut columns = Vec::new();
    for name in named {
        let mut known = COLUMNS.iter().chain(further);
        let Some(column) = known.find(|column| is_same_name(column.0, name)) else {
            let names = COLUMNS.iter().chain(further).map(|column| column.0);
            let names: Vec<&str> = names.collect();
            let (near, names) = (similar(name, names.iter().copied()), names.join(", "));
            bail!("no column of positions is called {name}{near}; use {names}");
        };
        columns.push(column);
    }
    Ok(columns)
}

/// The rows of the games of a block.
#[derive(Default)]
struct BlockRows {
    walk: PositionWalk,
    bytes: Vec<u8>,
    rows: u64,
}

/// Makes rows.
struct RowWriter<'a> {
    columns: Vec<&'static PositionColumn>,
    wanted: WantedFacts,
    format: RowFormat,
    archive: &'a Archive,
}

impl RowWriter<'_> {
    /// Writes the positions of these games (from 0, ascending); returns their number.
    fn write(&self, games: &[u32], jobs: usize, out: &mut dyn Write) -> Result<u64, Error> {
        let mut rows = 0;
        self.archive.scan_in_parts(
            games,
            Needs::All,
            jobs,
            |_, games, block| self.push(games, block),
            |block: BlockRows| {
                interrupt::cancelled()?;
                out.write_all(&block.bytes)?;
                rows += block.rows;
                Ok(())
            },
        )?;
        Ok(rows)
    }

    /// Adds the positions of the current game, if there is room; returns whether there is.
    fn push(&self, games: &mut BlockGames<'_>, block: &mut BlockRows) -> Result<bool, Error> {
        self.archive.compare(games)?;
        let game = games.number() - 1;
        if block.bytes.len() > BLOCK_BYTES {
            return Ok(false);
        }
        let archive = self.archive.path().display().to_string();
        let number = self.archive.number_of(game);
        let BlockRows { walk, bytes, rows } = block;
        let mut written = Ok(());
        walk.each(games, (&archive, number), self.wanted, |row| {
            *rows += 1;
            if written.is_ok() {
                let cells = self.columns.iter();
                let cells = cells.map(|column| (column.0, json_value(column.1(row))));
                written = self.format.row(bytes, cells);
            }
        })?;
        written?;
        Ok(true)
    }
}

fn json_value(value: PositionValue<'_>) -> Value {
    match value {
        PositionValue::Text(text) => json!(text),
        PositionValue::Number(number) => json!(number),
        PositionValue::Game(number) => json!(number),
        PositionValue::Key(key) => json!(key),
        PositionValue::Move(packed) => json!(packed),
        PositionValue::Seconds(time) => json!(time),
        PositionValue::Flag(flag) => json!(flag),
        PositionValue::Numbers(numbers) if numbers.is_empty() => Value::Null,
        PositionValue::Numbers(numbers) => json!(numbers),
    }
}

impl Hunt<'_> {
    /// Writes the positions of the games, in their order.
    pub(super) fn position_rows(
        &self,
        gathered: &Gathered<'_>,
        mut out: TextOutput,
    ) -> anyhow::Result<Exit> {
        let (args, columns) = (self.args, columns(self.args)?);
        let format = self.row_format();
        format.head(&mut out, columns.iter().map(|column| column.0))?;
        let wanted = WantedFacts {
            nodes: args.table == Some(TableName::Nodes),
            ..WantedFacts::shown_by(columns.iter().map(|column| column.0))
        };
        let mut rows = 0;
        for run in self.games.chunk_by(|a, b| a.0 == b.0 && a.1 < b.1) {
            let archive = &self.archives[run[0].0 as usize];
            let writer = RowWriter {
                columns: columns.clone(),
                wanted,
                format,
                archive,
            };
            let games: Vec<u32> = run.iter().map(|game| game.1).collect();
            let written = writer.write(&games, args.lookup.run.jobs, &mut out);
            rows += written.at(archive.path())?;
        }
        let row = args.table.unwrap_or_default().row();
        gathered.complete(out, &counted(rows, row))?;
        Ok(Exit::Done)
    }
}
