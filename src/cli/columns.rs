//! The columns of the tables, CSV and JSON that describe games.

use std::io;

use pgc::internals::archive::GameRow;
use pgc::internals::chess::NamedOpening;
use pgc::internals::pgn::{Seconds, TimeControl, eco};
use serde_json::{Value, json};

use super::output::printable;
use super::table::ColumnHead;
use super::unknown::similar;

/// A game as the index describes it, with its archive.
#[derive(Clone, Debug)]
pub(super) struct GameLine {
    /// The name of its source, if a column asks for it.
    pub(super) source: String,
    /// The tags that columns ask for.
    pub(super) tags: Vec<(&'static str, Option<String>)>,
    /// Path of the archive.
    pub(super) archive: String,
    pub(super) row: GameRow,
    /// The opening that it reached, if a column asks for it.
    pub(super) opening: Option<NamedOpening>,
    /// The number of plies before the position that was asked for.
    pub(super) ply: Option<u32>,
}

/// A column.
#[derive(Debug)]
pub(super) struct GameColumn {
    /// Its name in CSV, in JSON and on the command line.
    pub(super) name: &'static str,
    /// Its title and behaviour in a table.
    pub(super) head: ColumnHead,
    content: ColumnContent,
}

/// Where the value for a game comes from.
#[derive(Debug)]
enum ColumnContent {
    Row(fn(&GameLine) -> Cell),
    /// The value of this tag, converted by this function.
    Tag(&'static str, fn(&str) -> Cell),
    /// A part of the opening that the game reached.
    Opening(fn(&NamedOpening) -> Cell),
}

const fn column(
    name: &'static str,
    title: &'static str,
    cell: fn(&GameLine) -> Cell,
) -> GameColumn {
    let head = ColumnHead {
        title,
        right: false,
        least: None,
        leaves: 0,
    };
    let content = ColumnContent::Row(cell);
    GameColumn {
        name,
        head,
        content,
    }
}

/// A column that shows a part of the opening that the game reached.
const fn opening_column(
    name: &'static str,
    title: &'static str,
    part: fn(&NamedOpening) -> Cell,
) -> GameColumn {
    let mut column = column(name, title, |_| Cell::Nothing);
    column.content = ColumnContent::Opening(part);
    column
}

/// A column that shows a part of the time control.
const fn time_column(
    name: &'static str,
    title: &'static str,
    part: fn(&str) -> Cell,
) -> GameColumn {
    let mut column = column(name, title, |_| Cell::Nothing);
    column.content = ColumnContent::Tag("TimeControl", part);
    column
}

fn base(control: &str) -> Cell {
    let base = TimeControl::parse(control).and_then(|control| control.base());
    base.map_or(Cell::Nothing, |base| seconds(base.0))
}

fn increment(control: &str) -> Cell {
    let base = TimeControl::parse(control).and_then(|control| control.base());
    base.map_or(Cell::Nothing, |base| seconds(base.1))
}

fn seconds(time: Seconds) -> Cell {
    let whole = time.to_whole();
    whole.map_or(Cell::Decimal(time.as_f64()), |whole| {
        Cell::Number(whole.into())
    })
}

fn speed(control: &str) -> Cell {
    let speed = TimeControl::parse(control).and_then(|control| control.speed());
    speed.map_or(Cell::Nothing, |speed| text(speed.name()))
}

impl GameColumn {
    /// The value for a game.
    pub(super) fn cell(&self, line: &GameLine) -> Cell {
        match self.content {
            ColumnContent::Row(cell) => cell(line),
            ColumnContent::Tag(tag, cell) => {
                let value = line.tags.iter().find(|known| known.0 == tag);
                let value = value.and_then(|known| known.1.as_deref());
                value.map_or(Cell::Nothing, cell)
            }
            ColumnContent::Opening(part) => {
                let opening = line.opening.as_ref();
                opening.map_or(Cell::Nothing, part)
            }
        }
    }

    /// Whether the column shows the opening that the game reached; its moves must be read for that.
    pub(super) fn shows_opening(&self) -> bool {
        matches!(self.content, ColumnContent::Opening(_))
    }

    /// The tag that the column shows, if the index does not have this tag.
    pub(super) fn tag(&self) -> Option<&'static str> {
        match self.content {
            ColumnContent::Row(_) | ColumnContent::Opening(_) => None,
            ColumnContent::Tag(tag, _) => Some(tag),
        }
    }

    /// Aligns the values to the right, as numbers are.
    const fn right(mut self) -> GameColumn {
        self.head.right = true;
        self
    }

