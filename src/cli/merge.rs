//! `pgc merge`.

use std::fs::File;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use pgc::Archive;
use pgc::archive::ask::texts::TextOptions;
use pgc::archive::fault::ArchiveFault;
use pgc::archive::indexing::run::{IndexOptions, Indexing};
use pgc::archive::join::boundary::Joiner;
use pgc::archive::join::feed::feed;
use pgc::archive::join::merge::{copy_archive, in_collating_order};
use pgc::archive::open::index_path;
use pgc::archive::stream::addition::{AdditionError, extent};
use pgc::index::BuildOptions;
use pgc::io::input::Counter;
use pgc::io::output::Output;
use pgc::{PackOptions, Summary};
use serde_json::{Value, json};

use super::archive;
use super::args::Merge;
use super::destination;
use super::exit::Exit;
use super::failure::{self, Named};
use super::index::make;
use super::indexed::{self, Interruptible};
use super::inputs::is_stdin;
use super::interrupt;
use super::mistaken;
use super::output::{counted, grouped, note_line, print_json, shown};
use super::progress::Bar;
use super::split::{Asked, aside};
use super::summary::Totals;
use super::watch::Reading;

pub(super) fn run(args: &Merge) -> anyhow::Result<Exit> {
    if args.archives.iter().any(|path| is_stdin(path)) || is_stdin(&args.output) {
        bail!("archives are merged from file to file");
    }
    let mut source = 0_u64;
    for path in &args.archives {
        source = source.saturating_add(of_ours(path)?);
    }
    let place = index_path(&args.output);
    if !args.no_index {
        // Asked before the work is done.
        indexed::may_replace(&place, args.force)?;
    }
    let output = destination::create(&args.output, args.force, &args.archives)?;
    if output.is_stream() {
        bail!("{}: is no file", shown(&args.output));
    }
    if args.sorted {
        sorted(args, output, &place, source)
    } else {
        joined(args, output, &place)
    }
}

/// Looks at heads and tails; gives the bytes of the sources. What is not ours has no segments that
/// could be joined.
fn of_ours(path: &Path) -> anyhow::Result<u64> {
    mistaken::refuse_other_file(path, false)?;
    let file = File::open(path).named(|| shown(path))?;
    match extent(&file) {
        Ok(extent) => Ok(extent.source),
        Err(AdditionError::Empty) => Ok(0),
        Err(AdditionError::Foreign) => {
            bail!(
                "{}: is no archive of pgc: pgc unpack makes PGN of PGC, pgc pack makes an archive of PGN",
                shown(path)
            )
        }
        Err(AdditionError::Archive(error)) => {
            Err(anyhow::Error::from(pgc::Error::from(error)).context(shown(path)))
        }
        Err(error) => Err(anyhow::Error::from(error).context(shown(path))),
    }
}

fn build(args: &Merge, place: &Path) -> BuildOptions {
    indexed::build_options(
        args.memory.memory,
        args.memory.temp_dir.as_deref(),
        place,
        false,
    )
}

/// The segments one behind the other.
fn joined(args: &Merge, mut output: Output, place: &Path) -> anyhow::Result<Exit> {
    let archives: Vec<Archive> = args
        .archives
        .iter()
        .map(|path| Archive::open(path).named(|| shown(path)))
        .collect::<Result<_, _>>()?;
    let (mut bytes, mut segments, mut games) = (0, 0, 0);
    let all = archives
        .iter()
        .map(|archive| archive.bytes().len() as u64)
        .sum();
    let counter = Counter::default();
    let bar = Bar::new(Some(all), &counter, args.run.quiet);
    for path in &args.archives {
        let mut source = archive::open(path, &counter)?;
        let mut hooks = Reading::new(shown(path), Some(&bar));
        let copied =
            copy_archive(&mut source.reader, &mut output, &mut hooks).named(|| shown(path))?;
        bytes += copied.bytes;
        segments += copied.segments;
        games += copied.games;
    }
    bar.finish();
    output.commit().named(|| shown(&args.output))?;
    let index = if args.no_index {
        None
    } else {
        Some(join_indexes(args, &archives, place)?)
    };
    let value = json!({
        "output": args.output.display().to_string(),
        "archives": archives.len(),
        "sources": segments,
        "games": games,
        "bytes_out": bytes,
    });
    let line = format!(
        "{}: {}, {}, {} bytes",
        shown(&args.output),
        counted(segments, "source", "sources"),
        counted(games, "game", "games"),
        grouped(bytes)
    );
    tell(
        args,
        value,
        &[line],
        index.map(|bytes| (place, bytes, games)),
    )
}

