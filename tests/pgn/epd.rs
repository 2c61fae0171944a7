//! EPD (PGN 1994, 16.2): lines read, checked and written, made of games, and as questions.

use std::io::Cursor;

use pgc_chess::Position;
use pgc_pgn::clause::Rule;
use pgc_pgn::epd::game::{GamePositions, Plies};
use pgc_pgn::epd::line::{EpdLine, Operand};
use pgc_pgn::epd::list::read_positions;

use crate::cli::get::Dir;
use crate::support::random::Random;

const KINGS: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -";

/// One line with every opcode of 16.2.5, in their order, with operands that the clauses allow.
const EVERY: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - \
    acn 4294967296; acs 0; am Ke2 Nxe5; bm Bb5 Bc4; c0 \"a comment\"; c1; c9 \"; and so on\"; \
    ce -32767; dm 5; draw_accept; draw_claim; draw_offer; draw_reject; \
    eco \"C60\"; fmvn 3; hmvc 2; id \"BK.15\"; nic; noop 1 \"two\" Nf3; pm Bb5; pv Bb5 a6 Ba4; rc 1; resign; \
    sm Bb5; tcgs 7; tcri \"a@b.c\" \"A B\"; tcsi \"d@e.f\" \"D\"; v0 \"Ruy Lopez\"; v9;";

fn faults(text: &str) -> Vec<String> {
    let line = EpdLine::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    line.check().iter().map(ToString::to_string).collect()
}

#[test]
fn every_opcode_of_the_standard_is_known() {
    let line = EpdLine::parse(EVERY).unwrap();
    assert_eq!(line.operations.len(), 29);
    assert_eq!(faults(EVERY), [""; 0]);
    // Written as it was read, since it is in order.
    assert_eq!(line.to_string(), EVERY);
    let id = line.operation("id").unwrap();
    assert_eq!(id.operands, [Operand::Text("BK.15".to_owned())]);
    assert_eq!(line.fen(), format!("{} 2 3", line.position));
}

#[test]
fn operands_of_the_wrong_kind_are_found() {
    for (operations, fault) in [
        ("acd -1;", "acd: takes an integer, from 0: \"-1\""),
        ("acn 1.5;", "acn: takes an integer, from 0: \"1.5\""),
        ("acs;", "acs: takes an integer, from 0: \"\""),
        ("am Ke9;", "am: not a legal move: \"Ke9\""),
        ("bm e2e4;", "bm: not in SAN: \"e2e4\""),
        (
            "bm Kd1 Kd2 Kf1 e4 e3;",
            "bm: moves not in ASCII order: \"Kd1 Kd2 Kf1 e4 e3\"",
        ),
        ("bm \"e4\";", "bm: not in SAN: \"e4\""),
        ("c0 word;", "c0: takes one string, or nothing: \"word\""),
        (
            "c9 \"a\" \"b\";",
            "c9: takes one string, or nothing: \"\\\"a\\\" \\\"b\\\"\"",
        ),
        (
            "ce 32767;",
            "ce: takes an integer from -32767 to 32766: \"32767\"",
        ),
        ("dm 0;", "dm: takes an integer, from 1: \"0\""),
        ("draw_accept yes;", "draw_accept: takes no operand: \"yes\""),
        (
            "draw_offer;",
            "draw_offer: needs the move sm: \"draw_offer\"",
        ),
        (
            "draw_claim;",
            "draw_claim: needs the move sm: \"draw_claim\"",
        ),
        ("eco B33;", "eco: takes one string, or nothing: \"B33\""),
        ("fmvn 0;", "fmvn: takes an integer, from 1: \"0\""),
        ("hmvc x;", "hmvc: takes an integer, from 0: \"x\""),
        ("id BK.15;", "id: takes one string: \"BK.15\""),
        ("pm;", "pm: takes one move: \"\""),
        ("pm e3; pv e4 Kd7;", "pm: not the first move of pv: \"e3\""),
        ("pv e4 e5;", "pv: not a legal move: \"e5\""),
        ("rc 0;", "rc: takes an integer, from 1: \"0\""),
        ("sm e3 e4;", "sm: takes one move: \"e3 e4\""),
        ("tcgs 0;", "tcgs: takes an integer, from 1: \"0\""),
        ("tcri \"a\";", "tcri: takes two strings: \"\\\"a\\\"\""),
        ("v0 1;", "v0: takes one string, or nothing: \"1\""),
        ("resign now;", "resign: takes no operand: \"now\""),
    ] {
        let found = faults(&format!("{KINGS} {operations}"));
        assert_eq!(found, [format!("column 29: {fault}")], "{operations}");
    }
    // Unknown opcodes take anything; those of 1994 that are not in this line do not matter.
    assert_eq!(
        faults(&format!("{KINGS} Private 1 \"two\" Kf1; perft 3 1; zz;")),
        [""; 0]
    );
    assert_eq!(
        faults(&format!("{KINGS} id \"a\"; dm 3; id \"b\"")),
        [
            "column 37: dm: not in the order of the opcodes: \"dm\"",
            // 16.2.4.1: at most once, wherever it stands.
            "column 43: id: the opcode comes twice: \"id\"",
            "column 49: the semicolon is missing: \"id\"",
        ]
    );
    assert_eq!(
        faults(&format!("{KINGS}  dm 3;dm 4;")),
        [
            "column 28: not one blank: \"  \"",
            "column 35: not one blank: \"\"",
            "column 35: dm: the opcode comes twice: \"dm\"",
        ]
    );
}

