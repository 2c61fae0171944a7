//! `pgc test`.

use std::io::{self, Read};
use std::path::Path;

use anyhow::bail;
use pgc::beside::index_path;
use pgc::indexing::Indexing;
use pgc::{Sink, SourceInfo, UnpackOptions};
use pgc_io::input::{Counter, Input, Source};
use pgc_io::{Format, named};
use serde_json::{Value, json};

use super::archive::{self, open_input};
use super::args::TestArgs;
use super::failure::{self, Exit, GraveError, WithName};
use super::index::{Against, Same, verify};
use super::indexed;
use super::inputs::STDIN_NAME;
use super::interrupt;
use super::output::{counted, hex, is_stdin, note, print_json, print_line, shown};
use super::recovery::Covered;
use super::still::{Stamp, TRIES};
use super::summary::{self, source_json, total};
use super::watch::{ArchiveWatch, Bar, Watch};

pub(super) fn run(args: &TestArgs) -> anyhow::Result<Exit> {
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
                "index_compared": checked.has_index && !args.quick,
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
}

fn line(args: &TestArgs, path: &Path, checked: &CheckedArchive) -> String {
    let sources = &checked.sources;
    let sum = total(sources);
    if checked.exit != Exit::Done {
        let missing = summary::missing(sources, &checked.gaps);
        return format!("{}: damaged: {missing}", shown(path));
    }
    format!(
        "{}: ok{}: {}, {}, {}, {}{}",
        shown(path),
        match (args.quick, checked.has_index) {
            (false, _) => "",
            (true, false) => " (lengths and checksums)",
            (true, true) => " (lengths and checksums; the index was not compared with the games)",
        },
        counted(sources.len() as u64, "source"),
        summary::games(&sum),
        counted(sum.plies, "ply"),
        counted(sum.bytes_in, "byte"),
        args.against
            .as_deref()
            .map(|against| format!(", the same as {}", shown(against)))
            .unwrap_or_default()
    )
}

/// Checks an archive. Starts again if another program changed the archive or its index meanwhile:
/// then one was perhaps read before the change, the other after it.
fn steadily(args: &TestArgs, path: &Path) -> anyhow::Result<CheckedArchive> {
    if is_stdin(path) {
        return check(args, path);
    }
    for _ in 0..TRIES {
        let before = Stamp::of(path);
        let result = check(args, path);
        if result.is_ok() || interrupt::requested() || !before.has_changed() {
            return result;
        }
    }
    bail!(
        "{}: other programs keep changing it: test it again later",
        shown(path)
    )
}

/// Checks an archive.
fn check(args: &TestArgs, path: &Path) -> anyhow::Result<CheckedArchive> {
    let counter = Counter::default();
    let mut source = archive::open(path, &counter)?;
    let bar = Bar::new(source.raw_len, &counter, args.work.run.quiet);
    let mut watch = ArchiveWatch::passing(shown(path), Some(&bar));
    let (place, threads) = (index_path(path), args.work.run.jobs);
    let has_index = !is_stdin(path) && source.format == Format::Plain && place.is_file();
    let mut again = match has_index && !args.quick && !args.deep {
        true => Against::new(path, &place, &args.work)
            .ok()
            .filter(Against::goes_with_text),
        false => None,
    }
    .map(|index| (Indexing::new(index.build()), index));
    let result = match &mut again {
        Some((indexing, _)) => pgc::unpack::test_indexed(
            &mut source.reader,
            args.sha256,
            threads,
            &mut watch,
            indexing,
        ),
        None if args.deep => {
            pgc::unpack::test_deep(&mut source.reader, args.sha256, threads, &mut watch)
        }
        None => pgc::test(
            &mut source.reader,
            args.quick,
            args.sha256,
            threads,
            &mut watch,
        ),
    };
    bar.finish();
    let sources = result.at(path)?;
    if counter.bytes() == 0 {
        bail!("{}: is empty, and no archive", shown(path));
    }
    let checked = CheckedArchive {
        sources,
        unfinished: watch.unfinished,
        exit: watch.exit(),
        gaps: watch.gaps,
        has_index,
    };
    if checked.exit != Exit::Done {
        // With a damaged archive neither its index nor another file can be compared.
        return Ok(checked);
    }
    match again {
        Some((indexing, index)) => index
            .compare(|out| indexed::finish(indexing, out).at(path))
            .map(drop)?,
        None if has_index && args.quick => Against::new(path, &place, &args.work)?.structure()?,
        None if has_index => drop(verify(path, &place, &args.work)?),
        None => {}
    }
    if let Some(against) = &args.against {
        compare(args, path, against).at(path)?;
    }
    Ok(checked)
}

/// Unpacks the archive again and compares it with the file of --against.
fn compare(args: &TestArgs, path: &Path, against: &Path) -> anyhow::Result<()> {
    let counter = Counter::default();
    let mut source = archive::open(path, &counter)?;
    let bar = Bar::new(source.raw_len, &counter, args.work.run.quiet);
    same_bytes(&mut source.reader, against, &bar, args.work.run.jobs)
}

/// Unpacks an archive and compares the text with the sources of another file, in order.
pub(super) fn same_bytes(
    archive: &mut (dyn Read + Send),
    other: &Path,
    bar: &Bar,
    threads: usize,
) -> anyhow::Result<()> {
    let mut sink = Compare {
        path: shown(other),
        same: Same::new(SourceChain {
            input: open_input(other, STDIN_NAME, &Counter::default())?,
            current: None,
        }),
        different: None,
    };
    let options = UnpackOptions {
        threads,
        ..UnpackOptions::default()
    };
    let result = pgc::unpack(archive, &mut sink, &options, &mut Watch::silent(bar));
    bar.finish();
    sink.finish(result.map(drop))
}

/// Compares the unpacked text with the sources of an input.
struct Compare {
    path: String,
    same: Same<SourceChain>,
    different: Option<GraveError>,
}

impl Compare {
    /// The outcome: a difference, the failure of unpacking, or an input that is longer.
    fn finish(mut self, result: Result<(), pgc::Error>) -> anyhow::Result<()> {
        if let Some(different) = self.different {
            return Err(different.into());
        }
        result?;
        let (path, length) = (self.path, self.same.at);
        if self.same.other.read(&mut [0]).named(|| path.clone())? > 0 {
            let text = format!("unpacks to {length} bytes, but {path} goes on");
            return Err(GraveError(text).into());
        }
        Ok(())
    }
}

impl Sink for Compare {
    fn begin(&mut self, _name: Option<&str>) -> io::Result<()> {
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let goes_on = self.same.goes_on(bytes);
        if goes_on.map_err(|error| named(error, &self.path))? {
            return Ok(());
        }
        let (path, at) = (&self.path, self.same.at);
        self.different = Some(GraveError(match self.same.is_short {
            true => format!("unpacks to more than the {at} bytes of {path}"),
            false => format!("differs from {path} at byte {at} (of the unpacked text, from 0)"),
        }));
        Err(io::Error::other("different"))
    }

    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads all sources of an input, one after another.
struct SourceChain {
    input: Input,
    current: Option<Source>,
}

impl Read for SourceChain {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(source) = &mut self.current {
                let count = source.reader.read(buf)?;
                if count > 0 {
                    return Ok(count);
                }
            }
            match self.input.next() {
                Some(source) => self.current = Some(source?),
                None => return Ok(0),
            }
        }
    }
}
