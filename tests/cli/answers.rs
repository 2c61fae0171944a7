//! How commands answer: positions as CSV and JSON, archives in two forms in one folder, the order of
//! the help, and messages that say one thing each.

use serde_json::{Value, json};

use crate::cli::program::Dir;

const PGN: &str = "[Event \"A\"]\n[White \"Tal, Mihail\"]\n[Black \"Bob\"]\n[WhiteElo \"2500\"]\n\n\
    1. e4! {[%clk 0:03:00] [%eval 0.48,20] good} e5 $1 $14 {[%eval #-3]} *\n\n\
    [Event \"B\"]\n[White \"Ada\"]\n[Black \"Tal, M\"]\n[Date \"1960.??.??\"]\n\n1. d4 d5 2. Ke2 *\n\n";

fn packed() -> Dir {
    let dir = Dir::new();
    dir.put("a.pgn", PGN);
    dir.run(&["pack", "-q", "a.pgn"]).exits(0);
    dir
}

/// The rows were worked out by hand (tables.md, 3); the FENs and the key of the start position are
/// those that the standard (16.1) and the format of PolyGlot's books give.
#[test]
fn positions_as_csv_and_json() {
    let dir = packed();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let columns =
        "number,ply,san,uci,side,clock,eval,mate,depth,comment,nags,white_material,phase,is_last";
    let of = |args: &[&str]| {
        let all = [&["find", "a.pgc", "--table", "positions"], args].concat();
        dir.run(&all).exits(0).stdout()
    };
    assert_eq!(
        of(&["-p", "bob", "--format", "csv", "--columns", columns]),
        format!("{columns}\n")
            + "1,0,e4,e2e4,white,180.0,48,,20,good,[1],39,opening,false\n\
               1,1,e5,e7e5,black,,,-3,,,\"[1,14]\",39,opening,false\n\
               1,2,,,white,,,,,,,39,opening,true\n"
    );
    let lines: Vec<Value> = of(&["--json"])
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(
        lines[0],
        json!({ "archive": "a.pgc", "number": 1, "ply": 0, "fen": start, "san": "e4", "uci": "e2e4" })
    );
    // The main line ends at the first move that is not legal.
    assert_eq!(
        (&lines[5]["number"], &lines[5]["san"]),
        (&json!(2), &Value::Null)
    );
    // The key of the start position is that of the format's own example.
    let key = of(&[
        "--limit",
        "1",
        "--format",
        "csv",
        "--columns",
        "key,move,material,repetition",
    ]);
    let material = "KQRRBBNNPPPPPPPP KQRRBBNNPPPPPPPP";
    let first = format!("{},1804,{material},1", 0x463b_9618_1691_fc9c_u64);
    assert_eq!(key.lines().nth(1), Some(&*first));
    // In another order, and to a file.
    dir.run(&[
        "find",
        "a.pgc",
        "--table",
        "positions",
        "--reverse",
        "-o",
        "p.jsonl",
    ])
    .exits(0)
    .says("p.jsonl: 6 positions");
    let text = String::from_utf8(dir.read("p.jsonl")).unwrap();
    assert!(
        text.lines().next().unwrap().contains("\"number\":2"),
        "{text}"
    );
    dir.run(&[
        "find",
        "a.pgc",
        "--table",
        "positions",
        "--json",
        "--columns",
        "ply,sam",
    ])
    .exits(2)
    .says("no column of positions is called sam; similar: san");
    dir.run(&["find", "a.pgc", "--table", "positions"])
        .exits(2)
        .says("--table works only with CSV, JSON and Parquet");
}

/// Both builds of the table have the same columns with the same values.
#[cfg(feature = "parquet")]
#[test]
fn positions_have_the_columns_of_parquet() {
    use pgc_tables::schema::TableKind;
    let dir = packed();
    let names: Vec<&str> = TableKind::Positions.names().collect();
    let columns = names.join(",");
    let args = [
        "find",
        "a.pgc",
        "--table",
        "positions",
        "--format",
        "csv",
        "--columns",
        &columns,
    ];
    let text = dir.run(&args).exits(0).stdout();
    assert_eq!(text.lines().next(), Some(&*columns));
}

