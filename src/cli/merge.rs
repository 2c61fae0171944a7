//! `pgc merge`.

use std::fs::File;
use std::path::Path;

use anyhow::bail;
use pgc::ask::texts::TextOptions;
use pgc::join::boundary::Joiner;
use pgc::join::convert::copy_segments;
use pgc::join::merge::{Copied, copy_archive, in_collating_order};
use pgc::stream::addition::{AdditionError, Extent, extent};
use pgc::{Archive, NoHooks, PackOptions, SourceText, Summary};
use pgc_io::input::Counter;
use pgc_io::output::Output;
use serde_json::json;

use super::archive;
use super::destination;
use super::failure::{Exit, WithName};
use super::index::make;
use super::indexed::{self, NewArchive};
use super::mistaken;
use super::output::{counted, grouped, is_stdin, shown};
use super::pack_args::MergeArgs;
use super::packing::repack;
use super::summary::{self, RunTotals};
use super::watch::{ArchiveWatch, Bar};

pub(super) fn run(args: &MergeArgs) -> anyhow::Result<Exit> {
    destination::refuse_other_ending(&args.output)?;
    if args.archives.iter().any(|path| is_stdin(path)) || is_stdin(&args.output) {
        bail!("pgc merge works on files, not on standard input or output");
    }
    let args = &MergeArgs {
        archives: archive::collection(&args.archives)?,
        ..args.clone()
    };
    let (mut source, form) = (0_u64, destination::form_of(&args.output));
    let mut same = true;
    for path in &args.archives {
        let extent = of_ours(path)?;
        source = source.saturating_add(extent.source);
        same &= extent.is_all(form);
    }
    let new = NewArchive::new(&args.output, !args.to.no_index, args.to.force)?;
    let output = new.create(&args.archives)?;
    match args.sorted {
        true => sorted(args, &new, output, source)?,
        false => joined(args, &new, output, same)?,
    }
    new.tell_left(args.work.run.quiet);
    Ok(Exit::Done)
}

/// Checks that an archive has segments that can be merged.
fn of_ours(path: &Path) -> anyhow::Result<Extent> {
    mistaken::refuse_other_file(path)?;
    let file = File::open(path).at(path)?;
    match extent(&file) {
        Ok(extent) => Ok(extent),
        Err(AdditionError::Empty) => Ok(Extent::default()),
        Err(AdditionError::Foreign) => bail!(
            "{}: is not an archive made by pgc: turn it into PGN with pgc unpack, then pack that",
            shown(path)
        ),
        Err(AdditionError::Archive(mut error)) => {
            // `extent` does not count games: test the archive for an error with the game number.
            if matches!(error, pgc::Error::Damaged { offset: 1.., .. }) {
                let mut file = File::open(path).at(path)?;
                let told = pgc::test(&mut file, true, false, 1, &mut NoHooks);
                error = told.err().unwrap_or(error);
            }
            Err(anyhow::Error::from(error).context(shown(path)))
        }
        Err(error) => Err(anyhow::Error::from(error).context(shown(path))),
    }
}

/// Opens the archives, without their indexes, which would decide what is written.
fn open_all(args: &MergeArgs) -> anyhow::Result<Vec<Archive>> {
    let options = indexed::IN_ORDER.with_index(false);
    let paths = args.archives.iter();
    paths.map(|path| indexed::open(path, options)).collect()
}

