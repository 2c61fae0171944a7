//! `pgc salvage`.

use std::time::Instant;

use anyhow::{Context, bail};
use pgc::SourceInfo;
use pgc::internals::archive::{index_path, salvage};
use pgc::internals::io::Counter;
use serde_json::json;

use super::args::SalvageArgs;
use super::destination;
use super::exit::Exit;
use super::failure::WithName;
use super::gaps;
use super::index::make;
use super::indexed;
use super::interrupt;
use super::open::{is_stdin, open_input};
use super::output::{counted, shown};
use super::progress::Bar;
use super::report::Report;
use super::summary::{self, source_json};
use super::watch::ArchiveWatch;

pub(super) fn run(args: &SalvageArgs) -> anyhow::Result<Exit> {
    if is_stdin(&args.output) {
        bail!("salvage writes a file, not standard output: name it with -o");
    }
    let place = index_path(&args.output);
    if !args.to.no_index {
        // Checked before the work, so that a refusal costs nothing.
        indexed::may_replace(&place, args.to.force)?;
    }
    let inputs = std::slice::from_ref(&args.archive);
    let report = args.report.as_deref();
    for output in [&args.output, &place] {
        destination::refuse_same(report, Some(output))?;
    }
    let report = Report::open(report, args.work.json, args.to.force, inputs)?;
    let mut output = destination::create(&args.output, args.to.force, inputs)?;
    if output.is_stream() {
        bail!("{}: is not a file", shown(&args.output));
    }
    let started = Instant::now();
    let counter = Counter::default();
    let mut input = open_input(&args.archive, "stdin.pgc", &counter)?;
    let mut source = input
        .next()
        .context("no source")?
        .named(|| shown(&args.archive))?;
    let bar = Bar::new(source.raw_len, &counter, args.work.run.quiet);
    let mut watch = ArchiveWatch::passing(shown(&args.archive), Some(&bar));
    watch.report = report;
    let form = destination::form_of(&args.output);
    let (reader, threads) = (&mut source.reader, args.work.run.jobs);
    let sources = salvage(reader, &mut output, form, threads, &mut watch);
    bar.finish();
    let sources = sources.named(|| shown(&args.archive))?;
    interrupt::cancelled()?;
    if sources.is_empty() {
        bail!("{}: no part of an archive was found", shown(&args.archive));
    }
    let seconds = started.elapsed().as_secs_f64();
    output.commit().named(|| shown(&args.output))?;
    let index = if args.to.no_index {
        None
    } else {
        let options = args.work.index(&place, false);
        let mut games = 0;
        let bytes = indexed::write(&args.output, &place, args.to.force, |output| {
            let (bytes, count) = make(&args.output, &options, output, args.work.run.quiet)?;
            games = count;
            Ok(bytes)
        })?;
        Some((place.as_path(), bytes, games))
    };
    let exit = watch.exit();
    let value = json!({
        "archive": args.archive.display().to_string(),
        "output": args.output.display().to_string(),
        "whole": exit == Exit::Done,
        "gaps": watch.gaps.len(),
        "sources": sources.iter().map(source_json).collect::<Vec<_>>(),
    });
    if let Some(report) = watch.report {
        report
            .finish(&value)
            .context("the report could not be written")?;
    }
    let line = line(args, &sources, counter.bytes(), seconds);
    summary::tell(&args.work, value, &[line], index)?;
    Ok(exit)
}

fn line(args: &SalvageArgs, sources: &[SourceInfo], bytes: u64, seconds: f64) -> String {
    format!(
        "{}: {}; {}; {}",
        shown(&args.output),
        counted(sources.len() as u64, "source", "sources"),
        gaps::total(sources),
        summary::speed(bytes, seconds)
    )
}
