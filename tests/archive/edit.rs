//! `pgc edit`: the edited archive holds the text that an editor of single lines makes.

use std::fs;
use std::fs::File;

use pgc::edit::edits::{Edits, OpeningTags};
use pgc::edit::plan::EditPlan;
use pgc::edit::write::write_edited;
use pgc::{Error, NoHooks};

use crate::block::corpus::corpus;
use crate::cli::program::{Dir, Ran};
use crate::support::archive_of;
use crate::support::gen_pgn::{document, mutate};
use crate::support::random::Random;

/// The standard's roster, as this file knows it.
const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// A part of a source, as it was generated.
#[derive(Clone)]
enum Part {
    /// Text that is no game.
    Note(String),
    Game(LineGame),
}

/// A game whose lines are known.
#[derive(Clone)]
struct LineGame {
    /// Names and values, without backslashes.
    tags: Vec<(String, String)>,
    moves: String,
    end: String,
    /// Line ends behind the movetext, as a number.
    lines: usize,
}

/// A source, and the line end that it uses.
#[derive(Clone)]
struct LineSource {
    mark: bool,
    newline: &'static str,
    parts: Vec<Part>,
}

impl LineSource {
    fn random(random: &mut Random, games: usize) -> LineSource {
        let mut parts = Vec::new();
        for _ in 0..games {
            if random.once_in(6) {
                parts.push(Part::Note("Some words between games.\n\n".to_owned()));
            }
            parts.push(Part::Game(LineGame::random(random)));
        }
        LineSource {
            mark: random.once_in(4),
            newline: random.pick(&["\n", "\n", "\r\n"]),
            parts,
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Note(note) => text += note,
                Part::Game(game) => text += &game.text(),
            }
        }
        let text = text.replace('\n', self.newline);
        if self.mark {
            format!("\u{feff}{text}")
        } else {
            text
        }
    }
}

impl LineGame {
    fn random(random: &mut Random) -> LineGame {
        let mut tags = Vec::new();
        let end = random.pick(&["1-0", "0-1", "1/2-1/2", "*"]);
        let players = [
            "Kasparow, G",
            "Kasparov, Garry",
            "Tal",
            "M\u{fc}ller, \"Bomber\"",
            "a\\b",
            "kasparow, g",
        ];
        if !random.once_in(8) {
            for name in ROSTER {
                let value = match name {
                    "White" | "Black" => random.pick(&players),
                    "Result" if !random.once_in(6) => end,
                    "Result" => random.pick(&["1-0", "*", "?"]),
                    "Event" => random.pick(&["Worl Cup", "World Cup", "?"]),
                    _ => random.pick(&["?", "1", "x y"]),
                };
                if !random.once_in(6) {
                    tags.push((name.to_owned(), value.to_owned()));
                }
            }
            for (name, value) in [("ECO", "B33"), ("Annotator", "me"), ("Annotator", "you")] {
                if random.once_in(3) {
                    tags.push((name.to_owned(), value.to_owned()));
                }
            }
        }
        let moves = random.pick(&[
            "1. e4 e5 2. Nf3",
            "1. d4 {[White \"Tal\"]} d5 (1... Nf6 2. c4)",
            "1. e4 ; a comment\ne5 $1 2. Nf3\nNc6",
            "1. e4 Ke5 2. junk",
            "1. c4",
        ]);
        LineGame {
            tags,
            moves: moves.to_owned(),
            end: end.to_owned(),
            lines: random.pick(&[2, 2, 1, 3]),
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.tags {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            text += &format!("[{name} \"{value}\"]\n");
        }
        if !self.tags.is_empty() {
            text += "\n";
        }
        text += &format!("{} {}", self.moves, self.end);
        text + &"\n".repeat(self.lines)
    }
}

/// What is asked for.
#[derive(Default)]
struct Wish {
    set: Vec<(&'static str, &'static str)>,
    unset: Vec<&'static str>,
    renames: Vec<(&'static str, &'static str)>,
    delete: bool,
}

impl Wish {
    fn random(random: &mut Random) -> Wish {
        let mut wish = Wish::default();
        if random.once_in(3) {
            wish.delete = true;
            return wish;
        }
        let sets = [
            ("Annotator", "Fran\u{e7}ois \"the \\ slash\""),
            ("Result", random.pick(&["1-0", "1/2-1/2", "*"])),
            ("Event", "World Cup"),
            ("ECO", "C00"),
            ("Date", "1992.05.03"),
            ("Source", ""),
        ];
        for set in sets {
            if random.once_in(3) {
                wish.set.push(set);
            }
        }
        for name in ["Site", "Round", "White", "PlyCount"] {
            if random.once_in(5) {
                wish.unset.push(name);
            }
        }
        if random.once_in(2) {
            wish.renames.push(("Kasparow, G", "Kasparov, Garry"));
            wish.renames
                .push(("M\u{fc}ller, \"Bomber\"", "M\u{fc}ller, K"));
        }
        if wish.set.is_empty() && wish.unset.is_empty() && wish.renames.is_empty() {
            wish.set.push(("Event", "World Cup"));
        }
        wish
    }

