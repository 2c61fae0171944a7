//! `pgc dups`.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::{ValueEnum, ValueHint};
use pgc::dups::find::{DupGame, DupGroups, DupOptions, Duplicates, LONG, duplicates};
use pgc::{Archive, OpenOptions};
use pgc_io::output::Output;

use crate::args::find::Lookup;
use crate::args::{
    options::{OUTPUT, size},
    questions::Questions,
};
use crate::commands::find::archives;
use crate::failure::{self, Exit};
use crate::files::destination::{self, SMALL, has_ending};
use crate::files::{archive::for_each, gathered::Gathered, indexed};
use crate::show::output::{counted, shown_output};
use crate::show::{dups_listing::CopyListing, footer::Footer, screen::TextOutput};

/// The default of --limit for a table.
const GROUPS: u64 = 20;

/// Find games that archives have more than once
///
/// There are three kinds of copies. `same`: games with the same moves, whose players, year and
/// result agree as far as they are known (names are compared by their words, without case and
/// accents). `inside`: a game whose moves, at least 10, are the beginning of another game of the
/// same players and year. `names`: games with the same moves, too many to agree by chance
/// (--least), but with other players, another year or another result. Any question of `pgc find`
/// narrows the games that are compared.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = OUTPUT)]
#[command(after_help = include_str!("../help/dups.txt"))]
pub(crate) struct DupsArgs {
    /// Archives (files, not standard input), or folders, searched recursively
    #[arg(help_heading = None, value_name = "ARCHIVE|DIR", required = true, value_hint = ValueHint::AnyPath)]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    ask: Questions,
    /// The kinds of copies to look for [default: all]
    #[arg(long, value_enum, value_name = "KIND,...", value_delimiter = ',')]
    kind: Vec<DupKind>,
    /// Games with the same moves, but with other players, another year or another result, are copies
    /// of kind `names` from N half moves on. Games of unknown players are of kind `same` from there on
    #[arg(long, value_name = "N", default_value_t = LONG, value_parser = least_plies)]
    least: usize,
    /// Show at most N groups of each kind; 0 shows all [default: 20 in a table, else all]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Print a JSON object for each group
    #[arg(long, conflicts_with = "output")]
    json: bool,
    /// Print only the numbers of groups and games
    #[arg(long, conflicts_with_all = ["json", "output", "limit"])]
    count: bool,
    /// Write the games without the copies: .pgn as they were written, .pgc or .pgcz packed again.
    /// Copies of kind `same` are left out whatever --kind says, games inside another only with
    /// `--kind inside`
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Write the file even if damage took some of its games, or an archive cannot be read
    #[arg(long, requires = "output")]
    partial: bool,
    /// Replace an existing file
    #[arg(short, long, requires = "output")]
    force: bool,
    /// Memory for sorting, for example 1G; what does not fit goes to temporary files
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size)]
    memory: usize,
    #[command(flatten)]
    lookup: Lookup,
}

/// The kinds of copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DupKind {
    /// The same game
    Same,
    /// The beginning of another game
    Inside,
    /// The same moves, with other names
    Names,
}

fn least_plies(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(plies @ 1..) => Ok(plies),
        _ => Err("write a number of half moves, from 1 on".to_owned()),
    }
}

pub(crate) fn run(args: &DupsArgs) -> anyhow::Result<Exit> {
    let output = args.output.as_deref();
    let is_other = |path: &&Path| !has_ending(path, &["pgn", "pgc", SMALL]);
    if let Some(path) = output.filter(is_other).map(shown_output) {
        bail!("{path}: the extension names no format: use .pgn, .pgc or .pgcz");
    }
    let (paths, mut exit) = archives(&args.archives, args.lookup.run.quiet)?;
    // Created first, so that a wrong path is reported before the search.
    let output = destination::asked(output, None, args.force, &paths)?;
    let mut looked = LookedAt::default();
    let mut footer = Footer::new(paths.len() > 1);
    let query = args.lookup.people.prepare(args.ask.query.clone())?;
    let searched = for_each(&paths, |path| {
        // Which games are left out depends on what the games say.
        let options = OpenOptions::default().with_index(args.output.is_none());
        let given = (path.as_path(), options);
        let (archive, _, answer) = args
            .lookup
            .ask(&query, given, args.temp_dir(), &mut footer)?;
        looked.games.push(answer.found.games);
        looked.archives.push(archive);
        Ok(Exit::Done)
    })?;
    exit = exit.max(searched);
    if output.is_some() {
        failure::may_write(exit, args.partial)?;
    }
    let archives: Vec<&Archive> = looked.archives.iter().collect();
    let found = duplicates(&archives, &looked.games, &args.options())?;
    let told = match output {
        Some(output) => looked.write(args, &found, output),
        None if args.count => Ok(Exit::Done),
        None => looked.list(args, &found),
    };
    for archive in &looked.archives {
        exit = exit.max(indexed::tell_gaps(archive));
    }
    exit = exit.max(told?);
    let groups: usize = args.kinds(&found).iter().map(|kind| kind.1.len()).sum();
    if !args.lookup.run.quiet || args.count {
        args.tell(&found)?;
    }
    footer.print();
    Ok(exit.max(Exit::partly_if(groups == 0 && args.output.is_none())))
}

