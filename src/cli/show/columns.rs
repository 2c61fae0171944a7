//! The columns of the tables, CSV and JSON that describe games.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use anyhow::bail;
use pgc::Archive;
use pgc_chess::NamedOpening;
use pgc_index::{Flags, Row, rules_word};
use pgc_pgn::eco;
use pgc_pgn::tag_column::{
    TAG_COLUMNS, TagColumn, TagKind, TagTexts, is_same_name, is_tag_name, iso_date, iso_time,
};
use pgc_pgn::time_control::Seconds;
use serde_json::{Value, json};

use crate::failure::WithName;
use crate::files::copies::FoundLists;
use crate::interrupt;
use crate::show::table::{ColumnHead, head};
use crate::show::{
    output::{printable, put_json},
    unknown::similar,
};

/// A game as the index describes it, with its archive.
#[derive(Clone, Debug)]
pub(crate) struct GameLine {
    /// The name of its source, if a column asks for it.
    pub(crate) source: String,
    /// The tags that columns ask for.
    pub(crate) tags: BTreeMap<&'static str, Option<String>>,
    /// Path of the archive.
    pub(crate) archive: String,
    /// From 1.
    pub(crate) number: u64,
    /// The site, if a column asks for it.
    pub(crate) site: String,
    pub(crate) row: Row,
    /// The opening that it reached, if a column asks for it.
    pub(crate) opening: Option<NamedOpening>,
    /// The number of plies before the position that was asked for.
    pub(crate) ply: Option<u32>,
}

/// The columns to show, what was found, with the plies, and whether the question is for an opening,
/// whose ply stands instead.
type AskedColumns<'a> = (&'a [&'a GameColumn], &'a FoundLists, bool);

/// What columns show of games of one archive.
fn game_lines(
    archive: &Archive,
    run: &[(u32, u32)],
    (columns, found, with_opening): AskedColumns<'_>,
    jobs: usize,
) -> Result<Vec<GameLine>, pgc::Error> {
    let games = &*run.iter().map(|game| game.1).collect::<Vec<u32>>();
    let has = |name| columns.iter().any(|column| column.name == name);
    let rows = archive.rows(games, jobs)?;
    let sites = match has("site") {
        true => archive.sites(games, jobs)?,
        false => Vec::new(),
    };
    let names = columns.iter().flat_map(|column| column.tags()).copied();
    let names = Vec::from_iter(names.collect::<BTreeSet<_>>());
    let tags = archive.tag_values(games, &names, jobs)?;
    let sources = match has("source") {
        true => archive.sources_of(games, jobs)?,
        false => Vec::new(),
    };
    // The moves must be read for that.
    let openings = match with_opening || OPENING.into_iter().any(has) {
        true => archive.openings_of(games, jobs)?,
        false => Vec::new(),
    };
    let opening = |i: usize| openings.get(i).copied().flatten();
    let ply = |opening: NamedOpening| opening.ply.try_into().ok().filter(|_| with_opening);
    let line = |(i, row): (usize, Row)| GameLine {
        source: sources.get(i).cloned().unwrap_or_default(),
        tags: names
            .iter()
            .zip(&tags)
            .map(|(name, values)| (*name, values[i].clone()))
            .collect(),
        archive: archive.path().display().to_string(),
        number: archive.number_of(games[i].into()),
        site: sites.get(i).cloned().unwrap_or_default(),
        row,
        opening: opening(i),
        ply: found.ply(run[i], opening(i).and_then(ply)),
    };
    Ok(rows.into_iter().enumerate().map(line).collect())
}

/// What columns show of games of several archives: position of the archive, number of the game from 0.
pub(crate) fn lines_of(
    archives: &[&Archive],
    games: &[(u32, u32)],
    asked: AskedColumns<'_>,
    jobs: usize,
) -> anyhow::Result<Vec<GameLine>> {
    let mut all = Vec::new();
    for run in games.chunk_by(|a, b| a.0 == b.0) {
        interrupt::cancelled()?;
        let archive = archives[run[0].0 as usize];
        all.extend(game_lines(archive, run, asked, jobs).at(archive.path())?);
    }
    Ok(all)
}

/// A column.
#[derive(Debug)]
pub(crate) struct GameColumn {
    /// The name in CSV, in JSON and on the command line.
    pub(crate) name: &'static str,
    /// The title and behaviour in a table.
    pub(crate) head: ColumnHead,
    content: ColumnContent,
}