/// From those of the archives, if all have one; otherwise from the archive that was made.
fn join_indexes(args: &Merge, archives: &[Archive], place: &Path) -> anyhow::Result<u64> {
    let whole = |error: anyhow::Error| {
        let output = shown(&args.output);
        error.context(format!(
            "{output} is whole, but has no index (`pgc index {output}` makes it)"
        ))
    };
    let write = || -> anyhow::Result<u64> {
        let mut output = indexed::create(place, args.force, &args.output)?;
        let mut indexing = Indexing::new(build(args, place));
        let from_theirs = archives.iter().all(|archive| {
            archive
                .index()
                .is_some_and(|index| indexing.append(index, archive.bytes()).is_ok())
        });
        let bytes = if from_theirs {
            let mut file = File::open(&args.output)?;
            indexing
                .finish(
                    &mut file,
                    args.run.threads(),
                    &mut Interruptible(&mut output),
                )?
                .total
        } else {
            drop(indexing);
            let options = IndexOptions {
                build: build(args, place),
                threads: args.run.threads(),
                pgn2pgc: false,
            };
            make(&args.output, &options, &mut output, args.run.quiet)?.0
        };
        if interrupt::requested() {
            return Err(pgc::Error::Cancelled.into());
        }
        output.commit().named(|| shown(place))?;
        Ok(bytes)
    };
    write().map_err(whole)
}

/// One segment, its games in collating order.
fn sorted(args: &Merge, mut output: Output, place: &Path, source: u64) -> anyhow::Result<Exit> {
    let archives: Vec<Archive> = args
        .archives
        .iter()
        .map(|path| Archive::open(path).named(|| shown(path)))
        .collect::<Result<_, _>>()?;
    args.archives
        .iter()
        .zip(&archives)
        .for_each(|(path, archive)| indexed::tell_unfinished(path, archive));
    let archives: Vec<&Archive> = archives.iter().collect();
    let build = build(args, place);
    let texts = TextOptions {
        threads: args.run.threads(),
        memory: args.memory.memory / 4,
        temp_dir: build.temp_dir.clone(),
    };
    let options = PackOptions {
        verify: !args.no_verify,
        threads: args.run.threads(),
        standard: None,
    };
    let name = format!(
        "{}.pgn",
        args.output
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
    );
    let mut totals = Totals::new();
    let mut indexing = (!args.no_index).then(|| Indexing::new(build.clone()));
    // Which archive an error of the one who gives is about.
    let mut blamed = None;
    let fed = feed(
        |feed| {
            let (mut joiner, mut bytes) = (Joiner::new(), 0_u64);
            let games = in_collating_order(&archives, &build, &texts, &mut |text| {
                bytes += text.len() as u64;
                joiner
                    .next(text)
                    .into_iter()
                    .try_for_each(|part| feed.write(part))
            })
            .map_err(|fault| {
                blamed = fault.archive;
                fault.error
            })?;
            Ok((games, bytes, joiner.closed()))
        },
        |source| -> Result<Summary, pgc::Error> {
            match &mut indexing {
                Some(indexing) => pgc::archive::pack::run::pack_indexed(
                    source,
                    &name,
                    &mut output,
                    &options,
                    &mut Asked,
                    indexing,
                ),
                None => pgc::pack(source, &name, &mut output, &options, &mut Asked),
            }
        },
    );
    let (packed, given) = fed.map_err(|error| {
        failure::of_archive(
            ArchiveFault {
                archive: blamed,
                error,
            },
            |archive| archives[archive].path(),
        )
    })?;
    let (games, bytes, closed) = given;
    if packed.games != games {
        return Err(anyhow!(
            "{games} games became {}: please report this",
            packed.games
        ));
    }
    totals.add(&packed);
    output.commit().named(|| shown(&args.output))?;
    let index = match indexing {
        None => None,
        Some(indexing) => Some(finish_index(args, indexing, place)?),
    };
    let left_out = source.saturating_sub(bytes);
    let mut value = totals.json(Some(&args.output.display().to_string()), true);
    value["archives"] = archives.len().into();
    value["text_left_out"] = left_out.into();
    value["closed"] = closed.into();
    let done = tell(
        args,
        value,
        &totals.lines(&shown(&args.output)),
        index.map(|bytes| (place, bytes, games)),
    )?;
    if !args.run.quiet && !args.json {
        aside(left_out, closed);
    }
    Ok(done)
}

fn finish_index(args: &Merge, indexing: Indexing<'_>, place: &Path) -> anyhow::Result<u64> {
    let write = || -> anyhow::Result<u64> {
        let mut output = indexed::create(place, args.force, &args.output)?;
        let mut file = File::open(&args.output)?;
        let bytes = indexing
            .finish(
                &mut file,
                args.run.threads(),
                &mut Interruptible(&mut output),
            )?
            .total;
        output.commit()?;
        Ok(bytes)
    };
    let output = shown(&args.output);
    write().with_context(|| {
        format!("{output} is whole, but has no index (`pgc index {output}` makes it)")
    })
}

fn tell(
    args: &Merge,
    mut value: Value,
    lines: &[String],
    index: Option<(&Path, u64, u64)>,
) -> anyhow::Result<Exit> {
    if args.json {
        if let Some((place, bytes, _)) = index {
            value["index"] = json!({ "path": place.display().to_string(), "bytes": bytes });
        }
        print_json(&value)?;
    } else if !args.run.quiet {
        lines.iter().for_each(|line| note_line(line));
        if let Some((place, bytes, games)) = index {
            note_line(&format!("  {}", indexed::line(place, bytes, games)));
        }
    }
    Ok(Exit::Done)
}
