//! Games that archives have more than once: `pgc dups`, `find --unique`, `add --skip-duplicates`.
//!
//! What is expected comes from typed games, and for generated ones from the definitions of D66,
//! tried on each pair of games.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use pgc::dups::find::{DupGame, DupGroups, DupOptions, Duplicates, duplicates};
use pgc::{Archive, OpenOptions};
use pgc_chess::{Position, Rules};
use serde_json::{Value, json};

use crate::archive::damage::blocks;
use crate::cli::program::{Dir, Ran};
use crate::support::program::answer;
use crate::support::random::Random;
use crate::support::{archive_of, small_of};

const LINE: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 11. Nbd2 Bb7 12. Bc2 Re8 13. Nf1 Bf8";

/// A game with players, date, further tags, moves and result.
fn game(players: [&str; 2], date: &str, tags: &str, moves: &str, result: &str) -> String {
    let [white, black] = players;
    format!(
        "[White \"{white}\"]\n[Black \"{black}\"]\n[Date \"{date}\"]\n[Result \"{result}\"]\n{tags}\n{moves} {result}\n\n"
    )
}

const TAL: [&str; 2] = ["Tal, Mihail", "Réti, Richard"];

fn typed() -> String {
    [
        // 1 to 3 are one game; the second has the annotation.
        game(TAL, "1960.05.01", "[Event \"Riga\"]\n", LINE, "1-0"),
        game(
            ["mihail tal", "RETI, RICHARD"],
            "1960.??.??",
            "",
            &format!("{LINE} {{good}} $1"),
            "1-0",
        ),
        game(["?", "Richard Reti"], "????.??.??", "", LINE, "*"),
        // 4 is a beginning of them, 5 is one by somebody else.
        game(TAL, "1960.05.01", "", &LINE[..61], "1-0"),
        game(["Ada", "Bob"], "1960.05.01", "", &LINE[..61], "1-0"),
        // 6 and 7: one game under other names.
        game(
            ["Cyd", "Dan"],
            "2001.01.01",
            "",
            &format!("1. d4 d5 {}", SHUFFLE),
            "1/2-1/2",
        ),
        game(
            ["Eve", "Dan"],
            "2001.01.01",
            "",
            &format!("1. d4 d5 {}", SHUFFLE),
            "1/2-1/2",
        ),
        // 8 and 9 are short, and nobody is known in both.
        game(["?", "Dan"], "2001.01.01", "", "1. c4 c5", "1/2-1/2"),
        game(["Eve", "?"], "2001.01.01", "", "1. c4 c5", "1/2-1/2"),
        // 10 and 11 have no moves, 12 and 13 moves that are not chess.
        game(TAL, "1961.01.01", "", "", "1-0"),
        game(TAL, "1961.01.01", "", "", "1-0"),
        game(TAL, "1961.01.01", "", "1. e4 e5 2. Ke5", "1-0"),
        game(TAL, "1961.01.01", "", "1. e4 e5 2. Ke5", "1-0"),
        // 14 and 15: another start is another game; the counters of a FEN are not.
        game(
            TAL,
            "1962.01.01",
            "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n",
            "1. e4 Ke7",
            "1-0",
        ),
        game(
            TAL,
            "1962.01.01",
            "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 3 9\"]\n",
            "9. e4 Ke7",
            "1-0",
        ),
        game(
            TAL,
            "1962.01.01",
            "[FEN \"4k3/8/8/8/8/8/4P3/3K4 w - - 0 1\"]\n",
            "1. e4 Ke7",
            "1-0",
        ),
        // 17 may be 18 or 19.
        game(TAL, "????.??.??", "", "1. f4", "1-0"),
        game(TAL, "1963.01.01", "", "1. f4", "1-0"),
        game(TAL, "1964.01.01", "", "1. f4", "1-0"),
    ]
    .concat()
}

/// Long enough that it is no chance.
const SHUFFLE: &str = "2. Nf3 Nf6 3. Ng1 Ng8 4. Nf3 Nf6 5. Ng1 Ng8 6. Nf3 Nf6 7. Ng1 Ng8 8. Nf3 Nf6 9. Ng1 Ng8 10. Nf3 Nf6 11. Ng1 Ng8 \
    12. Nf3 Nf6 13. Ng1 Ng8 14. Nf3 Nf6 15. Ng1 Ng8 16. Nf3 Nf6 17. Ng1 Ng8 18. Nf3 Nf6 19. Ng1 Ng8 20. Nf3 Nf6 21. Ng1 Ng8 \
    22. Nf3 Nf6 23. Ng1 Ng8 24. Nf3 Nf6 25. Ng1 Ng8";

