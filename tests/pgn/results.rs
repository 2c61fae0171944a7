//! Results in the spellings that people and programs use (spec/pgn-import.md section 5): what they
//! mean for `find`, export format and `lint --fix`, and that the archive keeps them.

use pgc::parts::Wholeness;
use pgc::{NoHooks, UnpackOptions, unpack};
use pgc_pgn::writer::Encoding;

use crate::cli::program::Dir;
use crate::pgn::lint::{clauses, fixed};
use crate::support::{Collected, assert_round_trip};

/// Spellings of a terminator that end a game whatever follows, and what they mean.
const POINTS: [(&str, &str); 14] = [
    ("1/2\u{2212}1/2", "1/2-1/2"),
    ("1 - 0", "1-0"),
    ("1: 0", "1-0"),
    ("1:0", "1-0"),
    ("1-0F", "1-0"),
    ("0 - 1", "0-1"),
    ("0:1", "0-1"),
    ("0-1ff", "0-1"),
    ("1/2 - 1/2", "1/2-1/2"),
    ("\u{bd}-\u{bd}", "1/2-1/2"),
    ("\u{bd} : \u{bd}", "1/2-1/2"),
    ("0.5-0.5", "1/2-1/2"),
    ("0,5 - 0,5", "1/2-1/2"),
    ("1/2", "1/2-1/2"),
];

/// Those that must be the last of the game.
const LAST: [(&str, &str); 4] = [
    ("1\u{2013}0", "1-0"),
    ("0 \u{2014} 1", "0-1"),
    ("\u{bd}\u{2013}\u{bd}", "1/2-1/2"),
    ("\u{bd}", "1/2-1/2"),
];

/// The result and the wholeness of each game of a text, and its export format.
fn answers(text: &str) -> (Vec<String>, String) {
    assert_round_trip(text, text.as_bytes());
    let dir = Dir::new();
    dir.put("games.pgn", text);
    dir.pack("games.pgn");
    let archive = dir.open("games.pgc");
    let all: Vec<u32> = (0..u32::try_from(archive.len().unwrap()).unwrap()).collect();
    let rows = archive.rows(&all, 1).unwrap().into_iter();
    let rows = rows.map(|row| {
        let is_broken = row.flags.wholeness() != Wholeness::Whole;
        format!("{},{},{is_broken}", row.flags.result().as_str(), row.plies)
    });
    let options = UnpackOptions {
        export: true,
        threads: 1,
        ..UnpackOptions::default()
    };
    let mut sink = Collected::default();
    unpack(
        &mut &*dir.read("games.pgc"),
        &mut sink,
        &options,
        &mut NoHooks,
    )
    .unwrap();
    let exported = String::from_utf8(sink.sources.remove(0).1).unwrap();
    // `lint --fix` writes the same, and the result has nothing that a result could break.
    let (fixed, _) = fixed(text.as_bytes(), Encoding::Latin1);
    assert_eq!(String::from_utf8(fixed).unwrap(), exported, "{text}");
    let broken = clauses(&exported, false).into_iter();
    let broken: Vec<&str> = broken.map(|broken| broken.0).collect();
    let is_of_result = |clause: &&str| ["8.1.1.7", "8.2.6"].contains(clause);
    assert!(!broken.iter().any(is_of_result), "{text}: {broken:?}");
    (rows.collect(), exported)
}

/// The value of each Result tag, and the last line of each movetext.
fn ends(exported: &str) -> Vec<(&str, &str)> {
    let games = exported.split("[Event ").skip(1);
    games
        .map(|game| {
            let (_, result) = game.split_once("[Result \"").unwrap();
            let last = game.trim_end().lines().last().unwrap();
            (result.split('"').next().unwrap(), last)
        })
        .collect()
}

