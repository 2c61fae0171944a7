//! Shows groups of copies: as tables, or as lines of JSON.

use std::collections::HashSet;
use std::io::{self, IsTerminal};
use std::path::Path;

use pgc::{Archive, dups::copies::GameCopy, dups::find::DupGame};
use pgc_index::Row;
use serde_json::{Map, Value, json};

use crate::failure::WithName;
use crate::interrupt;
use crate::show::output::{counted, grouped, print_json, print_line};
use crate::show::table::{self, ColumnHead};

/// The number of games whose texts are fetched together.
const PORTION: usize = 1024;

/// The most games of a group that a table shows, and that a line of JSON has.
const SHOWN: [usize; 2] = [12, 1000];

pub(crate) struct CopyListing<'a> {
    archives: &'a [Archive],
    json: bool,
    jobs: usize,
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
    pub(crate) fn new(archives: &'a [Archive], json: bool, jobs: usize) -> CopyListing<'a> {
        CopyListing {
            archives,
            json,
            jobs,
            is_first: true,
        }
    }

    /// Shows the groups of a kind.
    pub(crate) fn groups(&mut self, kind: &str, groups: &[&[DupGame]]) -> anyhow::Result<()> {
        let most = SHOWN[usize::from(self.json)];
        let mut games = 0;
        let ends_portion = |group: &&[DupGame]| {
            let all = games + group.len().min(most);
            games = if all < PORTION { all } else { 0 };
            all >= PORTION
        };
        for portion in groups.split_inclusive(ends_portion) {
            interrupt::cancelled()?;
            self.portion(kind, portion, most)?;
        }
        Ok(())
    }

    fn portion(&mut self, kind: &str, groups: &[&[DupGame]], most: usize) -> anyhow::Result<()> {
        let games = groups.iter().flat_map(|group| group.iter().take(most));
        let games: Vec<DupGame> = games.copied().collect();
        let mut members = self.members(&games)?.into_iter();
        let groups = groups.iter().map(|group| {
            let shown = members.by_ref().take(group.len().min(most));
            (group.len(), shown.collect::<Vec<_>>())
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
    fn members(&self, games: &[DupGame]) -> anyhow::Result<Vec<Member<'a>>> {
        let mut members: Vec<Option<Member<'a>>> = games.iter().map(|_| None).collect();
        for (number, archive) in (0..).zip(self.archives) {
            let here = games.iter().map(|of| of.game).enumerate();
            let here = here.filter(|(_, game)| game.0 == number);
            let here = here.map(|(place, game)| (place, game.1));
            let (places, list): (Vec<usize>, Vec<u32>) = here.unzip();
            let rows = archive.rows(&list, self.jobs).at(archive.path())?;
            let copies = archive.copies(&list, self.jobs).at(archive.path())?;
            for ((place, row), copy) in places.into_iter().zip(rows).zip(copies) {
                members[place] = Some(Member {
                    path: archive.path(),
                    number: archive.number_of(games[place].game.1.into()),
                    row,
                    copy,
                    is_spare: games[place].is_spare,
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
                let mut row = vec![String::new(); HEADS.len()];
                row[2] = format!("{} more", grouped((count - members.len()) as u64));
                rows.push(row);
            }
        }
        // The first line is the heading.
        let width = table::width(io::stdout().is_terminal());
        for (at, line) in table::lines(&HEADS, &rows, width).iter().enumerate() {
            if at > 1 && breaks.binary_search(&(at - 1)).is_ok() {
                print_line("")?;
            }
            print_line(line)?;
        }
        Ok(())
    }
}

static HEADS: [ColumnHead; 9] = [
    ColumnHead::new(""),
    ColumnHead::new("game").yields(Some(6), 0),
    ColumnHead::new("white").yields(Some(10), 0),
    ColumnHead::new("black").yields(Some(10), 0),
    ColumnHead::new("date").yields(None, 2),
    ColumnHead::new("result").yields(None, 3),
    ColumnHead::new("plies").yields(None, 4),
    ColumnHead::new("event").yields(Some(10), 5),
    ColumnHead::new("differs").yields(Some(12), 1),
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
    let found = copy.tags.iter().rfind(|tag| tag.0 == name);
    found.map(|tag| tag.1.as_str())
}

/// The names of the tags of copies, each once, in the order of the first copy that has it.
fn names_of_tags<'c>(copies: impl IntoIterator<Item = &'c GameCopy>) -> Vec<&'c str> {
    let mut known = HashSet::new();
    let tags = copies.into_iter().flat_map(|copy| &copy.tags);
    let names = tags.map(|tag| tag.0.as_str());
    names.filter(|name| known.insert(*name)).collect()
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
        let values = members.iter().map(|member| tag(&member.copy, name));
        let values: Vec<_> = values.collect();
        if values.iter().any(|value| *value != values[0]) {
            differs.insert(name.to_owned(), json!(values));
        }
    }
    json!({
        "kind": kind, "copies": count, "games": games.collect::<Vec<_>>(), "differs": differs,
    })
}
