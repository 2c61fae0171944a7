//! `pgc add`.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use pgc::beside::{index_path, map_index};
use pgc::indexing::Indexing;
use pgc::join::convert::copy_segments;
use pgc::join::identity::SkipRule;
use pgc::join::known::{KnownGames, NewGames};
use pgc::stream::addition::{Addition, AdditionError, Unfinished};
use pgc::{Archive, IndexState};
use pgc::{PackOptions, SourceEncoding, SourceText, Summary};
use pgc_index::{Extras, IndexError};
use pgc_io::NamedWriter;
use pgc_io::input::{Counter, Source};
use pgc_io::output::Output;
use pgc_pgn::encoding::DecodedSource;

use super::destination;
use super::encodings::Suspecting;
use super::exit::Exit;
use super::failure::{self, WithName};
use super::index::make;
use super::indexed;
use super::inputs::{self, Inputs, Tolerant};
use super::interrupt;
use super::mistaken::{self, Given};
use super::open::is_stdin;
use super::options::NEW_INDEX;
use super::output::{counted, grouped, note, shown};
use super::pack_args::AddArgs;
use super::progress::Bar;
use super::report::Report;
use super::summary::{self, RunTotals};
use super::watch::{ArchiveWatch, Findings, Watch};

pub(super) fn run(args: &AddArgs) -> anyhow::Result<Exit> {
    if is_stdin(&args.archive) {
        bail!("pgc add changes an archive in place: name a file, not standard input");
    }
    let inputs = args.sources.collect()?;
    mistaken::refuse_other_file(&args.archive)?;
    refuse_itself(&args.archive, &inputs)?;
    if inputs.paths.is_empty() {
        note("no PGN or EPD files found");
        return Ok(Exit::Partly);
    }
    let place = index_path(&args.archive);
    if !args.no_index {
        // Checked before the work, so that a refusal costs nothing.
        indexed::may_replace(&place, false)?;
    }
    let mut kept = inputs.paths.clone();
    kept.push(args.archive.clone());
    let path = args.sources.report.as_deref();
    let report = Report::open(path, args.work.json, args.force, &kept)?;
    let addition = begin(args)?;
    let archive = indexed::read(&args.archive)?.cancelled_by(|_| interrupt::requested());
    let (plan, indexing) = IndexPlan::new(args, &archive)?;
    let known = match args.skip_rule() {
        Some(rule) => Some(known_games(args, rule, &archive)?),
        None => None,
    };
    let counter = Counter::default();
    let mut job = AddJob {
        args,
        plan,
        indexing,
        known,
        bar: Bar::new(inputs.bytes, &counter, args.work.run.quiet),
        findings: Findings {
            report,
            ..Findings::default()
        },
        totals: RunTotals::new(),
        left_out: 0,
        addition,
    };
    let (result, exit) = match job.all(&inputs, &counter) {
        Ok(exit) => (Ok(()), exit),
        Err(error) => (Err(error), Exit::Done),
    };
    job.bar.finish();
    let added = job.end(result);
    drop(archive);
    added.tell(args)?;
    Ok(exit)
}

impl AddArgs {
    fn skip_rule(&self) -> Option<SkipRule> {
        match (self.skip_known, self.skip_duplicates) {
            (true, _) => Some(SkipRule::Known),
            (false, true) => Some(SkipRule::Copies),
            (false, false) => None,
        }
    }
}

/// The set of games that the archive already has.
fn known_games<'a>(
    args: &AddArgs,
    rule: SkipRule,
    archive: &'a Archive,
) -> anyhow::Result<KnownGames<'a>> {
    let folder = args.work.build(&args.archive, NEW_INDEX).temp_dir;
    // A hash that cannot be read means that the index is damaged: its hashes are not used then.
    let mut hashes = archive
        .index()
        .filter(|index| index.has_hashes() && rule == SkipRule::Known)
        .map(|index| {
            let missing =
                || pgc::Error::from(std::io::Error::from(std::io::ErrorKind::InvalidData));
            (0..index.games()).map(move |game| index.hash(game).ok().flatten().ok_or_else(missing))
        });
    let hashes = hashes
        .as_mut()
        .map(|hashes| hashes as &mut dyn Iterator<Item = _>);
    KnownGames::new(archive, rule, hashes, &folder, args.work.run.jobs)
        .named(|| shown(&args.archive))
}