    fn args(&self) -> Vec<String> {
        let mut args = Vec::new();
        for (name, value) in &self.set {
            args.extend(["--set".to_owned(), format!("{name}={value}")]);
        }
        for name in &self.unset {
            args.extend(["--unset".to_owned(), (*name).to_owned()]);
        }
        for (old, new) in &self.renames {
            args.extend([
                "--rename-player".to_owned(),
                (*old).to_owned(),
                (*new).to_owned(),
            ]);
        }
        args.extend(self.delete.then(|| "--delete".to_owned()));
        args
    }

    /// Changes the lines of a game.
    fn apply(&self, game: &LineGame) -> LineGame {
        let mut new = game.clone();
        for (name, value) in &mut new.tags {
            if name == "White" || name == "Black" {
                let rename = self.renames.iter().find(|rename| rename.0 == value);
                *value = rename.map_or(value.clone(), |rename| rename.1.to_owned());
            }
        }
        new.tags.retain(|tag| !self.unset.contains(&tag.0.as_str()));
        let rank = |name: &str| ROSTER.iter().position(|tag| *tag == name);
        let mut set = self.set.clone();
        set.sort_by_key(|(name, _)| rank(name).unwrap_or(7));
        for (name, value) in set {
            let mut found = false;
            for tag in new.tags.iter_mut().filter(|tag| tag.0 == name) {
                (tag.1, found) = (value.to_owned(), true);
            }
            if found {
                continue;
            }
            // Behind the nearest tag of the roster before it; other tags at the end.
            let at = match rank(name) {
                None => new.tags.len(),
                Some(rank) => ROSTER[..rank]
                    .iter()
                    .rev()
                    .find_map(|before| new.tags.iter().rposition(|tag| tag.0 == *before))
                    .map_or(0, |at| at + 1),
            };
            new.tags.insert(at, (name.to_owned(), value.to_owned()));
        }
        if let Some((_, result)) = self.set.iter().find(|set| set.0 == "Result") {
            let old = game.tags.iter().find(|tag| tag.0 == "Result");
            if old.is_none_or(|old| old.1 == game.end) {
                new.end = (*result).to_owned();
            }
        }
        new
    }
}

/// Edits sources by their lines; `chosen` says which of the games, numbered from 0 over all.
fn edited(sources: &[LineSource], wish: &Wish, chosen: impl Fn(usize) -> bool) -> Vec<LineSource> {
    let mut number = 0;
    let mut edit = |part: &Part| {
        let Part::Game(game) = part else {
            return Some(part.clone());
        };
        number += 1;
        match chosen(number - 1) {
            false => Some(part.clone()),
            true if wish.delete => None,
            true => Some(Part::Game(wish.apply(game))),
        }
    };
    let sources = sources.iter().map(|source| LineSource {
        parts: source.parts.iter().filter_map(&mut edit).collect(),
        ..source.clone()
    });
    sources.collect()
}

fn words(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

/// Packs the sources, each in a form of its own, into one archive.
fn pack(dir: &Dir, sources: &[LineSource], small: impl Fn(usize) -> bool, archive: &str) {
    let mut bytes = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        let (pgn, pgc) = (
            format!("source-{at}.pgn"),
            ["one.pgc", "one.pgcz"][usize::from(small(at))],
        );
        dir.put(&pgn, source.text());
        dir.pack_into(&[&pgn], pgc);
        bytes.extend(dir.read(pgc));
    }
    dir.put(archive, bytes);
    dir.put(&format!("{archive}i"), dir.index_of(archive));
}

fn texts(sources: &[LineSource]) -> String {
    sources.iter().map(LineSource::text).collect()
}

#[test]
fn an_edited_archive_holds_the_edited_lines() {
    let mut changed = 0;
    for seed in 0..24 {
        let mut random = Random::new(seed);
        let dir = Dir::new();
        let sources: Vec<LineSource> = (0..1 + random.below(3))
            .map(|_| {
                let games = random.pick(&[1, 5, 30]);
                LineSource::random(&mut random, games)
            })
            .collect();
        let forms = random.below(8);
        let small = |at: usize| forms >> at & 1 != 0;
        pack(&dir, &sources, small, "old.pgc");
        let wish = Wish::random(&mut random);
        let games = sources.iter().flat_map(|source| &source.parts);
        let games = games.filter(|part| matches!(part, Part::Game(_))).count();
        let share = random.pick(&[1, 2, 10]);
        let mut chosen: Vec<usize> = (0..games).filter(|_| random.once_in(share)).collect();
        if chosen.is_empty() {
            chosen.push(0);
        }
        let numbers: Vec<String> = chosen.iter().map(|game| (game + 1).to_string()).collect();
        let after = edited(&sources, &wish, |game| chosen.contains(&game));
        let changes = wish.args();
        let base = [
            "edit",
            "old.pgc",
            "--games",
            &numbers.join(","),
            "-o",
            "new.pgc",
        ];
        let ran = dir.run(&[&base[..], &words(&changes)].concat());
        let what = format!("seed {seed}: {changes:?} of {numbers:?}: {}", ran.stderr);
        if texts(&after) == texts(&sources) {
            ran.exits(1);
            assert!(!dir.names().contains(&"new.pgc".to_owned()), "{what}");
            continue;
        }
        ran.exits(0);
        let found = dir.unpacked_text("new.pgc");
        assert_eq!(found, texts(&after), "{what}");
        dir.test("new.pgc");
        // Packing the changed texts gives the same archive, and the same index.
        pack(&dir, &after, small, "again.pgc");
        assert!(dir.read("again.pgc") == dir.read("new.pgc"), "{what}");
        assert!(dir.read("again.pgci") == dir.read("new.pgci"), "{what}");
        changed += 1;
    }
    assert!(changed > 15, "{changed}");
}

pub(crate) const GAMES: &str = "[Event \"Worl Cup\"]\n[White \"Tal\"]\n[Result \"*\"]\n\n1. e4 *\n\n[Event \"Other\"]\n\n1. d4 1-0\n";

pub(crate) fn dir_with(text: impl AsRef<[u8]>) -> Dir {
    let dir = Dir::new();
    dir.put("games.pgn", text);
    dir.pack("games.pgn");
    dir
}

/// The changes that options of `pgc edit` ask for, and the games, from 0, if they name some.
fn asked(args: &[&str]) -> (Edits, Option<Vec<u32>>) {
    let mut edits = match args.contains(&"--delete") {
        true => Edits::deletion(),
        false => Edits::default(),
    };
    let (mut games, mut words) = (None, args.iter().copied());
    while let Some(word) = words.next() {
        let (option, given) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word, None),
        };
        let mut value = || given.or_else(|| words.next()).unwrap();
        match option {
            "--set" => {
                let (name, value) = value().split_once('=').unwrap();
                edits.set(name, value).unwrap();
            }
            "--unset" => edits.unset(value()).unwrap(),
            "--rename-player" => {
                let old = value();
                edits.rename_player(old, value()).unwrap();
            }
            "--set-opening" => {
                let tags = match given {
                    Some("always") => OpeningTags::Always,
                    _ => OpeningTags::Missing,
                };
                edits.set_opening(tags).unwrap();
            }
            "--games" => {
                let numbers = value().split(',');
                games = Some(numbers.map(|n| n.parse::<u32>().unwrap() - 1).collect());
            }
            "--delete" | "--all" => {}
            other => panic!("{other}"),
        }
    }
    (edits, games)
}

