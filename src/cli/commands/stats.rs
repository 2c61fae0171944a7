//! `pgc stats`.

use std::collections::HashMap;
use std::io::{self, IsTerminal};
use std::num::NonZero;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::ValueHint;
use pgc::OpenOptions;
use pgc::ask::players::{ChosenName, ChosenPlayers, MatchedPlayers};
use pgc::ask::stats::{PlayerStats, Tally};
use pgc_index::{Clause, NameField, NamePattern, Query, Test};
use pgc_pgn::eco;
use serde_json::{Value, json};

use crate::args::find::Lookup;
use crate::args::options::OUTPUT;
use crate::args::questions::Questions;
use crate::commands::find::archives;
use crate::commands::names::divided;
use crate::failure::{Exit, WithName};
use crate::files::archive::for_each;
use crate::files::copies::{self, AskedArchive, CopyCount};
use crate::show::curve;
use crate::show::footer::{Footer, by_games, most_frequent};
use crate::show::output::{
    counted, grouped, note_line, note_lines, percent, print_json, print_line, print_lines,
};
use crate::show::table::{self, ColumnHead, head};

/// Show what a player scored, and the ratings over time
///
/// The table counts by colour, rating of the opponents, opening, opponent and year. Name the player
/// as the last argument, or with --player, --white or --black (then only games with that colour
/// count). Any other question of `pgc find` narrows the games. pgc reads only the index, unless a
/// question needs the games themselves.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = OUTPUT)]
#[command(after_help = include_str!("../help/stats.txt"))]
pub(crate) struct StatsArgs {
    /// Archives (files, not standard input), or folders, searched recursively. If the last of
    /// several arguments is neither an existing path nor looks like one, it is the player
    #[arg(help_heading = None, value_name = "ARCHIVE|DIR|PLAYER", required = true, value_hint = ValueHint::AnyPath)]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    ask: Questions,
    /// Show at most N openings and opponents, those with the most games; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Add up the games of all names that match; without this, only those of names that can be one
    /// person's
    #[arg(long)]
    all_names: bool,
    /// Count only the best copy of each game (as `pgc dups` finds them)
    #[arg(long)]
    unique: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    lookup: Lookup,
}

pub(crate) fn run(args: &StatsArgs) -> anyhow::Result<Exit> {
    let (query, given) = args.query()?;
    let (paths, mut exit) = archives(given, args.lookup.run.quiet)?;
    let lookup = &args.lookup;
    let mut footer = Footer::new(paths.len() > 1);
    let given = (lookup, OpenOptions::default());
    let (mut asked, mut searched) = copies::ask(&paths, &query, given, &mut footer)?;
    let counted = CountedPlayer::new(&mut asked, (args.all_names, args.unique), lookup)?;
    searched = searched.max(for_each(&asked, |asked| asked.tell(lookup))?);
    exit = exit.max(searched);
    let games = counted.stats.all.games;
    let is_quiet = lookup.run.quiet;
    if !is_quiet || io::stderr().is_terminal() {
        note_lines(counted.chosen_lines());
    }
    let limit = NonZero::new(args.limit).map_or(usize::MAX, NonZero::get);
    if args.json {
        print_json(&counted.json(limit))?;
    } else if games > 0 {
        counted.print(limit)?;
    }
    if !is_quiet {
        if games > 0 {
            // The answer lists the names that matched.
            footer.leave_out(NameField::Player, &PlayerStats::patterns(&query));
        }
        footer.print();
        if games == 0 && searched == Exit::Done {
            note_line("no game matches");
        }
    }
    Ok(exit.max(Exit::partly_if(games == 0)))
}

impl StatsArgs {
    /// The query, and the archives.
    fn query(&self) -> anyhow::Result<(Query, &[PathBuf])> {
        let mut query = self.ask.query.clone();
        let (paths, player) = divided(&self.archives);
        if let Some(text) = player {
            let player = NamePattern::person(&text).context(text)?;
            let player = Clause::any(vec![Test::Player(player)]);
            query.all.insert(0, player.clone());
            for group in &mut query.or {
                group.all.insert(0, player.clone());
            }
        }
        let query = self.lookup.people.prepare(query)?;
        if !PlayerStats::has_subject(&query) {
            bail!("name the player, as the last argument or with --player, --white or --black");
        }
        Ok((query, paths))
    }
}

/// What one player scored, and who that is.
pub(crate) struct CountedPlayer {
    pub(crate) stats: PlayerStats,
    chosen: ChosenPlayers,
    copies: CopyCount,
}