fn packed(name: &str) -> Dir {
    let dir = Dir::new();
    dir.put("games.pgn", typed());
    dir.pack_into(&["games.pgn"], name);
    dir
}

/// Kind and numbers of the games of each group; those that stay have no sign.
fn groups(ran: &Ran) -> Vec<(String, Vec<i64>)> {
    let stdout = ran.stdout();
    let lines = stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let group = |line: Value| {
        let games = line["games"].as_array().unwrap().iter().map(|game| {
            let number = game["number"].as_i64().unwrap();
            if game["kept"] == true {
                number
            } else {
                -number
            }
        });
        (line["kind"].as_str().unwrap().to_owned(), games.collect())
    };
    lines.map(group).collect()
}

fn of(kind: &str, games: &[i64]) -> (String, Vec<i64>) {
    (kind.to_owned(), games.to_vec())
}

#[test]
fn kinds() {
    for name in ["games.pgc", "games.pgcz"] {
        let dir = packed(name);
        let ran = dir.run(&["dups", name, "--json"]).exits(0);
        let expected = [
            of("same", &[2, -1, -3]),
            of("same", &[14, -15]),
            of("inside", &[1, 2, -4]),
            of("names", &[6, 7]),
        ];
        assert_eq!(groups(&ran), expected);
        let ran = ran
            .says("15 games compared\nnot compared: 4 games without moves, or whose moves are text")
            .says("same: 2 groups of 5 games");
        let first: Value = serde_json::from_str(ran.stdout().lines().next().unwrap()).unwrap();
        assert_eq!(first["copies"], 3);
        assert_eq!(first["differs"]["Event"], json!([null, "Riga", null]));
        assert_eq!(
            first["differs"]["White"],
            json!(["mihail tal", TAL[0], "?"])
        );
        assert!(first["differs"].get("ECO").is_none());
        assert_eq!(first["games"][0]["comments"], 1);
        assert_eq!(first["games"][0]["nags"], 1);
        // Without an index.
        std::fs::remove_file(dir.path().join(format!("{name}i"))).unwrap();
        assert_eq!(
            groups(&dir.run(&["dups", name, "--json"]).exits(0)),
            expected
        );
    }
}

#[test]
fn options() {
    let dir = packed("games.pgc");
    let ran = |args: &[&str]| dir.run(&[&["dups", "games.pgc"], args].concat());
    for (args, expected) in [
        (&["--kind", "names"][..], vec![of("names", &[6, 7])]),
        (
            &["--kind", "same", "--limit", "1"],
            vec![of("same", &[2, -1, -3])],
        ),
        (
            &["--kind", "same", "--white", "tal", "-d", "1960"],
            vec![of("same", &[2, -1])],
        ),
        // Two moves are now enough without a common player.
        (
            &["--kind", "same", "--least", "2", "--black", "dan"],
            vec![],
        ),
        (
            &[
                "--kind", "same", "--least", "2", "--result", "1/2-1/2", "--plies", "2",
            ],
            vec![of("same", &[8, -9])],
        ),
    ] {
        let code = i32::from(expected.is_empty());
        let found = ran(&[args, &["--json"]].concat()).exits(code);
        assert_eq!(groups(&found), expected, "{args:?}");
    }
    let counted = ran(&["--count", "-q"]).exits(0).stdout();
    assert_eq!(
        counted,
        "same: 2 groups of 5 games\ninside: 1 group of 3 games\nnames: 1 group of 2 games\n"
    );
    let table = ran(&["--kind", "same", "-q"]).exits(0).stdout();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "same:");
    assert!(lines[1].trim_start().starts_with("game"), "{table}");
    assert!(lines[2].starts_with("*  2 "), "{table}");
    assert!(
        lines[3].contains("Date \"1960.05.01\", not \"1960.??.??\"; Event \"Riga\"; 0 comments, not 1; 0 NAGs, not 1"),
        "{table}"
    );
    assert_eq!(lines[5], "");
    ran(&["--least", "0"]).exits(2).says("from 1 on");
    ran(&["-o", "x.txt"])
        .exits(2)
        .says("use .pgn, .pgc or .pgcz");
    dir.run(&["dups", "none.pgc"])
        .exits(2)
        .says("none.pgc: No such file");
}