/// The text of `games.pgc` after an edit by the library, or why there is none.
fn edited_text(dir: &Dir, args: &[&str]) -> Result<Vec<u8>, Error> {
    let archive = dir.open("games.pgc");
    let (edits, games) = asked(args);
    let plan = EditPlan::new(
        &archive,
        games.as_deref(),
        &edits,
        1,
        false,
        &mut |_| Ok(()),
    )?;
    let mut edited = Vec::new();
    write_edited(&archive, &plan, &mut edited, 1, &mut NoHooks, None)?;
    dir.put("edited.pgc", edited);
    dir.test("edited.pgc");
    Ok(dir.unpacked("edited.pgc"))
}

/// A text after an edit of its archive.
pub(crate) fn after(text: impl AsRef<[u8]>, args: &[&str]) -> Vec<u8> {
    let dir = Dir::new();
    dir.put("games.pgc", archive_of(text.as_ref()));
    edited_text(&dir, args).unwrap()
}

#[track_caller]
pub(crate) fn becomes(text: &str, args: &[&str], expected: &str) {
    let found = after(text, args);
    assert_eq!(String::from_utf8_lossy(&found), expected, "{args:?}");
}

#[test]
fn questions_narrow_and_the_summary_counts() {
    let dir = dir_with(GAMES);
    let args = [
        "edit",
        "games.pgc",
        "--event",
        "worl",
        "--set",
        "Event=World Cup",
    ];
    let ran = dir
        .run(&[&args[..], &["-o", "new.pgc", "--json"]].concat())
        .exits(0);
    let json = ran.json();
    let found = [
        &json["games"],
        &json["changed"],
        &json["deleted"],
        &json["fields"]["Event"],
    ];
    assert_eq!(found, [2, 1, 0, 1]);
    let text = dir.unpacked_text("new.pgc");
    assert_eq!(text, GAMES.replace("Worl Cup", "World Cup"));
    // The new index answers.
    let count = dir.run(&[
        "find",
        "new.pgc",
        "-q",
        "--require-index",
        "-e",
        "=World Cup",
        "--count",
    ]);
    assert_eq!(count.stdout(), "1\n");
    // With a number, both must match.
    let none = dir.run(&[&args[..], &["--games", "2", "-o", "third.pgc"]].concat());
    none.exits(1).says("changed 0 of 2 games");
    assert!(!dir.names().contains(&"third.pgc".to_owned()));
}

