//! Shows groups of copies: as tables, or as lines of JSON.

use std::io::{self, IsTerminal};
use std::path::Path;

use pgc::Archive;
use pgc::dups::copies::GameCopy;
use pgc::dups::find::DupGroup;
use pgc_index::Row;
use serde_json::{Map, Value, json};

use super::failure::WithName;
use super::interrupt;
use super::output::{counted, counted_as, print_json, print_line, shown};
use super::table::{self, ColumnHead};

/// The number of games whose texts are fetched together.
const PORTION: usize = 1024;

/// The most games of a group that a table shows, and that a line of JSON has.
const SHOWN: [usize; 2] = [12, 1000];

pub(super) struct CopyListing<'a> {
    archives: &'a [Archive],
    json: bool,
    jobs: usize,
    width: usize,
    is_first: bool,
}

/// A game of a group.
struct Member<'a> {
    path: &'a Path,
    /// From 1.
    number: u64,
    row: Row,
    copy: GameCopy,
    is_spare: bool,
}

impl<'a> CopyListing<'a> {
    pub(super) fn new(archives: &'a [Archive], json: bool, jobs: usize) -> CopyListing<'a> {
        CopyListing {
            archives,
            json,
            jobs,
            width: table::width(io::stdout().is_terminal()),
            is_first: true,
        }
    }

    /// Shows the groups of a kind.
    pub(super) fn groups(&mut self, kind: &str, groups: &[DupGroup<'_>]) -> anyhow::Result<()> {
        let most = SHOWN[usize::from(self.json)];
        let mut rest = groups;
        while !rest.is_empty() {
            interrupt::cancelled()?;
            let mut games = 0;
            let ends_portion = |group: &DupGroup<'_>| {
                games += group.games.len().min(most);
                games >= PORTION
            };
            let count = rest.iter().position(ends_portion);
            let (portion, more) = rest.split_at(count.map_or(rest.len(), |last| last + 1));
            self.portion(kind, portion, most)?;
            rest = more;
        }
        Ok(())
    }

    fn portion(&mut self, kind: &str, groups: &[DupGroup<'_>], most: usize) -> anyhow::Result<()> {
        let games = groups.iter().flat_map(|group| {
            let games = group.games.iter().zip(group.is_spare);
            games.map(|(&game, &is_spare)| (game, is_spare)).take(most)
        });
        let mut members = self.members(&games.collect::<Vec<_>>())?.into_iter();
        let groups = groups.iter().map(|group| {
            let shown = members.by_ref().take(group.games.len().min(most));
            (group.games.len(), shown.collect::<Vec<_>>())
        });
        let groups: Vec<(usize, Vec<Member<'_>>)> = groups.collect();
        if self.json {
            for (count, members) in &groups {
                print_json(&object(kind, *count, members))?;
            }
            return Ok(());
        }
        if !std::mem::take(&mut self.is_first) {
            print_line("")?;
        }
        print_line!("{kind}:")?;
        self.table(&groups)
    }

    /// Fetches games, in their order.
    fn members(&self, games: &[((u32, u32), bool)]) -> anyhow::Result<Vec<Member<'a>>> {
        let mut members: Vec<Option<Member<'a>>> = games.iter().map(|_| None).collect();
        for (number, archive) in (0..).zip(self.archives) {
            let here = games.iter().enumerate().filter(|game| game.1.0.0 == number);
            let (places, list): (Vec<usize>, Vec<u32>) =
                here.map(|(place, game)| (place, game.0.1)).unzip();
            let name = || shown(archive.path());
            let rows = archive.rows(&list, self.jobs).named(name)?;
            let copies = archive.copies(&list, self.jobs).named(name)?;
            for ((place, row), copy) in places.into_iter().zip(rows).zip(copies) {
                members[place] = Some(Member {
                    path: archive.path(),
                    number: archive.number_of(games[place].0.1.into()),
                    row,
                    copy,
                    is_spare: games[place].1,
                });
            }
        }
        Ok(members.into_iter().flatten().collect())
    }

    fn table(&self, groups: &[(usize, Vec<Member<'_>>)]) -> anyhow::Result<()> {
        let several = self.archives.len() > 1;
        let (mut rows, mut breaks) = (Vec::new(), Vec::new());
        for (count, members) in groups {
            breaks.push(rows.len());
            let best = members.first();
            rows.extend(members.iter().map(|member| cells(member, best, several)));
            if *count > members.len() {
                let more = (count - members.len()) as u64;
                let mut row = vec![String::new(); HEADS.len()];
                row[2] = counted_as(more, "more", "more");
                rows.push(row);
            }
        }
        let mut lines = table::lines(&HEADS, &rows, self.width).into_iter();
        print_line(&lines.next().unwrap_or_default())?;
        for (at, line) in lines.enumerate() {
            if at > 0 && breaks.binary_search(&at).is_ok() {
                print_line("")?;
            }
            print_line(&line)?;
        }
        Ok(())
    }
}

const fn head(title: &'static str, least: Option<usize>, leaves: u8) -> ColumnHead {
    ColumnHead::new(title).yields(least, leaves)
}

static HEADS: [ColumnHead; 9] = [
    head("", None, 0),
    head("game", Some(6), 0),
    head("white", Some(10), 0),
    head("black", Some(10), 0),
    head("date", None, 2),
    head("result", None, 3),
    head("plies", None, 4),
    head("event", Some(10), 5),
    head("differs", Some(12), 1),
];

fn cells(member: &Member<'_>, best: Option<&Member<'_>>, several: bool) -> Vec<String> {
    let row = &member.row;
    let number = member.number.to_string();
    vec![
        if member.is_spare { " " } else { "*" }.to_owned(),
        match several {
            true => format!("{}:{number}", member.path.display()),
            false => number,
        },
        row.white.clone(),
        row.black.clone(),
        row.date.to_string(),
        row.flags.result().as_str().to_owned(),
        row.plies.to_string(),
        row.event.clone(),
        best.map_or_else(String::new, |best| differences(member, best)),
    ]
}

/// How a copy differs from the best one, in its tags and annotation.
fn differences(member: &Member<'_>, best: &Member<'_>) -> String {
    let (mine, theirs) = (&member.copy, &best.copy);
    let mut parts = Vec::new();
    for name in names_of_tags([mine, theirs]) {
        let quoted = |copy| tag(copy, name).map(|value| format!("\"{value}\""));
        match (quoted(mine), quoted(theirs)) {
            (mine, theirs) if mine == theirs => {}
            (Some(mine), Some(theirs)) => parts.push(format!("{name} {mine}, not {theirs}")),
            (Some(mine), None) => parts.push(format!("{name} {mine}")),
            (None, _) => parts.push(format!("no {name}")),
        }
    }
    for (mine, theirs, what) in [
        (mine.comments, theirs.comments, "comment"),
        (mine.nags, theirs.nags, "NAG"),
        (mine.variations, theirs.variations, "variation"),
    ] {
        if mine != theirs {
            parts.push(format!("{}, not {theirs}", counted(mine, what)));
        }
    }
    parts.join("; ")
}

/// The value of a tag of a copy.
fn tag<'c>(copy: &'c GameCopy, name: &str) -> Option<&'c str> {
    let found = copy.tags.iter().find(|tag| tag.0 == name);
    found.map(|tag| tag.1.as_str())
}

/// The names of the tags of copies, each once, in the order of the first copy that has it.
fn names_of_tags<'c>(copies: impl IntoIterator<Item = &'c GameCopy>) -> Vec<&'c str> {
    let (mut names, mut known) = (Vec::new(), std::collections::HashSet::new());
    for tag in copies.into_iter().flat_map(|copy| &copy.tags) {
        if known.insert(tag.0.as_str()) {
            names.push(tag.0.as_str());
        }
    }
    names
}

fn object(kind: &str, count: usize, members: &[Member<'_>]) -> Value {
    let games = members.iter().map(|member| {
        let (row, copy) = (&member.row, &member.copy);
        json!({
            "archive": member.path.display().to_string(), "number": member.number,
            "white": row.white, "black": row.black, "date": row.date.to_string(),
            "event": row.event, "result": row.flags.result().as_str(), "plies": row.plies,
            "comments": copy.comments, "nags": copy.nags, "variations": copy.variations,
            "tags": copy.tags.len(), "kept": !member.is_spare,
        })
    });
    let mut differs = Map::new();
    for name in names_of_tags(members.iter().map(|member| &member.copy)) {
        let values: Vec<_> = members
            .iter()
            .map(|member| tag(&member.copy, name))
            .collect();
        if values.iter().any(|value| *value != values[0]) {
            differs.insert(name.to_owned(), json!(values));
        }
    }
    json!({
        "kind": kind, "copies": count, "games": games.collect::<Vec<_>>(), "differs": differs,
    })
}