#[test]
fn what_is_no_epd_names_the_column() {
    for (text, error) in [
        ("", "column 1: not a board: \"\""),
        (
            "8/8/8/8/8/8/8 w - -",
            "column 1: not a board: \"8/8/8/8/8/8/8\"",
        ),
        (
            "4k3/8/8/8/8/8/4P4/4K3 w - -",
            "column 1: not a board: \"4k3/8/8/8/8/8/4P4/4K3\"",
        ),
        (
            "4k3/8/8/8/8/8/4P3/4K3 W - -",
            "column 23: not a side to move: \"W\"",
        ),
        (
            "4k3/8/8/8/8/8/4P3/4K3 w x -",
            "column 25: not castling rights: \"x\"",
        ),
        (
            "4k3/8/8/8/8/8/4P3/4K3 w - e2",
            "column 27: not an en passant square: \"e2\"",
        ),
        (
            "4k3/8/8/8/8/8/4P3/4K3 w -",
            "column 26: not an en passant square: \"\"",
        ),
        (
            "8/8/8/8/8/8/4P3/4K3 w - -",
            "column 1: not a position of chess: \"8/8/8/8/8/8/4P3/4K3 w - -\"",
        ),
    ] {
        let found = EpdLine::parse(text).map_err(|error| error.to_string());
        assert_eq!(found.map(|line| line.to_string()), Err(error.to_owned()));
    }
}

#[test]
fn a_fen_is_read_too_and_its_counters_become_operations() {
    let line = EpdLine::parse(&format!("{KINGS} 7 41")).unwrap();
    assert_eq!((line.counters, line.check().len()), (Some((7, 41)), 0));
    assert_eq!(line.to_string(), format!("{KINGS} fmvn 41; hmvc 7;"));
    // As many test suites have them.
    let line = EpdLine::parse(&format!("{KINGS} 0 1 bm e4; id \"x\";")).unwrap();
    assert_eq!(
        line.to_string(),
        format!("{KINGS} bm e4; fmvn 1; hmvc 0; id \"x\";")
    );
    assert_eq!(line.check().len(), 1);
    // Chess960: the rights of rooks that are not in the corners stay.
    let nine = "1r2kr2/8/8/8/8/8/8/1R2KR2 w FBfb - bm Kd2;";
    assert_eq!(EpdLine::parse(nine).unwrap().check(), []);
}

