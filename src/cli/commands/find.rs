//! `pgc find`.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use pgc::ask::order::{SortKey, sort};
use pgc::stream::addition::extent;
use pgc::{Answer, Archive, OpenOptions, ask::sample::sample, dups::find::DupOptions};
use pgc_chess::Opening;
use pgc_io::output::Output;
use serde_json::json;

use crate::args::find::{FindArgs, FindFormat};
use crate::commands::names::is_path;
use crate::failure::{self, Exit};
use crate::files::archive::{for_each, in_folder};
use crate::files::copies::{CopyCount, FoundLists};
#[cfg(feature = "parquet")]
use crate::files::table_files;
use crate::files::{destination, gathered::Gathered, indexed};
use crate::show::columns::{self, GameColumn, GameLine, RowFormat};
use crate::show::output::{
    counted, is_stdin, note_line, note_lines, print_json, print_line, printable, shown,
};
use crate::show::{footer::Footer, screen::TextOutput, table, unknown};

mod epd;
mod positions;

/// The default of --limit for a table.
const ROWS: u64 = 40;

/// The number of games whose rows are fetched together.
const PORTION: usize = 4096;

pub(crate) fn run(args: &FindArgs) -> anyhow::Result<Exit> {
    let format = args.checked_format()?;
    let columns = match format {
        // It has columns of its own, which `FindArgs::checked_format` looks up.
        FindFormat::Parquet => Vec::new(),
        _ if args.lists_positions() => positions::columns(args).map(|_| Vec::new())?,
        _ => columns::named(&args.columns)?,
    };
    let (paths, mut exit) = archives(&args.archives, args.lookup.run.quiet)?;
    // Created first, so that a wrong path is reported before the search.
    let file = args.file().filter(|_| args.partition.is_none());
    let output = destination::asked(file, None, args.force, &paths)?;
    let mut footer = Footer::new(paths.len() > 1);
    let mut hunt = Hunt {
        args,
        format,
        columns,
        archives: Vec::new(),
        answers: Vec::new(),
        found: FoundLists::default(),
        count: 0,
        games: Vec::new(),
    };
    let searched = hunt.search(&paths, &mut footer)?;
    // A table without rows has columns all the same.
    let is_table = format == FindFormat::Parquet;
    exit = exit.max(searched);
    if args.file().is_some() {
        failure::may_write(exit, args.partial)?;
    }
    if args.unique {
        hunt.leave_out_copies()?;
    }
    let lists = std::mem::take(&mut hunt.answers).into_iter();
    let lists = lists.map(|answer| (answer.found.games, answer.plies));
    hunt.found = FoundLists::new(lists.unzip());
    // Where nothing could be searched, 0 would be wrong.
    if args.count && (hunt.count > 0 || searched != Exit::Failure) {
        match args.json {
            true => print_json(&json!({ "games": hunt.count }))?,
            false => print_line(&hunt.count.to_string())?,
        }
        exit = exit.max(hunt.tell_gaps());
    } else if hunt.count > 0 || is_table {
        hunt.select()?;
        let written = hunt.write(output, paths.len() > 1);
        // Reading the games may meet further damage.
        exit = exit.max(hunt.tell_gaps());
        exit = exit.max(written?);
        hunt.tell_more();
    }
    if !args.lookup.run.quiet {
        for san in args.ask.openings().filter_map(Opening::illegal) {
            note!("--moves: {san} is not legal from the usual start position");
        }
        footer.print();
        if hunt.count == 0 && searched == Exit::Done {
            unknown::tell(&args.ask.query, footer.tag_names.as_ref());
            note_line("no game matches");
        }
    }
    Ok(exit.max(Exit::partly_if(hunt.count == 0)))
}

/// The archives named by the arguments, and those in folders named by them. A path that does not
/// exist is reported; the search goes on with the others.
/// Of an archive and another form of it that has the same sources, only the first is among them.
pub(crate) fn archives(arguments: &[PathBuf], quiet: bool) -> anyhow::Result<(Vec<PathBuf>, Exit)> {
    let (mut paths, mut failed) = (Vec::new(), Vec::new());
    for path in arguments {
        if is_stdin(path) {
            bail!("-: standard input cannot be searched: name an archive file");
        }
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => match in_folder(path) {
                Ok(found) => paths.extend(found),
                Err(error) => failed.push(error),
            },
            Ok(_) => paths.push(path.clone()),
            Err(error) => {
                let why = [
                    "is no archive, and questions have options, as -p NAME: ",
                    "",
                ];
                let why = why[usize::from(is_path(path))];
                failed.push(anyhow!("{}: {why}{error}", shown(path)));
            }
        }
    }
    let last = failed.pop_if(|_| paths.is_empty());
    let reported = failed.iter().map(failure::report);
    let exit = reported.max().unwrap_or(Exit::Done);
    if let Some(last) = last {
        return Err(last);
    }
    leave_out_twins(&mut paths, quiet);
    Ok((paths, exit))
}