#[test]
fn a_file_without_copies() {
    let dir = packed("games.pgc");
    for (args, left) in [
        (&[][..], 16),
        (&["--kind", "inside"], 15),
        (&["--kind", "names"], 16),
    ] {
        for output in ["out.pgn", "out.pgc", "out.pgcz"] {
            let args = [&["dups", "games.pgc", "-f", "-o", output], args].concat();
            dir.run(&args)
                .exits(0)
                .says(&format!("{output}: {left} games"));
            let archive = match output {
                "out.pgn" => {
                    dir.pack_into(&["out.pgn"], "of.pgc");
                    "of.pgc"
                }
                archive => archive,
            };
            let archive = dir.open(archive);
            assert_eq!(archive.len().unwrap(), left);
            let best = String::from_utf8(archive.game(1).unwrap().pgn).unwrap();
            assert!(best.contains("{good}"), "{best}");
            // Nothing is there twice now.
            let all = answer(&archive, &[]).found.games;
            let found = duplicates(&[&archive], &[all], &DupOptions::new(dir.path()));
            assert_eq!(found.map_err(pgc::Error::bare).unwrap().same.len(), 0);
        }
    }
    dir.run(&["dups", "games.pgc", "-o", "out.pgn"])
        .exits(2)
        .says("out.pgn: already exists");
    dir.run(&["dups", "games.pgc", "-f", "-o", "games.pgc"])
        .exits(2)
        .says("is also an input");
}

#[test]
fn unique() {
    let dir = packed("games.pgc");
    let found = |args: &[&str]| {
        let csv = ["--unique", "-q", "--format", "csv", "--columns", "number"];
        let ran = dir
            .run(&[&["find", "games.pgc"], args, &csv].concat())
            .exits(0);
        let lines: Vec<String> = ran.stdout().lines().skip(1).map(str::to_owned).collect();
        lines.join(" ")
    };
    assert_eq!(found(&[]), "2 4 5 6 7 8 9 10 11 12 13 14 16 17 18 19");
    // Only games of the answer count.
    assert_eq!(found(&["--event", "riga"]), "1");
    assert_eq!(found(&["--moves", "1.e4 e5 2.Nf3", "--reverse"]), "5 4 2");
    let count = dir
        .run(&["find", "games.pgc", "--unique", "--count"])
        .exits(0);
    assert_eq!(count.stdout().trim(), "16");
    count.says("3 copies were left out");
    // With the plies of positions.
    let plies = dir.run(&[
        "find",
        "games.pgc",
        "--unique",
        "-q",
        "--material",
        "KP K",
        "--format",
        "csv",
        "--columns",
        "number,ply",
    ]);
    assert_eq!(plies.exits(0).stdout(), "number,ply\n14,0\n16,0\n");
}

#[test]
fn copies_are_not_added() {
    let dir = packed("games.pgc");
    let new = [
        // There already: other tags, another spelling.
        game(
            ["Tal, Mihail", "Reti, Richard"],
            "1960.12.31",
            "[Site \"x\"]\n",
            LINE,
            "1-0",
        ),
        // New: another year, another result, a player unknown, no moves, not chess.
        game(TAL, "1970.01.01", "", LINE, "1-0"),
        game(TAL, "1960.01.01", "", LINE, "0-1"),
        game(["Tal, Mihail", "?"], "1960.01.01", "", LINE, "1-0"),
        game(TAL, "1962.01.01", "", "", "1-0"),
        game(TAL, "1962.01.01", "", "1. e4 e5 2. Ke5", "1-0"),
        // The third again, its result unknown.
        game(["Mihail Tal", "Reti, Richard"], "1960.01.01", "", LINE, "*"),
        // Twice in the input; the year of the second is unknown.
        game(["Ada", "Bob"], "1980.01.01", "", "1. b4 b5", "1-0"),
        game(["ADA", "Bob"], "????.??.??", "", "1. b4 b5", "1-0"),
    ]
    .concat();
    dir.put("new.pgn", &new);
    let ran = dir
        .run(&["add", "--skip-duplicates", "--json", "games.pgc", "new.pgn"])
        .exits(0);
    assert_eq!(ran.json()["games"], 6);
    assert_eq!(ran.json()["duplicates"], 3);
    assert_eq!(ran.json()["known"], 0);
    // Those without moves or a player, and those that are not chess, have the same tags and moves.
    dir.run(&["add", "--skip-duplicates", "games.pgc", "new.pgn"])
        .exits(0)
        .says("9 copies left out");
    // Without moves: another tag makes another game; a game without tags is one as well.
    dir.put(
        "bare.pgn",
        "[White \"Tal\"]\n\n*\n\n[White \"Tal\"]\n[Round \"2\"]\n\n*\n\n1. e4 *\n",
    );
    for (added, left_out) in [(3, 0), (0, 3)] {
        let args = [
            "add",
            "--skip-duplicates",
            "--json",
            "games.pgc",
            "bare.pgn",
        ];
        let json = dir.run(&args).exits(0).json();
        assert_eq!(json["games"], added);
        assert_eq!(json["duplicates"], left_out);
    }
    dir.run(&[
        "add",
        "--skip-duplicates",
        "--skip-known",
        "games.pgc",
        "new.pgn",
    ])
    .exits(2)
    .says("cannot be used with");
    dir.run(&["test", "-q", "games.pgc"]).exits(0);
}

