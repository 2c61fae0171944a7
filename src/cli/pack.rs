//! `pgc pack`.

use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use pgc::beside::index_path;
use pgc::indexing::Indexing;
use pgc::join::convert::copy_segments;
use pgc::{Drops, Loss, PackOptions, SegmentForm, SourceEncoding, SourceText, Summary};
use pgc_io::input::{Counter, Input, Source};
use pgc_io::output::Output;

use super::destination;
use super::encodings::Suspecting;
use super::exit::Exit;
use super::failure::WithName;
use super::index::make_of;
use super::indexed::{self, Pair};
use super::inputs::{self, Inputs, Tolerant};
use super::mistaken::Given;
use super::open::{is_stdin, open_input};
use super::output::{counted, note, shown};
use super::pack_args::PackArgs;
use super::progress::Bar;
use super::report::Report;
use super::summary::{self, RunTotals};
use super::watch::{ArchiveWatch, Findings, Watch};

pub(super) fn run(args: &PackArgs) -> anyhow::Result<Exit> {
    let inputs = args.sources.collect()?;
    let Some(first) = inputs.paths.first() else {
        note("no PGN or EPD files found");
        return Ok(Exit::Partly);
    };
    let counter = Counter::default();
    // Opened before the output is named: the default name depends on how many sources it holds.
    let first = open_input(first, inputs.stdin_name, &counter)?;
    let place = place(args, &inputs, first.sources())?;
    let form = form(args, place.as_deref())?;
    let output = match &place {
        Some(path) => destination::create(path, args.to.force, &inputs.paths)?,
        None => Output::stdout_binary()?,
    };
    let report = report(args, place.as_deref(), &inputs)?;
    let index = place
        .as_deref()
        .filter(|_| !args.to.no_index && !output.is_stream())
        .map(index_path);
    if let Some(index) = &index {
        // Checked before the work, so that a refusal costs nothing.
        indexed::may_replace(index, args.to.force)?;
    }
    let mut job = PackJob {
        args,
        indexing: index
            .as_deref()
            .filter(|_| !args.standard)
            .map(|index| Indexing::new(args.work.build(index, args.to.extras()))),
        index,
        options: options(args, form),
        bar: Bar::new(inputs.bytes, &counter, args.work.run.quiet),
        findings: Findings {
            report,
            ..Findings::default()
        },
        totals: RunTotals::new(),
        output,
        partial: false,
        lacks_games: false,
    };
    let result = job.all(&inputs, first, &counter);
    job.bar.finish();
    job.end(result, place)
}

/// The form that --small or the name of the archive asks for.
fn form(args: &PackArgs, place: Option<&Path>) -> anyhow::Result<SegmentForm> {
    let named = place
        .filter(|place| destination::has_ending(place, &destination::ARCHIVES))
        .map(|place| (place, destination::form_of(place)));
    match named {
        Some((place, SegmentForm::Plain)) if args.small => bail!(
            "{}: --small writes the small form, whose extension is .pgcz",
            shown(place)
        ),
        Some((place, SegmentForm::Small)) if args.standard => bail!(
            "{}: --standard writes a stream of the 1994 standard, whose extension is .pgc",
            shown(place)
        ),
        Some((_, form)) => Ok(form),
        None if args.small => Ok(SegmentForm::Small),
        None => Ok(SegmentForm::Plain),
    }
}

fn options(args: &PackArgs, form: SegmentForm) -> PackOptions {
    let drops = || {
        let all = args.drop.iter().any(|name| name == "all");
        Drops(
            Loss::ALL
                .into_iter()
                .filter(|loss| all || args.drop.iter().any(|name| name == loss.name()))
                .collect(),
        )
    };
    PackOptions {
        verify: !args.sources.no_verify,
        threads: args.work.run.jobs,
        form,
        standard: args.standard.then(drops),
        ..PackOptions::default()
    }
}

fn report(
    args: &PackArgs,
    place: Option<&Path>,
    inputs: &Inputs,
) -> anyhow::Result<Option<Report>> {
    let path = args.sources.report.as_deref();
    destination::refuse_same(path, place)?;
    let taken = place.is_none() || args.work.json;
    Report::open(path, taken, args.to.force, &inputs.paths)
}

