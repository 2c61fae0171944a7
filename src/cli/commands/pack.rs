//! `pgc pack`: packs the sources of inputs, one after another, into a new archive, or for `pgc add` at
//! the end of one.

use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::bail;
use pgc::indexing::Indexing;
use pgc::join::convert::copy_segments;
use pgc::join::known::{KnownGames, NewGames};
use pgc::pack::pack_indexed;
use pgc::{Loss, PackOptions, SegmentForm, SourceEncoding, SourceText, Summary};
use pgc_io::input::{Counter, Input, Source};
use pgc_io::output::Output;
use pgc_pgn::encoding::DecodedSource;

use crate::args::options::{InputOptions, WorkOptions};
use crate::args::pack::PackArgs;
use crate::failure::{Exit, WithName};
use crate::files::archive::open_input;
use crate::files::destination;
use crate::files::indexed::NewArchive;
use crate::files::inputs::{self, Inputs, Tolerant};
use crate::files::mistaken::Given;
use crate::show::output::{counted_as, is_stdin, shown};
use crate::show::summary::{self, RunTotals};
use crate::show::watch::{ArchiveWatch, Bar, Findings, Report, Watch};

pub(crate) fn run(args: &PackArgs) -> anyhow::Result<Exit> {
    let inputs = inputs::collect(&args.sources.paths, args.sources.read_as)?;
    let counter = Counter::default();
    // Opened before the output is named: the default name depends on how many sources it holds.
    let first = open_input(&inputs.paths[0], inputs.stdin_name, &counter)?;
    let place = place(args, &inputs, first.sources())?;
    let form = form(args, place.as_deref())?;
    let output = match &place {
        Some(path) => destination::create(path, args.to.force, &inputs.paths)?,
        None => Output::stdout_binary()?,
    };
    let report = args.sources.report.as_deref();
    destination::refuse_same(report, place.as_deref())?;
    let taken = place.is_none() || args.work.json;
    let report = Report::open(report, taken, args.to.force, &inputs.paths)?;
    // What only has the records of the standard has no index.
    let has_index = !args.to.no_index && !args.standard && !output.is_stream();
    let new = |path| NewArchive::new(path, has_index, args.to.force);
    let new = place.as_deref().map(new).transpose()?;
    let bar = Bar::new(inputs.bytes, &counter, args.work.run.quiet);
    let is_stream = output.is_stream();
    let mut packing = Packing::new((&args.sources, &args.work), form, bar, report, output);
    packing.options.standard = args.standard.then(|| drops(&args.drop));
    packing.cut_off = match (args.partial, is_stream) {
        (true, _) => CutOff::Keep,
        (false, true) => CutOff::Stop,
        (false, false) => {
            CutOff::Fail("read before that, the last perhaps incomplete (keep them with --partial)")
        }
    };
    if let Some(new) = &new {
        packing.indexing = new.indexing(&args.work, args.to.lines());
    }
    let done = packing.all(&inputs, Some(first), &counter);
    end(args, packing, done, new)
}

/// The form that --small or the name of the archive asks for.
fn form(args: &PackArgs, place: Option<&Path>) -> anyhow::Result<SegmentForm> {
    let named = place.filter(|place| destination::has_ending(place, &destination::ARCHIVES));
    let usual = [SegmentForm::Plain, SegmentForm::Small][usize::from(args.small)];
    let Some(place) = named else { return Ok(usual) };
    let (form, place) = (destination::form_of(place), shown(place));
    if args.small && form == SegmentForm::Plain {
        bail!("{place}: --small writes the small form, whose extension is .pgcz");
    }
    if args.standard && form == SegmentForm::Small {
        bail!("{place}: --standard writes a stream of the 1994 standard, whose extension is .pgc");
    }
    Ok(form)
}

fn drops(names: &[String]) -> Vec<Loss> {
    let are_all = names.iter().any(|name| name == "all");
    let is_named = |loss: &Loss| are_all || names.iter().any(|name| name == loss.name());
    let all = Loss::ALL.into_iter().map(|known| known.1);
    all.filter(is_named).collect()
}

/// The archive to write; `None` for standard output.
fn place(
    args: &PackArgs,
    inputs: &Inputs,
    sources_of_first: usize,
) -> anyhow::Result<Option<PathBuf>> {
    let output = args.output.as_deref();
    if args.stdout || output.is_some_and(is_stdin) {
        return Ok(None);
    }
    if let Some(path) = output {
        if destination::has_ending(path, &["pgn", "epd"]) {
            bail!(
                "{}: is named as text, and pack writes an archive: name it .pgc or .pgcz (unpack writes PGN)",
                shown(path)
            );
        }
        if destination::is_folder(path) {
            bail!("{}: is a folder: name the archive with -o", shown(path));
        }
        return Ok(Some(path.to_owned()));
    }
    let input = &inputs.paths[0];
    if inputs.paths.len() > 1 || inputs.from_folder || sources_of_first > 1 {
        bail!("several inputs: name the archive with -o");
    }
    if is_stdin(input) {
        if io::stdout().is_terminal() {
            bail!("standard input has no name: name the archive with -o, or use -c");
        }
        return Ok(None);
    }
    let old = ["pgn", "epd", "txt", "pgc", destination::SMALL];
    let ending = destination::ARCHIVES[usize::from(args.small)];
    Ok(Some(destination::beside(input, &old, ending)))
}