/// A beginning goes if the longer game has as much annotation, none here, and stays with more.
#[test]
fn a_beginning_goes_that_says_no_more() {
    let beginning = &LINE[..61];
    for (moves, spare) in [
        (beginning.to_owned(), &[(0, 1)][..]),
        (format!("{beginning} {{good}}"), &[]),
    ] {
        let dir = Dir::new();
        let games = [LINE, &moves].map(|moves| game(TAL, "1960.05.01", "", moves, "1-0"));
        dir.put("x.pgn", games.concat());
        dir.pack("x.pgn");
        let archive = dir.open("x.pgc");
        let found = duplicates(&[&archive], &[vec![0, 1]], &DupOptions::new(dir.path()));
        let found = found.map_err(pgc::Error::bare).unwrap();
        assert_eq!(found.inside.spare(), spare, "{moves}");
    }
}

/// A damaged block is passed over; the copies of the rest are found.
#[test]
fn damage() {
    let dir = Dir::new();
    let (mut source, event) = (String::new(), format!("[Event \"{}\"]\n", "x".repeat(560)));
    for i in 0..9000 {
        let name = format!("P{}", i % 4500);
        source += &game(
            [&name, "Bob"],
            "1999.01.01",
            &event,
            "1. e4 e5 2. Nf3",
            "1-0",
        );
    }
    let mut archive = archive_of(source.as_bytes());
    let all = blocks(&archive);
    let (hurt, lost) = (&all[1], all[1].games.clone());
    assert!(all.len() > 2 && lost.end <= 4500);
    archive[hurt.stored + 100] ^= 1;
    dir.put("x.pgc", &archive);
    let ran = dir.run(&["dups", "x.pgc", "--count"]).exits(3);
    let pairs = 4500 - (lost.end - lost.start);
    assert!(
        ran.stdout().starts_with(&format!(
            "same: {} groups of {} games\n",
            grouped(pairs),
            grouped(2 * pairs)
        )),
        "{}",
        ran.stdout()
    );
    dir.run(&["dups", "x.pgc", "-o", "out.pgn"]).exits(3);
    assert!(!dir.names().contains(&"out.pgn".to_owned()));
    dir.run(&["dups", "x.pgc", "-o", "out.pgn", "--partial"])
        .exits(3)
        .says("out.pgn: 4,500 games");
}

fn grouped(number: u64) -> String {
    format!("{},{:03}", number / 1000, number % 1000)
}

/// Names that would be dangerous, or are only signs.
#[test]
fn hostile_names() {
    let dir = Dir::new();
    let long = "x ".repeat(600);
    let players = [
        ["\u{202e}evil\u{1b}[31m", "a"],
        ["...", "???"],
        [&long, "b"],
        [",", "c"],
    ];
    let mut source = String::new();
    for both in players {
        source += &game(
            both,
            "1999.01.01",
            "[Event \"\u{1b}]0;title\"]\n",
            "1. e4 e5",
            "1-0",
        );
        source += &game(both, "1999.01.01", "", "1. e4 e5", "1-0");
    }
    dir.put("x.pgn", source);
    dir.pack("x.pgn");
    let ran = dir.run(&["dups", "x.pgc"]).exits(0);
    assert!(!ran.stdout().contains(['\u{1b}', '\u{202e}']));
    let ran = dir.run(&["dups", "x.pgc", "--json"]).exits(0);
    let same = [
        of("same", &[1, -2]),
        of("same", &[5, -6]),
        of("same", &[7, -8]),
    ];
    assert_eq!(groups(&ran), same);
}

