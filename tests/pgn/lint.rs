//! `pgc lint`: what breaks which clause, typed from the standard; what `--fix` writes; and what must
//! hold of any bytes.

use pgc::lint::{LintOptions, LintSummary, lint};
use pgc::{Finding, NoHooks};
use pgc_pgn::clause::{Mend, Rule};
use pgc_pgn::writer::Encoding;
use proptest::prelude::*;

use crate::support::alloc::peak;
use crate::support::gen_pgn::document;
use crate::support::random::Random;
use crate::support::{check_round_trip, shared};

/// The game of section 2.3 of the standard.
const SAMPLE: &str = r#"[Event "F/S Return Match"]
[Site "Belgrade, Serbia JUG"]
[Date "1992.11.04"]
[Round "29"]
[White "Fischer, Robert J."]
[Black "Spassky, Boris V."]
[Result "1/2-1/2"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3
O-O 9. h3 Nb8 10. d4 Nbd7 11. c4 c6 12. cxb5 axb5 13. Nc3 Bb7 14. Bg5 b4 15.
Nb1 h6 16. Bh4 c5 17. dxe5 Nxe4 18. Bxe7 Qxe7 19. exd6 Qf6 20. Nbd2 Nxd6 21.
Nc4 Nxc4 22. Bxc4 Nb6 23. Ne5 Rae8 24. Bxf7+ Rxf7 25. Nxf7 Rxe1+ 26. Qxe1 Kxf7
27. Qe3 Qg5 28. Qxg5 hxg5 29. b3 Ke6 30. a3 Kd6 31. axb4 cxb4 32. Ra5 Nd5 33.
f3 Bc8 34. Kf2 Bf5 35. Ra7 g6 36. Ra6+ Kc5 37. Ke1 Nf4 38. g3 Nxh3 39. Kd2 Kb5
40. Rd6 Kc5 41. Ra6 Nf2 42. g4 Bd3 43. Re6 1/2-1/2

"#;

const ROSTER: &str = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n";

type Found = (Rule, u64, u64, u64, Vec<u8>);

fn run(text: &[u8], strict: bool) -> (Vec<Found>, LintSummary) {
    let options = LintOptions {
        strict,
        threads: 1,
        ..LintOptions::default()
    };
    let mut found = Vec::new();
    let mut told = |rule, at: &Finding| {
        found.push((rule, at.line, at.column, at.game, at.text.clone()));
    };
    let summary = lint(&mut &*text, &options, None, &mut told, &mut NoHooks).unwrap();
    assert_eq!(summary.bytes_in, text.len() as u64);
    assert!(found.is_sorted_by_key(|found| (found.1, found.2)));
    (found, summary)
}

/// What `pgc lint --fix` writes.
pub(crate) fn fixed(text: &[u8], encoding: Encoding) -> (Vec<u8>, LintSummary) {
    let options = LintOptions {
        threads: 1,
        encoding,
        ..LintOptions::default()
    };
    let mut out = Vec::new();
    let summary = lint(
        &mut &*text,
        &options,
        Some(&mut out),
        &mut |_, _| {},
        &mut NoHooks,
    )
    .unwrap();
    assert_eq!(summary.bytes_out, out.len() as u64);
    (out, summary)
}

/// The clauses that a text breaks, each with the place and the text.
pub(crate) fn clauses(text: &str, strict: bool) -> Vec<(&'static str, u64, u64, String)> {
    let (found, _) = run(text.as_bytes(), strict);
    let shown = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    let found = found.iter();
    found
        .map(|(rule, line, column, _, text)| (rule.clause(), *line, *column, shown(text)))
        .collect()
}

/// A game with this movetext.
fn game(movetext: &str) -> String {
    format!("{ROSTER}\n{movetext}\n\n")
}

/// What a movetext breaks, its first line being line 1, as clause, line, column and text.
fn of_moves(movetext: &str, strict: bool) -> Vec<(&'static str, u64, u64, String)> {
    let mut found = clauses(&game(movetext), strict);
    found.iter_mut().for_each(|found| found.1 -= 8);
    found
}

#[test]
fn the_sample_of_the_standard_is_clean() {
    assert_eq!(clauses(SAMPLE, false), []);
    assert_eq!(clauses(SAMPLE, true), []);
    let twice = SAMPLE.repeat(2);
    assert_eq!(clauses(&twice, true), []);
    assert_eq!(
        fixed(twice.as_bytes(), Encoding::Latin1).0,
        twice.as_bytes()
    );
    // 8: "An empty file is a valid, although somewhat uninformative, PGN database."
    assert_eq!(clauses("", true), []);
}

/// Each text breaks one rule of movetext in import format, at one place.
#[test]
fn movetext_of_import_format() {
    for (movetext, clause, column, text) in [
        ("1. e4 e5 2. Ke3 Nf6 *", "8.2.3", 13, "Ke3"),
        ("1. e4 Sf6 2. d4 *", "8.2.3", 7, "Sf6"),
        ("1. e4 -- 2. d4 *", "8.2.3", 7, "--"),
        ("1. Nf3 a6 2. d4 b6 3. Nd2 *", "8.2.3.4", 23, "Nd2"),
        ("1. e4+ e5 *", "8.2.3.5", 4, "e4+"),
        ("1. f3 e5 2. a3 Qh4# *", "8.2.3.5", 16, "Qh4#"),
        ("1. e4 e5 3. Nf3 *", "8.2.2.1", 10, "3"),
        ("1. e4 2... e5 *", "8.2.2.1", 7, "2"),
        ("1. e4 e5", "8.2.6", 8, "5"),
        ("1. e4 e5 1-0", "8.2.6", 10, "1-0"),
        ("1. e4 (1. d4 d5 1-0) e5 *", "8.2.6", 17, "1-0"),
        ("1. e4 e5 0-0", "8.2.6", 10, "0-0"),
        ("1. e4 $256 e5 *", "8.2.4", 7, "$256"),
        ("1. e4 e5 += *", "8.2.4", 10, "+="),
        ("1. e4!? ! e5 *", "8.2.3.8", 9, "!"),
        ("1. e4 (1. Ke2) e5 *", "8.2.3", 11, "Ke2"),
        ("1. e4 ({none}) e5 *", "8.2.5", 7, "({none})"),
        ("(1. d4) 1. e4 e5 *", "8.2.5", 1, "("),
        ("1. e4 (1. d4 e5 *", "8.2.5", 7, "("),
        ("1. e4 ) e5 *", "8.2.5", 7, ")"),
        ("1. e4 } e5 *", "5", 7, "}"),
        ("1. e4 %x e5 *", "6", 7, "%"),
        ("1. e4 < e5 *", "7", 7, "<"),
        ("1. e4 , e5 *", "7", 7, ","),
        ("1. e4 {\u{1}} e5 *", "4.1", 8, "\u{1}"),
        // The whole word, not its end.
        ("1. e4 {x caf\u{e9}} e5 *", "4.1", 10, "caf\u{e9}"),
    ] {
        let found = of_moves(movetext, false);
        let expected = (clause, 1, column, text.to_owned());
        assert!(found.contains(&expected), "{movetext}: {found:?}");
    }
    // An unclosed comment swallows the terminator.
    let found = of_moves("1. e4 {open e5 *", false);
    let rules: Vec<_> = found.iter().map(|found| found.0).collect();
    assert_eq!(rules, ["5", "8.2.6"]);
}

/// Import format allows these; export format does not.
#[test]
fn movetext_of_export_format() {
    for (movetext, clause, column) in [
        ("1. e4 e5 2. Ng1f3 *", "8.2.3.4", 13),
        ("1. e4 d5 2. ed5 *", "8.2.3.3", 13),
        ("1. e4 d5 2. ed *", "8.2.3", 13),
        ("1. e2-e4 *", "8.2.3", 4),
        ("1. Pe4 *", "8.2.3.2", 4),
        ("1. nf3 *", "8.2.3.2", 4),
        ("1. e4 e5 2. Nf3 a6 3. Bc4 a5 4. 0-0 *", "8.2.3.3", 33),
        ("1. f3 e5 2. g4 Qh4+ *", "8.2.3.5", 16),
        ("1. f3 e5 2. g4 Qh4 *", "8.2.3.5", 16),
        ("1. e4! e5 *", "8.2.3.8", 6),
        ("1. e4 $1 e5 *", "8.2.2.2", 10),
        ("1. e4 1... e5 *", "8.2.2.2", 7),
        ("e4 e5 *", "8.2.2.2", 1),
        ("1. e4 e5 2 Nf3 *", "8.2.2.2", 10),
        ("1.e4 e5 *", "8.2.1", 3),
        ("1. e4  e5 *", "8.2.1", 6),
        ("1. e4\ne5 *", "8.2.1", 6),
        ("1. e4 e5 *\n", "8.2.1", 11),
        ("1. e4 $140 *", "10", 7),
    ] {
        assert_eq!(of_moves(movetext, false), [], "{movetext}");
        let found = of_moves(movetext, true);
        let is_there = found.iter().any(|f| (f.0, f.1, f.2) == (clause, 1, column));
        assert!(is_there, "{movetext}: {found:?}");
    }
}

/// A `%` line and a comment behind a semicolon end with their lines, whatever is in them.
#[test]
fn line_ends_of_escapes_and_line_comments() {
    let rules = |text: &str| -> Vec<Rule> {
        let found = run(text.as_bytes(), true).0;
        found.iter().map(|found| found.0).collect()
    };
    let escape = format!("{ROSTER}\n%x\n1. e4 {{x}} *\n\n");
    assert_eq!(rules(&escape), [Rule::Escape]);
    let utf8 = escape.replace("%x", "%\u{e9}");
    assert_eq!(rules(&utf8), [Rule::Escape, Rule::Utf8]);
    let filled = format!("{}x", "a ".repeat(35));
    let line = game(&format!(
        "1. e4 {{{filled}}}\n; \u{e9} }} and more words\ne5 *"
    ));
    assert!(!rules(&line).contains(&Rule::Filling), "{:?}", rules(&line));
    for text in [
        b"s I: Queen and rook mate\"]\n[\xd8ite\"ht \"https://licheNs.o1-0rg/stud {c} y/BJy"
            as &[u8],
        b"[Event \"x\"]\n\n%\xfe\n1. e4 {x} *\n",
    ] {
        let (once, _) = fixed(text, Encoding::Utf8);
        let once = String::from_utf8(once).unwrap();
        let found = rules(&once);
        let is_false = |rule: &Rule| matches!(rule, Rule::Filling | Rule::Spacing);
        assert!(!found.iter().any(is_false), "{found:?} in {once}");
    }
}

#[test]
fn tag_sections() {
    // 8.1.1: the tags that are missing, each with its clause.
    let rules = |text: &str, strict| -> Vec<_> {
        let found = clauses(text, strict).into_iter();
        found.map(|found| found.0).collect()
    };
    assert_eq!(
        rules("[Event \"x\"]\n[Date \"1992.01.01\"]\n\n1. e4 *\n\n", false),
        ["8.1.1.2", "8.1.1.4", "8.1.1.5", "8.1.1.6", "8.1.1.7"]
    );
    let with = |tags: &str| format!("{ROSTER}{tags}\n1. e4 *\n\n");
    for (tags, strict, expected) in [
        ("[ECO \"B00\"]\n[Mode \"OTB\"]\n", true, &[][..]),
        ("[Mode \"OTB\"]\n[ECO \"B00\"]\n", true, &["8.1.1"]),
        ("[Mode \"OTB\"]\n[ECO \"B00\"]\n", false, &[]),
        ("[Mode\"OTB\"]\n", true, &["8.1"]),
        ("[ Mode \"OTB\" ]\n", false, &[]),
        ("[Mode OTB]\n", false, &["8.1"]),
        ("[Mode \"OTB\"]\n[Mode \"TC\"]\n", false, &["8.1"]),
        ("[White-Title \"GM\"]\n", false, &["8.1"]),
        ("[mode \"OTB\"]\n", true, &["8.1"]),
        ("[Mode \"a \"b\" c\"]\n", false, &["7"]),
        ("[Mode \"a\\b\"]\n", false, &["7"]),
        ("[Mode \"a\\\\b \\\"c\\\"\"]\n", false, &[]),
        ("[Mode \"a\tb\"]\n", false, &["4.2"]),
        (
            "[FEN \"8/8/4k3/8/8/8/4P3/4K3 w - - 0 1\"]\n",
            false,
            &["9.7.1"],
        ),
        (
            "[SetUp \"1\"]\n[FEN \"r3k2r/8/8/8/8/8/4P3/R3K2R w kqKQ - 0 0\"]\n",
            false,
            &["16.1.3.3", "16.1.3.6"],
        ),
        // The bishop's square is no rook's; nothing stepped to e6; X is no right.
        (
            "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/R3KB2 w KQ e6 0 1\"]\n",
            false,
            &["16.1.3.3", "16.1.3.4"],
        ),
        (
            "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - e3 0 1\"]\n",
            false,
            &["16.1.3.4"],
        ),
        (
            "[SetUp \"1\"]\n[FEN \"r3k2r/8/8/8/8/8/8/R3KB1R w KQXkq e6 0 1\"]\n",
            false,
            &["9.7.2", "16.1.3.3", "16.1.3.4"],
        ),
        // Rights of Chess960, without the tag that says so, and with it.
        (
            "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/1R2K3 w Q - 0 1\"]\n",
            false,
            &["16.1.3.3"],
        ),
        (
            "[SetUp \"1\"]\n[Variant \"Chess960\"]\n[FEN \"4k3/8/8/8/8/8/4P3/1R2K3 w Q - 0 1\"]\n",
            false,
            &[],
        ),
        (
            "[SetUp \"1\"]\n[Variant \"Chess960\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w Q - 0 1\"]\n",
            false,
            &["16.1.3.3"],
        ),
        ("[FEN \"\"]\n", false, &["16.1.3"]),
        (
            "[fen \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n",
            false,
            &["9.7.2"],
        ),
        ("[SetUp \"1\"]\n", false, &["9.7.1"]),
        ("[SetUp \"0\"]\n", false, &[]),
        ("[PlyCount \"2\"]\n", false, &["9.9.3"]),
        ("[PlyCount \"1\"]\n", false, &[]),
        ("[Variant \"Losers\"]\n", false, &["8.2"]),
    ] {
        assert_eq!(rules(&with(tags), strict), expected, "{tags}");
    }
    let long = with(&format!("[Mode \"{}\"]\n", "x".repeat(256)));
    assert_eq!(rules(&long, false), ["4.3", "7"]);
    let fen = "[SetUp \"1\"]\n[FEN \"8/8/8/8/8/8/8/8 w - -\"]\n";
    assert_eq!(rules(&with(fen), false), ["9.7.2", "16.1.3"]);
}

/// `--fix` writes a control character of Latin-1 as `?`, and mends the FEN around it: so `lint` tells
/// of that FEN what it would tell of one without such a character.
#[test]
fn fen_with_a_control_character() {
    let tag = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - hmvc 3; fmvn 20; id a@b;\"]\n";
    let text = format!("{ROSTER}{tag}\n1. Ke2 *\n\n").into_bytes();
    let text: Vec<u8> = text
        .iter()
        .map(|&byte| if byte == b'@' { 0x85 } else { byte })
        .collect();
    let found = run(&text, false).0;
    let rules: Vec<Rule> = found.into_iter().map(|found| found.0).collect();
    for (rule, is_told) in [
        (Rule::HighControl, true),
        (Rule::FenOperations, true),
        (Rule::FenFields, false),
        (Rule::FenFiles, false),
        (Rule::FenNumber, false),
    ] {
        assert_eq!(rules.contains(&rule), is_told, "{rule:?}");
    }
    let (fixed, _) = fixed(&text, Encoding::Latin1);
    let mended = b"[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 3 20\"]";
    assert!(fixed.windows(mended.len()).any(|tag| tag == mended));
}

#[test]
fn lines_and_text_outside_games() {
    let clause = |text: &str, strict| -> Vec<_> {
        let found = clauses(text, strict).into_iter();
        found.map(|found| (found.0, found.1)).collect()
    };
    // 4.3: 255 characters with the newline character, whichever encoding.
    for (letter, count, is_long) in [("x", 248, false), ("x", 249, true), ("\u{e9}", 248, false)] {
        let text = game(&format!("1. e4 *\n%{}", &letter.repeat(count + 5)));
        let has = clause(&text, false).contains(&("4.3", 10));
        assert_eq!(has, is_long, "{count}");
    }
    assert_eq!(
        clause(&format!("{SAMPLE}words\n\n{SAMPLE}"), false),
        [("8", 17)]
    );
    assert_eq!(clause(&SAMPLE.replace('\n', "\r\n"), true), [("3.2.2", 1)]);
    let wide = SAMPLE.replace("\nO-O 9.", " O-O 9.");
    assert!(clause(&wide, true).contains(&("8.2.1", 9)));
    assert!(clause(&format!("\u{feff}{SAMPLE}"), false).contains(&("4.1", 1)));
}

/// Columns count characters: a letter of UTF-8 is one column, as a letter of Latin-1 is, and a byte
/// order mark is none.
#[test]
fn columns_are_characters() {
    let text = format!("{ROSTER}\n1. e4 {{\u{e9}\u{20ac}}} Ke3 *\n\n");
    let utf8 = run(text.as_bytes(), false).0;
    let latin1 = text.replace("\u{e9}\u{20ac}", "@#").into_bytes();
    let latin1: Vec<u8> = latin1
        .iter()
        .map(|&byte| if byte == b'@' { 0xe9 } else { byte })
        .collect();
    let latin1 = run(&latin1, false).0;
    for found in [utf8, latin1] {
        let illegal = found.iter().find(|found| found.0 == Rule::Illegal).unwrap();
        assert_eq!((illegal.1, illegal.2), (9, 12));
    }
    let found = run(b"\xef\xbb\xbf1. e4 Ke3 *", false).0;
    let illegal = found.iter().find(|found| found.0 == Rule::Illegal).unwrap();
    assert_eq!((illegal.1, illegal.2), (1, 7));
}

/// A word that no line can hold is no layout that `--fix` could mend.
#[test]
fn lines_that_stay_too_long_are_told() {
    let text = game(&format!("1. e4 {{{}}} *", "x".repeat(300)));
    let (_, summary) = fixed(text.as_bytes(), Encoding::Latin1);
    assert!(summary.too_long == 1 && summary.leaves_some());
    let text = game(&format!("1. e4 {{{}}} *", "x ".repeat(300)));
    assert_eq!(fixed(text.as_bytes(), Encoding::Latin1).1.too_long, 0);
}

#[test]
fn what_fix_writes() {
    let fix = |text: &str| {
        let (out, summary) = fixed(text.as_bytes(), Encoding::Latin1);
        (String::from_utf8(out).unwrap(), summary.left_out)
    };
    let text = "Round 3\n\n[White \"A\"]\n[Result \"1-0\"]\n1.e2e4 e5 2.Ke3? {why} 1-0 {good game}\n\nthe end";
    let expected = r#"[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "A"]
[Black "?"]
[Result "1-0"]

{Round 3} 1. e4 e5 {Ke3? (why)} {good game} {the end} 1-0

"#;
    assert_eq!(fix(text), (expected.to_owned(), (0, 0)));
    let behind = fix(&format!("{}{{good game}}", game("1. e4 *").trim_end())).0;
    assert_eq!(behind, game("1. e4 {good game} *"));
    // Without a game there is no comment.
    assert_eq!(fix("nothing but words"), (String::new(), (1, 17)));
    let long = format!("{SAMPLE}{}", "word ".repeat(20_000));
    assert_eq!(fix(&long), (SAMPLE.to_owned(), (1, 100_000)));
    // `%` lines behind the last game stay lines.
    let escapes = format!("{SAMPLE}%one\n%two\n");
    assert_eq!(fix(&escapes), (escapes, (0, 0)));
    // A control character is written as `?`, which makes words that can be mended.
    let text = b"[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - hm\x8a 0; fmvn 2;\"]\n\n*\n";
    let (once, _) = fixed(text, Encoding::Latin1);
    assert!(String::from_utf8_lossy(&once).contains("4K3 w - - 0 2\"]"));
    assert_eq!(fixed(&once, Encoding::Latin1).0, once);
}

/// What stays out of form when all else is mended is told: values of tag pairs that were no tag
/// pairs of the standard, and a PlyCount that counts illegal moves.
#[test]
fn fix_tells_what_mending_brings_to_light() {
    for (text, rule) in [
        (
            "[PlyCount \"5\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Qh9 Nc6 3. a3 1-0\n",
            Rule::PlyCountWrong,
        ),
        ("[Round 5a]\n\n1. e4 *\n", Rule::RoundForm),
        ("[White \"A\n\n1. e4 *\n", Rule::WhiteInitial),
        ("[ECO \"xx\n\n1. e4 *\n", Rule::EcoForm),
        ("[WhiteElo high]\n\n1. e4 *\n", Rule::EloForm),
        ("[UTCDate \"1992\n\n1. e4 *\n", Rule::UtcDateForm),
        ("[FEN 8/8]\n\n*\n", Rule::FenFields),
    ] {
        let (once, summary) = fixed(text.as_bytes(), Encoding::Latin1);
        let has = |found: &LintSummary| found.broken().any(|(broken, _)| broken == rule);
        assert!(has(&summary) && summary.leaves_some(), "{text}");
        assert!(has(&run(&once, true).1), "{text}");
    }
}

/// 8.2.6: where only tag or marker has a result, the other takes it, and no comment is written.
#[test]
fn a_result_in_one_place_is_mended() {
    for (tag, marker, rule, fixed_to) in [
        ("1-0", "*", Rule::OpenResult, "1. e4 1-0"),
        ("*", "0-1", Rule::OpenResult, "1. e4 0-1"),
        (
            "1-0",
            "0-1",
            Rule::OtherResult,
            "1. e4 {the movetext ends in 0-1} 1-0",
        ),
    ] {
        let text = game(&format!("1. e4 {marker}")).replace("\"*\"", &format!("\"{tag}\""));
        let (found, _) = run(text.as_bytes(), true);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, rule);
        let (once, summary) = fixed(text.as_bytes(), Encoding::Latin1);
        let once = String::from_utf8(once).unwrap();
        assert!(once.contains(fixed_to), "{once}");
        assert_eq!(rule.mend() == Mend::Comment, once.contains('{'));
        assert!(!summary.leaves_some());
    }
}

