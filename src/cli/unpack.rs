//! `pgc unpack`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::bail;
use pgc::{Gap, Sink, UnpackOptions};
use pgc_io::dir::{DirSink, file_path};
use pgc_io::input::Counter;

use super::archive;
use super::args::{DialectName, UnpackArgs};
use super::destination;
use super::failure::{Exit, WithName};
use super::gaps;
use super::interrupt;
use super::output::{counted, counted_as, grouped, is_stdin, printable, shown};
use super::screen::TextOutput;
use super::summary;
use super::watch::{ArchiveWatch, Bar};

/// The most changed names that are listed.
const SHOWN: usize = 20;

pub(super) fn run(args: &UnpackArgs) -> anyhow::Result<Exit> {
    if args.show.pieces.is_some() && !args.export && !args.reduced {
        bail!("--pieces changes the moves: it works only with --export and --reduced");
    }
    if args.null_moves && !args.export && !args.reduced {
        bail!("--null-moves works only with --export and --reduced: the source has its own");
    }
    let options = UnpackOptions {
        export: args.export || args.reduced,
        utf8: args.utf8,
        reduced: args.reduced,
        letters: args.show.pieces,
        null_moves: args.null_moves,
        pgn2pgc: args.dialect == Some(DialectName::Pgn2pgc),
        foreign: args.foreign,
        threads: args.run.jobs,
    };
    let archives = &archive::collection(&args.of.archives)?;
    let stdout = args.stdout || args.output.as_deref().is_some_and(is_stdin);
    let mut gravest = Exit::Done;
    if stdout {
        let mut target = UnpackTarget::new(Destination::Text(Box::new(TextOutput::stdout())), args);
        target.passes = true;
        for path in archives {
            gravest = gravest.max(one(args, path, &mut target, &options, "standard output")?);
        }
        target.commit().named(|| "standard output".to_owned())?;
        return Ok(gravest);
    }
    match &args.output {
        Some(folder) if destination::is_folder(folder) => {
            let mut sink = DirSink::new(folder, args.force).at(folder)?;
            destination::clear(folder);
            sink.protect(archives);
            let to = Destination::Folder(Box::new(sink), String::new());
            let mut target = UnpackTarget::new(to, args);
            for path in archives {
                if let Destination::Folder(_, name) = &mut target.to {
                    *name = unnamed(path);
                }
                gravest = gravest.max(one(args, path, &mut target, &options, &shown(folder))?);
            }
            if let Destination::Folder(sink, _) = &target.to {
                gravest = gravest.max(tell_changed(sink.changed()));
            }
        }
        Some(_) if archives.len() > 1 && !options.export => {
            bail!("several archives: name a folder with -o DIR/, or use -c")
        }
        Some(file) => gravest = to_file(args, archives, file, &options)?,
        None => {
            for path in archives {
                if is_stdin(path) {
                    bail!("standard input has no name: name the output with -o FILE, or use -c");
                }
                let file = destination::beside(path, &destination::ARCHIVES, "pgn");
                gravest = gravest.max(to_file(args, std::slice::from_ref(path), &file, &options)?);
            }
        }
    }
    Ok(gravest)
}

/// Prints the sources whose names had to be changed.
fn tell_changed(changed: &[(String, PathBuf)]) -> Exit {
    for (name, path) in changed.iter().take(SHOWN) {
        let why = match file_path(name) == *name {
            true => "is used already",
            false => "cannot be used for a file here",
        };
        note!("{}: the name of the source, {name:?}, {why}", shown(path));
    }
    if let more @ 1.. = changed.len().saturating_sub(SHOWN) {
        let more = counted_as(more as u64, "name was", "names were");
        note!("... and {more} changed too");
    }
    Exit::partly_if(!changed.is_empty())
}