/// A generated game, and what the definitions look at.
#[derive(Clone, Debug)]
struct Made {
    start: usize,
    line: Vec<u8>,
    players: [Option<usize>; 2],
    year: Option<u16>,
    result: Option<usize>,
    notes: usize,
    tags: usize,
}

const NAMES: [&[&str]; 4] = [
    &["?", "", "-"],
    &["Réti, Richard", "richard RETI", "Reti,Richard"],
    &["Tal", "TAL.", "tal"],
    &["Reti, Rudolf"],
];
const DATES: [(&str, Option<u16>); 5] = [
    ("1999.01.01", Some(1999)),
    ("1999.??.??", Some(1999)),
    ("2000.5.1", Some(2000)),
    ("????.??.??", None),
    ("199?.01.01", None),
];
const RESULTS: [&str; 4] = ["*", "1-0", "1/2-1/2", "0-1"];
const STARTS: [&str; 3] = [
    "",
    "[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n",
    "[FEN \"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\"]\n",
];

fn start(made: &Made) -> Position {
    let fen = STARTS[made.start].split('"').nth(1);
    Position::start(Rules::Chess, fen.map(str::as_bytes)).unwrap()
}

impl Made {
    /// Moves that nobody would plan.
    fn lengthen(&mut self, plies: usize, random: &mut Random) {
        let mut position = start(self);
        for &ordinal in &self.line {
            position.play_ordinal(ordinal).unwrap();
        }
        while self.line.len() < plies {
            let ordinal = u8::try_from(random.below(3)).unwrap();
            if position.play_ordinal(ordinal).is_none() {
                return;
            }
            self.line.push(ordinal);
        }
    }

    fn text(&self, random: &mut Random) -> String {
        let name =
            |player: Option<usize>, random: &mut Random| random.pick(NAMES[player.unwrap_or(0)]);
        let dates: Vec<_> = DATES.iter().filter(|date| date.1 == self.year).collect();
        let (white, black) = (name(self.players[0], random), name(self.players[1], random));
        let (date, result) = (random.pick(&dates).0, RESULTS[self.result.unwrap_or(0)]);
        let mut text = format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Date \"{date}\"]\n[Result \"{result}\"]\n{}",
            STARTS[self.start]
        );
        for tag in 0..self.tags {
            let _ = writeln!(text, "[T{tag} \"{}\"]", random.below(2));
        }
        text.push('\n');
        let mut position = start(self);
        for (ply, &ordinal) in self.line.iter().enumerate() {
            let san = position.play_ordinal(ordinal).unwrap();
            let san = String::from_utf8_lossy(san.as_bytes()).into_owned();
            if ply % 2 == 0 {
                let _ = write!(text, "{}. ", ply / 2 + 1);
            }
            text += &san;
            text += if ply < self.notes {
                [" $1 ", " {c} "][ply % 2]
            } else {
                " "
            };
        }
        text + result + "\n\n"
    }

    /// Equal for the same start: the second FEN is the usual position.
    fn moves(&self) -> (usize, &[u8]) {
        (self.start / 2, &self.line)
    }

    fn agrees(&self, other: &Made, long: usize) -> bool {
        fn fits<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
            a.is_none() || b.is_none() || a == b
        }
        let [mine, theirs] = [self.players, other.players];
        let common = (0..2).any(|i| mine[i].is_some() && theirs[i].is_some());
        self.moves() == other.moves()
            && (0..2).all(|i| fits(mine[i], theirs[i]))
            && fits(self.year, other.year)
            && fits(self.result, other.result)
            && (common || self.line.len() >= long)
    }

    fn is_beginning(&self, other: &Made) -> bool {
        self.line.len() >= 10
            && self.start / 2 == other.start / 2
            && other.line.starts_with(&self.line)
            && self.players == other.players
            && self.players.iter().all(Option::is_some)
            && self.year == other.year
    }
}

