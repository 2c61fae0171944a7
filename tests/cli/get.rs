//! `pgc get`, `pgc index`, and the index that `pgc pack` leaves: outputs, notes, exit codes.

use std::fs;
use std::ops::Deref;
use std::path::PathBuf;

use crate::support::gen_pgn::document;
use crate::support::program;
use crate::support::random::Random;

const GAMES: &str = "[Event \"One\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n\
    [Event \"Two\"]\n[Black \"C\"]\n\n1. d4 d5 1/2-1/2\n\nprose\n\n[Event \"Three\"]\n\n1. c4 *\n";

/// A folder of which tests ask for the exit code and the bytes of standard output.
pub(crate) struct Dir(pub(crate) program::Dir);

impl Deref for Dir {
    type Target = program::Dir;

    fn deref(&self) -> &program::Dir {
        &self.0
    }
}

pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Dir {
    pub(crate) fn new() -> Dir {
        Dir(program::Dir::new())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.0.run(args))
    }

    pub(crate) fn feed(&self, args: &[&str], input: &str) -> Ran {
        Ran::of(self.0.feed(args, input.as_bytes()))
    }

    /// Runs a command that must end with exit code `code`; returns its standard output.
    #[track_caller]
    pub(crate) fn ends(&self, code: i32, args: &[&str]) -> String {
        self.0.run(args).exits(code).stdout()
    }

    /// Runs a command that must be refused for the reason `why`.
    #[track_caller]
    pub(crate) fn refuses(&self, args: &[&str], why: &str) {
        self.0.run(args).exits(2).says(why);
    }

    /// With games.pgn packed.
    pub(crate) fn packed() -> Dir {
        let dir = Dir::new();
        dir.put("games.pgn", GAMES);
        dir.pack("games.pgn");
        dir
    }
}

impl Ran {
    fn of(ran: program::Ran) -> Ran {
        Ran {
            code: ran.output.status.code().unwrap(),
            stdout: ran.output.stdout,
            stderr: ran.stderr,
        }
    }
}

#[test]
fn pack_leaves_an_index() {
    let dir = Dir::new();
    dir.put("games.pgn", GAMES);
    let ran = dir.run(&["pack", "games.pgn"]);
    let length = dir.read("games.pgci").len();
    assert!(
        ran.stderr
            .contains(&format!("games.pgci: {} bytes, ", group(length))),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains(" a game"), "{}", ran.stderr);
    let json = dir.ends(0, &["pack", "-f", "--json", "games.pgn"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["index"]["path"], &json["index"]["bytes"]),
        (&"games.pgci".into(), &length.into())
    );
    // Without.
    dir.ends(0, &["pack", "-o", "a.pgc", "--no-index", "games.pgn"]);
    assert!(!dir.has("a.pgci"));
    let packed = dir.run(&["pack", "-c", "games.pgn"]);
    assert!(packed.stdout == dir.read("a.pgc"));
    // Other names; an archive of the records of the standard alone.
    dir.ends(0, &["pack", "-o", "archive", "games.pgn"]);
    assert!(dir.read("archive.pgci") == dir.read("games.pgci"));
    dir.ends(
        1,
        &[
            "pack",
            "--standard",
            "--drop",
            "all",
            "-o",
            "s.pgc",
            "games.pgn",
        ],
    );
    // It has no index.
    assert!(!dir.has("s.pgci"));
    let refused = dir.ends(2, &["index", "-q", "s.pgc"]);
    assert_eq!(refused, "");
    assert!(!dir.has("s.pgci"));
}

#[test]
fn an_archive_of_nothing_has_an_index() {
    let dir = Dir::new();
    dir.put("none.pgn", "");
    dir.ends(1, &["pack", "-qf", "none.pgn"]);
    assert!(
        dir.ends(0, &["index", "--verify", "none.pgc"])
            .contains("0 games")
    );
    let ran = dir.run(&["get", "--require-index", "none.pgc", "1"]);
    assert!(
        ran.code == 1 && ran.stderr.contains("the archive has none"),
        "{}",
        ran.stderr
    );
    // Without the heads of an archive nothing is left, and that is no archive.
    dir.ends(1, &["pack", "-qf", "none.pgn", "--standard"]);
    dir.refuses(&["index", "--verify", "none.pgc"], "none.pgc: is empty");
}

