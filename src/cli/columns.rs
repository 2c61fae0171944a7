//! What is shown of a game: the columns of tables, CSV and JSON.

use std::str::FromStr;

use pgc::store::GameRow;
use serde_json::{Value, json};

use super::table::Head;

/// What an index has of a game, and where the game is.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Path of its archive.
    pub(super) archive: String,
    pub(super) row: GameRow,
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Address,
    Archive,
    Number,
    Date,
    White,
    WhiteElo,
    Black,
    BlackElo,
    Result,
    Eco,
    Plies,
    Event,
    Site,
    Round,
    Variant,
    Fen,
    Broken,
    ResultMismatch,
    Comments,
    Variations,
    Nags,
    OddDate,
}

use Column as C;

/// Names as they are typed and as they head CSV and JSON, titles of tables.
const NAMES: [(Column, &str, &str); 22] = [
    (C::Address, "address", "address"),
    (C::Archive, "archive", "archive"),
    (C::Number, "number", "game"),
    (C::Date, "date", "date"),
    (C::White, "white", "white"),
    (C::WhiteElo, "white_elo", "elo"),
    (C::Black, "black", "black"),
    (C::BlackElo, "black_elo", "elo"),
    (C::Result, "result", "result"),
    (C::Eco, "eco", "eco"),
    (C::Plies, "plies", "plies"),
    (C::Event, "event", "event"),
    (C::Site, "site", "site"),
    (C::Round, "round", "round"),
    (C::Variant, "variant", "variant"),
    (C::Fen, "fen", "fen"),
    (C::Broken, "broken", "broken"),
    (C::ResultMismatch, "result_mismatch", "mismatch"),
    (C::Comments, "comments", "comments"),
    (C::Variations, "variations", "variations"),
    (C::Nags, "nags", "nags"),
    (C::OddDate, "odd_date", "odd date"),
];

impl FromStr for Column {
    type Err = String;

    fn from_str(name: &str) -> Result<Column, String> {
        let name = name.trim().to_ascii_lowercase().replace('-', "_");
        NAMES
            .iter()
            .find(|entry| entry.1 == name)
            .map(|entry| entry.0)
            .ok_or_else(|| {
                let all: Vec<_> = NAMES.iter().map(|entry| entry.1).collect();
                format!("no such column; there are {}", all.join(", "))
            })
    }
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    Text(String),
    Number(u64),
    Flag(bool),
    Nothing,
}

impl Cell {
    /// In a table, where a flag is a word or nothing.
    pub(super) fn into_text(self) -> String {
        match self {
            Cell::Flag(true) => "yes".to_owned(),
            Cell::Flag(false) => String::new(),
            other => other.into_csv(),
        }
    }

    /// In CSV, where only what is not known is empty.
    pub(super) fn into_csv(self) -> String {
        match self {
            Cell::Text(text) => text,
            Cell::Number(number) => number.to_string(),
            Cell::Flag(flag) => flag.to_string(),
            Cell::Nothing => String::new(),
        }
    }

    pub(super) fn into_json(self) -> Value {
        match self {
            Cell::Text(text) => json!(text),
            Cell::Number(number) => json!(number),
            Cell::Flag(flag) => json!(flag),
            Cell::Nothing => Value::Null,
        }
    }
}

/// The columns of a table where none are asked for.
pub(super) fn of_table(several: bool) -> Vec<Column> {
    let first = if several { C::Address } else { C::Number };
    vec![
        first,
        C::Date,
        C::White,
        C::WhiteElo,
        C::Black,
        C::BlackElo,
        C::Result,
        C::Eco,
        C::Plies,
        C::Event,
        C::Site,
        C::Round,
    ]
}

/// All columns, of CSV and JSON.
pub(super) fn all() -> Vec<Column> {
    NAMES.iter().map(|entry| entry.0).collect()
}