#[test]
fn what_a_trial_prints_and_the_log_holds() {
    let dir = dir_with(GAMES);
    let before = dir.names();
    let args = [
        "edit",
        "games.pgc",
        "--set",
        "Result=0-1",
        "--unset",
        "White",
    ];
    let ran = dir.run(&[&args[..], &["--dry-run"]].concat()).exits(0);
    // The second game says 1-0 without a tag: nothing contradicts the new one.
    assert_eq!(
        ran.stdout(),
        "1: White \"Tal\" -> none\n1: Result \"*\" -> \"0-1\"\n1: termination \"*\" -> \"0-1\"\n\
         2: Result none -> \"0-1\"\n2: termination \"1-0\" -> \"0-1\"\n"
    );
    assert_eq!(dir.names(), before);
    let logged = ["--in-place", "--all", "-q", "--log", "log.jsonl"];
    dir.run(&[&args[..], &logged].concat()).exits(0);
    let log = String::from_utf8(dir.read("log.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    let first = serde_json::json!({ "game": 1, "changes": [
        { "tag": "White", "before": "Tal", "after": null },
        { "tag": "Result", "before": "*", "after": "0-1" },
        { "termination": true, "before": "*", "after": "0-1" },
    ]});
    assert_eq!(lines[0], first);
    let delete = [
        "edit",
        "-q",
        "games.pgc",
        "--games",
        "2",
        "--delete",
        "--in-place",
        "--log",
        "-",
    ];
    let ran = dir.run(&delete).exits(0);
    let text = "[Event \"Other\"]\n[Result \"0-1\"]\n\n1. d4 0-1\n";
    let gone = serde_json::json!({ "game": 2, "deleted": true, "text": text });
    assert_eq!(ran.json(), gone);
}

