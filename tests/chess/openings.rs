//! The openings that games reach, by position (D74): against names typed from the list of Lichess,
//! and against looking every position up in the list without the index and the table.

use std::fs;

use pgc::{Archive, Game, Query};
use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};
use tempfile::TempDir;

use crate::block::corpus::corpus;
use crate::chess::opening_list::{LISTED, board_of};
use crate::cli::get::Dir;

use crate::support::gen_pgn::document;
use crate::support::packed;
use crate::support::program::answer;
use crate::support::random::Random;

/// Moves, and the code, name and ply of the opening that they reach: typed from the list.
const LINES: [(&str, &str, &str, u64); 17] = [
    (
        "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6",
        "B90",
        "Sicilian Defense: Najdorf Variation",
        10,
    ),
    // In another order, and on with moves that nobody has named.
    (
        "1. Nf3 c5 2. e4 d6 3. d4 cxd4 4. Nxd4 a6 5. Nc3 Nf6 6. h4 h5 7. Rh3",
        "B90",
        "Sicilian Defense: Najdorf Variation",
        10,
    ),
    ("1. e4 e5 2. Nf3 Nc6 3. Bb5", "C60", "Ruy Lopez", 5),
    (
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 O-O 8. c3 d5",
        "C89",
        "Ruy Lopez: Marshall Attack",
        16,
    ),
    (
        "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. Kf1 Kf8 5. Ke1 Ke8",
        "C50",
        "Italian Game: Giuoco Piano",
        6,
    ),
    // The same position, but nobody may castle in it.
    (
        "1. e4 e5 2. Nf3 Nc6 3. Ke2 Ke7 4. Ke1 Ke8 5. Bc4 Bc5",
        "C44",
        "King's Knight Opening: Normal Variation",
        4,
    ),
    (
        "1. c4 e6 2. Nc3 d5 3. d4 Nf6 4. Bg5",
        "D50",
        "Queen's Gambit Declined: Modern Variation",
        7,
    ),
    ("1. Na3", "A00", "Sodium Attack", 1),
    ("1. a3 e5 2. a4 d5", "A00", "Anderssen's Opening", 1),
    (
        "1. d4 Nf6 2. c4 g6 3. Nc3 d5",
        "D80",
        "Gr\u{fc}nfeld Defense",
        6,
    ),
    (
        "1. e4 c6 2. d4 d5 3. Nc3 dxe4 4. Nxe4 Bf5",
        "B18",
        "Caro-Kann Defense: Classical Variation",
        8,
    ),
    // A pawn may take en passant.
    (
        "1. Nc3 e5 2. f4 exf4 3. e4",
        "A00",
        "Van Geet Opening: Nowokunski Gambit",
        5,
    ),
    // The same board without that capture is the position of another opening, though nobody plays
    // it in this order.
    (
        "1. Nc3 e6 2. f4 e5 3. e3 exf4 4. e4",
        "C33",
        "King's Gambit Accepted: Mason-Keres Gambit",
        7,
    ),
    // The limit: 40 half moves. What comes later has other names.
    (
        "1. Na3 Nf6 2. Nb1 Ng8 3. Na3 Nf6 4. Nb1 Ng8 5. Na3 Nf6 6. Nb1 Ng8 7. Na3 Nf6 8. Nb1 Ng8 9. Na3 Nf6 10. Nb1 Ng8 \
         11. Na3 Nf6 12. Nb1 Ng8 13. Na3 Nf6 14. Nb1 Ng8 15. Na3 Nf6 16. Nb1 Ng8 17. Na3 Nf6 18. Nb1 Ng8 19. Na3 Nf6 20. Nb1 Ng8 \
         21. e4 c5",
        "A00",
        "Sodium Attack",
        37,
    ),
    // Before the first move that is not legal.
    ("1. e4 c6 2. Ke3 d5", "B10", "Caro-Kann Defense", 2),
    ("1. d4 (1. e4 c5) d5 *", "D00", "Queen's Pawn Game", 2),
    ("1. f4", "A02", "Bird Opening", 1),
];

