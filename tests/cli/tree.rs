//! Questions about positions, `pgc tree`, and games in JSON, as commands.

use serde_json::json;

use crate::cli::program::Dir;
use crate::support::program::answer;

const GAMES: &str = "\
[Event \"A\"]\n[White \"Ada\"]\n[Black \"Bob\"]\n[Date \"1999.01.01\"]\n[Result \"1-0\"]\n[WhiteElo \"2500\"]\n[BlackElo \"2400\"]\n[TimeControl \"300+3\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n\
[Event \"B\"]\n[White \"Cyd\"]\n[Black \"Ada\"]\n[Date \"2005.01.01\"]\n[Result \"1/2-1/2\"]\n\n1. Nf3 Nc6 2. e4 e5 1/2-1/2\n\n\
[Event \"C\"]\n[White \"Bob\"]\n[Black \"Cyd\"]\n[Date \"????.??.??\"]\n[Result \"0-1\"]\n\n1. e4 c5 0-1\n\n\
[Event \"D\"]\n[SetUp \"1\"]\n[FEN \"8/8/4k3/8/8/4K3/4P3/8 w - - 0 1\"]\n\n1. Kd4 *\n\n\
[Event \"E\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n";

fn packed() -> Dir {
    let dir = Dir::new();
    dir.put("x.pgn", GAMES);
    dir.pack("x.pgn");
    dir
}

/// 9.6.1 and section 10.
#[test]
fn time_controls_and_glyphs() {
    let dir = Dir::new();
    let games = [
        "[TimeControl \"180+2\"]\n\n1. e4! e5 (1... c5 $14) *\n\n",
        "[TimeControl \"40/7200:3600\"]\n\n1. e4 $146 e5 *\n\n",
        "[TimeControl \"-\"]\n\n1. e4 {$1} e5 *\n\n",
        "[TimeControl \"3 min\"]\n\n1. e4 e5?? *\n\n",
        "1. e4 e5 *\n\n",
        "[TimeControl \"60\"]\n\n1. e4 e5 $1 *\n\n",
    ];
    dir.put("x.pgn", games.concat());
    for archive in ["x.pgc", "x.pgcz"] {
        dir.pack_into(&["x.pgn"], archive);
        let games: [(&[&str], &[u64]); 14] = [
            (&["--nag", "1"], &[1, 6]),
            (&["--nag", "!"], &[1, 6]),
            (&["--nag", "$14"], &[1]),
            (&["--nag", "146", "--nag", "??"], &[2, 4]),
            (&["--not-nag", "1"], &[2, 3, 4, 5]),
            (&["--nag", "1", "--not-nag", "14"], &[6]),
            (&["--nag", "9"], &[]),
            (&["--time", "180+2"], &[1]),
            (&["--time", "60..180"], &[1, 6]),
            (&["--time", "40/7200:3600"], &[2]),
            (&["--time", "blitz"], &[1]),
            (&["--time", "bullet", "--time", "classical"], &[2, 6]),
            (&["--time", "unlimited"], &[3]),
            (&["--not-time", "..7200"], &[3, 4, 5]),
        ];
        for (asked, games) in games {
            assert_eq!(dir.found(archive, asked), games, "{asked:?}");
        }
        let csv = [
            "--columns",
            "number,base_seconds,increment_seconds,speed",
            "--format",
            "csv",
        ];
        let csv = dir.run(&[&["find", archive], &csv[..]].concat()).exits(0);
        assert_eq!(
            csv.stdout().replace('\r', ""),
            "number,base_seconds,increment_seconds,speed\n1,180,2,blitz\n2,7200,0,classical\n3,,,unlimited\n4,,,\n5,,,\n6,60,0,bullet\n"
        );
    }
    let glyph = dir.run(&["get", "x.pgc", "2", "--format", "json"]).exits(0);
    assert!(glyph.stdout().contains("novelty"), "{}", glyph.stdout());
}

#[test]
fn nothing_is_written_if_an_archive_cannot_be_read() {
    let dir = packed();
    for (command, output) in [
        (&["find", "x.pgc", "no.pgc", "-o", "y.pgn"][..], "y.pgn"),
        (&["dups", "x.pgc", "no.pgc", "-o", "y.pgc"], "y.pgc"),
        (&["tree", "x.pgc", "no.pgc", "--polyglot", "y.bin"], "y.bin"),
    ] {
        let ran = dir.run(command).exits(2);
        assert!(ran.stderr.contains("nothing was written"), "{}", ran.stderr);
        assert!(!dir.names().contains(&output.to_owned()), "{output}");
        dir.run(&[command, &["--partial"]].concat())
            .exits(2)
            .says("no.pgc: No such file");
        assert!(dir.names().contains(&output.to_owned()), "{output}");
    }
}