/// Copies the segments of the archives one after another; byte for byte if all have the `same` form
/// as the output.
fn joined(
    args: &MergeArgs,
    new: &NewArchive<'_>,
    mut output: Output,
    same: bool,
) -> anyhow::Result<()> {
    let archives = open_all(args)?;
    let (mut bytes, mut segments, mut games) = (0, 0, 0);
    let options = PackOptions {
        threads: args.work.run.jobs,
        form: destination::form_of(&args.output),
        ..PackOptions::default()
    };
    // In another form the blocks have other offsets, so the indexes cannot be joined: the index is
    // made while the archive is written.
    let mut indexing = match same {
        true => None,
        false => new.indexing(&args.work, args.to.lines()),
    };
    let all = archives.iter().map(Archive::size).sum();
    let counter = Counter::default();
    let bar = Bar::new(Some(all), &counter, args.work.run.quiet);
    for path in &args.archives {
        let mut source = archive::open(path, &counter)?;
        let mut hooks = ArchiveWatch::new(shown(path), Some(&bar));
        let reader = &mut source.reader;
        let copied = if same {
            copy_archive(reader, &mut output, &mut hooks)
        } else {
            copy_segments(reader, &mut output, &options, &mut hooks, indexing.as_mut()).map(sum)
        };
        let copied = copied.at(path)?;
        bytes += copied.bytes;
        segments += copied.segments;
        games += copied.games;
    }
    bar.finish();
    let placed = new.place(output, |file, out| match indexing {
        Some(indexing) => indexed::finish(indexing, out),
        // An index cannot be taken over: only the games tell whether its rows are true.
        None => {
            let options = args.work.index(new.path, args.to.lines());
            let merged = (args.output.as_path(), file);
            Ok(make(merged, &options, out, args.work.run.quiet)?.0)
        }
    });
    let index = new.told(placed??, games);
    let value = json!({
        "output": args.output.display().to_string(),
        "archives": archives.len(),
        "sources": segments,
        "games": games,
        "bytes_out": bytes,
    });
    let (output, sources) = (shown(&args.output), counted(segments, "source"));
    let (games, bytes) = (counted(games, "game"), grouped(bytes));
    let line = format!("{output}: {sources}, {games}, {bytes} bytes");
    Ok(summary::tell(&args.work, value, &[line], index)?)
}

fn sum(segments: Vec<Summary>) -> Copied {
    Copied {
        segments: segments.len() as u64,
        bytes: segments.iter().map(|segment| segment.bytes_out).sum(),
        games: segments.iter().map(|segment| segment.games).sum(),
    }
}

/// Packs all games into one segment, in collating order.
fn sorted(
    args: &MergeArgs,
    new: &NewArchive<'_>,
    mut output: Output,
    source: u64,
) -> anyhow::Result<()> {
    let mut totals = RunTotals::new();
    let temp_dir = args.work.build(new.path, args.to.lines()).temp_dir;
    let archives = open_all(args)?.into_iter();
    let archives: Vec<Archive> = archives
        .map(|archive| archive.with_temp_dir(&temp_dir))
        .collect();
    archives.iter().for_each(indexed::tell_unfinished);
    let archives: Vec<&Archive> = archives.iter().collect();
    let texts = TextOptions {
        threads: args.work.run.jobs,
        memory: args.work.memory / 4,
        temp_dir,
    };
    let options = PackOptions {
        verify: !args.no_verify,
        threads: args.work.run.jobs,
        form: destination::form_of(&args.output),
        text: Some(SourceText::Pgn),
        ..PackOptions::default()
    };
    let mut indexing = new.indexing(&args.work, args.to.lines());
    let packed = repack(
        &archives,
        |feed| {
            let (mut joiner, mut bytes) = (Joiner::new(), 0_u64);
            let games = in_collating_order(&archives, &texts, &mut |text| {
                bytes += text.len() as u64;
                let mut parts = joiner.next(text).into_iter();
                parts.try_for_each(|part| feed.write(part))
            })?;
            Ok((games, bytes, joiner.closed()))
        },
        (&args.output, &mut output),
        &options,
        indexing.as_mut(),
    );
    let (packed, (games, bytes, closed)) = packed?;
    if packed.games != games {
        let became = packed.games;
        bail!("{games} games became {became}: please report this");
    }
    let index = new.told(new.finish(output, indexing)??, games);
    totals.add(&packed);
    tell_sorted(args, &totals, index, (source.saturating_sub(bytes), closed))
}

/// Tells how the sorted games were packed, and of bytes of text left out and games that were closed.
fn tell_sorted(
    args: &MergeArgs,
    totals: &RunTotals,
    index: Option<(&Path, u64, u64)>,
    (left_out, closed): (u64, u64),
) -> anyhow::Result<()> {
    let mut value = totals.json(Some(&args.output.display().to_string()), true);
    value["archives"] = args.archives.len().into();
    value["text_left_out"] = left_out.into();
    value["closed"] = closed.into();
    let lines = totals.lines(&shown(&args.output));
    summary::tell(&args.work, value, &lines, index)?;
    if !args.work.run.quiet && !args.work.json {
        summary::aside(left_out, closed);
    }
    Ok(())
}