/// The code of an opening, and its ply.
type CodeAndPly = (&'static str, u64);

/// Tags and moves, and the opening, if there is one.
const SET_UPS: [(&str, &str, Option<CodeAndPly>); 8] = [
    (
        "[FEN \"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\"]",
        "1... c5 2. h3 Qa5",
        Some(("B20", 1)),
    ),
    (
        "[FEN \"rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\"]",
        "2. h3 h5 3. h4 a5",
        Some(("B20", 0)),
    ),
    // Without the right to castle.
    (
        "[FEN \"rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w Qkq - 0 2\"]",
        "2. Nf3",
        None,
    ),
    ("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]", "1. e4", None),
    ("[Variant \"Standard\"]", "1. e4 c5", Some(("B20", 2))),
    (
        "[Variant \"Chess960\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]",
        "1. e4 c5",
        None,
    ),
    ("[Variant \"Atomic\"]", "1. e4 c5", None),
    ("[Variant \"Losers\"]", "1. e4 c5", None),
];

fn game_text(tags: &str, moves: &str) -> String {
    let end = if moves.ends_with('*') { "" } else { " *" };
    format!("[Event \"x\"]\n{tags}\n\n{moves}{end}\n\n")
}

/// With the lines, and then the set-ups, in games.pgc.
fn typed() -> Dir {
    let dir = Dir::new();
    let lines = LINES.iter().map(|line| game_text("", line.0));
    let set_ups = SET_UPS
        .iter()
        .map(|(tags, moves, _)| game_text(tags, moves));
    let text: String = lines.chain(set_ups).collect();
    dir.put("games.pgn", text.replace("\n\n\n", "\n\n"));
    dir.pack("games.pgn");
    dir
}

#[test]
fn openings_are_those_of_the_list() {
    let dir = typed();
    let json = dir.ends(0, &["get", "games.pgc", "1..", "--format", "json"]);
    let games: Vec<Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(games.len(), LINES.len() + SET_UPS.len());
    let (lines, set_ups) = games.split_at(LINES.len());
    for ((moves, eco, name, ply), game) in LINES.iter().zip(lines) {
        let expected = serde_json::json!({ "eco": eco, "name": name, "ply": ply });
        assert_eq!(game["opening"], expected, "{moves}");
    }
    for ((tags, moves, expected), game) in SET_UPS.iter().zip(set_ups) {
        let opening = &game["opening"];
        let found = opening["eco"].as_str().zip(opening["ply"].as_u64());
        assert_eq!(found, *expected, "{tags} {moves}");
    }
    let csv = dir.ends(
        0,
        &[
            "find",
            "games.pgc",
            "--format",
            "csv",
            "--columns",
            "number,opening_eco,opening,opening-ply",
            "--sort",
            "plies",
        ],
    );
    assert!(
        csv.contains("\n2,B90,Sicilian Defense: Najdorf Variation,10\n"),
        "{csv}"
    );
    assert!(csv.contains("\n24,,,\n"), "{csv}");
    // Not without being asked: the games must be read for it.
    let csv = dir.ends(0, &["find", "games.pgc", "--format", "csv"]);
    assert!(!csv.contains("Najdorf"), "{csv}");
    let board = dir.ends(0, &["get", "games.pgc", "1", "--format", "board"]);
    let second = board.lines().nth(1);
    assert_eq!(
        second,
        Some("opening: B90 Sicilian Defense: Najdorf Variation (ply 10)")
    );
    let view = dir.ends(0, &["view", "games.pgc", "3"]);
    assert!(
        view.contains("\nopening: C60 Ruy Lopez (ply 5)\n"),
        "{view}"
    );
}

#[test]
fn trees_name_the_positions() {
    let dir = typed();
    let table = |args: &[&str]| dir.ends(0, &[&["tree", "games.pgc", "-q"], args].concat());
    let json =
        |moves| -> Value { serde_json::from_str(&table(&["--json", "--moves", moves])).unwrap() };
    let after_nc3 = "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3";
    let found = json(after_nc3);
    // This position has no name in the list, and the one after the move has.
    assert_eq!(found["opening"], Value::Null);
    let moves = found["moves"].as_array().unwrap();
    let after = moves.iter().find(|node| node["san"] == "a6").unwrap();
    let named = serde_json::json!({"eco": "B90", "name": "Sicilian Defense: Najdorf Variation"});
    assert_eq!(after["opening"], named);
    assert_eq!(json("1. e4 c5")["opening"]["name"], "Sicilian Defense");

    let sicilian = table(&["--moves", "1. e4 c5"]);
    assert_eq!(sicilian.lines().nth(1), Some("B20 Sicilian Defense"));
    let najdorf = table(&["--moves", after_nc3]);
    let mut rows = najdorf.lines();
    let row = rows.find(|line| line.starts_with("5...a6 ")).unwrap();
    assert!(
        row.ends_with(" Sicilian Defense: Najdorf Variation"),
        "{row}"
    );
    // The usual start has no name: the summary follows.
    let start = table(&[]);
    assert!(start.lines().nth(1).unwrap().contains(" games"), "{start}");
}

#[test]
fn games_are_found_by_their_openings() {
    let dir = typed();
    let pack = ["pack", "-q", "games.pgc", "-o", "small.pgcz", "--no-index"];
    dir.ends(0, &pack);
    let open = |name: &str| Archive::open(dir.path(name)).unwrap();
    let (indexed, small) = (open("games.pgc"), open("small.pgcz"));
    assert!(indexed.index().is_some() && small.index().is_none());
    let find = [
        "find",
        "games.pgc",
        "--opening",
        "najdorf",
        "--format",
        "addresses",
    ];
    assert_eq!(dir.ends(0, &find), "games.pgc:1\ngames.pgc:2\n");
    for (question, numbers) in [
        (&["--opening", "najdorf"][..], "1 2"),
        (&["--opening", "sicil najd"], ""),
        (&["--opening", "variation sicilian najd"], "1 2"),
        (&["--opening", "sicilian"], "1 2 18 19 22"),
        (&["--opening", "ruy"], "3 4"),
        (&["--opening", "=Ruy Lopez"], "3"),
        (&["--opening", "=ruy lopez"], ""),
        (&["--opening", "grunfeld"], "10"),
        (&["--opening", "king's gambit"], "13"),
        (&["--opening", "kings"], "6 13"),
        (&["--opening", "gambit queens"], "7"),
        (&["--opening", "caro", "--opening", "bird"], "11 15 17"),
        (&["--opening", "caro", "--moves", "1.e4 c6 2.d4"], "11"),
        (
            &[
                "--opening",
                "caro",
                "--not-fen",
                "rnbqkbnr/pp2pppp/2p5/3p4/3PP3/8/PPP2PPP/RNBQKBNR w",
            ],
            "15",
        ),
        (
            &["--opening", "sicilian", "--not-opening", "najdorf"],
            "18 19 22",
        ),
        (&["--not-opening", "*"], "20 21 23 24 25"),
        // The tag, which none of the games has.
        (&["--eco", "B90"], ""),
        (&["--tag", "Opening=najdorf"], ""),
    ] {
        // With an index, and in the other form without one.
        for archive in [&indexed, &small] {
            let found = answer(archive, question);
            let found: Vec<String> = found.numbers().map(|number| number.to_string()).collect();
            assert_eq!(found.join(" "), numbers, "{question:?}");
        }
    }
    let ran = dir.run(&["find", "games.pgc", "--opening", " "]);
    assert!(
        ran.code == 2 && ran.stderr.contains("has no word"),
        "{}",
        ran.stderr
    );
}

/// The opening of a game, looked up position by position, forwards.
fn plain_opening(game: &Game) -> Option<(String, u64)> {
    let is_chess = game.tag("Variant").is_none_or(|variant| {
        matches!(
            &*variant.to_lowercase().replace(' ', ""),
            "" | "?" | "standard" | "normal" | "chess" | "fromposition" | "regular" | "classical"
        )
    });
    let mut last = None;
    for ply in 0..=game.moves.len().min(40) {
        let Some(board) = game.board(ply).filter(|_| is_chess) else {
            break;
        };
        if board.squares.iter().flatten().flatten().count() < 20 {
            break;
        }
        let position: Fen = board.fen.parse().unwrap();
        let position = position.into_position(CastlingMode::Standard).ok();
        let named = position.and_then(|position: Chess| LISTED.get(&board_of(&position)));
        last = named.map(|named| (named.1.clone(), ply as u64)).or(last);
    }
    last
}

/// The archive of a text, proved, and the folder that it is in.
fn opened(text: &[u8]) -> (TempDir, Archive) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pgc");
    fs::write(&path, packed(text, true).unwrap().0).unwrap();
    let archive = Archive::open(&path).unwrap();
    (folder, archive)
}