/// Moves the archive and its index to their places, and prints the summary.
fn end(
    args: &PackArgs,
    packing: Packing<'_, Output>,
    done: anyhow::Result<Exit>,
    new: Option<NewArchive<'_>>,
) -> anyhow::Result<Exit> {
    let quiet = args.work.run.quiet;
    let name = new.as_ref().map(|new| new.path.display().to_string());
    let name = name.as_deref();
    let shown_name = name.unwrap_or("standard output");
    // An error of packing already names the input or the output.
    let placed = done.and_then(|exit| {
        let indexed = match &new {
            Some(new) => new.finish(packing.output, packing.indexing)?,
            None => {
                packing.output.commit().named(|| shown_name.to_owned())?;
                Ok(None)
            }
        };
        Ok((exit, indexed))
    });
    let totals = packing.totals;
    let json = totals.json(name, placed.is_ok() && !packing.is_partial);
    packing.findings.tell(&json, placed.is_ok(), quiet)?;
    let (exit, indexed) = placed?;
    let written = indexed.as_ref().ok().copied().flatten();
    let games = totals.sum.games;
    let index = new.as_ref().and_then(|new| new.told(written, games));
    summary::tell(&args.work, json, &totals.lines(shown_name), index)?;
    indexed?;
    if let Some(new) = new {
        new.tell_left(quiet);
    }
    let dropped = totals.sum.losses.iter().any(|(_, count)| *count > 0);
    Ok(exit.max(Exit::partly_if(packing.is_partial || dropped)))
}

/// A run of `pack` or `add`.
pub(crate) struct Packing<'a, W> {
    sources: &'a InputOptions,
    quiet: bool,
    pub(crate) options: PackOptions,
    /// Collects the data of the index while the archive is written.
    pub(crate) indexing: Option<Indexing<'a>>,
    /// The games to leave out.
    pub(crate) known: Option<KnownGames<'a>>,
    /// The number of games left out.
    pub(crate) left_out: u64,
    pub(crate) cut_off: CutOff,
    /// Whether a source was cut off, and its beginning was kept.
    pub(crate) is_partial: bool,
    bar: Bar,
    pub(crate) findings: Findings,
    pub(crate) totals: RunTotals,
    pub(crate) output: W,
}

/// What to do when a compressed input ends early.
pub(crate) enum CutOff {
    /// Keep its beginning.
    Keep,
    /// Fail when the beginning is packed, and say this of its games.
    Fail(&'static str),
    /// Fail at once, since the output cannot be withdrawn.
    Stop,
}

impl<'a, W: Write + Send> Packing<'a, W> {
    pub(crate) fn new(
        (sources, work): (&'a InputOptions, &WorkOptions),
        form: SegmentForm,
        bar: Bar,
        report: Option<Report>,
        output: W,
    ) -> Packing<'a, W> {
        let mut totals = RunTotals::new();
        if report.is_none() {
            totals.hint = " (--report FILE lists them)";
        }
        Packing {
            sources,
            quiet: work.run.quiet,
            options: PackOptions {
                verify: !sources.no_verify,
                threads: work.run.jobs,
                form,
                ..PackOptions::default()
            },
            indexing: None,
            known: None,
            left_out: 0,
            cut_off: CutOff::Keep,
            is_partial: false,
            bar,
            findings: Findings {
                report,
                ..Findings::default()
            },
            totals,
            output,
        }
    }

    /// Packs all inputs; `first` is the first of them if it is already open. Returns
    /// [`Exit::Partly`] if one has no game.
    pub(crate) fn all(
        &mut self,
        inputs: &Inputs,
        first: Option<Input>,
        counter: &Counter,
    ) -> anyhow::Result<Exit> {
        let done = inputs::each_source(inputs, first, counter, self.quiet, |given, label| {
            self.one(given, label)
        });
        self.bar.finish();
        done
    }

