//! Answers about damaged archives: each names the right game and the right source, or none.

use crate::archive::damage::{GAMES, broken_in, source};
use crate::cli::program::Dir;

/// Three sources, each with forty games of a player who has its name.
fn three_sources(dir: &Dir, archive: &str) -> Vec<u8> {
    for name in ["a", "b", "c"] {
        let game = format!("[White \"{name}.pgn\"]\n\n1. e4 *\n\n");
        dir.put(&format!("{name}.pgn"), game.repeat(40));
    }
    let pack = ["pack", "-q", "--no-index", "a.pgn", "b.pgn", "c.pgn", "-o"];
    dir.run(&[&pack[..], &[archive]].concat()).exits(0);
    dir.read(archive)
}

#[test]
fn games_of_a_source_without_its_head_get_no_other_source() {
    for archive in ["x.pgc", "x.pgcz"] {
        let dir = Dir::new();
        let whole = three_sources(&dir, archive);
        let heads: Vec<usize> = whole
            .windows(4)
            .enumerate()
            .filter_map(|(at, bytes)| (bytes == b"pgcH").then_some(at))
            .collect();
        assert_eq!(heads.len(), 3);
        for (at, lost) in heads.iter().zip(["a.pgn", "b.pgn", "c.pgn"]) {
            let mut broken = whole.clone();
            broken[at + 2] ^= 4;
            dir.put(archive, &broken);
            let find = ["find", "-q", archive, "--limit", "0"];
            let columns = ["--format", "csv", "--columns", "white,source"];
            let all = dir.run(&[&find[..], &columns].concat()).exits(3).stdout();
            assert_eq!(all.lines().count(), 121, "{archive} {lost}");
            for line in all.lines().skip(1) {
                let (white, source) = line.trim_end().split_once(',').unwrap();
                let expected = if white == lost { "" } else { white };
                assert_eq!(source, expected, "{archive} without the head of {lost}");
            }
            for name in ["a.pgn", "b.pgn", "c.pgn"] {
                let of = ["--source", name, "--format", "csv", "--columns", "white"];
                let found = dir.run(&[&find[..], &of].concat()).stdout();
                let whites: Vec<&str> = found.lines().skip(1).map(str::trim_end).collect();
                let games = if name == lost { 0 } else { 40 };
                assert_eq!(whites, vec![name; games], "{archive} without {lost}");
            }
        }
    }
}

/// White of each game is its number.
#[test]
fn an_edit_that_only_shows_numbers_games_as_the_archive_does() {
    let source = source();
    for ending in ["pgc", "pgcz"] {
        let dir = Dir::new();
        let (_, hit, name) = broken_in(&dir, ending, &source);
        let number = (hit.games.end + 1000).to_string();
        let changed = format!("{number}: Event none -> \"x\"\n");
        let edit = ["edit", "-q", &name, "--set", "Event=x", "--dry-run"];
        // Only a question reads the damaged block.
        for (asked, code) in [
            (&["-p", &number][..], 3),
            (&["-p", &number, "--games", &number], 3),
            (&["--games", &number], 0),
        ] {
            let ran = dir.run(&[&edit[..], asked].concat()).exits(code);
            assert_eq!(ran.stdout(), changed, "{asked:?}");
        }
        let logged = dir.run(&[&edit[..], &["-p", &number, "--log", "-"]].concat());
        let line: serde_json::Value = serde_json::from_str(&logged.exits(3).stdout()).unwrap();
        assert_eq!(line["game"].to_string(), number);
    }
}

#[test]
fn a_split_counts_the_games_that_it_writes() {
    let source = source();
    let dir = Dir::new();
    let (left, hit, name) = broken_in(&dir, "pgc", &source);
    let split = ["split", "--partial", "--by", "games=1000", "--format"];
    let to = ["pgn", "--json", "-o", "sp", &name];
    let told = dir.run(&[&split[..], &to].concat()).exits(3).json();
    let mut all = 0;
    for file in told["files"].as_array().unwrap() {
        let text = dir.read(&format!("sp/{}", file["name"].as_str().unwrap()));
        let games = String::from_utf8(text).unwrap().matches("[White ").count();
        assert_eq!(file["games"], games, "{file}");
        all += games as u64;
    }
    assert_eq!(all, GAMES - (hit.games.end - hit.games.start));
    assert_eq!(told["games"], all);
    // What was lost is no text outside games.
    let games = String::from_utf8(left).unwrap();
    assert_eq!(games.matches("[White ").count() as u64, all);
    assert_eq!(told["text_left_out"], 0);
}
