//! `pgc lint` of EPD: what breaks which clause of section 16.2, typed from the standard, and what
//! `--fix` writes.

use pgc::lint::{LintOptions, LintSummary, lint};
use pgc::{Finding, NoHooks, SourceText};
use proptest::prelude::*;

fn options(strict: bool, threads: usize) -> LintOptions {
    LintOptions {
        strict,
        threads,
        text: SourceText::Epd,
        ..LintOptions::default()
    }
}

type Found = (&'static str, u64, u64, String);

/// Clause, line, column and words of what a text breaks.
fn clauses(text: &[u8], strict: bool) -> (Vec<Found>, LintSummary) {
    let mut found = Vec::new();
    let mut told = |rule: pgc_pgn::clause::Rule, at: &Finding| {
        found.push((rule.clause(), at.line, at.column, at.what.clone()));
    };
    let summary = lint(
        &mut &*text,
        &options(strict, 1),
        None,
        &mut told,
        &mut NoHooks,
    )
    .unwrap();
    assert_eq!(summary.findings(), found.len() as u64);
    (found, summary)
}

fn fixed(text: &[u8], threads: usize) -> (Vec<u8>, LintSummary) {
    let mut out = Vec::new();
    let told = &mut |_, _: &Finding| {};
    let options = options(false, threads);
    let summary = lint(&mut &*text, &options, Some(&mut out), told, &mut NoHooks).unwrap();
    assert_eq!(summary.bytes_out, out.len() as u64);
    (out, summary)
}

/// Lines of the standard's own form; the first is the position after 1. e4.
#[test]
fn lines_of_the_standard_are_clean() {
    let text = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 bm c5 e5; id \"after 1. e4\";\n\
        4k3/8/8/8/8/8/4P3/4K3 w - -\n\
        4k3/8/8/8/8/8/8/4K2R w K - Own 1; ce -30; pv O-O Ke7 Re1+;\n";
    let (found, summary) = clauses(text.as_bytes(), true);
    assert_eq!((found, summary.games), (vec![], 3));
    assert_eq!(fixed(text.as_bytes(), 1).0, text.as_bytes());
    assert_eq!(clauses(b"", true).0, []);
}

/// Each breaks one rule at one place: clause, column, whether only `--strict` tells it.
#[test]
fn clauses_of_section_16_2() {
    let king = "4k3/8/8/8/8/8/4P3/4K3";
    for (line, clause, column, strict) in [
        ("1. e4 e5 *", "16.2.3.1", 1, false),
        ("4k3/8/8/8/8/8/4P3 w - -", "16.2.3.1", 1, false),
        ("@ x - -", "16.2.3.2", 23, false),
        ("@ w KX -", "16.2.3.3", 25, false),
        ("@ w - e5", "16.2.3.4", 27, false),
        ("@ w - e6", "16.2.3.4", 27, false),
        ("@ w K -", "16.2.3.3", 25, false),
        ("@ w - - 7 41", "16.2.3", 29, false),
        ("@ w - - 7 41 id \"x\";", "16.2.3", 29, false),
        ("@  w - -", "16.2.3", 22, false),
        (" @ w - -", "16.2.3", 1, false),
        ("@ w - - ", "16.2.3", 1, false),
        ("4k4/8/8/8/8/8/4P3/4K3 w - -", "16.2.3.1", 1, false),
        ("4k3/8/8/8/8/8/4P3/8 w - -", "16.2.3", 1, false),
        ("# a comment", "16.2", 1, false),
        ("@ w - - id \"\u{e9}\";", "16.2", 33, false),
        ("@ w - - id \"\u{e9}\"; id;x", "16.2.4.1", 40, false),
        ("@ w - - id \"x\"", "16.2.4.1", 35, false),
        ("@ w - - id  \"x\";", "16.2.4.1", 31, false),
        ("@ w - - id \"x;", "16.2.4.1", 32, false),
        ("@ w - - 3d 5;", "16.2.4.1", 29, false),
        ("@ w - - dm 1; dm 2;", "16.2.4.1", 35, false),
        ("@ w - - id \"x\"; dm 1;", "16.2.4.1", 37, true),
        ("@ w - - bm e4 Kd2;", "16.2.4.1", 29, true),
        ("@ w - - bm e2e4;", "16.2.4.1", 29, true),
        ("@ w - - q 1;", "16.2.4.2", 29, true),
        ("@ w - - qQ 1;", "16.2.4.2", 29, true),
        ("@ w - - acn -1;", "16.2.5.1", 29, false),
        ("@ w - - acs x;", "16.2.5.2", 29, false),
        ("@ w - - am e5;", "16.2.5.3", 29, false),
        ("@ w - - bm Ke8;", "16.2.5.4", 29, false),
        ("@ w - - c3 word;", "16.2.5.5", 29, false),
        ("@ w - - ce 32767;", "16.2.5.6", 29, false),
        ("@ w - - dm 0;", "16.2.5.7", 29, false),
        ("@ w - - draw_accept 1;", "16.2.5.8", 29, false),
        ("@ w - - draw_claim;", "16.2.5.9", 29, false),
        ("@ w - - draw_offer;", "16.2.5.10", 29, false),
        ("@ w - - draw_reject 1;", "16.2.5.11", 29, false),
        ("@ w - - eco C60;", "16.2.5.12", 29, false),
        ("@ w - - fmvn 0;", "16.2.5.13", 29, false),
        ("@ w - - hmvc -1;", "16.2.5.14", 29, false),
        ("@ w - - id x;", "16.2.5.15", 29, false),
        ("@ w - - nic x;", "16.2.5.16", 29, false),
        ("@ w - - pm e4 e3;", "16.2.5.18", 29, false),
        ("@ w - - pv e4 e5;", "16.2.5.19", 29, false),
        ("@ w - - rc 0;", "16.2.5.20", 29, false),
        ("@ w - - resign 1;", "16.2.5.21", 29, false),
        ("@ w - - sm e5;", "16.2.5.22", 29, false),
        ("@ w - - tcgs 0;", "16.2.5.23", 29, false),
        ("@ w - - tcri \"x\";", "16.2.5.24", 29, false),
        ("@ w - - tcsi \"x\";", "16.2.5.25", 29, false),
        ("@ w - - v0 x;", "16.2.5.26", 29, false),
    ] {
        let line = line.replace('@', king);
        let text = format!("{king} w - -\n{line}\n");
        let import = clauses(text.as_bytes(), false).0;
        let all = clauses(text.as_bytes(), true).0;
        let places = |found: &[Found]| -> Vec<_> {
            found
                .iter()
                .map(|found| (found.0, found.1, found.2))
                .collect()
        };
        assert!(
            places(&all).contains(&(clause, 2, column)),
            "{line}: {all:?}"
        );
        assert_eq!(import.is_empty(), strict, "{line}: {import:?}");
    }
    let long = format!("{king} w - - id \"x\"; noop {};", "y".repeat(1000));
    assert_eq!(
        clauses(format!("{long}\n").as_bytes(), true).0[0].0,
        "16.2.3"
    );
    // The order of castling letters, a byte order mark, an empty line, other line ends.
    let text = "\u{feff}r3k2r/8/8/8/8/8/8/R3K2R w kqKQ -\r\n\n";
    let found = clauses(text.as_bytes(), true).0;
    let places: Vec<_> = found.iter().map(|f| (f.0, f.1, f.2)).collect();
    assert_eq!(
        places,
        [
            ("4.1", 1, 1),
            ("16.2.3.3", 1, 27),
            ("3.2.2", 1, 33),
            ("16.2", 2, 1)
        ]
    );
}

#[test]
fn what_fix_writes() {
    let text = "\u{feff}  r3k2r/8/8/8/8/8/8/R3K2R  w kqKQ - 3 20 pv 0-0 ke7;id \"b\" ; bm e1c1 Rg1 Ke2\r\n\
        \n\
        # words\r\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - 7 41\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - id \"caf\u{e9}\"; bm Ke9 e2e4";
    let expected = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm Ke2 O-O-O Rg1; fmvn 20; hmvc 3; id \"b\"; pv O-O Ke7;\n\
        # words\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - fmvn 41; hmvc 7;\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - bm Ke9 e4; id \"caf\u{e9}\";\n";
    let (out, summary) = fixed(text.as_bytes(), 1);
    assert_eq!(String::from_utf8_lossy(&out), expected);
    // The comment, the move that is not legal, and the accent stay.
    assert!(summary.leaves_some());
    let left = clauses(&out, true).0;
    let left: Vec<_> = left.iter().map(|found| (found.0, found.1)).collect();
    assert_eq!(left, [("16.2", 2), ("16.2.5.4", 4), ("16.2", 4)]);
    let clean = fixed(b"4k3/8/8/8/8/8/4P3/4K3 w - - bm  e4;\n\n", 1);
    assert!(!clean.1.leaves_some());
    // Latin-1 becomes UTF-8.
    let latin1 = b"4k3/8/8/8/8/8/4P3/4K3 w - - id \"\xe9\";\n";
    assert_eq!(
        fixed(latin1, 1).0,
        "4k3/8/8/8/8/8/4P3/4K3 w - - id \"\u{e9}\";\n".as_bytes()
    );
}

/// A byte order mark in the middle of a file is reported and removed. So is one that comes to stand
/// first, because an empty line before it was removed.
#[test]
fn marks_of_files_that_were_joined_go() {
    let line = "4k3/8/8/8/8/8/4P3/4K3 w - -\n";
    for (text, expected, places) in [
        ("\r\u{feff}", String::new(), vec![("4.1", 2, 1)]),
        (
            "\u{feff}\u{feff}words",
            "words".to_owned(),
            vec![("4.1", 1, 1), ("16.2.3.1", 1, 2)],
        ),
        (
            &format!("{line}\u{feff}{line}"),
            line.repeat(2),
            vec![("4.1", 2, 1)],
        ),
    ] {
        let (out, _) = fixed(text.as_bytes(), 1);
        assert_eq!(String::from_utf8_lossy(&out), expected, "{text:?}");
        let found = clauses(text.as_bytes(), false).0;
        let found: Vec<_> = found.iter().map(|f| (f.0, f.1, f.2)).collect();
        assert_eq!(found, places, "{text:?}");
        check_any(text.as_bytes());
    }
}

/// Lines over several blocks, and lines that are too long for one.
#[test]
fn blocks_and_threads_do_not_matter() {
    let line = "4k3/8/8/8/8/8/4P3/4K3 w - - id \"x\"; bm e4;\r\n";
    let long = "z".repeat(700_000);
    let text = format!("{}{long}\n{line}{long}", line.repeat(20_000));
    let (one, summary) = fixed(text.as_bytes(), 1);
    assert_eq!(summary.games, 20_001);
    let mended = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"x\";\n";
    let expected = format!("{}{long}\n{mended}{long}", mended.repeat(20_000));
    assert!(one == expected.as_bytes());
    assert!(fixed(text.as_bytes(), 2).0 == one);
}

fn check_any(text: &[u8]) {
    let (_, strict) = clauses(text, true);
    let (_, import) = clauses(text, false);
    assert!(import.findings() <= strict.findings());
    let (once, summary) = fixed(text, 1);
    assert_eq!(summary.findings(), strict.findings());
    // Nothing to be said against it: it is as the standard says.
    if strict.findings() == 0 {
        assert_eq!(once, text);
    }
    let (twice, again) = fixed(&once, 1);
    assert_eq!(
        String::from_utf8_lossy(&twice),
        String::from_utf8_lossy(&once)
    );
    assert!(twice == once);
    for (rule, count) in again.broken() {
        let stays = rule.mend() == pgc_pgn::clause::Mend::Kept;
        assert!(
            stays,
            "{rule:?} {count} in {:?}",
            String::from_utf8_lossy(&once)
        );
    }
}

const TOKENS: &[&str] = &[
    "4k3/8/8/8/8/8/4P3/4K3 w - -",
    "r3k2r/8/8/8/8/8/8/R3K2R w kqKQ -",
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3",
    " 0 1",
    " bm e4 e5 Ke2",
    " am 0-0 e2e4;",
    " pv e4 Kd8;",
    ";",
    " ",
    "  ",
    "\t",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "\u{feff}",
    "#",
    " id \"x\";",
    " id \"",
    "\"",
    " hmvc 3;",
    " fmvn 0;",
    " q;",
    "\u{e9}",
    "\u{a0}",
    "\u{2028}",
    "word",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(text in prop::collection::vec(any::<u8>(), 0..200)) {
        check_any(&text);
    }

    #[test]
    fn any_tokens(tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..30)) {
        check_any(tokens.concat().as_bytes());
    }
}