    /// Lets a narrow table shrink the column to `least` cells, and drop it: the highest `leaves`
    /// goes first, 0 stays.
    const fn yields(mut self, least: Option<usize>, leaves: u8) -> GameColumn {
        self.head.least = least;
        self.head.leaves = leaves;
        self
    }
}

static COLUMNS: [GameColumn; 30] = [
    column("address", "address", |line| {
        Cell::Text(format!("{}:{}", line.archive, line.row.number))
    }),
    column("archive", "archive", |line| text(&line.archive)),
    column("number", "game", |line| Cell::Number(line.row.number)).right(),
    column("date", "date", |line| text(&line.row.date.to_string())),
    column("white", "white", |line| text(&line.row.white)).yields(Some(10), 0),
    column("white_elo", "elo", |line| elo(line.row.white_elo))
        .right()
        .yields(None, 2),
    column("black", "black", |line| text(&line.row.black)).yields(Some(10), 0),
    column("black_elo", "elo", |line| elo(line.row.black_elo))
        .right()
        .yields(None, 2),
    column("result", "result", |line| {
        text(line.row.flags.result().as_str())
    }),
    column("eco", "eco", |line| eco(line.row.eco)).yields(None, 3),
    column("plies", "plies", |line| Cell::Number(line.row.plies.into()))
        .right()
        .yields(None, 4),
    column("ply", "ply", |line| {
        line.ply
            .map_or(Cell::Nothing, |ply| Cell::Number(ply.into()))
    })
    .right(),
    column("event", "event", |line| text(&line.row.event)).yields(Some(10), 1),
    column("site", "site", |line| text(&line.row.site)).yields(Some(8), 5),
    column("round", "round", |line| text(&line.row.round)).yields(Some(5), 6),
    column("variant", "variant", |line| {
        text(line.row.flags.rules().name())
    }),
    column("fen", "fen", |line| Cell::Flag(line.row.flags.fen())),
    column("broken", "broken", |line| {
        Cell::Flag(line.row.flags.tail() || line.row.flags.text())
    }),
    column("result_mismatch", "mismatch", |line| {
        Cell::Flag(line.row.flags.mismatch())
    }),
    column("comments", "comments", |line| {
        Cell::Flag(line.row.flags.comments())
    }),
    column("variations", "variations", |line| {
        Cell::Flag(line.row.flags.variations())
    }),
    column("nags", "nags", |line| Cell::Flag(line.row.flags.nags())),
    column("odd_date", "odd date", |line| {
        Cell::Flag(line.row.date.is_odd())
    }),
    column("source", "source", |line| text(&line.source)),
    time_column("base", "base", base).right(),
    time_column("increment", "inc", increment).right(),
    time_column("speed", "speed", speed),
    opening_column("opening_eco", "opening", |opening| text(opening.eco)),
    opening_column("opening_name", "opening name", |opening| text(opening.name)),
    opening_column("opening_ply", "ply", |opening| {
        Cell::Number(opening.ply as u64)
    })
    .right(),
];

/// Columns that show a tag, or the operands of an opcode of EPD: the name of each, and the tag.
const TAGS: [(&str, &str); 22] = [
    ("annotator", "Annotator"),
    ("black_fide_id", "BlackFideId"),
    ("black_team", "BlackTeam"),
    ("black_title", "BlackTitle"),
    ("board", "Board"),
    ("epd", "EPD"),
    ("event_date", "EventDate"),
    ("fen_tag", "FEN"),
    ("id", "id"),
    ("mode", "Mode"),
    ("opening", "Opening"),
    ("section", "Section"),
    ("stage", "Stage"),
    ("sub_variation", "SubVariation"),
    ("termination", "Termination"),
    ("time_control", "TimeControl"),
    ("utc_date", "UTCDate"),
    ("utc_time", "UTCTime"),
    ("variation", "Variation"),
    ("white_fide_id", "WhiteFideId"),
    ("white_team", "WhiteTeam"),
    ("white_title", "WhiteTitle"),
];

/// The columns with these names, as `--columns` gives them.
pub(super) fn named(names: &[String]) -> anyhow::Result<Vec<&'static GameColumn>> {
    let of_name = |name: &String| {
        by_name(name).map_err(|error| anyhow::anyhow!("--columns {}: {error}", printable(name)))
    };
    names.iter().map(of_name).collect()
}

/// The column with a name. A name that begins with a capital is the exact name of a tag. In other
/// names case does not matter, and `_` may be written as `-` or left out.
pub(super) fn by_name(name: &str) -> Result<&'static GameColumn, String> {
    let name = name.trim();
    let is_tag = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if is_tag {
        // This leaks memory only once for each word of the command line.
        let name = &*name.to_owned().leak();
        return Ok(of_tag(name, name));
    }
    let bare = |name: &str| name.to_ascii_lowercase().replace(['-', '_'], "");
    let wanted = bare(name);
    if let Some(column) = COLUMNS.iter().find(|column| bare(column.name) == wanted) {
        return Ok(column);
    }
    if let Some(&(name, tag)) = TAGS.iter().find(|known| bare(known.0) == wanted) {
        return Ok(of_tag(name, tag));
    }
    let known = COLUMNS.iter().map(|column| column.name);
    let all: Vec<_> = known.chain(TAGS.iter().map(|known| known.0)).collect();
    Err(format!(
        "no such column{}; use {}, or the name of any tag, as in WhiteTitle",
        similar(name, all.iter().copied()),
        all.join(", ")
    ))
}

