//! `pgc find` and `pgc names`: every question against a scan of the PGN, every way to write the
//! answer.
#![expect(clippy::unwrap_used, reason = "the helpers are tests too")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::process::Stdio;

use serde_json::Value;

use pgc::ask::order::{SortKey, sort};
use pgc::ask::sample::sample;
use pgc::ask::texts::{TextOptions, texts};
use pgc::parts::Test;
use pgc::{Archive, Query};
use pgc_index::IndexFrame;

use crate::cli::program::Dir;
use crate::support::archive_of;
use crate::support::program::answer;
use crate::support::random::Random;

/// A game as the test made it.
#[derive(Clone, Debug, Default)]
struct Made {
    tags: BTreeMap<&'static str, String>,
    moves: &'static str,
    plies: u32,
    terminator: &'static str,
    broken: bool,
    text: Vec<u8>,
}

const EVENTS: [&str; 6] = [
    "Tata Steel",
    "Rated Blitz game",
    "Candidates Tournament",
    "Caf\u{e9} Open",
    "World Championship Match",
    "Blitz, final",
];
const SITES: [&str; 4] = ["Wijk aan Zee NED", "London ENG", "K\u{f8}benhavn", "?"];
const ROUNDS: [&str; 8] = ["1", "2", "3", "3.1", "3.2", "10", "-", "Final"];
const PLAYERS: [&str; 8] = [
    "Carlsen, Magnus",
    "Anand, Viswanathan",
    "Kasparov, Garry",
    "Kasparova, Nadezhda",
    "M\u{fc}ller, Karl",
    "Tal, Mihail",
    "Aagaard, Jacob",
    "Say \"hi\", comma",
];
const DATES: [&str; 10] = [
    "1992.05.03",
    "1992.05.04",
    "1992.05.??",
    "1992.??.??",
    "1993.01.01",
    "199?.??.??",
    "????.??.??",
    "2011.19.11",
    "1992-5-3",
    "2020.02.29",
];
const ECOS: [&str; 6] = ["B33", "B39", "B30", "C45", "?", "E99"];
const ELOS: [&str; 6] = ["2700", "2650", "2200", "1500", "?", "-"];
/// Moves, plies, whether a part of them is text.
const MOVES: [(&str, u32, bool); 8] = [
    ("1. e4 c5 2. Nf3 d6 3. d4", 5, false),
    ("1. e4 c5 2. Nf3 {good} Nc6", 4, false),
    ("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6", 6, false),
    ("1. e4 (1. d4 d5) c5", 2, false),
    ("1. d4 d5 $1 2. c4", 3, false),
    ("1. Nf3 d5 2. Qxq9 zz", 2, true),
    ("", 0, false),
    ("1. a9", 0, true),
];

fn make(random: &mut Random, number: usize) -> Made {
    let mut made = Made::default();
    let result = random.pick(&["1-0", "0-1", "1/2-1/2", "*"]);
    for (name, values, missing) in [
        ("Event", &EVENTS[..], 9),
        ("Site", &SITES, 9),
        ("Date", &DATES, 9),
        ("Round", &ROUNDS, 9),
        ("White", &PLAYERS, 12),
        ("Black", &PLAYERS, 12),
        ("ECO", &ECOS, 4),
        ("WhiteElo", &ELOS, 4),
        ("BlackElo", &ELOS, 4),
    ] {
        let value = random.pick(values);
        if !random.once_in(missing) {
            made.tags.insert(name, value.to_owned());
        }
    }
    if !random.once_in(8) {
        made.tags.insert(
            "Result",
            if random.once_in(7) { "1-0" } else { result }.to_owned(),
        );
    }
    if random.once_in(3) {
        made.tags
            .insert("Annotator", random.pick(&PLAYERS).to_owned());
    }
    // Each game is another one.
    made.tags.insert("GameId", format!("g{number}"));
    let (moves, plies, broken) = random.pick(&MOVES);
    (made.moves, made.plies, made.broken) = (moves, plies, broken);
    made.terminator = result;
    match random.below(12) {
        0 => {
            made.tags
                .insert("FEN", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".to_owned());
            (made.moves, made.plies, made.broken) = ("1. e4 Kd7 2. e5", 3, false);
        }
        1 => drop(made.tags.insert("Variant", "Atomic".to_owned())),
        2 => drop(made.tags.insert("Variant", "Chess960".to_owned())),
        3 => {
            made.tags.insert("Variant", "Losers".to_owned());
            made.broken = made.plies > 0 || made.broken;
            made.plies = 0;
        }
        _ => {}
    }
    made.write(random.once_in(4));
    made
}

impl Made {
    fn tag(&self, name: &str) -> &str {
        self.tags.get(name).map_or("?", String::as_str)
    }

    fn write(&mut self, latin: bool) {
        for (name, value) in &self.tags {
            let line = format!(
                "[{name} \"{}\"]\n",
                value.replace('\\', "\\\\").replace('"', "\\\"")
            );
            if latin {
                self.text
                    .extend(line.chars().map(|c| u8::try_from(u32::from(c)).unwrap()));
            } else {
                self.text.extend_from_slice(line.as_bytes());
            }
        }
        let gap = if self.moves.is_empty() { "" } else { " " };
        self.text
            .extend_from_slice(format!("\n{}{gap}{}\n\n", self.moves, self.terminator).as_bytes());
    }

    /// Year, month, day, as far as they are known from the first digit on; `None`: no date can be
    /// made out.
    fn known_date(&self) -> Option<String> {
        let date = self.tag("Date");
        let digits = if date == "1992-5-3" {
            "19920503".to_owned()
        } else {
            date.replace('.', "")
        };
        let known: String = digits.chars().take_while(char::is_ascii_digit).collect();
        (!known.is_empty()).then_some(known)
    }

    fn date_begins(&self, digits: &str) -> bool {
        self.known_date()
            .is_some_and(|known| known.starts_with(digits))
    }

    fn elo(&self, name: &str) -> Option<u32> {
        self.tag(name).parse().ok()
    }

    fn result(&self) -> &str {
        self.tags
            .get("Result")
            .map_or(self.terminator, String::as_str)
    }

    fn has(&self, name: &str, word: &str) -> bool {
        self.tag(name).to_lowercase().contains(word)
    }

    fn eco(&self, from: &str, to: &str) -> bool {
        (from..=to).contains(&self.tag("ECO"))
    }

    /// From the usual start position.
    fn begins(&self, moves: &str) -> bool {
        let usual = !self.tags.contains_key("FEN") && self.tag("Variant") != "Losers";
        let plain = self
            .moves
            .replace(" {good}", "")
            .replace(" (1. d4 d5)", "")
            .replace(" $1", "");
        usual && (plain == moves || plain.starts_with(&format!("{moves} ")))
    }
}

fn games(seed: u64, count: usize) -> Vec<Made> {
    let mut random = Random::new(seed);
    (0..count).map(|number| make(&mut random, number)).collect()
}

fn text_of(games: &[Made]) -> Vec<u8> {
    games.iter().flat_map(|game| game.text.clone()).collect()
}

/// A folder with `games.pgc`, made of these.
fn archived(games: &[Made]) -> Dir {
    let dir = Dir::new();
    dir.put("games.pgn", text_of(games));
    dir.pack("games.pgn");
    dir
}

/// The games that the library finds in `games.pgc`, as numbers from 0.
fn found(dir: &Dir, asked: &[&str]) -> Vec<usize> {
    let found = dir.found("games.pgc", asked).into_iter();
    found
        .map(|number| usize::try_from(number - 1).unwrap())
        .collect()
}

/// The games of archives that are asked for, in an order: the places of their archives, and numbers
/// from 0.
fn in_order(archives: &[&Archive], asked: &[&str], key: SortKey) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    for (place, archive) in (0..).zip(archives) {
        let games = answer(archive, asked).found.games;
        all.extend(games.into_iter().map(|game| (place, game)));
    }
    sort(archives, &mut all, key, 1).unwrap();
    let places = all.into_iter();
    places
        .map(|(archive, game)| (archive as usize, game as usize))
        .collect()
}

/// The games of `games.pgc` in an order.
fn sorted(dir: &Dir, asked: &[&str], key: SortKey) -> Vec<usize> {
    let all = in_order(&[&dir.open("games.pgc")], asked, key);
    all.into_iter().map(|(_, game)| game).collect()
}

