//! `pgc table`: standings and crosstable of a tournament, or the result of a match.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::ValueHint;
use pgc::{Archive, OpenOptions};
use pgc_index::collate_rounds;
use pgc_pgn::writer::Termination;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::failure::{Exit, WithName};
use super::find_args::{AskOptions, Lookup};
use super::options::OUTPUT;
use super::output::{counted_as, note_line, print_json, print_line, print_lines, printable};
use super::table::{self, ColumnHead, head};
use super::{
    archive::for_each, columns::CsvOptions, copies, find::archives, footer::Footer,
    screen::TextOutput,
};

/// With more players there is no crosstable.
const MOST_CROSSED: usize = 30;

/// The results of a player against another, by the half points.
const SIGNS: [char; 3] = ['0', '\u{bd}', '1'];

/// The columns of the list of games.
const ROUND_COLUMNS: [&str; 4] = ["round", "white", "result", "black"];

/// The games whose columns are read at once.
const GAMES_AT_ONCE: usize = 1 << 16;

/// Show the standings of a tournament, or the result of a match
#[derive(Debug, clap::Args)]
#[command(next_help_heading = OUTPUT)]
#[command(after_help = "\
A win is a point, a draw half a point (FIDE Laws of Chess, 10.1); games without a result do not count. Players are the names as written. \
Of equal points the higher Sonneborn-Berger score comes first, then the higher Buchholz score (FIDE Handbook C.07): \
SB adds up the points of the opponents beaten and half those of the opponents drawn, BH the points of all opponents, each for every game.

perf is the rating that would have been expected to score so against these opponents: their average + 400 log10(p / (1 - p)), at most 800 from it.

Of a match of two players: the Elo difference 400 log10(p / (1 - p)) with an interval of 95 %, from the variance of the results of the games, \
and LOS, the likelihood that the first is the stronger one: the normal distribution at (won - lost) / sqrt(won + lost).

Examples:
  pgc table games.pgc --event '=New York' -d 1924
  pgc table games.pgc --event '=New York' -d 1924 --rounds
  pgc table match.pgc --csv

