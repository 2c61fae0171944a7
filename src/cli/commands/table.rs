//! `pgc table`: standings and crosstable of a tournament, or the result of a match.

use std::io::{self, IsTerminal, Write};
use std::iter::repeat;
use std::path::PathBuf;

use clap::ValueHint;
use pgc::OpenOptions;
use pgc::standings::{
    CODES, EventGames, RatedPlayer, RatingList, RoundGame, Standing, Standings, StandingsOptions,
};
use unicode_width::UnicodeWidthStr;

use crate::args::find::Lookup;
use crate::args::options::OUTPUT;
use crate::args::questions::Questions;
use crate::commands::find::archives;
use crate::failure::{Exit, WithName};
use crate::files::archive::for_each;
use crate::files::copies::{self, CopyCount};
use crate::show::output::{
    counted, note_line, note_lines, print_json, print_line, print_lines, printable,
};
use crate::show::table::{self, ColumnHead, head};
use crate::show::{columns::CsvOptions, footer::Footer, screen::TextOutput};

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
    let mut standings = games.standings(&StandingsOptions {
        tie_breaks: args.tiebreak.clone(),
        as_written: args.as_written,
        ratings: args.ratings,
        anchor: args.anchor.clone(),
    })?;
    standings.copies = copies.copies;
    let (title, (heads, rows), below) = match &standings.ratings {
        Some(list) => ("Ratings", rating_list(list), Some(below_ratings(list))),
        None if args.rounds => ("Rounds", rounds(&standings), None),
        None => {
            let below = below_standings(&standings);
            ("Standings", scores(&standings, true), below)
        }
    };
    if args.json {
        print_json(&serde_json::to_value(&standings)?)?;
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
                let (heads, rows) = scores(&standings, false);
                lines = table::lines(&heads, &rows, width);
            }
            print_lines(lines)?;
            if let Some(text) = below {
                print_line(&printable(&text))?;
            }
        }
    }
    if !args.lookup.run.quiet {
        note_lines(notes(&standings).into_iter().chain(copies.line()));
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

/// The columns and the rows of a table.
type Rows = (Vec<ColumnHead>, Vec<Vec<String>>);

fn player_head() -> ColumnHead {
    ColumnHead::new("player").yields(Some(10), 0)
}

/// The rows of a rating list.
fn rating_list(list: &RatingList) -> Rows {
    let titles = [
        "rating", "error", "points", "games", "score", "draws", "LOS",
    ];
    let mut heads = vec![head("rank", 0), player_head()];
    heads.extend(titles.map(|title| head(title, 0)));
    let tenths = |number: f64| format!("{number:.1}");
    let percent = |share: f64| tenths(100.0 * share);
    let row = |found: &RatedPlayer| {
        let (rating, error) = match (found.rating, found.low, found.high) {
            (Some(rating), ..) => (tenths(rating), found.error.map_or(String::new(), tenths)),
            (None, Some(low), _) => (format!(">{low:.1}"), "open".to_owned()),
            (None, None, high) => {
                let bound = high.map_or(String::new(), |high| format!("<{high:.1}"));
                (bound, "open".to_owned())
            }
        };
        vec![
            found.rank.to_string(),
            found.player.clone(),
            rating,
            error,
            tenths(found.points),
            found.games.to_string(),
            percent(found.score),
            percent(found.draws),
            found.los.map_or(String::new(), percent),
        ]
    };
    (heads, list.players.iter().map(row).collect())
}

/// What is said below a rating list.
fn below_ratings(list: &RatingList) -> String {
    let left_out = match list.left_out {
        0 => String::new(),
        count => format!("; left out: {count} players who never met these"),
    };
    format!(
        "White's advantage: {:+.1} (error {:.1}); errors of 95 %, from {} pairs of games with colours reversed and {} other games{left_out}",
        list.white_advantage, list.white_error, list.pairs, list.single
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

/// The standings, and the results against each other if they are to be `crossed` and are known.
fn scores(standings: &Standings, crossed: bool) -> Rows {
    let players = &standings.players;
    let mut heads = vec![head("rank", 0), player_head(), head("points", 0)];
    let columns = [("games", 3), ("won", 6), ("drawn", 7), ("lost", 7)];
    heads.extend(columns.map(|(title, leaves)| head(title, leaves)));
    let codes = players.first().map_or(&[][..], |first| &first.tie_breaks);
    let codes = codes.iter().zip([1, 4, 5].into_iter().chain(repeat(5)));
    heads.extend(codes.map(|(tie_break, leaves)| head(tie_break.code, leaves)));
    heads.extend([head("perf", 2), head("rated", 7)]);
    let is_crossed = crossed && players.iter().any(|player| !player.against.is_empty());
    // The rank of the opponent; of a match one column is enough.
    let is_match = players.len() == 2;
    match is_match {
        _ if !is_crossed => {}
        true => heads.push(ColumnHead::new("results")),
        false => {
            let ranks = 1..=players.len();
            heads.extend(ranks.map(|rank| ColumnHead::new(rank.to_string().leak())));
        }
    }
    let rounded = |value: f64| ((value * 100.0).round() / 100.0).to_string();
    let text = |value: Option<f64>| value.map_or(String::new(), rounded);
    let row = |(place, found): (usize, &Standing)| {
        let mut row = vec![
            (place + 1).to_string(),
            found.player.clone(),
            found.points.to_string(),
            found.games.to_string(),
        ];
        row.extend([found.won, found.drawn, found.lost].map(|count| count.to_string()));
        let values = found.tie_breaks.iter().map(|tie_break| tie_break.value);
        row.extend(values.map(text));
        row.extend([text(found.performance), found.rated.to_string()]);
        if is_crossed {
            let own = row.len() + place;
            row.extend_from_slice(&found.against);
            if !is_match {
                row.insert(own, "\u{d7}".to_owned());
            }
        }
        row
    };
    (heads, players.iter().enumerate().map(row).collect())
}

/// What is said below the standings of a match.
fn below_standings(standings: &Standings) -> Option<String> {
    let found = standings.comparison.as_ref();
    let found = found.filter(|found| !found.elo.is_nan())?;
    let name = &standings.players.first()?.player;
    let likelihood = match found.los.is_nan() {
        true => String::new(),
        false => format!("; LOS {:.1} %", 100.0 * found.los),
    };
    let [elo, low, high] = [found.elo, found.low, found.high].map(|elo| match elo.is_finite() {
        true => format!("{elo:+.0}"),
        false => "open".to_owned(),
    });
    Some(format!(
        "Elo difference of {name}: {elo} (95 %: {low} to {high}){likelihood}"
    ))
}

/// The listed games.
fn rounds(standings: &Standings) -> Rows {
    let heads = ["round", "white", "result", "black"].map(ColumnHead::new);
    let mut heads = heads.to_vec();
    for player in [1, 3] {
        heads[player].least = Some(10);
    }
    let games = standings.rounds.iter().flatten();
    let row = |game: &RoundGame| {
        let cells = [&*game.round, &game.white, game.result, &game.black];
        cells.map(str::to_owned).to_vec()
    };
    (heads, games.map(row).collect())
}

/// Notes on what counts, and how.
pub(crate) fn notes(standings: &Standings) -> Vec<String> {
    let mut notes = Vec::new();
    for (count, why) in [
        (standings.unfinished, "without a result: not counted"),
        (standings.unplayed, "not played: counted for points only"),
        (standings.left_out, "without two players: not counted"),
    ] {
        notes.extend((count > 0).then(|| format!("{} {why}", counted(count, "game"))));
    }
    let joined = standings.joined.iter().map(|names| names.join(" = "));
    let joined = joined.collect::<Vec<_>>().join("; ");
    if !joined.is_empty() {
        notes.push(format!("one person each (--as-written: not): {joined}"));
    }
    notes
}