/// Compares the openings of all games with those of the plain way, and asks for some of their
/// names. Returns how many of the games have one.
fn compare(text: &[u8], threads: usize) -> usize {
    let (_folder, archive) = opened(text);
    let games = archive.range(1, u64::MAX).map(|game| game.ok());
    let plain: Vec<Option<(String, u64)>> = games
        .map(|game| {
            let game = game?;
            let plain = plain_opening(&game);
            let opening = game
                .opening()
                .map(|found| (found.name.to_owned(), found.ply as u64));
            assert_eq!(opening, plain, "{}", String::from_utf8_lossy(&game.pgn));
            plain
        })
        .collect();
    let numbers: Vec<u32> = (0..u32::try_from(plain.len()).unwrap()).rev().collect();
    let columns = archive.openings_of(&numbers, threads).unwrap();
    let columns = columns.iter().rev();
    assert!(
        columns.map(|found| found.map(|found| found.name)).eq(plain
            .iter()
            .map(|plain| plain.as_ref().map(|plain| &*plain.0)))
    );
    let mut names: Vec<&str> = plain.iter().flatten().map(|plain| &*plain.0).collect();
    names.sort_unstable();
    names.dedup();
    for name in names.iter().step_by(names.len() / 5 + 1) {
        let query = Query::parse(&format!("--opening \"={name}\"")).unwrap();
        let answer = archive.find(&query, threads).unwrap();
        let expected = (1..)
            .zip(&plain)
            .filter(|(_, plain)| plain.as_ref().is_some_and(|plain| plain.0 == *name));
        assert!(answer.numbers().eq(expected.map(|game| game.0)), "{name}");
        assert!(answer.plies.is_empty());
    }
    plain.iter().flatten().count()
}

