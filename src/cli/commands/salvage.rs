//! `pgc salvage`.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, bail};
use pgc::SourceInfo;
use pgc::beside::index_path;
use pgc::salvage::salvage;
use pgc_io::input::Counter;
use serde_json::json;

use crate::args::SalvageArgs;
use crate::commands::index::make;
use crate::failure::{Exit, WithName};
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
    let (started, counter) = (Instant::now(), Counter::default());
    let mut input = open_input(&args.archive, "stdin.pgc", &counter)?;
    let mut source = input.next().context("no source")?.at(&args.archive)?;
    let bar = Bar::new(source.raw_len, &counter, args.work.run.quiet);
    let mut watch = ArchiveWatch::new(shown(&args.archive), Some(&bar));
    watch.report = report;
    let form = destination::form_of(&args.output);
    let (reader, jobs) = (&mut source.reader, args.work.run.jobs);
    let sources = salvage(reader, &mut output, form, jobs, &mut watch);
    bar.finish();
    let sources = sources.at(&args.archive)?;
    interrupt::cancelled()?;
    refuse_nothing(&args.archive, &sources, &watch)?;
    let seconds = started.elapsed().as_secs_f64();
    let value = json!({
        "archive": args.archive.display().to_string(),
        "output": args.output.display().to_string(),
        "whole": watch.exit() == Exit::Done,
        "gaps": watch.gap_count,
        "sources": sources.iter().map(source_json).collect::<Vec<_>>(),
    });
    let mut games = 0;
    let indexed = new.place(output, |file, out| {
        let options = args.work.index(new.path, args.to.lines());
        let (bytes, count) = make((new.path, file), &options, out, args.work.run.quiet)?;
        games = count;
        Ok(bytes)
    })?;
    let exit = watch.exit();
    let missing = summary::missing(&sources, &watch.gaps);
    if let Some(report) = watch.report {
        let written = report.finish(&value);
        written.context("the report could not be written")?;
    }
    let index = new.told(indexed?, games);
    let speed = summary::speed(counter.bytes(), seconds);
    let output = shown(&args.output);
    let sources = counted(sources.len() as u64, "source");
    let line = format!("{output}: {sources}; {missing}; {speed}");
    summary::tell(&args.work, value, &[line], index)?;
    new.tell_left(args.work.run.quiet);
    Ok(exit)
}

/// Fails if no block was found. (A whole source may be empty.)
fn refuse_nothing(
    archive: &Path,
    sources: &[SourceInfo],
    watch: &ArchiveWatch,
) -> anyhow::Result<()> {
    if watch.progressed > 0 || sources.iter().any(|source| source.damage.is_none()) {
        return Ok(());
    }
    let lacks_games = watch.gaps.iter().any(|gap| gap["games"].as_u64() > Some(0));
    if sources.is_empty() && !lacks_games {
        return Err(nothing_found(archive));
    }
    let (archive, missing) = (shown(archive), summary::missing(sources, &watch.gaps));
    let what = format!("{archive}: no whole block was found, nothing was written: {missing}");
    Err(Exit::Damaged.error(what))
}

/// Why nothing is saved from a file in which no part of an archive was found.
fn nothing_found(archive: &Path) -> anyhow::Error {
    match mistaken::refuse_other_file(archive) {
        Err(other) => other.context("no part of an archive was found"),
        Ok(()) => {
            let archive = shown(archive);
            let what = "no part of an archive that pgc made was found (PGC of other programs has no checksums, and cannot be saved)";
            Exit::Damaged.error(format!("{archive}: {what}"))
        }
    }
}
