//! `pgc tree`.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueHint;
use pgc::ask::book::Book;
use pgc::ask::node::TreeNode;
use pgc::ask::stats::PlayerStats;
use pgc::{Answer, Archive, OpenOptions};
use pgc_chess::{Position, Rules, SanText};
use pgc_index::{Clause, Query, Test};
use pgc_io::output::Output;
use serde_json::{Value, json};

use crate::args::find::Lookup;
use crate::args::options::OUTPUT;
use crate::args::questions::{Questions, asks_for_position};
use crate::commands::find::archives;
use crate::failure::{Exit, WithName, may_write};
use crate::files::archive::for_each;
use crate::files::copies::{self, AskedArchive, CopyCount};
use crate::files::destination;
use crate::show::footer::{Footer, by_games};
use crate::show::output::{
    counted, grouped, is_stdin, note_line, percent, print_json, print_line, print_lines,
    shown_output,
};
use crate::show::table::{self, ColumnHead, head};

/// The number of players shown for a move.
const PLAYERS: usize = 3;

/// The number of players of a move taken from each of several archives, to add up their games.
pub(crate) const PLAYERS_EACH: usize = 1000;

/// Show the moves played from a position, and their results
///
/// The position is the one that --moves, --moves-to, --fen, --pattern or --material asks for, or
/// else the start of the game; any other question of `pgc find` narrows the games. A game counts
/// once, from the first such position of its main line.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = OUTPUT)]
#[command(after_help = include_str!("../help/tree.txt"))]
pub(crate) struct TreeArgs {
    /// Archives (files, not standard input), or folders, searched recursively
    #[arg(help_heading = None, value_name = "ARCHIVE|DIR", required = true, value_hint = ValueHint::AnyPath)]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    ask: Questions,
    /// The number of moves, of either side, to follow, at most 60 [default: 1; for a book 20]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: Option<u8>,
    /// Leave out moves of fewer than N games
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true)]
    least: u64,
    /// Show at most N moves of a position, those with the most games; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Print the tree as one JSON object
    #[arg(long)]
    json: bool,
    /// Count only the best copy of each game (as `pgc dups` finds them)
    #[arg(long)]
    unique: bool,
    /// Write an opening book for engines, in the format of PolyGlot, instead of the tree; `-` is
    /// standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "json")]
    polyglot: Option<PathBuf>,
    /// Write the book even if damage took some of its games, or an archive cannot be read
    #[arg(long, requires = "polyglot")]
    partial: bool,
    /// Replace an existing book
    #[arg(short, long, requires = "polyglot")]
    force: bool,
    #[command(flatten)]
    lookup: Lookup,
}

pub(crate) fn run(args: &TreeArgs) -> anyhow::Result<Exit> {
    let (paths, mut exit) = archives(&args.archives, args.lookup.run.quiet)?;
    // Created first, so that a wrong path is reported before the search.
    let output = destination::asked(args.polyglot.as_deref(), None, args.force, &paths)?;
    // Wrong questions are reported before the search.
    let query = from_a_position(args.ask.query.clone());
    let query = args.lookup.people.prepare(query)?;
    let mut grown = Grown {
        side: PlayerStats::side(&query),
        // One more, since `?` may be among them and is not shown.
        players: match paths.len() {
            1 => PLAYERS + 1,
            _ => PLAYERS_EACH,
        },
        ..Grown::default()
    };
    let mut footer = Footer::new(paths.len() > 1);
    // A book is written from what the games say.
    let options = OpenOptions::default().with_index(args.polyglot.is_none());
    let given = (&args.lookup, options);
    let (mut asked, mut searched) = copies::ask(&paths, &query, given, &mut footer)?;
    // A book has no place to say how many copies it counts.
    if args.polyglot.is_none() || args.unique {
        grown.copies = CopyCount::among(&mut asked, args.unique, &args.lookup)?;
    }
    searched = searched.max(for_each(&asked, |asked| grown.add(args, asked))?);
    exit = exit.max(searched);
    if output.is_some() {
        may_write(exit, args.partial)?;
    }
    match output {
        Some(output) if grown.games > 0 => exit = exit.max(grown.write(args, output)?),
        // Nothing is written: an old book stays.
        Some(_) => {}
        None if grown.games > 0 || args.json => grown.print(args)?,
        None => {}
    }
    if !args.lookup.run.quiet {
        footer.print();
        if grown.games == 0 && searched == Exit::Done {
            note_line("no game matches");
        }
    }
    Ok(exit.max(Exit::partly_if(grown.games == 0)))
}

