//! `pgc info`.

use std::path::Path;

use anyhow::Context;
use pgc::convert::{self, Breakdown, SourceInfo};
use pgc::io::input::Counter;
use serde_json::{Map, Value, json};

use super::archive;
use super::args::Info;
use super::exit::Exit;
use super::list::{source_json, total};
use super::output::{counted, grouped, percent, print_json, print_line, shown};
use super::summary;
use super::watch::Reading;

pub(super) fn run(args: &Info) -> anyhow::Result<Exit> {
    Ok(archive::for_each(&args.archives, |path| one(args, path)))
}

fn one(args: &Info, path: &Path) -> anyhow::Result<Exit> {
    let mut source = archive::open(path, &Counter::default())?;
    let mut hooks = Reading::new(shown(path), None);
    let (sources, breakdown) = convert::info(&mut source.reader, &mut hooks).with_context(|| shown(path))?;
    if args.json {
        let mut value = as_json(path, &sources, &breakdown);
        value["unfinished"] = json!(hooks.unfinished);
        print_json(&value)?;
        return Ok(Exit::Done);
    }
    for line in lines(path, &sources, &breakdown) {
        print_line(&line)?;
    }
    Ok(Exit::Done)
}

fn kinds(breakdown: &Breakdown) -> [(&'static str, u64); 9] {
    let Breakdown { tags, moves, nags_and_variations, comments, layout, text_kept, heads, escapes, other } = *breakdown;
    [
        ("tags", tags),
        ("moves", moves),
        ("NAGs and variations", nags_and_variations),
        ("comments", comments),
        ("layout", layout),
        ("text kept", text_kept),
        ("heads and tails", heads),
        ("escapes", escapes),
        ("other", other),
    ]
}

fn archive_bytes(breakdown: &Breakdown) -> u64 {
    kinds(breakdown).iter().fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes))
}

fn lines(path: &Path, sources: &[SourceInfo], breakdown: &Breakdown) -> Vec<String> {
    let sum = total(sources);
    let archive = archive_bytes(breakdown);
    let mut lines = vec![
        format!(
            "{}: {}, {}, {}",
            shown(path),
            counted(sources.len() as u64, "source", "sources"),
            summary::games(sum.games, sum.whole, sum.text_tail, sum.text_only),
            counted(sum.plies, "ply", "plies")
        ),
        format!(
            "  {} in the sources, {} in the archive ({})",
            counted(sum.bytes, "byte", "bytes"),
            grouped(archive),
            percent(archive, sum.bytes)
        ),
    ];
    lines.extend(kind_lines(breakdown));
    lines
}

/// A line for each kind of bytes.
pub(super) fn kind_lines(breakdown: &Breakdown) -> Vec<String> {
    let archive = archive_bytes(breakdown);
    let line = |(kind, bytes)| format!("  {kind:<20} {:>15}  {:>7}", grouped(bytes), percent(bytes, archive));
    kinds(breakdown).into_iter().map(line).collect()
}

fn as_json(path: &Path, sources: &[SourceInfo], breakdown: &Breakdown) -> Value {
    let sum = total(sources);
    let kinds: Map<String, Value> = kinds(breakdown)
        .into_iter()
        .map(|(kind, bytes)| (kind.to_ascii_lowercase().replace(' ', "_"), json!(bytes)))
        .collect();
    json!({
        "archive": path.display().to_string(),
        "games": sum.games,
        "whole": sum.whole,
        "text_tail": sum.text_tail,
        "text_only": sum.text_only,
        "plies": sum.plies,
        "bytes": sum.bytes,
        "archive_bytes": archive_bytes(breakdown),
        "bytes_by_kind": kinds,
        "sources": sources.iter().map(source_json).collect::<Vec<_>>(),
    })
}
