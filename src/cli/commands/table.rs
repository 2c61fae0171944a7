//! `pgc table`: standings and crosstable of a tournament, or the result of a match.

use std::io::{self, IsTerminal, Write};
use std::iter::repeat;
use std::path::PathBuf;

use clap::ValueHint;
use pgc::OpenOptions;
use pgc_index::collate_rounds;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::args::find::Lookup;
use crate::args::options::OUTPUT;
use crate::args::questions::Questions;
use crate::commands::find::archives;
use crate::failure::{Exit, WithName};
use crate::files::archive::for_each;
use crate::files::copies::{self, CopyCount};
use crate::show::output::{note_line, note_lines, print_json, print_line, print_lines, printable};
use crate::show::table::{self, ColumnHead, head};
use crate::show::{columns::CsvOptions, footer::Footer, screen::TextOutput};
use crate::standings::tiebreak::CODES;
use crate::standings::{EventGames, MOST_CROSSED, Played, Standings};

/// The results of a player against another, by the half points.
const SIGNS: [char; 3] = ['0', '\u{bd}', '1'];

/// The columns of the list of games.
const ROUND_COLUMNS: [&str; 4] = ["round", "white", "result", "black"];

/// Show the standings of a tournament, or the result of a match
#[derive(Debug, clap::Args)]
#[command(next_help_heading = OUTPUT)]
#[command(after_help = include_str!("../help/table.txt"))]
pub(crate) struct TableArgs {
    /// Archives (files, not standard input), or folders, searched recursively
    #[arg(help_heading = None, value_name = "ARCHIVE|DIR", required = true, value_hint = ValueHint::AnyPath)]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    ask: Questions,
    /// List the result of each game, round by round, instead of the standings (with --json: too)
    #[arg(long)]
    rounds: bool,
    /// How to rank players with equal points: codes of FIDE's tie-breaks, the first one first
    #[arg(long, value_name = "CODE,...", value_delimiter = ',', value_parser = CODES, ignore_case = true)]
    #[arg(hide_possible_values = true)]
    tiebreak: Vec<String>,
    /// Show a rating list instead of the standings (with --json: too), with errors and the likelihood
    /// of being stronger than the next player
    #[arg(long, conflicts_with_all = ["rounds", "tiebreak"])]
    ratings: bool,
    /// Give this player this rating [default: the average is 0]
    #[arg(long, value_name = "NAME=ELO", value_parser = anchor, requires = "ratings")]
    anchor: Option<(String, f64)>,
    /// Keep spellings of one name apart
    #[arg(long)]
    as_written: bool,
    /// Count only the best copy of each game (as `pgc dups` finds them)
    #[arg(long)]
    unique: bool,
    /// Print the table as one JSON object
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print the table as CSV
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    safe: CsvOptions,
    /// Print the table as an HTML page
    #[arg(long, conflicts_with_all = ["csv", "json"])]
    html: bool,
    #[command(flatten)]
    lookup: Lookup,
}

pub(crate) fn run(args: &TableArgs) -> anyhow::Result<Exit> {
    args.safe.check(args.csv)?;
    let (paths, mut exit) = archives(&args.archives, args.lookup.run.quiet)?;
    let query = args.lookup.people.prepare(args.ask.query.clone())?;
    let mut footer = Footer::new(paths.len() > 1);
    let given = (&args.lookup, OpenOptions::default());
    let (mut asked, searched) = copies::ask(&paths, &query, given, &mut footer)?;
    let copies = CopyCount::among(&mut asked, args.unique, &args.lookup)?;
    let mut games = EventGames::new(args.rounds);
    let added = for_each(&asked, |asked| {
        let found = &asked.answer.found.games;
        let read = games.add_games(&asked.archive, found, args.lookup.run.jobs);
        read.at(asked.archive.path())?;
        asked.tell(&args.lookup)
    })?;
    exit = exit.max(searched).max(added);
    let standings = games.standings(args.as_written, &args.tiebreak);
    let ratings = args
        .ratings
        .then(|| standings.ratings(args.anchor.as_ref()));
    let ratings = ratings.transpose()?;
    let (title, (heads, rows), below) = match &ratings {
        Some(list) => ("Ratings", rating_list(list), Some(below_ratings(list))),
        None if args.rounds => ("Rounds", standings.rounds(), None),
        None => ("Standings", standings.table(true), standings.comparison()),
    };
    if args.json {
        let mut object = standings.json(usize::MAX, copies.copies);
        if let Some(ratings) = ratings {
            object["ratings"] = ratings;
        }
        print_json(&object)?;
    } else if !rows.is_empty() {
        if args.html {
            print_lines(html(title, &heads, &rows, below).lines())?;
        } else if args.csv {
            let mut out = TextOutput::stdout();
            let names = heads.iter().map(|head| head.title.to_owned()).collect();
            for row in [&names].into_iter().chain(&rows) {
                out.write_all(&args.safe.line(row, false)?)?;
            }
            out.commit()?;
        } else {
            let width = table::width(io::stdout().is_terminal());
            let mut lines = table::lines(&heads, &rows, width);
            if title == "Standings" && lines.iter().any(|line| line.width() > width) {
                let (heads, rows) = standings.table(false);
                lines = table::lines(&heads, &rows, width);
            }
            print_lines(lines)?;
            if let Some(text) = below {
                print_line(&printable(&text))?;
            }
        }
    }
    if !args.lookup.run.quiet {
        note_lines(standings.notes().into_iter().chain(copies.line()));
    }
    if rows.is_empty() && exit == Exit::Done {
        note_line("no game matches");
        return Ok(Exit::Partly);
    }
    Ok(exit)
}