#[test]
fn a_position_of_a_game_is_shown() {
    let dir = packed();
    let plies = dir
        .run(&["get", "x.pgc", "2", "--fen", "--ply", "1"])
        .exits(0);
    let after = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1\n";
    assert_eq!(plies.stdout(), after);
    let board = dir.run(&["get", "x.pgc", "2", "--ply", "1"]).exits(0);
    assert!(board.stdout().ends_with(after));
}

#[test]
fn positions_are_found() {
    let dir = packed();
    let archive = dir.open("x.pgc");
    let found = |asked: &[&str]| {
        let answer = answer(&archive, asked);
        let numbers = answer.numbers().map(|number| number.to_string());
        let plies = answer.plies.iter().map(u32::to_string);
        let plies = plies.chain(std::iter::repeat(String::new()));
        let lines = numbers
            .zip(plies)
            .map(|(number, ply)| format!("{number},{ply}"));
        lines.collect::<Vec<_>>().join(" ")
    };
    let knights = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R";
    let csv = [
        "--format",
        "csv",
        "--columns",
        "number,ply",
        "--fen",
        knights,
    ];
    let printed = dir.run(&[&["find", "x.pgc"], &csv[..]].concat()).exits(0);
    assert_eq!(printed.stdout(), "number,ply\n1,4\n2,4\n");
    assert_eq!(found(&["--fen", knights]), "1,4 2,4");
    assert_eq!(
        found(&["--fen", &format!("{knights} w KQkq e6 0 9")]),
        "1,4 2,4"
    );
    assert_eq!(found(&["--fen", knights, "--ply", "4"]), "1,4 2,4");
    assert_eq!(found(&["--moves-to", "1.e4 Nc6 2.Nf3 e5"]), "1,4 2,4");
    assert_eq!(
        found(&["--moves", "1.e4", "--moves-to", "1.e4 Nc6 2.Nf3 e5"]),
        "1,4"
    );
    assert_eq!(found(&["--material", "KP K", "--for", "2"]), "4,0");
    assert_eq!(found(&["--pattern", "Pe4 pe5"]), "1,2 2,4");
    // One position has both.
    assert_eq!(
        found(&[
            "--pattern",
            "Pe4 .c6",
            "--pattern",
            "Kd4",
            "--material",
            "KP K"
        ]),
        "4,1"
    );
    assert_eq!(found(&["--setup"]), "4,");
    dir.run(&["find", "x.pgc", "--fen", knights, "--ply", "..3"])
        .exits(1);
    dir.run(&["find", "x.pgc", "--material", "KP K", "--for", "3"])
        .exits(1);
    assert_eq!(found(&["--not-fen", knights]), "3, 4, 5,");
    for (args, says) in [
        (["--fen", "8/8"], "eight ranks"),
        (["--pattern", "e4"], "not a piece"),
        (["--material", "KRP"], "two sides"),
        (["--moves-to", "1.e4 e4"], "1...e4 is not legal"),
        (["--for", "0"], "from 1"),
        (["--ply", "x"], "not a range"),
    ] {
        dir.run(&[&["find", "x.pgc"], &args[..]].concat())
            .exits(2)
            .says(says);
    }
    // The table has the column only for such a question.
    let table = dir
        .run(&["find", "x.pgc", "--fen", knights])
        .exits(0)
        .stdout();
    assert!(table.lines().next().unwrap().contains(" ply "), "{table}");
    let table = dir
        .run(&["find", "x.pgc", "--moves", "1.e4"])
        .exits(0)
        .stdout();
    assert!(!table.lines().next().unwrap().contains(" ply "), "{table}");
    let board = dir
        .run(&["get", "x.pgc", "2", "--format", "board", "--ply", "4"])
        .exits(0);
    assert!(board.stdout().contains(knights));
}

