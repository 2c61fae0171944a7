//! `pgc test` and `pgc try`: proofs that an archive gives its sources back.

use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::Path;

use anyhow::bail;
use pgc::beside::index_path;
use pgc::indexing::Indexing;
use pgc::unpack::test_indexed;
use pgc::{NoHooks, PackOptions, Sink, SourceInfo, TestDepth, TestOptions, UnpackOptions};
use pgc_io::input::{Counter, Input, Source};
use pgc_io::temp::TempFile;
use pgc_io::{Format, named};
use serde_json::{Value, json};

use crate::args::{TestArgs, TryArgs};
use crate::commands::index::{Against, Same, verify};
use crate::commands::info;
use crate::commands::recovery::Covered;
use crate::failure::{self, Exit, WithName};
use crate::files::archive::{self, open_input};
use crate::files::encodings::AskedEncoding;
use crate::files::indexed;
use crate::files::inputs::{STDIN_NAME, note_hidden};
use crate::files::mistaken::{Given, sorted_out};
use crate::files::still::{Stamp, TRIES};
use crate::interrupt;
use crate::show::output::{
    counted, hex, is_stdin, note, print_json, print_line, print_lines, shown,
};
use crate::show::summary::{self, RunTotals, source_json, total};
use crate::show::watch::{ArchiveWatch, Bar, Findings, Watch};

pub(crate) fn run(args: &TestArgs) -> anyhow::Result<Exit> {
    let paths = archive::collection(&args.of.archives)?;
    if args.against.is_some() && (paths.len() > 1 || is_stdin(&paths[0])) {
        bail!("--against works on one archive file, since the archive is read twice");
    }
    archive::for_each(&paths, |path| one(args, path))
}

fn one(args: &TestArgs, path: &Path) -> anyhow::Result<Exit> {
    let result = steadily(args, path);
    let exit = result.as_ref().map_or(Exit::Done, |checked| checked.exit);
    if args.work.json {
        let value = match &result {
            Ok(checked) => json!({
                "archive": path.display().to_string(),
                "ok": exit == Exit::Done,
                "quick": args.quick,
                "index_compared": checked.index_compared,
                "unfinished": checked.unfinished,
                "sources": checked.sources.iter().map(source_json).collect::<Vec<_>>(),
                "gaps": checked.gaps,
            }),
            Err(error) if failure::is_quiet(error) => return result.map(|_| Exit::Done),
            Err(error) => json!({
                "archive": path.display().to_string(),
                "ok": false,
                "error": format!("{error:#}"),
            }),
        };
        print_json(&value)?;
    }
    let checked = result?;
    if !args.work.json {
        if !args.work.run.quiet {
            print_line(&line(args, path, &checked))?;
            if let Some(what) = Covered::beside(path).and_then(|covered| covered.complaint()) {
                note(&what);
            }
        }
        for source in &checked.sources {
            if let Some(sha256) = &source.sha256 {
                print_line!("  sha256 {}  {}", hex(sha256), source.name)?;
            }
        }
    }
    Ok(exit)
}

/// What was found.
struct CheckedArchive {
    sources: Vec<SourceInfo>,
    /// Length of an unfinished addition.
    unfinished: u64,
    gaps: Vec<Value>,
    exit: Exit,
    has_index: bool,
    index_compared: bool,
}

fn line(args: &TestArgs, path: &Path, checked: &CheckedArchive) -> String {
    let (path, sum) = (shown(path), total(&checked.sources));
    if checked.exit != Exit::Done {
        let missing = summary::missing(&checked.sources, &checked.gaps);
        return format!("{path}: damaged: {missing}");
    }
    let only = match (args.quick, checked.has_index == checked.index_compared) {
        (false, true) => "",
        (false, false) => " (an index of a later version is not compared with the games)",
        (true, true) => " (lengths and checksums)",
        (true, false) => " (lengths and checksums; the index was not compared with the games)",
    };
    let (sources, games) = (checked.sources.len() as u64, summary::games(&sum));
    let (sources, plies) = (counted(sources, "source"), counted(sum.plies, "ply"));
    let bytes = counted(sum.bytes_in, "byte");
    let same = args.against.as_deref().map(shown);
    let same = same.map_or(String::new(), |path| format!(", the same as {path}"));
    format!("{path}: ok{only}: {sources}, {games}, {plies}, {bytes}{same}")
}

