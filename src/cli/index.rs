//! `pgc index`.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, bail};
use pgc::convert::{self, Error, IndexOptions};
use pgc::io::input::Counter;
use pgc::store::{Archive, IndexState, OpenOptions, map_index};
use serde_json::json;

use super::archive;
use super::args::{self, Dialect, Memory};
use super::exit::Exit;
use super::failure::Unindexed;
use super::indexed::{self, Interruptible};
use super::inputs::is_stdin;
use super::interrupt;
use super::output::{counted, note_line, print_json, print_line, shown};
use super::progress::Bar;
use super::watch::Watch;

pub(super) fn run(args: &args::Index) -> anyhow::Result<Exit> {
    if args.output.is_some() && args.archives.len() > 1 {
        bail!("several archives: each index stands beside its own, so -o makes no sense");
    }
    Ok(archive::for_each(&args.archives, |path| one(args, path)))
}

fn one(args: &args::Index, path: &Path) -> anyhow::Result<Exit> {
    if is_stdin(path) {
        bail!("standard input cannot be read twice: give a file");
    }
    let started = Instant::now();
    let place = indexed::place(path, args.output.as_ref());
    let pgn2pgc = args.dialect == Some(Dialect::Pgn2pgc);
    if args.verify {
        let games = verify(path, &place, &args.memory, args.run.threads(), args.run.quiet)?;
        if args.json {
            print_json(
                &json!({ "archive": path.display().to_string(), "index": place.display().to_string(), "ok": true, "games": games }),
            )?;
        } else {
            print_line(&format!("{}: ok: {}", shown(&place), counted(games, "game", "games")))?;
        }
        return Ok(Exit::Done);
    }
    // Says what is wrong with a file that no index can be made of.
    drop(Archive::open_with(path, OpenOptions { no_index: true, pgn2pgc }).with_context(|| shown(path))?);
    let mut output = indexed::create(&place, args.force, path)?;
    let build = indexed::build_options(args.memory.memory, args.memory.temp_dir.as_deref(), &place, args.hashes);
    let options = IndexOptions { build, threads: args.run.threads(), pgn2pgc };
    let (bytes, games) = make(path, &options, &mut output, args.run.quiet)?;
    output.commit().with_context(|| shown(&place))?;
    let seconds = started.elapsed().as_secs_f64();
    if args.json {
        print_json(&json!({
            "archive": path.display().to_string(),
            "index": place.display().to_string(),
            "games": games,
            "bytes": bytes,
            "seconds": seconds,
        }))?;
    } else if !args.run.quiet {
        note_line(&format!(
            "{}, {}, {seconds:.1} s",
            indexed::line(&place, bytes, games),
            counted(games, "game", "games")
        ));
    }
    Ok(Exit::Done)
}

/// Writes the index of an archive; returns its bytes and its games.
pub(super) fn make(
    path: &Path,
    options: &IndexOptions,
    out: &mut dyn Write,
    quiet: bool,
) -> anyhow::Result<(u64, u64)> {
    let mut file = File::open(path).with_context(|| shown(path))?;
    let length = file.metadata().map(|metadata| metadata.len()).ok();
    let counter = Counter::default();
    let bar = Bar::new(length, &counter, quiet);
    let mut watch = Watch { bar: &bar, findings: None, source: "" };
    let made = convert::index(&mut file, &mut Interruptible(out), options, &mut watch);
    bar.finish();
    if interrupt::requested() {
        return Err(Error::Cancelled.into());
    }
    let (sizes, games) = made.with_context(|| shown(path))?;
    Ok((sizes.total, games))
}

/// Makes the index again and compares; returns how many games there are.
pub(super) fn verify(path: &Path, place: &Path, memory: &Memory, threads: usize, quiet: bool) -> anyhow::Result<u64> {
    let wrong = |what: &str| {
        anyhow::Error::from(Unindexed(format!("{}: {what} (`pgc index {}` makes it anew)", shown(place), shown(path))))
    };
    let (hashes, pgn2pgc) = structure(path, place)?;
    let folder = memory.temp_dir.clone().unwrap_or_else(std::env::temp_dir);
    let mut again = tempfile::tempfile_in(&folder).with_context(|| shown(&folder))?;
    let mut build = indexed::build_options(memory.memory, Some(&folder), place, hashes);
    build.hashes = hashes;
    let options = IndexOptions { build, threads, pgn2pgc };
    let (_, games) = {
        let mut out = io::BufWriter::new(&mut again);
        let made = make(path, &options, &mut out, quiet)?;
        out.flush()?;
        made
    };
    again.rewind()?;
    match first_difference(&mut io::BufReader::new(again), &mut io::BufReader::new(File::open(place)?))? {
        None => Ok(games),
        Some(at) => Err(wrong(&format!("is not the index of this archive: it differs at byte {at}"))),
    }
}

/// Checks that an index is whole and belongs to the archive; returns whether it has hashes, and whether it is of that dialect.
pub(super) fn structure(path: &Path, place: &Path) -> anyhow::Result<(bool, bool)> {
    let wrong = |what: &str| {
        anyhow::Error::from(Unindexed(format!("{}: {what} (`pgc index {}` makes it anew)", shown(place), shown(path))))
    };
    let index = match map_index(place) {
        Ok(index) => index,
        Err(IndexState::Missing) => return Err(wrong("is not there")),
        Err(IndexState::Damaged(why)) => return Err(wrong(&why)),
        Err(_) => return Err(wrong("cannot be used")),
    };
    index.verify().map_err(|error| wrong(&error.to_string()))?;
    let archive = Archive::open_with(path, OpenOptions { no_index: true, pgn2pgc: index.is_pgn2pgc() })?;
    match archive.admits(&index) {
        IndexState::Used => Ok((index.has_hashes(), index.is_pgn2pgc())),
        IndexState::NotMine(why) | IndexState::Damaged(why) => Err(wrong(&why)),
        _ => Err(wrong("cannot be used")),
    }
}

/// The first byte at which two files differ.
fn first_difference(a: &mut dyn io::BufRead, b: &mut dyn io::BufRead) -> io::Result<Option<u64>> {
    let mut at = 0;
    loop {
        let (left, right) = (a.fill_buf()?, b.fill_buf()?);
        let len = left.len().min(right.len());
        if let Some(n) = left.iter().zip(right).position(|(x, y)| x != y) {
            return Ok(Some(at + n as u64));
        }
        if len == 0 {
            return Ok((left.len() != right.len()).then_some(at));
        }
        at += len as u64;
        a.consume(len);
        b.consume(len);
    }
}
