//! `pgc info --sources`.

use std::path::Path;

use pgc::SourceInfo;
use pgc_io::input::Counter;
use serde_json::{Value, json};

use crate::archive;
use crate::failure::{Exit, WithName};
use crate::output::{grouped, hex, print_json, print_lines, shown};
use crate::summary::source_json;
use crate::watch::ArchiveWatch;

/// Lists the sources of an archive; `names` it first, if it is one of several.
pub(super) fn one(path: &Path, json: bool, names: bool) -> anyhow::Result<Exit> {
    let mut source = archive::open(path, &Counter::default())?;
    let mut hooks = ArchiveWatch::passing(shown(path), None);
    let sources = pgc::unpack::list(&mut source.reader, &mut hooks).at(path)?;
    if json {
        let sources: Vec<Value> = sources.iter().map(source_json).collect();
        print_json(&json!({
            "archive": path.display().to_string(),
            "sources": sources,
            "unfinished": hooks.unfinished,
            "gaps": hooks.gaps,
        }))?;
        return Ok(hooks.exit());
    }
    if names {
        print_line!("{}:", shown(path))?;
    }
    print_lines(table(&sources))?;
    Ok(hooks.exit())
}

/// The lines of the table. Names come last, since they may have any length. The column `text` is
/// shown only if a source is not just PGN.
fn table(sources: &[SourceInfo]) -> Vec<String> {
    let mut rows = vec![["games", "bytes", "blake3", "text", "name"].map(str::to_owned)];
    rows.extend(sources.iter().map(|s| {
        [
            grouped(s.games),
            grouped(s.bytes),
            digest(s),
            text_of(s),
            s.name.clone(),
        ]
    }));
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let [games, bytes, digest, text] = [width(0), width(1), width(2), width(3)];
    let are_pgn = rows[1..].iter().all(|row| row[3] == "pgn");
    rows.iter()
        .map(|[g, b, d, t, name]| {
            let t = match are_pgn {
                true => String::new(),
                false => format!("{t:<text$}  "),
            };
            format!("{g:>games$}  {b:>bytes$}  {d:<digest$}  {t}{name}")
        })
        .collect()
}

/// `pgn` or `epd`, with the language of the piece letters unless that is English, and the encoding
/// unless the bytes are stored as they are.
fn text_of(source: &SourceInfo) -> String {
    let letters = source.text.letters().map(|letters| letters.shown());
    let encoding = source.encoding.map(|encoding| encoding.name().to_owned());
    let parts = [Some(source.text.name().to_owned()), letters, encoding];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(", ")
}

/// A stream of another program has no digest.
fn digest(source: &SourceInfo) -> String {
    source
        .digest
        .map_or_else(|| "-".to_owned(), |digest| hex(&digest))
}
