//! `pgc unpack`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::bail;
use pgc::io::dir::DirSink;
use pgc::io::input::Counter;
use pgc::io::output::Output;
use pgc::{Sink, UnpackOptions};

use super::archive;
use super::args::{Dialect, Unpack};
use super::destination;
use super::exit::Exit;
use super::failure::Named;
use super::inputs::is_stdin;
use super::interrupt;
use super::output::{counted, grouped, note, note_line, shown};
use super::progress::Bar;
use super::summary;
use super::watch::Reading;

pub(super) fn run(args: &Unpack) -> anyhow::Result<Exit> {
    let options = UnpackOptions {
        export: args.export,
        utf8: args.utf8,
        pgn2pgc: args.dialect == Some(Dialect::Pgn2pgc),
        foreign: args.foreign,
        threads: args.run.threads(),
    };
    let stdout = args.stdout || args.output.as_deref().is_some_and(is_stdin);
    if stdout {
        let mut stream = Stream(Output::stdout());
        for path in &args.archives {
            one(args, path, &mut stream, &options, "standard output")?;
        }
        stream.0.commit().named(|| "standard output".to_owned())?;
        return Ok(Exit::Done);
    }
    match &args.output {
        Some(folder) if destination::is_folder(folder) => {
            let mut sink = DirSink::new(folder, args.force).named(|| shown(folder))?;
            destination::clear(folder);
            sink.protect(&args.archives);
            let mut sink = Folder {
                sink,
                unnamed: String::new(),
            };
            for path in &args.archives {
                sink.unnamed = unnamed(path);
                one(args, path, &mut sink, &options, &shown(folder))?;
            }
            return Ok(tell_changed(sink.sink.changed()));
        }
        Some(_) if args.archives.len() > 1 => {
            bail!("several archives: give -o a folder (DIR/), or use -c")
        }
        Some(file) => to_file(args, &args.archives[0], file, &options)?,
        None => {
            for path in &args.archives {
                if is_stdin(path) {
                    bail!("standard input has no name: give -o FILE, or -c");
                }
                to_file(
                    args,
                    path,
                    &destination::beside(path, &["pgc"], "pgn"),
                    &options,
                )?;
            }
        }
    }
    Ok(Exit::Done)
}

/// Says which sources lie under other names than their own.
fn tell_changed(changed: &[(String, PathBuf)]) -> Exit {
    for (name, path) in changed {
        note(&format!(
            "{}: so named because no file here can have the name of the source, {name:?}",
            shown(path)
        ));
    }
    if changed.is_empty() {
        Exit::Done
    } else {
        Exit::Partly
    }
}

/// A name for what a stream without names unpacks to.
fn unnamed(archive: &Path) -> String {
    let archive = if is_stdin(archive) {
        Path::new("stdin")
    } else {
        archive
    };
    let path = destination::beside(archive, &["pgc"], "pgn");
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn to_file(
    args: &Unpack,
    archive: &Path,
    file: &Path,
    options: &UnpackOptions,
) -> anyhow::Result<()> {
    let output = destination::create(file, args.force, &args.archives)?;
    let mut sink = OneFile {
        output,
        begun: false,
    };
    one(args, archive, &mut sink, options, &shown(file))?;
    sink.output.commit().named(|| shown(file))
}

fn one(
    args: &Unpack,
    path: &Path,
    sink: &mut dyn Sink,
    options: &UnpackOptions,
    to: &str,
) -> anyhow::Result<()> {
    let started = Instant::now();
    let counter = Counter::default();
    let mut source = archive::open_as(path, &counter, options.pgn2pgc)?;
    let bar = Bar::new(source.raw_len, &counter, args.run.quiet);
    let mut watch = Reading::new(shown(path), Some(&bar));
    let mut sink = Counted {
        sink,
        bytes: 0,
        sources: 0,
    };
    let result = pgc::unpack(&mut source.reader, &mut sink, options, &mut watch);
    bar.finish();
    let summary = result.named(|| shown(path))?;
    if interrupt::requested() {
        return Err(pgc::Error::Cancelled.into());
    }
    if !args.run.quiet {
        note_line(&format!(
            "{} -> {to}: {}, {}",
            shown(path),
            counted(sink.sources, "source", "sources"),
            summary::games(
                summary.games,
                summary.whole,
                summary.text_tail,
                summary.text_only
            )
        ));
        note_line(&format!(
            "  {} -> {} bytes, {}",
            grouped(counter.bytes()),
            grouped(sink.bytes),
            summary::speed(sink.bytes, started.elapsed().as_secs_f64())
        ));
    }
    Ok(())
}

/// Counts what goes through.
struct Counted<'a> {
    sink: &'a mut dyn Sink,
    bytes: u64,
    sources: u64,
}

impl Sink for Counted<'_> {
    fn begin(&mut self, name: Option<&str>) -> io::Result<()> {
        self.sources += 1;
        self.sink.begin(name)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes += bytes.len() as u64;
        self.sink.write(bytes)
    }

    fn end(&mut self) -> io::Result<()> {
        self.sink.end()
    }
}

/// Standard output: the sources follow one another.
struct Stream(Output);

impl Sink for Stream {
    fn begin(&mut self, _name: Option<&str>) -> io::Result<()> {
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file for one source; two in one would lose where the first ends.
struct OneFile {
    output: Output,
    begun: bool,
}

impl Sink for OneFile {
    fn begin(&mut self, _name: Option<&str>) -> io::Result<()> {
        if self.begun {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "has several sources: give -o a folder (DIR/), or use -c",
            ));
        }
        self.begun = true;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.write_all(bytes)
    }

    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Folder {
    sink: DirSink,
    unnamed: String,
}

impl Sink for Folder {
    fn begin(&mut self, name: Option<&str>) -> io::Result<()> {
        self.sink.begin(name.unwrap_or(&self.unnamed))
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sink.write(bytes)
    }

    fn end(&mut self) -> io::Result<()> {
        self.sink.end()
    }
}