/// Checks an archive. Starts again if another program changed the archive or its index meanwhile:
/// then one was perhaps read before the change, the other after it.
fn steadily(args: &TestArgs, path: &Path) -> anyhow::Result<CheckedArchive> {
    if is_stdin(path) {
        return check(args, path);
    }
    for _ in 0..TRIES {
        let before = Stamp::new(path);
        let result = check(args, path);
        if result.is_ok() || interrupt::requested() || !before.has_changed() {
            return result;
        }
    }
    let path = shown(path);
    bail!("{path}: other programs keep changing it: test it again later")
}

/// Checks an archive.
fn check(args: &TestArgs, path: &Path) -> anyhow::Result<CheckedArchive> {
    let counter = Counter::default();
    let mut source = archive::open(path, &counter)?;
    let bar = Bar::new(source.raw_len, &counter, args.work.run.quiet);
    let mut watch = ArchiveWatch::new(shown(path), Some(&bar));
    let place = index_path(path);
    let has_index = !is_stdin(path) && source.format == Format::Plain && place.is_file();
    let can_compare = has_index && !args.quick && !args.deep;
    let index = can_compare.then(|| Against::new(path, &place, &args.work).ok());
    let index = index.flatten();
    let mut again = index.map(|index| (Indexing::new(index.build()), index));
    let options = TestOptions {
        depth: match (args.quick, args.deep) {
            (true, _) => TestDepth::Quick,
            (_, true) => TestDepth::Deep,
            _ => TestDepth::Text,
        },
        sha256: args.sha256,
        passes_damage: true,
        threads: args.work.run.jobs,
    };
    let indexing = again.as_mut().map(|(indexing, _)| indexing);
    let result = test_indexed(&mut source.reader, &options, &mut watch, indexing);
    bar.finish();
    let sources = result.at(path)?;
    let mut checked = CheckedArchive {
        sources,
        unfinished: watch.unfinished,
        exit: watch.exit(),
        gaps: watch.gaps,
        has_index,
        index_compared: false,
    };
    if checked.exit != Exit::Done {
        // With a damaged archive neither its index nor another file can be compared.
        return Ok(checked);
    }
    match again {
        Some((indexing, index)) => {
            index.compare(|out| indexed::finish(indexing, out).at(path))?;
            checked.index_compared = index.is_comparable();
        }
        None if has_index && args.quick => Against::new(path, &place, &args.work)?.structure()?,
        None if has_index => checked.index_compared = verify(path, &place, &args.work)?.1,
        None => {}
    }
    if let Some(against) = &args.against {
        compare(args, path, against)?;
    }
    Ok(checked)
}

/// Unpacks the archive again and compares it with the file of --against.
fn compare(args: &TestArgs, path: &Path, against: &Path) -> anyhow::Result<()> {
    let counter = Counter::default();
    let mut source = archive::open(path, &counter)?;
    let bar = Bar::new(source.raw_len, &counter, args.work.run.quiet);
    same_bytes(
        (path, &mut source.reader),
        against,
        &bar,
        args.work.run.jobs,
    )
}

/// Unpacks an archive and compares the text with the sources of another file, in order.
fn same_bytes(
    (path, archive): (&Path, &mut (dyn Read + Send)),
    other: &Path,
    bar: &Bar,
    threads: usize,
) -> anyhow::Result<()> {
    let mut same = Same::new(SourceChain {
        input: open_input(other, STDIN_NAME, &Counter::default())?,
        current: None,
        path: shown(other),
    });
    let options = UnpackOptions {
        threads,
        ..UnpackOptions::default()
    };
    let result = pgc::unpack(archive, &mut same, &options, &mut Watch::silent(bar));
    bar.finish();
    let (other, at) = (shown(other), same.at);
    let what = match (same.is_other, same.is_short) {
        (true, true) => format!("unpacks to more than the {at} bytes of {other}"),
        (true, false) => {
            format!("differs from {other} at byte {at} (of the unpacked text, from 0)")
        }
        (false, _) => {
            result.at(path)?;
            if same.other.read(&mut [0])? == 0 {
                return Ok(());
            }
            format!("unpacks to {at} bytes, but {other} goes on")
        }
    };
    Err(Exit::Damaged.error(what)).at(path)
}

