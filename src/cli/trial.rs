//! `pgc try`.

use std::io::{BufWriter, Seek, Write};
use std::path::Path;

use anyhow::bail;
use pgc::io::input::Counter;
use pgc::io::temp::TempFile;
use pgc::{NoHooks, PackOptions, UnpackOptions};

use super::archive::{self, open_input};
use super::args::Try;
use super::exit::Exit;
use super::failure::Named;
use super::info::kind_lines;
use super::inputs::is_stdin;
use super::mistaken::refuse_pgc;
use super::output::{print_line, shown};
use super::progress::Bar;
use super::summary::Totals;
use super::test::Compare;
use super::watch::{Findings, Watch};

pub(super) fn run(args: &Try) -> anyhow::Result<Exit> {
    let exit = archive::for_each(&args.inputs, |path| one(args, path));
    if exit == Exit::Done
        && let Some(path) = args.inputs.first()
    {
        next_steps(path)?;
    }
    Ok(exit)
}

fn one(args: &Try, path: &Path) -> anyhow::Result<Exit> {
    if is_stdin(path) {
        bail!("standard input cannot be read twice: give a file");
    }
    let counter = Counter::default();
    let input = open_input(path, "", &counter)?;
    let bar = Bar::new(input.raw_len(), &counter, args.run.quiet);
    let mut archive = TempFile::new_in(&std::env::temp_dir())?;
    let (mut totals, mut findings) = (Totals::new(), Findings::default());
    let options = PackOptions {
        threads: args.run.threads(),
        ..PackOptions::default()
    };
    let mut out = BufWriter::new(&archive);
    for source in input {
        let mut source = refuse_pgc(source.named(|| shown(path))?).named(|| shown(path))?;
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
        totals.add(&summary.named(|| shown(path))?);
    }
    out.flush()?;
    drop(out);
    bar.finish();
    for line in findings.shown.iter().chain(&totals.lines(&shown(path))) {
        print_line(line)?;
    }
    archive.rewind()?;
    same_bytes(args, path, &mut archive)?;
    print_line("  unpacked again: the same bytes")?;
    archive.rewind()?;
    for line in kind_lines(&pgc::archive::unpack::run::info(&mut archive, &mut NoHooks)?.1) {
        print_line(&line)?;
    }
    Ok(Exit::Done)
}

fn same_bytes(args: &Try, path: &Path, archive: &mut TempFile) -> anyhow::Result<()> {
    let counter = Counter::default();
    let bar = Bar::new(None, &counter, args.run.quiet);
    let mut sink = Compare::new(path, open_input(path, "", &counter)?);
    let options = UnpackOptions {
        threads: args.run.threads(),
        ..UnpackOptions::default()
    };
    let mut watch = Watch {
        bar: &bar,
        findings: None,
        source: "",
    };
    let result = pgc::unpack(archive, &mut sink, &options, &mut watch);
    bar.finish();
    sink.finish(result.map(drop)).named(|| shown(path))
}

fn next_steps(path: &Path) -> std::io::Result<()> {
    let path = shown(path);
    print_line("")?;
    print_line("What to try next:")?;
    print_line(&format!(
        "  pgc pack {path} -o games.pgc     keep it as an archive"
    ))?;
    print_line("  pgc unpack games.pgc -c | less     the same bytes again")?;
    print_line(
        "  pgc unpack --export games.pgc -c   the games as the 1994 standard lays them out",
    )?;
    print_line(
        "  pgc test games.pgc                 every checksum, every move, the digest of the source",
    )?;
    print_line("  pgc --help                         everything else")
}