fn made(random: &mut Random, count: usize) -> Vec<Made> {
    let mut all: Vec<Made> = Vec::new();
    while all.len() < count {
        let mut game = Made {
            start: random.pick(&[0, 0, 0, 1, 2]),
            line: Vec::new(),
            players: [0, 0].map(|_| random.pick(&[None, Some(1), Some(1), Some(2), Some(3)])),
            year: random.pick(&[None, Some(1999), Some(1999), Some(2000)]),
            result: random.pick(&[None, Some(1), Some(1), Some(2), Some(3)]),
            notes: random.pick(&[0, 0, 2, 5]),
            tags: random.below(3),
        };
        if !all.is_empty() && random.once_in(2) {
            // A copy, perhaps of a part, perhaps longer.
            let other = &all[random.below(all.len())];
            game.start = other.start;
            game.line.clone_from(&other.line);
            if random.once_in(3) {
                game.line.truncate(random.below(game.line.len() + 1));
            }
            if random.once_in(2) {
                (game.players, game.year) = (other.players, other.year);
            }
            if random.once_in(4) {
                let plies = game.line.len() + random.below(6);
                game.lengthen(plies, random);
            }
        } else {
            let plies = random.pick(&[0, 1, 2, 9, 10, 11, 15, 19, 20, 30]);
            game.lengthen(plies, random);
        }
        game.notes = game.notes.min(game.line.len());
        all.push(game);
    }
    all
}

/// Sets of connected games.
fn connected(count: usize, linked: impl Fn(usize, usize) -> bool) -> BTreeSet<Vec<usize>> {
    let mut set: Vec<usize> = (0..count).collect();
    for a in 0..count {
        for b in 0..count {
            if a != b && set[a] != set[b] && linked(a, b) {
                let (from, to) = (set[a], set[b]);
                set.iter_mut()
                    .filter(|at| **at == from)
                    .for_each(|at| *at = to);
            }
        }
    }
    let mut sets: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, set) in set.into_iter().enumerate() {
        sets.entry(set).or_default().push(at);
    }
    sets.into_values().filter(|set| set.len() > 1).collect()
}

/// The groups found, in numbers over all archives.
fn found(groups: &DupGroups, begins: &[usize]) -> BTreeSet<Vec<usize>> {
    let number = |of: &DupGame| begins[of.game.0 as usize] + of.game.1 as usize;
    let group = |games: &[DupGame]| {
        let mut games: Vec<usize> = games.iter().map(number).collect();
        games.sort_unstable();
        games
    };
    groups.iter().map(group).collect()
}

/// Each kind, and what can go, by the definitions.
fn check(all: &[Made], dups: &Duplicates, begins: &[usize], long: usize) -> usize {
    let count = all.len();
    let played = |at: usize| !all[at].line.is_empty();
    let agrees = |a: usize, b: usize| played(a) && played(b) && all[a].agrees(&all[b], long);
    let is_same =
        |a: usize, b: usize| agrees(a, b) && (0..count).all(|c| agrees(a, c) == agrees(b, c));
    let same = connected(count, is_same);
    assert_eq!(found(&dups.same, begins), same);
    let number = |&(archive, game): &(u32, u32)| begins[archive as usize] + game as usize;
    let spare: BTreeSet<usize> = dups.same.spare().iter().map(number).collect();
    let expected = same.iter().flat_map(|group| {
        // A FEN is a tag too.
        let tags = |at: usize| all[at].tags + usize::from(all[at].start > 0);
        let worth = |at: usize| (all[at].notes, tags(at), std::cmp::Reverse(at));
        let best = *group.iter().max_by_key(|&&at| worth(at)).unwrap();
        group.iter().copied().filter(move |&at| at != best)
    });
    assert_eq!(spare, expected.collect());

    let names = connected(count, |a, b| {
        all[a].moves() == all[b].moves() && all[a].line.len() >= long
    });
    let several = |group: &Vec<usize>| {
        group
            .iter()
            .any(|&at| at != group[0] && !is_same(group[0], at))
    };
    assert_eq!(
        found(&dups.names, begins),
        names.into_iter().filter(several).collect()
    );

    let begins_in = |a: usize, b: usize| all[a].is_beginning(&all[b]);
    let shorter = |a: usize, b: usize| begins_in(a, b) && all[a].line.len() < all[b].line.len();
    let nested = connected(count, |a, b| begins_in(a, b) || begins_in(b, a));
    let has_beginning = |group: &Vec<usize>| {
        let mut pairs = group
            .iter()
            .flat_map(|&a| group.iter().map(move |&b| (a, b)));
        pairs.any(|(a, b)| shorter(a, b))
    };
    let nested: BTreeSet<_> = nested.into_iter().filter(has_beginning).collect();
    assert_eq!(found(&dups.inside, begins), nested);
    for found in dups.inside.iter().flatten() {
        let a = number(&found.game);
        let goes_on = |b: usize| {
            shorter(a, b)
                && all[b].notes >= all[a].notes
                && (all[a].result.is_none() || all[a].result == all[b].result)
        };
        if found.is_spare {
            assert!((0..count).any(goes_on), "{a} is lost");
        }
    }
    same.len() + nested.len()
}

