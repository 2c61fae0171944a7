//! Packs the sources of inputs, one after another, into a new archive or at the end of one; and games
//! of archives again, for which one thread supplies the texts that another packs.

use std::io::{Read, Write};
use std::path::Path;

use anyhow::bail;
use pgc::fault::ArchiveFault;
use pgc::indexing::Indexing;
use pgc::join::convert::copy_segments;
use pgc::join::feed::{Feed, feed};
use pgc::join::known::{KnownGames, NewGames};
use pgc::pack::pack_indexed;
use pgc::{Archive, PackOptions, SegmentForm, SourceEncoding, SourceText, Summary};
use pgc_io::input::{Counter, Input, Source};
use pgc_io::output::Output;
use pgc_pgn::encoding::DecodedSource;

use super::encodings::Suspecting;
use super::failure::{self, Exit, WithName};
use super::inputs::{self, Inputs, Tolerant};
use super::mistaken::Given;
use super::options::{InputOptions, WorkOptions};
use super::output::{counted_as, shown};
use super::report::Report;
use super::summary::RunTotals;
use super::watch::{ArchiveWatch, Bar, CountingWatch, Findings, Watch};

/// A run of `pack` or `add`.
pub(super) struct Packing<'a, W> {
    sources: &'a InputOptions,
    quiet: bool,
    pub(super) options: PackOptions,
    /// Collects the data of the index while the archive is written.
    pub(super) indexing: Option<Indexing<'a>>,
    /// The games to leave out.
    pub(super) known: Option<KnownGames<'a>>,
    /// The number of games left out.
    pub(super) left_out: u64,
    pub(super) cut_off: CutOff,
    /// Whether a source was cut off, and its beginning was kept.
    pub(super) is_partial: bool,
    bar: Bar,
    pub(super) findings: Findings,
    pub(super) totals: RunTotals,
    pub(super) output: W,
}

/// What to do when a compressed input ends early.
pub(super) enum CutOff {
    /// Keep its beginning.
    Keep,
    /// Fail when the beginning is packed, and say this of its games.
    Fail(&'static str),
    /// Fail at once, since the output cannot be withdrawn.
    Stop,
}

impl<'a, W: Write + Send> Packing<'a, W> {
    pub(super) fn new(
        (sources, work): (&'a InputOptions, &WorkOptions),
        form: SegmentForm,
        bar: Bar,
        report: Option<Report>,
        output: W,
    ) -> Packing<'a, W> {
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
            totals: RunTotals::new(),
            output,
        }
    }

    /// Packs all inputs; `first` is the first of them if it is already open. Returns
    /// [`Exit::Partly`] if one has no game.
    pub(super) fn all(
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
        let mut reader = Suspecting::new(Tolerant::new(source.reader, tolerates));
        let read_as = &self.sources.read_as;
        let kind = read_as.text_of(&source.name);
        // Games can only be left out of a text in UTF-8, and the rest is not the source anyway.
        let packed = match self.known.is_some() {
            true => {
                let mut text = DecodedSource::new(&mut reader, encoding);
                self.pack(&mut text, &source.name, (kind, None), label)?
            }
            false => self.pack(&mut reader, &source.name, (kind, encoding), label)?,
        };
        if let Some(summary) = packed.as_ref().filter(|_| !self.quiet) {
            self.bar.finish();
            reader.tell(summary, encoding, read_as.encoding, label);
        }
        let Some(error) = &reader.inner.truncated else {
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
        if let Some(error) = games.take_error() {
            return Err(error.into());
        }
        let (packed, counts) = (packed?, games.counts());
        self.left_out += counts.known;
        if packed
            .as_ref()
            .is_some_and(|packed| packed.games != counts.kept)
        {
            // No byte would be lost, but two games would read as one.
            bail!(
                "two games would run together without the known games between them: add this file without --skip-known and --skip-duplicates"
            );
        }
        Ok(packed)
    }
}

/// Packs the text that `give` writes to the feed, as a source named after the output. If `give`
/// fails, the error names one of `archives`. Also returns the result of `give`.
pub(super) fn repack<S: Send>(
    archives: &[&Archive],
    give: impl FnOnce(&mut Feed) -> Result<S, ArchiveFault> + Send,
    (path, mut output): (&Path, &mut Output),
    options: &PackOptions,
    indexing: Option<&mut Indexing<'_>>,
) -> anyhow::Result<(Summary, S)> {
    let stem = path.file_stem().unwrap_or_default();
    let name = format!("{}.pgn", stem.to_string_lossy());
    let mut watch = CountingWatch(None);
    // The archive that an error of `give` is about.
    let mut blamed = None;
    let fed = feed(
        |feed| {
            give(feed).map_err(|fault| {
                blamed = fault.archive;
                fault.error
            })
        },
        |source| pack_indexed(source, &name, &mut output, options, &mut watch, indexing),
    );
    fed.map_err(|error| match blamed {
        Some(archive) => failure::with_name(error.into(), || shown(archives[archive].path())),
        None => failure::with_name(error.into(), || shown(path)),
    })
}
