//! `pgc add`.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use pgc::beside::{index_path, map_index};
use pgc::indexing::Indexing;
use pgc::join::identity::SkipRule;
use pgc::join::known::KnownGames;
use pgc::stream::addition::{Addition, Unfinished};
use pgc::{Archive, Error, ErrorKind, IndexState};
use pgc_index::IndexError;
use pgc_io::{NamedWriter, input::Counter, output::Output};

use crate::args::pack::AddArgs;
use crate::commands::index::renew;
use crate::commands::pack::{CutOff, Packing};
use crate::failure::{self, Exit, WithName};
use crate::files::inputs::{self, Inputs};
use crate::files::{destination, indexed, mistaken};
use crate::interrupt::{self, MustEnd};
use crate::show::output::{counted, grouped, is_stdin, shown};
use crate::show::summary::{self, RunTotals};
use crate::show::watch::{Bar, Findings, Report};

pub(crate) fn run(args: &AddArgs) -> anyhow::Result<Exit> {
    add(args).map(|(exit, _)| exit)
}

/// Adds games; returns the number of games before them too.
pub(crate) fn add(args: &AddArgs) -> anyhow::Result<(Exit, u64)> {
    if is_stdin(&args.archive) {
        bail!("pgc add changes an archive in place: name a file, not standard input");
    }
    let inputs = inputs::collect(&args.sources.paths, args.sources.read_as)?;
    mistaken::refuse_other_file(&args.archive)?;
    refuse_itself(&args.archive, &inputs)?;
    let place = index_path(&args.archive);
    if !args.no_index {
        // Checked before the work, so that a refusal costs nothing.
        indexed::may_replace(&place, false)?;
    }
    let mut kept = inputs.paths.clone();
    kept.push(args.archive.clone());
    let path = args.sources.report.as_deref();
    let report = Report::open(path, args.work.json, args.force, &kept)?;
    let mut addition = begin(args)?;
    let archive = indexed::open(&args.archive, indexed::IN_ORDER)?;
    let (plan, indexing) = IndexPlan::new(args, &archive)?;
    let copies = args.skip_duplicates.then_some(SkipRule::Copies);
    let rule = args.skip_known.then_some(SkipRule::Known).or(copies);
    let known = rule.map(|rule| known_games(args, rule, &archive));
    let known = known.transpose()?;
    let counter = Counter::default();
    let bar = Bar::new(inputs.bytes, &counter, args.work.run.quiet);
    // Errors of writing name the archive, not the source.
    let out = NamedWriter::new(&mut addition, shown(&args.archive));
    let form = destination::form_of(&args.archive);
    let mut packing = Packing::new((&args.sources, &args.work), form, bar, report, out);
    packing.cut_off = CutOff::Fail("read before that, and none is added");
    (packing.indexing, packing.known) = (indexing, known);
    let done = packing.all(&inputs, None, &counter);
    let (indexing, findings, totals) = (packing.indexing, packing.findings, packing.totals);
    let left_out = packing.left_out;
    let plan = plan.filter(|_| done.is_ok() && (indexing.is_none() || !addition.is_empty()));
    // The index is not moved to its place yet: the old one is mapped, and some systems cannot
    // replace a mapped file.
    let extended = indexing.filter(|_| plan.is_some()).map(|indexing| {
        let mut output = indexed::create(&place, false, &args.archive)?;
        let bytes = indexed::finish(indexing, &mut output)?;
        Ok((output, bytes))
    });
    drop(archive);
    // Makes the addition part of the archive, or cuts it off. Archive and index change together.
    let committed = done.and_then(|exit| {
        let ending = interrupt::must_end()?;
        Ok((exit, addition.commit().at(&args.archive)?, ending))
    });
    let plan = plan.filter(|_| committed.is_ok());
    let added = Added {
        committed,
        plan,
        extended,
        findings,
        totals,
        left_out,
        addition,
    };
    added.tell(args)
}

/// The set of games that the archive already has.
fn known_games<'a>(
    args: &AddArgs,
    rule: SkipRule,
    archive: &'a Archive,
) -> anyhow::Result<KnownGames<'a>> {
    let folder = args.work.build(&args.archive, true).temp_dir;
    KnownGames::new(archive, rule, &folder, args.work.run.jobs).at(&args.archive)
}

/// The index of the archive with its new games.
struct IndexPlan {
    lines: bool,
    /// Why it is not the old one, extended, if that is worth a message.
    why: Option<String>,
}

impl IndexPlan {
    /// Chooses the plan, and opens the index to extend; without one, the index is made again from
    /// the archive. No plan: the index stays as it is.
    fn new<'a>(
        args: &AddArgs,
        archive: &'a Archive,
    ) -> anyhow::Result<(Option<IndexPlan>, Option<Indexing<'a>>)> {
        if args.no_index {
            return Ok((None, None));
        }
        let unfit = |why: &dyn std::fmt::Display| Some(format!("its index cannot be used: {why}"));
        let (lines, why) = match (archive.index(), archive.index_state()) {
            (Some(index), _) => {
                let lines = index.has_lines();
                let build = args.work.build(&args.archive, lines);
                match Indexing::extending(build, index, archive, args.work.run.jobs) {
                    Ok(indexing) => {
                        return Ok((Some(IndexPlan { lines, why: None }), Some(indexing)));
                    }
                    // Reading failed; the index may be fine.
                    Err(IndexError::Io(error)) => return Err(error).at(&args.archive),
                    Err(error) => (lines, unfit(&error)),
                }
            }
            (None, IndexState::NotMine(why) | IndexState::Damaged(why)) => (true, unfit(why)),
            (None, _) => (true, Some("has no index".to_owned())),
        };
        Ok((Some(IndexPlan { lines, why }), None))
    }
}