impl Column {
    /// In the first line of CSV, and the key in JSON.
    pub(super) fn name(self) -> &'static str {
        NAMES
            .iter()
            .find(|entry| entry.0 == self)
            .map_or("", |entry| entry.1)
    }

    /// In a table.
    pub(super) fn head(self) -> Head {
        let title = NAMES
            .iter()
            .find(|entry| entry.0 == self)
            .map_or("", |entry| entry.2);
        let right = matches!(self, C::Number | C::WhiteElo | C::BlackElo | C::Plies);
        let least = match self {
            C::White | C::Black | C::Event => Some(10),
            C::Site => Some(8),
            C::Round => Some(5),
            _ => None,
        };
        let leaves = match self {
            C::Round => 6,
            C::Site => 5,
            C::Plies => 4,
            C::Eco => 3,
            C::WhiteElo | C::BlackElo => 2,
            C::Event => 1,
            _ => 0,
        };
        Head {
            title,
            right,
            least,
            leaves,
        }
    }

    /// What a game has in it.
    pub(super) fn cell(self, line: &Line) -> Cell {
        let text = |text: &str| Cell::Text(text.to_owned());
        let elo = |elo: u16| {
            if elo == 0 {
                Cell::Nothing
            } else {
                Cell::Number(elo.into())
            }
        };
        let row = &line.row;
        let flags = row.flags;
        match self {
            C::Address => Cell::Text(format!("{}:{}", line.archive, row.number)),
            C::Archive => text(&line.archive),
            C::Number => Cell::Number(row.number),
            C::Date => Cell::Text(row.date.to_string()),
            C::White => text(&row.white),
            C::WhiteElo => elo(row.white_elo),
            C::Black => text(&row.black),
            C::BlackElo => elo(row.black_elo),
            C::Result => text(flags.result().as_str()),
            C::Eco => eco(row.eco),
            C::Plies => Cell::Number(row.plies.into()),
            C::Event => text(&row.event),
            C::Site => text(&row.site),
            C::Round => text(&row.round),
            C::Variant => text(flags.rules().name()),
            C::Fen => Cell::Flag(flags.fen()),
            C::Broken => Cell::Flag(flags.tail() || flags.text()),
            C::ResultMismatch => Cell::Flag(flags.mismatch()),
            C::Comments => Cell::Flag(flags.comments()),
            C::Variations => Cell::Flag(flags.variations()),
            C::Nags => Cell::Flag(flags.nags()),
            C::OddDate => Cell::Flag(row.date.is_odd()),
        }
    }
}

/// `B33`; what is none has no name in an index.
fn eco(number: u16) -> Cell {
    match number {
        1..=500 => {
            let place = usize::from(number - 1);
            let letter = ["A", "B", "C", "D", "E"][place / 100];
            Cell::Text(format!("{letter}{:02}", place % 100))
        }
        0 => Cell::Nothing,
        _ => Cell::Text("?".to_owned()),
    }
}

/// A line of CSV (RFC 4180).
pub(super) fn csv_line(cells: impl Iterator<Item = String>) -> String {
    let mut out = String::new();
    for (place, cell) in cells.enumerate() {
        if place > 0 {
            out.push(',');
        }
        if cell.contains([',', '"', '\r', '\n']) || cell.starts_with(' ') || cell.ends_with(' ') {
            out.push('"');
            out.push_str(&cell.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(&cell);
        }
    }
    out.push_str("\r\n");
    out
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{Cell, Column, csv_line, eco};

    #[test]
    fn names_and_codes() {
        assert_eq!("White-Elo".parse(), Ok(Column::WhiteElo));
        assert!("bogus".parse::<Column>().unwrap_err().contains("white_elo"));
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
            assert_eq!(column.name().parse(), Ok(column));
            assert!(
                help.contains(&format!(" {}", column.name())),
                "{}",
                column.name()
            );
        }
    }

    #[test]
    fn lines_of_csv() {
        let line = csv_line(
            ["a", "b,c", "say \"hi\"", "two\nlines", ""]
                .map(str::to_owned)
                .into_iter(),
        );
        assert_eq!(line, "a,\"b,c\",\"say \"\"hi\"\"\",\"two\nlines\",\r\n");
    }
}