#[test]
fn tags_that_are_written_in_odd_ways() {
    // Two on a line, blanks, no quotes, no end.
    becomes(
        "[A \"1\"] [B \"2\"]\n\n*\n",
        &["--unset", "A"],
        " [B \"2\"]\n\n*\n",
    );
    becomes(
        "[A \"1\"] [B \"2\"]\n\n*\n",
        &["--set", "A=x"],
        "[A \"x\"] [B \"2\"]\n\n*\n",
    );
    becomes(
        "[ A  \"1\" ]  \n[B \"2\"]\n\n*\n",
        &["--set", "A=x\"]"],
        "[ A  \"x\\\"]\" ]  \n[B \"2\"]\n\n*\n",
    );
    becomes(
        "[ A  \"1\" ]  \n[B \"2\"]\n\n*\n",
        &["--unset", "A"],
        "[B \"2\"]\n\n*\n",
    );
    becomes(
        "[Event Some place]\n[B \"2\"]\n\n*\n",
        &["--set", "Event=x"],
        "[Event \"x\"]\n[B \"2\"]\n\n*\n",
    );
    becomes(
        "[A \"1\n[B \"2\"]\n\n*\n",
        &["--set", "A=x", "--set", "C=y"],
        "[A \"x\"]\n[B \"2\"]\n[C \"y\"]\n\n*\n",
    );
    becomes(
        "[A \"The \"Big\" One\"]\n\n*\n",
        &["--set", "A=x"],
        "[A \"x\"]\n\n*\n",
    );
    // A tag that is there twice; a pair in the place of the only one.
    becomes(
        "[A \"1\"]\n[A \"2\"]\n\n*\n",
        &["--set", "A=x"],
        "[A \"x\"]\n[A \"x\"]\n\n*\n",
    );
    becomes(
        "[A \"1\"]\r\n\r\n*\r\n",
        &["--unset", "A", "--set", "B=x"],
        "[B \"x\"]\r\n\r\n*\r\n",
    );
    // No tags: behind the mark and the white space, before the rest.
    becomes(
        "\u{feff}\n1. e4 *\n",
        &["--set", "A=x"],
        "\u{feff}\n[A \"x\"]\n\n1. e4 *\n",
    );
    becomes(
        "% line\n1. e4 *\n",
        &["--set", "A=x"],
        "[A \"x\"]\n\n% line\n1. e4 *\n",
    );
    becomes(
        "{before} 1. e4 * 1. d4 *",
        &["--set", "A=x", "--games", "2"],
        "{before} 1. e4 * [A \"x\"]\n\n1. d4 *",
    );
}

#[test]
fn players_are_renamed_by_their_whole_values_and_may_swap() {
    let text = "[White \"A\"]\n[Black \"B\"]\n\n*\n\n[White \"a\"]\n[Black \"A \"]\n[Annotator \"A\"]\n\n*\n";
    becomes(
        text,
        &["--rename-player", "A", "B", "--rename-player", "B", "A"],
        &text.replace(
            "[White \"A\"]\n[Black \"B\"]",
            "[White \"B\"]\n[Black \"A\"]",
        ),
    );
}

#[test]
fn the_encoding_is_that_of_the_text_around() {
    let set = ["--set", "Annotator=M\u{fc}ller"];
    let game =
        |text: &[u8], value: &[u8]| [text, b"\n[Annotator \"", value, b"\"]\n\n*\n\n"].concat();
    let without = |text: &[u8]| [text, b"\n\n*\n\n"].concat();
    let (latin1, utf8) = (
        &b"[White \"J\xf6rg\"]"[..],
        "[White \"J\u{f6}rg\"]".as_bytes(),
    );
    let ascii = &b"[White \"Tal\"]"[..];
    let text = [ascii, latin1, ascii, utf8, ascii].map(without).concat();
    let (in_latin1, in_utf8) = (&b"M\xfcller"[..], "M\u{fc}ller".as_bytes());
    let expected = [
        game(ascii, in_utf8),
        game(latin1, in_latin1),
        game(ascii, in_latin1),
        game(utf8, in_utf8),
        game(ascii, in_utf8),
    ]
    .concat();
    assert!(after(text, &set) == expected);
    // Latin-1 has no such letter, and these two would be read as one of UTF-8.
    for value in ["Dvo\u{159}\u{e1}k", "\u{c3}\u{bc}"] {
        let found = after(without(latin1), &["--set", &format!("Annotator={value}")]);
        assert!(found == game(latin1, value.as_bytes()), "{value}");
    }
    // Values are compared as text: the name is the same in both encodings.
    let found = after(
        [latin1, b"\n\n*\n\n", utf8, b"\n\n*\n"].concat(),
        &["--rename-player", "J\u{f6}rg", "J"],
    );
    assert_eq!(found, b"[White \"J\"]\n\n*\n\n[White \"J\"]\n\n*\n");
}