/// Where the value for a game comes from.
#[derive(Debug)]
enum ColumnContent {
    Row(fn(&GameLine) -> Value),
    /// What tags say.
    Tag(&'static TagColumn),
    /// Flags of the index, of which one is set.
    Flag(u32),
}

const fn column(
    name: &'static str,
    title: &'static str,
    cell: fn(&GameLine) -> Value,
) -> GameColumn {
    GameColumn {
        name,
        head: ColumnHead::new(title),
        content: ColumnContent::Row(cell),
    }
}

/// A column that shows whether games have one of these flags.
const fn flag(name: &'static str, title: &'static str, flag: u32) -> GameColumn {
    let mut column = column(name, title, |_| Value::Null);
    column.content = ColumnContent::Flag(flag);
    column
}

/// The columns that show the opening that a game reached.
const OPENING: [&str; 3] = ["opening", "opening_eco", "opening_ply"];

/// What tags with these texts say; a date or a time is as ISO 8601 writes it.
fn tag_value(kind: TagKind, texts: TagTexts<'_>) -> Value {
    match kind {
        TagKind::Text(read) => json!(read(texts)),
        TagKind::Number(read) => json!(read(texts)),
        TagKind::Seconds(read) => match read(texts) {
            Some(time) if time.to_whole().is_some() => json!(time.to_whole()),
            time => json!(time.map(Seconds::as_f64)),
        },
        TagKind::Date(read) => json!(read(texts).map(iso_date)),
        TagKind::Time(read) => json!(read(texts).map(iso_time)),
    }
}

impl GameColumn {
    /// The value for a game.
    pub(crate) fn value(&self, line: &GameLine) -> Value {
        match self.content {
            ColumnContent::Row(value) => value(line),
            ColumnContent::Tag(tags) => {
                let of_tag = |tag| line.tags.get(tag)?.as_deref();
                tag_value(tags.kind, tags.texts(of_tag))
            }
            ColumnContent::Flag(flag) => json!(line.row.flags.has(flag)),
        }
    }

    /// The tags that the column shows, if the index does not have them.
    pub(crate) fn tags(&self) -> &'static [&'static str] {
        match self.content {
            ColumnContent::Row(_) | ColumnContent::Flag(_) => &[],
            ColumnContent::Tag(tags) => tags.tags,
        }
    }

    /// Shows numbers; `leaves` as in [`ColumnHead`].
    const fn numbers(mut self, leaves: u8) -> GameColumn {
        self.head = head(self.head.title, leaves);
        self
    }

    /// Lets a narrow table shrink the column to `least` cells, and drop it: the highest `leaves`
    /// goes first, 0 stays.
    const fn yields(mut self, least: Option<usize>, leaves: u8) -> GameColumn {
        self.head = self.head.yields(least, leaves);
        self
    }
}

static COLUMNS: [GameColumn; 32] = [
    column("address", "address", |line| {
        json!(format!("{}:{}", line.archive, line.number))
    }),
    column("archive", "archive", |line| json!(&line.archive)),
    column("number", "game", |line| json!(line.number)).numbers(0),
    column("date", "date", |line| json!(&line.row.date.to_string())),
    column("white", "white", |line| json!(&line.row.white)).yields(Some(10), 0),
    column("white_elo", "W elo", |line| elo(line.row.white_elo)).numbers(2),
    column("black", "black", |line| json!(&line.row.black)).yields(Some(10), 0),
    column("black_elo", "B elo", |line| elo(line.row.black_elo)).numbers(2),
    column("result", "result", |line| {
        json!(line.row.flags.result().as_str())
    }),
    column("eco", "eco", |line| eco(line.row.eco)).yields(None, 3),
    column("plies", "plies", |line| json!(line.row.plies)).numbers(4),
    column("ply", "ply", |line| json!(line.ply)).numbers(0),
    column("event", "event", |line| json!(&line.row.event)).yields(Some(10), 1),
    column("site", "site", |line| json!(&line.site)).yields(Some(8), 5),
    column("round", "round", |line| json!(&line.row.round)).yields(Some(5), 6),
    column("variant", "variant", |line| {
        json!(rules_word(line.row.flags.rules()))
    }),
    flag("has_fen", "fen", Flags::FEN),
    flag("broken", "broken", Flags::TAIL | Flags::TEXT),
    flag("result_mismatch", "mismatch", Flags::MISMATCH),
    flag("has_comments", "comments", Flags::COMMENTS),
    flag("has_variations", "variations", Flags::VARIATIONS),
    flag("has_nags", "nags", Flags::NAGS),
    column("odd_date", "odd date", |line| json!(line.row.date.is_odd())),
    column("source", "source", |line| json!(&line.source)),
    column("wholeness", "wholeness", |line| {
        json!(line.row.flags.wholeness().name())
    }),
    column("year", "year", |line| json!(line.row.date.parts()[0])).numbers(0),
    column("month", "month", |line| json!(line.row.date.parts()[1])).numbers(0),
    column("day", "day", |line| json!(line.row.date.parts()[2])).numbers(0),
    column("full_date", "date", |line| {
        json!(line.row.date.days().map(iso_date))
    }),
    column(OPENING[0], "opening", |line| {
        json!(line.opening.map(|found| found.name))
    }),
    column(OPENING[1], "opening eco", |line| {
        json!(line.opening.map(|found| found.eco))
    }),
    column(OPENING[2], "opening ply", |line| {
        json!(line.opening.map(|found| found.ply))
    })
    .numbers(0),
];

