//! What other programs read and write (spec/manual/neighbours.md): FENs that join with theirs,
//! movetext that all of them read.

use pgc_chess::{EpSquare, Position, Rules};
use pgc_pgn::epd::line::EpdLine;
use pgc_pgn::writer::{Termination, Text, Writer};

use crate::cli::get::Dir;

/// Start positions, moves, and the en passant squares that `board.fen()` and
/// `board.fen(en_passant="fen")` of python-chess 1.11.2 have behind the moves.
const STEPS: [(&str, &str, [&str; 2]); 5] = [
    ("", "e4", ["-", "e3"]),
    ("", "e4 a6 e5 d5", ["d6", "d6"]),
    // The capture would leave the king in check along the rank.
    ("8/8/8/8/R2p3k/8/4P3/4K3 w - - 0 1", "e4", ["-", "e3"]),
    ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e4", ["e3", "e3"]),
    ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e3", ["-", "-"]),
];

fn after(fen: &str, moves: &str) -> Position {
    let fen = Some(fen.as_bytes()).filter(|fen| !fen.is_empty());
    let mut position = Position::start(Rules::Chess, fen).unwrap();
    for san in moves.split(' ') {
        let resolved = position.resolve(san.as_bytes()).unwrap();
        position.play(resolved.m);
    }
    position
}

#[test]
fn en_passant_squares() {
    for (fen, moves, expected) in STEPS {
        let position = after(fen, moves);
        let fens = [position.fen(), position.fen_with(EpSquare::Always)];
        let squares = fens.each_ref().map(|fen| fen.split(' ').nth(3).unwrap());
        assert_eq!(squares, expected, "{fen} {moves}");
    }
}

#[test]
fn get_and_find_take_ep() {
    let dir = Dir::new();
    dir.put("x.pgn", "[Event \"X\"]\n\n1. e4 *\n");
    dir.ends(0, &["pack", "-q", "x.pgn"]);
    let board = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq";
    let get = |more: &[&str]| dir.ends(0, &[&["get", "x.pgc", "1"][..], more].concat());
    assert_eq!(get(&["--fen"]), format!("{board} - 0 1\n"));
    assert_eq!(
        get(&["--fen", "--ep", "always"]),
        format!("{board} e3 0 1\n")
    );
    let epd = format!("{board} e3 fmvn 1; hmvc 0; id \"X\";\n");
    assert_eq!(get(&["--format", "epd", "--ep", "always"]), epd);
    let find = ["find", "x.pgc", "--format", "epd", "--ep", "always"];
    assert_eq!(dir.ends(0, &find), epd);
    for (command, why) in [
        (&["get", "x.pgc", "1", "--ep", "legal"][..], "--fen"),
        (&["find", "x.pgc", "--ep", "legal"], "--format epd"),
        (
            &["get", "x.pgc", "1", "--fen", "--ep", "fen"],
            "legal or always",
        ),
    ] {
        let ran = dir.run(command);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    }
}

/// The movetext of 1. e4, with what `put` writes behind it.
fn behind_e4(put: impl FnOnce(&mut Writer)) -> String {
    let mut writer = Writer::default();
    writer.start(true, 1);
    writer.san(b"e4");
    put(&mut writer);
    writer.end_game(Termination::Unknown);
    String::from_utf8(writer.bytes().to_vec()).unwrap()
}