/// The file name for the text of a stream that names no source.
fn unnamed(archive: &Path) -> String {
    let archive = if is_stdin(archive) {
        Path::new("stdin")
    } else {
        archive
    };
    let path = destination::beside(archive, &destination::ARCHIVES, "pgn");
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn to_file(
    args: &UnpackArgs,
    archives: &[PathBuf],
    file: &Path,
    options: &UnpackOptions,
) -> anyhow::Result<Exit> {
    let output = destination::create(file, args.force, archives)?;
    let output = Box::new(TextOutput::of(output, false));
    let mut target = UnpackTarget::new(Destination::Text(output), args);
    if !options.export {
        target.most = 1;
    }
    let mut exit = Exit::Done;
    for archive in archives {
        exit = exit.max(one(args, archive, &mut target, options, &shown(file))?);
    }
    target.commit().at(file)?;
    Ok(exit)
}

fn one(
    args: &UnpackArgs,
    path: &Path,
    target: &mut UnpackTarget,
    options: &UnpackOptions,
    to: &str,
) -> anyhow::Result<Exit> {
    let started = Instant::now();
    let counter = Counter::default();
    let mut source = archive::open_as(path, &counter, options.pgn2pgc)?;
    let bar = Bar::new(source.raw_len, &counter, args.run.quiet);
    let mut watch = ArchiveWatch::new(shown(path), Some(&bar));
    watch.passes = target.passes;
    (target.bytes, target.sources) = (0, 0);
    let result = pgc::unpack(&mut source.reader, target, options, &mut watch);
    bar.finish();
    let summary = match result {
        Err(error @ pgc::Error::Damaged { .. }) if !watch.passes => {
            let what = match target.to {
                Destination::Folder(..) => "only the sources before the damage were written",
                _ => "nothing was written",
            };
            return Err(anyhow::Error::from(error)
                .context(shown(path))
                .context(format!("{what}, since --partial was not given")));
        }
        result => result.at(path)?,
    };
    interrupt::cancelled()?;
    if !args.run.quiet {
        note_line!(
            "{} -> {to}: {}, {}",
            shown(path),
            counted(target.sources, "source"),
            summary::games(&summary)
        );
        note_line!(
            "  {} -> {} bytes, {}",
            grouped(counter.bytes()),
            grouped(target.bytes),
            summary::speed(target.bytes, started.elapsed().as_secs_f64())
        );
        if summary.empty_variations > 0 {
            let variations = counted_as(
                summary.empty_variations,
                "variation without anything in it",
                "variations without anything in them",
            );
            note_line!("  left out: {variations}");
        }
    }
    Ok(watch.exit())
}

/// Where the sources go, and how much has been written.
struct UnpackTarget {
    to: Destination,
    /// The most sources that it may get: in a file of sources, the boundary between two would be lost.
    most: u64,
    /// Whether to go on behind damage: a file must be whole, unless --partial is given; standard
    /// output gets what is whole.
    passes: bool,
    /// Whether gaps are marked in the text.
    marks: bool,
    /// Whether these are in Latin-1, as export format is.
    latin1: bool,
    bytes: u64,
    sources: u64,
}

enum Destination {
    /// Standard output or a file, in which the sources follow one another.
    Text(Box<TextOutput>),
    /// A folder; the string names a source that has no name.
    Folder(Box<DirSink>, String),
}

impl UnpackTarget {
    fn new(to: Destination, args: &UnpackArgs) -> UnpackTarget {
        UnpackTarget {
            to,
            most: u64::MAX,
            passes: args.partial,
            marks: args.mark_gaps,
            latin1: (args.export || args.reduced) && !args.utf8,
            bytes: 0,
            sources: 0,
        }
    }

    fn commit(self) -> io::Result<()> {
        match self.to {
            Destination::Text(output) => output.commit(),
            Destination::Folder(..) => Ok(()),
        }
    }
}

impl Sink for UnpackTarget {
    fn begin(&mut self, name: Option<&str>) -> io::Result<()> {
        self.sources += 1;
        match &mut self.to {
            Destination::Folder(sink, unnamed) => sink.begin(name.unwrap_or(unnamed)),
            Destination::Text(_) if self.sources > self.most => Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "has several sources: name a folder with -o DIR/, or use -c",
            )),
            Destination::Text(_) => Ok(()),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes += bytes.len() as u64;
        match &mut self.to {
            Destination::Text(output) => output.write_all(bytes),
            Destination::Folder(sink, _) => sink.write(bytes),
        }
    }

    fn gap(&mut self, gap: &Gap) -> io::Result<()> {
        if !self.marks || gap.is_harmless() {
            return Ok(());
        }
        let note = format!("\n\n% {}\n\n", printable(&gaps::missing(gap)));
        let of_latin1 = |char| u8::try_from(u32::from(char)).unwrap_or(b'?');
        match gap.encoding {
            Some(encoding) => Sink::write(self, &encoding.encode(&note)),
            None if self.latin1 => {
                Sink::write(self, &note.chars().map(of_latin1).collect::<Vec<_>>())
            }
            None => Sink::write(self, note.as_bytes()),
        }
    }

    fn end(&mut self) -> io::Result<()> {
        match &mut self.to {
            Destination::Folder(sink, _) => sink.end(),
            _ => Ok(()),
        }
    }
}
