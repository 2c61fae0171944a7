//! `pgc info`.

use std::path::Path;

use pgc::ask::name_list::{NameList, NameListOptions};
use pgc::ask::names::Dates;
use pgc::{Archive, SourceInfo, SourceText, TestDepth, TestOptions};
use pgc_block::breakdown::{Breakdown, StoredBytes, add_count};
use pgc_index::NameField;
use pgc_io::input::Counter;
use serde_json::{Value, json};

use crate::args::InfoArgs;
use crate::commands::recovery::Covered;
use crate::failure::{Exit, WithName};
use crate::files::{archive, indexed};
use crate::show::output::{counted, grouped, hex, percent, print_json, print_lines, shown};
use crate::show::summary::{self, put_games, source_json, total};
use crate::show::table::{self, ColumnHead, head};
use crate::show::watch::ArchiveWatch;

pub(crate) fn run(args: &InfoArgs) -> anyhow::Result<Exit> {
    let paths = archive::collection(&args.of.archives)?;
    archive::for_each(&paths, |path| match args.sources {
        true => list(args, path, paths.len() > 1),
        false => one(args, path),
    })
}

/// What an archive has: its sources, and its bytes by kind and by stream.
type Contents = (Vec<SourceInfo>, Breakdown, StoredBytes);

fn one(args: &InfoArgs, path: &Path) -> anyhow::Result<Exit> {
    let mut source = archive::open(path, &Counter::default())?;
    let mut hooks = ArchiveWatch::new(shown(path), None);
    let contents = pgc::unpack::info(&mut source.reader, true, &mut hooks).at(path)?;
    let (indexed, covered) = (IndexFacts::read(path), Covered::beside(path));
    if args.json {
        let mut value = as_json(path, &contents);
        value["unfinished"] = json!(hooks.unfinished);
        value["gaps"] = json!(hooks.gaps);
        if let Some(indexed) = &indexed {
            indexed.add_to(&mut value);
        }
        if let Some(covered) = &covered {
            value["recovery"] = covered.json();
        }
        print_json(&value)?;
        return Ok(hooks.exit());
    }
    let mut lines = lines(path, &contents);
    lines.extend(indexed.iter().flat_map(IndexFacts::lines));
    if let Some(covered) = &covered {
        lines.push(covered.line());
        lines.extend(covered.complaint().map(|what| format!("  {what}")));
    }
    print_lines(lines)?;
    Ok(hooks.exit())
}

/// Lists the sources of an archive; `is_named`: it is one of several, and named first.
fn list(args: &InfoArgs, path: &Path, is_named: bool) -> anyhow::Result<Exit> {
    let mut source = archive::open(path, &Counter::default())?;
    let mut hooks = ArchiveWatch::new(shown(path), None);
    let mut quick = TestOptions::from(TestDepth::Quick);
    quick.passes_damage = true;
    let sources = pgc::test(&mut source.reader, &quick, &mut hooks).at(path)?;
    if args.json {
        print_json(&json!({
            "archive": path.display().to_string(),
            "sources": sources.iter().map(source_json).collect::<Value>(),
            "unfinished": hooks.unfinished,
            "gaps": hooks.gaps,
        }))?;
        return Ok(hooks.exit());
    }
    if is_named {
        print_line!("{}:", shown(path))?;
    }
    print_lines(source_table(&sources))?;
    Ok(hooks.exit())
}