impl CountedPlayer {
    /// Chooses the player among those that the archives have, and adds up the games; `all_names`:
    /// those of all names that match, and `unique`: without copies.
    pub(crate) fn new(
        asked: &mut [AskedArchive],
        (all_names, unique): (bool, bool),
        lookup: &Lookup,
    ) -> anyhow::Result<CountedPlayer> {
        let jobs = lookup.run.jobs;
        let mut matched = MatchedPlayers::default();
        for one in asked.iter() {
            let (archive, query, answer) = (&one.archive, &one.query, &one.answer);
            let added = archive.add_to_players(&mut matched, query, answer, jobs);
            added.at(archive.path())?;
        }
        let chosen = matched.choose(all_names);
        for one in asked.iter_mut() {
            let (archive, query, answer) = (&one.archive, &one.query, &mut one.answer);
            let kept = archive.keep_players(answer, query, &chosen, jobs);
            kept.at(archive.path())?;
        }
        let copies = CopyCount::among(asked, unique, lookup)?;
        let mut stats = PlayerStats::default();
        for one in asked.iter() {
            let (archive, query, answer) = (&one.archive, &one.query, &one.answer);
            let added = archive.add_to_stats(&mut stats, query, answer, Some(&chosen), jobs);
            added.at(archive.path())?;
        }
        Ok(CountedPlayer {
            stats,
            chosen,
            copies,
        })
    }

    /// For each question that other names match too, whose games count.
    fn chosen_lines(&self) -> Vec<String> {
        let line = |chosen: &ChosenName| {
            let (pattern, name) = (&chosen.pattern, &chosen.name);
            format!(
                "\"{pattern}\" can be several people: these are the games of {name} (--all-names adds up all)"
            )
        };
        self.chosen.chosen.iter().map(line).collect()
    }
}

/// The most other names that JSON lists.
const OTHERS: usize = 100;

const COLOURS: [&str; 2] = ["White", "Black"];

static HEADS: [ColumnHead; 9] = [
    ColumnHead::new("").yields(Some(8), 0),
    head("games", 0),
    head("score", 0),
    head("won", 2),
    head("drawn", 2),
    head("lost", 2),
    head("elo", 3),
    head("opponents", 4),
    head("perf", 1),
];

/// How the statistics are shown; `limit`: the most openings of each colour, and the most opponents.
impl CountedPlayer {
    /// The name with the most games.
    fn name(&self) -> &str {
        let names = by_games(&self.stats.names);
        names.first().map_or("", |most| most.0)
    }

    fn print(&self, limit: usize) -> anyhow::Result<()> {
        let stats = &self.stats;
        let width = table::width(io::stdout().is_terminal());
        let mut years = stats.years.keys().filter(|year| **year > 0);
        let span = match (years.next(), years.next_back()) {
            (Some(first), Some(last)) => format!(", {first} to {last}"),
            (Some(only), None) => format!(", {only}"),
            _ => String::new(),
        };
        let games = counted(stats.all.games, "game");
        print_line!("{}: {games}{span}", self.name())?;
        let others = &self.chosen.others;
        if stats.names.len() > 1 {
            print_line!("counted: {}", most_frequent(&stats.names))?;
        }
        if !others.is_empty() {
            print_line!("not counted: {}", most_frequent(others))?;
        }
        if let Some(line) = self.copies.line() {
            print_line(&line)?;
        }
        let month = |month| month / 100 * 12 + month % 100 - 1;
        let ratings = stats.ratings.iter();
        let ratings = ratings.filter_map(|(&at, elo)| Some((month(at), elo.value()?)));
        let months: Vec<(u32, u64)> = ratings.collect();
        // In a pipe a table may have any width; a curve needs a limit.
        let curve = curve::lines(&months, if width == usize::MAX { 80 } else { width });
        if !curve.is_empty() {
            print_line("")?;
        }
        print_lines(curve)?;
        print_line("")?;
        Ok(print_lines(table::lines(&HEADS, &self.rows(limit), width))?)
    }

    fn rows(&self, limit: usize) -> Vec<Vec<String>> {
        let stats = &self.stats;
        let mut rows = vec![row("all games", &stats.all)];
        let colours = COLOURS.iter().zip(&stats.colours);
        rows.extend(colours.map(|(colour, tally)| row(colour, tally)));
        rows.extend([blank(""), blank("opponents rated")]);
        for (&level, tally) in stats.levels.iter().rev() {
            let name = match level {
                0 => "unknown".to_owned(),
                level => format!("{level} to {}", level / 100 * 100 + 99),
            };
            rows.push(row(&name, tally));
        }
        for (colour, openings) in COLOURS.iter().zip(&stats.openings) {
            let openings: Vec<_> = openings.iter().map(|(&eco, t)| (eco, t)).collect();
            let title = format!("openings as {colour}");
            let name = |eco| match stats.opening_name(eco).filter(|_| eco > 0) {
                Some(name) => format!("{} {name}", opening(eco)),
                None => opening(eco),
            };
            rows.extend(section(&title, openings, name, limit));
        }
        let opponents = stats.opponents.iter().collect();
        rows.extend(section("opponents", opponents, String::clone, limit));
        rows.extend([blank(""), blank("years")]);
        for (&year, tally) in &stats.years {
            let name = Some(year).filter(|year| *year > 0);
            let name = name.map_or("unknown".to_owned(), |year| year.to_string());
            rows.push(row(&name, tally));
        }
        rows
    }