/// The tree of the games of several archives.
#[derive(Default)]
pub(crate) struct GrownTree {
    pub(crate) tree: TreeNode,
    /// The position from which the moves of the first game count.
    first: Option<Position>,
    /// Whether the games come from different positions.
    is_mixed: bool,
}

impl GrownTree {
    /// Adds the games of an archive; `asked`: how many plies to follow, and how many players to
    /// take for each move.
    pub(crate) fn add(
        &mut self,
        archive: &Archive,
        answer: &Answer,
        asked: (usize, usize),
        threads: usize,
    ) -> Result<(), pgc::Error> {
        let (first, is_mixed) = archive.add_to_tree(&mut self.tree, answer, asked, threads)?;
        self.is_mixed |= is_mixed;
        if let (Some(here), Some(first)) = (&self.first, &first) {
            self.is_mixed |= !here.is_same_board(first);
        }
        self.first = self.first.take().or(first);
        Ok(())
    }

    /// The position of the root; `None` if there are several.
    pub(crate) fn position(&self) -> Option<&Position> {
        self.first.as_ref().filter(|_| !self.is_mixed)
    }
}

/// What the archives asked so far have: a tree, or a book.
#[derive(Default)]
struct Grown {
    tree: GrownTree,
    book: Book,
    games: u64,
    /// Whose score is shown: 0 White, 1 Black.
    side: usize,
    copies: CopyCount,
    /// The number of players of each move taken from an archive.
    players: usize,
}

/// The query; where a group of questions asks for no position, only for chess games from the usual
/// start position.
pub(crate) fn from_a_position(mut query: Query) -> Query {
    for group in std::mem::take(&mut query.or) {
        query.or.push(from_a_position(group));
    }
    // A game without moves has no next move: a forfeit.
    query.all.push(Clause::any(vec![Test::Plies(1..=u32::MAX)]));
    if !asks_for_position(&query) {
        let mut tests = query.all.iter().flat_map(|clause| &clause.any);
        let has_rules = tests.any(|test| matches!(test, Test::Rules(_)));
        query.all.push(Clause::none(vec![Test::FenStart]));
        if !has_rules {
            let rules = vec![Test::Rules(Some(Rules::Chess))];
            query.all.push(Clause::any(rules));
        }
    }
    query
}

impl Grown {
    fn add(&mut self, args: &TreeArgs, asked: &AskedArchive) -> anyhow::Result<Exit> {
        let (archive, answer, jobs) = (&asked.archive, &asked.answer, args.lookup.run.jobs);
        if args.polyglot.is_some() {
            let depth = usize::from(args.depth.unwrap_or(20));
            let added = archive.add_to_book(&mut self.book, answer, depth, jobs);
            self.games += added.at(archive.path())?;
        } else {
            let wanted = (usize::from(args.depth.unwrap_or(1)), self.players);
            let added = self.tree.add(archive, answer, wanted, jobs);
            added.at(archive.path())?;
            self.games = self.tree.tree.games();
        }
        asked.tell(&args.lookup)
    }