/// The lines of the table. Names come last, since they may have any length. The column `text` is
/// shown only if a source is not just PGN.
fn source_table(sources: &[SourceInfo]) -> Vec<String> {
    let (games, bytes) = (head("games", 0), head("bytes", 0));
    let [blake3, text, name] = ["blake3", "text", "name"].map(ColumnHead::new);
    let mut heads = vec![games, bytes, blake3, text, name];
    let row = |s: &SourceInfo| {
        // A stream of another program has no digest.
        let digest = s.digest.map_or("-".to_owned(), |digest| hex(&digest));
        let (games, bytes) = (grouped(s.sum.games), grouped(s.sum.bytes_in));
        vec![games, bytes, digest, text_of(s), s.name.clone()]
    };
    let mut rows: Vec<Vec<String>> = sources.iter().map(row).collect();
    if rows.iter().all(|row| row[3] == "pgn") {
        heads.remove(3);
        rows.iter_mut().for_each(|row| drop(row.remove(3)));
    }
    table::lines(&heads, &rows, usize::MAX)
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

/// The number of events and players shown.
const TOP: u64 = 5;

/// What `pgc info` shows from the index. Without a usable index these lines are left out, since
/// they would need another reading of the archive.
struct IndexFacts {
    dates: Dates,
    events: Vec<(String, u64)>,
    players: Vec<(String, u64)>,
}

impl IndexFacts {
    fn read(path: &Path) -> Option<IndexFacts> {
        let archive = indexed::open(path, indexed::IN_ORDER).ok()?;
        archive.index()?;
        let top = |field| top(&archive, field).ok();
        let indexed = IndexFacts {
            dates: archive.dates(0).ok()?,
            events: top(NameField::Event)?,
            players: top(NameField::Player)?,
        };
        archive.index().map(|_| indexed)
    }

    fn lines(&self) -> Vec<String> {
        let Dates { first, last, .. } = self.dates;
        let mut dates = match (first, last) {
            (Some(first), Some(last)) if first != last => format!("  dates    {first} to {last}"),
            (Some(first), _) => format!("  dates    {first}"),
            _ => "  dates    none".to_owned(),
        };
        if self.dates.unknown > 0 {
            let games = counted(self.dates.unknown, "game");
            dates += &format!(", {games} of unknown year");
        }
        let mut lines = vec![dates];
        for (title, names) in [("events", &self.events), ("players", &self.players)] {
            let each = names.iter();
            let each = each.map(|(name, games)| format!("{name} ({})", grouped(*games)));
            let list: Vec<String> = each.collect();
            if !list.is_empty() {
                lines.push(format!("  {title:<8} {}", list.join("; ")));
            }
        }
        lines
    }

    fn add_to(&self, json: &mut Value) {
        let dates = &self.dates;
        let [first, last] = [dates.first, dates.last].map(|date| date.map(|d| d.to_string()));
        json["dates"] = json!({ "first": first, "last": last, "unknown": dates.unknown });
        for (field, names) in [("events", &self.events), ("players", &self.players)] {
            let names = names.iter();
            let names = names.map(|(name, games)| json!({ "name": name, "games": games }));
            json[field] = names.collect();
        }
    }
}

/// The values with the most games, without empty ones and `?`.
fn top(archive: &Archive, field: NameField) -> Result<Vec<(String, u64)>, pgc::Error> {
    let mut list = NameList::new(&NameListOptions {
        by_games: true,
        limit: TOP,
        ..NameListOptions::new(&std::env::temp_dir())
    });
    archive.each_name(field, None, 0, &mut |name, games| match name.trim() {
        "" | "?" => Ok(()),
        _ => list.add(name, games),
    })?;
    let mut names = Vec::new();
    list.finish()?.each(&mut |name, games| {
        names.push((name.to_owned(), games));
        Ok(())
    })?;
    Ok(names)
}

fn kinds(breakdown: &Breakdown) -> [(&'static str, u64); 9] {
    [
        ("tags", breakdown.tags),
        ("moves", breakdown.moves),
        ("NAGs and variations", breakdown.nags_and_variations),
        ("comments", breakdown.comments),
        ("layout", breakdown.layout),
        ("text kept", breakdown.text_kept),
        ("heads and tails", breakdown.heads),
        ("escapes", breakdown.escapes),
        ("other", breakdown.other),
    ]
}

fn lines(path: &Path, (sources, breakdown, stored): &Contents) -> Vec<String> {
    let sum = total(sources);
    let archive = sum.bytes_out;
    let count = counted(sources.len() as u64, "source");
    let (games, plies) = (summary::games(&sum), counted(sum.plies, "ply"));
    let (bytes, packed) = (counted(sum.bytes_in, "byte"), grouped(archive));
    let share = percent(archive, sum.bytes_in);
    let mut lines = vec![
        format!("{}: {count}, {games}, {plies}", shown(path)),
        format!("  {bytes} in the sources, {packed} in the archive ({share})"),
    ];
    let mut texts: Vec<(SourceText, u64)> = Vec::new();
    for source in sources {
        add_count(&mut texts, source.text, 1);
    }
    for (text, count) in texts {
        let what = match text {
            SourceText::Pgn => continue,
            SourceText::Epd => "in EPD, of which each line is a game".to_owned(),
            SourceText::Letters(letters) => format!("in the piece letters of {}", letters.shown()),
        };
        lines.push(format!("  {} {what}", counted(count, "source")));
    }
    match sources.iter().filter(|source| source.small).count() {
        0 => {
            lines.extend(kind_lines(breakdown));
            return lines;
        }
        small if small == sources.len() => lines.push("  in the small form".to_owned()),
        small => {
            let small = counted(small as u64, "source");
            lines.push(format!("  {small} in the small form"));
        }
    }
    lines.extend(stored_lines(stored, archive));
    lines.push("  what is in it, before coding:".to_owned());
    lines.extend(kind_lines(breakdown));
    lines
}

/// A line for each stream of the small form.
fn stored_lines(stored: &StoredBytes, archive: u64) -> impl Iterator<Item = String> {
    let streams = stored.streams.iter();
    let streams = streams.map(|&(kind, bytes)| (format!("stream {}", char::from(kind)), bytes));
    let heads = archive.saturating_sub(stored.sum());
    let others = [("plain records", stored.plain), ("heads and tails", heads)];
    let others = others.map(|(what, bytes)| (what.to_owned(), bytes));
    let all = streams.chain(others);
    all.map(move |(what, bytes)| line(&what, bytes, archive))
}

/// A line for one kind of bytes, and its share of all.
fn line(what: &str, bytes: u64, all: u64) -> String {
    let (bytes, share) = (grouped(bytes), percent(bytes, all));
    format!("  {what:<20} {bytes:>15}  {share:>7}")
}

/// A line for each kind of bytes.
pub(crate) fn kind_lines(breakdown: &Breakdown) -> Vec<String> {
    let kinds = kinds(breakdown);
    let bytes = kinds.iter().map(|kind| kind.1);
    let archive = bytes.fold(0, u64::saturating_add);
    let line = |(kind, bytes)| line(kind, bytes, archive);
    kinds.map(line).to_vec()
}

fn as_json(path: &Path, (sources, breakdown, stored): &Contents) -> Value {
    let sum = total(sources);
    let key = |kind: &str| kind.to_ascii_lowercase().replace(' ', "_");
    let kinds = kinds(breakdown).map(|(kind, bytes)| (key(kind), bytes));
    let mut json = json!({
        "archive": path.display().to_string(),
        "bytes": sum.bytes_in,
        "archive_bytes": sum.bytes_out,
        "bytes_by_kind": Value::from_iter(kinds),
        "sources": sources.iter().map(source_json).collect::<Value>(),
    });
    if sources.iter().any(|source| source.small) {
        let stream = |&(kind, bytes): &(u8, u64)| (char::from(kind).to_string(), bytes);
        json["bytes_by_stream"] = stored.streams.iter().map(stream).collect();
        json["plain_records"] = stored.plain.into();
    }
    put_games(&mut json, &sum);
    json
}