#[test]
fn generated_games_against_a_plain_scan() {
    let mut random = Random::new(74);
    assert!(compare(&document(&mut random, 200), 1) > 0);
    // Openings cut short, run together, and in orders that are sometimes legal.
    let mut text = String::new();
    for _ in 0..600 {
        let words = |line: &str| -> Vec<String> {
            let words = line
                .split_whitespace()
                .filter(|word| !word.contains(['.', '(', ')', '*']));
            words.map(str::to_owned).collect()
        };
        let (mut moves, more) = (words(random.pick(&LINES).0), words(random.pick(&LINES).0));
        let keep = random.below(moves.len() + 1);
        moves.truncate(keep);
        moves.extend(more.into_iter().skip(keep));
        for _ in 0..random.below(4) {
            let place = random.below(moves.len().max(1));
            if place + 2 < moves.len() {
                moves.swap(place, place + 2);
            }
        }
        text += &game_text("", &moves.join(" "));
    }
    for threads in [1, 3] {
        assert!(compare(text.as_bytes(), threads) > 300);
    }
}

#[test]
fn real_games_against_a_plain_scan() {
    let (files, mut named) = (corpus(), 0);
    for path in &files {
        if fs::metadata(path).is_ok_and(|file| file.len() < 300_000) {
            named += compare(&fs::read(path).unwrap(), 2);
        }
    }
    assert!(files.is_empty() || named > 1000, "{named}");
}