    fn write(&self, args: &TreeArgs, mut output: Output) -> anyhow::Result<Exit> {
        let book = self.book.bytes(args.least);
        if book.is_empty() {
            let least = counted(args.least, "game");
            note!("no book was written: no move has a point and at least {least}");
            return Ok(Exit::Partly);
        }
        let path = args.polyglot.as_deref().unwrap_or(Path::new("-"));
        let name = shown_output(path);
        output.write_all(&book).with_context(|| name.clone())?;
        output.commit().with_context(|| name.clone())?;
        if !is_stdin(path) && !args.lookup.run.quiet {
            let moves = counted(book.len() as u64 / 16, "move");
            let games = counted(self.games, "game");
            note_line!("{name}: {moves} of {games}");
        }
        Ok(Exit::Done)
    }

    fn print(&self, args: &TreeArgs) -> anyhow::Result<()> {
        let (tree, position) = (&self.tree.tree, self.tree.position());
        let shown = ShownTree {
            least: args.least,
            limit: args.limit,
            position,
            side: self.side,
            copies: self.copies.copies,
        };
        if args.json {
            return Ok(print_json(&shown.json(tree))?);
        }
        match position {
            Some(position) => print_line(&position.fen())?,
            None => print_line("from different positions")?,
        }
        if let Some((eco, name)) = opening(position) {
            print_line!("{eco} {name}")?;
        }
        print_line(&shown.summary(tree))?;
        if let Some(line) = self.copies.line() {
            print_line(&line)?;
        }
        print_line("")?;
        let mut rows = Vec::new();
        shown.rows(tree, 0, position, &mut rows);
        let width = table::width(io::stdout().is_terminal());
        let mut heads = HEADS;
        (heads[SCORE].title, heads[PERFORMANCE].title) =
            [("White score", "White perf"), ("Black score", "Black perf")][self.side];
        Ok(print_lines(table::lines(&heads, &rows, width))?)
    }
}

/// The columns whose heads name a side.
const SCORE: usize = 3;
const PERFORMANCE: usize = 6;

static HEADS: [ColumnHead; 10] = [
    ColumnHead::new("move"),
    head("games", 0),
    head("share", 2),
    head("score", 0),
    head("drawn", 1),
    head("elo", 3),
    head("perf", 4),
    head("years", 5),
    ColumnHead::new("players").yields(Some(10), 6),
    ColumnHead::new("opening").yields(Some(10), 7),
];

/// How a tree is shown.
pub(crate) struct ShownTree<'a> {
    /// Moves of fewer games are left out.
    pub(crate) least: u64,
    /// The most moves of a position; 0: all.
    pub(crate) limit: usize,
    /// The position of the root; `None` if there are several.
    pub(crate) position: Option<&'a Position>,
    /// Whose score is shown: 0 White, 1 Black.
    pub(crate) side: usize,
    /// How many of the games are, or were, copies; `None`: they were not counted.
    pub(crate) copies: Option<u64>,
}