/// Semicolons without an operation, as python-chess reads them (`- - ;D1 5`, `;;`), and as the perft
/// suites of engines have them behind the counters of a FEN, which it refuses.
#[test]
fn lines_of_perft_suites_and_comments_are_positions() {
    for (rest, written, wrong) in [
        (" 0 1;", " fmvn 1; hmvc 0;", 2),
        (";", "", 1),
        (" ;D1 5", " D1 5;", 3),
        (" 0 1; D1 5;", " D1 5; fmvn 1; hmvc 0;", 2),
        (" 0 1 ;D1 5 ;D2 25", " D1 5; D2 25; fmvn 1; hmvc 0;", 5),
        (" ; bm Kd2;", " bm Kd2;", 1),
        (" bm Kd2;; id \"x\";", " bm Kd2; id \"x\";", 1),
        (" bm Kd2 ; ; id \"x\"", " bm Kd2; id \"x\";", 2),
        (" 0 1; # a ; b", " fmvn 1; hmvc 0; # a ; b", 3),
        (" id \"x\"; #c", " id \"x\"; #c", 1),
    ] {
        let line = EpdLine::parse(&format!("{KINGS}{rest}")).unwrap();
        assert_eq!(line.to_string(), format!("{KINGS}{written}"), "{rest}");
        assert_eq!(line.check().len(), wrong, "{rest}: {:?}", line.check());
    }
    // Numbers in the place of operations are kept, and do not become counters when they are read
    // again.
    for (rest, written) in [
        (" 0;1", " ; 0; 1;"),
        (" 0 1 2", " fmvn 1; hmvc 0; 2;"),
        (" ;1", " ; 1;"),
        (" bm Kd2;#x;\" # ;1 \"", " bm Kd2; #x;\" # ;1 \""),
        (" id \";", " id \";"),
        (" id \"a;b ;; ", " id \"a;b;"),
    ] {
        let line = EpdLine::parse(&format!("{KINGS}{rest}")).unwrap();
        assert_eq!(line.to_string(), format!("{KINGS}{written}"), "{rest}");
        let is_told = |rule| line.irregular.iter().any(|error| error.rule == rule);
        assert!(
            is_told(Rule::EpdOpcode) || is_told(Rule::EpdString),
            "{rest}"
        );
        let again = EpdLine::parse(&line.to_string()).unwrap();
        assert_eq!(again.to_string(), line.to_string());
        assert_eq!(again.fen(), line.fen());
    }
}