    /// Packs a source; returns whether it has games.
    fn one(&mut self, given: Given, label: &str) -> anyhow::Result<bool> {
        let before = self.totals.sum.games;
        match given {
            Given::Pgn(source, encoding) => self.text(source, encoding, label),
            // Games can only be left out of a text, and --standard writes no segments: the archive
            // is unpacked, and its texts are packed again.
            Given::Archive(source) if self.known.is_some() || self.options.standard.is_some() => {
                let (bar, threads) = (self.bar.clone(), self.options.threads);
                inputs::each_text(source, label, &bar, threads, |name, kind, text| {
                    self.pack(text, name, (kind, None), label).map(drop)
                })
            }
            Given::Archive(source) => self.segments(source, label),
        }?;
        let has_games = self.known.is_some() || self.totals.sum.games > before;
        if !has_games {
            self.bar.finish();
        }
        Ok(has_games)
    }

    /// Copies the sources of an archive.
    fn segments(&mut self, mut source: Source, label: &str) -> anyhow::Result<()> {
        let mut watch = ArchiveWatch::new(label.to_owned(), Some(&self.bar));
        let (out, indexing) = (&mut self.output, self.indexing.as_mut());
        let copied = copy_segments(&mut source.reader, out, &self.options, &mut watch, indexing);
        let copied = copied.named(|| label.to_owned())?;
        inputs::within(self.sources.paths.max_input, &copied).named(|| label.to_owned())?;
        copied.iter().for_each(|summary| self.totals.add(summary));
        Ok(())
    }

    fn text(
        &mut self,
        source: Source,
        encoding: Option<SourceEncoding>,
        label: &str,
    ) -> anyhow::Result<()> {
        let tolerates = !matches!(self.cut_off, CutOff::Stop);
        let mut reader = Tolerant::new(source.reader, tolerates);
        let kind = self.sources.read_as.text_of(&source.name);
        // Games can only be left out of a text in UTF-8, and the rest is not the source anyway.
        let packed = match self.known.is_some() {
            true => {
                let mut text = DecodedSource::new(&mut reader, encoding);
                self.pack(&mut text, &source.name, (kind, None), label)?
            }
            false => self.pack(&mut reader, &source.name, (kind, encoding), label)?,
        };
        let undecoded = packed.as_ref().map_or(0, |summary| summary.undecoded);
        if let Some(encoding) = encoding.filter(|_| undecoded > 0 && !self.quiet) {
            self.bar.finish();
            let bytes = counted_as(undecoded, "byte is", "bytes are");
            note!("{label}: {bytes} no text in {}, and kept", encoding.name());
        }
        let Some(error) = &reader.truncated else {
            return Ok(());
        };
        let games = packed.map_or(0, |summary| summary.games);
        let games = counted_as(games, "game was", "games were");
        if let CutOff::Fail(what) = self.cut_off {
            bail!("{label}: {error}: {games} {what}");
        }
        self.is_partial = true;
        self.bar.finish();
        note!("{label}: {error}: {games} kept, the last perhaps incomplete");
        Ok(())
    }

    /// Packs a text and adds it to the totals; `None` if all its games are known.
    fn pack(
        &mut self,
        text: &mut (dyn Read + Send),
        name: &str,
        (kind, encoding): (SourceText, Option<SourceEncoding>),
        label: &str,
    ) -> anyhow::Result<Option<Summary>> {
        let options = PackOptions {
            text: Some(kind),
            encoding,
            repairs: self.findings.report.is_some(),
            ..self.options.clone()
        };
        let packed = self.packed(text, name, &options, label);
        let packed = packed.named(|| label.to_owned())?;
        packed.iter().for_each(|summary| self.totals.add(summary));
        Ok(packed)
    }

    fn packed(
        &mut self,
        text: &mut (dyn Read + Send),
        name: &str,
        options: &PackOptions,
        label: &str,
    ) -> anyhow::Result<Option<Summary>> {
        let mut watch = Watch {
            bar: &self.bar,
            findings: Some(&mut self.findings),
            source: label,
        };
        let (out, indexing) = (&mut self.output, &mut self.indexing);
        let mut pack = |text: &mut (dyn Read + Send)| {
            pack_indexed(text, name, out, options, &mut watch, indexing.as_mut())
        };
        let Some(known) = &mut self.known else {
            let packed = pack(text);
            if let (Err(pgc::Error::Loss(finding, _)), Some(report)) =
                (&packed, &mut self.findings.report)
            {
                report.finding(label, finding);
            }
            return Ok(Some(packed?));
        };
        let kind = options.text.unwrap_or_default();
        if kind == SourceText::Epd {
            bail!("{name}: is EPD: add it without --skip-known and --skip-duplicates");
        }
        let mut games = NewGames::new(text, kind, known);
        let packed = match games.any()? {
            true => pack(&mut games).map(Some),
            false => Ok(None),
        };
        let (packed, counts) = (packed?, games.counts());
        self.left_out += counts.known;
        let games = packed.as_ref().map_or(counts.kept, |packed| packed.games);
        if games != counts.kept {
            // No byte would be lost, but two games would read as one.
            bail!(
                "two games would run together without the known games between them: add this file without --skip-known and --skip-duplicates"
            );
        }
        Ok(packed)
    }
}
