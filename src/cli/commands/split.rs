//! `pgc split`.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::Path;
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::Instant;

use anyhow::{Context, bail};
use pgc::ask::texts::TextOptions;
use pgc::beside::index_path;
use pgc::indexing::Indexing;
use pgc::join::boundary::Joiner;
use pgc::join::split::{SplitBy, SplitFile, SplitPlan};
use pgc::pack::pack_indexed;
use pgc::stream::addition::extent;
use pgc::{Archive, PackOptions, SegmentForm, SourceText};
use pgc_io::dir::DirSink;
use pgc_io::output::Output;
use pgc_io::threads::not_started;
use serde_json::json;
use tempfile::SpooledTempFile;

use crate::args::pack::{SplitArgs, SplitFormat};
use crate::failure::{Exit, WithName};
use crate::files::destination;
use crate::files::indexed::{self, NewArchive};
use crate::files::mistaken;
use crate::interrupt;
use crate::show::output::{counted, grouped, is_stdin, note_first, print_json, shown};
use crate::show::watch::{Bar, Watch};

/// The number of files shown; --json lists all.
const SHOWN: usize = 20;

/// The text of a file stays in memory up to this length before it is packed.
const SPOOL: usize = 1 << 23;

/// A text of fewer bytes is packed by one thread, beside others.
const LITTLE: u64 = 1 << 20;

/// The number of files that are completed at the same time, unless fewer threads are asked for: most
/// of that is waiting for the disk.
const AT_ONCE: usize = 8;

pub(crate) fn run(args: &SplitArgs) -> anyhow::Result<Exit> {
    if is_stdin(&args.archive) {
        bail!("standard input cannot be read twice: give a file");
    }
    if args.output.as_deref().is_some_and(is_stdin) {
        bail!("split writes files, not standard output: name a folder with -o");
    }
    let started = Instant::now();
    mistaken::refuse_other_file(&args.archive)?;
    let options = indexed::IN_ORDER.with_index(false);
    let archive = indexed::open(&args.archive, options.passing_damage(args.partial))?;
    indexed::tell_unfinished(&archive);
    let stem = args.archive.file_stem().unwrap_or_default();
    let folder = args.output.clone();
    let folder = folder.or_else(|| destination::without_ending(&args.archive));
    let folder = folder.context("the archive has no extension to remove: name a folder with -o")?;
    let by = args.by.unwrap_or(SplitBy::Day);
    let jobs = args.work.run.jobs;
    let plan =
        SplitPlan::new(&archive, by, args.tree, &stem.to_string_lossy(), jobs).at(&args.archive)?;
    let format = args.format();
    if !args.to.force {
        refuse_existing(&folder, plan.files(), format.ending())?;
    }
    let inputs = std::slice::from_ref(&args.archive);
    let sink = destination::folder(&folder, args.to.force, inputs)?;
    let options = TextOptions {
        threads: jobs,
        memory: args.work.memory / 4,
        temp_dir: args.work.temp_dir.as_ref().unwrap_or(&folder).clone(),
    };
    thread::scope(|scope| {
        let mut job = SplitJob {
            args,
            plan: &plan,
            format,
            sink,
            open: None,
            joiner: Joiner::default(),
            closed: 0,
            run_together: 0,
            text: 0,
            written: vec![0; plan.files().len()],
            seen: Vec::new(),
            scope,
            running: VecDeque::new(),
        };
        plan.texts(&archive, &options, |file, game, text| {
            job.game(file, game, text)
        })
        .at(&args.archive)?;
        job.finish().at(&folder)?;
        while job.wait().at(&folder)? {}
        let seconds = started.elapsed().as_secs_f64();
        tell(args, &folder, &job, job.left_out(&archive), seconds)?;
        Ok(job.tell_faults(&archive, &folder))
    })
}

impl SplitArgs {
    /// The format of the files: if none is named, that of the archive.
    fn format(&self) -> SplitFormat {
        self.format
            .unwrap_or_else(|| match destination::form_of(&self.archive) {
                SegmentForm::Plain => SplitFormat::Pgc,
                SegmentForm::Small => SplitFormat::Pgcz,
            })
    }
}

impl SplitFormat {
    fn ending(self) -> &'static str {
        match self {
            SplitFormat::Pgc => "pgc",
            SplitFormat::Pgcz => destination::SMALL,
            SplitFormat::Pgn => "pgn",
        }
    }
}

/// Refuses existing files before anything is written, since half of the files would be of little
/// use.
fn refuse_existing(folder: &Path, files: &[SplitFile], ending: &str) -> anyhow::Result<()> {
    for file in files {
        let path = folder.join(file.path(ending));
        if fs::symlink_metadata(&path).is_ok() {
            bail!("{}: already exists (replace it with -f)", shown(&path));
        }
    }
    Ok(())
}