/// The archive to write; `None` for standard output.
fn place(
    args: &PackArgs,
    inputs: &Inputs,
    sources_of_first: usize,
) -> anyhow::Result<Option<PathBuf>> {
    if let Some(path) = &args.output {
        if is_stdin(path) {
            return Ok(None);
        }
        if destination::has_ending(path, &["pgn", "epd"]) {
            bail!(
                "{}: is named as text, and pack writes an archive: name it .pgc or .pgcz (unpack writes PGN)",
                shown(path)
            );
        }
        if destination::is_folder(path) {
            bail!("{}: is a folder: name the archive with -o", shown(path));
        }
        return Ok(Some(path.clone()));
    }
    if args.stdout {
        return Ok(None);
    }
    let [input] = &*inputs.paths else {
        bail!("several inputs: name the archive with -o")
    };
    if is_stdin(input) {
        if io::stdout().is_terminal() {
            bail!(
                "standard input has no name: name the archive with -o, or send standard output to a file or a pipe"
            );
        }
        return Ok(None);
    }
    if inputs.from_folder {
        bail!("the input is a folder: name the archive with -o");
    }
    if sources_of_first > 1 {
        bail!(
            "{}: holds several files: name the archive with -o",
            shown(input)
        );
    }
    let ending = if args.small {
        destination::SMALL
    } else {
        "pgc"
    };
    Ok(Some(destination::beside(
        input,
        &["pgn", "epd", "txt", "pgc", destination::SMALL],
        ending,
    )))
}

struct PackJob<'a> {
    args: &'a PackArgs,
    options: PackOptions,
    /// The index to write, if one is wanted.
    index: Option<PathBuf>,
    /// Collects the data of the index while the archive is written. `None` with --standard: that
    /// index is made from the finished archive.
    indexing: Option<Indexing<'static>>,
    bar: Bar,
    findings: Findings,
    totals: RunTotals,
    output: Output,
    /// Whether a source was cut off, and --partial kept its beginning.
    partial: bool,
    /// Whether an input has no game.
    lacks_games: bool,
}