#[test]
fn a_terminator_in_another_spelling_ends_a_game_with_its_result() {
    for (spelling, result) in POINTS.into_iter().chain(LAST) {
        for moves in ["1. e4 e5 ", "1. e4 e5 2. Qh5 Nc6 3. Qxf7+", "1. e4 e5 {}\n"] {
            // Directly behind a move, what the move cannot end in.
            let is_glued = moves.ends_with('+');
            if is_glued
                && (LAST.contains(&(spelling, result)) || spelling.chars().nth(1) == Some(' '))
            {
                continue;
            }
            let text = format!("[Event \"a\"]\n\n{moves}{spelling}\n\n[Event \"b\"]\n\n1. d4 *\n");
            let (rows, exported) = answers(&text);
            let plies = if is_glued { 5 } else { 2 };
            assert_eq!(
                rows,
                [format!("{result},{plies},false"), "*,1,false".into()],
                "{text}"
            );
            let (tag, last) = ends(&exported)[0];
            assert_eq!(tag, result, "{text}");
            assert!(
                last.ends_with(&format!(" {result}")) || last == result,
                "{exported}"
            );
        }
    }
    // One game a line, without numbers and tags.
    for (spelling, result) in POINTS {
        let text = format!("e4 e5 {spelling} d4 d5 {spelling}\nc4 {spelling}\n\n{spelling}\n");
        let (rows, _) = answers(&text);
        let expected = [2, 2, 1, 0].map(|plies| format!("{result},{plies},false"));
        assert_eq!(rows, expected, "{text}");
    }
}

#[test]
fn what_only_looks_like_a_result_ends_no_game() {
    for (moves, plies) in [
        // Judgements of a position, not at the end or with moves and no tag that says the same.
        ("1. e4 e5 +/- 2. Nf3 *", 3),
        ("1. e4 +- e5 *", 2),
        ("1. e4 e5 +/-", 2),
        ("1. e4 e5 2. Nf3 -+", 3),
        // Numbers, times and moves.
        ("1 e4 e5 2 Nf3 *", 3),
        ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0", 7),
        ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 Nf6 *", 8),
        ("1. e4 (1. d4 0:1 ) e5 *", 2),
        ("1. e4 {1 - 0} e5 ; 0:1\n2. d4 *", 3),
    ] {
        let (rows, _) = answers(&format!("[Event \"a\"]\n\n{moves}\n"));
        assert_eq!(rows, [format!("*,{plies},false")], "{moves}");
    }
    let (rows, _) = answers("[Event \"a\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n+-\n");
    assert_eq!(rows, ["*,0,false"]);
}

/// Forfeits: `0-0` at the end is castling only where no tag says otherwise and it is legal.
#[test]
fn forfeits_are_results_where_they_can_be_nothing_else() {
    let castled = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 0-0";
    for (tag, moves, row) in [
        ("0-0", castled, "*,6,false"),
        ("0:0", castled, "*,6,false"),
        ("1-0", castled, "1-0,7,false"),
        (
            "0-0",
            "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 Nf6 0-0",
            "*,8,false",
        ),
        ("0-0", "0-0", "*,0,false"),
        ("?", "0-0", "*,0,false"),
        ("*", "1. e4 e5 0-0", "*,2,false"),
        // Blanks of Unicode, and NUL, stand around a result as white space does.
        ("0-0", "1. e4 e5 \u{200b}0-0", "*,2,false"),
        ("0-0", "1. e4 e5\u{a0}0-0\u{3000}", "*,2,false"),
        ("0-0", "1. e4 e5 0-0\0\u{200b}\u{a0}", "*,2,false"),
        ("0-0", "1. e4 e5\0 0-0", "*,2,false"),
        ("+:-", "+:-", "1-0,0,false"),
        ("?", "+/-", "1-0,0,false"),
        ("?", "-:+", "0-1,0,false"),
        ("?", "\u{2013}:+", "0-1,0,false"),
        ("-/-", "-/-", "*,0,false"),
        ("1-0", "1. e4 e5 +-", "1-0,2,false"),
        ("1-0F", "1-0F", "1-0,0,false"),
        ("0-1", "1. e4 e5 +/-", "0-1,2,false"),
    ] {
        let text = format!("[Event \"a\"]\n[Result \"{tag}\"]\n\n{moves}\n");
        assert_eq!(answers(&text).0, [row], "{text}");
    }
}

