//! `pgc merge`.

use std::fs::File;
use std::path::Path;

use anyhow::bail;
use pgc::ask::order::SortKey;
use pgc::join::convert::copy_segments;
use pgc::stream::addition::extent;
use pgc::{Error, PackOptions};
use pgc_io::input::Counter;
use serde_json::json;

use crate::args::find::FindArgs;
use crate::args::pack::MergeArgs;
use crate::commands::find;
use crate::failure::{Exit, WithName};
use crate::files::archive;
use crate::files::destination;
use crate::files::indexed::NewArchive;
use crate::files::mistaken;
use crate::show::output::{counted, grouped, is_stdin, shown};
use crate::show::summary;
use crate::show::watch::{ArchiveWatch, Bar};

pub(crate) fn run(args: &MergeArgs) -> anyhow::Result<Exit> {
    destination::refuse_other_ending(&args.output)?;
    if args.archives.iter().any(|path| is_stdin(path)) || is_stdin(&args.output) {
        bail!("pgc merge works on files, not on standard input or output");
    }
    let archives = archive::collection(&args.archives)?;
    let mut all = 0;
    for path in &archives {
        refuse_others(path)?;
        all += path.metadata().at(path)?.len();
    }
    if args.sorted {
        return find::run(&sorted(args)?);
    }
    let new = NewArchive::new(&args.output, !args.to.no_index, args.to.force)?;
    let mut output = new.create(&archives)?;
    let options = PackOptions {
        threads: args.work.run.jobs,
        form: destination::form_of(&args.output),
        ..PackOptions::default()
    };
    let mut indexing = new.indexing(&args.work, args.to.lines());
    let counter = Counter::default();
    let bar = Bar::new(Some(all), &counter, args.work.run.quiet);
    let (mut bytes, mut segments, mut games) = (0, 0, 0);
    for path in &archives {
        let mut source = archive::open(path, &counter)?;
        let mut watch = ArchiveWatch::new(shown(path), Some(&bar));
        let (reader, index) = (&mut source.reader, indexing.as_mut());
        for segment in copy_segments(reader, &mut output, &options, &mut watch, index).at(path)? {
            bytes += segment.bytes_out;
            segments += 1;
            games += segment.games;
        }
    }
    bar.finish();
    let index = new.told(new.finish(output, indexing)??, games);
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
    summary::tell(&args.work, value, &[line], index)?;
    new.tell_left(args.work.run.quiet);
    Ok(Exit::Done)
}

/// The arguments of `pgc find` that write all games in collating order.
fn sorted(args: &MergeArgs) -> anyhow::Result<FindArgs> {
    let mut find = FindArgs::all_of(args.archives.clone())?;
    find.sort = Some(SortKey::Standard);
    find.output = Some(args.output.clone());
    find.force = args.to.force;
    find.memory = args.work.memory;
    find.lookup.temp_dir = args.work.temp_dir.clone();
    find.lookup.run = args.work.run.clone();
    Ok(find)
}

/// Refuses a file that is no archive of segments: one of another program, and one that is damaged
/// from its first byte on, such as zeros alone. Further damage is told where it is met.
fn refuse_others(path: &Path) -> anyhow::Result<()> {
    mistaken::refuse_other_file(path)?;
    match extent(&File::open(path).at(path)?) {
        Err(Error::Foreign) => Err(mistaken::not_ours(path)),
        Err(error @ Error::Damaged { offset: 0, .. }) => Err(error).at(path),
        _ => Ok(()),
    }
}