#[test]
fn deleting_keeps_the_source() {
    becomes(
        "\u{feff}1. e4 *\n\n1. d4 *\n",
        &["--delete", "--games", "1"],
        "\u{feff}1. d4 *\n",
    );
    becomes(
        "1. e4 *\n\n1. d4 *\n",
        &["--delete", "--games", "2"],
        "1. e4 *\n\n",
    );
    becomes(
        "a note\n\n1. e4 *\n\nanother\n\n",
        &["--delete", "--all"],
        "a note\n\nanother\n\n",
    );
    let dir = dir_with(GAMES);
    dir.run(&["edit", "-q", "games.pgc", "--delete", "--all", "--in-place"])
        .exits(0);
    let listed = dir
        .run(&["info", "--sources", "--json", "games.pgc"])
        .exits(0)
        .json();
    let source = &listed["sources"][0];
    assert_eq!(
        (&source["name"], &source["games"], &source["bytes"]),
        (&"games.pgn".into(), &0.into(), &0.into())
    );
    dir.run(&["test", "-q", "games.pgc"]).exits(0);
}

#[test]
fn a_game_of_several_pieces() {
    // Longer than a game may be: it is kept in pieces, the tags in the first.
    let long = format!(
        "[Event \"Long\"]\n\n1. e4 {{{}}} e5 *\n\n",
        "x".repeat(34_000_000)
    );
    let text = format!("1. c4 *\n\n{long}1. d4 *\n");
    let found = after(
        &text,
        &["--games", "2", "--set", "Event=Longer", "--set", "Source=x"],
    );
    let expected = text.replacen("[Event \"Long\"]", "[Event \"Longer\"]\n[Source \"x\"]", 1);
    assert!(found == expected.as_bytes());
    let found = after(&text, &["--games", "2", "--delete"]);
    assert_eq!(found, b"1. c4 *\n\n1. d4 *\n");
}

#[test]
fn games_that_would_run_together_stay() {
    const OPEN: &str = "[A \"1\"]\n\n1. e4\n\n[B \"2\"]\n\nd4 *\n\n";
    // A game without tags and numbers, and words, that the first game would swallow.
    for behind in ["c4 *\n", "Some words.\n"] {
        let dir = dir_with(format!("{OPEN}{behind}"));
        let before = dir.read("games.pgc");
        for args in [["--delete", "--games=2"], ["--unset=B", "--games=2"]] {
            let ran = dir.run(&[&["edit", "games.pgc", "--in-place"][..], &args].concat());
            ran.exits(2).says("run together");
            assert!(dir.read("games.pgc") == before);
        }
    }
}

