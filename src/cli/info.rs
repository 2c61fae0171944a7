//! `pgc info`.

use std::path::Path;

use pgc::ask::name_list::{NameList, NameListOptions};
use pgc::ask::names::{Dates, NameCount};
use pgc::{Archive, SourceInfo, SourceText};
use pgc_block::breakdown::{Breakdown, StoredBytes, add_count};
use pgc_index::{Date, NameField};
use pgc_io::input::Counter;
use serde_json::{Map, Value, json};

use super::archive;
use super::args::InfoArgs;
use super::failure::{Exit, WithName};
use super::indexed;
use super::output::{counted, grouped, percent, print_json, print_lines, shown};
use super::recovery::Covered;
use super::summary::{self, put_games, source_json, total};
use super::watch::ArchiveWatch;

mod sources;

pub(super) fn run(args: &InfoArgs) -> anyhow::Result<Exit> {
    let paths = archive::collection(&args.of.archives)?;
    archive::for_each(&paths, |path| match args.sources {
        true => sources::one(path, args.json, paths.len() > 1),
        false => one(args, path),
    })
}

fn one(args: &InfoArgs, path: &Path) -> anyhow::Result<Exit> {
    let mut source = archive::open(path, &Counter::default())?;
    let mut hooks = ArchiveWatch::passing(shown(path), None);
    let (sources, breakdown, stored) =
        pgc::unpack::info(&mut source.reader, &mut hooks).at(path)?;
    let (indexed, covered) = (IndexFacts::of(path), Covered::beside(path));
    if args.json {
        let mut value = as_json(path, &sources, &breakdown, &stored);
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
    let mut lines = lines(path, &sources, &breakdown, &stored);
    lines.extend(indexed.iter().flat_map(IndexFacts::lines));
    if let Some(covered) = &covered {
        lines.push(covered.line());
        lines.extend(covered.complaint().map(|what| format!("  {what}")));
    }
    print_lines(lines)?;
    Ok(hooks.exit())
}

/// The number of events and players shown.
const TOP: u64 = 5;

/// What `pgc info` shows from the index. Without a usable index these lines are left out, since
/// they would need another reading of the archive.
struct IndexFacts {
    dates: Dates,
    events: Vec<NameCount>,
    players: Vec<NameCount>,
}

impl IndexFacts {
    fn of(path: &Path) -> Option<IndexFacts> {
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
        let list = |names: &[NameCount]| {
            let each = |name: &NameCount| format!("{} ({})", name.name, grouped(name.games));
            names.iter().map(each).collect::<Vec<_>>().join("; ")
        };
        let mut lines = vec![dates];
        for (title, names) in [("events", &self.events), ("players", &self.players)] {
            if !names.is_empty() {
                lines.push(format!("  {title:<8} {}", list(names)));
            }
        }
        lines
    }

    fn add_to(&self, json: &mut Value) {
        let (dates, date) = (&self.dates, |date: Option<Date>| {
            date.map(|date| date.to_string())
        });
        json["dates"] = json!({
            "first": date(dates.first), "last": date(dates.last), "unknown": dates.unknown,
        });
        let one = |name: &NameCount| json!({ "name": name.name, "games": name.games });
        json["events"] = self.events.iter().map(one).collect();
        json["players"] = self.players.iter().map(one).collect();
    }
}

/// The values with the most games, without empty ones and `?`.
fn top(archive: &Archive, field: NameField) -> Result<Vec<NameCount>, pgc::Error> {
    let options = NameListOptions {
        by_games: true,
        limit: TOP,
        ..NameListOptions::new(&std::env::temp_dir())
    };
    let mut list = NameList::new(&options);
    archive.each_name(field, None, 0, &mut |name, games| {
        if matches!(name.trim(), "" | "?") {
            Ok(())
        } else {
            list.add(name, games)
        }
    })?;
    let mut names = Vec::new();
    list.finish()?.each(&mut |name, games| {
        names.push(NameCount {
            name: name.to_owned(),
            games,
        });
        Ok(())
    })?;
    Ok(names)
}

fn kinds(breakdown: &Breakdown) -> [(&'static str, u64); 9] {
    let Breakdown {
        tags,
        moves,
        nags_and_variations,
        comments,
        layout,
        text_kept,
        heads,
        escapes,
        other,
    } = *breakdown;
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
    kinds(breakdown)
        .iter()
        .fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes))
}

fn lines(
    path: &Path,
    sources: &[SourceInfo],
    breakdown: &Breakdown,
    stored: &StoredBytes,
) -> Vec<String> {
    let sum = total(sources);
    let archive = sum.bytes_out;
    let mut lines = vec![
        format!(
            "{}: {}, {}, {}",
            shown(path),
            counted(sources.len() as u64, "source"),
            summary::games(&sum),
            counted(sum.plies, "ply")
        ),
        format!(
            "  {} in the sources, {} in the archive ({})",
            counted(sum.bytes_in, "byte"),
            grouped(archive),
            percent(archive, sum.bytes_in)
        ),
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
        small => lines.push(format!(
            "  {} in the small form",
            counted(small as u64, "source")
        )),
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
    streams
        .chain(others)
        .map(move |(what, bytes)| line(&what, bytes, archive))
}

fn line(what: &str, bytes: u64, all: u64) -> String {
    format!(
        "  {what:<20} {:>15}  {:>7}",
        grouped(bytes),
        percent(bytes, all)
    )
}

/// A line for each kind of bytes.
pub(super) fn kind_lines(breakdown: &Breakdown) -> Vec<String> {
    let archive = archive_bytes(breakdown);
    let kinds = kinds(breakdown).into_iter();
    kinds
        .map(|(kind, bytes)| line(kind, bytes, archive))
        .collect()
}

fn as_json(
    path: &Path,
    sources: &[SourceInfo],
    breakdown: &Breakdown,
    stored: &StoredBytes,
) -> Value {
    let sum = total(sources);
    let kinds: Map<String, Value> = kinds(breakdown)
        .into_iter()
        .map(|(kind, bytes)| (kind.to_ascii_lowercase().replace(' ', "_"), json!(bytes)))
        .collect();
    let mut json = json!({
        "archive": path.display().to_string(),
        "bytes": sum.bytes_in,
        "archive_bytes": sum.bytes_out,
        "bytes_by_kind": kinds,
        "sources": sources.iter().map(source_json).collect::<Vec<_>>(),
    });
    if sources.iter().any(|source| source.small) {
        let streams = stored.streams.iter();
        json["bytes_by_stream"] = streams
            .map(|&(kind, bytes)| (char::from(kind).to_string(), json!(bytes)))
            .collect::<Map<String, Value>>()
            .into();
        json["plain_records"] = stored.plain.into();
    }
    put_games(&mut json, &sum);
    json
}