/// `NAME=ELO`.
fn anchor(text: &str) -> Result<(String, f64), String> {
    let parts = text.rsplit_once('=');
    let parts = parts.and_then(|(name, elo)| Some((name.trim().to_owned(), elo.parse().ok()?)));
    parts
        .filter(|(_, elo): &(_, f64)| elo.is_finite())
        .ok_or_else(|| "not NAME=ELO".to_owned())
}

/// The columns of a rating list; their keys in JSON have small letters.
const RATING_COLUMNS: [&str; 9] = [
    "rank", "player", "rating", "error", "points", "games", "score", "draws", "LOS",
];

/// The rows of a rating list.
fn rating_list(list: &Value) -> (Vec<ColumnHead>, Vec<Vec<String>>) {
    let mut heads = RATING_COLUMNS.map(|title| head(title, 0)).to_vec();
    heads[1] = ColumnHead::new("player").yields(Some(10), 0);
    let row = |found: &Value| {
        let bound = |sign: char, key: &str| Some(format!("{sign}{:.1}", found[key].as_f64()?));
        let open = || bound('>', "low").or_else(|| bound('<', "high"));
        let cell = |title: &str| match (title, &found[title.to_lowercase()]) {
            (_, Value::String(name)) => name.clone(),
            ("rating", Value::Null) => open().unwrap_or_default(),
            ("error", Value::Null) if found["rating"].is_null() => "open".to_owned(),
            ("rank" | "games", number) => number.to_string(),
            (_, number) => {
                let percent = ["score", "draws", "LOS"].contains(&title);
                let factor = if percent { 100.0 } else { 1.0 };
                let number = number.as_f64().map(|number| number * factor);
                number.map_or(String::new(), |number| format!("{number:.1}"))
            }
        };
        RATING_COLUMNS.map(cell).to_vec()
    };
    let players = list["players"].as_array().into_iter().flatten();
    (heads, players.map(row).collect())
}

/// What is said below a rating list.
fn below_ratings(list: &Value) -> String {
    let number = |key: &str| list[key].as_f64().unwrap_or_default();
    let left_out = match list["left_out"].as_u64() {
        Some(count @ 1..) => format!("; left out: {count} players who never met these"),
        _ => String::new(),
    };
    format!(
        "White's advantage: {:+.1} (error {:.1}); errors of 95 %, from {} pairs of games with colours reversed and {} other games{left_out}",
        number("white_advantage"),
        number("white_error"),
        list["pairs"],
        list["single"]
    )
}