struct SplitJob<'a, 'scope> {
    args: &'a SplitArgs,
    plan: &'a SplitPlan,
    format: SplitFormat,
    sink: DirSink,
    /// The file being written: its number and, for an archive, the text to pack.
    open: Option<(usize, Option<SpooledTempFile>)>,
    joiner: Joiner,
    closed: u64,
    run_together: u64,
    /// Total length of the texts, each game counted once.
    text: u64,
    /// The number of games written to each file, without games in damaged blocks.
    written: Vec<u64>,
    /// Which games have been written: with --by player a game goes to two files.
    seen: Vec<bool>,
    scope: &'scope Scope<'scope, 'a>,
    /// The threads that complete files, the oldest first.
    running: VecDeque<ScopedJoinHandle<'scope, Result<(), pgc::Error>>>,
}

impl<'a> SplitJob<'a, '_> {
    fn game(&mut self, file: usize, game: u32, text: &[u8]) -> Result<(), pgc::Error> {
        interrupt::cancelled()?;
        if self.is_first(game as usize) {
            self.text += text.len() as u64;
        }
        self.written[file] += 1;
        if self.open.as_ref().is_none_or(|open| open.0 != file) {
            self.finish()?;
            self.begin(file)?;
        }
        for part in self.joiner.next(text) {
            match &mut self.open {
                Some((_, Some(spool))) => spool.write_all(part)?,
                _ => self.sink.write(part)?,
            }
        }
        Ok(())
    }

    /// Whether the game has not been written before; marks it as written.
    fn is_first(&mut self, game: usize) -> bool {
        if self.seen.len() <= game {
            self.seen.resize(game + 1, false);
        }
        !std::mem::replace(&mut self.seen[game], true)
    }

    /// Length in bytes of the text outside games, without that in damaged blocks; `None` if the
    /// length of the damaged blocks is unknown.
    fn left_out(&self, archive: &Archive) -> Option<u64> {
        let file = File::open(&self.args.archive).ok();
        let extent = file.and_then(|file| extent(&file).ok());
        let all = extent.map_or(0, |extent| extent.source);
        let lost: Option<u64> = archive.gaps().iter().map(|gap| gap.bytes).sum();
        lost.map(|lost| all.saturating_sub(self.text).saturating_sub(lost))
    }

    /// The files with games, and the number of games of each.
    fn files(&self) -> Vec<(&SplitFile, u64)> {
        let files = self.plan.files().iter().zip(self.written.iter().copied());
        files.filter(|file| file.1 > 0).collect()
    }

    /// Tells of gaps, of changed names of files, and of games that were not kept apart; returns the
    /// exit code.
    fn tell_faults(&self, archive: &Archive, folder: &Path) -> Exit {
        let exit = indexed::tell_gaps(archive);
        let files = self.files().into_iter();
        let changed = files.filter_map(|(file, _)| Some((file.instead_of.as_ref()?, file)));
        let changed: Vec<_> = changed.collect();
        let told = changed.iter().map(|(name, file)| {
            let path = file.path(self.format.ending());
            format!("{path}: the name {name:?} cannot be used for this file")
        });
        note_first(SHOWN, told);
        if self.run_together > 0 {
            let (folder, games) = (shown(folder), counted(self.run_together, "game"));
            note!("{folder}: {games} ran together with the one before");
        }
        exit.max(Exit::partly_if(
            !changed.is_empty() || self.run_together > 0,
        ))
    }

    fn begin(&mut self, file: usize) -> io::Result<()> {
        let named = &self.plan.files()[file];
        let name = format!("{}.{}", named.stem, self.format.ending());
        match &named.folder {
            Some(folder) => self.sink.begin_in(folder, &name)?,
            None => self.sink.begin(&name)?,
        }
        let spool = (self.format != SplitFormat::Pgn).then(|| SpooledTempFile::new(SPOOL));
        self.open = Some((file, spool));
        Ok(())
    }

    /// Completes the file being written, on a thread of its own if it is small.
    fn finish(&mut self) -> Result<(), pgc::Error> {
        let Some((file, spool)) = self.open.take() else {
            return Ok(());
        };
        let joiner = std::mem::take(&mut self.joiner);
        self.closed += joiner.closed();
        self.run_together += joiner.run_together();
        let (path, output) = self.sink.detach()?;
        let Some(mut spool) = spool else {
            return self.aside(move || Ok(output.commit()?));
        };
        let length = spool.stream_position()?;
        spool.rewind()?;
        let (args, jobs) = (self.args, self.args.work.run.jobs);
        let name = format!("{}.pgn", self.plan.files()[file].stem);
        let options = PackOptions {
            threads: if length < LITTLE { 1 } else { jobs },
            form: match self.format {
                SplitFormat::Pgcz => SegmentForm::Small,
                SplitFormat::Pgc | SplitFormat::Pgn => SegmentForm::Plain,
            },
            text: Some(SourceText::Pgn),
            ..PackOptions::default()
        };
        if length >= LITTLE {
            return pack_file(args, (&name, &mut spool), (&path, output), &options);
        }
        self.aside(move || pack_file(args, (&name, &mut spool), (&path, output), &options))
    }

    /// Runs `work` on a thread of its own.
    fn aside(
        &mut self,
        work: impl FnOnce() -> Result<(), pgc::Error> + Send + 'a,
    ) -> Result<(), pgc::Error> {
        let most = match self.args.work.run.jobs {
            0 => AT_ONCE,
            jobs => jobs.min(AT_ONCE),
        };
        if self.running.len() == most {
            self.wait()?;
        }
        let started = thread::Builder::new().spawn_scoped(self.scope, || {
            interrupt::watch();
            work()
        });
        let thread = started.map_err(|error| not_started(&error))?;
        self.running.push_back(thread);
        Ok(())
    }

    /// Waits for the oldest thread; returns whether there was one.
    fn wait(&mut self) -> Result<bool, pgc::Error> {
        let Some(thread) = self.running.pop_front() else {
            return Ok(false);
        };
        let stopped = |_| Err(io::Error::other("a thread stopped").into());
        thread.join().unwrap_or_else(stopped).map(|()| true)
    }
}

