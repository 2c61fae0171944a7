//! A folder of archives is one collection to every command that reads several archives.

use crate::cli::program::Dir;

fn game(white: &str) -> String {
    format!("[White \"{white}\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n")
}

/// Four games in three archives: `all/a.pgc`, `all/b.pgcz` and `all/c/d.pgc`, beside files that are
/// no archives.
fn folder() -> Dir {
    let dir = Dir::new();
    for (name, players) in [
        ("a.pgc", &["Adams", "Bird"][..]),
        ("b.pgcz", &["Cook"]),
        ("c/d.pgc", &["Dadian"]),
    ] {
        let games: String = players.iter().map(|white| game(white)).collect();
        let source = name.rsplit('/').next().unwrap().replace(".pgc", ".pgn");
        dir.put(&source, games);
        dir.put(&format!("all/{name}"), "");
        dir.run(&["pack", "-qf", &source, "-o", &format!("all/{name}")])
            .exits(0);
    }
    dir.put("all/notes.txt", "no archive");
    dir.put("all/.hidden.pgc", "no archive");
    dir.put("empty/notes.txt", "no archive");
    dir
}

#[test]
fn commands_take_the_archives_of_a_folder_sorted_by_name() {
    let dir = folder();
    let found = dir.run(&["find", "all", "-q", "--format", "addresses"]);
    assert_eq!(
        found.exits(0).stdout(),
        "all/a.pgc:1\nall/a.pgc:2\nall/b.pgcz:1\nall/c/d.pgc:1\n"
    );
    let archives = |args: &[&str]| {
        let lines = dir.run(args).exits(0).stdout();
        let lines = lines.lines().map(serde_json::from_str::<serde_json::Value>);
        let paths = lines.map(|line| line.unwrap()["archive"].as_str().unwrap().to_owned());
        paths.collect::<Vec<_>>()
    };
    let all = ["all/a.pgc", "all/b.pgcz", "all/c/d.pgc"];
    for command in ["info", "test", "index", "protect"] {
        assert_eq!(archives(&[command, "--json", "all"]), all, "{command}");
    }
    assert!(dir.path().join("all/c/d.pgcr").exists());
    let names = dir.run(&["info", "--sources", "all"]).exits(0).stdout();
    assert!(names.starts_with("all/a.pgc:\n"), "{names}");
    // A folder beside files, in the order of the arguments.
    assert_eq!(
        archives(&["info", "--sources", "--json", "all/c", "all/a.pgc"]),
        ["all/c/d.pgc", "all/a.pgc"]
    );
}

#[test]
fn a_folder_is_unpacked_and_merged() {
    let dir = folder();
    let all: String = ["Adams", "Bird", "Cook", "Dadian"].map(game).concat();
    assert_eq!(dir.run(&["unpack", "-c", "all"]).exits(0).stdout(), all);
    dir.run(&["unpack", "-q", "all", "-o", "out/"]).exits(0);
    assert_eq!(dir.read("out/d.pgn"), game("Dadian").into_bytes());
    dir.run(&["unpack", "all", "-o", "one.pgn"])
        .exits(2)
        .says("several archives");
    dir.run(&["merge", "-q", "all", "-o", "one.pgc"]).exits(0);
    let merged = dir.run(&["unpack", "-c", "one.pgc"]).exits(0);
    assert_eq!(merged.stdout(), all);
    dir.run(&["test", "all", "--against", "a.pgn"])
        .exits(2)
        .says("one archive");
}

#[test]
fn a_folder_without_archives_is_an_error() {
    let dir = folder();
    for command in ["info", "test", "index", "protect", "unpack"] {
        dir.run(&[command, "empty"])
            .exits(2)
            .says("empty: no archives in this folder (.pgc, .pgcz)");
    }
    dir.run(&["merge", "empty", "-o", "one.pgc"])
        .exits(2)
        .says("no archives");
    assert!(!dir.path().join("one.pgc").exists());
}