#[test]
fn generated_games_by_the_definitions() {
    let effort: u64 = std::env::var("PGC_TEST_EFFORT").map_or(1, |n| n.parse().unwrap());
    let mut groups = 0;
    for seed in 0..12 * effort {
        let random = &mut Random::new(seed);
        let count = 20 + random.below(180);
        let all = made(random, count);
        let dir = Dir::new();
        let (mut begins, mut archives, mut at) = (Vec::new(), Vec::new(), 0);
        while at < all.len() {
            let count = 1 + random.below(all.len() - at);
            let here = &all[at..at + count];
            let text: String = here.iter().map(|game| game.text(random)).collect();
            let bytes = match random.once_in(2) {
                true => small_of(text.as_bytes(), true).unwrap(),
                false => archive_of(text.as_bytes()),
            };
            dir.put(&format!("{at}.pgc"), bytes);
            let path = dir.path().join(format!("{at}.pgc"));
            let archive = Archive::open_with(path, OpenOptions::default()).unwrap();
            assert_eq!(archive.len().unwrap(), count as u64);
            archives.push((
                archive,
                (0..u32::try_from(count).unwrap()).collect::<Vec<_>>(),
            ));
            begins.push(at);
            at += count;
        }
        let (archives, games): (Vec<Archive>, Vec<Vec<u32>>) = archives.into_iter().unzip();
        let archives: Vec<&Archive> = archives.iter().collect();
        let run = |threads, memory| {
            let options = DupOptions {
                threads,
                memory,
                long: 20,
                ..DupOptions::new(dir.path())
            };
            duplicates(&archives, &games, &options)
                .map_err(pgc::Error::bare)
                .unwrap()
        };
        let dups = run(1, 256 << 20);
        // Whatever the number of threads and the memory.
        assert_eq!(dups, run(3, 1 << 12));
        let empty = all.iter().filter(|game| game.line.is_empty()).count();
        assert_eq!(dups.counts.empty, empty as u64);
        assert_eq!(dups.counts.compared, (all.len() - empty) as u64);
        groups += check(&all, &dups, &begins, 20);
    }
    assert!(groups > 50, "{groups}");
}

/// Two players with thousands of games, each the beginning of another; and thousands of games with
/// one short line.
#[test]
fn many_games_take_linear_time() {
    let dir = Dir::new();
    let mut source = String::new();
    let knights = ["Nf3", "Nf6", "Ng1", "Ng8"];
    for plies in 0..600 {
        let mut moves = String::new();
        for ply in 0..plies {
            moves += knights[ply % 4];
            moves += " ";
        }
        source += &game(TAL, "1999.01.01", "", &moves, "1-0");
    }
    for i in 0..20_000 {
        let white = if i % 2 == 0 {
            format!("P{i}")
        } else {
            "?".to_owned()
        };
        source += &game(
            [&white, "Bob"],
            &format!("{}.01.01", 1000 + i % 2000),
            "",
            "1. e4 e5",
            "1-0",
        );
    }
    dir.put("x.pgn", source);
    dir.pack("x.pgn");
    let begin = std::time::Instant::now();
    let ran = dir.run(&["dups", "x.pgc", "--count"]).exits(0);
    assert!(begin.elapsed().as_secs() < 30, "{:?}", begin.elapsed());
    assert!(
        ran.stdout().contains("inside: 1 group of 590 games"),
        "{}",
        ran.stdout()
    );
}