    pub(crate) fn json(&self, limit: usize) -> Value {
        let stats = &self.stats;
        let with = |mut object: Value, key: &str, value: Value| {
            object[key] = value;
            object
        };
        let mut object = tally_json(&stats.all);
        object["player"] = json!(self.name());
        object["names"] = names_json(&stats.names, usize::MAX);
        let others = &self.chosen.others;
        object["other_names"] = names_json(others, OTHERS);
        object["other_names_total"] = json!(others.len());
        object["copies"] = json!(self.copies.copies);
        for (colour, tally) in ["as_white", "as_black"].iter().zip(&stats.colours) {
            object[*colour] = tally_json(tally);
        }
        let years = stats.years.iter().map(|(&year, tally)| {
            let year = Some(year).filter(|year| *year > 0);
            with(tally_json(tally), "year", json!(year))
        });
        object["years"] = years.collect();
        let mut openings = Vec::new();
        for (colour, all) in ["white", "black"].iter().zip(&stats.openings) {
            let all = all.iter().map(|(&eco, tally)| (eco, tally)).collect();
            for (eco, tally) in most_games(all).into_iter().take(limit) {
                let code = Some(eco).filter(|eco| *eco > 0).map(opening);
                let name = code.as_ref().and(stats.opening_name(eco));
                let code = with(tally_json(tally), "eco", json!(code));
                let code = with(code, "name", json!(name));
                openings.push(with(code, "colour", json!(colour)));
            }
        }
        object["openings"] = json!(openings);
        let levels = stats.levels.iter().map(|(&level, tally)| {
            let level = Some(level).filter(|level| *level > 0);
            with(tally_json(tally), "from", json!(level))
        });
        object["opponent_ratings"] = levels.collect();
        let opponents = most_games(stats.opponents.iter().collect());
        let opponents = opponents.into_iter().take(limit);
        let named = |(name, tally): (&String, &Tally)| with(tally_json(tally), "name", json!(name));
        object["opponents"] = opponents.map(named).collect();
        let ratings = stats.ratings.iter().map(|(month, elo)| {
            let month = format!("{:04}.{:02}", month / 100, month % 100);
            json!({"month": month, "elo": elo.value(), "games": elo.count()})
        });
        object["ratings"] = ratings.collect();
        object
    }
}

/// A section: the entries with the most games, and the number of the others.
fn section<K: Ord>(
    title: &str,
    tallies: Vec<(K, &Tally)>,
    name: impl Fn(K) -> String,
    limit: usize,
) -> Vec<Vec<String>> {
    if tallies.is_empty() {
        return Vec::new();
    }
    let more = tallies.len().saturating_sub(limit);
    let shown = most_games(tallies).into_iter().take(limit);
    let mut rows = vec![blank(""), blank(title)];
    rows.extend(shown.map(|(key, tally)| row(&name(key), tally)));
    if more > 0 {
        rows.push(blank(&format!("  {} more", grouped(more as u64))));
    }
    rows
}

/// Sorts by the number of games, the most first, then by the key.
fn most_games<K: Ord>(mut tallies: Vec<(K, &Tally)>) -> Vec<(K, &Tally)> {
    tallies.sort_by(|a, b| b.1.games.cmp(&a.1.games).then_with(|| a.0.cmp(&b.0)));
    tallies
}

/// `B33`, `none`, or `?` for a value that is not a code.
fn opening(eco: u32) -> String {
    match eco {
        0 => "none".to_owned(),
        eco => eco::code(eco).unwrap_or_else(|| "?".to_owned()),
    }
}

/// A row without numbers.
fn blank(title: &str) -> Vec<String> {
    vec![title.to_owned()]
}

fn row(name: &str, tally: &Tally) -> Vec<String> {
    let known = tally.wins + tally.draws + tally.losses;
    let number = |number: Option<u64>| number.map_or(String::new(), |n| n.to_string());
    let score = (known > 0).then(|| percent(2 * tally.wins + tally.draws, 2 * known));
    vec![
        name.to_owned(),
        grouped(tally.games),
        score.unwrap_or_default(),
        grouped(tally.wins),
        grouped(tally.draws),
        grouped(tally.losses),
        number(tally.ratings.value()),
        number(tally.performance.opponents.value()),
        number(tally.performance.rating()),
    ]
}

fn tally_json(tally: &Tally) -> Value {
    json!({
        "games": tally.games, "wins": tally.wins, "draws": tally.draws, "losses": tally.losses,
        "score": tally.score(), "elo": tally.ratings.value(),
        "opponents_elo": tally.performance.opponents.value(),
        "performance": tally.performance.rating(),
    })
}

fn names_json(names: &HashMap<String, u64>, most: usize) -> Value {
    let names = by_games(names).into_iter().take(most);
    names
        .map(|(name, games)| json!({"name": name, "games": games}))
        .collect()
}