/// What cannot be written becomes a question mark, and so an unknown result at once.
#[test]
fn a_result_that_cannot_be_written_is_unknown() {
    for value in ["\u{10}", "\u{2192}"] {
        let text = game("1. e4 *").replace("\"*\"", &format!("\"{value}\""));
        check_any(text.as_bytes());
        let (once, _) = fixed(text.as_bytes(), Encoding::Latin1);
        assert_eq!(String::from_utf8(once).unwrap(), game("1. e4 *"));
    }
}

/// 5: comments may stand anywhere outside of tokens, so between games too; 6: a percent sign in the
/// first column makes a line an escape, whatever stands before it.
#[test]
fn comments_and_escapes_outside_games() {
    let one = game("1. e4 *");
    let places = |text: &str, strict| -> Vec<_> {
        let found = clauses(text, strict).into_iter();
        found.map(|found| (found.0, found.1, found.3)).collect()
    };
    let fix = |text: &str| String::from_utf8(fixed(text.as_bytes(), Encoding::Latin1).0).unwrap();
    let with = |between: &str| format!("{one}{between}{one}");
    // Each with what import format and export format say, and the movetexts of both games.
    let line = 11;
    let cases = [
        (
            "words\nand more\n%kept\n\n",
            &[("8", line, "words")][..],
            &[("8", line, "words"), ("6", line + 2, "%kept")][..],
            ("1. e4 *", "{words and more}\n%kept\n1. e4 *"),
        ),
        (
            ";under the game\n{and} {more\n%here}\n\n",
            &[],
            &[
                ("8", line, ";under the game"),
                ("8", line + 1, "{and}"),
                ("8", line + 1, "{more"),
            ],
            ("1. e4 *", "{under the game} {and} {more %here} 1. e4 *"),
        ),
        (
            "Round 3; {not a comment}\n\n",
            &[("8", line, "Round 3; {not a comment}")],
            &[("8", line, "Round 3; {not a comment}")],
            ("1. e4 *", "{Round 3; (not a comment)} 1. e4 *"),
        ),
    ];
    for (between, import, strict, (first, second)) in cases {
        let text = with(between);
        let owned = |expected: &[(&'static str, u64, &str)]| -> Vec<_> {
            let expected = expected.iter();
            expected
                .map(|&(clause, line, text)| (clause, line, text.to_owned()))
                .collect()
        };
        assert_eq!(places(&text, false), owned(import), "{between}");
        assert_eq!(places(&text, true), owned(strict), "{between}");
        assert_eq!(fix(&text), game(first) + &game(second), "{between}");
    }
    // On the line of the terminator, they belong to the game before.
    let text = format!("{} ;good\n%kept\n\n{one}", one.trim_end());
    assert_eq!(fix(&text), game("1. e4 {good}\n%kept\n*") + &one);
    // 8.1: a comment between tag pairs; for pgc they are those of two games.
    let text = one.replacen("[Site", "; why\n[Site", 1);
    assert!(clauses(&text, false).contains(&("5", 2, 1, "; why".to_owned())));
    let text = one.replacen("[Site", "{why} [Site", 1);
    assert!(clauses(&text, false).contains(&("5", 2, 1, "{why}".to_owned())));
    let rules = |text: &str| clauses(text, false).iter().any(|found| found.0 == "5");
    assert!(!rules(&one.replacen("1. e4", "{why} 1. e4", 1)));
    assert!(!rules(&with("{why}\n\n")));
}

/// 4.1: the codes 128 to 159 are not used, as bytes of Latin-1 or as characters of UTF-8. With
/// `--utf8` nothing else of what Latin-1 does not have is replaced, or told.
#[test]
fn high_controls_in_both_encodings() {
    let start = game("1. e4 {a@b} {c} *");
    let with = |inside: &[u8]| -> Vec<u8> {
        let at = start.find('@').unwrap();
        [&start.as_bytes()[..at], inside, &start.as_bytes()[at + 1..]].concat()
    };
    let both = "\u{93}\u{20ac}\u{e9}";
    for (inside, told, latin1, utf8) in [
        (&b"\x93"[..], 1, &b"?"[..], "?"),
        (b"\x93\xe9", 1, b"?\xe9", "?\u{e9}"),
        (b"\x80\x9f\xa0", 1, b"??\xa0", "??\u{a0}"),
        (both.as_bytes(), 1, b"??\xe9", "?\u{20ac}\u{e9}"),
        ("\u{20ac}".as_bytes(), 0, b"?", "\u{20ac}"),
    ] {
        let text = with(inside);
        assert_eq!(fixed(&text, Encoding::Latin1).0, with(latin1));
        let (out, summary) = fixed(&text, Encoding::Utf8);
        assert_eq!(out, with(utf8.as_bytes()));
        let broken: Vec<_> = summary.broken().collect();
        let expected = [(Rule::HighControl, 1)];
        assert_eq!(broken, expected[..told], "{inside:?}");
        assert_eq!(fixed(&out, Encoding::Utf8).0, out);
        let rules: Vec<_> = run(&text, false).0.iter().map(|found| found.0).collect();
        assert_eq!(rules.contains(&Rule::HighControl), told == 1);
        let is_outside = std::str::from_utf8(inside).is_ok();
        assert_eq!(rules.contains(&Rule::OutsideLatin1), is_outside);
    }
}

/// Export format holds a game back until its last tag pair, in bounded memory. What that does not
/// take is kept as text.
#[test]
fn fix_keeps_a_game_of_too_many_tags() {
    let tags: String = (0..130_000).map(|n| format!("[T{n} \"{n}\"]\n")).collect();
    let text = format!("{tags}\n1. e4 e5 *\n");
    let (out, _) = fixed(text.as_bytes(), Encoding::Latin1);
    let out = String::from_utf8(out).unwrap();
    let words = |text: &str| {
        text.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let kept = words(&out).join(" ");
    assert!(
        kept.contains("[T0 \"0\"] [T1 \"1\"]") && kept.contains("[T129999 \"129999\"] 1. e4 e5 *")
    );
}

#[test]
fn fix_in_utf8() {
    let text = SAMPLE.replace("Belgrade, Serbia JUG", "\u{141}\u{f3}d\u{17a}");
    assert_eq!(fixed(text.as_bytes(), Encoding::Utf8).0, text.as_bytes());
    let latin1 = fixed(text.as_bytes(), Encoding::Latin1).0;
    assert!(latin1.windows(11).any(|w| w == b"[Site \"?\xf3d?"));
}

/// Blanks and unseen characters are found once each, and `--fix` loses nothing with them.
#[test]
fn blanks_outside_ascii() {
    let text = game("1. e4\u{2009} e5 2. \u{200b}Nf3 {a\u{2009}b} {\u{11b}\u{2009}} *");
    let (found, summary) = run(text.as_bytes(), false);
    let found = found.iter().filter(|found| found.0.clause() == "4.1");
    let found: Vec<Rule> = found.map(|found| found.0).collect();
    let blank = Rule::OddBlank;
    let expected = [
        blank,
        blank,
        Rule::Utf8,
        blank,
        Rule::Utf8,
        Rule::OutsideLatin1,
    ];
    assert_eq!(found, expected);
    assert!(!summary.leaves_some());
    let (once, _) = fixed(
        format!("{text}\u{200b}\n\n{text}").as_bytes(),
        Encoding::Latin1,
    );
    let moves = game("1. e4 e5 2. Nf3 {a b} {?} *");
    assert_eq!(String::from_utf8_lossy(&once), format!("{moves}{moves}"));
    assert!(clauses(&moves, true).iter().all(|found| found.0 != "4.1"));
}

/// What is not ASCII outside of strings and comments is found once, with what `--fix` does to it.
#[test]
fn characters_outside_ascii_are_found_once() {
    let text = game(
        "1. e4 \u{2a72} e5 2. \u{2658}f3 Nc6 \u{2665} 3. Bb5 a6 4. Ba4 \u{2022} \u{2b24} Nf6 5. O\u{2013}O \
         Be7\u{2009} 6. d3 d6 *",
    );
    let (found, _) = run(text.as_bytes(), false);
    let found: Vec<Rule> = found.iter().map(|found| found.0).collect();
    let (junk, in_move) = (Rule::OutsideAscii, Rule::OddMove);
    let expected = [
        Rule::SignOfNag,
        in_move,
        junk,
        junk,
        junk,
        in_move,
        Rule::OddBlank,
    ];
    assert_eq!(found, expected);
    let moves =
        "1. e4 $14 1... e5 2. Nf3 Nc6 {?} 3. Bb5 a6 4. Ba4 {?} {?} 4... Nf6 5. O-O Be7\n6. d3 d6 *";
    let (out, _) = fixed(text.as_bytes(), Encoding::Latin1);
    assert_eq!(String::from_utf8_lossy(&out), game(moves));
}

/// Each of several Result tags becomes one of the four results; what they said stays.
#[test]
fn result_tags_that_come_again() {
    let text = b"[Event \"x\"]\n[Result \"Interrupted\"]\n[Result \"1/2\"]\n\
                 [Result \"1-0 ff\"]\n\n1. e4 *\n";
    let fixed = fixed(text, Encoding::Latin1).0;
    let fixed = String::from_utf8(fixed).unwrap();
    let end = "[Result \"*\"]\n[Result \"1/2-1/2\"]\n[Result \"1-0\"]\n\n\
               1. e4 {the Result tag is Interrupted, 1-0 ff} 1-0\n\n";
    assert!(fixed.ends_with(end), "{fixed}");
    check_any(text);
}

/// What must hold of any bytes.
fn check_any(text: &[u8]) {
    let (found, strict) = run(text, true);
    let (_, import) = run(text, false);
    assert!(import.findings() <= strict.findings());
    assert_eq!(found.len() as u64, strict.findings());
    let (once, summary) = fixed(text, Encoding::Latin1);
    // Mending brings to light that PlyCount counts moves that are no moves.
    let counts = |summary: &LintSummary| -> Vec<(Rule, u64)> {
        let broken = summary.broken();
        broken
            .filter(|count| count.0 != Rule::PlyCountWrong)
            .collect()
    };
    assert_eq!(counts(&summary), counts(&strict));
    assert!(summary.findings() >= strict.findings());
    // Nothing to be said against it: it is export format already.
    if found.is_empty() && summary.games > 0 {
        assert_eq!(once, text);
    }
    let (twice, again) = fixed(&once, Encoding::Latin1);
    let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(show(&twice), show(&once), "of {:?}", show(text));
    assert_eq!(twice, once);
    assert_eq!(again.left_out, (0, 0));
    // What remains is what only a person can mend, and what is too long for any line.
    for (rule, line, _, _, what) in run(&once, true).0 {
        let is_long = || {
            let line = usize::try_from(line).unwrap() - 1;
            let line = once.split(|&byte| byte == b'\n').nth(line).unwrap();
            line.starts_with(b"%")
                || line.starts_with(b"[")
                || line
                    .split(|&byte| byte == b' ')
                    .any(|word| word.len() >= 70)
        };
        let is_left = match rule.mend() {
            Mend::Kept => true,
            Mend::Layout => is_long(),
            _ => false,
        };
        assert!(
            is_left,
            "{rule:?} line {line}: {} in {}",
            show(&what),
            show(&once)
        );
    }
    let (games, more) = (summary.games, again.games);
    assert_eq!(games, more);
    check_round_trip(&once).unwrap();
}

#[test]
fn generated_documents() {
    let effort = std::env::var("PGC_TEST_EFFORT").map_or(1, |n| n.parse().unwrap());
    for seed in 0..25 * effort {
        let mut random = Random::new(seed);
        let mut text = document(&mut random, 4);
        check_any(&text);
        // With some bytes changed.
        for _ in 0..random.below(6) {
            let at = random.below(text.len().max(1));
            if let Some(byte) = text.get_mut(at) {
                *byte = random.pick(b"\"[]{}();%$*!?. \n\r\t\xe9\xc3\xb6\x9f<>+-=0123456789KQeNx/");
            }
        }
        check_any(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(text in prop::collection::vec(any::<u8>(), 0..400)) {
        check_any(&text);
    }

    #[test]
    fn any_tokens(tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..60)) {
        check_any(&tokens.concat());
    }
}

const TOKENS: &[&[u8]] = &[
    b"[Event \"x\"]\n",
    b"[White \"\xc3\xb6\"]\n",
    b"[Black \"\xf6\"]",
    b"[Result \"1-0\"]\n",
    b"[FEN \"x\"]\n",
    b"[Date \"1992\"]\n",
    b"[A-b \"c\"]",
    b"1. ",
    b"e4 ",
    b"e5 ",
    b"Nf3",
    b" ",
    b"\n",
    b"\n\n",
    b"\r\n",
    b"2.",
    b"...",
    b"{",
    b"}",
    b"{a} ",
    b"(",
    b") ",
    b"; x\n",
    b"%z\n",
    b"$1 ",
    b"$300 ",
    b"!",
    b"?! ",
    b"1-0",
    b"0-1 ",
    b"*\n",
    b"1/2-1/2",
    b"Ke9 ",
    b"words ",
    b"+-",
    b"= ",
    b"<",
    b"\xc3\x83\xc2\xb6",
    b"\xd7\xbb",
    b"\x86",
    b"\xef\xbb\xbf",
    b"\t",
    b"\0",
    b"N ",
    b"e2e4 ",
    b"0-0 ",
    b"Qh5+ ",
    b"{ %x} ",
    b"1... ",
    b"[x",
    b"\\",
    b"\"",
];

#[test]
fn memory_is_bounded_and_threads_do_not_matter() {
    let text = [SAMPLE.as_bytes(), b"1.e4? {x} e5+ 3.Qg9 \x01\n\nwords\n\n"]
        .concat()
        .repeat(8000);
    let ((_, one), most) = peak(|| run_counted(&text, 1));
    assert!(most < 64 << 20, "{most}");
    let (_, two) = run_counted(&text, 2);
    assert_eq!(one, two);
    // One line, one comment, one word.
    for byte in [
        b'x', b'{', b'(', b'[', b'\x01', b'%', b'1', b'\n', b'"', b'\xc3',
    ] {
        let text = vec![byte; 3 << 20];
        let (_, most) = peak(|| run_counted(&text, 1));
        assert!(most < 200 << 20, "{byte}: {most}");
    }
}

/// Broken rules with their numbers, and how many findings were told.
fn run_counted(text: &[u8], threads: usize) -> (u64, Vec<(Rule, u64)>) {
    let options = LintOptions {
        strict: true,
        threads,
        most: Some(5),
        ..LintOptions::default()
    };
    let mut told = 0;
    let mut count = |_, _: &Finding| told += 1;
    let found = lint(&mut &*text, &options, None, &mut count, &mut NoHooks).unwrap();
    (told, found.broken().collect())
}

/// Every file of the corpora, twice, and fixed; those up to a length.
#[test]
fn corpora() {
    let Some(folder) = shared("PGC_CORPUS", "corpora") else {
        return;
    };
    let effort = std::env::var("PGC_TEST_EFFORT").map_or(1, |n| n.parse::<u64>().unwrap());
    let mut files = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "pgn")
                && path.metadata().unwrap().len() < 150_000 * effort
            {
                files.push(path);
            }
        }
    }
    files.sort();
    for path in files {
        let text = std::fs::read(&path).unwrap();
        let (once, _) = fixed(&text, Encoding::Latin1);
        let (twice, _) = fixed(&once, Encoding::Latin1);
        assert!(once == twice, "{}", path.display());
        for (rule, count) in run_counted(&once, 1).1 {
            let stays = matches!(rule.mend(), Mend::Kept | Mend::Layout);
            assert!(stays, "{}: {rule:?} {count}", path.display());
        }
    }
}