mod program {
    use crate::cli::program::Dir;

    const LINES: &str =
        "4k3/8/8/8/8/8/4P3/4K3 w - - id \"x\"; bm e2e4;\n4k3/8/8/8/8/8/4P3/4K3 w - - dm 0;\n";

    /// A source that `--epd` made EPD stays that, whatever its name.
    #[test]
    fn names_options_and_archives() {
        let dir = Dir::new();
        dir.put("suite.epd", LINES);
        dir.put("suite.txt", LINES);
        let found = ":2:29: game 2: 16.2.5.7: dm: takes an integer, from 1: \"0\"\n";
        let told = |args: &[&str]| {
            let ran = dir.run(args).exits(1);
            String::from_utf8(ran.output.stdout).unwrap()
        };
        assert!(told(&["lint", "suite.epd"]).contains(&format!("suite.epd{found}")));
        assert!(told(&["lint", "--epd", "suite.txt"]).contains(&format!("suite.txt{found}")));
        let text = told(&["lint", "suite.epd"]);
        assert!(
            text.contains("suite.epd: 2 lines of EPD, 1 finding, "),
            "{text}"
        );
        dir.run(&["pack", "-q", "--epd", "suite.txt"]).exits(0);
        let text = told(&["lint", "suite.pgc"]);
        assert!(
            text.contains(&format!("suite.pgc: suite.txt{found}")),
            "{text}"
        );
        // So do --standard and --skip-known.
        dir.run(&[
            "pack",
            "-q",
            "--standard",
            "--drop",
            "all",
            "suite.pgc",
            "-o",
            "plain.pgc",
        ])
        .exits(0);
        let ran = dir.run(&["find", "plain.pgc", "--count"]).exits(0);
        assert_eq!(ran.output.stdout, b"2\n");
        dir.put("one.pgn", "1. e4 *\n");
        dir.pack("one.pgn");
        dir.run(&["add", "--skip-known", "one.pgc", "suite.pgc"])
            .exits(2)
            .says("suite.txt: is EPD");
        // And list and info say what it is.
        let ran = dir.run(&["info", "--sources", "suite.pgc"]).exits(0);
        let text = String::from_utf8(ran.output.stdout).unwrap();
        assert!(text.ends_with("  epd   suite.txt\n"), "{text}");
        let ran = dir
            .run(&["info", "--sources", "--json", "suite.pgc"])
            .exits(0);
        let text = String::from_utf8(ran.output.stdout).unwrap();
        assert!(text.contains("\"kind\":\"epd\""), "{text}");
        let ran = dir.run(&["info", "suite.pgc"]).exits(0);
        let text = String::from_utf8(ran.output.stdout).unwrap();
        assert!(text.contains("1 source in EPD"), "{text}");
    }

    #[test]
    fn fixing() {
        let dir = Dir::new();
        dir.put("suite.epd", LINES);
        dir.put("one.pgn", "1. e4 *\n");
        let ran = dir
            .run(&["lint", "--fix", "-o", "clean.epd", "suite.epd"])
            .exits(1);
        let text = String::from_utf8(ran.output.stdout).unwrap();
        assert!(
            text.contains("bm: not in SAN: \"e2e4\" (mended)\n"),
            "{text}"
        );
        assert!(text.contains("\"0\" (left as it is)\n"), "{text}");
        let lines = LINES.replace("id \"x\"; bm e2e4;", "bm e4; id \"x\";");
        assert_eq!(dir.read("clean.epd"), lines.as_bytes());
        dir.run(&["lint", "--fix", "-o", "both.pgn", "one.pgn", "suite.epd"])
            .exits(2)
            .says("PGN and EPD cannot go into one file");
    }
}