/// 8.1.1.7: in export format tag and terminator are the same whatever the tag was, and a comment
/// keeps what the tag said besides a result.
#[test]
fn the_result_tag_of_export_is_one_of_the_four() {
    for (tag, end, result, last) in [
        ("1 - 0", "*", "1-0", "1. e4 1-0"),
        ("\u{bd}", "", "1/2-1/2", "1. e4 1/2-1/2"),
        ("0\u{2013}1", "0-1", "0-1", "1. e4 0-1"),
        (
            "1-0 ff",
            "1-0",
            "1-0",
            "1. e4 {the Result tag is 1-0 ff} 1-0",
        ),
        ("+:-", "", "1-0", "1. e4 {the Result tag is +:-} 1-0"),
        ("0-0", "0-0", "*", "1. e4 {the Result tag is 0-0} *"),
        (
            "half-half",
            "1/2-1/2",
            "1/2-1/2",
            "1. e4 {the Result tag is half-half} 1/2-1/2",
        ),
        ("won", "", "*", "1. e4 {the Result tag is won} *"),
        ("-", "", "*", "1. e4 *"),
        (
            "0:1",
            "1 - 0",
            "0-1",
            "1. e4 {the movetext ends in 1-0} 0-1",
        ),
    ] {
        let (_, exported) = answers(&format!(
            "[Event \"a\"]\n[Result \"{tag}\"]\n\n1. e4 {end}\n"
        ));
        assert_eq!(ends(&exported), [(result, last)], "{tag}");
    }
}

/// A result is asked for in the spellings that it may have.
#[test]
fn results_are_asked_for_in_any_spelling() {
    let dir = Dir::new();
    dir.put(
        "games.pgn",
        "[Event \"a\"]\n[Result \"1 - 0\"]\n\n1. e4 1:0\n\n1. d4 \u{bd}-\u{bd}\n",
    );
    dir.pack("games.pgn");
    for (asked, count) in [
        ("white", 1),
        ("1:0", 1),
        ("1 - 0", 1),
        ("\u{bd}", 1),
        ("0-1", 0),
    ] {
        let found = dir.found("games.pgc", &["--result", asked]);
        assert_eq!(found.len(), count, "{asked}");
    }
    dir.run(&["find", "games.pgc", "--result-mismatch"])
        .exits(1);
    dir.run(&["find", "games.pgc", "--result", "won"])
        .exits(2)
        .says("is not a result");
}

/// A double forfeit that the Result tag states is no castling, also where a comment says why.
#[test]
fn a_comment_may_stand_behind_a_double_forfeit() {
    let opening = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5";
    for (movetext, plies) in [
        ("1. e4 e5 0-0 {both absent}", 2),
        (&format!("{opening} 0-0 {{a}}\n{{b}} ; c"), 6),
        (&format!("{opening} 4. 0-0 d6 0:0 {{a}}"), 8),
        ("0 - 0 ;both absent", 0),
    ] {
        let text = format!("[Event \"?\"]\n[Result \"0-0\"]\n\n{movetext}\n");
        let (rows, exported) = answers(&text);
        assert_eq!(rows, [format!("*,{plies},false")], "{movetext}");
        assert!(
            exported.ends_with("{the Result tag is 0-0} *\n\n"),
            "{exported}"
        );
    }
    // Castling, for there is a move behind it.
    let text = format!("[Event \"?\"]\n[Result \"0-0\"]\n\n{opening} 4. 0-0 {{a}} d6 *\n");
    assert_eq!(answers(&text).0, ["*,8,false"]);
}