mod program {
    use super::SAMPLE;
    use crate::cli::io::zstd;
    use crate::cli::program::Dir;

    const WRONG: &str = "[Date \"1992\"]\n\n1. e4 e5 2. Ke3 *\n";

    fn stdout(ran: &crate::cli::program::Ran) -> String {
        String::from_utf8(ran.output.stdout.clone()).unwrap()
    }

    #[test]
    fn inputs_listings_and_exit_codes() {
        let dir = Dir::new();
        dir.put("good.pgn", SAMPLE);
        dir.put("wrong.pgn", WRONG);
        dir.put("packed.pgn.zst", zstd(WRONG.as_bytes()));
        let ran = dir.run(&["lint", "--strict", "good.pgn"]).exits(0);
        assert!(stdout(&ran).starts_with("good.pgn: 1 game, 0 findings, "));
        // Six tags of the roster are missing, the date has another form, a move is illegal.
        let ran = dir.run(&["lint", "wrong.pgn"]).exits(1);
        let text = stdout(&ran);
        let line = "wrong.pgn:3:13: game 1: 8.2.3: illegal move: \"Ke3\"\n";
        assert!(text.contains(line), "{text}");
        assert!(text.contains("wrong.pgn: 1 game, 8 findings, "), "{text}");
        assert!(text.contains("\n  8.1.1.3  1  date that is not written YYYY.MM.DD\n"));
        let packed = dir.run(&["lint", "-q", "packed.pgn.zst"]).exits(1);
        let alone = dir.run(&["lint", "-q", "wrong.pgn"]).exits(1);
        let renamed = stdout(&packed).replace("packed.pgn.zst", "wrong.pgn");
        assert_eq!(renamed, stdout(&alone));
        let fed = dir.feed(&["lint", "-q", "-"], WRONG.as_bytes()).exits(1);
        assert!(stdout(&fed).contains("standard input:3:13: game 1: 8.2.3"));
        // An archive: each of its sources.
        dir.pack("wrong.pgn");
        let ran = dir.run(&["lint", "-q", "wrong.pgc"]).exits(1);
        assert!(stdout(&ran).contains("wrong.pgc: wrong.pgn:3:13: game 1: 8.2.3"));
        dir.run(&["lint", "nothing.pgn"])
            .exits(2)
            .says("nothing.pgn: No such file");
    }