/// The columns with these names, as `--columns` gives them.
pub(crate) fn named(names: &[String]) -> anyhow::Result<Vec<&'static GameColumn>> {
    let of_name = |name: &String| {
        by_name(name).map_err(|error| anyhow::anyhow!("--columns {}: {error}", printable(name)))
    };
    names.iter().map(of_name).collect()
}

/// The column with a name. A name that begins with a capital is the exact name of a tag. In other
/// names case does not matter, and `_` may be written as `-` or left out.
pub(crate) fn by_name(name: &str) -> Result<&'static GameColumn, String> {
    let name = name.trim();
    if is_tag_name(name) {
        // This leaks memory only once for each word of the command line.
        let name = &*name.to_owned().leak();
        let tag = TagColumn::text(name, vec![name].leak());
        return Ok(of_tag(Box::leak(Box::new(tag))));
    }
    let mut own = COLUMNS.iter();
    if let Some(column) = own.find(|column| is_same_name(column.name, name)) {
        return Ok(column);
    }
    let mut tags = TAG_COLUMNS.iter();
    if let Some(tag) = tags.find(|tag| is_same_name(tag.name, name)) {
        return Ok(of_tag(tag));
    }
    let mut all: Vec<_> = COLUMNS.iter().map(|column| column.name).collect();
    let tags = TAG_COLUMNS.iter().map(|tag| tag.name);
    all.extend(tags.filter(|name| COLUMNS.iter().all(|own| own.name != *name)));
    let (alike, all) = (similar(name, all.iter().copied()), all.join(", "));
    Err(format!(
        "no such column{alike}; use {all}, or the name of any tag, as in WhiteTitle"
    ))
}

fn of_tag(tag: &'static TagColumn) -> &'static GameColumn {
    let mut column = column(tag.name, tag.name, |_| Value::Null).yields(Some(10), 0);
    column.content = ColumnContent::Tag(tag);
    Box::leak(Box::new(column))
}

/// A value in a table: a flag is the word `yes` or nothing.
pub(crate) fn in_table(value: Value) -> String {
    match value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => String::new(),
        other => in_csv(other),
    }
}

/// A value in CSV: only an unknown value is empty.
pub(crate) fn in_csv(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The default columns of a table. With several archives the first column is the address instead of
/// the number; `has_plies` adds the ply of the position that was asked for.
pub(crate) fn of_table(several: bool, has_plies: bool) -> Vec<&'static GameColumn> {
    let first = if several { 0 } else { 2 };
    let date_to_round = COLUMNS[3..15].iter();
    let rest = date_to_round.filter(|column| has_plies || column.name != "ply");
    std::iter::once(&COLUMNS[first]).chain(rest).collect()
}

/// The default columns of a table of lines of EPD, which have no players.
pub(crate) fn of_lines(several: bool) -> Vec<&'static GameColumn> {
    let first = if several { 0 } else { 2 };
    let names = ["id", "epd", "fen"];
    let rest = names.iter().filter_map(|name| by_name(name).ok());
    std::iter::once(&COLUMNS[first]).chain(rest).collect()
}

/// All columns, the default of CSV and JSON.
pub(crate) fn all() -> Vec<&'static GameColumn> {
    // Not the source, which is the same for many games and longer than the other columns; nor the
    // parts of the date; nor the openings, for which the games must be read.
    let own = COLUMNS.iter().take_while(|column| column.name != "source");
    let time = ["base_seconds", "increment_seconds", "speed"];
    let time = time.iter().filter_map(|name| by_name(name).ok());
    own.chain(time).collect()
}

fn elo(elo: u16) -> Value {
    json!((elo > 0).then_some(elo))
}

fn eco(number: u16) -> Value {
    json!(eco::code(number.into()))
}

/// How rows are written.
#[derive(Clone, Copy)]
pub(crate) enum RowFormat {
    /// As CSV, and whether that is in a file.
    Csv(CsvOptions, bool),
    /// As objects of JSON.
    Json,
}