/// The addresses that a search of the program prints, as numbers from 0.
fn numbers(dir: &Dir, args: &[&str]) -> Vec<usize> {
    let mut all = vec!["find", "games.pgc", "--format", "addresses", "-q"];
    all.extend(args);
    let ran = dir.run(&all);
    assert!(
        matches!(ran.output.status.code(), Some(0 | 1)),
        "{args:?}: {}",
        ran.stderr
    );
    let numbers = ran
        .stdout()
        .lines()
        .map(|l| {
            l.strip_prefix("games.pgc:")
                .unwrap()
                .parse::<usize>()
                .unwrap()
                - 1
        })
        .collect();
    let numbers: Vec<usize> = numbers;
    assert_eq!(numbers.is_empty(), ran.output.status.code() == Some(1));
    numbers
}

type Truth<'a> = &'a dyn Fn(&Made) -> bool;

/// Options, and what they mean.
const QUESTIONS: [(&[&str], Truth<'static>); 52] = [
    (&["-d", "1992"], &|g| g.date_begins("1992")),
    (&["-d", "1992.05"], &|g| g.date_begins("199205")),
    (&["-d", "1992.05.03"], &|g| g.date_begins("19920503")),
    (&["-d", "1992.05..1993"], &|g| {
        g.date_begins("199205") || g.date_begins("1993")
    }),
    (&["-d", "1992", "-d", "2020"], &|g| {
        g.date_begins("1992") || g.date_begins("2020")
    }),
    // Not for certain: what could be of that year is left out.
    (&["--not-date", "1992"], &|g| {
        g.known_date()
            .is_some_and(|known| !known.starts_with("1992") && known != "199")
    }),
    (&["--not-date", "1992", "--maybe"], &|g| {
        !g.date_begins("1992")
    }),
    (&["-d", "1992.05.03", "--maybe"], &|g| {
        g.known_date()
            .is_none_or(|known| "19920503".starts_with(&known))
    }),
    (&["-d", "unknown"], &|g| g.known_date().is_none()),
    (&["-d", "odd"], &|g| {
        matches!(g.tag("Date"), "2011.19.11" | "1992-5-3")
    }),
    (&["-e", "tata"], &|g| g.tag("Event") == "Tata Steel"),
    (&["-e", "cafe"], &|g| g.tag("Event") == "Caf\u{e9} Open"),
    (&["-e", "blitz", "-e", "cand"], &|g| {
        g.has("Event", "blitz") || g.has("Event", "candidates")
    }),
    (&["--event", "=Tata Steel"], &|g| {
        g.tag("Event") == "Tata Steel"
    }),
    (&["--event", "=tata steel"], &|_| false),
    (&["--not-event", "blitz"], &|g| !g.has("Event", "blitz")),
    (&["--site", "kobenhavn"], &|g| {
        g.tag("Site") == "K\u{f8}benhavn"
    }),
    (&["--not-site", "london"], &|g| !g.has("Site", "london")),
    (&["--round", "3"], &|g| {
        matches!(g.tag("Round"), "3" | "3.1" | "3.2")
    }),
    (&["--round", "=3"], &|g| g.tag("Round") == "3"),
    (&["-p", "carlsen"], &|g| {
        g.has("White", "carlsen") || g.has("Black", "carlsen")
    }),
    (&["-p", "kasparov"], &|g| {
        g.has("White", "kasparov") || g.has("Black", "kasparov")
    }),
    (&["-p", "kasparov g"], &|g| {
        g.has("White", "garry") || g.has("Black", "garry")
    }),
    (&["-w", "muller"], &|g| g.has("White", "m\u{fc}ller")),
    (&["-b", "m carlsen"], &|g| g.has("Black", "carlsen")),
    (&["-w", "tal", "-b", "anand"], &|g| {
        g.has("White", "tal,") && g.has("Black", "anand")
    }),
    (&["-p", "tal", "--vs", "anand"], &|g| {
        (g.has("White", "tal,") && g.has("Black", "anand"))
            || (g.has("Black", "tal,") && g.has("White", "anand"))
    }),
    (&["-w", "tal", "--vs", "anand"], &|g| {
        g.has("White", "tal,") && g.has("Black", "anand")
    }),
    (&["--not-white", "tal"], &|g| !g.has("White", "tal,")),
    (&["--result", "1-0"], &|g| g.result() == "1-0"),
    (&["--result", "draw", "--result", "*"], &|g| {
        matches!(g.result(), "1/2-1/2" | "*")
    }),
    (&["--not-result", "black"], &|g| g.result() != "0-1"),
    (&["--eco", "B3"], &|g| g.eco("B30", "B39")),
    (&["--eco", "B33..C"], &|g| g.eco("B33", "C99")),
    (&["--white-elo", "2600.."], &|g| {
        g.elo("WhiteElo").is_some_and(|e| e >= 2600)
    }),
    (&["--black-elo", "..2200"], &|g| {
        g.elo("BlackElo").is_some_and(|e| e <= 2200)
    }),
    (&["--elo", "2600.."], &|g| {
        ["WhiteElo", "BlackElo"]
            .iter()
            .all(|n| g.elo(n).is_some_and(|e| e >= 2600))
    }),
    (&["--average-elo", "2400..2500"], &|g| {
        g.elo("WhiteElo")
            .zip(g.elo("BlackElo"))
            .is_some_and(|(w, b)| (4800..=5000).contains(&(w + b)))
    }),
    (&["--elo-difference", "400.."], &|g| {
        g.elo("WhiteElo")
            .zip(g.elo("BlackElo"))
            .is_some_and(|(w, b)| w.abs_diff(b) >= 400)
    }),
    // An Elo that is not known could be any.
    (&["--elo", "2600..", "--maybe"], &|g| {
        ["WhiteElo", "BlackElo"]
            .iter()
            .all(|n| g.elo(n).is_none_or(|e| e >= 2600))
    }),
    (&["--not-elo", "2600.."], &|g| {
        ["WhiteElo", "BlackElo"]
            .iter()
            .any(|n| g.elo(n).is_some_and(|e| e < 2600))
    }),
    (&["--average-elo", "2400..2500", "--maybe"], &|g| {
        g.elo("WhiteElo")
            .zip(g.elo("BlackElo"))
            .is_none_or(|(w, b)| (4800..=5000).contains(&(w + b)))
    }),
    (&["--elo-difference", "400..", "--maybe"], &|g| {
        g.elo("WhiteElo")
            .zip(g.elo("BlackElo"))
            .is_none_or(|(w, b)| w.abs_diff(b) >= 400)
    }),
    (&["--plies", "3..4"], &|g| (3..=4).contains(&g.plies)),
    (&["--variant", "atomic"], &|g| g.tag("Variant") == "Atomic"),
    (&["--not-variant", "chess"], &|g| {
        g.tags.contains_key("Variant")
    }),
    (&["--setup"], &|g| g.tags.contains_key("FEN")),
    (&["--broken"], &|g| g.broken),
    (&["--result-mismatch"], &|g| {
        g.tags
            .get("Result")
            .is_some_and(|result| result != g.terminator)
    }),
    (&["--tag", "Annotator=kasparov"], &|g| {
        g.has("Annotator", "kasparov")
    }),
    (&["--tag", "White=kasparov"], &|g| {
        g.has("White", "kasparov")
    }),
    (&["--not-tag", "Annotator=kasparov"], &|g| {
        !g.has("Annotator", "kasparov")
    }),
];

#[test]
fn every_question_against_a_scan() {
    let games = games(1, 700);
    let dir = archived(&games);
    let expected = |truth: Truth<'_>| -> Vec<usize> {
        (0..games.len()).filter(|&i| truth(&games[i])).collect()
    };
    let check = |dir: &Dir, args: &[&str], truth: Truth<'_>| {
        assert_eq!(found(dir, args), expected(truth), "{args:?}");
    };
    for (args, truth) in QUESTIONS {
        check(&dir, args, truth);
    }
    // The program asks the same.
    for (args, truth) in QUESTIONS.into_iter().step_by(10) {
        assert_eq!(numbers(&dir, args), expected(truth), "{args:?}");
        let count = dir.run(&[&["find", "games.pgc", "--count", "-q"], args].concat());
        let games = expected(truth).len();
        assert_eq!(count.stdout().trim(), games.to_string(), "{args:?}");
    }
    // Two of them: both must hold.
    let mut random = Random::new(7);
    for _ in 0..60 {
        let (a, b) = (QUESTIONS[random.below(52)], QUESTIONS[random.below(52)]);
        // The same option twice means either, which the table has already; --maybe changes the
        // meaning of others.
        if a.0.contains(&"--maybe") || b.0.contains(&"--maybe") {
            continue;
        }
        if a.0
            .iter()
            .any(|arg| arg.starts_with('-') && b.0.contains(arg))
            || a.0.contains(&"--vs")
            || b.0.contains(&"--vs")
        {
            continue;
        }
        check(&dir, &[a.0, b.0].concat(), &|g| (a.1)(g) && (b.1)(g));
    }
    // Without the index the answer is the same, with a note.
    std::fs::remove_file(dir.path().join("games.pgci")).unwrap();
    for (args, truth) in QUESTIONS.into_iter().step_by(3) {
        check(&dir, args, truth);
    }
    dir.run(&["find", "games.pgc", "-d", "1992"])
        .exits(0)
        .says("pgc index");
    dir.run(&["find", "games.pgc", "-d", "1992", "--require-index"])
        .exits(3);
}

