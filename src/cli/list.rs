//! `pgc list`.

use std::path::Path;

use pgc::SourceInfo;
use pgc::io::input::Counter;
use serde_json::{Value, json};

use super::archive;
use super::args::List;
use super::exit::Exit;
use super::failure::Named;
use super::output::{grouped, hex, print_json, print_line, shown};
use super::watch::Reading;

pub(super) fn run(args: &List) -> anyhow::Result<Exit> {
    Ok(archive::for_each(&args.archives, |path| one(args, path)))
}

fn one(args: &List, path: &Path) -> anyhow::Result<Exit> {
    let mut source = archive::open(path, &Counter::default())?;
    let mut hooks = Reading::new(shown(path), None);
    let sources =
        pgc::archive::unpack::run::list(&mut source.reader, &mut hooks).named(|| shown(path))?;
    if args.json {
        let sources: Vec<Value> = sources.iter().map(source_json).collect();
        print_json(&json!({
            "archive": path.display().to_string(),
            "sources": sources,
            "unfinished": hooks.unfinished,
        }))?;
        return Ok(Exit::Done);
    }
    if args.archives.len() > 1 {
        print_line(&format!("{}:", shown(path)))?;
    }
    for line in table(&sources) {
        print_line(&line)?;
    }
    Ok(Exit::Done)
}

/// Numbers before names, since names may be of any length.
fn table(sources: &[SourceInfo]) -> Vec<String> {
    let mut rows = vec![[
        "games".to_owned(),
        "bytes".to_owned(),
        "blake3".to_owned(),
        "name".to_owned(),
    ]];
    rows.extend(sources.iter().map(|s| {
        [
            grouped(s.games),
            grouped(s.bytes),
            digest(s),
            s.name.clone(),
        ]
    }));
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let [games, bytes, digest] = [width(0), width(1), width(2)];
    rows.iter()
        .map(|[g, b, d, name]| format!("{g:>games$}  {b:>bytes$}  {d:<digest$}  {name}"))
        .collect()
}

/// A source as an object.
pub(super) fn source_json(source: &SourceInfo) -> Value {
    json!({
        "name": source.name,
        "games": source.games,
        "whole": source.whole,
        "text_tail": source.text_tail,
        "text_only": source.text_only,
        "plies": source.plies,
        "blocks": source.blocks,
        "bytes": source.bytes,
        "archive_bytes": source.archive_bytes,
        "blake3": source.digest.map(|digest| hex(&digest)),
        "sha256": source.sha256.map(|digest| hex(&digest)),
    })
}

/// Sums over sources.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Total {
    pub(super) games: u64,
    pub(super) whole: u64,
    pub(super) text_tail: u64,
    pub(super) text_only: u64,
    pub(super) plies: u64,
    pub(super) bytes: u64,
    pub(super) archive_bytes: u64,
}

pub(super) fn total(sources: &[SourceInfo]) -> Total {
    // The numbers come from the tails of an archive that need not be honest.
    sources.iter().fold(Total::default(), |sum, source| Total {
        games: sum.games.saturating_add(source.games),
        whole: sum.whole.saturating_add(source.whole),
        text_tail: sum.text_tail.saturating_add(source.text_tail),
        text_only: sum.text_only.saturating_add(source.text_only),
        plies: sum.plies.saturating_add(source.plies),
        bytes: sum.bytes.saturating_add(source.bytes),
        archive_bytes: sum.archive_bytes.saturating_add(source.archive_bytes),
    })
}

/// A stream of another program has no digest.
fn digest(source: &SourceInfo) -> String {
    source
        .digest
        .map_or_else(|| "-".to_owned(), |digest| hex(&digest))
}
