//! `pgc pack`.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::bail;
use pgc::{Drops, Loss, SegmentForm};
use pgc_io::input::Counter;
use pgc_io::output::Output;

use super::archive::open_input;
use super::destination;
use super::failure::{Exit, WithName};
use super::index::make;
use super::indexed::{self, NewArchive};
use super::inputs::{self, Inputs};
use super::output::{is_stdin, note, shown};
use super::pack_args::PackArgs;
use super::packing::{CutOff, Packing};
use super::report::Report;
use super::summary;
use super::watch::Bar;

pub(super) fn run(args: &PackArgs) -> anyhow::Result<Exit> {
    let inputs = inputs::collect(&args.sources.paths, args.sources.read_as)?;
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
    let has_index = !args.to.no_index && !output.is_stream();
    let new = place
        .as_deref()
        .map(|path| NewArchive::new(path, has_index, args.to.force));
    let new = new.transpose()?;
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
    // With --standard the index is made from the finished archive.
    let collects = new.as_ref().filter(|_| !args.standard);
    packing.indexing = collects.and_then(|new| new.indexing(&args.work, args.to.extras()));
    let done = packing.all(&inputs, Some(first), &counter);
    end(args, packing, done, new)
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

fn drops(names: &[String]) -> Drops {
    let is_named = |loss: &Loss| {
        names
            .iter()
            .any(|name| name == "all" || name == loss.name())
    };
    Drops(Loss::ALL.into_iter().filter(is_named).collect())
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
        let input = shown(input);
        bail!("{input}: holds several files: name the archive with -o");
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
        let placed = match &new {
            Some(new) => new.place(packing.output, |file, out| match packing.indexing {
                Some(indexing) => indexed::finish(indexing, out),
                None => {
                    let options = args.work.index(new.path, args.to.extras());
                    Ok(make((new.path, file), &options, out, true)?.0)
                }
            }),
            None => packing
                .output
                .commit()
                .map(|()| Ok(None))
                .map_err(Into::into),
        };
        Ok((exit, placed.named(|| shown_name.to_owned())?))
    });
    let totals = packing.totals;
    let json = totals.json(name, placed.is_ok() && !packing.is_partial);
    packing.findings.tell(&json, placed.is_ok(), quiet)?;
    let (exit, indexed) = placed?;
    let written = indexed.as_ref().ok().copied().flatten();
    let index = new
        .as_ref()
        .and_then(|new| new.told(written, totals.sum.games));
    summary::tell(&args.work, json, &totals.lines(shown_name), index)?;
    indexed?;
    if let Some(new) = new {
        new.tell_left(quiet);
    }
    let dropped = totals.sum.losses.iter().any(|(_, count)| *count > 0);
    Ok(exit.max(Exit::partly_if(packing.is_partial || dropped)))
}
