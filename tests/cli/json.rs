//! Every command that has answers gives them as JSON, with the keys that spec/manual/json.md lists:
//! no others, and all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::cli::program::Dir;

/// A table of the page: the keys, each with the name of the table of its own keys, if it has one.
type Table = BTreeMap<String, Option<String>>;

/// The tables of spec/manual/json.md by their headings.
fn page() -> BTreeMap<String, Table> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("spec/manual/json.md");
    let text = fs::read_to_string(path).unwrap();
    let (mut tables, mut heading) = (BTreeMap::<String, Table>::new(), String::new());
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("### ") {
            heading = title.trim_matches('`').to_owned();
        } else if let Some(row) = line.strip_prefix("| `") {
            let (key, rest) = row.split_once("` |").unwrap();
            let of = rest.split('|').next().unwrap().trim();
            let of = of
                .trim_start_matches("list of ")
                .trim_matches('`')
                .to_owned();
            // A table may take in the keys of several others.
            let key = key.replace('*', &format!("*{of}"));
            let table = tables.entry(heading.clone()).or_default();
            table.insert(key, Some(of).filter(|of| !of.is_empty()));
        }
    }
    tables
}

/// The paths of the values in an object: `index.path`. What a key without keys of its own in the
/// table holds is not looked into.
struct Paths<'p> {
    tables: &'p BTreeMap<String, Table>,
    /// For each table, the keys that were met.
    met: BTreeMap<String, BTreeSet<String>>,
    unknown: BTreeSet<String>,
}

impl Paths<'_> {
    /// The table that has a key: this one, or one whose keys it takes in.
    fn owner<'t>(&'t self, table: &'t str, key: &str) -> Option<&'t str> {
        let known = &self.tables[table];
        let others = known.iter().filter(|known| known.0.starts_with('*'));
        let mut others = others.filter_map(|other| self.owner(other.1.as_deref()?, key));
        known
            .contains_key(key)
            .then_some(table)
            .or_else(|| others.next())
    }

    fn take(&mut self, table: &str, value: &Value) {
        for (key, value) in value
            .as_object()
            .unwrap_or_else(|| panic!("{table}: {value}"))
        {
            let Some(owner) = self.owner(table, key).map(str::to_owned) else {
                self.unknown.insert(format!("{table}: {key}"));
                continue;
            };
            let of = self.tables[&owner][key].clone();
            self.met.entry(owner).or_default().insert(key.clone());
            let Some(of) = of else { continue };
            let list = value.as_array().cloned();
            let list = list.unwrap_or_else(|| vec![value.clone()]);
            // Of lists in a list each is looked into.
            let list = list.iter().flat_map(|value| match value.as_array() {
                Some(inner) => &inner[..],
                None => std::slice::from_ref(value),
            });
            for value in list.filter(|value| !value.is_null()) {
                self.take(&of, value);
            }
        }
    }
}

const PGN: &str = "[Event \"Open\"]\n[Date \"2001.02.03\"]\n[White \"Ada, A\"]\n[Black \"Bob, B\"]\n[Result \"1-0\"]\n[WhiteElo \"2400\"]\n\
    [BlackElo \"2300\"]\n[Round \"1\"]\n[Note \"a\"]\n[Note \"b\"]\n\n{start} $7 1. e4! {[%clk 0:03:00] [%eval 0.48,20] [%emt 5]} e5 ({b} $1 1... c5) \
    2. Nf3 {[%eval #3]} Nc6 1-0\n\n[Event \"Open\"]\n[Date \"2001.02.03\"]\n[White \"Bob, B\"]\n[Black \"Ada, A\"]\n[Result \"0-1\"]\n\n1. e4 e5 2. Qh5 Ke7 0-1\n\n\
    [FEN \"8/8/8/8/8/8/4k3/K7 w - - 0 1\"]\n\n1. Ka2 Kb9 *\n\nstray\n";

const SGF: &str = "(;GM[3]PW[A]PB[B];W[e2e4];B[e7e5])\n";