    #[test]
    fn json() {
        let dir = Dir::new();
        dir.put("wrong.pgn", WRONG);
        let ran = dir.run(&["lint", "--json", "wrong.pgn"]).exits(1);
        let lines: Vec<serde_json::Value> = stdout(&ran)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let (summary, findings) = lines.split_last().unwrap();
        assert_eq!(
            (findings.len(), &summary["data"]["findings"]),
            (8, &8.into())
        );
        let last = &findings[7]["data"];
        assert_eq!(
            (
                &last["clause"],
                &last["line"],
                &last["column"],
                &last["text"]
            ),
            (&"8.2.3".into(), &3.into(), &13.into(), &"Ke3".into())
        );
    }

    #[test]
    fn fixing() {
        let dir = Dir::new();
        dir.put("wrong.pgn", WRONG);
        dir.put("good.pgn", SAMPLE.replace('\n', "\r\n"));
        // The date stays wrong.
        let ran = dir
            .run(&["lint", "--fix", "-o", "fixed.pgn", "wrong.pgn"])
            .exits(1);
        let text = stdout(&ran);
        assert!(text.contains("\"Ke3\" (now a comment)\n"), "{text}");
        assert!(text.contains("\"1992\" (left as it is)\n"), "{text}");
        let fixed = String::from_utf8(dir.read("fixed.pgn")).unwrap();
        assert!(fixed.ends_with("[Date \"1992\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n\n1. e4 e5 {2. Ke3} *\n\n")
            || fixed.ends_with("\n\n1. e4 e5 {Ke3} *\n\n"), "{fixed}");
        let same = &["lint", "--fix", "-o", "fixed.pgn", "good.pgn"];
        dir.run(same).exits(2).says("fixed.pgn");
        dir.run(&["lint", "--fix", "-f", "-o", "fixed.pgn", "good.pgn"])
            .exits(0);
        assert_eq!(dir.read("fixed.pgn"), SAMPLE.as_bytes());
        let ran = dir.run(&["lint", "--fix", "-o", "-", "good.pgn"]).exits(0);
        assert_eq!(ran.output.stdout, SAMPLE.as_bytes());
        assert!(ran.stderr.contains("3.2.2"));
        dir.run(&["lint", "--fix", "-f", "-o", "good.pgn", "good.pgn"])
            .exits(2)
            .says("is also an input");
        dir.run(&["lint", "--fix", "good.pgn"])
            .exits(2)
            .says("--output <FILE>");
    }
}