/// Text as it stands in HTML.
fn escaped(text: &str) -> String {
    let text = printable(text).replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

fn html(title: &str, heads: &[ColumnHead], rows: &[Vec<String>], below: Option<String>) -> String {
    let line = |tag: &str, cells: &mut dyn Iterator<Item = &str>| {
        let cell = |text| format!("<{tag}>{}</{tag}>", escaped(text));
        format!("<tr>{}</tr>\n", cells.map(cell).collect::<String>())
    };
    let head = line("th", &mut heads.iter().map(|head| head.title));
    let cells = rows.iter().map(|row| row.iter().map(String::as_str));
    let body: String = cells.map(|mut cells| line("td", &mut cells)).collect();
    let below = below.map_or(String::new(), |text| format!("<p>{}</p>\n", escaped(&text)));
    format!(
        "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>\
         table {{ border-collapse: collapse }} th, td {{ padding: 2px 8px; text-align: right }} \
         th:nth-child(2), td:nth-child(2) {{ text-align: left }} tr + tr {{ border-top: 1px solid #ccc }} \
         @page {{ size: A4 landscape; margin: 10mm }} \
         @media print {{ body {{ margin: 0; font-size: 8pt }} th, td {{ padding: 1px 3px }} \
         tr {{ break-inside: avoid }} }}</style>\n\
         <table>\n{head}{body}</table>\n{below}"
    )
}

impl Standings {
    /// The results of a player against another, in the order of the games.
    fn cell(&self, player: usize, other: usize) -> String {
        let games = self.players[player].games.iter();
        let games = games.filter(|game| game.opponent == Some(other));
        let sign = |game: &Played| match (game.is_played, game.half_points) {
            (false, 0) => '-',
            (false, 2) => '+',
            (_, half_points) => SIGNS[usize::from(half_points)],
        };
        games.map(sign).collect()
    }

    /// The players whose results against each other are shown: all, unless there are many.
    fn crossed(&self) -> &[usize] {
        let is_shown = (2..=MOST_CROSSED).contains(&self.order.len());
        self.order.get(..).filter(|_| is_shown).unwrap_or_default()
    }

    /// The standings, and the results against each other if they are to be `crossed`.
    fn table(&self, crossed: bool) -> (Vec<ColumnHead>, Vec<Vec<String>>) {
        let player = ColumnHead::new("player").yields(Some(10), 0);
        let mut heads = vec![head("rank", 0), player, head("points", 0)];
        let columns = [("games", 3), ("won", 6), ("drawn", 7), ("lost", 7)];
        heads.extend(columns.map(|(title, leaves)| head(title, leaves)));
        let codes = self
            .tie_breaks
            .iter()
            .zip([1, 4, 5].into_iter().chain(repeat(5)));
        heads.extend(codes.map(|(code, leaves)| head(code.clone().leak(), leaves)));
        heads.extend([head("perf", 2), head("rated", 7)]);
        let crossed = if crossed { self.crossed() } else { &[] };
        // The rank of the opponent; of a match one column is enough.
        let is_match = crossed.len() == 2;
        let titles = (1..=crossed.len()).map(|rank| ColumnHead::new(rank.to_string().leak()));
        match is_match {
            true => heads.push(ColumnHead::new("results")),
            false => heads.extend(titles),
        }
        let rounded = |value: f64| ((value * 100.0).round() / 100.0).to_string();
        let text = |value: &Option<f64>| value.map_or(String::new(), rounded);
        let row = |(rank, &place): (usize, &usize)| {
            let found = &self.players[place];
            let points = (f64::from(found.half_points()) / 2.0).to_string();
            let mut row = vec![(rank + 1).to_string(), found.name.clone(), points];
            row.push(found.games.len().to_string());
            row.extend(found.results.iter().map(u32::to_string));
            row.extend(found.values.iter().map(text));
            row.extend([
                text(&found.performance()),
                found.rated().0.len().to_string(),
            ]);
            let crossed = crossed.iter().filter(|&&other| !is_match || place != other);
            row.extend(crossed.map(|&other| match place == other {
                true => "\u{d7}".to_owned(),
                false => self.cell(place, other),
            }));
            row
        };
        (heads, self.order.iter().enumerate().map(row).collect())
    }

    /// The listed games in the order of their rounds.
    fn rounds(&self) -> (Vec<ColumnHead>, Vec<Vec<String>>) {
        let listed = self.listed.iter().flatten();
        let mut rows: Vec<Vec<String>> = listed.map(|game| game.to_vec()).collect();
        rows.sort_by(|a, b| collate_rounds(a[0].as_bytes(), b[0].as_bytes()));
        let mut heads = ROUND_COLUMNS.map(ColumnHead::new).to_vec();
        for player in [1, 3] {
            heads[player].least = Some(10);
        }
        (heads, rows)
    }

    /// The first `limit` players, with their results against each other unless there are many,
    /// the comparison of a match, and the listed games.
    pub(crate) fn json(&self, limit: usize, copies: Option<u64>) -> Value {
        let (_, listed) = self.rounds();
        let player = |&player: &usize| {
            let found = &self.players[player];
            let others = self.crossed().iter().filter(|&&other| other != player);
            let against = others.map(|&other| self.cell(player, other));
            let values = self.tie_breaks.iter().zip(&found.values);
            let values = values.map(|(code, value)| json!({ "code": code, "value": value }));
            json!({
                "player": found.name,
                "points": f64::from(found.half_points()) / 2.0,
                "games": found.games.len(),
                "won": found.results[0],
                "drawn": found.results[1],
                "lost": found.results[2],
                "sonneborn_berger": f64::from(self.sum(found, [0, 0], true)) / 4.0,
                "buchholz": f64::from(self.sum(found, [0, 0], false)) / 2.0,
                "tie_breaks": values.collect::<Value>(),
                "performance": found.performance(),
                "rated": found.rated().0.len(),
                "against": against.collect::<Value>(),
            })
        };
        let comparison = self.elo().map(|[difference, low, high, likelihood]| {
            json!({ "elo": difference, "low": low, "high": high, "los": likelihood })
        });
        let game = |row: &Vec<String>| ROUND_COLUMNS.into_iter().zip(row.clone()).collect();
        json!({
            "players": self.order.iter().take(limit).map(player).collect::<Value>(),
            "match": comparison,
            "unfinished": self.unfinished,
            "unplayed": self.unplayed,
            "left_out": self.left_out,
            "joined": self.joined().collect::<Vec<_>>(),
            "copies": copies,
            "ratings": null,
            "rounds": self.listed.as_ref().map(|_| listed.iter().map(game).collect::<Vec<Value>>()),
        })
    }
}
