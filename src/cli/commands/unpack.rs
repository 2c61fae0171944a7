//! `pgc unpack`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, bail};
use pgc::{Sink, SourceText, UnpackOptions};
use pgc_io::dir::{DirSink, file_path};
use pgc_io::input::Counter;
use serde_json::json;

use crate::args::UnpackArgs;
use crate::failure::{Exit, WithName};
use crate::files::archive;
use crate::files::destination;
use crate::interrupt;
use crate::show::output::{
    counted, counted_as, grouped, harmless_json, is_stdin, note_first, note_lines, print_lines,
    shown,
};
use crate::show::screen::TextOutput;
use crate::show::summary;
use crate::show::watch::{ArchiveWatch, Bar};

/// The most changed names that are listed.
const SHOWN: usize = 20;

pub(crate) fn run(args: &UnpackArgs) -> anyhow::Result<Exit> {
    if args.show.pieces.is_some() && !args.export && !args.reduced {
        bail!("--pieces changes the moves: it works only with --export and --reduced");
    }
    if args.null_moves && !args.export && !args.reduced {
        bail!("--null-moves works only with --export and --reduced: the source has its own");
    }
    let is_stream = args.stdout || args.output.as_deref().is_some_and(is_stdin);
    let options = UnpackOptions {
        export: args.export || args.reduced,
        utf8: args.utf8,
        reduced: args.reduced,
        letters: args.show.pieces,
        null_moves: args.null_moves,
        pgn2pgc: args.dialect.is_some(),
        foreign: args.foreign,
        // A file must be whole, unless --partial is given; standard output gets what is whole.
        passes_damage: args.partial || is_stream,
        threads: args.run.jobs,
    };
    let archives = &archive::collection(&args.of.archives)?;
    if is_stream {
        if args.json {
            bail!("standard output cannot carry both the games and --json");
        }
        let to = Destination::Text(Box::new(TextOutput::stdout()));
        let target = UnpackTarget::new(to, "standard output".to_owned(), (args, &options));
        return target.take(archives);
    }
    match &args.output {
        Some(folder) if destination::is_folder(folder) => {
            let sink = destination::folder(folder, args.force, archives)?;
            let to = Destination::Folder(Box::new(sink), String::new());
            UnpackTarget::new(to, shown(folder), (args, &options)).take(archives)
        }
        Some(_) if archives.len() > 1 && !options.export => {
            bail!("several archives: name a folder with -o DIR/, or use -c")
        }
        Some(file) => to_file(args, archives, file, &options),
        None => {
            let mut gravest = Exit::Done;
            for path in archives {
                if is_stdin(path) {
                    bail!("standard input has no name: name the output with -o FILE, or use -c");
                }
                let file = destination::beside(path, &destination::ARCHIVES, "pgn");
                gravest = gravest.max(to_file(args, std::slice::from_ref(path), &file, &options)?);
            }
            Ok(gravest)
        }
    }
}

/// Prints the sources whose names had to be changed.
fn tell_changed(changed: &[(String, PathBuf)]) -> Exit {
    let told = changed.iter().map(|(name, path)| {
        let why = match file_path(name) == *name {
            true => "is used already",
            false => "cannot be used for a file here",
        };
        format!("{}: the name of the source, {name:?}, {why}", shown(path))
    });
    note_first(SHOWN, told);
    Exit::partly_if(!changed.is_empty())
}

/// The file name for the text of a stream that names no source.
fn unnamed(archive: &Path) -> String {
    let archive = match is_stdin(archive) {
        true => Path::new("stdin"),
        false => archive,
    };
    let path = destination::beside(archive, &destination::ARCHIVES, "pgn");
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn to_file(
    args: &UnpackArgs,
    archives: &[PathBuf],
    file: &Path,
    options: &UnpackOptions,
) -> anyhow::Result<Exit> {
    let output = destination::create(file, args.force, archives)?;
    let to = Destination::Text(Box::new(TextOutput::new(output, false)));
    let mut target = UnpackTarget::new(to, shown(file), (args, options));
    target.most = if options.export { u64::MAX } else { 1 };
    target.take(archives)
}

fn told(lines: Vec<String>, json: bool) -> io::Result<()> {
    match json {
        true => print_lines(lines),
        false => {
            note_lines(lines);
            Ok(())
        }
    }
}

/// Where the sources go, and how much has been written.
struct UnpackTarget<'a> {
    args: &'a UnpackArgs,
    options: &'a UnpackOptions,
    to: Destination,
    /// The destination as messages show it.
    name: String,
    /// The most sources that it may get: in a file of sources, the boundary between two would be lost.
    most: u64,
    bytes: u64,
    sources: u64,
    /// The summaries of archives, as lines or as JSON, until their output is complete.
    told: Vec<String>,
}