impl ShownTree<'_> {
    /// The moves to show, the most frequent first, and the number of the others.
    fn moves<'t>(&self, node: &'t TreeNode) -> (Vec<(&'t SanText, &'t TreeNode)>, usize) {
        let next = node.next.iter();
        let next = next.filter(|(_, node)| node.games() >= self.least);
        let mut moves: Vec<_> = next.collect();
        moves.sort_by_key(|(_, node)| std::cmp::Reverse(node.games()));
        let all = node.next.len();
        if self.limit > 0 {
            moves.truncate(self.limit);
        }
        let more = all - moves.len();
        (moves, more)
    }

    /// `12...Nf6`: the move at `ply` plies after the position, with its number.
    fn numbered(&self, ply: u32, san: SanText) -> String {
        let Some(position) = self.position else {
            return san.to_string();
        };
        let number = position.num() + ply;
        let dots = if number.is_multiple_of(2) { "." } else { "..." };
        format!("{}{dots}{san}", number / 2)
    }

    /// The score in per cent.
    fn score(&self, node: &TreeNode) -> String {
        let score = node.score(self.side);
        score.map_or(String::new(), |score| format!("{:.1} %", 100.0 * score))
    }

    fn summary(&self, node: &TreeNode) -> String {
        let mut line = counted(node.games(), "game");
        let known = node.results().iter().sum();
        if known > 0 {
            let [white, draws, black] = node.results().map(|games| percent(games, known));
            line += &format!(": White won {white}, {draws} drawn, Black won {black}");
        }
        if let Some((first, last)) = node.years {
            line += &format!("; {first} to {last}");
        }
        line
    }

    fn rows(
        &self,
        node: &TreeNode,
        ply: u32,
        position: Option<&Position>,
        rows: &mut Vec<Vec<String>>,
    ) {
        let (moves, more) = self.moves(node);
        let indent = "  ".repeat(ply as usize);
        for (&san, child) in moves {
            let next = position.and_then(|position| after(position, san));
            let known = child.results().iter().sum();
            let drawn = (known > 0).then(|| percent(child.results()[1], known));
            let number = |number: Option<u64>| number.map_or(String::new(), |n| n.to_string());
            let years = match child.years {
                Some((first, last)) if first != last => format!("{first}-{last}"),
                Some((year, _)) => year.to_string(),
                None => String::new(),
            };
            rows.push(vec![
                format!("{indent}{}", self.numbered(ply, san)),
                grouped(child.games()),
                percent(child.games(), node.games()),
                self.score(child),
                drawn.unwrap_or_default(),
                number(child.rating()),
                number(child.performance(self.side)),
                years,
                players(child),
                opening(next.as_ref()).map_or(String::new(), |(_, name)| name.to_owned()),
            ]);
            self.rows(child, ply + 1, next.as_ref(), rows);
        }
        if more > 0 {
            rows.push(vec![format!("{indent}{} more", grouped(more as u64))]);
        }
    }

    pub(crate) fn json(&self, root: &TreeNode) -> Value {
        let mut object = self.node_json(root, 0, self.position);
        object["fen"] = json!(self.position.map(Position::fen));
        object["copies"] = json!(self.copies);
        object["side"] = json!(["white", "black"][self.side]);
        object
    }

    fn node_json(&self, node: &TreeNode, ply: u32, position: Option<&Position>) -> Value {
        let [white, draws, black] = node.results();
        let (moves, _) = self.moves(node);
        let moves = moves.into_iter().map(|(&san, child)| {
            let next = position.and_then(|position| after(position, san));
            let mut object = self.node_json(child, ply + 1, next.as_ref());
            object["san"] = json!(san.as_str());
            object["elo"] = json!(child.rating());
            object["performance"] = json!(child.performance(self.side));
            if ply == 0 {
                let named = frequent(child).into_iter();
                let named = named.map(|(name, games)| json!({"name": name, "games": games}));
                object["players"] = named.collect();
            }
            object
        });
        json!({
            "games": node.games(), "white": white, "draws": draws, "black": black,
            "score": node.score(self.side),
            "first_year": node.years.map(|years| years.0), "last_year": node.years.map(|years| years.1),
            "opening": opening(position).map(|(eco, name)| json!({"eco": eco, "name": name})),
            "moves": moves.collect::<Vec<_>>(),
        })
    }
}

/// The position after a move.
fn after(position: &Position, san: SanText) -> Option<Position> {
    let mut next = position.clone();
    next.play(next.resolve(san.as_bytes()).ok()?.m);
    Some(next)
}

/// The code and the name of a position that has one.
fn opening(position: Option<&Position>) -> Option<(&'static str, &'static str)> {
    position.and_then(Position::opening)
}

/// The players who made a move most often.
fn frequent(node: &TreeNode) -> Vec<(&String, &u64)> {
    let mut named = by_games(&node.players);
    named.retain(|(name, _)| *name != "?");
    named.truncate(PLAYERS);
    named
}

fn players(node: &TreeNode) -> String {
    let named = frequent(node).into_iter();
    let named = named.map(|(name, games)| format!("{name} ({games})"));
    named.collect::<Vec<_>>().join("; ")
}