fn of_tag(name: &'static str, tag: &'static str) -> &'static GameColumn {
    let mut column = column(name, name, |_| Cell::Nothing).yields(Some(10), 0);
    column.content = ColumnContent::Tag(tag, text);
    Box::leak(Box::new(column))
}

/// The value of a column for a game.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Text(String),
    Number(u64),
    Decimal(f64),
    Flag(bool),
    Nothing,
}

impl Cell {
    /// For a table: a flag is the word `yes` or nothing.
    pub(super) fn into_text(self) -> String {
        match self {
            Cell::Flag(true) => "yes".to_owned(),
            Cell::Flag(false) => String::new(),
            other => other.into_csv(),
        }
    }

    /// For CSV: only an unknown value is empty.
    pub(super) fn into_csv(self) -> String {
        match self {
            Cell::Text(text) => text,
            Cell::Number(number) => number.to_string(),
            Cell::Decimal(number) => number.to_string(),
            Cell::Flag(flag) => flag.to_string(),
            Cell::Nothing => String::new(),
        }
    }

    pub(super) fn into_json(self) -> Value {
        match self {
            Cell::Text(text) => json!(text),
            Cell::Number(number) => json!(number),
            Cell::Decimal(number) => json!(number),
            Cell::Flag(flag) => json!(flag),
            Cell::Nothing => Value::Null,
        }
    }
}

/// The default columns of a table. With several archives the first column is the address instead of
/// the number; `has_plies` adds the ply of the position that was asked for.
pub(super) fn of_table(several: bool, has_plies: bool) -> Vec<&'static GameColumn> {
    let first = if several { 0 } else { 2 };
    let date_to_round = COLUMNS[3..15].iter();
    std::iter::once(&COLUMNS[first])
        .chain(date_to_round.filter(|column| has_plies || column.name != "ply"))
        .collect()
}

/// The default columns of a table of lines of EPD, which have no players.
pub(super) fn of_lines(several: bool) -> Vec<&'static GameColumn> {
    let first = if several { 0 } else { 2 };
    let rest =
        [("id", "id"), ("epd", "EPD"), ("fen_tag", "FEN")].map(|(name, tag)| of_tag(name, tag));
    std::iter::once(&COLUMNS[first]).chain(rest).collect()
}

/// All columns, the default of CSV and JSON.
pub(super) fn all() -> Vec<&'static GameColumn> {
    // Not the source, which is the same for many games and longer than the other columns; nor the
    // openings, for which the games must be read.
    COLUMNS
        .iter()
        .filter(|column| column.name != "source" && !column.shows_opening())
        .collect()
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

fn elo(elo: u16) -> Cell {
    match elo {
        0 => Cell::Nothing,
        elo => Cell::Number(elo.into()),
    }
}

/// `B33`, or `?` for a value that is not a code: the index does not keep the text of such a value.
fn eco(number: u16) -> Cell {
    match number {
        eco::NONE => Cell::Nothing,
        _ => Cell::Text(eco::code(number.into()).unwrap_or_else(|| "?".to_owned())),
    }
}

/// A line of CSV (RFC 4180): in a file it ends in CR LF; on standard output, which other programs
/// read line by line, in LF.
pub(super) fn csv_line<T: AsRef<[u8]>>(
    cells: impl IntoIterator<Item = T>,
    in_file: bool,
) -> io::Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new()
        .terminator(match in_file {
            true => csv::Terminator::CRLF,
            false => csv::Terminator::Any(b'\n'),
        })
        .buffer_capacity(256)
        .from_writer(Vec::new());
    writer.write_record(cells)?;
    writer.into_inner().map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{Cell, by_name, csv_line, eco};

    #[test]
    fn names_and_codes() {
        assert_eq!(by_name("white-elo").unwrap().name, "white_elo");
        assert!(by_name("bogus").unwrap_err().contains("white_elo"));
        let text = |text: &str| Cell::Text(text.to_owned());
        assert_eq!(
            [0, 1, 134, 500, 501].map(eco),
            [
                Cell::Nothing,
                text("A00"),
                text("B33"),
                text("E99"),
                text("?")
            ]
        );
        let help = crate::cli::args::Args::command()
            .find_subcommand_mut("find")
            .unwrap()
            .render_long_help()
            .to_string();
        let help: String = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for column in super::all() {
            assert_eq!(by_name(column.name).unwrap().name, column.name);
            assert!(
                help.contains(&format!(" {}", column.name)),
                "{}",
                column.name
            );
        }
    }

    #[test]
    fn lines_of_csv() {
        let line = csv_line(["a", "b,c", "say \"hi\"", "two\nlines", " x", ""], true).unwrap();
        assert_eq!(line, b"a,\"b,c\",\"say \"\"hi\"\"\",\"two\nlines\", x,\r\n");
        // A reader of CSV would skip an empty line.
        assert_eq!(csv_line([""], true).unwrap(), b"\"\"\r\n");
        assert_eq!(csv_line(["a", "b\r\n"], false).unwrap(), b"a,\"b\r\n\"\n");
    }
}