impl DupsArgs {
    /// The kinds of copies to show, with their names.
    fn kinds<'f>(&self, found: &'f Duplicates) -> Vec<(&'static str, &'f DupGroups)> {
        let kinds = [
            (DupKind::Same, "same", &found.same),
            (DupKind::Inside, "inside", &found.inside),
            (DupKind::Names, "names", &found.names),
        ];
        let kinds = kinds.into_iter().filter(|kind| self.has(kind.0));
        kinds.map(|(_, name, groups)| (name, groups)).collect()
    }

    fn has(&self, kind: DupKind) -> bool {
        self.kind.is_empty() || self.kind.contains(&kind)
    }

    fn temp_dir(&self) -> PathBuf {
        self.lookup.temp_dir_beside(self.output.as_deref())
    }

    fn options(&self) -> DupOptions {
        DupOptions {
            threads: self.lookup.run.jobs,
            memory: self.memory,
            inside: self.has(DupKind::Inside),
            names: self.has(DupKind::Names),
            long: self.least,
            ..DupOptions::new(self.temp_dir())
        }
    }

    /// The games that -o leaves out, ascending: position of the archive, number of the game from 0.
    fn spare(&self, found: &Duplicates) -> Vec<(u32, u32)> {
        let mut spare = found.same.spare();
        if self.kind.contains(&DupKind::Inside) {
            spare.extend(found.inside.spare());
            spare.sort_unstable();
            spare.dedup();
        }
        spare
    }

    /// Prints the counts: to standard output with --count, else to standard error.
    fn tell(&self, found: &Duplicates) -> anyhow::Result<()> {
        for (kind, groups) in self.kinds(found) {
            let games = groups.iter().map(|group| group.len() as u64).sum();
            let games = counted(games, "game");
            let groups = counted(groups.len() as u64, "group");
            match self.count {
                true => print_line!("{kind}: {groups} of {games}")?,
                false => note_line!("{kind}: {groups} of {games}"),
            }
        }
        if self.lookup.run.quiet {
            return Ok(());
        }
        let counts = &found.counts;
        note_line!("{} compared", counted(counts.compared, "game"));
        let others = counts.text + counts.empty;
        if others > 0 {
            let games = counted(others, "game");
            note_line!("not compared: {games} without moves, or whose moves are text");
        }
        Ok(())
    }
}

/// The games that are compared.
#[derive(Default)]
struct LookedAt {
    archives: Vec<Archive>,
    /// The games of each archive, from 0, ascending.
    games: Vec<Vec<u32>>,
}

impl LookedAt {
    fn list(&self, args: &DupsArgs, found: &Duplicates) -> anyhow::Result<Exit> {
        let usual = if args.json { 0 } else { GROUPS };
        let limit = match args.limit.unwrap_or(usual) {
            0 => usize::MAX,
            limit => usize::try_from(limit).unwrap_or(usize::MAX),
        };
        let mut listing = CopyListing::new(&self.archives, args.json, args.lookup.run.jobs);
        for (kind, groups) in args.kinds(found) {
            let shown: Vec<&[DupGame]> = groups.iter().take(limit).collect();
            listing.groups(kind, &shown)?;
            let more = groups.len() - shown.len();
            if more > 0 && !args.lookup.run.quiet {
                let groups = counted(more as u64, "more group");
                note_line!("... and {groups} (--limit 0 shows all, --json prints all)");
            }
        }
        Ok(Exit::Done)
    }

    fn write(&self, args: &DupsArgs, found: &Duplicates, output: Output) -> anyhow::Result<Exit> {
        let spare = args.spare(found);
        let all = self.games.iter().zip(0_u32..);
        let all = all.flat_map(|(games, archive)| games.iter().map(move |&game| (archive, game)));
        let kept = all.filter(|game| spare.binary_search(game).is_err());
        let games: Vec<(u32, u32)> = kept.collect();
        let gathered = Gathered {
            archives: self.archives.iter().collect(),
            games: &games,
            letters: None,
            file: args.output.as_deref(),
            lookup: &args.lookup,
            memory: args.memory,
            partial: args.partial,
            force: args.force,
        };
        if !gathered.file.is_some_and(|path| has_ending(path, &["pgn"])) {
            return gathered.archive(output);
        }
        let mut output = TextOutput::new(output, false);
        let written = gathered.pgn(&mut output)?;
        gathered.commit(output, written)
    }
}