/// Leaves out each small archive that stands behind an archive of the same name and has the same
/// sources; says if its sources are others.
fn leave_out_twins(paths: &mut Vec<PathBuf>, quiet: bool) {
    let given: HashSet<PathBuf> = paths.iter().cloned().collect();
    let sources = |path: &Path| Some(extent(&File::open(path).ok()?).ok()?.digest);
    paths.retain(|small| {
        let plain = small.with_extension("pgc");
        if !destination::has_ending(small, &[destination::SMALL]) || !given.contains(&plain) {
            return true;
        }
        let (Some(one), Some(other)) = (sources(&plain), sources(small)) else {
            return true;
        };
        let what = match one == other {
            true => "the same games, counted once",
            false => "other games, counted beside each other; copies count twice",
        };
        if !quiet {
            note!("{} and {}: {what}", shown(&plain), shown(small));
        }
        one != other
    });
}

/// The games that were found, and how to write them.
struct Hunt<'a> {
    args: &'a FindArgs,
    format: FindFormat,
    /// The columns that --columns names, of a table, CSV or JSON.
    columns: Vec<&'static GameColumn>,
    /// The archives with games to write.
    archives: Vec<Archive>,
    /// The answers of `archives`, which become the lists of games once all archives have answered.
    answers: Vec<Answer>,
    found: FoundLists,
    /// The number of games found, also where they are only counted.
    count: u64,
    /// The games to write, in order: position in `archives`, number of the game from 0.
    games: Vec<(u32, u32)>,
}