/// Refuses the archive among its own inputs: it would be read while it grows.
fn refuse_itself(archive: &Path, inputs: &Inputs) -> anyhow::Result<()> {
    let mut files = inputs.paths.iter().filter(|input| !is_stdin(input));
    if let Some(input) = files.find(|input| destination::is_same(input, archive)) {
        let input = shown(input);
        bail!("{input}: is the archive itself, and cannot be an input too");
    }
    Ok(())
}

fn begin(args: &AddArgs) -> anyhow::Result<Addition> {
    let path = args.archive.as_path();
    let shown = shown(path);
    // Opening the index has verified the checksum of the archive length.
    let index = map_index(&index_path(path)).ok();
    let indexed = index.map(|index| index.archive_length());
    let unfinished = match args.discard_unfinished {
        true => Unfinished::Discard,
        false => Unfinished::Check { indexed },
    };
    let addition = Addition::begin(path, unfinished).map_err(|error| match error {
        Error::Foreign => mistaken::not_ours(path),
        error => match error.kind() {
            ErrorKind::Io(io::ErrorKind::NotFound) => {
                anyhow!("{shown}: no such archive (create it with pgc pack)")
            }
            ErrorKind::Io(_) | ErrorKind::Refused => anyhow!(error).context(shown.clone()),
            _ => anyhow!(error).context(format!("{shown}: nothing was added")),
        },
    })?;
    let cut = addition.before().unfinished;
    if cut > 0 {
        let bytes = counted(cut, "byte");
        note!("{shown}: an unfinished addition of {bytes} was cut off");
    }
    Ok(addition)
}

/// The result of an addition, which is part of the archive or failed.
struct Added {
    /// The exit code and the new length in bytes; from then on the run must come to its end.
    committed: anyhow::Result<(Exit, u64, MustEnd)>,
    plan: Option<IndexPlan>,
    /// The old index, extended but not moved to its place yet, and its length.
    extended: Option<anyhow::Result<(Output, u64)>>,
    findings: Findings,
    totals: RunTotals,
    /// Games left out by --skip-known or --skip-duplicates.
    left_out: u64,
    addition: Addition,
}

impl Added {
    /// Places the index and prints the summary; returns the number of games before too.
    fn tell(self, args: &AddArgs) -> anyhow::Result<(Exit, u64)> {
        let name = shown(&args.archive);
        let (before, nothing) = (self.addition.before(), self.addition.is_empty());
        // After a failure, dropping the addition cuts it off now, before anything is printed.
        // Otherwise the lock is held until the index is written too.
        let lock = self.committed.is_ok().then_some(self.addition);
        let indexed = place_index(args, self.plan, self.extended);
        drop(lock);
        let mut json = self.totals.json(Some(&name), self.committed.is_ok());
        let copies = u64::from(args.skip_duplicates) * self.left_out;
        json["known"] = (self.left_out - copies).into();
        json["duplicates"] = copies.into();
        let quiet = args.work.run.quiet;
        self.findings.tell(&json, self.committed.is_ok(), quiet)?;
        let (exit, length, _ending) = self.committed?;
        let games = before.games.saturating_add(self.totals.sum.games);
        let written = indexed.as_ref().ok().and_then(Option::as_ref);
        json["archive_games"] = games.into();
        json["archive_bytes"] = length.into();
        let mut lines = self.totals.lines(&format!("{name}: added"));
        if self.left_out > 0 {
            let what = match args.skip_duplicates {
                true => format!("{} left out", counted(self.left_out, "copy")),
                false => format!("{} already known", counted(self.left_out, "game")),
            };
            lines.push(format!("  {what}"));
        }
        let all = counted(games, "game");
        lines.push(format!("  now {all} in {} bytes", grouped(length)));
        let index = written.map(|(place, bytes)| (place.as_path(), *bytes, games));
        summary::tell(&args.work, json, &lines, index)?;
        indexed?;
        if args.no_index && !nothing && !quiet {
            indexed::tell_outdated(&args.archive);
        }
        Ok((exit, before.games))
    }
}

/// Places the index of the archive as it is now; returns its path and its length.
fn place_index(
    args: &AddArgs,
    plan: Option<IndexPlan>,
    extended: Option<anyhow::Result<(Output, u64)>>,
) -> anyhow::Result<Option<(PathBuf, u64)>> {
    let place = index_path(&args.archive);
    let Some(IndexPlan { lines, why }) = plan else {
        return Ok(None);
    };
    if let Some(why) = why.filter(|_| !args.work.run.quiet) {
        note!("{}: {why}: making it now", shown(&args.archive));
    }
    let placed = extended.map(|extended| {
        let (output, bytes) = extended?;
        output.commit().at(&place)?;
        Ok(bytes)
    });
    let anew = || {
        let options = args.work.index(&place, lines);
        Ok(renew(&args.archive, &place, &options, args.work.run.quiet)?.0)
    };
    let written = match placed {
        None => anew(),
        Some(Err(error)) if !failure::is_quiet(&error) => {
            let name = shown(&place);
            note!("{name}: cannot be extended, making it again: {error:#}");
            anew()
        }
        Some(done) => done,
    };
    let bytes = written.map_err(|error| {
        let archive = shown(&args.archive);
        let (why, partial) = match failure::exit_of(&error) {
            Exit::Damaged => ("it is damaged, and its index is not whole", "--partial "),
            _ => ("its index does not fit", ""),
        };
        error.context(format!(
            "the games are in {archive}, but {why} (make it with `pgc index {partial}{archive}`)"
        ))
    })?;
    Ok(Some((place, bytes)))
}
