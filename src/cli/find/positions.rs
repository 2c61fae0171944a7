//! `pgc find --table positions` as CSV and JSON: a row for each position of the games that were
//! found.

use std::io::Write;

use anyhow::bail;
use pgc::games::positions::{PositionRow, PositionWalk, WantedFacts};
use pgc::games::walk::BlockGames;
use pgc::open::Needs;
use pgc::{Archive, Error};
use pgc_chess::EpSquare;
use pgc_pgn::tag_column::is_same_name;
use serde_json::{Value, json};

use super::Hunt;
use crate::columns::{CsvOptions, in_csv};
use crate::failure::{Exit, WithName};
use crate::find_args::{FindArgs, FindFormat};
use crate::output::{counted, put_json, shown};
use crate::unknown::similar;
use crate::{gathered::Gathered, interrupt, screen::TextOutput};

/// The rows of a block are kept up to this many bytes; those of further games are made later.
const BLOCK_BYTES: usize = 8 << 20;

/// A position, with the archive and the number of its game.
type PlacedRow<'r> = (&'r str, u64, &'r PositionRow<'r>);

/// A column: its name, and its value.
type PositionColumn = (&'static str, fn(&PlacedRow<'_>) -> Value);

/// The columns, as spec/tables.md defines them.
static COLUMNS: [PositionColumn; 23] = [
    ("archive", |row| json!(row.0)),
    ("number", |row| json!(row.1)),
    ("ply", |row| json!(row.2.ply)),
    ("key", |row| json!(row.2.key)),
    ("fen", |row| json!(row.2.position.fen())),
    ("fen_always", |row| {
        json!(row.2.position.fen_with(EpSquare::Always))
    }),
    ("move", |row| json!(row.2.packed)),
    ("san", |row| json!(row.2.san())),
    ("uci", |row| json!(row.2.uci())),
    ("side", |row| json!(row.2.side())),
    ("clock", |row| json!(row.2.times()[0])),
    ("elapsed", |row| json!(row.2.times()[1])),
    ("eval", |row| json!(row.2.evaluation()[0])),
    ("mate", |row| json!(row.2.evaluation()[1])),
    ("depth", |row| json!(row.2.evaluation()[2])),
    ("comment", |row| json!(row.2.comment())),
    ("nags", |row| {
        let nags: Vec<i32> = row.2.nags().collect();
        json!(Some(nags).filter(|nags| !nags.is_empty()))
    }),
    ("white_material", |row| json!(row.2.points()[0])),
    ("black_material", |row| json!(row.2.points()[1])),
    ("material", |row| json!(row.2.material())),
    ("phase", |row| json!(row.2.phase())),
    ("repetition", |row| json!(row.2.repetition)),
    ("is_last", |row| json!(row.2.packed.is_none())),
];

/// The columns without --columns.
const USUAL: [&str; 6] = ["archive", "number", "ply", "fen", "san", "uci"];

/// The columns that --columns names.
pub(super) fn columns(args: &FindArgs) -> anyhow::Result<Vec<&'static PositionColumn>> {
    let named = args.columns.iter().map(|name| name.trim());
    let named: Vec<&str> = match args.columns.is_empty() {
        true => USUAL.to_vec(),
        false => named.collect(),
    };
    let mut columns = Vec::new();
    for name in named {
        let Some(column) = COLUMNS.iter().find(|column| is_same_name(column.0, name)) else {
            let names = COLUMNS.map(|column| column.0);
            let (near, names) = (similar(name, names), names.join(", "));
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
    /// `None`: as JSON; else how the CSV is written, and whether it is in a file.
    csv: Option<(CsvOptions, bool)>,
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
        walk.each(games, self.wanted, |row| {
            *rows += 1;
            if written.is_ok() {
                written = self.row(&(&archive, number, row), bytes);
            }
        })?;
        written?;
        Ok(true)
    }

    fn row(&self, row: &PlacedRow<'_>, out: &mut Vec<u8>) -> std::io::Result<()> {
        let columns = self.columns.iter();
        let Some((csv, in_file)) = self.csv else {
            let pairs = columns.map(|column| (column.0.to_owned(), column.1(row)));
            return put_json(out, &pairs.collect::<Value>());
        };
        let cells = columns.map(|column| in_csv(column.1(row)));
        out.extend(csv.line(cells, in_file)?);
        Ok(())
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
        let in_file = args.file().is_some();
        let csv = (self.format == FindFormat::Csv).then_some((args.csv, in_file));
        if let Some((csv, _)) = csv {
            let names = columns.iter().map(|column| column.0);
            out.write_all(&csv.line(names, in_file)?)?;
        }
        let has = |names: &[&str]| columns.iter().any(|column| names.contains(&column.0));
        let wanted = WantedFacts {
            key: has(&["key", "repetition"]),
            san: has(&["san"]),
            uci: has(&["uci"]),
            notes: has(&[
                "clock", "elapsed", "eval", "mate", "depth", "comment", "nags",
            ]),
        };
        let mut rows = 0;
        for run in self.games.chunk_by(|a, b| a.0 == b.0 && a.1 < b.1) {
            let archive = &self.archives[run[0].0 as usize];
            let writer = RowWriter {
                columns: columns.clone(),
                wanted,
                csv,
                archive,
            };
            let games: Vec<u32> = run.iter().map(|game| game.1).collect();
            let written = writer.write(&games, args.lookup.run.jobs, &mut out);
            rows += written.at(archive.path())?;
        }
        gathered.may_commit()?;
        out.commit()?;
        if let Some(path) = args.file().filter(|_| !args.lookup.run.quiet) {
            note_line!("{}: {}", shown(path), counted(rows, "position"));
        }
        Ok(Exit::Done)
    }
}