#[test]
fn refusals() {
    let dir = dir_with(GAMES);
    let before = (dir.names(), dir.read("games.pgc"));
    let refused = |args: &[&str], text: &str| {
        dir.run(&[&["edit", "games.pgc"], args].concat())
            .exits(2)
            .says(text);
        assert!((dir.names(), dir.read("games.pgc")) == before, "{args:?}");
    };
    refused(&["--set", "A=b"], "--in-place");
    refused(&["--in-place"], "nothing to do");
    refused(&["--in-place", "--delete"], "--all");
    refused(
        &["--in-place", "--delete", "--all", "-e", "x"],
        "--all cannot be used with a question",
    );
    refused(&["--in-place", "--delete", "--set", "A=b"], "--delete");
    refused(&["--in-place", "--set", "FEN=x"], "FEN");
    refused(&["--in-place", "--unset", "SetUp"], "SetUp");
    refused(
        &["--in-place", "--set", "Two words=x"],
        "not the name of a tag",
    );
    refused(&["--in-place", "--set", "Event"], "NAME=VALUE");
    refused(&["--in-place", "--set", "Event=a\nb"], "line end");
    refused(
        &["--in-place", "--set", "Event=a\u{85}b"],
        "control character",
    );
    refused(
        &[
            "--in-place",
            "--set",
            &format!("Event={}", "x".repeat(5000)),
        ],
        "longer than",
    );
    refused(&["--in-place", "--set", "Result=won"], "not a result");
    refused(
        &["--in-place", "--set", "Event=a", "--unset", "Event"],
        "would be changed twice",
    );
    refused(
        &[
            "--in-place",
            "--rename-player",
            "a",
            "b",
            "--rename-player",
            "a",
            "c",
        ],
        "would be changed twice",
    );
    refused(
        &["--in-place", "--set", "A=b", "--games", "x"],
        "not a game number",
    );
    refused(&["--set", "A=b", "-o", "new.pgcz"], ".pgc");
    refused(&["--set", "A=b", "-o", "new.pgn"], ".pgc");
    refused(&["--set", "A=b", "-o", "games.pgc", "-f"], "never replaced");
    dir.run(&[
        "edit",
        "games.pgc",
        "--in-place",
        "--set",
        "A=b",
        "--games",
        "3",
    ])
    .exits(1)
    .says("there is no game 3");
    dir.run(&["edit", "games.pgn", "--in-place", "--all", "--set", "A=b"])
        .exits(2)
        .says("games.pgn: is PGN: pack it first");
    let stream = dir_with("1. e4 *\n");
    stream
        .run(&["pack", "-q", "--standard", "games.pgn", "-o", "old.pgc"])
        .exits(0);
    let ran = stream.run(&["edit", "old.pgc", "--in-place", "--all", "--set", "A=b"]);
    ran.exits(2).says("not an archive made by pgc");
}

#[test]
fn a_damaged_archive_stays() {
    let dir = dir_with(GAMES);
    let mut bytes = dir.read("games.pgc");
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    dir.put("games.pgc", &bytes);
    for args in [
        &["--set", "A=b", "--all"][..],
        &["-e", "worl", "--delete"],
        &["--games", "1", "--set", "A=b"],
    ] {
        let ran: Ran = dir.run(&[&["edit", "games.pgc", "--in-place"], args].concat());
        ran.exits(3);
        assert!(dir.read("games.pgc") == bytes, "{args:?}");
    }
    // Damage in a source that is only copied.
    let whole = dir_with(GAMES).read("games.pgc");
    let both = [&whole[..], &bytes].concat();
    dir.put("both.pgc", &both);
    let ran = dir.run(&[
        "edit",
        "both.pgc",
        "--in-place",
        "--games",
        "1",
        "--set",
        "A=b",
    ]);
    ran.exits(3);
    assert!(dir.read("both.pgc") == both);
}

#[test]
fn an_unfinished_addition_is_not_lost() {
    let dir = dir_with(GAMES);
    let whole = dir.read("games.pgc");
    let unfinished = [&whole[..], &[0xff; 8], &whole[8..]].concat();
    dir.put("games.pgc", &unfinished);
    let args = ["edit", "games.pgc", "--all", "--set", "Event=x"];
    let ran = dir.run(&[&args[..], &["--in-place"]].concat());
    ran.exits(2).says("unfinished addition");
    assert!(dir.read("games.pgc") == unfinished);
    dir.run(&[&args[..], &["-o", "new.pgc"]].concat()).exits(0);
    dir.run(&["test", "-q", "new.pgc"]).exits(0);
}

#[test]
fn nobody_else_may_be_writing() {
    let dir = dir_with(GAMES);
    let file = File::open(dir.path().join("games.pgc")).unwrap();
    file.lock().unwrap();
    let args = [
        "edit",
        "games.pgc",
        "--in-place",
        "--all",
        "--set",
        "Event=x",
    ];
    dir.run(&args).exits(2).says("another program is writing");
    drop(file);
    dir.run(&args).exits(0);
}

