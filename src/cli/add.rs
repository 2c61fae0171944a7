//! `pgc add`.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use pgc::archive::{Addition, AdditionError};
use pgc::convert::{self, PackOptions};
use pgc::io::input::{Counter, Source};

use super::archive::open_input;
use super::args::Add;
use super::exit::Exit;
use super::inputs::{self, Inputs, Tolerant, is_stdin};
use super::interrupt;
use super::output::{counted, grouped, note, note_line, print_json, shown};
use super::pack::STDIN_NAME;
use super::progress::Bar;
use super::report::Report;
use super::summary::Totals;
use super::watch::{Findings, Watch};

pub(super) fn run(args: &Add) -> anyhow::Result<Exit> {
    if is_stdin(&args.archive) {
        bail!("an archive is added to in place: give a file");
    }
    let inputs = inputs::collect(&args.inputs, args.recursive, args.files_from.as_deref(), args.null)?;
    refuse_itself(&args.archive, &inputs)?;
    if inputs.paths.is_empty() {
        note("no PGN files found");
        return Ok(Exit::Partly);
    }
    let report = report(args, &inputs)?;
    let addition = begin(&args.archive)?;
    let counter = Counter::default();
    let mut job = Job {
        args,
        bar: Bar::new(inputs.bytes, &counter, args.run.quiet),
        findings: Findings { report, ..Findings::default() },
        totals: Totals::new(),
        addition,
    };
    let result = job.all(&inputs, &counter);
    job.bar.finish();
    job.end(result)
}

/// The archive as an input would be read while it grows.
fn refuse_itself(archive: &Path, inputs: &Inputs) -> anyhow::Result<()> {
    let Ok(archive) = fs::canonicalize(archive) else { return Ok(()) };
    match inputs.paths.iter().find(|input| fs::canonicalize(input).is_ok_and(|input| input == archive)) {
        Some(input) => bail!("{}: is the archive itself", shown(input)),
        None => Ok(()),
    }
}

fn begin(path: &Path) -> anyhow::Result<Addition> {
    let shown = shown(path);
    let addition = Addition::begin(path).map_err(|error| match error {
        AdditionError::Io(error) if error.kind() == std::io::ErrorKind::NotFound => {
            anyhow!("{shown}: there is no such archive (pgc pack makes one)")
        }
        AdditionError::Empty => anyhow!("{shown}: is empty: pgc pack -f makes an archive"),
        AdditionError::Foreign => anyhow!("{shown}: is no archive of pgc, {}", advice(path)),
        AdditionError::Archive(error) => {
            anyhow::Error::from(convert::Error::from(error)).context(format!("{shown}: nothing is added to it"))
        }
        error => anyhow::Error::from(error).context(shown.clone()),
    })?;
    let cut = addition.before().unfinished;
    if cut > 0 {
        note(&format!("{shown}: an unfinished addition of {} was cut off", counted(cut, "byte", "bytes")));
    }
    Ok(addition)
}

/// What to do with a file that is not ours, by what it is.
fn advice(path: &Path) -> &'static str {
    let mut begin = [0; 8];
    let read = fs::File::open(path).and_then(|mut file| std::io::Read::read(&mut file, &mut begin));
    let begin = &begin[..read.unwrap_or(0)];
    match begin.first() {
        Some(0x1f | 0x28 | 0x42 | 0xfd) => "perhaps a compressed one: decompress it first",
        Some(0..=10) => "but PGC of another program: pgc unpack it, and pgc pack the PGN",
        _ => "and only such can be added to (pgc pack makes one of PGN)",
    }
}

fn report(args: &Add, inputs: &Inputs) -> anyhow::Result<Option<Report>> {
    let Some(path) = args.report.as_deref() else { return Ok(None) };
    if is_stdin(path) {
        if args.json {
            bail!("--report -: standard output is taken already");
        }
        return Ok(Some(Report::stdout()));
    }
    let mut kept = inputs.paths.clone();
    kept.push(args.archive.clone());
    Report::create(path, args.force, &kept).map(Some)
}

struct Job<'a> {
    args: &'a Add,
    bar: Bar,
    findings: Findings,
    totals: Totals,
    addition: Addition,
}

impl Job<'_> {
    fn all(&mut self, inputs: &Inputs, counter: &Counter) -> anyhow::Result<()> {
        for path in &inputs.paths {
            let input = open_input(path, STDIN_NAME, counter)?;
            let in_zip = input.sources() > 1;
            for source in input {
                let source = source.with_context(|| shown(path))?;
                let label = if in_zip { format!("{}: {}", shown(path), source.name) } else { shown(path) };
                self.one(source, &label)?;
            }
        }
        if interrupt::requested() {
            return Err(convert::Error::Cancelled.into());
        }
        Ok(())
    }

    fn one(&mut self, source: Source, label: &str) -> anyhow::Result<()> {
        let options = PackOptions { verify: !self.args.no_verify, threads: self.args.run.threads(), standard: None };
        let mut reader = Tolerant::new(source.reader, true);
        let mut watch = Watch { bar: &self.bar, findings: Some(&mut self.findings), source: &source.name };
        let packed = convert::pack(&mut reader, &source.name, &mut self.addition, &options, &mut watch);
        let summary = packed.with_context(|| label.to_owned())?;
        if let Some(error) = reader.truncated {
            let games = counted(summary.games, "game was", "games were");
            bail!("{label}: {error}: {games} read before that, and none is added");
        }
        self.totals.add(&summary);
        Ok(())
    }

    fn end(mut self, result: anyhow::Result<()>) -> anyhow::Result<Exit> {
        let name = shown(&self.args.archive);
        let committed = result.and_then(|()| self.addition.commit().with_context(|| name.clone()));
        let Job { args, findings, totals, addition, .. } = self;
        let before = addition.before();
        // What failed is cut off now, before anything is said.
        drop(addition);
        if let Some(report) = findings.report.filter(|_| !interrupt::requested()) {
            let report = report.finish(&totals.json(Some(&name), committed.is_ok()));
            if committed.is_ok() {
                report.context("the report could not be written")?;
            }
        }
        if !args.run.quiet && !interrupt::requested() {
            findings.shown.iter().for_each(|line| note_line(line));
            if findings.hidden > 0 {
                note_line(&format!("... and {} more (--report FILE lists all)", findings.hidden));
            }
        }
        let length = committed?;
        if args.json {
            let mut value = totals.json(Some(&name), true);
            value["archive_games"] = before.games.saturating_add(totals.sum.games).into();
            value["archive_bytes"] = length.into();
            print_json(&value)?;
        } else if !args.run.quiet {
            totals.lines(&format!("{name}: added")).iter().for_each(|line| note_line(line));
            let games = before.games.saturating_add(totals.sum.games);
            note_line(&format!("  now {} in {} bytes", counted(games, "game", "games"), grouped(length)));
        }
        std::io::stdout().flush()?;
        Ok(Exit::Done)
    }
}
