//! Null moves: text in records (D35), and moves wherever a game is shown. The positions and moves are
//! those that python-chess 1.11.2 gives for the same text.

use serde_json::Value;

use crate::cli::get::Dir;

const PGN: &str = "[Event \"N\"]\n[Result \"*\"]\n\n1. e4 e5 (1... -- 2. d4 {c} Z0 3. Nf3 d5 (3... -- 4. c4)) \
    2. Nf3 Nc6 (2... --) 3. Bb5 Qh4 4. Nxh4 -- 5. O-O *\n\n";

/// A null move in check is no move, and neither is what only looks like one.
const OTHERS: &str = "[Event \"O\"]\n[Result \"*\"]\n\n1. e4 f5 2. Qh5+ -- 3. d4 *\n\n\
    [Event \"P\"]\n[Result \"*\"]\n\n1. e4 e5-- 2. d4 *\n\n";

fn packed(pgn: &str) -> Dir {
    let dir = Dir::new();
    dir.put("n.pgn", pgn);
    dir.pack("n.pgn");
    dir
}

fn json(dir: &Dir, number: &str) -> Value {
    let text = dir.ends(0, &["get", "n.pgc", number, "--format", "json"]);
    let game: Value = serde_json::from_str(&text).unwrap();
    match game {
        Value::Array(mut games) => games.remove(0),
        game => game,
    }
}

fn sans(line: &Value) -> Vec<&str> {
    let moves = line.as_array().unwrap().iter();
    moves
        .map(|played| played["san"].as_str().unwrap())
        .collect()
}

#[test]
fn lines_with_null_moves_are_shown_as_moves() {
    let dir = packed(PGN);
    let game = json(&dir, "1");
    let main = ["e4", "e5", "Nf3", "Nc6", "Bb5", "Qh4", "Nxh4", "--", "O-O"];
    assert_eq!(sans(&game["moves"]), main);
    assert_eq!(game["moves"][7]["uci"], "0000");
    assert_eq!(game["text"], Value::Null);
    let first = &game["moves"][1]["variations"][0];
    assert_eq!(sans(first), ["--", "d4", "--", "Nf3", "d5"]);
    assert_eq!(first[1]["comments"][0], "c");
    assert_eq!(sans(&first[4]["variations"][0]), ["--", "c4"]);
    assert_eq!(sans(&game["moves"][3]["variations"][0]), ["--"]);
    let end = "r1b1kbnr/pppp1ppp/2n5/1B2p3/4P2N/8/PPPP1PPP/RNBQ1RK1 b kq - 2 5\n";
    let fen = |ply: &str| dir.ends(0, &["get", "n.pgc", "1", "--fen", "--ply", ply]);
    assert_eq!(fen("9"), end);
    assert_eq!(
        fen("8"),
        "r1b1kbnr/pppp1ppp/2n5/1B2p3/4P2N/8/PPPP1PPP/RNBQK2R w KQkq - 1 5\n"
    );
    let board = dir.ends(0, &["get", "n.pgc", "1", "--format", "board", "--ply", "9"]);
    assert!(board.contains("O-O"), "{board}");
    let german = dir.ends(0, &["get", "n.pgc", "1", "--pieces", "de"]);
    assert!(german.contains("Z0 3. Sf3 d5"), "{german}");
    // In the records, and so in the bytes that come back, nothing changes.
    assert_eq!(dir.unpacked_text("n.pgc"), PGN);
    let tests = dir.run(&["test", "n.pgc"]);
    assert!(tests.code == 0, "{}", tests.stderr);
}

#[test]
fn export_keeps_null_moves_in_comments_unless_it_is_asked() {
    let dir = packed(&format!("{PGN}{OTHERS}"));
    let movetexts = |arguments: &[&str]| -> Vec<String> {
        let all = dir.ends(0, &[&["unpack", "-q", "-c", "n.pgc"], arguments].concat());
        let games = all.split("[Event").skip(1);
        games
            .map(|game| game.split_once("\n\n").unwrap().1.trim().replace('\n', " "))
            .collect()
    };
    let usual = movetexts(&["--export"]);
    assert_eq!(
        usual[0],
        "1. e4 e5 {(1... -- 2. d4 {c} Z0 3. Nf3 d5 (3... -- 4. c4))} 2. Nf3 Nc6 {(2... --)} 3. Bb5 Qh4 4. Nxh4 {-- 5. O-O} *"
            .replace("{c}", "(c)")
    );
    let moves = movetexts(&["--export", "--null-moves"]);
    assert_eq!(
        moves[0],
        "1. e4 e5 (1... -- 2. d4 {c} 2... -- 3. Nf3 d5 (3... -- 4. c4)) 2. Nf3 Nc6 (2... --) 3. Bb5 Qh4 4. Nxh4 -- 5. O-O *"
    );
    assert_eq!(moves[1..], usual[1..]);
    assert_eq!(
        movetexts(&["--reduced", "--null-moves"])[0],
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 Qh4 4. Nxh4 -- 5. O-O *"
    );
    assert_eq!(dir.run(&["unpack", "-c", "n.pgc", "--null-moves"]).code, 2);
    let check = json(&dir, "2");
    assert_eq!(sans(&check["moves"]), ["e4", "f5", "Qh5+"]);
    assert_eq!(check["text"], "-- 3. d4");
    // What was written with null moves is packed and shown the same.
    let again = packed(&dir.ends(
        0,
        &["unpack", "-q", "-c", "n.pgc", "--export", "--null-moves"],
    ));
    assert_eq!(json(&again, "1")["moves"], json(&dir, "1")["moves"]);
}