impl PackJob<'_> {
    fn all(&mut self, inputs: &Inputs, first: Input, counter: &Counter) -> anyhow::Result<()> {
        let quiet = self.args.work.run.quiet;
        let exit = inputs::each_source(inputs, Some(first), counter, quiet, |source, label| {
            self.one(source, label)
        })?;
        self.lacks_games = exit != Exit::Done;
        Ok(())
    }

    /// Packs a source; returns whether it has games.
    fn one(&mut self, given: Given, label: &str) -> anyhow::Result<bool> {
        let before = self.totals.sum.games;
        match given {
            Given::Pgn(source, encoding) => self.text(source, encoding, label),
            // --standard writes no segments, so the archive is unpacked and its texts are packed.
            Given::Archive(source) if self.args.standard => {
                let bar = self.bar.clone();
                inputs::each_text(
                    source,
                    label,
                    &bar,
                    self.options.threads,
                    |name, kind, text| self.pack(text, name, (kind, None), label).map(drop),
                )
            }
            Given::Archive(source) => self.segments(source, label),
        }?;
        let has_games = self.totals.sum.games > before;
        if !has_games {
            self.bar.finish();
        }
        Ok(has_games)
    }

    /// Packs a text.
    fn pack(
        &mut self,
        source: &mut (dyn Read + Send),
        name: &str,
        (kind, encoding): (SourceText, Option<SourceEncoding>),
        label: &str,
    ) -> anyhow::Result<Summary> {
        let options = &PackOptions {
            text: Some(kind),
            encoding,
            ..self.options.clone()
        };
        let mut watch = Watch {
            bar: &self.bar,
            findings: Some(&mut self.findings),
            source: label,
        };
        let out = &mut self.output;
        let packed = match &mut self.indexing {
            Some(indexing) => {
                pgc::pack::pack_indexed(source, name, out, options, &mut watch, indexing)
            }
            None => pgc::pack(source, name, out, options, &mut watch),
        };
        if let (Err(pgc::Error::Loss(finding, _)), Some(report)) =
            (&packed, &mut self.findings.report)
        {
            report.finding(label, finding);
        }
        let summary = packed.named(|| label.to_owned())?;
        self.totals.add(&summary);
        Ok(summary)
    }

    /// Copies the sources of an archive.
    fn segments(&mut self, mut source: Source, label: &str) -> anyhow::Result<()> {
        let mut watch = ArchiveWatch::new(label.to_owned(), Some(&self.bar));
        let copied = copy_segments(
            &mut source.reader,
            &mut self.output,
            &self.options,
            &mut watch,
            self.indexing.as_mut(),
        );
        let copied = copied.named(|| label.to_owned())?;
        inputs::within(self.args.sources.paths.max_input, &copied)
            .with_context(|| label.to_owned())?;
        copied.iter().for_each(|summary| self.totals.add(summary));
        Ok(())
    }

    fn text(
        &mut self,
        source: Source,
        encoding: Option<SourceEncoding>,
        label: &str,
    ) -> anyhow::Result<()> {
        let tolerate = self.args.partial || !self.output.is_stream();
        let mut reader = Suspecting::new(Tolerant::new(source.reader, tolerate));
        let kind = self.args.sources.read_as.text_of(&source.name);
        let summary = self.pack(&mut reader, &source.name, (kind, encoding), label)?;
        if !self.args.work.run.quiet {
            self.bar.finish();
            let asked = self.args.sources.read_as.encoding;
            reader.tell(&summary, encoding, asked, label);
        }
        let Some(error) = &reader.get_ref().truncated else {
            return Ok(());
        };
        let games = counted(summary.games, "game was", "games were");
        if !self.args.partial {
            return Err(anyhow!(
                "{label}: {error}: {games} read before that, the last perhaps incomplete (keep them with --partial)"
            ));
        }
        self.partial = true;
        self.bar.finish();
        note(&format!(
            "{label}: {error}: {games} kept, the last perhaps incomplete"
        ));
        Ok(())
    }

    fn end(self, result: anyhow::Result<()>, place: Option<PathBuf>) -> anyhow::Result<Exit> {
        let name = place.as_deref().map(|path| path.display().to_string());
        let PackJob {
            args,
            findings,
            totals,
            output,
            partial,
            lacks_games,
            index,
            indexing,
            ..
        } = self;
        let name = name.as_deref();
        let shown_name = name.unwrap_or("standard output");
        let (committed, indexed) = match result {
            Ok(()) => {
                let paths = place.as_deref().zip(index.as_deref());
                let (committed, indexed) = commit(args, output, paths, indexing);
                (committed.named(|| shown_name.to_owned()), indexed)
            }
            // The error already names the input or the output.
            Err(error) => {
                drop(output);
                (Err(error), None)
            }
        };
        let json = totals.json(name, committed.is_ok() && !partial);
        findings.tell(&json, committed.is_ok(), args.work.run.quiet)?;
        committed?;
        let written = indexed.as_ref().and_then(|indexed| indexed.as_ref().ok());
        let index = index.as_deref().zip(written);
        summary::tell(
            &args.work,
            json,
            &totals.lines(shown_name),
            index.map(|(index, bytes)| (index, *bytes, totals.sum.games)),
        )?;
        if let Some(Err(error)) = indexed {
            return Err(error);
        }
        if let Some(path) = place.filter(|_| !args.work.run.quiet) {
            indexed::tell_left(&path, !args.to.no_index);
        }
        let dropped = totals.sum.losses.iter().any(|(_, count)| *count > 0);
        Ok(if partial || dropped || lacks_games {
            Exit::Partly
        } else {
            Exit::Done
        })
    }
}

/// Moves the archive to its final path, then its index. Returns whether the archive is there, and
/// if an index was wanted, its length in bytes.
fn commit(
    args: &PackArgs,
    output: Output,
    paths: Option<(&Path, &Path)>,
    indexing: Option<Indexing<'static>>,
) -> (anyhow::Result<()>, Option<anyhow::Result<u64>>) {
    let Some((archive, index)) = paths else {
        return (output.commit().map_err(Into::into), None);
    };
    let pair = Pair {
        archive,
        index,
        force: args.to.force,
    };
    let placed = pair.place(output, |file, out| match indexing {
        Some(indexing) => indexed::finish(indexing, out),
        None => {
            let options = args.work.index(index, args.to.extras());
            Ok(make_of((archive, file), &options, out, true)?.0)
        }
    });
    match placed {
        Ok(indexed) => (Ok(()), Some(indexed)),
        Err(error) => (Err(error), None),
    }
}