/// A castling that only lacks the tag Variant is mended by it; one that Chess960 does not have
/// either becomes a comment.
#[test]
fn castling_without_the_tag_variant() {
    let fen = "bqnrnkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNRNKRB w KQkq - 0 1";
    for (moves, expected, line) in [
        (
            "1. b3 c5 2. Nf3 d5 3. d4 b6 4. O-O *",
            Rule::NotChess960,
            "4. O-O *",
        ),
        ("1. b3 c5 2. O-O-O *", Rule::Illegal, "{O-O-O} *"),
    ] {
        let text = format!("[FEN \"{fen}\"]\n\n{moves}\n");
        let found = run(text.as_bytes(), true).0;
        let written = fixed(text.as_bytes(), Encoding::Utf8).0;
        let of_castling = [Rule::NotChess960, Rule::Illegal];
        let rules: Vec<Rule> = found.iter().map(|found| found.0).collect();
        let castling: Vec<_> = rules
            .iter()
            .filter(|rule| of_castling.contains(rule))
            .collect();
        assert_eq!(castling, [&expected], "{moves}");
        let written = String::from_utf8(written).unwrap().replace('\n', " ");
        assert!(written.contains("[Variant \"Chess960\"]"), "{written}");
        assert!(written.contains(line), "{written}");
    }
}
