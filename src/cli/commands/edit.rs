//! `pgc edit`.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::slice;

use anyhow::{Context, bail};
use clap::ValueHint;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use pgc::beside::{index_path, map_index};
use pgc::edit::edits::{Edits, OpeningTags};
use pgc::edit::plan::{EditPlan, GameChange, GameEdit};
use pgc::edit::write::write_edited;
use pgc::{Archive, Error, OpenOptions, SegmentForm, Summary};
use pgc_index::NameField;
use pgc_io::output::{Output, folder_of};
use pgc_io::{input::Counter, is_being_written, lock_alone};
use serde_json::json;

use crate::args::addresses::{numbers, parse_address};
use crate::args::find::Lookup;
use crate::args::options::{RunOptions, WorkOptions, size};
use crate::args::people;
use crate::args::questions::Questions;
use crate::failure::{Exit, WithName};
use crate::files::indexed::{self, NewArchive};
use crate::files::{destination, mistaken};
use crate::interrupt;
use crate::show::footer::{Footer, add_near, nothing_matches};
use crate::show::output::{counted, grouped, is_stdin, note, note_line, shown};
use crate::show::watch::Bar;
use crate::show::{change_log::ChangeLog, summary};

/// Correct games: set and remove tags, rename players, delete games
///
/// Changes the games that match the questions of `pgc find`, or all games without a question, and
/// no other byte: all other games, and the text between games, stay as they were written. The
/// result is a new archive (-o), or replaces the old one (--in-place), completely or not at all.
/// Its index is written too.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Changes and output")]
#[command(after_help = include_str!("../help/edit.txt"))]
pub(crate) struct EditArgs {
    /// An archive
    #[arg(help_heading = None, value_name = "ARCHIVE", value_hint = ValueHint::FilePath)]
    archive: PathBuf,
    #[command(flatten)]
    ask: Questions,
    /// Only the games with these numbers: 12, 5-9, 12..20, 12..; `-` reads numbers, or addresses as
    /// `pgc find` writes them, from standard input
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    games: Vec<String>,
    /// Without any question: change all games. Only then does --delete, and with --in-place --set,
    /// --unset and --set-opening
    #[arg(long, conflicts_with = "games")]
    all: bool,
    /// Give a tag this value (may be repeated)
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    set: Vec<(String, String)>,
    /// Remove a tag (may be repeated)
    #[arg(long, value_name = "NAME")]
    unset: Vec<String>,
    /// Change the name of a player, as White and as Black (may be repeated)
    #[arg(long, value_names = ["OLD", "NEW"], num_args = 2, allow_hyphen_values = true)]
    rename_player: Vec<String>,
    /// Change each name of a player, as White and as Black, to the one that a file of aliases (in the
    /// format of Scid's spelling files) has first for the same person
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    rename_aliases: Option<PathBuf>,
    /// Write the tags ECO and Opening from the positions of each game, as Lichess names them:
    /// `missing` only where the tag is missing or `?`, `always` also over another value [default
    /// without WHERE: missing]
    #[arg(long, value_parser = opening_tags(), value_name = "WHERE", num_args = 0..=1, require_equals = true, default_missing_value = "missing")]
    set_opening: Option<OpeningTags>,
    /// Delete the games
    #[arg(long, conflicts_with_all = ["set", "unset", "rename_player", "rename_aliases", "set_opening"])]
    delete: bool,
    /// The archive to write; each source keeps its form
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "in_place")]
    output: Option<PathBuf>,
    /// Replace the archive
    #[arg(long)]
    in_place: bool,
    /// Print what would change, and write no archive
    #[arg(long, conflicts_with_all = ["output", "in_place"])]
    dry_run: bool,
    /// Write every change to a file, as JSON Lines (`-` for standard output)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    log: Option<PathBuf>,
    /// Write no index
    #[arg(long)]
    no_index: bool,
    /// Replace existing files
    #[arg(short, long)]
    force: bool,
    /// Memory to use, for example 1G; what does not fit goes to temporary files
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size)]
    memory: usize,
    /// Print the summary as JSON on standard output
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    lookup: Lookup,
}