#[test]
fn the_index_keeps_its_sections_and_the_bytes_do_not_depend_on_threads() {
    let mut random = Random::new(99);
    let source = LineSource::random(&mut random, 4000);
    let dir = dir_with(source.text());
    for extra in [&[][..], &["--no-positions"]] {
        dir.run(&[&["index", "-q", "games.pgc"], extra].concat())
            .exits(0);
        for jobs in ["1", "3"] {
            let args = [
                "edit",
                "-q",
                "games.pgc",
                "-e",
                "worl",
                "--set",
                "ECO=A00",
                "-f",
                "-o",
                "new.pgc",
            ];
            dir.run(&[&args[..], &["-j", jobs]].concat()).exits(0);
            dir.run(&[&["index", "-q", "new.pgc", "-o", "again.pgci", "-f"], extra].concat())
                .exits(0);
            assert!(dir.read("again.pgci") == dir.read("new.pgci"), "{extra:?}");
            let name = format!("of-{jobs}.pgc");
            dir.put(&name, dir.read("new.pgc"));
        }
        assert!(dir.read("of-1.pgc") == dir.read("of-3.pgc"));
    }
}

/// Documents full of oddities: a tag is added to every game, and nothing else but line ends.
#[test]
fn a_new_tag_is_all_that_is_added_to_odd_documents() {
    const PAIR: &str = "[Zzz \"1\"]";
    let mut done = 0;
    for seed in 0..120 {
        let mut random = Random::new(seed);
        let games = 1 + random.below(6);
        let mut text = document(&mut random, games);
        if random.once_in(2) {
            mutate(&mut random, &mut text);
        }
        let dir = Dir::new();
        dir.put("games.pgc", archive_of(&text));
        let games = dir.open("games.pgc").len().unwrap();
        let found = match edited_text(&dir, &["--set", "Zzz=1"]) {
            _ if games == 0 => continue,
            Ok(found) => found,
            // It would not read as asked.
            Err(Error::Io(error)) => {
                assert!(error.to_string().contains("game"), "seed {seed}: {error}");
                continue;
            }
            Err(error) => panic!("seed {seed}: {error}"),
        };
        done += 1;
        let pairs = found
            .windows(PAIR.len())
            .filter(|at| *at == PAIR.as_bytes());
        assert_eq!(pairs.count() as u64, games, "seed {seed}");
        let bare = |text: &[u8]| {
            let text = replaced(text, PAIR.as_bytes(), b"");
            let rest = text.into_iter().filter(|byte| !b"\r\n".contains(byte));
            rest.collect::<Vec<u8>>()
        };
        assert!(bare(&found) == bare(&text), "seed {seed}");
    }
    assert!(done > 60, "{done}");
}

#[test]
fn real_games_keep_every_other_byte() {
    let files = corpus();
    if files.is_empty() {
        eprintln!("skipped: no corpora");
    }
    let mut done = 0;
    for path in files.iter().step_by(5) {
        let text = fs::read(path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        if !name.ends_with(".pgn") {
            continue;
        }
        // The player who has White in the most games.
        let mut counts = std::collections::BTreeMap::<&str, usize>::new();
        for line in text.split(|&byte| byte == b'\n') {
            let value = str::from_utf8(line.trim_ascii()).ok();
            let value = value.and_then(|line| line.strip_prefix("[White \"")?.strip_suffix("\"]"));
            if let Some(value) =
                value.filter(|value| value.is_ascii() && !value.contains(['"', '\\']))
            {
                *counts.entry(value).or_default() += 1;
            }
        }
        let Some((old, _)) = counts.into_iter().max_by_key(|entry| entry.1) else {
            continue;
        };
        let dir = Dir::new();
        dir.put("games.pgc", archive_of(&text));
        let found = edited_text(&dir, &["--rename-player", old, "Nobody, N"]).unwrap();
        let mut expected = text.clone();
        for side in ["White", "Black"] {
            let (old, new) = (
                format!("[{side} \"{old}\"]"),
                format!("[{side} \"Nobody, N\"]"),
            );
            expected = replaced(&expected, old.as_bytes(), new.as_bytes());
        }
        assert!(found == expected, "{name}: {old}");
        done += 1;
    }
    assert!(files.is_empty() || done > 20, "{done}");
}

fn replaced(text: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::new(), 0);
    while at < text.len() {
        if text[at..].starts_with(old) {
            out.extend_from_slice(new);
            at += old.len();
        } else {
            out.push(text[at]);
            at += 1;
        }
    }
    out
}