#[test]
fn json_is_short_for_the_formats() {
    let dir = packed();
    let out = |args: &[&str]| dir.run(args).exits(0).stdout();
    assert_eq!(
        out(&["find", "a.pgc", "--json"]),
        out(&["find", "a.pgc", "--format", "jsonl"])
    );
    assert_eq!(
        out(&["get", "a.pgc", "1..", "--json"]),
        out(&["get", "a.pgc", "1..", "--format", "json"])
    );
    assert_eq!(
        out(&["find", "a.pgc", "--count", "--json"]),
        "{\"games\":2}\n"
    );
    dir.run(&["find", "a.pgc", "--json", "--format", "csv"])
        .exits(2)
        .says("'--json' cannot be used with '--format");
    dir.run(&["unpack", "a.pgc", "-o", "-", "--json"])
        .exits(2)
        .says("standard output cannot carry both");
}

/// An archive and its small form beside it hold the same games.
#[test]
fn two_forms_of_an_archive_count_once() {
    let dir = packed();
    std::fs::create_dir(dir.path().join("both")).unwrap();
    dir.run(&["pack", "-q", "a.pgc", "-o", "both/a.pgc"])
        .exits(0);
    dir.run(&["pack", "-q", "a.pgc", "-o", "both/a.pgcz"])
        .exits(0);
    for command in ["find", "tree", "stats", "table", "names", "dups"] {
        let args: &[&str] = if command == "stats" {
            &[command, "both", "tal"]
        } else {
            &[command, "both"]
        };
        let told = dir.run(args).stderr;
        assert!(
            told.contains("both/a.pgc and both/a.pgcz: the same games, counted once"),
            "{told}"
        );
    }
    let count = |args: &[&str]| dir.run(args).exits(0).stdout();
    assert_eq!(count(&["find", "both", "--count"]), "2\n");
    let quiet = dir
        .run(&["find", "-q", "both/a.pgcz", "both/a.pgc", "--count"])
        .exits(0);
    assert_eq!(
        (quiet.stdout(), quiet.stderr),
        ("2\n".to_owned(), String::new())
    );
    dir.put("b.pgn", "1. c4 *\n");
    dir.run(&["add", "-q", "both/a.pgcz", "b.pgn"]).exits(0);
    let ran = dir.run(&["find", "both", "--count"]).exits(0);
    let ran = ran.says("other games, counted beside each other; copies count twice");
    assert_eq!(ran.stdout(), "5\n");
}

/// The summary comes only when the output is complete.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_gets_no_summary() {
    let dir = packed();
    let full = std::fs::File::create("/dev/full").unwrap();
    let output = dir
        .command(&["unpack", "-c", "a.pgc"])
        .stdout(full)
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(
        told.starts_with("pgc: standard output: ") && !told.contains("->"),
        "{told}"
    );
}

#[test]
fn standard_input_where_an_archive_is_named() {
    let dir = packed();
    dir.feed(&["get", "-", "1"], &dir.read("a.pgc"))
        .exits(2)
        .says("pgc get cannot read an archive from standard input: name a file");
    let ran = dir.feed(&["info", "-"], &dir.read("a.pgc")).exits(0);
    let first = "standard input: 1 source, 2 games (1 understood, 1 partly understood, 0 kept as text), 4 plies\n";
    assert!(ran.stdout().starts_with(first), "{}", ran.stdout());
    dir.feed(&["info", "-"], PGN.as_bytes())
        .exits(2)
        .says("standard input: is PGN: pack it first (`pgc pack -`)");
}

#[test]
fn a_player_who_is_not_there_to_be_renamed() {
    let dir = packed();
    let ran = dir.run(&[
        "edit",
        "a.pgc",
        "--rename-player",
        "Tal, Mikhail",
        "Tal",
        "--dry-run",
    ]);
    ran.exits(1)
        .says("player \"Tal, Mikhail\": nothing matches; similar: Tal, Mihail (1)");
    let ran = dir.run(&[
        "edit",
        "a.pgc",
        "--rename-player",
        "Ada",
        "Ada B",
        "--dry-run",
    ]);
    assert!(!ran.exits(0).stderr.contains("nothing matches"));
}