/// Which games get the tags of their opening.
fn opening_tags() -> impl TypedValueParser<Value = OpeningTags> {
    PossibleValuesParser::new(["missing", "always"]).map(|word| match word.as_str() {
        "always" => OpeningTags::Always,
        _ => OpeningTags::Missing,
    })
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=');
    let (name, value) = pair.ok_or("write NAME=VALUE, as in Event=World Cup")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(crate) fn run(args: &EditArgs) -> anyhow::Result<Exit> {
    let edits = args.edits()?;
    args.check()?;
    let target = args.target().map(|path| Target::create(args, path));
    let target = target.transpose()?;
    let (archive, games) = args.ask()?;
    let (path, kept) = (args.log.as_deref(), slice::from_ref(&args.archive));
    let why = "--log -: standard output already carries the summary";
    let log = destination::asked(path, args.json.then_some(why), args.force, kept)?;
    let mut log = ChangeLog::new(log, args.dry_run && !args.json);
    let mut missing: BTreeSet<&str> = args.renamed().map(|names| names[0].as_str()).collect();
    let mut add = |change: GameChange| {
        if let GameEdit::Fields(fields) = &change.what {
            let values = fields.iter().filter_map(|field| field.before.as_deref());
            for before in values {
                missing.remove(before);
            }
        }
        log.add(&change)
    };
    let (games, jobs, with_texts) = (games.as_deref(), args.lookup.run.jobs, path.is_some());
    let plan = EditPlan::new(&archive, games, &edits, jobs, with_texts, &mut add);
    interrupt::cancelled()?;
    indexed::tell_unfinished(&archive);
    if indexed::tell_gaps(&archive) == Exit::Damaged {
        note("nothing was changed: save what is whole with pgc salvage first");
        return Ok(Exit::Damaged);
    }
    let plan = plan.at(&args.archive)?;
    for name in missing {
        args.tell_missing(&archive, name)?;
    }
    let Some(target) = target.filter(|_| !plan.is_empty()) else {
        log.commit()?;
        tell(args, &plan, &log, &[], None)?;
        return Ok(Exit::partly_if(plan.is_empty()));
    };
    target.write(args, archive, &plan, log)?;
    Ok(Exit::Done)
}

impl EditArgs {
    fn edits(&self) -> anyhow::Result<Edits> {
        let mut edits = match self.delete {
            true => Edits::deletion(),
            false => Edits::default(),
        };
        for (name, value) in &self.set {
            edits.set(name, value).context("--set")?;
        }
        for name in &self.unset {
            edits.unset(name).context("--unset")?;
        }
        for [old, new] in self.renamed() {
            edits.rename_player(old, new).context("--rename-player")?;
        }
        if let Some(path) = &self.rename_aliases {
            edits.rename_aliases(people::read_names(path)?);
        }
        if let Some(asked) = self.set_opening {
            edits.set_opening(asked).context("--set-opening")?;
        }
        if edits.is_empty() {
            bail!(
                "nothing to do: say what to change with --set, --unset, --rename-player, --rename-aliases, --set-opening or --delete"
            );
        }
        let is_narrowed = !self.ask.is_empty() || !self.games.is_empty();
        // --rename-player itself names the games that it changes.
        let has_tags = !self.set.is_empty() || !self.unset.is_empty() || self.set_opening.is_some();
        let is_sweeping = self.delete || (self.in_place && has_tags);
        if is_sweeping && !self.all && !is_narrowed {
            bail!("there is no question: to change or delete every game, say so with --all");
        }
        if self.all && is_narrowed {
            bail!("--all cannot be used with a question");
        }
        Ok(edits)
    }

    /// The old and the new names of --rename-player.
    fn renamed(&self) -> impl Iterator<Item = &[String; 2]> {
        self.rename_player.as_chunks().0.iter()
    }

    /// Says that no game that is edited has a player with exactly this name, and names similar ones.
    fn tell_missing(&self, archive: &Archive, name: &str) -> anyhow::Result<()> {
        if self.lookup.run.quiet {
            return Ok(());
        }
        let (mut near, jobs) = (HashMap::new(), self.lookup.run.jobs);
        add_near(&mut near, archive, (NameField::Player, name), jobs).at(&self.archive)?;
        note_line(&nothing_matches("player", name, &near));
        Ok(())
    }

    /// Refuses what cannot be done, before any work.
    fn check(&self) -> anyhow::Result<()> {
        let archive = &self.archive;
        if is_stdin(archive) || self.output.as_deref().is_some_and(is_stdin) {
            bail!("pgc edit works on files, not on standard input or output");
        }
        if self.output.is_none() && !self.in_place && !self.dry_run {
            bail!(
                "name the archive to write with -o, or replace {} with --in-place (--dry-run only shows what would change)",
                shown(archive)
            );
        }
        if self.games.iter().any(String::is_empty) {
            bail!("--games needs the number of a game: 12, 5-9, 12..");
        }
        destination::refuse_same(self.log.as_deref(), Some(archive))?;
        let Some(output) = &self.output else {
            return Ok(());
        };
        if destination::is_folder(output) {
            bail!("{}: is a folder: name the archive to write", shown(output));
        }
        destination::refuse_other_ending(output)?;
        destination::refuse_same(self.log.as_deref(), Some(output))?;
        let form = destination::form_of(output);
        if form != destination::form_of(archive) {
            let ending = match form {
                SegmentForm::Plain => destination::SMALL,
                SegmentForm::Small => "pgc",
            };
            bail!(
                "{}: pgc edit keeps the form of each source: name it .{ending} (pgc pack converts archives)",
                shown(output)
            );
        }
        Ok(())
    }

    fn target(&self) -> Option<&Path> {
        let in_place = self.in_place.then_some(self.archive.as_path());
        self.output.as_deref().or(in_place)
    }

    fn temp_dir(&self) -> PathBuf {
        let written = self.target().unwrap_or(&self.archive);
        self.lookup.temp_dir_beside(Some(written))
    }

    fn work(&self) -> WorkOptions {
        WorkOptions {
            memory: self.memory,
            temp_dir: self.lookup.temp_dir.clone(),
            json: self.json,
            run: self.lookup.run.clone(),
        }
    }

    /// Opens the archive, and returns the games to change, from 0, ascending; `None`: all games.
    fn ask(&self) -> anyhow::Result<(Archive, Option<Vec<u32>>)> {
        // Parsed first, so that a wrong question is reported even if there is no clause.
        let query = self.lookup.people.prepare(self.ask.query.clone())?;
        // The games themselves say which of them are edited.
        let options = OpenOptions::default().with_index(false);
        let (archive, mut games) = if self.ask.is_empty() {
            let options = options.passing_damage(true);
            let archive = self.lookup.unusable().open(&self.archive, options)?;
            (archive, None)
        } else {
            let mut footer = Footer::new(false);
            let (given, temp_dir) = ((self.archive.as_path(), options), self.temp_dir());
            let (archive, _, answer) = self.lookup.ask(&query, given, temp_dir, &mut footer)?;
            footer.print();
            (archive, Some(answer.found.games))
        };
        if !archive.is_ours() {
            return Err(mistaken::not_ours(&self.archive));
        }
        if !self.games.is_empty() {
            let numbered = self.numbered(archive.len().at(&self.archive)?)?;
            match &mut games {
                Some(games) => games.retain(|&game| {
                    let number = u32::try_from(archive.number_of(game.into()) - 1);
                    number.is_ok_and(|number| numbered.binary_search(&number).is_ok())
                }),
                None => games = Some(numbered),
            }
        }
        Ok((archive, games))
    }

    /// The games of --games, from 0, ascending.
    fn numbered(&self, games: u64) -> anyhow::Result<Vec<u32>> {
        let mut words = Vec::new();
        for word in &self.games {
            if word != "-" {
                words.push(word.clone());
                continue;
            }
            for line in io::stdin().lines() {
                words.push(line.context("standard input")?.trim().to_owned());
            }
        }
        let mut found = Vec::new();
        for word in words.iter().filter(|word| !word.is_empty()) {
            let range = numbers(word).or_else(|| {
                let (path, range) = parse_address(word)?;
                destination::is_same(&path, &self.archive).then_some(range)
            });
            let Some((first, last)) = range else {
                bail!(
                    "{word:?} is not a game number (12), a range (5-9, 12.., 12..20), or the address of a game of {}",
                    shown(&self.archive)
                );
            };
            if first > last {
                bail!("the range {first}-{last} is backwards: write {last}-{first}");
            }
            let last = if last == u64::MAX {
                first.max(games)
            } else {
                last
            };
            if first == 0 || last > games {
                let number = if first == 0 { 0 } else { last };
                return Err(Error::NoSuchGame { number, games }).at(&self.archive);
            }
            found.extend((first..=last).filter_map(|game| u32::try_from(game - 1).ok()));
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}

/// The archive to write.
struct Target<'a> {
    new: NewArchive<'a>,
    output: Output,
    /// The lock of the archive that is replaced. It is taken before the archive is read, so that
    /// no other program adds games to it that would be lost.
    lock: Option<File>,
}

impl<'a> Target<'a> {
    fn create(args: &EditArgs, path: &'a Path) -> anyhow::Result<Target<'a>> {
        let new = NewArchive::new(path, !args.no_index, args.force)?;
        if !args.in_place {
            let (output, lock) = (new.create(slice::from_ref(&args.archive))?, None);
            return Ok(Target { new, output, lock });
        }
        let lock = lock_alone(path);
        if lock.is_none() && is_being_written(path) {
            bail!("{}: another program is writing to it", shown(path));
        }
        destination::clear(folder_of(path));
        let output = destination::begin(path, true, &[])?;
        Ok(Target { new, output, lock })
    }

    /// Writes the archive and its index, then the log (P7).
    fn write(
        mut self,
        args: &EditArgs,
        archive: Archive,
        plan: &EditPlan,
        mut log: ChangeLog,
    ) -> anyhow::Result<()> {
        let path = self.new.path;
        if args.in_place && archive.unfinished() > 0 {
            bail!(
                "{}: bytes of an unfinished addition would be lost: run pgc add first, or write another archive with -o",
                shown(path)
            );
        }
        let old = map_index(&index_path(archive.path()));
        let lines = old.ok().is_none_or(|index| index.has_lines());
        let mut indexing = self.new.indexing(&args.work(), lines);
        let RunOptions { jobs, quiet } = args.lookup.run;
        let bar = Bar::new(Some(plan.work()), &Counter::default(), quiet);
        let (output, watch) = (&mut self.output, &mut &bar);
        let written = write_edited(&archive, plan, output, jobs, watch, indexing.as_mut());
        bar.finish();
        let sources = written.at(&args.archive)?;
        // Windows cannot replace a file that is mapped or open.
        drop(archive);
        let lock = (!cfg!(windows)).then_some(self.lock);
        log.sync()?;
        let games = sources.iter().map(|source| source.games).sum();
        let indexed = self.new.finish(self.output, indexing)?;
        drop(lock);
        log.commit()?;
        tell(args, plan, &log, &sources, self.new.told(indexed?, games))?;
        self.new.tell_left(quiet);
        Ok(())
    }
}

/// Prints the summary.
fn tell(
    args: &EditArgs,
    plan: &EditPlan,
    log: &ChangeLog,
    sources: &[Summary],
    index: Option<(&Path, u64, u64)>,
) -> anyhow::Result<()> {
    let written = args.target().filter(|_| !plan.is_empty());
    let bytes: u64 = sources.iter().map(|source| source.bytes_out).sum();
    let value = json!({
        "archive": args.archive.display().to_string(),
        "output": written.map(|path| path.display().to_string()),
        "games": plan.archive_games(),
        "changed": plan.len() - log.deleted,
        "deleted": log.deleted,
        "fields": log.fields(),
        "epd_passed_over": plan.passed(),
        "bytes_out": written.map(|_| bytes),
    });
    let verb = match args.dry_run {
        true => "would change",
        false => "changed",
    };
    let name = shown(written.unwrap_or(&args.archive));
    let (changed, games) = (grouped(plan.len()), counted(plan.archive_games(), "game"));
    let mut line = format!("{name}: {verb} {changed} of {games}");
    if !plan.is_empty() {
        line += &format!(" ({})", log.counts());
    }
    if written.is_some() {
        line += &format!(", {}", counted(bytes, "byte"));
    }
    let mut lines = vec![line];
    if plan.passed() > 0 {
        let passed = counted(plan.passed(), "line");
        lines.push(format!("  {passed} of EPD passed over: they have no moves"));
    }
    Ok(summary::tell(&args.work(), value, &lines, index)?)
}