/// What happens to the index.
#[derive(Clone, Debug, PartialEq, Eq)]
enum IndexPlan {
    /// It stays as it is.
    Leave,
    /// The new games are added to it; it has these extras.
    Extend(Extras),
    /// It is made again from the archive, with these extras; the string is the reason to print.
    Anew(Extras, Option<String>),
}

impl IndexPlan {
    /// Chooses the plan; for [`IndexPlan::Extend`] also returns the index to extend.
    fn new<'a>(
        args: &AddArgs,
        archive: &'a Archive,
    ) -> anyhow::Result<(IndexPlan, Option<Indexing<'a>>)> {
        if args.no_index {
            return Ok((IndexPlan::Leave, None));
        }
        let new = Extras {
            hashes: args.skip_known,
            ..NEW_INDEX
        };
        let unfit = |why: &dyn std::fmt::Display| Some(format!("its index cannot be used: {why}"));
        Ok(match (archive.index(), archive.index_state()) {
            (Some(index), _) if index.has_hashes() || !args.skip_known => {
                let extras = index.extras();
                let mut indexing = Indexing::new(args.work.build(&args.archive, extras));
                match indexing.append(index, archive, args.work.run.jobs) {
                    Ok(()) => (IndexPlan::Extend(extras), Some(indexing)),
                    // Reading failed; the index may be fine.
                    Err(IndexError::Io(error)) => return Err(error).named(|| shown(&args.archive)),
                    Err(error) => (IndexPlan::Anew(extras, unfit(&error)), None),
                }
            }
            // The index is fine but has no hashes. No reason is printed, since this is no fault.
            (Some(index), _) => {
                let extras = Extras {
                    hashes: true,
                    ..index.extras()
                };
                (IndexPlan::Anew(extras, None), None)
            }
            (None, IndexState::NotMine(why) | IndexState::Damaged(why)) => {
                (IndexPlan::Anew(new, unfit(why)), None)
            }
            (None, _) => (IndexPlan::Anew(new, Some("has no index".to_owned())), None),
        })
    }
}

/// Refuses the archive among its own inputs: it would be read while it grows.
fn refuse_itself(archive: &Path, inputs: &Inputs) -> anyhow::Result<()> {
    let Ok(archive) = fs::canonicalize(archive) else {
        return Ok(());
    };
    match inputs
        .paths
        .iter()
        .find(|input| fs::canonicalize(input).is_ok_and(|input| input == archive))
    {
        Some(input) => bail!(
            "{}: is the archive itself, and cannot be an input too",
            shown(input)
        ),
        None => Ok(()),
    }
}

fn begin(args: &AddArgs) -> anyhow::Result<Addition> {
    let path = args.archive.as_path();
    let shown = shown(path);
    let unfinished = if args.discard_unfinished {
        Unfinished::Discard
    } else {
        // Opening the index has verified the checksum of the archive length.
        Unfinished::Check {
            indexed: map_index(&index_path(path))
                .ok()
                .map(|index| index.archive_length()),
        }
    };
    let addition = Addition::begin(path, unfinished).map_err(|error| match error {
        AdditionError::Io(error) if error.kind() == std::io::ErrorKind::NotFound => {
            anyhow!("{shown}: no such archive (create it with pgc pack)")
        }
        AdditionError::Empty => anyhow!("{shown}: is empty: create an archive with pgc pack -f"),
        AdditionError::Foreign => anyhow!("{shown}: is not an archive made by pgc{}", advice(path)),
        AdditionError::Archive(error) => anyhow::Error::from(pgc::Error::from(error))
            .context(format!("{shown}: nothing was added")),
        AdditionError::Precious {
            offset,
            games,
            what,
        } => {
            let what = format!("{what} (to cut it off anyway, use --discard-unfinished)");
            anyhow::Error::from(pgc::Error::Damaged {
                offset,
                game: games,
                item: "unfinished addition",
                what,
            })
            .context(format!("{shown}: nothing was added"))
        }
        error => anyhow::Error::from(error).context(shown.clone()),
    })?;
    let cut = addition.before().unfinished;
    if cut > 0 {
        note(&format!(
            "{shown}: an unfinished addition of {} was cut off",
            counted(cut, "byte", "bytes")
        ));
    }
    Ok(addition)
}