#[test]
fn what_copies_leave_behind() {
    let dir = packed();
    let ran = dir.run(&["dups", "a.pgc", "-o", "b.pgc"]).exits(0);
    ran.says("1 game compared\nnot compared: 1 game without moves, or whose moves are text");
    dir.run(&["dups", "a.pgc"])
        .exits(1)
        .says("not compared: 1 game without moves, or whose moves are text\n");
}

/// Questions, `-p` the first and `--maybe` the last, then the output, then what is rare.
#[test]
fn help_begins_with_the_questions() {
    let dir = Dir::new();
    for command in ["find", "tree", "stats", "table", "dups", "edit"] {
        let help = dir.run(&[command, "--help"]).exits(0).stdout();
        let at = |text: &str| {
            help.find(text)
                .unwrap_or_else(|| panic!("{command}: {text}\n{help}"))
        };
        let output = if command == "edit" {
            "Changes and output:"
        } else {
            "Output:"
        };
        let order = [
            "Questions (",
            "  -p, --player",
            "  -w, --white",
            "--material <",
            "--maybe",
            output,
            "Rare options:",
            "--aliases",
            "-h, --help",
        ];
        assert!(order.iter().map(|text| at(text)).is_sorted(), "{help}");
        assert!(!help.contains("\nOptions:"), "{help}");
    }
    let help = dir.run(&["find", "--help"]).exits(0).stdout();
    assert!(help.lines().count() < 120, "{}", help.lines().count());
    // What this build cannot do is not offered.
    assert_eq!(help.contains("--with"), cfg!(feature = "parquet"));
    assert!(help.contains("--opening <"));
}

#[test]
fn messages_say_one_thing() {
    let dir = packed();
    dir.put("words.pgc", "no archive, only words\n");
    dir.put("empty.pgc", "");
    for (code, args, told) in [
        (
            0,
            &["find", "a.pgc", "--not-elo", "2000..2100"][..],
            "1 game without an Elo or a complete date was left out (--maybe adds it)\n",
        ),
        (
            1,
            &["find", "a.pgc", "-d", "1960.05"],
            "2 games without an Elo or a complete date were left out (--maybe adds them)\n",
        ),
        (
            0,
            &["find", "a.pgc", "--tag", "WhiteElo=2500"],
            "slow: the index cannot answer this, 2 games were read\n",
        ),
        (
            1,
            &["find", "a.pgc", "--moves", "1.e4 e4"],
            "--moves: 1...e4 is not legal from the usual start position\n",
        ),
        (
            1,
            &["find", "a.pgc", "--moves", "1.e5"],
            "--moves: 1.e5 is not legal from the usual start position\n",
        ),
        (
            2,
            &["find", "a.pgc", "--clock", "x"],
            "\"x\" is not a number or a range: write N, N.., N..M or ..M",
        ),
        (
            2,
            &["find", "a.pgc", "--eco", "x"],
            "write B33, B30..B39, B3, B, none or other",
        ),
        (
            2,
            &["info", "words.pgc"],
            "pgc: words.pgc: is not a PGC archive\n",
        ),
        (2, &["find", "empty.pgc"], "pgc: empty.pgc: is empty\n"),
        (2, &["test", "empty.pgc"], "pgc: empty.pgc: is empty\n"),
        (
            2,
            &["repair", "a.pgc"],
            "pgc: a.pgc: has no recovery data (a.pgcr): run `pgc protect` while an archive is whole\n",
        ),
    ] {
        let ran = dir.run(args).exits(code);
        assert!(ran.stderr.contains(told), "{args:?}: {}", ran.stderr);
    }
}

/// A summary names `--report` unless there is one.
#[test]
fn findings_are_listed_where_the_summary_says() {
    let dir = Dir::new();
    dir.put(
        "a.pgn",
        "1. Ng1f3 *\n\n".to_owned() + &"1. e4 e5 2. Ke4 *\n\n".repeat(12),
    );
    dir.run(&["pack", "a.pgn"])
        .exits(0)
        .says("... and 2 more (--report FILE lists all)")
        .says("  1 place breaks the PGN standard but was understood (--report FILE lists them)\n");
    dir.run(&["pack", "-f", "a.pgn", "--report", "r.jsonl"])
        .exits(0)
        .says("... and 2 more (the report lists all)")
        .says("  1 place breaks the PGN standard but was understood\n");
}