#[test]
fn games_that_begin_so() {
    let games = games(2, 500);
    let dir = archived(&games);
    for moves in [
        "1. e4",
        "1. e4 c5",
        "1. e4 c5 2. Nf3",
        "1. e4 c5 2. Nf3 d6 3. d4",
        "1. d4 d5 2. c4",
        "1. Nf3 d5",
    ] {
        let in_game = |g: &Made| match moves {
            "1. e4" => g.begins("1. e4") || g.tags.contains_key("FEN"),
            moves => g.begins(moves),
        };
        let expected: Vec<usize> = (0..games.len()).filter(|&i| in_game(&games[i])).collect();
        assert!(!expected.is_empty());
        assert_eq!(found(&dir, &["--moves", moves]), expected, "{moves}");
        let expected: Vec<usize> = (0..games.len()).filter(|&i| !in_game(&games[i])).collect();
        assert_eq!(
            found(&dir, &["--not-moves", moves]),
            expected,
            "not {moves}"
        );
    }
    let fen: Vec<usize> = (0..games.len())
        .filter(|&i| games[i].tags.contains_key("FEN"))
        .collect();
    assert_eq!(found(&dir, &["--moves", "1. e4 Kd7"]), fen);
    dir.run(&["find", "games.pgc", "--moves", "1. e4 Kd7"])
        .exits(0)
        .says("Kd7");
    dir.run(&["find", "games.pgc", "--moves", "1. e4 hello"])
        .exits(2)
        .says("hello");
}

#[test]
fn names_that_match_and_names_that_do_not() {
    let dir = archived(&games(3, 200));
    dir.run(&["find", "games.pgc", "-p", "kasparov"])
        .exits(0)
        .says("Kasparov, Garry")
        .says("Kasparova, Nadezhda");
    let ran = dir
        .run(&["find", "games.pgc", "-p", "karlsen"])
        .exits(1)
        .says("Carlsen, Magnus");
    assert_eq!(ran.stdout(), "");
    dir.run(&["find", "games.pgc", "-e", "tata stel"])
        .exits(1)
        .says("Tata Steel");
    dir.run(&["find", "games.pgc", "-d", "1992.05.03"])
        .exits(0)
        .says("--maybe");
}

#[test]
fn csv_and_json_are_utf8_and_say_the_same() {
    let games = games(4, 300);
    let dir = archived(&games);
    let json = dir
        .run(&["find", "games.pgc", "--format", "jsonl", "-q"])
        .exits(0)
        .stdout();
    let lines: Vec<Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), games.len());
    for (line, game) in lines.iter().zip(&games) {
        assert_eq!(line["white"], game.tag("White"));
        assert_eq!(line["site"], game.tag("Site"));
        assert_eq!(line["result"], game.result());
        assert_eq!(line["plies"], game.plies);
        assert_eq!(
            line["white_elo"].as_u64(),
            game.elo("WhiteElo").map(u64::from)
        );
        assert_eq!(line["broken"], game.broken);
    }
    let csv = dir
        .run(&[
            "find",
            "games.pgc",
            "--format",
            "csv",
            "--columns",
            "number,white,event,white-elo",
            "-q",
        ])
        .exits(0);
    let rows = parse_csv(&csv.stdout());
    assert_eq!(rows[0], ["number", "white", "event", "white_elo"]);
    for (i, (row, game)) in rows[1..].iter().zip(&games).enumerate() {
        let elo = game
            .elo("WhiteElo")
            .map_or(String::new(), |elo| elo.to_string());
        assert_eq!(
            row,
            &[
                (i + 1).to_string(),
                game.tag("White").into(),
                game.tag("Event").into(),
                elo
            ]
        );
    }
    dir.run(&["find", "games.pgc", "--columns", "bogus"])
        .exits(2)
        .says("white_elo");
    // Only what is not known is empty.
    let flags = dir
        .run(&[
            "find",
            "games.pgc",
            "--format",
            "csv",
            "--columns",
            "has_fen,broken",
            "-q",
        ])
        .exits(0)
        .stdout();
    for (row, game) in parse_csv(&flags)[1..].iter().zip(&games) {
        assert_eq!(
            row,
            &[
                game.tags.contains_key("FEN").to_string(),
                game.broken.to_string()
            ]
        );
    }
    // Standard output has a name as everywhere.
    let named = dir
        .run(&["find", "games.pgc", "--format", "csv", "-o", "-", "-q"])
        .exits(0)
        .stdout();
    assert_eq!(
        named,
        dir.run(&["find", "games.pgc", "--format", "csv", "-q"])
            .stdout()
    );
    assert!(!dir.names().contains(&"-".to_owned()));
    dir.run(&["find", "games.pgc", "--format", "pgc", "-o", "-"])
        .exits(2)
        .says("name a file with -o");
    for name in ["out.csv", "out.jsonl"] {
        dir.run(&["find", "games.pgc", "-o", name]).exits(0);
        let format = name.strip_prefix("out.").unwrap();
        let printed = dir
            .run(&["find", "games.pgc", "--format", format, "-q"])
            .stdout();
        // Files of CSV have the line ends of RFC 4180.
        let written = String::from_utf8(dir.read(name)).unwrap();
        assert_eq!(written.replace("\r\n", "\n"), printed);
    }
}

/// As RFC 4180 says.
fn parse_csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => cell.push(chars.next().unwrap()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    rows
}

#[test]
fn games_come_out_as_they_went_in() {
    let games = games(5, 300);
    let dir = archived(&games);
    dir.run(&["find", "games.pgc", "-o", "all.pgn"]).exits(0);
    assert_eq!(dir.read("all.pgn"), text_of(&games));
    dir.run(&["find", "games.pgc", "-o", "all.pgn"])
        .exits(2)
        .says("already exists");
    dir.run(&["find", "games.pgc", "-p", "carlsen", "-o", "some.pgn"])
        .exits(0);
    let some: Vec<Made> = games
        .iter()
        .filter(|g| g.has("White", "carlsen") || g.has("Black", "carlsen"))
        .cloned()
        .collect();
    assert_eq!(dir.read("some.pgn"), text_of(&some));
    assert_eq!(
        dir.run(&[
            "find",
            "games.pgc",
            "-p",
            "carlsen",
            "--format",
            "pgn",
            "-q"
        ])
        .output
        .stdout,
        text_of(&some)
    );
    // Sorted, and with so little memory that it goes through files.
    let names = numbers(&dir, &["--sort", "white", "--reverse"]);
    let expected: Vec<u8> = names.iter().flat_map(|&i| games[i].text.clone()).collect();
    dir.run(&[
        "find",
        "games.pgc",
        "--sort",
        "white",
        "--reverse",
        "-o",
        "sorted.pgn",
        "--memory",
        "10K",
    ])
    .exits(0);
    assert_eq!(dir.read("sorted.pgn"), expected);
    // Packed again, and found there.
    dir.run(&["find", "games.pgc", "-p", "carlsen", "-o", "some.pgc"])
        .exits(0);
    dir.run(&["test", "some.pgc"]).exits(0);
    assert_eq!(dir.unpacked("some.pgc"), text_of(&some));
    let count = dir
        .run(&[
            "find",
            "some.pgc",
            "-p",
            "carlsen",
            "--count",
            "--require-index",
        ])
        .exits(0)
        .stdout();
    assert_eq!(count.trim(), some.len().to_string());
    dir.run(&["find", "games.pgc", "-o", "x.txt"])
        .exits(2)
        .says("--format");
}