/// chess.js 1.4.0 refuses two comments in a row.
#[test]
fn commands_join_the_comment_beside_them() {
    let joined = |comments: &[&str]| {
        behind_e4(|writer| {
            comments
                .iter()
                .for_each(|comment| writer.comment(Text::Utf8(comment)));
        })
    };
    for (comments, expected) in [
        (&["best", "[%clk 0:03:00]"][..], "{best [%clk 0:03:00]}"),
        (
            &["[%csl Ga1][%cal Ga1a2]", "best"],
            "{[%csl Ga1][%cal Ga1a2] best}",
        ),
        (&["[%emt 0:01]", "[%eval 0.3]"], "{[%emt 0:01] [%eval 0.3]}"),
        // Where one comment ends and the next begins would be lost.
        (&["best", "by test"], "{best} {by test}"),
        (&["a [%emt 0:01] b", "c"], "{a [%emt 0:01] b} {c}"),
        (&["", "[% open"], "{} {[% open}"),
        (&["a } b", "[%emt 0:01]"], ";a } b\n{[%emt 0:01]}"),
        (&["a", "b", "[%emt 0:01]", "c"], "{a} {b [%emt 0:01]} {c}"),
        // A comment without words has nothing to join, on either side.
        (&["", "[%emt 0:01]", " "], "{[%emt 0:01]}"),
        (&["", "", "[%emt 0:01]"], "{[%emt 0:01]}"),
        (&["a", "", "[%emt 0:01]", "", "b"], "{a [%emt 0:01]} {} {b}"),
        (&["", "a", "", "[%emt 0:01]"], "{} {a [%emt 0:01]}"),
    ] {
        assert_eq!(joined(comments), format!("1. e4 {expected} *\n\n"));
    }
    // A line may end inside of what was joined.
    let word = "x".repeat(60);
    assert_eq!(
        joined(&[&word, "[%cal Ga1a2,Gb1b2]"]),
        format!("1. e4 {{{word} [%cal\nGa1a2,Gb1b2]}} *\n\n")
    );
}

/// chess.js 1.4.0 and @mliebelt/pgn-parser 1.4.19 refuse a NAG behind a comment, and these and
/// pgn-extract 19.04 one that begins a variation.
#[test]
fn nags_stand_behind_moves() {
    let text = behind_e4(|writer| {
        writer.comment(Text::Utf8("good"));
        writer.comment(Text::Utf8("very"));
        writer.nag(1);
        writer.rav_begin();
        writer.nag(142);
        writer.san(b"d4");
        writer.nag(3);
        writer.rav_end();
        writer.rav_begin();
        writer.comment(Text::Utf8("or"));
        writer.nag(140);
        writer.san(b"c4");
        writer.rav_end();
        writer.san(b"e5");
    });
    let expected = "1. e4 $1 {good} {very} (1. d4 $142 $3) ({or} 1. c4 $140) 1... e5 *\n\n";
    assert_eq!(text, expected);
    // Of these no move is known.
    let text = behind_e4(|writer| {
        writer.rav_begin();
        writer.nag(142);
        writer.rav_end();
        writer.comment(Text::Utf8("a"));
        writer.nag(10);
        writer.rav_begin();
        writer.nag(10);
        writer.san(b"d4");
        writer.rav_end();
    });
    assert_eq!(text, "1. e4 ($142) {a} $10 ($10 1. d4) *\n\n");
}

/// The text that python-chess 1.11.2 writes for `epd(id='say "x" \\ y', c0='a;b')`.
#[test]
fn quotes_of_python_chess_come_back() {
    let text = r#"8/8/8/8/8/4k3/4p3/4K3 w - - c0 "a;b"; id "say \"x\" \\ y";"#;
    let line = EpdLine::parse(text).unwrap();
    assert_eq!(line.operations.len(), 2);
    assert_eq!(line.to_string(), text);
    // By the standard a backslash is a character like any other.
    let path = r#"8/8/8/8/8/4k3/4p3/4K3 w - - c0 "C:\"; c1 "x";"#;
    let line = EpdLine::parse(path).unwrap();
    assert_eq!((line.operations.len(), line.check()), (2, vec![]));
    assert_eq!(line.to_string(), path);
}

#[test]
fn json_names_the_variant() {
    let dir = Dir::new();
    let games = "[Event \"1\"]\n\n1. e4 *\n\n[Event \"2\"]\n[Variant \"Chess 960\"]\n\n1. e4 *\n\n\
        [Event \"3\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n[Event \"4\"]\n[Variant \"Gothic\"]\n\n1. e4 *\n";
    dir.put("x.pgn", games);
    dir.ends(0, &["pack", "-q", "x.pgn"]);
    let text = dir.ends(0, &["get", "x.pgc", "1..", "--format", "json"]);
    for (line, variant) in text.lines().zip(["chess", "chess960", "atomic", "other"]) {
        let game: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(game["variant"], variant);
    }
}
