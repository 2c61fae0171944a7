//! Start positions that tags name badly (spec/chess.md 2): a FEN that says nothing, and
//! castling of Chess960 without a Variant tag.

use crate::cli::program::Dir;
use crate::support::{assert_round_trip, check_stream, packed, small_of, unpacked};

#[test]
fn a_fen_that_says_nothing_is_no_fen() {
    for value in ["", "?", "-", " "] {
        let text = format!("[Event \"A\"]\n[FEN \"{value}\"]\n\n1. e4 e5 2. Nf3 1-0\n");
        assert_round_trip(&text, text.as_bytes());
        let small = small_of(text.as_bytes(), true).unwrap();
        assert_eq!(unpacked(&small).unwrap(), text.as_bytes());
        let (archive, summary) = packed(text.as_bytes(), true).unwrap();
        assert_eq!((summary.whole, summary.plies), (1, 3), "{value:?}");
        assert_eq!(check_stream(&archive).unwrap(), ["e4", "e5", "Nf3"]);
        let dir = Dir::new();
        dir.put("a.pgc", archive);
        dir.run(&["unpack", "-q", "--export", "a.pgc", "-o", "a.pgn"])
            .exits(0);
        let exported = String::from_utf8(dir.read("a.pgn")).unwrap();
        assert!(!exported.contains("SetUp"), "{exported}");
    }
}

/// The game of a Chess960 event, without the tag that says so.
const NINE: &str = "[Event \"A\"]\n[FEN \"bqnrnkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNRNKRB w KQkq - 0 1\"]\n\n\
    1. b3 c5 2. Nf3 d5 3. d4 b6 4. O-O Nf6 5. c4 dxc4 *\n";

#[test]
fn castling_that_only_chess960_has_is_explained_and_mended() {
    let dir = Dir::new();
    dir.put("a.pgn", NINE);
    dir.run(&["pack", "a.pgn"]).exits(0).says("lint --fix");
    let broken = ["find", "a.pgc", "--broken", "--count"];
    assert_eq!(dir.run(&broken).output.stdout, b"1\n");
    dir.run(&["lint", "-q", "--fix", "a.pgn", "-o", "fixed.pgn"]);
    let fixed = String::from_utf8(dir.read("fixed.pgn")).unwrap();
    assert!(fixed.contains("[Variant \"Chess960\"]\n"), "{fixed}");
    assert!(fixed.contains("4. O-O Nf6 5. c4 dxc4 *"), "{fixed}");
    // The same game with a Variant tag is as it was; a game of chess gets none.
    let other = "[Event \"B\"]\n\n1. e4 *\n";
    dir.put("b.pgn", format!("{NINE}\n{other}"));
    dir.pack("b.pgn");
    dir.run(&[
        "edit",
        "-q",
        "b.pgc",
        "--set",
        "Variant=Chess960",
        "-o",
        "c.pgc",
    ])
    .exits(0);
    let edited = dir.unpacked_text("c.pgc");
    let tag = "0 1\"]\n[Variant \"Chess960\"]\n";
    assert_eq!(edited, format!("{NINE}\n{other}").replace("0 1\"]\n", tag));
    let broken = ["find", "c.pgc", "--broken", "--count"];
    assert_eq!(dir.run(&broken).output.stdout, b"0\n");
    dir.run(&["index", "--verify", "c.pgc"]).exits(0);
    dir.run(&["edit", "b.pgc", "--set", "Variant=Atomic", "-o", "d.pgc"])
        .exits(2)
        .says("Variant says how the moves are to be read");
    dir.run(&["edit", "b.pgc", "--unset", "FEN", "-o", "d.pgc"])
        .exits(2)
        .says("FEN says how the moves are to be read");
}
