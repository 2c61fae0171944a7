//! `pgc try`.

use std::io::{BufWriter, Seek, Write};
use std::path::Path;

use anyhow::bail;
use pgc::{NoHooks, PackOptions};
use pgc_io::input::Counter;
use pgc_io::temp::TempFile;

use super::archive::{self, open_input};
use super::args::TryArgs;
use super::failure::{Exit, WithName};
use super::info::kind_lines;
use super::inputs::note_hidden;
use super::mistaken::refuse_pgc;
use super::output::{is_stdin, print_lines, shown};
use super::summary::RunTotals;
use super::test::same_bytes;
use super::watch::{Bar, Findings, Watch};

pub(super) fn run(args: &TryArgs) -> anyhow::Result<Exit> {
    let exit = archive::for_each(&args.inputs, |path| one(args, path))?;
    if exit == Exit::Done
        && !args.run.quiet
        && let Some(path) = args.inputs.first()
    {
        next_steps(path)?;
    }
    Ok(exit)
}

fn one(args: &TryArgs, path: &Path) -> anyhow::Result<Exit> {
    if is_stdin(path) {
        bail!("standard input cannot be read twice: give a file");
    }
    let counter = Counter::default();
    let mut input = open_input(path, "", &counter)?;
    let bar = Bar::new(input.raw_len(), &counter, args.run.quiet);
    let archive = TempFile::new_in(std::env::temp_dir())?;
    let (mut totals, mut findings) = (RunTotals::new(), Findings::default());
    let options = PackOptions {
        threads: args.run.jobs,
        ..PackOptions::default()
    };
    let mut out = BufWriter::new(&archive);
    for source in input.by_ref() {
        let (mut source, encoding) = refuse_pgc(source.at(path)?).at(path)?;
        let options = PackOptions {
            encoding,
            ..options.clone()
        };
        let mut watch = Watch {
            bar: &bar,
            findings: Some(&mut findings),
            source: &shown(path),
        };
        let summary = pgc::pack(
            &mut source.reader,
            &source.name,
            &mut out,
            &options,
            &mut watch,
        );
        totals.add(&summary.at(path)?);
    }
    note_hidden(&input, path, args.run.quiet);
    out.flush()?;
    drop(out);
    bar.finish();
    let mut lines = std::mem::take(&mut findings.shown);
    lines.extend(totals.lines(&shown(path)));
    say(args, &lines)?;
    (&archive).rewind()?;
    let bar = Bar::new(None, &Counter::default(), args.run.quiet);
    same_bytes(&mut &archive, path, &bar, args.run.jobs).at(path)?;
    say(args, &["  unpacked again: the same bytes".to_owned()])?;
    (&archive).rewind()?;
    let (_, breakdown, _) = pgc::unpack::info(&mut &archive, &mut NoHooks)?;
    say(args, &kind_lines(&breakdown))?;
    Ok(Exit::Done)
}

fn say(args: &TryArgs, lines: &[String]) -> std::io::Result<()> {
    print_lines(lines.iter().filter(|_| !args.run.quiet))
}

fn next_steps(path: &Path) -> std::io::Result<()> {
    let path = shown(path);
    print_lines([
        "",
        "What to try next:",
        &format!("  pgc pack {path} -o games.pgc     keep it as an archive"),
        &format!("  pgc pack --small {path} -o games.pgcz   the same in less space"),
        "  pgc unpack games.pgc -c | less     the same bytes again",
        "  pgc unpack --export games.pgc -c   the games in the export format of the 1994 standard",
        "  pgc test games.pgc                 check every checksum, every move, the digest of the source",
        "  pgc --help                         everything else",
    ])
}