/// Games under each of the rules of Lichess, some to an end that chess does not know. The fields of
/// the last position are those of python-chess 1.11.2, `Board.fen(en_passant="fen")`; but the drop of
/// a pawn sets the half-move clock to 0, as on Lichess (scalachess), which it does not there.
const VARIANTS: [(&str, &str, &str, &str); 10] = [
    (
        "Crazyhouse",
        "",
        "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qxg2 4. Bxg2 Nc6 5. Q@d6 exd6",
        "r1b1kbnr/ppp2ppp/2np4/8/8/2N5/PPPP1PBP/R1BQK1NR[Pqpp] w KQkq - 0 6",
    ),
    (
        "Horde",
        "",
        "1. h5 e6 2. g6",
        "rnbqkbnr/pppp1ppp/4p1P1/1PP2P1P/PPPPPPP1/PPPPPPPP/PPPPPPPP/PPPPPPPP b kq - 0 2",
    ),
    (
        "Racing Kings",
        "",
        "1. Kh3 Ka3 2. Kg4",
        "8/8/8/8/6K1/k7/1rbnNBR1/qrbnNBRQ b - - 3 2",
    ),
    (
        "Antichess",
        "8/P7/8/8/8/8/8/7k w - - 0 1",
        "1. a8=K",
        "K7/8/8/8/8/8/8/7k b - - 0 1",
    ),
    (
        "Atomic",
        "",
        "1. Nf3 a6 2. Ng5 a5 3. Nxf7",
        "rnbq3r/1pppp1pp/8/p7/8/8/PPPPPPPP/RNBQKB1R b KQ - 0 3",
    ),
    (
        "Three-check",
        "",
        "1. e4 e5 2. Bc4 Nc6 3. Bxf7+ Kxf7 4. Qh5+",
        "r1bq1bnr/pppp1kpp/2n5/4p2Q/4P3/8/PPPP1PPP/RNB1K1NR b KQ - 1+3 1 4",
    ),
    (
        "King of the Hill",
        "",
        "1. e4 e5 2. Ke2 Ke7 3. Kd3 Kd6 4. Kc4",
        "rnbq1bnr/pppp1ppp/3k4/4p3/2K1P3/8/PPPP1PPP/RNBQ1BNR b - - 5 4",
    ),
    (
        "Chess960",
        "bbrknnrq/pppppppp/8/8/8/8/PPPPPPPP/BBRKNNRQ w KQkq - 0 1",
        "1. Ng3",
        "bbrknnrq/pppppppp/8/8/8/6N1/PPPPPPPP/BBRKN1RQ b KQkq - 1 1",
    ),
    (
        "Crazyhouse",
        "4k3/8/8/8/8/8/8/QR~2K3[QNPqp] w - - 7 9",
        "1. N@e6 Kf7",
        "8/5k2/4N3/8/8/8/8/QR~2K3[QPqp] w - - 9 10",
    ),
    (
        "Crazyhouse",
        "4k3/8/8/8/8/8/8/4K3[P] w - - 7 9",
        "1. @e4",
        "4k3/8/8/8/4P3/8/8/4K3[] b - - 0 9",
    ),
];