#[test]
fn columns_of_tags_and_sources() {
    let dir = packed();
    let columns = "number,time_control,Event,BlackElo,source";
    let ran = dir
        .run(&["find", "x.pgc", "--format", "csv", "--columns", columns])
        .exits(0);
    let table = ran.stdout();
    let lines: Vec<&str> = table.lines().map(str::trim_end).collect();
    assert_eq!(
        lines[..3],
        [
            "number,time_control,Event,BlackElo,source",
            "1,300+3,A,2400,x.pgn",
            "2,,B,,x.pgn"
        ]
    );
    dir.run(&["find", "x.pgc", "--columns", "colour"])
        .exits(2)
        .says("WhiteTitle");
    let names = dir
        .run(&[
            "names",
            "x.pgc",
            "--field",
            "time_control",
            "--format",
            "csv",
        ])
        .exits(0);
    assert_eq!(names.stdout(), "name,games\n300+3,1\n");
    dir.run(&["names", "x.pgc", "--field", "colour"])
        .exits(2)
        .says("Annotator");
    dir.run(&["find", "x.pgc", "-p", "ada", "-o", "y.pgn"])
        .exits(0)
        .says("y.pgn: 2 games");
}

#[test]
fn unknown_ratings_and_sources() {
    let dir = packed();
    dir.put("y.pgn", "[White \"Ada\"]\n[WhiteElo \"2000\"]\n\n1. d4 *\n");
    dir.run(&["add", "-q", "x.pgc", "y.pgn"]).exits(0);
    for (args, games) in [
        (&["--elo", "none"][..], 4),
        (&["--white-elo", "none"], 4),
        (&["--black-elo", "none"], 5),
        (&["--elo-difference", "none"], 5),
        (&["--source", "x"], 5),
        (&["--source", "y.pgn", "--source", "x"], 6),
        (&["--not-source", "x"], 1),
        (&["--source", "x", "-p", "ada"], 2),
        (&["--source", "x", "--moves", "1.e4"], 3),
    ] {
        assert_eq!(dir.found("x.pgc", args).len(), games, "{args:?}");
    }
}

#[test]
fn trees() {
    let dir = packed();
    // Games from other positions, or by other rules, are not of the standard start.
    let json = dir
        .run(&["tree", "x.pgc", "--json", "--depth", "2"])
        .exits(0)
        .json();
    assert_eq!(json["games"], 3);
    let years = [&json["first_year"], &json["last_year"]];
    assert_eq!(years, [1999, 2005]);
    let moves = json["moves"].as_array().unwrap();
    let sans: Vec<&str> = moves.iter().map(|m| m["san"].as_str().unwrap()).collect();
    assert_eq!(sans, ["e4", "Nf3"]);
    assert_eq!(
        (&moves[0]["games"], &moves[0]["white"], &moves[0]["black"]),
        (&2.into(), &1.into(), &1.into())
    );
    assert_eq!(
        (&moves[0]["first_year"], &moves[0]["elo"]),
        (&1999.into(), &2500.into())
    );
    assert_eq!(moves[0]["players"][0]["name"], "Ada");
    assert_eq!(moves[0]["moves"].as_array().unwrap().len(), 2);

    let knights = ["tree", "x.pgc", "--moves-to", "1.Nf3 Nc6 2.e4"];
    let table = dir.run(&knights).exits(0).stdout();
    assert!(
        table.starts_with("r1bqkbnr/pppppppp/2n5/8/4P3/5N2/"),
        "{table}"
    );
    assert!(
        table.contains("1 game: White won 0.0 %, 100.0 % drawn"),
        "{table}"
    );
    assert!(
        table.contains("\n2...e5      1  100.0 %       50.0 %"),
        "{table}"
    );
    let table = dir
        .run(&["tree", "x.pgc", "--variant", "atomic"])
        .exits(0)
        .stdout();
    assert!(table.contains("1.e4"), "{table}");
    let table = dir
        .run(&["tree", "x.pgc", "--material", "KP K"])
        .exits(0)
        .stdout();
    assert!(table.contains("1.Kd4"), "{table}");
    let limited = dir
        .run(&["tree", "x.pgc", "--limit", "1"])
        .exits(0)
        .stdout();
    assert!(
        limited.contains("1 more") && !limited.contains("Nf3"),
        "{limited}"
    );
    dir.run(&["tree", "x.pgc", "--moves", "1.a4"])
        .exits(1)
        .says("no game matches");

    dir.run(&["tree", "x.pgc", "--polyglot", "b.bin"])
        .exits(0)
        .says("b.bin: ");
    // 1.e4 and 1.Nf3 Nc6 2.e4 e5 have points, and in them 1...c5.
    assert_eq!(dir.read("b.bin").len() % 16, 0);
    dir.run(&["tree", "x.pgc", "--polyglot", "b.bin"])
        .exits(2)
        .says("b.bin: already exists");
    dir.run(&["tree", "x.pgc", "--polyglot", "b.bin", "-f"])
        .exits(0);
}