fn group(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|part| std::str::from_utf8(part).unwrap())
        .collect();
    groups.join(",")
}

#[test]
fn an_index_replaces_an_index_and_nothing_else() {
    let dir = Dir::packed();
    let made = dir.read("games.pgci");
    dir.put("games.pgci", [made.as_slice(), b"old"].concat());
    dir.ends(0, &["index", "-q", "games.pgc"]);
    assert!(dir.read("games.pgci") == made);
    for args in [
        &["index", "games.pgc"][..],
        &["pack", "games.pgn", "-o", "other.pgc"],
    ] {
        dir.put("games.pgci", "letters to my aunt");
        dir.put("other.pgci", "letters to my aunt");
        let ran = dir.run(args);
        assert_eq!(ran.code, 2);
        assert!(
            ran.stderr.contains("already exists and is not an index"),
            "{}",
            ran.stderr
        );
        assert!(!dir.has("other.pgc"));
        assert_eq!(dir.read("games.pgci"), b"letters to my aunt");
    }
    dir.ends(0, &["index", "-qf", "games.pgc"]);
    assert!(dir.read("games.pgci") == made);
    dir.ends(0, &["index", "-q", "games.pgc", "-o", "elsewhere"]);
    assert!(dir.read("elsewhere") == made);
}

#[test]
fn games_come_as_they_were_written() {
    let dir = Dir::packed();
    let text = |from: &str, to: &str| {
        let begin = GAMES.find(from).unwrap();
        GAMES[begin..GAMES[begin..].find(to).map_or(GAMES.len(), |n| begin + n)].to_owned()
    };
    let (one, two, three) = (
        text("[Event \"One", "[Event \"Two"),
        text("[Event \"Two", "prose"),
        text("[Event \"Three", "\0"),
    );
    let get = |args: &[&str]| dir.ends(0, &[&["get", "games.pgc"], args].concat());
    assert_eq!(get(&["2"]), two);
    assert_eq!(get(&["1-2"]), [one.as_str(), &two].concat());
    assert_eq!(get(&["1..2"]), [one.as_str(), &two].concat());
    assert_eq!(get(&["2.."]), [two.as_str(), &three].concat());
    assert_eq!(
        get(&["3", "1", "games.pgc:2"]),
        [three.as_str(), "\n", &one, &two].concat()
    );
    let ran = dir.feed(&["get", "games.pgc", "-"], "3\ngames.pgc:1\r\n\n 2\n");
    assert_eq!(
        String::from_utf8(ran.stdout).unwrap(),
        [three.as_str(), "\n", &one, &two].concat()
    );
    assert_eq!(
        dir.feed(&["get", "-"], "games.pgc:2").stdout,
        two.as_bytes()
    );
    assert_eq!(dir.feed(&["get", "-"], "2").code, 2);
    dir.ends(0, &["get", "games.pgc", "2", "-o", "two.pgn"]);
    assert_eq!(dir.read("two.pgn"), two.as_bytes());
    dir.refuses(
        &["get", "games.pgc", "2", "-o", "two.pgn"],
        "two.pgn: already exists",
    );
    dir.refuses(
        &["get", "games.pgc", "2", "-f", "-o", "games.pgc"],
        "is also an input",
    );
    // There are not so many.
    for (args, found) in [
        (&["4"][..], ""),
        (&["0"], ""),
        (&["2-9"], "Two"),
        (&["4..7"], ""),
        (&["9.."], ""),
    ] {
        let ran = dir.run(&[&["get", "games.pgc"], args].concat());
        assert_eq!(ran.code, 1, "{args:?}");
        assert!(
            ran.stderr.contains("the archive has games 1 to 3"),
            "{}",
            ran.stderr
        );
        assert!(String::from_utf8(ran.stdout).unwrap().contains(found));
    }
    // A range that runs backwards is a mistake, not a game that is missing.
    let ran = dir.run(&["get", "games.pgc", "3-2"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("3-2 is backwards: write 2-3"),
        "{}",
        ran.stderr
    );
    dir.refuses(&["get", "games.pgc"], "which games?");
    dir.refuses(&["get", "none.pgc", "1"], "none.pgc: No such file");
    assert_eq!(
        dir.feed(&["get", "games.pgc", "9", "1"], "").stdout,
        one.as_bytes()
    );
}

#[test]
fn games_as_json_and_as_boards() {
    let dir = Dir::packed();
    let lines = dir.ends(0, &["get", "games.pgc", "1-2", "--format", "json"]);
    let games: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(games.len(), 2);
    assert_eq!(
        (&games[0]["address"], &games[0]["number"]),
        (&"games.pgc:1".into(), &1.into())
    );
    assert_eq!(games[0]["tags"]["White"], "A");
    assert_eq!(
        games[0]["moves"][2],
        serde_json::json!({ "san": "Nf3", "uci": "g1f3" })
    );
    assert_eq!(
        (&games[1]["termination"], &games[1]["wholeness"]),
        (&"1/2-1/2".into(), &"understood".into())
    );
    let board = dir.ends(
        0,
        &["get", "games.pgc", "1", "--format", "board", "--ply", "3"],
    );
    let opening = "opening: C44 King's Knight Opening: Normal Variation (ply 4)\n";
    let expected = "\n8 \u{265c} \u{265e} \u{265d} \u{265b} \u{265a} \u{265d} \u{265e} \u{265c}\n\
        7 \u{265f} \u{265f} \u{265f} \u{265f} \u{b7} \u{265f} \u{265f} \u{265f}\n6 \u{b7} \u{b7} \u{b7} \u{b7} \u{b7} \u{b7} \u{b7} \u{b7}\n\
        5 \u{b7} \u{b7} \u{b7} \u{b7} \u{265f} \u{b7} \u{b7} \u{b7}\n4 \u{b7} \u{b7} \u{b7} \u{b7} \u{2659} \u{b7} \u{b7} \u{b7}\n\
        3 \u{b7} \u{b7} \u{b7} \u{b7} \u{b7} \u{2658} \u{b7} \u{b7}\n2 \u{2659} \u{2659} \u{2659} \u{2659} \u{b7} \u{2659} \u{2659} \u{2659}\n\
        1 \u{2656} \u{2658} \u{2657} \u{2655} \u{2654} \u{2657} \u{b7} \u{2656}\n  a b c d e f g h\n\n\
        after 2. Nf3 (ply 3 of 4), Black to move\nrnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2\n";
    let heading = format!("games.pgc:1: A - B, 1-0\n{opening}");
    assert_eq!(board, heading + expected);
    assert!(
        dir.ends(
            0,
            &["get", "games.pgc", "3", "--format", "board", "--ply", "0"]
        )
        .contains("White to move")
    );
    // No pawn can take on e3.
    let after_e4 = dir.ends(
        0,
        &["get", "games.pgc", "1", "--format", "board", "--ply", "1"],
    );
    assert!(
        after_e4.ends_with("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n"),
        "{after_e4}"
    );
    let ran = dir.run(&["get", "games.pgc", "1", "--format", "board", "--ply", "5"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr
            .contains("there is no ply 5: the game has 4 plies"),
        "{}",
        ran.stderr
    );
    dir.refuses(
        &["get", "games.pgc", "1", "--ply", "5"],
        "there is no ply 5",
    );
}

/// Glyphs before a move are in the JSON, and the notes of a game whose position is unusable.
#[test]
fn json_has_every_glyph_and_comment() {
    let dir = Dir::new();
    dir.put(
        "games.pgn",
        "[Event \"x\"]\n\n$3 {c} 1. $5 e4 ( $6 1. d4 $7 ) $8 *\n\n\
         [Event \"x\"]\n[SetUp \"1\"]\n[FEN \"8/8/8/8 w - - 0 1\"]\n[Result \"*\"]\n\n{hello world} $5 *\n\n\
         [Event \"y\"]\n[Variant \"Foo\"]\n\n{hello world} $5 *\n",
    );
    dir.pack("games.pgn");
    let lines = dir.ends(0, &["get", "games.pgc", "1-3", "--format", "json"]);
    let games: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let numbers = |nags: &serde_json::Value| -> Vec<u64> {
        let nags = nags.as_array().unwrap().iter();
        nags.map(|nag| nag["nag"].as_u64().unwrap()).collect()
    };
    assert_eq!(games.len(), 3);
    assert_eq!(games[0]["comments"], serde_json::json!(["c"]));
    assert_eq!(numbers(&games[0]["nags"]), [3, 5]);
    let first = &games[0]["moves"][0];
    assert_eq!(numbers(&first["nags"]), [8]);
    let instead = &first["variations"][0][0];
    assert_eq!(numbers(&instead["nags_before"]), [6]);
    assert_eq!(numbers(&instead["nags"]), [7]);
    for game in &games[1..] {
        assert_eq!(game["comments"], serde_json::json!(["hello world"]));
        assert_eq!(numbers(&game["nags"]), [5]);
    }
}

#[test]
fn an_index_that_cannot_be_used_is_noted() {
    let dir = Dir::packed();
    let (archive, index) = (dir.read("games.pgc"), dir.read("games.pgci"));
    let three = "[Event \"Three\"]\n\n1. c4 *\n";
    let check = |what: &str, mend: bool| {
        let ran = dir.run(&["get", "games.pgc", "3"]);
        assert_eq!(
            (ran.code, String::from_utf8(ran.stdout).unwrap().as_str()),
            (0, three),
            "{what}"
        );
        assert!(
            ran.stderr.contains("pgc index games.pgc")
                && ran.stderr.contains("going on without it"),
            "{}",
            ran.stderr
        );
        assert!(dir.run(&["get", "-q", "games.pgc", "3"]).stderr.is_empty());
        assert!(
            dir.run(&["get", "--no-index", "games.pgc", "3"])
                .stderr
                .is_empty()
        );
        let ran = dir.run(&["get", "--require-index", "games.pgc", "3"]);
        assert_eq!((ran.code, ran.stdout.len()), (3, 0), "{what}");
        if mend {
            let ran = dir.run(&["test", "games.pgc"]);
            assert!(
                ran.code == 3 && ran.stderr.contains("games.pgci"),
                "{what}: {}",
                ran.stderr
            );
            assert_eq!(dir.run(&["test", "--quick", "games.pgc"]).code, 3, "{what}");
            assert_eq!(
                dir.run(&["index", "--verify", "games.pgc"]).code,
                3,
                "{what}"
            );
            dir.ends(0, &["index", "-q", "games.pgc"]);
            assert!(dir.run(&["get", "games.pgc", "3"]).stderr.is_empty());
            assert!(dir.ends(0, &["test", "games.pgc"]).contains(": ok"));
            assert!(
                dir.ends(0, &["index", "--verify", "games.pgc"])
                    .contains(": ok")
            );
        }
    };
    fs::remove_file(dir.0.path().join("games.pgci")).unwrap();
    check("missing", false);
    let mut damaged = index.clone();
    damaged[40] ^= 1;
    dir.put("games.pgci", &damaged[..damaged.len() - 1]);
    check("damaged", true);
    // Whole, but of another archive.
    dir.put("o.pgn", "1. e4 *\n");
    dir.pack("o.pgn");
    dir.put("games.pgci", dir.read("o.pgci"));
    check("another", true);
    // One page is damaged, which shows when it is used; `test` finds it at once.
    let mut damaged = index.clone();
    damaged[40] ^= 1;
    dir.put("games.pgci", &damaged);
    let ran = dir.run(&["get", "games.pgc", "3"]);
    assert_eq!(String::from_utf8(ran.stdout).unwrap(), three);
    assert!(ran.stderr.contains("pgc index games.pgc"), "{}", ran.stderr);
    assert_eq!(
        dir.run(&["get", "--require-index", "games.pgc", "3"]).code,
        3
    );
    assert_eq!(dir.run(&["test", "--quick", "games.pgc"]).code, 3);
    dir.put("games.pgci", &index);
    // A block that is not the one that was indexed.
    let mut changed = archive.clone();
    let at = changed.windows(3).position(|w| w == b"Thr").unwrap();
    changed[at] = b't';
    dir.put("games.pgc", &changed);
    let ran = dir.run(&["get", "games.pgc", "3"]);
    assert_eq!((ran.code, ran.stdout.len()), (3, 0), "{}", ran.stderr);
}

#[test]
fn an_index_is_the_same_however_it_is_made() {
    let dir = Dir::new();
    for seed in 0..3 {
        let source = document(&mut Random::new(seed), 200);
        dir.put("a.pgn", &source);
        dir.put("b.pgn", document(&mut Random::new(seed + 50), 100));
        dir.ends(0, &["pack", "-qf", "a.pgn", "b.pgn", "-o", "x.pgc"]);
        let made = dir.read("x.pgci");
        for args in [
            &["-j1"][..],
            &["-j2"],
            &["--memory", "1k"],
            &["--memory", "1G", "--temp-dir", "."],
        ] {
            dir.ends(0, &[&["index", "-q", "x.pgc"], args].concat());
            assert!(dir.read("x.pgci") == made, "{args:?}");
        }
        let json = dir.ends(0, &["index", "--json", "x.pgc"]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["bytes"], made.len());
    }
    dir.refuses(&["index", "-"], "cannot be read twice");
    dir.refuses(&["index", "none.pgc"], "none.pgc: No such file");
    dir.refuses(&["index", "--memory", "much", "x.pgc"], "write a size");
    dir.refuses(
        &["index", "a.pgc", "b.pgc", "-o", "x"],
        "-o names one index",
    );
}

/// A game without a position does not keep the others from being shown. A tag that is FEN but for its
/// case names one from which other programs play.
#[test]
fn positions_of_the_other_games() {
    for tag in [
        "FEN \"bad\"",
        "fen \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"",
        "variant \"Atomic\"",
    ] {
        let dir = crate::cli::program::Dir::new();
        let games = format!("[White \"A\"]\n\n1. e4 *\n\n[{tag}]\n\n1. e4 *\n\n1. d4 *\n");
        dir.put("m.pgn", games);
        dir.pack("m.pgn");
        for format in ["fen", "epd", "board"] {
            let ran = dir.run(&["get", "m.pgc", "1..", "--format", format]);
            let ran = ran.exits(1).says("m.pgc:2: no board: ");
            let found = ran.stdout();
            let positions = found.lines().filter(|line| line.contains("/PPP"));
            assert_eq!(positions.count(), 2, "{format}: {found}");
        }
        let epd = dir.run(&["find", "m.pgc", "--format", "epd", "--at", "all"]);
        let epd = epd.exits(0).says("1 game has no such position").stdout();
        assert_eq!(epd.lines().count(), 4, "{epd}");
        dir.run(&["get", "m.pgc", "1..", "--fen", "--ply", "1"])
            .exits(1)
            .says("m.pgc:2: there is no ply 1: ");
        let ran = dir.run(&["get", "m.pgc", "1..", "--fen", "--ply", "2"]);
        assert_eq!(ran.exits(2).says("m.pgc:1: there is no ply 2").stdout(), "");
        for more in [&[][..], &["--ply", "0"]] {
            dir.run(&[&["get", "m.pgc", "2", "--fen"], more].concat())
                .exits(2)
                .says("m.pgc:2: no board");
        }
    }
}