/// Lichess writes the tags ECO and Opening by the same rule, with the list of its day: since then
/// some names have changed, and few codes.
#[test]
fn lichess_says_the_same() {
    let files = corpus();
    let (mut names, mut codes, mut all) = (0, 0, 0);
    for path in files
        .iter()
        .filter(|path| path.ends_with("lichess/lichess.pgn"))
    {
        let mut text = fs::read(path).unwrap();
        text.truncate(2_000_000);
        let (_folder, archive) = opened(&text);
        for game in archive.range(1, u64::MAX) {
            let game = game.unwrap();
            let (Some(opening), Some(eco)) = (game.tag("Opening"), game.tag("ECO")) else {
                continue;
            };
            if opening == "?" || game.moves.is_empty() {
                continue;
            }
            all += 1;
            let found = game.opening();
            names += usize::from(found.is_some_and(|found| found.name == opening));
            codes += usize::from(found.is_some_and(|found| found.eco == eco));
        }
    }
    assert!(files.is_empty() || all > 800, "{all}");
    assert!(codes * 100 >= all * 94, "{codes} of {all}");
    assert!(names * 100 >= all * 80, "{names} of {all}");
}

#[test]
fn lines_of_epd_are_passed_over() {
    let dir = crate::cli::program::Dir::new();
    dir.put(
        "a.epd",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - id \"x\";\n",
    );
    dir.put("b.pgn", "[Event \"?\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n");
    // Segments of both kinds in turn, one without a game.
    dir.put("c.epd", "");
    dir.put("d.epd", dir.read("a.epd"));
    dir.put("e.pgn", dir.read("b.pgn"));
    dir.pack_into(&["a.epd", "b.pgn", "c.epd", "d.epd", "e.pgn"], "all.pgc");
    dir.run(&["edit", "all.pgc", "--set-opening", "-o", "named.pgc"])
        .exits(0)
        .says("changed 2 of 4 games")
        .says("2 lines of EPD passed over");
    dir.run(&["unpack", "-q", "named.pgc", "-o", "back/"])
        .exits(0);
    for (line, game) in [("a", "b"), ("d", "e")] {
        let line = format!("{line}.epd");
        assert_eq!(dir.read(&format!("back/{line}")), dir.read(&line));
        let named = String::from_utf8(dir.read(&format!("back/{game}.pgn"))).unwrap();
        assert!(named.contains("[Opening \"Ruy Lopez\"]"), "{named}");
    }
    // A tag that is asked for is none that a line has.
    let asked = [
        "edit",
        "all.pgc",
        "--set-opening",
        "--set",
        "Event=y",
        "-o",
        "no.pgc",
    ];
    dir.run(&asked).exits(2).says("game 1: is a line of EPD");
}

#[test]
fn tags_of_openings_are_written_on_request() {
    let text = "[Event \"a\"]\n[ECO \"B33\"]\n[Opening \"?\"]\n\n1. e4 c5 2. Nf3 *\n\n\
                [Event \"b\"]\n[WhiteElo \"2000\"]\n\n1. d4 {quiet} d5 *\n\n\
                [Event \"c\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n[Event \"d\"]\n\nno chess *\n";
    let missing = "[Event \"a\"]\n[ECO \"B33\"]\n[Opening \"Sicilian Defense\"]\n\n1. e4 c5 2. Nf3 *\n\n\
                   [Event \"b\"]\n[WhiteElo \"2000\"]\n[ECO \"D00\"]\n[Opening \"Queen's Pawn Game\"]\n\n1. d4 {quiet} d5 *\n\n\
                   [Event \"c\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n[Event \"d\"]\n\nno chess *\n";
    crate::archive::edit::becomes(text, &["--set-opening"], missing);
    crate::archive::edit::becomes(text, &["--set-opening=missing"], missing);
    let always = missing.replace("B33", "B27");
    crate::archive::edit::becomes(text, &["--set-opening=always"], &always);
    let dir = Dir::packed();
    for (args, error) in [
        (
            &["--set-opening", "--set", "ECO=A00"][..],
            "\"ECO\" would be changed twice",
        ),
        (
            &["--set-opening", "--unset", "Opening"],
            "\"Opening\" would be changed twice",
        ),
        (
            &["--set-opening", "--delete", "--all"],
            "cannot be used with",
        ),
        (
            &["--set-opening=sometimes"],
            "possible values: missing, always",
        ),
    ] {
        let mut words = vec!["edit", "games.pgc", "--dry-run"];
        words.extend(args);
        let ran = dir.run(&words);
        assert!(
            ran.code == 2 && ran.stderr.contains(error),
            "{}",
            ran.stderr
        );
    }
}