#[test]
fn lines_of_variants_are_read_by_their_rules() {
    let dir = Dir::new();
    let (mut games, mut all) = (String::new(), String::new());
    for (variant, fen, moves, end) in VARIANTS {
        let fen = match fen {
            "" => String::new(),
            fen => format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n"),
        };
        let game = format!("[Variant \"{variant}\"]\n{fen}\n{moves} *\n\n");
        let positions = GamePositions::read(game.as_bytes(), "x").unwrap();
        assert!(positions.is_whole, "{variant}");
        let mut last = String::new();
        let done = positions.each(&Plies::Of(0..=99), |position| {
            let line = positions.epd(position).to_string();
            let read = EpdLine::parse(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!((read.check(), read.lint(&line)), (vec![], vec![]), "{line}");
            assert_eq!(read.fen(), position.fen);
            assert_eq!(read.start().unwrap().fen(), position.fen);
            all.push_str(&line);
            all.push('\n');
            last.clone_from(&position.fen);
            Ok::<(), ()>(())
        });
        assert_eq!((done, last.as_str()), (Ok(()), end));
        games.push_str(&game);
    }
    // The same by the commands: each line is a game, with its rules, and is found again.
    dir.put("games.pgn", &games);
    dir.put("all.epd", &all);
    dir.pack("games.pgn");
    dir.pack("all.epd");
    let count = |arguments: &[&str]| dir.ends(0, arguments).trim().parse::<usize>().unwrap();
    assert_eq!(count(&["find", "all.pgc", "--count"]), all.lines().count());
    assert_eq!(
        count(&[
            "find",
            "all.pgc",
            "--setup",
            "--variant",
            "horde",
            "--count"
        ]),
        4
    );
    assert_eq!(dir.ends(0, &["find", "all.pgc", "--format", "epd"]), all);
    assert_eq!(
        count(&["find", "games.pgc", "--fen-file", "all.epd", "--count"]),
        10
    );
    let linted = dir.run(&["lint", "--strict", "all.epd"]);
    assert_eq!(linted.code, 0, "{}", linted.stderr);
}

#[test]
fn fields_show_the_rules_where_no_opcode_does() {
    let hand = "4k3/8/8/8/8/8/8/4K3";
    for (line, variant) in [
        (format!("{hand}[Pn] w - -"), "Crazyhouse"),
        (format!("{hand}/Pn w - - 0 1"), "Crazyhouse"),
        (format!("{hand} w - - 2+3"), "Three-check"),
        (format!("{hand} w - - 2+3 5 9"), "Three-check"),
        (format!("{hand} w - - 5 9 +1+0"), "Three-check"),
        (
            format!("{hand} w - - Variant \"threecheck\";"),
            "threecheck",
        ),
        (
            format!("{hand} w - - 3+1 Variant \"Bughouse\";"),
            "Bughouse",
        ),
    ] {
        let dir = Dir::new();
        dir.put("x.epd", format!("{line}\n"));
        dir.pack("x.epd");
        let pgn = dir.ends(0, &["get", "x.pgc", "1"]);
        assert!(
            pgn.contains(&format!("[Variant \"{variant}\"]")),
            "{line}: {pgn}"
        );
        assert_eq!(dir.unpacked_text("x.pgc"), format!("{line}\n"));
        assert!(read_positions(line.as_bytes()).is_ok(), "{line}");
    }
    let start = |line: &str| EpdLine::parse(line).unwrap().start().unwrap().fen();
    assert_eq!(
        start(&format!("{hand} w - - 5 9 +1+0")),
        format!("{hand} w - - 2+3 5 9")
    );
    for wrong in [
        format!("{hand}[P] w - - Variant \"chess\";"),
        format!("{hand}[P w - -"),
        format!("{hand}[K] w - -"),
        "8/8/8/8/8/8/8/4K3 w - - Variant \"Crazyhouse\";".to_owned(),
    ] {
        assert!(EpdLine::parse(&wrong).is_err(), "{wrong}");
    }
    // What cannot be a field of the rules is kept in the place of an operation, and told.
    for (rest, fen, written) in [
        ("2+4", "0 1", "; 2+4;"),
        ("3+3 5 9 +0+0", "3+3 5 9", "3+3 fmvn 9; hmvc 5; +0+0;"),
    ] {
        let line = EpdLine::parse(&format!("{hand} w - - {rest}")).unwrap();
        assert_eq!(line.fen(), format!("{hand} w - - {fen}"));
        assert_eq!(line.to_string(), format!("{hand} w - - {written}"));
        let rules: Vec<Rule> = line.irregular.iter().map(|error| error.rule).collect();
        assert!(rules.contains(&Rule::EpdOpcode), "{rest}: {rules:?}");
    }
}

#[test]
fn a_search_shows_lines_by_their_operations() {
    let dir = Dir::new();
    let lines = format!("{KINGS} bm Kd2; id \"BK.03\";\n{KINGS} dm 5; id \"BK.04\";\n{KINGS}\n");
    dir.put("suite.epd", lines);
    dir.pack("suite.epd");
    let table = dir.ends(0, &["find", "suite.pgc"]);
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|row| row.split_whitespace().collect())
        .collect();
    assert_eq!(rows[0], ["game", "id", "epd", "fen"]);
    assert_eq!(
        rows[1][..6],
        ["1", "BK.03", "bm", "Kd2;", "id", "\"BK.03\";"]
    );
    assert_eq!(rows[3][..2], ["3", "4k3/8/8/8/8/8/4P3/4K3"]);
    let found = |tag: &str| {
        dir.run(&["find", "suite.pgc", "--format", "addresses", "--tag", tag])
            .stdout
    };
    assert_eq!(found("id=BK.03"), b"suite.pgc:1\n");
    assert_eq!(found("bm=Kd2"), b"suite.pgc:1\n");
    assert_eq!(found("dm=5"), b"suite.pgc:2\n");
    assert_eq!(found("id=BK"), b"suite.pgc:1\nsuite.pgc:2\n");
    assert_eq!(found("dm=6"), b"");
    // It is the value that no line has, and not the opcode.
    let none = dir.run(&["find", "suite.pgc", "--tag", "dm=6"]);
    assert!(!none.stderr.contains("dm"), "{}", none.stderr);
    assert_eq!(
        dir.ends(
            0,
            &[
                "find",
                "suite.pgc",
                "--format",
                "csv",
                "--columns",
                "id,epd"
            ]
        )
        .lines()
        .nth(1),
        Some("BK.03,\"bm Kd2; id \"\"BK.03\"\";\"")
    );
}