enum Destination {
    /// Standard output or a file, in which the sources follow one another.
    Text(Box<TextOutput>),
    /// A folder; the string names a source that has no name.
    Folder(Box<DirSink>, String),
}

impl<'a> UnpackTarget<'a> {
    fn new(
        to: Destination,
        name: String,
        (args, options): (&'a UnpackArgs, &'a UnpackOptions),
    ) -> UnpackTarget<'a> {
        UnpackTarget {
            args,
            options,
            to,
            name,
            most: u64::MAX,
            bytes: 0,
            sources: 0,
            told: Vec::new(),
        }
    }

    /// Unpacks the archives, and completes the destination.
    fn take(mut self, archives: &[PathBuf]) -> anyhow::Result<Exit> {
        let mut gravest = Exit::Done;
        for path in archives {
            if let Destination::Folder(_, name) = &mut self.to {
                *name = unnamed(path);
            }
            gravest = gravest.max(self.take_one(path)?);
            if let Destination::Folder(..) = self.to {
                told(std::mem::take(&mut self.told), self.args.json)?;
            }
        }
        match self.to {
            Destination::Text(output) => output.commit().named(|| self.name)?,
            Destination::Folder(sink, _) => gravest = gravest.max(tell_changed(sink.changed())),
        }
        told(self.told, self.args.json)?;
        Ok(gravest)
    }

    fn take_one(&mut self, path: &Path) -> anyhow::Result<Exit> {
        let (started, counter, options) = (Instant::now(), Counter::default(), self.options);
        let mut source = archive::open_as(path, &counter, options.pgn2pgc)?;
        let bar = Bar::new(source.raw_len, &counter, self.args.run.quiet);
        let mut watch = ArchiveWatch::new(shown(path), Some(&bar));
        (self.bytes, self.sources) = (0, 0);
        let result = pgc::unpack(&mut source.reader, self, options, &mut watch);
        bar.finish();
        let summary = match result {
            Err(error @ pgc::Error::Damaged { .. }) if !options.passes_damage => {
                let what = match self.to {
                    Destination::Folder(..) => "only the sources before the damage were written",
                    _ => "nothing was written",
                };
                let what = format!("{what}, since --partial was not given");
                return Err(error).at(path).context(what);
            }
            result => result.at(path)?,
        };
        interrupt::cancelled()?;
        let seconds = started.elapsed().as_secs_f64();
        if self.args.json {
            let mut value = json!({
                "archive": path.display().to_string(),
                "output": self.name,
                "sources": self.sources,
                "bytes_in": counter.bytes(),
                "bytes_out": self.bytes,
                "empty_variations": summary.empty_variations,
                "gaps": watch.gaps,
                "seconds": seconds,
            });
            summary::put_games(&mut value, &summary);
            self.told.push(harmless_json(&value));
        } else if !self.args.run.quiet {
            let sources = counted(self.sources, "source");
            let (path, to, games) = (shown(path), &self.name, summary::games(&summary));
            let line = format!("{path} -> {to}: {sources}, {games}");
            self.told.push(line);
            let speed = summary::speed(self.bytes, seconds);
            let (read, written) = (grouped(counter.bytes()), grouped(self.bytes));
            let line = format!("  {read} -> {written} bytes, {speed}");
            self.told.push(line);
            if summary.empty_variations > 0 {
                let variations = counted_as(
                    summary.empty_variations,
                    "variation without anything in it",
                    "variations without anything in them",
                );
                self.told.push(format!("  left out: {variations}"));
            }
        }
        Ok(watch.exit())
    }
}

impl Sink for UnpackTarget<'_> {
    fn begin(&mut self, name: Option<&str>, _text: SourceText) -> io::Result<()> {
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

    fn end(&mut self) -> io::Result<()> {
        match &mut self.to {
            Destination::Folder(sink, _) => sink.end(),
            _ => Ok(()),
        }
    }
}