/// The commands to run, after the heading of the table whose keys their lines have.
const RUNS: &[(&str, &str)] = &[
    ("pack", "pack a.pgn --json"),
    ("pack", "pack --standard --drop all a.pgn -o s.pgc --json"),
    ("pack", "pack --small a.pgn -o small.pgcz --json"),
    (
        "pack",
        "pack --encoding cp1252 latin.pgn -o latin.pgc --json",
    ),
    ("pack", "pack --pieces de de.pgn -o de.pgc --json"),
    ("pack --report", "pack a.pgn -o r.pgc --report -"),
    ("add", "add r.pgc a.pgn --json"),
    ("merge", "merge a.pgc latin.pgc -o m.pgc --json"),
    ("split", "split a.pgc --by event --json"),
    (
        "edit",
        "edit a.pgc --event open --set Round=2 -o e.pgc --json",
    ),
    (
        "edit --log",
        "edit a.pgc --games 1 --set Result=0-1 --dry-run --log -",
    ),
    (
        "edit --log",
        "edit a.pgc --games 1 --delete --dry-run --log -",
    ),
    ("unpack", "unpack a.pgc -o back/ --json"),
    ("unpack", "unpack --partial broken.pgc -o part/ --json"),
    ("get", "get a.pgc 1.. --json"),
    ("find", "find a.pgc --json"),
    ("find --count", "find a.pgc --count --json"),
    (
        "find --table positions",
        "find a.pgc --table positions --json",
    ),
    ("tree", "tree a.pgc --depth 2 --json"),
    ("stats", "stats a.pgc ada --json"),
    ("table", "table a.pgc --event open --rounds --json"),
    ("table", "table a.pgc --ratings --json"),
    ("names", "names a.pgc --json"),
    ("dups", "dups twice.pgc --json"),
    ("info", "info a.pgc small.pgcz latin.pgc de.pgc --json"),
    ("info --sources", "info --sources a.pgc --json"),
    ("test", "test a.pgc none.pgc --sha256 --json"),
    ("test", "test broken.pgc --json"),
    ("lint", "lint a.pgn --fix --json -o fixed.pgn"),
    ("index", "index a.pgc --json"),
    ("index", "index a.pgc --verify --json"),
    ("protect", "protect a.pgc --json"),
    ("info", "info a.pgc --json"),
    ("repair", "repair a.pgc --json"),
    ("salvage", "salvage broken.pgc -o saved.pgc --json"),
    (
        "salvage --report",
        "salvage broken.pgc -o again.pgc --report -",
    ),
    ("import-sgf", "import-sgf g.sgf --json"),
];

#[test]
fn the_keys_are_those_of_the_page() {
    let dir = Dir::new();
    dir.put("a.pgn", PGN);
    dir.put("g.sgf", SGF);
    dir.put("latin.pgn", b"[Event \"Caf\xe9\"]\n\n1. e4 *\n");
    dir.put("de.pgn", "1. Sf3 Sf6 *\n");
    dir.put("twice.pgn", format!("{PGN}\n{PGN}"));
    dir.run(&["pack", "-q", "twice.pgn"]).exits(0);
    dir.run(&["pack", "-q", "twice.pgn", "a.pgn", "-o", "two.pgc"])
        .exits(0);
    let mut broken = dir.read("two.pgc");
    // In the block of the first source.
    let place = broken.len() / 3;
    broken[place] ^= 0x55;
    dir.put("broken.pgc", broken);
    let tables = page();
    let mut paths = Paths {
        tables: &tables,
        met: BTreeMap::new(),
        unknown: BTreeSet::new(),
    };
    for (table, run) in RUNS {
        let args: Vec<&str> = run.split(' ').collect();
        let ran = dir.run(&args);
        assert!(!ran.stdout().is_empty(), "{run}: {}", ran.stderr);
        for line in ran.stdout().lines() {
            let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{run}: {e}"));
            paths.take(table, &value);
        }
    }
    let missing = tables.iter().flat_map(|(name, table)| {
        let met = paths.met.get(name);
        let is_met =
            move |key: &str| key.starts_with('*') || met.is_some_and(|met| met.contains(key));
        let keys = table.keys().filter(move |key| !is_met(key));
        keys.map(move |key| format!("{name}: {key}"))
    });
    let missing: Vec<String> = missing.collect();
    assert!(
        missing.is_empty() && paths.unknown.is_empty(),
        "not on the page: {:#?}\nonly on the page: {missing:#?}",
        paths.unknown
    );
}

/// No command is forgotten: each has a table, or is named as one that answers nothing.
#[test]
fn every_command_is_on_the_page() {
    const WITHOUT: [&str; 4] = ["try", "view", "serve", "completions"];
    let dir = Dir::new();
    let help = dir.run(&["--help"]).exits(0).stdout();
    let tables = page();
    let commands = help.lines().filter_map(|line| {
        let (name, _) = line.strip_prefix("  ")?.split_once("  ")?;
        name.chars()
            .all(|c| c.is_ascii_lowercase() || c == '-')
            .then_some(name)
    });
    let commands: Vec<&str> = commands.filter(|name| !name.is_empty()).collect();
    assert!(commands.contains(&"pack") && commands.len() > 20);
    for name in commands {
        let is_there = tables.contains_key(name) != WITHOUT.contains(&name);
        assert!(is_there, "{name}");
    }
}