#[test]
fn any_line_is_read_or_refused_and_what_was_written_is_read_again() {
    let random = &mut Random::new(162);
    let seeds = [
        EVERY,
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 bm e4; id \"a\u{e9}\";",
        "4k3/8/8/8/8/8/4P3/4K3[Pp] w - - ;D1 5 ;; Variant \"Crazyhouse\"; # x",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 2+3 7 9 Variant \"Three-check\"",
    ];
    let signs: Vec<char> = "wbKQkq-/;\" 0189_azA\u{a0}\u{e9}\t.#+[]~3"
        .chars()
        .collect();
    let mut read = 0;
    for _ in 0..20_000 {
        let mut text: Vec<char> = random.pick(&seeds).chars().collect();
        for _ in 0..=random.below(3) {
            let at = random.below(text.len());
            match random.below(3) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, random.pick(&signs)),
                _ => text[at] = random.pick(&signs),
            }
        }
        let text: String = text.into_iter().collect();
        let Ok(line) = EpdLine::parse(&text) else {
            continue;
        };
        drop(line.check());
        read += 1;
        let written = line.to_string();
        let again =
            EpdLine::parse(&written).unwrap_or_else(|e| panic!("{text:?}: {written:?}: {e}"));
        assert_eq!(again.to_string(), written, "{text:?}");
        assert_eq!(again.fen(), line.fen(), "{text:?}");
        assert!(again.start().is_some());
    }
    assert!(read > 2000, "{read}");
}

#[test]
fn a_file_of_positions_is_a_test() {
    let test = read_positions(Cursor::new(format!(
        "\u{feff}{KINGS} id \"kings\";\r\n\n rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1 \n"
    )))
    .unwrap()
    .test;
    let position = |moves: &str| {
        let mut position = Position::initial();
        moves.split(' ').for_each(|san| {
            let m = position.resolve(san.as_bytes()).unwrap().m;
            position.play(m);
        });
        position
    };
    assert!(test.matches(&position("e4")));
    assert!(!test.matches(&position("d4")) && !test.matches(&position("e4 e5")));
    for (text, error) in [
        ("", "has no positions: write one a line, as EPD or FEN"),
        (
            "\n4k3/8 w - -\n",
            "line 2, column 1: not a board: \"4k3/8\"",
        ),
    ] {
        assert_eq!(
            read_positions(text.as_bytes()).unwrap_err().to_string(),
            error
        );
    }
    let long = "x".repeat((1 << 16) + 1);
    assert!(
        read_positions(long.as_bytes())
            .unwrap_err()
            .to_string()
            .starts_with("line 1: ")
    );
}