Exit code 1: no game matches. Exit code 3: part of an archive is damaged; the table has the games of the rest.")]
pub(super) struct TableArgs {
    /// Archives (files, not standard input), or folders, searched recursively
    #[arg(help_heading = None, value_name = "ARCHIVE|DIR", required = true, value_hint = ValueHint::AnyPath)]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    ask: AskOptions,
    /// List the result of each game, round by round, instead of the standings (with --json: too)
    #[arg(long)]
    rounds: bool,
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

pub(super) fn run(args: &TableArgs) -> anyhow::Result<Exit> {
    args.safe.check(args.csv)?;
    let Some((paths, mut exit)) = archives(&args.archives, args.lookup.run.quiet)? else {
        return Ok(Exit::Partly);
    };
    let query = args.ask.query(&args.lookup.people)?;
    let mut footer = Footer::new(paths.len() > 1);
    let given = (&args.lookup, OpenOptions::default());
    let (asked, searched) = copies::ask(&paths, &query, given, &mut footer)?;
    let mut standings = Standings::new(args.rounds);
    let added = for_each(&asked, |asked| {
        let games = &asked.answer.found.games;
        let read = standings.add_games(&asked.archive, games, args.lookup.run.jobs);
        read.at(asked.archive.path())?;
        asked.tell(&args.lookup)
    })?;
    exit = exit.max(searched).max(added);
    let ranked = standings.ranked();
    let (heads, rows) = match args.rounds {
        true => standings.rounds(),
        false => standings.table(&ranked, true),
    };
    let comparison = standings.comparison(&ranked).filter(|_| !args.rounds);
    if args.json {
        print_json(&standings.json(usize::MAX))?;
    } else if !rows.is_empty() {
        if args.html {
            let title = if args.rounds { "Rounds" } else { "Standings" };
            print_lines(html(title, &heads, &rows, comparison).lines())?;
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
            if !args.rounds && lines.iter().any(|line| line.width() > width) {
                let (heads, rows) = standings.table(&ranked, false);
                lines = table::lines(&heads, &rows, width);
            }
            print_lines(lines)?;
            if let Some(text) = comparison {
                print_line(&printable(&text))?;
            }
        }
    }
    if standings.unfinished > 0 && !args.lookup.run.quiet {
        let one = "game has no result and counts for nothing";
        let many = "games have no result and count for nothing";
        note_line(&counted_as(standings.unfinished, one, many));
    }
    if rows.is_empty() && exit == Exit::Done {
        note_line("no game matches");
        return Ok(Exit::Partly);
    }
    Ok(exit)
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
         th:nth-child(2), td:nth-child(2) {{ text-align: left }} tr + tr {{ border-top: 1px solid #ccc }}</style>\n\
         <table>\n{head}{body}</table>\n{below}"
    )
}

/// What a player scored.
#[derive(Default)]
struct Scorer {
    name: String,
    /// Games won, drawn and lost.
    results: [u32; 3],
    /// The sum and the number of the ratings of opponents, and the half points against them.
    rated: [u32; 3],
    /// The half points of each game, with the opponent.
    games: Vec<(usize, u32)>,
}

impl Scorer {
    fn half_points(&self) -> u32 {
        2 * self.results[0] + self.results[1]
    }

    /// The score from 0 to 1.
    fn score(&self) -> f64 {
        f64::from(self.half_points()) / f64::from(2 * self.results.iter().sum::<u32>())
    }

    fn performance(&self) -> Option<f64> {
        let [sum, count, half_points] = self.rated.map(f64::from);
        let above = elo(half_points / (2.0 * count)).clamp(-800.0, 800.0);
        (count > 0.0).then(|| (sum / count + above).round())
    }
}

/// The Elo difference that gives this expected score.
fn elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The normal distribution, by formula 26.2.17 of Abramowitz and Stegun.
fn normal(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let terms = [
        0.319_381_53,
        -0.356_563_782,
        1.781_477_937,
        -1.821_255_978,
        1.330_274_429,
    ];
    let sum = terms.iter().rev().fold(0.0, |sum, term| (sum + term) * t);
    let tail = sum * (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    if x < 0.0 { tail } else { 1.0 - tail }
}

/// The scores of all players.
#[derive(Default)]
pub(super) struct Standings {
    players: Vec<Scorer>,
    by_name: HashMap<String, usize>,
    /// Games without a result.
    unfinished: u64,
    /// The round, White, the result and Black of each game, if they are to be listed.
    listed: Option<Vec<[String; 4]>>,
}

impl Standings {
    /// `rounds`: keep the result of each game for a list.
    pub(super) fn new(rounds: bool) -> Standings {
        Standings {
            listed: rounds.then(Vec::new),
            ..Standings::default()
        }
    }

    /// Adds games of an archive, by their numbers from 0.
    pub(super) fn add_games(
        &mut self,
        archive: &Archive,
        games: &[u32],
        jobs: usize,
    ) -> Result<(), pgc::Error> {
        for games in games.chunks(GAMES_AT_ONCE) {
            for row in archive.rows(games, jobs)? {
                let (elos, result) = ([row.white_elo, row.black_elo], row.flags.result());
                self.add([&row.white, &row.black], elos, result);
                if let Some(listed) = &mut self.listed {
                    listed.push([row.round, row.white, result.as_str().to_owned(), row.black]);
                }
            }
        }
        Ok(())
    }

    /// Adds a game of White and Black, with their ratings, 0 if unknown.
    fn add(&mut self, names: [&str; 2], elos: [u16; 2], result: Termination) {
        let Some(half_points) = result.half_points() else {
            self.unfinished += 1;
            return;
        };
        let half_points = half_points.map(u32::from);
        let players = names.map(|name| {
            let next = self.players.len();
            let place = *self.by_name.entry(name.to_owned()).or_insert(next);
            if place == next {
                self.players.push(Scorer::default());
                name.clone_into(&mut self.players[place].name);
            }
            place
        });
        for (side, other) in [(0, 1), (1, 0)] {
            let player = &mut self.players[players[side]];
            player.results[2 - half_points[side] as usize] += 1;
            player.games.push((players[other], half_points[side]));
            if elos[other] > 0 {
                let [sum, count, scored] = &mut player.rated;
                *sum += u32::from(elos[other]);
                *count += 1;
                *scored += half_points[side];
            }
        }
    }

    /// Four times the Sonneborn-Berger score, and twice the Buchholz score.
    fn tie_breaks(&self, player: usize) -> [u32; 2] {
        let games = self.players[player].games.iter();
        games.fold([0, 0], |[berger, buchholz], &(opponent, scored)| {
            let points = self.players[opponent].half_points();
            [berger + scored * points, buchholz + points]
        })
    }

    /// The players, the best first.
    fn ranked(&self) -> Vec<usize> {
        let mut ranked: Vec<usize> = (0..self.players.len()).collect();
        let key = |&player: &usize| (self.players[player].half_points(), self.tie_breaks(player));
        ranked.sort_by_cached_key(|player| (Reverse(key(player)), &self.players[*player].name));
        ranked
    }

    /// The results of a player against another, in the order of the games.
    fn cell(&self, player: usize, other: usize) -> String {
        let games = self.players[player].games.iter();
        let games = games.filter(|game| game.0 == other);
        games.map(|game| SIGNS[game.1 as usize]).collect()
    }

    /// The standings, and the results against each other if they are to be `crossed`.
    fn table(&self, ranked: &[usize], crossed: bool) -> (Vec<ColumnHead>, Vec<Vec<String>>) {
        let player = ColumnHead::new("player").yields(Some(10), 0);
        let mut heads = vec![head("rank", 0), player, head("points", 0)];
        let columns = ["games", "won", "drawn", "lost", "SB", "BH", "perf"];
        let leave = [3, 5, 6, 6, 1, 4, 2];
        heads.extend(
            columns
                .iter()
                .zip(leave)
                .map(|(title, leaves)| head(title, leaves)),
        );
        let crosses = crossed && ranked.len() <= MOST_CROSSED && ranked.len() > 1;
        let crossed = if crosses { ranked } else { &[] };
        // The rank of the opponent.
        heads.extend((1..=crossed.len()).map(|rank| ColumnHead::new(rank.to_string().leak())));
        let row = |(rank, &player): (usize, &usize)| {
            let found = &self.players[player];
            let [berger, buchholz] = self.tie_breaks(player).map(f64::from);
            let mut row = vec![
                (rank + 1).to_string(),
                found.name.clone(),
                (f64::from(found.half_points()) / 2.0).to_string(),
                found.games.len().to_string(),
            ];
            row.extend(found.results.iter().map(u32::to_string));
            row.extend([(berger / 4.0).to_string(), (buchholz / 2.0).to_string()]);
            let performance = found.performance();
            row.push(performance.map_or(String::new(), |rating| rating.to_string()));
            row.extend(crossed.iter().map(|&other| match player == other {
                true => "\u{d7}".to_owned(),
                false => self.cell(player, other),
            }));
            row
        };
        (heads, ranked.iter().enumerate().map(row).collect())
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

    /// The Elo difference of a match, the bounds of its interval, and the likelihood that the first
    /// player is the stronger one; `None` if there are not two players.
    fn elo(&self, ranked: &[usize]) -> Option<[f64; 4]> {
        let &[first, _] = ranked else {
            return None;
        };
        let player = &self.players[first];
        let [won, drawn, lost] = player.results.map(f64::from);
        let (score, games) = (player.score(), won + drawn + lost);
        let squares =
            won * (1.0 - score).powi(2) + drawn * (0.5 - score).powi(2) + lost * score.powi(2);
        let error = 1.96 * (squares / games).sqrt() / games.sqrt();
        let bounds = [score - error, score + error].map(|score| elo(score.clamp(0.0, 1.0)));
        let likelihood = normal((won - lost) / (won + lost).sqrt());
        Some([elo(score), bounds[0], bounds[1], likelihood])
    }

    fn comparison(&self, ranked: &[usize]) -> Option<String> {
        let [difference, low, high, likelihood] = self.elo(ranked)?;
        let name = &self.players[ranked[0]].name;
        let likelihood = match likelihood.is_nan() {
            true => String::new(),
            false => format!("; LOS {:.1} %", 100.0 * likelihood),
        };
        Some(format!(
            "Elo difference of {name}: {difference:+.0} (95 %: {low:+.0} to {high:+.0}){likelihood}"
        ))
    }

    /// The first `limit` players, with their results against each other unless there are many,
    /// the comparison of a match, and the listed games.
    pub(super) fn json(&self, limit: usize) -> Value {
        let ranked = self.ranked();
        let (_, listed) = self.rounds();
        let crossed = (ranked.len() <= MOST_CROSSED).then_some(&ranked);
        let player = |&player: &usize| {
            let found = &self.players[player];
            let [berger, buchholz] = self.tie_breaks(player).map(f64::from);
            let against: Option<Vec<String>> = crossed.map(|ranked| {
                let others = ranked.iter().filter(|&&other| other != player);
                others.map(|&other| self.cell(player, other)).collect()
            });
            json!({
                "player": found.name,
                "points": f64::from(found.half_points()) / 2.0,
                "games": found.games.len(),
                "won": found.results[0],
                "drawn": found.results[1],
                "lost": found.results[2],
                "sonneborn_berger": berger / 4.0,
                "buchholz": buchholz / 2.0,
                "performance": found.performance(),
                "against": against.unwrap_or_default(),
            })
        };
        let players: Vec<Value> = ranked.iter().take(limit).map(player).collect();
        let comparison = self.elo(&ranked).map(|[difference, low, high, likelihood]| {
            json!({ "elo": difference, "low": low, "high": high, "los": likelihood })
        });
        let game = |row: &Vec<String>| ROUND_COLUMNS.into_iter().zip(row.clone()).collect();
        json!({
            "players": players,
            "match": comparison,
            "unfinished": self.unfinished,
            "rounds": self.listed.as_ref().map(|_| listed.iter().map(game).collect::<Vec<Value>>()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hand-made: A beats B and draws C; B beats C.
    #[test]
    fn standings_of_three() {
        let mut standings = Standings::default();
        standings.add(["A", "B"], [2000, 2100], Termination::WhiteWins);
        standings.add(["C", "A"], [0, 2000], Termination::Draw);
        standings.add(["B", "C"], [2100, 0], Termination::WhiteWins);
        standings.add(["B", "C"], [2100, 0], Termination::Unknown);
        let ranked = standings.ranked();
        let (_, rows) = standings.table(&ranked, true);
        // SB of A: B's point, and half of C's half point. Ratings: A won against 2100 alone, B lost
        // against 2000 alone; C scored a quarter against 2050 on average, 400 log10(1 / 3) below.
        let expected = [
            "1 A 1.5 2 1 1 0 1.25 1.5 2900 \u{d7} 1 \u{bd}",
            "2 B 1 2 1 0 1 0.5 2 1200 0 \u{d7} 1",
            "3 C 0.5 2 0 1 1 0.75 2.5 1859 \u{bd} 0 \u{d7}",
        ];
        let rows: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
        assert_eq!(rows, expected);
        assert_eq!(standings.unfinished, 1);
        // A narrow table keeps the results against each other as long as possible.
        let (heads, rows) = standings.table(&ranked, true);
        let title = |width| table::lines(&heads, &rows, width)[0].clone();
        assert_eq!(
            title(50),
            "rank  player  points  games    SB  perf  1  2  3"
        );
        assert_eq!(title(30), "rank  player  points  1  2  3");
    }

    /// 60 won, 100 drawn, 40 lost: 55 %, 400 log10(11/9) = 34.9; the variance of a game is
    /// (60 * 0.45² + 100 * 0.05² + 40 * 0.55²) / 200 = 0.1225, so the error of the score is
    /// 1.96 * 0.35 / sqrt(200) = 0.0485. 20 / sqrt(100) is two standard deviations: 97.7 %.
    #[test]
    fn a_match() {
        let mut standings = Standings::default();
        for (count, result) in [
            (60, Termination::WhiteWins),
            (100, Termination::Draw),
            (40, Termination::BlackWins),
        ] {
            (0..count).for_each(|_| standings.add(["A", "B"], [0, 0], result));
        }
        let [difference, low, high, likelihood] = standings.elo(&standings.ranked()).unwrap();
        assert!((difference - 34.86).abs() < 0.01, "{difference}");
        let bound = |score: f64| 400.0 * (score / (1.0 - score)).log10();
        assert!(
            (low - bound(0.55 - 0.04851)).abs() < 0.05
                && (high - bound(0.55 + 0.04851)).abs() < 0.05
        );
        assert!((likelihood - 0.97725).abs() < 0.0001, "{likelihood}");
    }
}