type Round = (u8, Vec<u64>, String);

/// Section 12 of the standard.
fn collating_key(
    game: &Made,
) -> (
    String,
    String,
    String,
    Round,
    String,
    String,
    String,
    String,
) {
    let date = game.tag("Date");
    let digits = if date == "1992-5-3" {
        "19920503".into()
    } else {
        date.replace('.', "").replace('?', "0")
    };
    let digits = if digits == "0" {
        "00000000".into()
    } else {
        digits
    };
    // Dates with the same digits: odd ones behind others, then by how many are known.
    let is_odd = matches!(date, "2011.19.11" | "1992-5-3" | "0");
    let known = date.replace(['.', '-'], "").find('?').unwrap_or(8);
    let digits = format!("{digits} {is_odd} {known}");
    let round = game.tag("Round");
    let round = match round {
        "?" => (0, Vec::new(), String::new()),
        "-" => (1, Vec::new(), String::new()),
        r if r.starts_with(|c: char| c.is_ascii_digit()) => (
            2,
            r.split('.').map(|n| n.parse().unwrap()).collect(),
            r.into(),
        ),
        r => (3, Vec::new(), r.into()),
    };
    let movetext = match game.moves {
        "" => game.terminator.to_owned(),
        moves => format!("{moves} {}", game.terminator),
    };
    let tag = |name: &str| game.tag(name).to_owned();
    (
        digits,
        tag("Event"),
        tag("Site"),
        round,
        tag("White"),
        tag("Black"),
        game.result().to_owned(),
        movetext,
    )
}

#[test]
fn orders() {
    let games = games(6, 400);
    let dir = archived(&games);
    let expected = |key: &dyn Fn(&usize, &usize) -> std::cmp::Ordering| {
        let mut all: Vec<usize> = (0..games.len()).collect();
        all.sort_by(key);
        all
    };
    let key = |game: usize| {
        let mut key = collating_key(&games[game]);
        // No index has sites.
        key.2.clear();
        key.7.clear();
        (key, game)
    };
    let by_date = expected(&|&a, &b| key(a).cmp(&key(b)));
    assert_eq!(numbers(&dir, &["--sort", "date"]), by_date);
    let reversed: Vec<usize> = by_date.iter().rev().copied().collect();
    assert_eq!(numbers(&dir, &["--sort", "date", "--reverse"]), reversed);
    assert_eq!(
        numbers(&dir, &["--sort", "date", "--offset", "5", "--limit", "7"]),
        by_date[5..12]
    );
    for (key, tag) in [
        (SortKey::White, "White"),
        (SortKey::Black, "Black"),
        (SortKey::Event, "Event"),
        (SortKey::Site, "Site"),
    ] {
        let expected = expected(&|&a, &b| games[a].tag(tag).cmp(games[b].tag(tag)).then(a.cmp(&b)));
        assert_eq!(sorted(&dir, &[], key), expected, "{tag}");
        assert_eq!(
            numbers(&dir, &["--sort", &tag.to_lowercase()]),
            expected,
            "{tag}"
        );
    }
    let plies = expected(&|&a, &b| games[a].plies.cmp(&games[b].plies).then(a.cmp(&b)));
    assert_eq!(sorted(&dir, &[], SortKey::Plies), plies);
    for (key, tag) in [
        (SortKey::WhiteElo, "WhiteElo"),
        (SortKey::BlackElo, "BlackElo"),
    ] {
        let of = |&game: &usize| (games[game].elo(tag).unwrap_or(0), game);
        assert_eq!(
            sorted(&dir, &[], key),
            expected(&|a, b| of(a).cmp(&of(b))),
            "{tag}"
        );
    }
    // A few games are put in order in another way than many.
    let few: Vec<usize> = by_date
        .iter()
        .copied()
        .filter(|&i| games[i].tag("GameId").ends_with('7'))
        .collect();
    assert_eq!(sorted(&dir, &["--tag", "GameId=*7"], SortKey::Date), few);
}

#[test]
fn samples() {
    let dir = archived(&games(8, 300));
    let printed = |seed: &str, n: &str| numbers(&dir, &["--sample", n, "--seed", seed]);
    assert_eq!(printed("5", "20"), printed("5", "20"));
    assert_ne!(printed("5", "20"), printed("6", "20"));
    let mut hits = vec![0; 300];
    for seed in 0..60 {
        let drawn = sample(300, 30, seed);
        assert_eq!(drawn.len(), 30);
        assert!(drawn.windows(2).all(|pair| pair[0] < pair[1]));
        drawn
            .into_iter()
            .for_each(|i| hits[usize::try_from(i).unwrap()] += 1);
    }
    // Each is expected six times.
    assert!(
        hits.iter().filter(|&&n| n > 0).count() > 280 && hits.iter().all(|&n| n < 22),
        "{hits:?}"
    );
    assert_eq!(printed("1", "1000").len(), 300);
}

#[test]
fn many_archives_and_folders() {
    let (one, two) = (games(9, 120), games(10, 150));
    let dir = Dir::new();
    dir.put("d/one.pgn", text_of(&one));
    dir.put("d/e/two.pgn", text_of(&two));
    dir.put("d/e/notes.txt", "no archive");
    dir.pack("d/one.pgn");
    dir.pack("d/e/two.pgn");
    let found = |args: &[&str]| -> Vec<String> {
        let ran = dir.run(&[&["find", "--format", "addresses", "-q"], args].concat());
        ran.exits(0).stdout().lines().map(str::to_owned).collect()
    };
    let tal = |games: &[Made], path: &str| -> Vec<String> {
        let hits = games
            .iter()
            .enumerate()
            .filter(|(_, g)| g.has("White", "tal,"));
        hits.map(|(i, _)| format!("{path}:{}", i + 1)).collect()
    };
    let (of_one, of_two) = (tal(&one, "d/one.pgc"), tal(&two, "d/e/two.pgc"));
    assert_eq!(
        found(&["d/e/two.pgc", "d/one.pgc", "-w", "tal"]),
        [of_two.clone(), of_one.clone()].concat()
    );
    assert_eq!(found(&["d", "-w", "tal"]), [of_two, of_one].concat());
    let sorted = found(&["d", "--sort", "event"]);
    let event = |address: &String| {
        let (path, number) = address.rsplit_once(':').unwrap();
        let games = if path.ends_with("one.pgc") {
            &one
        } else {
            &two
        };
        games[number.parse::<usize>().unwrap() - 1]
            .tag("Event")
            .to_owned()
    };
    assert_eq!(sorted.len(), 270);
    assert!(
        sorted
            .windows(2)
            .all(|pair| event(&pair[0]) <= event(&pair[1]))
    );
    let dates = found(&["d", "--sort", "date"]);
    let key = |address: &String| {
        let (path, number) = address.rsplit_once(':').unwrap();
        let games = if path.ends_with("one.pgc") {
            &one
        } else {
            &two
        };
        let mut key = collating_key(&games[number.parse::<usize>().unwrap() - 1]);
        // The order by date leaves ties of the site to the order of the archive.
        key.2.clear();
        key.7.clear();
        key
    };
    assert!(dates.windows(2).all(|pair| key(&pair[0]) <= key(&pair[1])));
    assert_eq!(
        dir.run(&["find", "d", "--count", "-q"])
            .exits(0)
            .stdout()
            .trim(),
        "270"
    );
    dir.run(&["find", "d/one.pgc", "none.pgc", "--count"])
        .exits(2)
        .says("none.pgc");
    dir.put("empty/x.txt", "");
    dir.run(&["find", "empty"]).exits(2).says("no archives");
    dir.run(&["find", "d", "-o", "d/one.pgc", "-f"])
        .exits(2)
        .says("never replaced");
}