/// Compares the unpacked text with the sources of an input, up to the first difference.
impl Sink for Same<SourceChain> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.goes_on(bytes)? {
            true => Ok(()),
            false => Err(io::Error::other("different")),
        }
    }
}

/// Reads all sources of an input, one after another.
struct SourceChain {
    input: Input,
    current: Option<Source>,
    /// The name of the input in errors.
    path: String,
}

impl Read for SourceChain {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(source) = &mut self.current {
                let count = source.reader.read(buf);
                let count = count.map_err(|error| named(error, &self.path))?;
                if count > 0 {
                    return Ok(count);
                }
            }
            match self.input.next() {
                Some(source) => {
                    self.current = Some(source.map_err(|error| named(error, &self.path))?);
                }
                None => return Ok(0),
            }
        }
    }
}

pub(crate) fn run_try(args: &TryArgs) -> anyhow::Result<Exit> {
    let exit = archive::for_each(&args.inputs, |path| try_one(args, path))?;
    if exit == Exit::Done
        && !args.run.quiet
        && let Some(path) = args.inputs.first()
    {
        next_steps(path)?;
    }
    Ok(exit)
}

fn try_one(args: &TryArgs, path: &Path) -> anyhow::Result<Exit> {
    if is_stdin(path) {
        bail!("standard input cannot be read twice: give a file");
    }
    let counter = Counter::default();
    let mut input = open_input(path, "", &counter)?;
    let bar = Bar::new(input.raw_len(), &counter, args.run.quiet);
    let archive = TempFile::new_in(std::env::temp_dir())?;
    let (mut totals, mut findings) = (RunTotals::new(), Findings::default());
    let mut out = BufWriter::new(&archive);
    for source in input.by_ref() {
        let given = sorted_out(source.at(path)?, AskedEncoding::Recognised, None);
        let Given::Pgn(mut source, encoding) = given.at(path)?.0 else {
            bail!("{}: is already an archive", shown(path));
        };
        let options = PackOptions {
            threads: args.run.jobs,
            encoding,
            ..PackOptions::default()
        };
        let mut watch = Watch {
            bar: &bar,
            findings: Some(&mut findings),
            source: &shown(path),
        };
        let (text, name) = (&mut source.reader, &source.name);
        totals.add(&pgc::pack(text, name, &mut out, &options, &mut watch).at(path)?);
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
    same_bytes((path, &mut &archive), path, &bar, args.run.jobs)?;
    say(args, &["  unpacked again: the same bytes".to_owned()])?;
    (&archive).rewind()?;
    let (_, breakdown, _) = pgc::unpack::info(&mut &archive, false, &mut NoHooks)?;
    say(args, &info::kind_lines(&breakdown))?;
    Ok(Exit::Done)
}

fn say(args: &TryArgs, lines: &[String]) -> io::Result<()> {
    print_lines(lines.iter().filter(|_| !args.run.quiet))
}

fn next_steps(path: &Path) -> io::Result<()> {
    let path = shown(path);
    let (pack, small) = (
        format!("pgc pack {path} -o games.pgc"),
        format!("pgc pack --small {path} -o games.pgcz"),
    );
    let steps = [
        (&*pack, "keep the games in an archive"),
        (&*small, "the same in less space"),
        ("pgc unpack games.pgc -c | less", "the same bytes again"),
        ("pgc find games.pgc -p NAME", "the games of a player"),
        ("pgc view games.pgc 1", "a game on a board"),
        ("pgc test games.pgc", "whether the archive is undamaged"),
        ("pgc help", "everything else"),
    ];
    let widest = steps.iter().map(|step| step.0.chars().count()).max();
    let width = widest.unwrap_or_default();
    let lines = steps.map(|(command, what)| format!("  {command:<width$}   {what}"));
    print_lines(["", "What to try next:"])?;
    print_lines(lines)
}