impl RowFormat {
    /// Writes the names of the columns, if the rows do not have them.
    pub(crate) fn head<'n>(
        self,
        out: &mut dyn Write,
        names: impl Iterator<Item = &'n str>,
    ) -> io::Result<()> {
        match self {
            RowFormat::Csv(csv, in_file) => out.write_all(&csv.line(names, in_file)?),
            RowFormat::Json => Ok(()),
        }
    }

    /// Writes a row of names and values.
    pub(crate) fn row<'n>(
        self,
        out: &mut dyn Write,
        cells: impl Iterator<Item = (&'n str, Value)>,
    ) -> io::Result<()> {
        match self {
            RowFormat::Csv(csv, in_file) => {
                out.write_all(&csv.line(cells.map(|cell| in_csv(cell.1)), in_file)?)
            }
            RowFormat::Json => {
                let cells = cells.map(|(name, value)| (name.to_owned(), value));
                put_json(out, &cells.collect::<Value>())
            }
        }
    }
}

/// The option of commands that write CSV.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct CsvOptions {
    /// In CSV: write ' before a value that a spreadsheet would take for a formula, since it begins
    /// with = + - @, a tab or a line end and is no number [default: values as they are]
    #[arg(long)]
    pub(crate) csv_safe: bool,
}

impl CsvOptions {
    /// Refuses the option where no CSV is written.
    pub(crate) fn check(self, is_csv: bool) -> anyhow::Result<()> {
        if self.csv_safe && !is_csv {
            bail!("--csv-safe belongs to CSV: give --csv, --format csv, or -o FILE.csv to find");
        }
        Ok(())
    }

    /// A line of CSV (RFC 4180): in a file it ends in CR LF; on standard output, which other
    /// programs read line by line, in LF.
    pub(crate) fn line<T: AsRef<str>>(
        self,
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
        for cell in cells {
            match cell.as_ref() {
                text if self.csv_safe && is_formula(text) => {
                    writer.write_field(format!("'{text}"))?;
                }
                text => writer.write_field(text)?,
            }
        }
        writer.write_record(None::<&[u8]>)?;
        writer.into_inner().map_err(io::Error::other)
    }
}

/// Whether a spreadsheet would take a value for a formula, as OWASP's page on CSV injection lists
/// them. A number with a sign is none.
fn is_formula(text: &str) -> bool {
    let number = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_digit = |c: char| c.is_ascii_digit() || c == '.';
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n'])
        && (number.is_empty() || !number.chars().all(is_digit))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{CsvOptions, by_name, eco};

    #[test]
    fn names_and_codes() {
        assert_eq!(by_name("white-elo").unwrap().name, "white_elo");
        assert!(by_name("bogus").unwrap_err().contains("white_elo"));
        let text = |text: &str| json!(text);
        assert_eq!(
            [0, 1, 134, 500, 501].map(eco),
            [
                Value::Null,
                text("A00"),
                text("B33"),
                text("E99"),
                Value::Null
            ]
        );
        for column in super::all() {
            assert_eq!(by_name(column.name).unwrap().name, column.name);
        }
    }

    #[test]
    fn lines_of_csv() {
        let exact = CsvOptions::default();
        let line = |cells: &[&str], in_file| exact.line(cells, in_file).unwrap();
        let cells = ["a", "b,c", "say \"hi\"", "two\nlines", " x", ""];
        assert_eq!(
            line(&cells, true),
            b"a,\"b,c\",\"say \"\"hi\"\"\",\"two\nlines\", x,\r\n"
        );
        // A reader of CSV would skip an empty line.
        assert_eq!(line(&[""], true), b"\"\"\r\n");
        assert_eq!(line(&["a", "b\r\n"], false), b"a,\"b\r\n\"\n");
    }

    /// The beginnings that OWASP names; numbers, names and dates stay.
    #[test]
    fn formulas_in_csv() {
        let cells = [
            "=1+2", "+49 call", "-x", "@SUM(A1)", "\tx", "\rx", "-", "-5", "+0.25", "a=b", "1-0",
            "",
        ];
        let line = |csv_safe| CsvOptions { csv_safe }.line(cells, false).unwrap();
        let line = |csv_safe| String::from_utf8(line(csv_safe)).unwrap();
        let exact = "=1+2,+49 call,-x,@SUM(A1),\tx,\"\rx\",-,-5,+0.25,a=b,1-0,\n";
        assert_eq!(line(false), exact);
        let safe = "'=1+2,'+49 call,'-x,'@SUM(A1),'\tx,\"'\rx\",'-,-5,+0.25,a=b,1-0,\n";
        assert_eq!(line(true), safe);
    }
}