/// Packs the text of a file as a source of this name, and gives the archive and its index their
/// names.
fn pack_file(
    args: &SplitArgs,
    (name, text): (&str, &mut SpooledTempFile),
    (path, mut output): (&Path, Output),
    options: &PackOptions,
) -> Result<(), pgc::Error> {
    let new = NewArchive {
        path,
        index: (!args.to.no_index).then(|| index_path(path)),
        force: args.to.force,
    };
    let beside = args.output.as_deref().unwrap_or(&args.archive);
    let mut build = args.work.build(beside, args.to.lines());
    build.memory /= AT_ONCE;
    let mut indexing = new.index.is_some().then(|| Indexing::new(build));
    let (bar, out) = (Bar::default(), &mut output);
    let watch = &mut Watch::silent(&bar);
    pack_indexed(text, name, out, options, watch, indexing.as_mut())?;
    match new.finish(output, indexing).flatten() {
        Ok(_) => Ok(()),
        Err(error) if matches!(error.downcast_ref(), Some(pgc::Error::Cancelled)) => {
            Err(pgc::Error::Cancelled)
        }
        Err(error) => Err(io::Error::other(format!("{error:#}")).into()),
    }
}

fn tell(
    args: &SplitArgs,
    folder: &Path,
    job: &SplitJob<'_, '_>,
    left_out: Option<u64>,
    seconds: f64,
) -> anyhow::Result<()> {
    let files = job.files().into_iter();
    let files = files.map(|(file, games)| (file.path(job.format.ending()), games));
    let files: BTreeMap<String, u64> = files.collect();
    let games: u64 = job.written.iter().sum();
    if args.work.json {
        let list = files.iter();
        let list = list.map(|(name, games)| json!({ "name": name, "games": games }));
        print_json(&json!({
            "archive": args.archive.display().to_string(),
            "folder": folder.display().to_string(),
            "files": list.collect::<Vec<_>>(),
            "games": games,
            "text_left_out": left_out,
            "closed": job.closed,
            "seconds": seconds,
        }))?;
        return Ok(());
    }
    if args.work.run.quiet {
        return Ok(());
    }
    let (archive, folder) = (shown(&args.archive), shown(folder));
    let count = counted(job.sink.written().len() as u64, "file");
    let games = counted(games, "game");
    note_line!("{archive} -> {folder}: {count}, {games}, {seconds:.1} s");
    for (name, games) in files.iter().take(SHOWN) {
        note_line!("  {:>12}  {name}", grouped(*games));
    }
    if let more @ 1.. = files.len().saturating_sub(SHOWN) {
        note_line!("  ... and {} more", counted(more as u64, "file"));
    }
    if let Some(bytes @ 1..) = left_out {
        let bytes = counted(bytes, "byte");
        note_line!("  text outside games: {bytes} left out");
    }
    if job.closed > 0 {
        let games = counted(job.closed, "game");
        note_line!("  {games} had no proper end and were closed, to stay apart from the next");
    }
    Ok(())
}