/// Advice about a file that is not an archive made by pgc, judged by its first byte.
fn advice(path: &Path) -> &'static str {
    let mut begin = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read(&mut begin));
    let begin = &begin[..read.unwrap_or(0)];
    match begin.first() {
        Some(0x1f | 0x28 | 0x42 | 0xfd) => "; perhaps it is compressed: decompress it first",
        Some(0..=10) => " but PGC of another program: run pgc unpack, then pgc pack on the PGN",
        _ => ", and nothing can be added to it (pgc pack turns PGN into an archive)",
    }
}

struct AddJob<'a> {
    args: &'a AddArgs,
    plan: IndexPlan,
    /// The index being extended, for [`IndexPlan::Extend`].
    indexing: Option<Indexing<'a>>,
    known: Option<KnownGames<'a>>,
    bar: Bar,
    findings: Findings,
    totals: RunTotals,
    /// Games left out by --skip-known or --skip-duplicates.
    left_out: u64,
    addition: Addition,
}

impl AddJob<'_> {
    fn all(&mut self, inputs: &Inputs, counter: &Counter) -> anyhow::Result<Exit> {
        let quiet = self.args.work.run.quiet;
        inputs::each_source(inputs, None, counter, quiet, |source, label| {
            self.one(source, label)
        })
    }

    /// Adds a source; returns whether it has games.
    fn one(&mut self, given: Given, label: &str) -> anyhow::Result<bool> {
        let before = self.totals.sum.games;
        match given {
            Given::Pgn(source, encoding) => self.text(source, encoding, label),
            // Games can only be left out of a text, so the archive is unpacked and packed again.
            Given::Archive(source) if self.known.is_some() => {
                let (bar, threads) = (self.bar.clone(), self.args.work.run.jobs);
                inputs::each_text(source, label, &bar, threads, |name, kind, text| {
                    let packed = self.pack(text, name, (kind, None), label);
                    if let Some(summary) = packed.named(|| label.to_owned())? {
                        self.totals.add(&summary);
                    }
                    Ok(())
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
        let (options, indexing) = (self.options(), self.indexing.as_mut());
        let out = &mut NamedWriter::new(&mut self.addition, shown(&self.args.archive));
        let copied = copy_segments(&mut source.reader, out, &options, &mut watch, indexing);
        let copied = copied.named(|| label.to_owned())?;
        inputs::within(self.args.sources.paths.max_input, &copied)
            .with_context(|| label.to_owned())?;
        copied.iter().for_each(|summary| self.totals.add(summary));
        Ok(())
    }

    fn options(&self) -> PackOptions {
        PackOptions {
            verify: !self.args.sources.no_verify,
            threads: self.args.work.run.jobs,
            form: destination::form_of(&self.args.archive),
            ..PackOptions::default()
        }
    }

    fn text(
        &mut self,
        source: Source,
        encoding: Option<SourceEncoding>,
        label: &str,
    ) -> anyhow::Result<()> {
        let mut reader = Suspecting::new(Tolerant::new(source.reader, true));
        let read_as = &self.args.sources.read_as;
        let kind = read_as.text_of(&source.name);
        // Games can only be left out of a text in UTF-8, and the rest is not the source anyway.
        let summary = match self.known.is_some() {
            true => {
                let mut text = DecodedSource::new(&mut reader, encoding);
                self.pack(&mut text, &source.name, (kind, None), label)
            }
            false => self.pack(&mut reader, &source.name, (kind, encoding), label),
        };
        let summary = summary.named(|| label.to_owned())?;
        if let Some(summary) = summary.as_ref().filter(|_| !self.args.work.run.quiet) {
            self.bar.finish();
            reader.tell(summary, encoding, read_as.encoding, label);
        }
        if let Some(error) = &reader.get_ref().truncated {
            let games = summary.map_or(0, |summary| summary.games);
            let games = counted(games, "game was", "games were");
            bail!("{label}: {error}: {games} read before that, and none is added");
        }
        if let Some(summary) = summary {
            self.totals.add(&summary);
        }
        Ok(())
    }

    /// Packs the new games of a source; `None` if there are none.
    fn pack(
        &mut self,
        reader: &mut (dyn Read + Send),
        name: &str,
        (kind, encoding): (SourceText, Option<SourceEncoding>),
        label: &str,
    ) -> anyhow::Result<Option<Summary>> {
        let options = PackOptions {
            text: Some(kind),
            encoding,
            ..self.options()
        };
        let mut watch = Watch {
            bar: &self.bar,
            findings: Some(&mut self.findings),
            source: label,
        };
        // Errors of writing name the archive, not the source.
        let out = &mut NamedWriter::new(&mut self.addition, shown(&self.args.archive));
        let indexing = &mut self.indexing;
        let mut pack = |source: &mut (dyn Read + Send)| match indexing {
            Some(indexing) => {
                pgc::pack::pack_indexed(source, name, out, &options, &mut watch, indexing)
            }
            None => pgc::pack(source, name, out, &options, &mut watch),
        };
        if self.known.is_some() && kind == SourceText::Epd {
            bail!("{name}: is EPD: add it without --skip-known and --skip-duplicates");
        }
        let Some(known) = &mut self.known else {
            return Ok(Some(pack(reader)?));
        };
        let mut games = NewGames::new(reader, kind, known);
        let any = games.any()?;
        let packed = if any {
            pack(&mut games).map(Some)
        } else {
            Ok(None)
        };
        if let Some(error) = games.take_error() {
            return Err(error.into());
        }
        let (summary, counts) = (packed?, games.counts());
        self.left_out += counts.known;
        if let Some(summary) = &summary
            && summary.games != counts.kept
        {
            // No byte would be lost, but two games would read as one.
            bail!(
                "two games would run together without the known games between them: add this file without --skip-known and --skip-duplicates"
            );
        }
        Ok(summary)
    }

    /// Makes the addition part of the archive, or cuts it off. The index is not moved to its place
    /// yet: this job maps the old index, and some systems cannot replace a mapped file.
    fn end(mut self, result: anyhow::Result<()>) -> Added {
        let name = shown(&self.args.archive);
        let committed = result.and_then(|()| self.addition.commit().with_context(|| name));
        let index = match (self.plan, self.indexing) {
            _ if committed.is_err() => NewIndex::None,
            (IndexPlan::Extend(extras), Some(indexing)) if !self.addition.is_empty() => {
                NewIndex::Extended(extend(self.args, indexing), extras)
            }
            (IndexPlan::Leave | IndexPlan::Extend(_), _) => NewIndex::None,
            (IndexPlan::Anew(extras, why), _) => NewIndex::Anew(extras, why),
        };
        Added {
            committed,
            index,
            findings: self.findings,
            totals: self.totals,
            left_out: self.left_out,
            addition: self.addition,
        }
    }
}

/// The index of the archive with its new games.
enum NewIndex {
    /// The old one stays, or there is none.
    None,
    /// The old index, extended but not moved to its place yet, and its length. If extending failed,
    /// the index is made from the archive, with these extras.
    Extended(anyhow::Result<(Box<Output>, u64)>, Extras),
    /// To be made from the archive, with these extras; the string is the reason to print.
    Anew(Extras, Option<String>),
}

/// The result of an addition, which is part of the archive or failed.
struct Added {
    /// The new length of the archive in bytes, or why the addition failed.
    committed: anyhow::Result<u64>,
    index: NewIndex,
    findings: Findings,
    totals: RunTotals,
    /// Games left out by --skip-known or --skip-duplicates.
    left_out: u64,
    addition: Addition,
}

impl Added {
    /// Places the index and prints the summary.
    fn tell(self, args: &AddArgs) -> anyhow::Result<()> {
        let name = shown(&args.archive);
        let (before, nothing) = (self.addition.before(), self.addition.is_empty());
        // After a failure, dropping the addition cuts it off now, before anything is printed.
        // Otherwise the lock is held until the index is written too.
        let lock = self.committed.is_ok().then_some(self.addition);
        let indexed = place_index(args, self.index);
        drop(lock);
        let mut json = self.totals.json(Some(&name), self.committed.is_ok());
        let left_out_as = |rule| match args.skip_rule() == Some(rule) {
            true => self.left_out,
            false => 0,
        };
        json["known"] = left_out_as(SkipRule::Known).into();
        json["duplicates"] = left_out_as(SkipRule::Copies).into();
        let quiet = args.work.run.quiet;
        self.findings.tell(&json, self.committed.is_ok(), quiet)?;
        let length = self.committed?;
        let games = before.games.saturating_add(self.totals.sum.games);
        let written = indexed.as_ref().ok().and_then(Option::as_ref);
        json["archive_games"] = games.into();
        json["archive_bytes"] = length.into();
        let mut lines = self.totals.lines(&format!("{name}: added"));
        if self.left_out > 0 {
            let what = match args.skip_duplicates {
                true => format!("{} left out", counted(self.left_out, "copy", "copies")),
                false => format!("{} already known", counted(self.left_out, "game", "games")),
            };
            lines.push(format!("  {what}"));
        }
        let all = counted(games, "game", "games");
        lines.push(format!("  now {all} in {} bytes", grouped(length)));
        let index = written.map(|(place, bytes)| (place.as_path(), *bytes, games));
        summary::tell(&args.work, json, &lines, index)?;
        indexed?;
        if args.no_index && !nothing && !quiet {
            indexed::tell_outdated(&args.archive);
        }
        Ok(())
    }
}

/// Places the index of the archive as it is now; returns its path and its length.
fn place_index(args: &AddArgs, index: NewIndex) -> anyhow::Result<Option<(PathBuf, u64)>> {
    let place = index_path(&args.archive);
    let written = match index {
        NewIndex::None => return Ok(None),
        NewIndex::Anew(extras, why) => {
            if let Some(why) = why.filter(|_| !args.work.run.quiet) {
                note(&format!("{}: {why}: making it now", shown(&args.archive)));
            }
            make_anew(args, extras, &place)
        }
        NewIndex::Extended(extended, extras) => {
            let placed = extended.and_then(|(output, bytes)| {
                output.commit().with_context(|| shown(&place))?;
                Ok(bytes)
            });
            match placed {
                Err(error) if !failure::is_quiet(&error) => {
                    note(&format!(
                        "{}: cannot be extended, making it again: {error:#}",
                        shown(&place)
                    ));
                    make_anew(args, extras, &place)
                }
                done => done,
            }
        }
    };
    let bytes = written.with_context(|| {
        let archive = shown(&args.archive);
        format!("the games are in {archive}, but its index does not fit (make it with `pgc index {archive}`)")
    })?;
    Ok(Some((place, bytes)))
}

/// Makes the index from the archive; returns its length.
fn make_anew(args: &AddArgs, extras: Extras, place: &Path) -> anyhow::Result<u64> {
    let options = args.work.index(place, extras);
    let mut output = indexed::create(place, false, &args.archive)?;
    let (bytes, _) = make(&args.archive, &options, &mut output, args.work.run.quiet)?;
    output.commit().with_context(|| shown(place))?;
    Ok(bytes)
}

/// Writes the extended index to a temporary file, which the caller commits; returns it and its
/// length in bytes.
fn extend(args: &AddArgs, indexing: Indexing<'_>) -> anyhow::Result<(Box<Output>, u64)> {
    let place = index_path(&args.archive);
    let mut output = indexed::create(&place, false, &args.archive)?;
    let bytes = indexed::finish(indexing, &mut output)?;
    Ok((Box::new(output), bytes))
}