#[test]
fn sites_that_no_index_holds() {
    let mut random = Random::new(20);
    let mut games: Vec<Made> = (0..1300).map(|number| make(&mut random, number)).collect();
    for (number, game) in games.iter_mut().enumerate() {
        // Some have none, which is a value like others.
        if game.tags.contains_key("Site") {
            game.tags.insert(
                "Site",
                format!(
                    "https://lichess.org/{:x}",
                    0x0001_0000 + (number * 7919) % 65_536
                ),
            );
        }
        game.text.clear();
        game.write(false);
    }
    let mut seen = BTreeSet::new();
    games.retain(|game| {
        let mut key = collating_key(game);
        key.7.clear();
        seen.insert(key)
    });
    let dir = archived(&games);
    let site = games[500].tag("Site").to_owned();
    assert_eq!(
        found(&dir, &["--site", &format!("={site}")]).len(),
        games.iter().filter(|g| g.tag("Site") == site).count()
    );
    dir.run(&["find", "games.pgc", "--site", "lichess", "--count"])
        .exits(0)
        .says("slow: the index cannot answer this");
    let mut sites: BTreeMap<&str, u64> = BTreeMap::new();
    games
        .iter()
        .for_each(|game| *sites.entry(game.tag("Site")).or_default() += 1);
    let listed = dir
        .run(&[
            "names",
            "games.pgc",
            "--field",
            "site",
            "--json",
            "--sort",
            "name",
            "-q",
        ])
        .exits(0)
        .stdout();
    let listed: Vec<Value> = listed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(listed.len(), sites.len());
    for (line, (name, games)) in listed.iter().zip(sites) {
        assert_eq!(
            (line["name"].as_str(), line["games"].as_u64()),
            (Some(name), Some(games))
        );
    }
    let json = dir
        .run(&[
            "find",
            "games.pgc",
            "--format",
            "jsonl",
            "--columns",
            "site",
            "-q",
        ])
        .exits(0)
        .stdout();
    let found: Vec<String> = json
        .lines()
        .map(|l| {
            serde_json::from_str::<Value>(l).unwrap()["site"]
                .as_str()
                .unwrap()
                .into()
        })
        .collect();
    assert!(found.iter().eq(games.iter().map(|game| game.tag("Site"))));
    let expected = |key: &dyn Fn(&usize, &usize) -> std::cmp::Ordering| {
        let mut all: Vec<usize> = (0..games.len()).collect();
        all.sort_by(key);
        all
    };
    let by_site = expected(&|&a, &b| {
        games[a]
            .tag("Site")
            .cmp(games[b].tag("Site"))
            .then(a.cmp(&b))
    });
    assert_eq!(sorted(&dir, &[], SortKey::Site), by_site);
    // Sites count only for the order of the standard.
    let key = |game: usize| {
        let mut key = collating_key(&games[game]);
        key.2.clear();
        key.7.clear();
        (key, game)
    };
    let by_date = expected(&|&a, &b| key(a).cmp(&key(b)));
    assert_eq!(sorted(&dir, &[], SortKey::Date), by_date);
    let by_all = expected(&|&a, &b| collating_key(&games[a]).cmp(&collating_key(&games[b])));
    assert_eq!(sorted(&dir, &[], SortKey::Standard), by_all);
    let of_tal = |all: &[usize]| -> Vec<usize> {
        let is_of_tal = |&i: &usize| games[i].has("White", "tal,");
        all.iter().copied().filter(is_of_tal).collect()
    };
    assert_eq!(
        sorted(&dir, &["-w", "tal"], SortKey::Date),
        of_tal(&by_date)
    );
    let few = of_tal(&by_all);
    assert_eq!(numbers(&dir, &["--sort", "standard", "-w", "tal"]), few);
    // The same games in two archives: their movetext decides between those that are equal in all
    // else.
    dir.put("other.pgn", text_of(&games));
    dir.pack("other.pgn");
    let (one, other) = (dir.open("games.pgc"), dir.open("other.pgc"));
    let found = in_order(&[&one, &other], &["-w", "tal"], SortKey::Standard);
    let twice: Vec<(usize, usize)> = few.iter().flat_map(|&i| [(0, i), (1, i)]).collect();
    assert_eq!(found, twice);
}

#[test]
fn streams_of_others() {
    let games = games(21, 400);
    let dir = Dir::new();
    dir.put("games.pgn", text_of(&games));
    dir.run(&["pack", "-q", "--standard", "--drop", "all", "games.pgn"])
        .exits(1);
    let white: Vec<usize> = (0..games.len())
        .filter(|&i| games[i].has("White", "tal,"))
        .collect();
    let annotated: Vec<usize> = (0..games.len())
        .filter(|&i| games[i].has("Annotator", "tal,"))
        .collect();
    // A reader of 1994 knows no variants, so the moves of these were dropped.
    let usual = |g: &Made| !g.tags.contains_key("Variant");
    let sicilian: Vec<usize> = (0..games.len())
        .filter(|&i| games[i].begins("1. e4 c5") && usual(&games[i]))
        .collect();
    assert_eq!(found(&dir, &["-w", "tal"]), white);
    assert_eq!(found(&dir, &["--tag", "Annotator=tal"]), annotated);
    assert_eq!(
        found(&dir, &["--moves", "1. e4 c5", "--variant", "chess"]),
        sicilian
    );
    dir.run(&["find", "games.pgc", "-w", "tal", "-o", "tal.pgn", "-q"])
        .exits(0);
    dir.pack("tal.pgn");
    let count = dir
        .run(&["find", "tal.pgc", "-w", "tal", "--count", "-q"])
        .exits(0)
        .stdout();
    assert_eq!(count.trim(), white.len().to_string());
}

/// Games that stood close together, or had no end, stay games of their own.
#[test]
fn games_stay_apart() {
    let dir = Dir::new();
    let text = "[White \"a\"]\n1. e4 * 1. d4 *[White \"b\"]\n1. c4 e5\n[White \"c\"]\n\n1. Nf3 { lost\n\n\
                [White \"d\"]\n[Black \"e\"]\n[Event \"f\"]\n\n1. g3 (1. b3\n";
    dir.put("close.pgn", text);
    dir.put("last.pgn", "1. b4 *");
    for name in ["close.pgn", "last.pgn"] {
        dir.pack(name);
    }
    let count = |path: &str| {
        dir.run(&["find", path, "--count", "-q"])
            .exits(0)
            .stdout()
            .trim()
            .to_owned()
    };
    assert_eq!(count("close.pgc"), "5");
    for args in [
        &["--sort", "number", "--reverse"][..],
        &[],
        &["--sort", "white"],
        &["--sort", "plies", "--memory", "1"],
    ] {
        let all = [
            &[
                "find",
                "close.pgc",
                "last.pgc",
                "last.pgc",
                "-f",
                "-o",
                "out.pgc",
            ],
            args,
        ]
        .concat();
        dir.run(&all).exits(0);
        assert_eq!(count("out.pgc"), "7", "{args:?}");
        let all = [
            &["find", "close.pgc", "last.pgc", "-f", "-o", "out.pgn"],
            args,
        ]
        .concat();
        let ran = dir.run(&all).exits(0);
        if args.is_empty() {
            ran.says("closed");
        }
        dir.pack_into(&["out.pgn"], "again.pgc");
        assert_eq!(count("again.pgc"), "6", "{args:?}");
    }
}