impl Hunt<'_> {
    /// Searches the archives.
    fn search(&mut self, paths: &[PathBuf], footer: &mut Footer) -> anyhow::Result<Exit> {
        let args = self.args;
        let query = args.lookup.people.prepare(args.ask.query.clone())?;
        for_each(paths, |path| {
            let options = OpenOptions {
                no_index: args.unique && args.file().is_some(),
                proves: self.format.has_games() || args.lists_positions(),
                ..OpenOptions::default()
            };
            let given = (path.as_path(), options);
            let (archive, _, answer) = args.lookup.ask(&query, given, args.temp_dir(), footer)?;
            self.count += answer.found.games.len() as u64;
            if (args.count && !args.unique) || answer.found.games.is_empty() {
                return Ok(indexed::tell_gaps(&archive));
            }
            self.answers.push(answer);
            self.archives.push(archive);
            Ok(Exit::Done)
        })
    }

    /// Leaves out all but the best copy of each game.
    fn leave_out_copies(&mut self) -> anyhow::Result<()> {
        let archives: Vec<&Archive> = self.archives.iter().collect();
        let options = DupOptions {
            threads: self.args.lookup.run.jobs,
            memory: self.args.memory,
            ..DupOptions::new(self.args.temp_dir())
        };
        let mut answers: Vec<&mut Answer> = self.answers.iter_mut().collect();
        let copies = CopyCount::new(&archives, &mut answers, true, options)?;
        self.count -= copies.copies.unwrap_or(0);
        note_lines(copies.line().filter(|_| !self.args.lookup.run.quiet));
        Ok(())
    }

    /// Applies --sample, --sort, --reverse, --offset and --limit.
    fn select(&mut self) -> anyhow::Result<()> {
        let args = self.args;
        let (found, all) = (&self.found, self.found.len());
        let picked = args.sample;
        let picked = picked.map(|count| sample(all as u64, count, args.seed));
        let count = picked.as_ref().map_or(all, Vec::len);
        let place = |place: u64| usize::try_from(place).unwrap_or(usize::MAX);
        let end = match (args.limit, self.format) {
            (Some(0), _) => count,
            (None, format) if format != FindFormat::Table => count,
            (limit, _) => place(args.offset.saturating_add(limit.unwrap_or(ROWS))).min(count),
        };
        let wanted = place(args.offset).min(count)..end;
        let at = |i: usize| found.at(picked.as_ref().map_or(i, |picked| place(picked[i])));
        let Some(key) = args.sort.filter(|key| *key != SortKey::Number) else {
            // Lists only the wanted games: a list of ten million would take longer than the search.
            let game = |i: usize| at(if args.reverse { count - 1 - i } else { i });
            self.games = wanted.map(game).collect();
            return Ok(());
        };
        let mut games: Vec<(u32, u32)> = (0..count).map(at).collect();
        let archives: Vec<&Archive> = self.archives.iter().collect();
        sort(&archives, &mut games, key, args.lookup.run.jobs)?;
        if args.reverse {
            games.reverse();
        }
        games.truncate(wanted.end);
        games.drain(..wanted.start);
        self.games = games;
        Ok(())
    }

    fn write(&self, output: Option<Output>, several: bool) -> anyhow::Result<Exit> {
        let gathered = self.gathered();
        if self.format == FindFormat::Pgc {
            return gathered.archive(output.context("an archive needs a file")?);
        }
        #[cfg(feature = "parquet")]
        if self.format == FindFormat::Parquet {
            return table_files::write(&gathered, output, self.args);
        }
        let terminal = output.is_none() && io::stdout().is_terminal();
        let mut out = TextOutput::new(output.unwrap_or_else(Output::stdout), terminal);
        let mut written = (self.games.len() as u64, 0);
        match self.format {
            FindFormat::Csv | FindFormat::Jsonl if self.args.lists_positions() => {
                return self.position_rows(&gathered, out);
            }
            FindFormat::Epd => return self.epd(&gathered, out),
            FindFormat::Sgf => return gathered.sgf(out),
            FindFormat::Table => self.table(&mut out, several, terminal)?,
            FindFormat::Csv | FindFormat::Jsonl => self.rows(&mut out)?,
            FindFormat::Addresses => self.addresses(&mut out)?,
            FindFormat::Pgn | FindFormat::Pgc | FindFormat::Parquet => {
                written = gathered.pgn(&mut out)?;
            }
        }
        gathered.commit(out, written)
    }

    fn gathered(&self) -> Gathered<'_> {
        let args = self.args;
        Gathered {
            archives: self.archives.iter().collect(),
            games: &self.games,
            letters: args.show.pieces,
            file: args.file(),
            lookup: &args.lookup,
            memory: args.memory,
            partial: args.partial,
            force: args.force,
        }
    }

    /// Reports the damage met so far.
    fn tell_gaps(&self) -> Exit {
        let archives = self.archives.iter();
        archives.map(indexed::tell_gaps).max().unwrap_or(Exit::Done)
    }

    /// Says how many games behind its last row a table leaves out.
    fn tell_more(&self) {
        let args = self.args;
        let is_cut = self.format == FindFormat::Table && args.sample.is_none();
        let shown = args.offset.saturating_add(self.games.len() as u64);
        let more = self.count.saturating_sub(shown);
        if is_cut && more > 0 && !args.lookup.run.quiet {
            let games = counted(more, "more game");
            note_line!("... and {games} (--limit 0 shows all, -o FILE writes them)");
        }
    }

    /// The address of a game, as `pgc get` takes it.
    fn address(&self, (archive, game): (u32, u32)) -> String {
        let archive = &self.archives[archive as usize];
        let (path, number) = (archive.path().display(), archive.number_of(game.into()));
        format!("{path}:{number}")
    }

    /// Calls `each` with the rows of the games to write, in order and in portions.
    fn lines(
        &self,
        columns: &[&GameColumn],
        each: &mut dyn FnMut(&[GameLine]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let archives: Vec<&Archive> = self.archives.iter().collect();
        for portion in self.games.chunks(PORTION) {
            let asked = (columns, &self.found, self.args.ask.ask_for_opening());
            let jobs = self.args.lookup.run.jobs;
            each(&columns::lines_of(&archives, portion, asked, jobs)?)?;
        }
        Ok(())
    }

    /// The columns that --columns names, or else the usual ones.
    fn columns(&self, usual: Vec<&'static GameColumn>) -> Vec<&'static GameColumn> {
        match self.columns.is_empty() {
            true => usual,
            false => self.columns.clone(),
        }
    }

    fn table(&self, out: &mut TextOutput, several: bool, terminal: bool) -> anyhow::Result<()> {
        let ask = &self.args.ask;
        let has_plies = ask.ask_for_position() || ask.ask_for_opening();
        let are_named = !self.columns.is_empty();
        let columns = match !are_named && self.are_lines()? {
            true => columns::of_lines(several),
            false => self.columns(columns::of_table(several, has_plies)),
        };
        let mut heads: Vec<table::ColumnHead> = columns.iter().map(|column| column.head).collect();
        // Columns that the user named are never dropped.
        let named = heads.iter_mut().filter(|_| are_named);
        named.for_each(|head| head.leaves = 0);
        let width = table::width(terminal);
        // The rows are laid out in portions, each with its own widths, so that the first rows of a
        // long table appear at once. Only the first portion has titles.
        let mut titles = 0;
        self.lines(&columns, &mut |lines| {
            let row = |line: &GameLine| {
                let cells = columns.iter().map(|column| column.value(line));
                cells.map(columns::in_table).collect()
            };
            let rows: Vec<Vec<String>> = lines.iter().map(row).collect();
            for line in table::lines(&heads, &rows, width).iter().skip(titles) {
                writeln!(out, "{line}")?;
            }
            titles = 1;
            Ok(())
        })
    }

    fn row_format(&self) -> RowFormat {
        match self.format {
            FindFormat::Csv => RowFormat::Csv(self.args.csv, self.args.file().is_some()),
            _ => RowFormat::Json,
        }
    }

    fn rows(&self, out: &mut TextOutput) -> anyhow::Result<()> {
        let (columns, format) = (self.columns(columns::all()), self.row_format());
        format.head(out, columns.iter().map(|column| column.name))?;
        self.lines(&columns, &mut |lines| {
            for line in lines {
                format.row(out, columns.iter().map(|c| (c.name, c.value(line))))?;
            }
            Ok(())
        })
    }

    fn addresses(&self, out: &mut TextOutput) -> anyhow::Result<()> {
        for &game in &self.games {
            writeln!(out, "{}", printable(&self.address(game)))?;
        }
        Ok(())
    }
}
