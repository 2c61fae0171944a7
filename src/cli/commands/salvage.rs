//! `pgc salvage`.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use pgc::beside::index_path;
use pgc::salvage::salvage;
use pgc_io::input::{Counter, Source};
use pgc_io::output::Output;
use serde_json::{Value, json};

use crate::args::SalvageArgs;
use crate::commands::index::make;
use crate::failure::{Exit, GraveError, WithName};
use crate::files::archive::open_input;
use crate::files::destination;
use crate::files::indexed::NewArchive;
use crate::files::mistaken;
use crate::interrupt;
use crate::show::output::{counted, is_stdin, shown};
use crate::show::summary::{self, source_json};
use crate::show::watch::{ArchiveWatch, Bar, Report};

pub(crate) fn run(args: &SalvageArgs) -> anyhow::Result<Exit> {
    if is_stdin(&args.output) {
        bail!("salvage writes a file, not standard output: name it with -o");
    }
    destination::refuse_other_ending(&args.output)?;
    let new = NewArchive::new(&args.output, !args.to.no_index, args.to.force)?;
    let inputs = std::slice::from_ref(&args.archive);
    let report = args.report.as_deref();
    for output in [&args.output, &index_path(&args.output)] {
        destination::refuse_same(report, Some(output))?;
    }
    let report = Report::open(report, args.work.json, args.to.force, inputs)?;
    let mut output = new.create(inputs)?;
    let started = Instant::now();
    let saved = saved(args, &mut output, report)?;
    let seconds = started.elapsed().as_secs_f64();
    let mut games = 0;
    let indexed = new.place(output, |file, out| {
        let options = args.work.index(new.path, args.to.lines());
        let (bytes, count) = make((new.path, file), &options, out, args.work.run.quiet)?;
        games = count;
        Ok(bytes)
    })?;
    if let Some(report) = saved.report {
        report
            .finish(&saved.value)
            .context("the report could not be written")?;
    }
    let index = new.told(indexed?, games);
    let speed = summary::speed(saved.bytes, seconds);
    let line = format!("{}: {}; {speed}", shown(&args.output), saved.line);
    summary::tell(&args.work, saved.value, &[line], index)?;
    new.tell_left(args.work.run.quiet);
    Ok(saved.exit)
}

/// What was saved, as a report, as JSON and as a line.
struct SavedArchive {
    report: Option<Report>,
    value: Value,
    line: String,
    /// Bytes read.
    bytes: u64,
    exit: Exit,
}

/// Opens what the archive is saved from.
fn opened(args: &SalvageArgs, counter: &Counter) -> anyhow::Result<(Source, Bar)> {
    let mut input = open_input(&args.archive, "stdin.pgc", counter)?;
    let source = input.next().context("no source")?.at(&args.archive)?;
    let bar = Bar::new(source.raw_len, counter, args.work.run.quiet);
    Ok((source, bar))
}

/// Writes the blocks that can be saved.
fn saved(
    args: &SalvageArgs,
    output: &mut Output,
    report: Option<Report>,
) -> anyhow::Result<SavedArchive> {
    let counter = Counter::default();
    let (mut source, bar) = opened(args, &counter)?;
    let mut watch = ArchiveWatch::passing(shown(&args.archive), Some(&bar));
    watch.report = report;
    let form = destination::form_of(&args.output);
    let (reader, jobs) = (&mut source.reader, args.work.run.jobs);
    let sources = salvage(reader, output, form, jobs, &mut watch);
    bar.finish();
    let sources = sources.at(&args.archive)?;
    interrupt::cancelled()?;
    let missing = summary::missing(&sources, &watch.gaps);
    // A whole source may be empty.
    let is_empty = watch.progressed == 0 && sources.iter().all(|source| source.damage.is_some());
    let lacks_games = watch.gaps.iter().any(|gap| gap["games"].as_u64() > Some(0));
    if is_empty && (!sources.is_empty() || lacks_games) {
        let archive = shown(&args.archive);
        let what = format!("{archive}: no whole block was found, nothing was written: {missing}");
        return Err(GraveError(what).into());
    }
    if is_empty {
        return Err(nothing_found(&args.archive));
    }
    let line = format!("{}; {missing}", counted(sources.len() as u64, "source"));
    let exit = watch.exit();
    let value = json!({
        "archive": args.archive.display().to_string(),
        "output": args.output.display().to_string(),
        "whole": exit == Exit::Done,
        "gaps": watch.gap_count,
        "sources": sources.iter().map(source_json).collect::<Vec<_>>(),
    });
    Ok(SavedArchive {
        report: watch.report,
        value,
        line,
        bytes: counter.bytes(),
        exit,
    })
}

/// Why nothing is saved from a file in which no part of an archive was found.
fn nothing_found(archive: &Path) -> anyhow::Error {
    let shown = shown(archive);
    match mistaken::what_is(archive) {
        Some(other) => anyhow!("{shown}: no part of an archive was found{other}"),
        None => {
            let what = "no part of an archive that pgc made was found (PGC of other programs has no checksums, and cannot be saved)";
            GraveError(format!("{shown}: {what}")).into()
        }
    }
}