/// The first game of a source may begin with empty lines and blanks, which behind another game
/// belong to that one.
#[test]
fn games_that_begin_with_empty_lines_blanks_or_long_comments_stay_apart() {
    let long = "a long comment ".repeat(600);
    let sources = [
        ("a", "[White \"a\"]\n\n1. e4 {unclosed\n\n".to_owned()),
        ("b", "\n[White \"b\"]\n\n1. e4 *\n".to_owned()),
        ("c", " [White \"c\"]\n\n1. d4 (1. c4 (1. e4\n\n".to_owned()),
        ("d", format!("\t\r\n{{{long}}}\n1. c4 e5")),
        ("e", "\n\n[White \"e\"]\n\n1. g3 *\n\n".to_owned()),
        (
            "f",
            format!("[White \"f\"]\n\n1. e4 {{{}", "more ".repeat(220_000)),
        ),
        ("g", " [White g]\n\n1. b3 *\n".to_owned()),
    ];
    let dir = Dir::new();
    let mut archives = Vec::new();
    for (name, text) in &sources {
        dir.put(&format!("{name}.pgn"), text);
        dir.pack(&format!("{name}.pgn"));
        archives.push(format!("{name}.pgc"));
    }
    let count = |path: &str| {
        dir.run(&["find", path, "--count", "-q"])
            .exits(0)
            .stdout()
            .trim()
            .to_owned()
    };
    let archives: Vec<&str> = archives.iter().map(String::as_str).collect();
    for order in [
        &["--sort", "number"][..],
        &["--sort", "number", "--reverse"],
    ] {
        dir.run(&[&["find", "-q", "-f", "-o", "out.pgc"], order, &archives].concat())
            .exits(0);
        assert_eq!(count("out.pgc"), "7", "{order:?}");
        dir.run(&[&["find", "-q", "-f", "-o", "out.pgn"], order, &archives].concat())
            .exits(0);
        dir.pack_into(&["out.pgn"], "again.pgc");
        assert_eq!(count("again.pgc"), "7", "{order:?}");
    }
    dir.run(&[&["merge", "-q", "-o", "merged.pgc"], &archives[..]].concat())
        .exits(0);
    dir.run(&[
        "split",
        "-q",
        "--by",
        "games=7",
        "merged.pgc",
        "-o",
        "parts",
    ])
    .exits(0);
    let parts: Vec<_> = std::fs::read_dir(dir.path().join("parts"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let part = parts
        .iter()
        .find(|path| path.extension().is_some_and(|ending| ending == "pgc"))
        .unwrap();
    assert_eq!(count(&part.to_string_lossy()), "7");
}

/// A game of the greatest length has no room for the end that it lacks.
#[test]
fn games_that_run_together_are_told_of() {
    let dir = Dir::new();
    dir.put(
        "long.pgn",
        "1. e4 {".to_owned() + &"x".repeat(pgc_pgn::split::MAX_UNIT - 7),
    );
    dir.put("next.pgn", "1. d4 *\n");
    dir.pack_into(&["long.pgn", "next.pgn"], "two.pgc");
    dir.run(&["find", "-q", "two.pgc", "-o", "out.pgn"])
        .exits(1)
        .says("only 1 of 2 games");
    dir.run(&["find", "-q", "two.pgc", "-o", "out.pgc"])
        .exits(1)
        .says("2 games became");
    dir.run(&["split", "-q", "--by", "games=2", "two.pgc", "-o", "parts"])
        .exits(1)
        .says("1 game ran together with the one before");
}

#[test]
fn texts_in_any_order() {
    let mut random = Random::new(22);
    let folder = tempfile::tempdir().unwrap();
    let mut archives = Vec::new();
    let mut expected = Vec::new();
    for (number, count) in [300, 1, 120].into_iter().enumerate() {
        let games = games(30 + number as u64, count);
        let path = folder.path().join(format!("{number}.pgc"));
        std::fs::write(&path, archive_of(&text_of(&games))).unwrap();
        archives.push(Archive::open(&path).unwrap());
        expected.push(games);
    }
    let archives: Vec<&Archive> = archives.iter().collect();
    let all: Vec<(usize, u32)> = (0..3)
        .flat_map(|a| (0..expected[a].len()).map(move |g| (a, u32::try_from(g).unwrap())))
        .collect();
    for round in 0..20 {
        let mut list: Vec<(usize, u32)> =
            (0..random.below(900)).map(|_| random.pick(&all)).collect();
        match round % 4 {
            0 => list = all.clone(),
            1 => list.sort_unstable(),
            // Sorted but for the end.
            2 => {
                let sorted = list.len().saturating_sub(5);
                list[..sorted].sort_unstable();
            }
            _ => {}
        }
        let memory = random.pick(&[0, 10_000, 1 << 26]);
        let options = TextOptions {
            threads: 1 + round % 2,
            memory,
            temp_dir: folder.path().to_owned(),
        };
        let mut found = Vec::new();
        texts(&archives, list.iter().copied(), &options, &mut |_, text| {
            found.push(text.to_vec());
            Ok(())
        })
        .unwrap();
        let right: Vec<Vec<u8>> = list
            .iter()
            .map(|&(a, g)| expected[a][g as usize].text.clone())
            .collect();
        assert!(found == right, "round {round}");
    }
    for wrong in [(1, 1), (3, 0), (0, 300)] {
        for list in [
            vec![wrong],
            vec![(2, 0), wrong],
            vec![(2, 1), (0, 0), wrong],
        ] {
            let result = texts(
                &archives,
                list.into_iter(),
                &TextOptions::default(),
                &mut |_, _| Ok(()),
            );
            let error = result.unwrap_err();
            assert_eq!(error.kind(), pgc::ErrorKind::Missing, "{wrong:?}");
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn tables() {
    let games = games(11, 100);
    let dir = archived(&games);
    let ran = dir.run(&["find", "games.pgc"]).exits(0);
    let table = ran.stdout();
    assert_eq!(table.lines().count(), 41);
    assert!(
        table
            .lines()
            .next()
            .unwrap()
            .trim_start()
            .starts_with("game  date")
    );
    // Only a terminal cuts names.
    assert!(!table.contains('\u{2026}'), "{table}");
    ran.says("60 more");
    assert_eq!(
        dir.run(&["find", "games.pgc", "--limit", "3"])
            .exits(0)
            .stdout()
            .lines()
            .count(),
        4
    );
    assert_eq!(
        dir.run(&["find", "games.pgc", "--limit", "0"])
            .exits(0)
            .stdout()
            .lines()
            .count(),
        101
    );
    let columns = dir
        .run(&[
            "find",
            "games.pgc",
            "--columns",
            "white,result",
            "--limit",
            "1",
        ])
        .exits(0)
        .stdout();
    assert!(columns.starts_with("white"));
    assert!(columns.contains(games[0].result()));
    dir.put("esc.pgn", "[White \"a\x1b[31mb\"]\n\n1. e4 *\n");
    dir.pack("esc.pgn");
    for format in ["table", "jsonl"] {
        let ran = dir.run(&["find", "esc.pgc", "--format", format]).exits(0);
        assert!(!ran.output.stdout.contains(&0x1b), "{format}");
    }
}

#[test]
fn nobody_reads_on() {
    let dir = archived(&games(12, 2000));
    for format in ["jsonl", "csv", "addresses", "pgn"] {
        let mut command = dir.command(&["find", "games.pgc", "--format", format, "-q"]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut begin = [0; 20];
        child.stdout.take().unwrap().read_exact(&mut begin).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (
                output.status.code(),
                String::from_utf8(output.stderr).unwrap()
            ),
            (Some(0), String::new()),
            "{format}"
        );
    }
}

#[test]
fn names_and_counts() {
    let games = games(13, 300);
    let dir = archived(&games);
    let mut expected: BTreeMap<&str, u64> = BTreeMap::new();
    for game in &games {
        let players: BTreeSet<&str> = [game.tag("White"), game.tag("Black")].into();
        players
            .into_iter()
            .for_each(|player| *expected.entry(player).or_default() += 1);
    }
    let names = |args: &[&str]| -> Vec<(String, u64)> {
        let ran = dir
            .run(&[&["names", "games.pgc", "--json"], args].concat())
            .exits(0);
        let line = |line: &str| serde_json::from_str::<Value>(line).unwrap();
        ran.stdout()
            .lines()
            .map(line)
            .map(|v| {
                (
                    v["name"].as_str().unwrap().to_owned(),
                    v["games"].as_u64().unwrap(),
                )
            })
            .collect()
    };
    let by_name: Vec<(String, u64)> = expected
        .iter()
        .map(|(name, n)| ((*name).to_owned(), *n))
        .collect();
    assert_eq!(names(&["--sort", "name"]), by_name);
    let mut by_count = by_name.clone();
    by_count.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    assert_eq!(names(&[]), by_count);
    assert_eq!(names(&["--limit", "2"]), by_count[..2]);
    let kasparov: Vec<_> = by_name
        .into_iter()
        .filter(|(name, _)| name.starts_with("Kasparov"))
        .collect();
    assert_eq!(names(&["kasparov", "--sort", "name"]), kasparov);
    let eco: BTreeMap<String, u64> = names(&["--field", "eco"]).into_iter().collect();
    assert_eq!(
        eco["B33"],
        games.iter().filter(|g| g.tag("ECO") == "B33").count() as u64
    );
    assert_eq!(
        names(&["--field", "source"]),
        [("games.pgn".to_owned(), 300)]
    );
    assert!(names(&["--field", "round"]).contains(&(
        "3.1".into(),
        games.iter().filter(|g| g.tag("Round") == "3.1").count() as u64
    )));
    let csv = dir
        .run(&["names", "games.pgc", "--field", "event", "--format", "csv"])
        .exits(0)
        .stdout();
    assert_eq!(parse_csv(&csv)[0], ["name", "games"]);
    let ran = dir
        .run(&["names", "games.pgc", "nobody"])
        .exits(1)
        .says("player \"nobody\": nothing matches; list all with `pgc names --field player`");
    assert_eq!(ran.stdout(), "");
    // As `find` says it.
    for options in [&["names"][..], &["find", "-p"]] {
        let (command, option) = options.split_first().unwrap();
        dir.run(&[&[*command, "games.pgc"], option, &["karlsen"]].concat())
            .exits(1)
            .says("player \"karlsen\": nothing matches; similar: Carlsen, Magnus (");
    }
    dir.run(&["names", "games.pgc", "--field", "eco", "Z9"])
        .exits(1)
        .says("eco \"Z9\": nothing matches");
    let quiet = dir.run(&["names", "games.pgc", "karlsen", "-q"]).exits(1);
    assert_eq!(quiet.stderr, "");
    // What looks like a path is one.
    dir.run(&["names", "games.pgc", "typo.pgc"])
        .exits(2)
        .says("typo.pgc: No such file");
    dir.run(&["names", "games.pgc", "folder/typo"])
        .exits(2)
        .says("folder/typo: No such file");
    for command in ["find", "names"] {
        dir.run(&[command, "-"])
            .exits(2)
            .says("name an archive file");
    }
}

#[test]
fn names_of_several_archives_are_added_up() {
    let games = games(14, 300);
    let dir = Dir::new();
    for (name, games) in ["a", "b", "c"].iter().zip(games.chunks(100)) {
        dir.put(&format!("{name}.pgn"), text_of(games));
        dir.pack(&format!("{name}.pgn"));
    }
    // Without an index the names are the same, and the note says how to make one.
    std::fs::remove_file(dir.path().join("b.pgci")).unwrap();
    dir.run(&["names", "a.pgc", "b.pgc"])
        .exits(0)
        .says("make it with `pgc index b.pgc`");
    for (field, tags) in [
        ("player", &["White", "Black"][..]),
        ("event", &["Event"]),
        ("site", &["Site"]),
        ("round", &["Round"]),
    ] {
        let mut expected: BTreeMap<&str, u64> = BTreeMap::new();
        for game in &games {
            let values: BTreeSet<&str> = tags.iter().map(|tag| game.tag(tag)).collect();
            values
                .into_iter()
                .for_each(|value| *expected.entry(value).or_default() += 1);
        }
        let mut expected: Vec<(String, u64)> = expected
            .into_iter()
            .map(|(name, n)| (name.to_owned(), n))
            .collect();
        let names = |args: &[&str]| -> Vec<(String, u64)> {
            let all = [
                "names", "a.pgc", "b.pgc", "c.pgc", "--json", "-q", "--field", field,
            ];
            let out = dir.run(&[&all[..], args].concat()).exits(0).stdout();
            let line = |line: &str| {
                let value: Value = serde_json::from_str(line).unwrap();
                (
                    value["name"].as_str().unwrap().to_owned(),
                    value["games"].as_u64().unwrap(),
                )
            };
            out.lines().map(line).collect()
        };
        assert_eq!(names(&["--sort", "name"]), expected, "{field}");
        expected.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        assert_eq!(names(&[]), expected, "{field}");
        assert_eq!(names(&["--limit", "3"]), expected[..3], "{field}");
    }
}

#[test]
fn names_say_when_the_index_turns_out_to_be_damaged() {
    let dir = Dir::new();
    dir.put("games.pgn", crate::cli::failures::games(5000));
    dir.pack("games.pgn");
    let expected = dir.run(&["names", "games.pgc"]).exits(0).stdout();
    let mut index = dir.read("games.pgci");
    // The last player. Opening an index looks at its first page only.
    let players = IndexFrame::parse(&index).unwrap().section(0x51).unwrap();
    let at = usize::try_from(players.end()).unwrap() - 1;
    assert!(at > 16_384);
    index[at] ^= 1;
    dir.put("games.pgci", index);
    let ran = dir
        .run(&["names", "games.pgc"])
        .exits(0)
        .says("make it with `pgc index games.pgc`): went on without it");
    assert_eq!(ran.stdout(), expected);
    let ran = dir
        .run(&["names", "games.pgc", "--require-index"])
        .exits(3)
        .says("games.pgci cannot be used");
    assert_eq!(ran.stdout(), "");
}

#[test]
fn an_index_made_for_a_question_lies_in_the_folder_for_temporary_files() {
    let dir = archived(&games(16, 50));
    std::fs::remove_file(dir.path().join("games.pgci")).unwrap();
    for args in [
        &["find", "games.pgc", "-d", "1992"][..],
        &["names", "games.pgc"],
    ] {
        let ran = dir
            .run(&[args, &["-q", "--temp-dir", "nowhere"]].concat())
            .exits(2);
        assert_eq!(
            ran.stderr,
            "pgc: nowhere: a temporary file: No such file or directory (os error 2)\n"
        );
        dir.run(&[args, &["-q", "--temp-dir", "."]].concat())
            .exits(0);
    }
}

#[test]
fn a_draw_is_a_draw_however_it_is_written() {
    let dir = Dir::new();
    let game = |result: &str, end: &str| format!("[Result \"{result}\"]\n\n1. e4 {end}\n\n");
    let games = [
        ("1/2", "1/2-1/2"),
        ("1/2", "1-0"),
        ("?", "1-0"),
        ("", "0-1"),
        ("1-0", "0-1"),
        ("*", "1-0"),
    ];
    dir.put(
        "games.pgn",
        games.map(|(result, end)| game(result, end)).concat(),
    );
    dir.pack("games.pgn");
    assert_eq!(found(&dir, &["--result-mismatch"]), [1, 4, 5]);
    assert_eq!(found(&dir, &["--result", "draw"]), [0, 1]);
    assert_eq!(found(&dir, &["--result", "1-0"]), [2, 4, 5]);
    assert_eq!(found(&dir, &["--result", "0-1"]), [3]);
    // An index made from the archive says the same.
    dir.run(&["index", "--verify", "games.pgc"]).exits(0);
}

#[test]
fn rounds_with_and_without_a_zero_are_one_round() {
    let dir = Dir::new();
    let game = |round: &str, white: &str| {
        format!("[Round \"{round}\"]\n[White \"{white}\"]\n\n1. e4 *\n\n")
    };
    let rounds = [
        ("01", "B"),
        ("1", "A"),
        ("2", "A"),
        ("02", "B"),
        ("01", "C"),
        ("1", "D"),
    ];
    let games: Vec<String> = rounds
        .iter()
        .map(|(round, white)| game(round, white))
        .collect();
    dir.put("games.pgn", games.concat());
    dir.pack("games.pgn");
    dir.run(&["index", "--verify", "games.pgc"]).exits(0);
    assert_eq!(sorted(&dir, &[], SortKey::Date), [1, 0, 4, 5, 2, 3]);
    // Across archives, and merged.
    dir.put("a.pgn", games[..3].concat());
    dir.put("b.pgn", games[3..].concat());
    dir.pack("a.pgn");
    dir.pack("b.pgn");
    let found = in_order(
        &[&dir.open("a.pgc"), &dir.open("b.pgc")],
        &[],
        SortKey::Date,
    );
    assert_eq!(found, [(0, 1), (0, 0), (1, 1), (1, 2), (0, 2), (1, 0)]);
    dir.run(&[
        "find", "-q", "a.pgc", "b.pgc", "--sort", "standard", "-o", "all.pgc",
    ])
    .exits(0);
    let sorted = [1, 0, 4, 5, 2, 3]
        .map(|number: usize| games[number].clone())
        .concat();
    assert_eq!(String::from_utf8(dir.unpacked("all.pgc")).unwrap(), sorted);
}

#[test]
fn an_elo_that_is_not_known_is_in_no_range_for_certain() {
    let dir = Dir::new();
    let unusable =
        "[WhiteElo \"0\"]\n[BlackElo \"70000\"]\n\n1. e4 *\n\n[WhiteElo \"-\"]\n\n1. e4 *\n\n";
    let (one, both) = (
        "[WhiteElo \"2400\"]\n\n1. e4 *\n\n",
        "[WhiteElo \"1\"]\n[BlackElo \"65535\"]\n\n1. e4 *\n",
    );
    dir.put("e.pgn", [unusable, one, both].concat());
    dir.pack("e.pgn");
    // How many fit for certain, and how many could.
    for (question, certain, maybe) in [
        (&["--white-elo", "1.."][..], 2, 4),
        (&["--not-white-elo", "1.."], 0, 2),
        (&["--black-elo", "..65535"], 1, 4),
        (&["--elo", "1..65535"], 1, 4),
        (&["--average-elo", "1200.."], 1, 4),
        (&["--not-average-elo", "1200.."], 0, 3),
        (&["--elo-difference", "0.."], 1, 4),
        (&["--elo", "2500.."], 0, 2),
    ] {
        for (more, expected) in [(&[][..], certain), (&["--maybe"], maybe)] {
            let found = dir.found("e.pgc", &[question, more].concat());
            assert_eq!(found.len(), expected, "{question:?} {more:?}");
        }
    }
}

#[test]
fn a_missing_tail_is_told_once() {
    let dir = Dir::new();
    dir.put(
        "one.pgn",
        "[White \"A\"]\n\n1. e4 {a comment of some length} e5 *\n".repeat(20),
    );
    dir.run(&["pack", "-q", "--no-index", "one.pgn"]).exits(0);
    let archive = dir.read("one.pgc");
    dir.put("one.pgc", &archive[..archive.len() / 2]);
    let ran = dir.run(&["find", "--count", "one.pgc"]).exits(3);
    assert_eq!(
        ran.stderr.matches("the archive ends early").count(),
        1,
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr
            .contains(&format!("byte {}, ", archive.len() / 2))
    );
}

#[test]
fn a_damaged_block_is_passed_over_and_told_of() {
    let dir = Dir::new();
    let game = |n: usize| {
        format!(
            "[Event \"{n}\"]\n\n1. {} {{{}}} *\n\n",
            ["e4", "d4"][n % 2],
            "x".repeat(997)
        )
    };
    // Three blocks of 1 MiB at least.
    let count = 3600;
    dir.put("games.pgn", (0..count).map(game).collect::<String>());
    // Without lines in the index, the games are read.
    dir.run(&["pack", "-q", "--no-positions", "games.pgn"])
        .exits(0);
    let all = found(&dir, &["--moves", "1.e4"]);
    assert_eq!(all.len(), count / 2);
    let mut archive = dir.read("games.pgc");
    // In a comment: the checksum of the block does not fit any more.
    let middle = archive.len() / 2;
    let blocks = crate::archive::damage::blocks(&archive);
    let hit = blocks.iter().find(|block| block.bytes.contains(&middle));
    let hit = hit.unwrap().games.clone();
    archive[middle] ^= 1;
    dir.put("games.pgc", &archive);
    let ran = dir
        .run(&["find", "games.pgc", "--moves", "1.e4", "--count"])
        .exits(3)
        .says("games.pgc: byte");
    let left: usize = ran.stdout().trim().parse().unwrap();
    let lost = all.iter().filter(|&&game| hit.contains(&(game as u64)));
    assert_eq!(left, count / 2 - lost.count());
}

#[test]
fn addresses_with_blanks_go_from_find_to_get() {
    let dir = Dir::new();
    dir.put(
        "my own/2 games.pgn",
        "[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. d4 *\n",
    );
    dir.pack("my own/2 games.pgn");
    let addresses = dir
        .run(&["find", "my own", "-w", "b", "--format", "addresses", "-q"])
        .exits(0)
        .stdout();
    assert_eq!(addresses, "my own/2 games.pgc:2\n");
    let got = dir
        .feed(&["get", "-"], addresses.as_bytes())
        .exits(0)
        .stdout();
    assert_eq!(got, "[White \"B\"]\n\n1. d4 *\n");
}

#[test]
fn games_equal_but_for_their_movetext_are_sorted_across_archives() {
    let dir = Dir::new();
    let text = |moves: &[&str]| {
        moves
            .iter()
            .map(|moves| format!("[White \"A\"]\n\n{moves} *\n\n"))
            .collect::<String>()
    };
    dir.put("a.pgn", text(&["1. e4", "1. a3", "1. c4 {best}"]));
    dir.put("b.pgn", text(&["1. d4", "1. a3", "1. Nf3"]));
    dir.pack("a.pgn");
    dir.pack("b.pgn");
    let (a, b) = (dir.open("a.pgc"), dir.open("b.pgc"));
    let found = in_order(&[&a, &b], &[], SortKey::Standard);
    assert_eq!(found, [(1, 2), (0, 1), (1, 1), (0, 2), (1, 0), (0, 0)]);
    // Else the order of the archives and of their games decides.
    let found = in_order(&[&a, &b], &[], SortKey::Date);
    assert_eq!(found, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
}

/// Games of a damaged block have no movetext to compare: they stand first, in their order, and the
/// others behind them in the order of their movetexts. Each game is listed once.
#[test]
fn tied_games_of_a_damaged_block_are_sorted_with_the_others() {
    let dir = Dir::new();
    let mut random = Random::new(7);
    let mut letters = || -> String {
        let letters = random.bytes(20_000);
        letters
            .iter()
            .map(|byte| char::from(b'a' + byte % 26))
            .collect()
    };
    // Three blocks of 1 MiB.
    let comments: Vec<String> = (0..150).map(|_| letters()).collect();
    let game = |comment: &String| format!("[White \"A\"]\n\n1. e4 {{{comment}}} *\n\n");
    dir.put("a.pgn", comments.iter().map(game).collect::<String>());
    dir.pack("a.pgn");
    let mut archive = dir.read("a.pgc");
    let blocks = crate::archive::damage::blocks(&archive);
    assert_eq!(blocks.len(), 3);
    archive[blocks[1].bytes.end - 9] ^= 1;
    dir.put("a.pgc", archive);
    let asked = [
        "find",
        "a.pgc",
        "--sort",
        "standard",
        "--format",
        "addresses",
        "-q",
    ];
    let found = dir.run(&asked).exits(3).stdout();
    let lost = |game: &usize| blocks[1].games.contains(&(*game as u64));
    let (mut expected, mut whole): (Vec<usize>, Vec<usize>) = (0..150).partition(lost);
    whole.sort_by_key(|&game| &comments[game]);
    expected.append(&mut whole);
    let addresses = expected.iter().map(|game| format!("a.pgc:{}\n", game + 1));
    assert_eq!(found, addresses.collect::<String>());
}

/// Tests of one clause are alternatives, also those that ask for sources beside one that only the
/// games can answer.
#[test]
fn a_clause_may_name_several_sources_and_a_tag() {
    let dir = Dir::new();
    let games = |tag: &str| format!("[White \"A\"]\n{tag}\n1. e4 *\n\n").repeat(50);
    dir.put("a.pgn", games(""));
    dir.put("b.pgn", games("[Annotator \"Tal\"]\n"));
    dir.put("c.pgn", games(""));
    dir.put("d.pgn", games(""));
    dir.pack_into(&["a.pgn", "b.pgn", "c.pgn", "d.pgn"], "all.pgc");
    let archive = Archive::open(dir.path().join("all.pgc")).unwrap();
    let tests = [
        ("source", "d.pgn"),
        ("source", "a.pgn"),
        ("tag", "Annotator=tal"),
        ("white", "b"),
    ];
    let query =
        Query::new().and_one_of(tests.map(|(field, value)| Test::parse(field, value).unwrap()));
    let found: Vec<u64> = archive.find(&query, 1).unwrap().numbers().collect();
    let expected: Vec<u64> = (1..=100).chain(151..=200).collect();
    assert_eq!(found, expected);
}

/// The ply of the first comment or NAG that is asked for (in a variation, of the move that it replaces),
/// and of the position that names the opening: 2... Nc6 makes the King's Knight Opening (spec/openings.tsv).
#[test]
fn notes_and_openings_have_plies() {
    let dir = Dir::new();
    let game = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 {here} 2. Nf3 (2. f4 $4 exf4 {there}) 2... Nc6 $1 *\n";
    dir.put("a.pgn", game);
    dir.pack("a.pgn");
    for (question, ply) in [
        (["--comment", "here"], "2"),
        (["--comment", "there"], "3"),
        (["--nag", "4"], "3"),
        (["--nag", "1"], "4"),
        (["--opening", "king's knight"], "4"),
    ] {
        let find = ["find", "a.pgc", "-q", "--format", "csv", "--columns", "ply"];
        let found = dir
            .run(&[&find[..], &question[..]].concat())
            .exits(0)
            .stdout();
        assert_eq!(found.lines().nth(1), Some(ply), "{question:?}: {found}");
    }
}