#[test]
fn a_game_becomes_lines() {
    let text = "[Event \"Cup\"]\n[White \"Muller, \\\"M\\\"\"]\n[Black \"?\"]\n[Date \"1999.??.??\"]\n[ECO \"C20\"]\n\
        [Variation \"King's pawn\"]\n\n1. e4 e5 (1... c5) 2. Qh5 Ke7 3. Qxe5# 1-0\n";
    let positions = GamePositions::read(text.as_bytes(), "x.pgc:1").unwrap();
    let lines = |plies: Plies| {
        let mut lines = Vec::new();
        let done = positions.each(&plies, |position| {
            lines.push(positions.epd(position).to_string());
            Ok::<(), ()>(())
        });
        assert_eq!(done, Ok(()));
        lines
    };
    let id = "id \"Muller, 'M' - ?, Cup, 1999.??.??\"";
    let end = format!(
        "rnbq1bnr/ppppkppp/8/4Q3/4P3/8/PPPP1PPP/RNB1KBNR b KQ - eco \"C20\"; fmvn 3; hmvc 0; {id}; v1 \"King's pawn\";"
    );
    assert_eq!(lines(Plies::End), [end.as_str()]);
    let all = lines(Plies::Of(0..=usize::MAX));
    assert_eq!((all.len(), &all[5]), (6, &end));
    assert!(
        all[4].contains(" w KQ - ") && all[4].ends_with("sm Qxe5#; v1 \"King's pawn\";"),
        "{}",
        all[4]
    );
    assert_eq!(
        all[1],
        format!(
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - eco \"C20\"; fmvn 1; hmvc 0; {id}; sm e5; v1 \"King's pawn\";"
        )
    );
    assert_eq!(lines(Plies::Of(7..=9)).len(), 0);
    for line in all {
        assert_eq!(EpdLine::parse(&line).unwrap().check(), [], "{line}");
    }
    // A game without names has an address; a variant says which one it is.
    let atomic = "[Variant \"Atomic\"]\n\n1. e4 *\n";
    let positions = GamePositions::read(atomic.as_bytes(), "x.pgc:2").unwrap();
    positions
        .each(&Plies::End, |position| {
            assert_eq!(
                positions.epd(position).to_string(),
                "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - Variant \"Atomic\"; fmvn 1; hmvc 0; id \"x.pgc:2\";"
            );
            Ok::<(), ()>(())
        })
        .unwrap();
    assert!(GamePositions::read(b"[FEN \"x\"]\n\n1. e4 *\n", "").is_none());
}

const ONE: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - fmvn 3; hmvc 2; id \"A - B, One\";\n";
const TWO: &str =
    "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - fmvn 2; hmvc 0; id \"? - C, Two\";\n";
const AFTER_C4: &str = "rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq -";

#[test]
fn get_and_find_write_epd() {
    let dir = Dir::packed();
    assert_eq!(
        dir.ends(0, &["get", "games.pgc", "1", "2", "--format", "epd"]),
        format!("{ONE}{TWO}")
    );
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    assert_eq!(
        dir.ends(
            0,
            &["get", "games.pgc", "3", "--format", "epd", "--ply", "all"]
        ),
        format!(
            "{start} fmvn 1; hmvc 0; id \"Three\"; sm c4;\n{AFTER_C4} fmvn 1; hmvc 0; id \"Three\";\n"
        )
    );
    assert_eq!(
        dir.ends(0, &["get", "games.pgc", "3", "--fen", "--ply", "..1"]),
        format!("{start} 0 1\n{AFTER_C4} 0 1\n")
    );
    assert_eq!(
        dir.ends(0, &["find", "games.pgc", "--format", "epd", "--limit", "2"]),
        format!("{ONE}{TWO}")
    );
    // The position that was asked for, or another one.
    let asked = [
        "find",
        "games.pgc",
        "--format",
        "epd",
        "--fen",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w",
    ];
    assert!(
        dir.ends(0, &asked)
            .ends_with("fmvn 2; hmvc 0; id \"A - B, One\"; sm Nf3;\n")
    );
    assert_eq!(dir.ends(0, &[&asked[..], &["--at", "end"]].concat()), ONE);
    let ran = dir.run(&["find", "games.pgc", "-o", "x.epd", "--at", "4.."]);
    assert_eq!((ran.code, dir.read("x.epd")), (0, ONE.into()));
    assert!(
        ran.stderr
            .contains("x.epd: 1 position\n2 games have no such position"),
        "{}",
        ran.stderr
    );
    for (code, wrong) in [
        (2, &["find", "games.pgc", "--at", "end"][..]),
        (
            2,
            &["find", "games.pgc", "--format", "epd", "--at", "match"],
        ),
        (2, &["find", "games.pgc", "--format", "epd", "--at", "5..4"]),
        (
            2,
            &["find", "games.pgc", "--format", "epd", "--columns", "white"],
        ),
        (1, &["find", "games.pgc", "--format", "epd", "--at", "99"]),
        (
            2,
            &["get", "games.pgc", "1", "--format", "epd", "--ply", "5"],
        ),
        (2, &["get", "games.pgc", "1", "--ply", "1..2"]),
        (
            2,
            &["get", "games.pgc", "1", "--format", "json", "--ply", "1"],
        ),
    ] {
        dir.ends(code, wrong);
    }
}