/// Score and performance are of the side that the heading names.
#[test]
fn scores_of_black() {
    let dir = Dir::new();
    // Ada, with Black, scores 2 of 4 against 2400 after 1. e4: her performance is 2400. White's is
    // 2300, since that is her rating.
    let game = |moves: &str, result: &str| {
        format!(
            "[White \"Bob\"]\n[Black \"Ada\"]\n[Result \"{result}\"]\n[WhiteElo \"2400\"]\n[BlackElo \"2300\"]\n\n{moves} {result}\n\n"
        )
    };
    let results = ["0-1", "0-1", "1-0", "1-0"].map(|result| game("1. e4 c5", result));
    dir.put("x.pgn", results.concat() + &game("1. d4 d5", "0-1"));
    dir.pack("x.pgn");
    let rows = |args: &[&str]| {
        let table = dir.run(&[&["tree", "x.pgc"], args].concat()).exits(0);
        let table = table.stdout();
        let lines = table.lines().skip(2).map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.join(" ")
        });
        lines.collect::<Vec<_>>()
    };
    for (args, side, e4, d4) in [
        (
            &[][..],
            "White",
            "50.0 % 0.0 % 2400 2300",
            "0.0 % 0.0 % 2400 1500",
        ),
        (
            &["-w", "bob"],
            "White",
            "50.0 % 0.0 % 2400 2300",
            "0.0 % 0.0 % 2400 1500",
        ),
        (
            &["-p", "ada"],
            "White",
            "50.0 % 0.0 % 2400 2300",
            "0.0 % 0.0 % 2400 1500",
        ),
        (
            &["-b", "ada"],
            "Black",
            "50.0 % 0.0 % 2400 2400",
            "100.0 % 0.0 % 2400 3200",
        ),
        (
            &["-b", "ada", "--vs", "bob"],
            "Black",
            "50.0 % 0.0 % 2400 2400",
            "100.0 % 0.0 % 2400 3200",
        ),
    ] {
        let rows = rows(args);
        let heads = format!("games share {side} score drawn elo {side} perf");
        assert!(rows.iter().any(|row| row.contains(&heads)), "{rows:?}");
        for (row, score) in [("1.e4 4 80.0 %", e4), ("1.d4 1 20.0 %", d4)] {
            let row = format!("{row} {score}");
            assert!(
                rows.iter().any(|known| known.starts_with(&row)),
                "{row} {rows:?}"
            );
        }
        let json = dir.run(&[&["tree", "x.pgc", "--json"], args].concat());
        let json = json.exits(0).json();
        let score = if side == "Black" { 1.0 } else { 0.0 };
        assert_eq!(json["side"], side.to_lowercase());
        assert_eq!(json["moves"][1]["score"].as_f64(), Some(score));
    }
}

/// PolyGlot's `book_make.c` adds `result + 1` to the sum of a move: 2 for a win of the side that
/// moves, 1 for a draw; any other result than `1-0` and `0-1` is 0, a draw.
#[test]
fn games_without_a_result_make_a_book() {
    let dir = Dir::new();
    dir.put(
        "x.pgn",
        "[Event \"rep\"]\n[Result \"*\"]\n\n1. e4 c5 2. Nf3 d6 *\n\n[Event \"rep2\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n",
    );
    dir.pack("x.pgn");
    dir.run(&["tree", "x.pgc", "--polyglot", "b.bin"])
        .exits(0)
        .says("7 moves of 2 games");
    let book = dir.read("b.bin");
    let mut weights: Vec<&[u8]> = book.chunks(16).map(|entry| &entry[10..12]).collect();
    weights.sort_unstable();
    // 1. e4 was played twice, the six other moves once.
    assert_eq!(
        weights,
        [[0, 1], [0, 1], [0, 1], [0, 1], [0, 1], [0, 1], [0, 2]]
    );
    dir.run(&["tree", "x.pgc", "--polyglot", "c.bin", "--least", "3"])
        .exits(1)
        .says("no book was written");
    assert!(!dir.names().contains(&"c.bin".to_owned()));
}