#[test]
fn find_takes_positions_from_a_file() {
    let dir = Dir::packed();
    // A line each as EPD and as FEN, and one that no game has.
    let file = format!(
        "{AFTER_C4} bm e5; id \"English\";\n\n{}8/8/4k3/8/8/4K3/4P3/8 w - - 0 1\n",
        ONE.replace(" fmvn", "  fmvn")
    );
    dir.put("suite.epd", &file);
    let addresses = "games.pgc:1\ngames.pgc:3\n";
    let find = |file| {
        [
            "find",
            "games.pgc",
            "--format",
            "addresses",
            "--fen-file",
            file,
        ]
    };
    assert_eq!(dir.ends(0, &find("suite.epd")), addresses);
    assert_eq!(dir.feed(&find("-"), &file).stdout, addresses.as_bytes());
    // Further values of --fen; the other questions hold as well.
    let with = |more: &[&str]| {
        let find = ["find", "games.pgc", "--count", "--fen-file", "suite.epd"];
        dir.run(&[&find[..], more].concat()).stdout
    };
    assert_eq!(
        with(&["--fen", "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR"]),
        b"3\n"
    );
    assert_eq!(with(&["-w", "A"]), b"1\n");
    assert_eq!(with(&["--ply", "0..1"]), b"1\n");
    for (text, error) in [
        (
            "# words\n4k3/8 w - -\n".to_owned(),
            "line 2, column 1: not a board",
        ),
        (String::new(), "has no positions"),
    ] {
        dir.put("wrong.epd", text);
        let ran = dir.run(&["find", "games.pgc", "--fen-file", "wrong.epd"]);
        assert!(
            ran.code == 2 && ran.stderr.contains("wrong.epd: "),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains(error), "{}", ran.stderr);
    }
    assert_eq!(
        dir.run(&["find", "games.pgc", "--fen-file", "none.epd"])
            .code,
        2
    );
    // Behind a line that is no position it goes on, and says so.
    dir.put("partly.epd", format!("4k3/8 w - -\n{file}"));
    let ran = dir.run(&find("partly.epd"));
    assert_eq!((ran.code, ran.stdout.as_slice()), (0, addresses.as_bytes()));
    let told = "1 line is no position and passed over, the first is line 1, column 1: not a board";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
}

/// Blanks of Unicode separate as spaces do, belong to no word, and split none.
#[test]
fn blanks_of_unicode_in_epd() {
    for b in [
        "\u{a0}", "\u{3000}", "\u{feff}", "\u{200b}", "\u{ad}", "\0", "\u{1a}",
    ] {
        let text = format!(
            "{b}4k3/8/8/8/8/8/4P3/4K3{b} w{b} -{b}-{b} bm {b}Kd2{b}{b} Kf2{b}; id \"x{b}\";{b}"
        );
        let line = EpdLine::parse(&text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(line.position, KINGS);
        assert_eq!(
            line.to_string(),
            format!("{KINGS} bm Kd2 Kf2; id \"x{b}\";")
        );
        let counted = format!("{KINGS}{b} 3{b}7{b}");
        assert_eq!(EpdLine::parse(&counted).unwrap().counters, Some((3, 7)));
        let positions = format!("{b}\n{b}{KINGS}{b}\n{b}");
        assert!(
            read_positions(positions.as_bytes()).is_ok(),
            "{positions:?}"
        );
    }
    let line = EpdLine::parse(&format!("{KINGS} bm K\u{ad}f2;")).unwrap();
    let word = Operand::Word("K\u{ad}f2".to_owned());
    assert_eq!(line.operations[0].operands, [word]);
    assert!(!line.check().is_empty());
}