#[test]
fn a_book_is_written_only_if_there_is_one() {
    let dir = packed();
    dir.run(&["tree", "x.pgc", "--polyglot", "b.bin"]).exits(0);
    let book = dir.read("b.bin");
    dir.run(&[
        "tree",
        "x.pgc",
        "--moves",
        "1.a4",
        "--polyglot",
        "b.bin",
        "-f",
    ])
    .exits(1);
    assert!(dir.read("b.bin") == book);
    let piped = dir.run(&["tree", "x.pgc", "--polyglot", "-"]).exits(0);
    assert!(piped.output.stdout == book);
    let mut archive = dir.read("x.pgc");
    let middle = archive.len() / 2;
    archive[middle] ^= 16;
    dir.put("x.pgc", archive);
    dir.run(&["tree", "x.pgc", "--polyglot", "b.bin", "-f"])
        .exits(3)
        .says("--partial");
    assert!(dir.read("b.bin") == book);
}

#[test]
fn questions_that_need_another_and_trees_of_several_positions() {
    let dir = packed();
    for command in ["find", "tree"] {
        for option in [["--ply", "20"], ["--for", "2"]] {
            dir.run(&[command, "x.pgc", option[0], option[1]])
                .exits(2)
                .says("question about a position");
        }
    }
    let both = ["tree", "x.pgc", "--moves", "1.e4", "--moves", "1.Nf3"];
    let table = dir.run(&both).exits(0).stdout();
    assert!(table.starts_with("from different positions\n"), "{table}");
    assert!(
        table.contains("\nNc6 ") && !table.contains("..."),
        "{table}"
    );
    let json = dir.run(&[&both[..], &["--json"]].concat()).exits(0).json();
    assert!(json["fen"].is_null());
    let none = dir
        .run(&["tree", "x.pgc", "--moves", "1.a4", "--json"])
        .exits(1);
    assert_eq!(none.json()["games"], 0);
    // Names with a capital are those of tags.
    let columns = "number,WhiteElo,white_elo,whiteelo,FEN,has_fen";
    let ran = dir.run(&[
        "find",
        "x.pgc",
        "-p",
        "bob",
        "--format",
        "csv",
        "--columns",
        columns,
    ]);
    let table = ran.exits(0).stdout();
    assert!(table.contains("\n1,2500,2500,2500,,false\n"), "{table}");
    let names = dir.run(&["names", "x.pgc", "--field", "White", "--format", "csv"]);
    assert!(names.exits(0).stdout().contains("Ada,1"));
}

/// Comments, glyphs, variations, clocks and evaluations of a game, in JSON.
#[test]
fn annotations_in_json() {
    let dir = Dir::new();
    let pgn = "[White \"A\"]\n\n{start} 1. e4! {[%clk 0:03:00] good} e5 $14 ( {b} 1... c5 2. Nf3 (2. c3 $2) {in}) \
               (1... e6) 2. Nf3 {[%eval #-4]} {[%emt 1:05]} Nc6 $200 *\n";
    for (name, form) in [("x.pgc", "plain"), ("x.pgcz", "small")] {
        dir.put("x.pgn", pgn);
        dir.pack_into(&["x.pgn"], name);
        let game = dir
            .run(&["get", name, "1", "--format", "json"])
            .exits(0)
            .json();
        assert_eq!(game["comments"], json!(["start"]), "{form}");
        let expected = json!([
            { "san": "e4", "uci": "e2e4", "nags": [{ "nag": 1, "name": "good move" }],
              "comments": ["[%clk 0:03:00] good"], "clock": 180.0 },
            { "san": "e5", "uci": "e7e5", "nags": [{ "nag": 14, "name": "White has a slight advantage" }],
              "variations": [
                [{ "san": "c5", "uci": "c7c5", "before": ["b"] },
                 { "san": "Nf3", "uci": "g1f3", "comments": ["in"],
                   "variations": [[{ "san": "c3", "uci": "c2c3", "nags": [{ "nag": 2, "name": "poor move" }] }]] }],
                [{ "san": "e6", "uci": "e7e6" }],
              ] },
            { "san": "Nf3", "uci": "g1f3", "comments": ["[%eval #-4]", "[%emt 1:05]"], "mate": -4, "elapsed": 65.0 },
            { "san": "Nc6", "uci": "b8c6", "nags": [{ "nag": 200, "name": null }] },
        ]);
        assert_eq!(game["moves"], expected, "{form}");
    }
    // However deep variations are nested, the object is not deeper than 32 of them.
    let deep = format!("1. e4 {}{} *\n", "(1. d4 ".repeat(500), ")".repeat(500));
    dir.put("deep.pgn", deep);
    dir.pack("deep.pgn");
    let game = dir
        .run(&["get", "deep.pgc", "1", "--format", "json"])
        .exits(0)
        .stdout();
    assert_eq!(game.matches("\"d4\"").count(), 32);
}
