//! Merging and splitting: no game is lost, each is as it was written, and the order is what a slow
//! sort of the same games gives.
#![expect(clippy::unwrap_used, reason = "the helpers are tests too")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use pgc::Archive;
use pgc::join::boundary::Joiner;

use crate::cli::program::Dir;
use crate::support::random::Random;

/// Games with every kind of date, round and name, some of them equal in all keys but the moves,
/// some in all.
fn games(seed: u64, count: usize) -> String {
    let mut random = Random::new(seed);
    let mut text = String::new();
    for _ in 0..count {
        let date = random.pick(&[
            "1992.05.03",
            "1992.05.??",
            "1992.??.??",
            "????.??.??",
            "2001.12.31",
            "2001.1.2",
            "199?.??.??",
            "junk",
        ]);
        let round = random.pick(&["1", "2", "10", "3.10", "3.9", "?", "-", "final"]);
        let player = |random: &mut Random| {
            random.pick(&[
                "Kasparov, Garry",
                "Short,N",
                "Deep Blue",
                "M\u{fc}ller, K",
                "?",
                "polgar, J",
                "Polgar, S",
            ])
        };
        let (white, black) = (player(&mut random), player(&mut random));
        let moves = random.pick(&["1. e4 e5", "1. d4", "1. e4 e5 2. Nf3", "1. c4 {yes}", ""]);
        let event = random.pick(&["A", "B/C", "con", "..", ""]);
        text += &format!(
            "[Event \"{event}\"]\n[Site \"S\"]\n[Date \"{date}\"]\n[Round \"{round}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"*\"]\n\n{moves} *\n\n"
        );
    }
    text
}

fn three() -> Dir {
    let dir = Dir::new();
    for (name, seed, count) in [("a", 1, 300), ("b", 2, 1), ("c", 3, 700)] {
        dir.put(&format!("{name}.pgn"), games(seed, count));
        dir.pack(&format!("{name}.pgn"));
    }
    dir.put("empty.pgn", "");
    // An input without a game is said, with exit code 1.
    dir.run(&["pack", "-q", "empty.pgn"]).exits(1);
    dir
}

fn texts(dir: &Dir, archive: &str) -> Vec<String> {
    let archive = Archive::open(dir.path().join(archive)).unwrap();
    archive
        .games()
        .map(|game| String::from_utf8_lossy(&game.unwrap().pgn).into_owned())
        .collect()
}

#[test]
fn segments_follow_one_another() {
    let dir = three();
    let mut unfinished = dir.read("c.pgc");
    let whole = unfinished.clone();
    // Zeros between segments mean nothing, and are not copied.
    unfinished.extend([0, 0]);
    unfinished.extend([0xff; 8]);
    unfinished.extend([1, 2, 3]);
    dir.put("u.pgc", &unfinished);
    let expected = [
        dir.read("a.pgc"),
        dir.read("empty.pgc"),
        whole,
        dir.read("b.pgc"),
    ]
    .concat();
    let all = [
        "merge",
        "a.pgc",
        "empty.pgc",
        "u.pgc",
        "b.pgc",
        "-o",
        "all.pgc",
    ];
    dir.run(&all)
        .exits(0)
        .says("4 sources, 1,001 games")
        .says("an unfinished addition of 11 bytes");
    assert!(dir.read("all.pgc") == expected);
    dir.assert_index("all.pgc");
    // Without one of the indexes, the same.
    fs::remove_file(dir.path().join("a.pgci")).unwrap();
    let ran = dir
        .run(&[
            "merge", "a.pgc", "c.pgc", "b.pgc", "-o", "some.pgc", "--json",
        ])
        .exits(0);
    assert_eq!(ran.json()["games"], 1001);
    dir.assert_index("some.pgc");
    dir.run(&all).exits(2).says("replace it with -f");
    dir.run(&["merge", "a.pgc", "b.pgc", "-f", "-o", "b.pgc"])
        .exits(2)
        .says("is also an input");
    dir.run(&["merge", "a.pgc", "b.pgn", "-o", "x.pgc"])
        .exits(2)
        .says("is PGN: pack it first");
    dir.put("f.pgc", b"\x05\x06");
    dir.run(&["merge", "a.pgc", "f.pgc", "-o", "x.pgc"])
        .exits(2)
        .says("is not an archive made by pgc");
    // One changed byte in a block.
    let mut wrong = dir.read("c.pgc");
    let middle = wrong.len() / 2;
    wrong[middle] ^= 1;
    dir.put("w.pgc", wrong);
    dir.run(&["merge", "a.pgc", "w.pgc", "-o", "x.pgc"])
        .exits(3)
        .says("checksum");
    assert!(!dir.names().contains(&"x.pgc".to_owned()));
}

/// Date, event, site, round, White, Black.
type SortKey = (
    (u32, bool, usize),
    (String, String),
    (u8, Vec<u64>, String),
    (String, String),
    String,
    String,
);

/// The rules of section 12, written down once more, slowly.
fn sort_key(game: &str) -> SortKey {
    let tag = |name: &str| {
        let begin = format!("[{name} \"");
        game.lines()
            .find_map(|line| line.strip_prefix(&begin))
            .map_or("?", |rest| &rest[..rest.len() - 2])
            .to_owned()
    };
    let date = match tag("Date").as_str() {
        // Odd dates are behind others with the same digits.
        "junk" => (0, true, 0),
        "2001.1.2" => (20_010_102, true, 8),
        date => {
            let digits = date.replace('.', "");
            let known = digits.find('?').unwrap_or(8);
            (digits.replace('?', "0").parse().unwrap(), false, known)
        }
    };
    let round = tag("Round");
    let round = match round.as_str() {
        "?" => (0, vec![], round),
        "-" => (1, vec![], round),
        "final" => (3, vec![], round),
        _ => (
            2,
            round.split('.').map(|n| n.parse().unwrap()).collect(),
            round,
        ),
    };
    let text = game.split_once("\n\n").map_or("", |(_, text)| text);
    let names = (tag("Event"), tag("Site"));
    (
        date,
        names,
        round,
        (tag("White"), tag("Black")),
        tag("Result"),
        text.to_owned(),
    )
}

#[test]
fn sorted_by_all_keys() {
    let dir = three();
    let mut games: Vec<String> = ["a.pgc", "b.pgc", "c.pgc"]
        .iter()
        .flat_map(|name| texts(&dir, name))
        .collect();
    // Games that are equal in all stay in the order of the archives.
    games.sort_by_key(|game| sort_key(game));
    dir.run(&[
        "find",
        "--sort",
        "standard",
        "a.pgc",
        "b.pgc",
        "empty.pgc",
        "c.pgc",
        "-o",
        "all.pgc",
    ])
    .exits(0)
    .says("1,001 games");
    assert!(texts(&dir, "all.pgc") == games);
    dir.assert_index("all.pgc");
    // Indexes or none, little memory, any order of the archives: the same games.
    fs::remove_file(dir.path().join("c.pgci")).unwrap();
    dir.run(&[
        "merge",
        "-q",
        "--sorted",
        "a.pgc",
        "b.pgc",
        "empty.pgc",
        "c.pgc",
        "-o",
        "again.pgc",
        "--memory",
        "64k",
        "-j1",
    ])
    .exits(0);
    assert!(texts(&dir, "again.pgc") == games);
    assert!(dir.names().iter().all(|name| !name.starts_with(".pgc-")));
}

/// What the files of a split hold, by their names.
fn files(dir: &Dir, folder: &str) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir.path().join(folder)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(stem) = name.strip_suffix(".pgc") {
            found.insert(stem.to_owned(), texts(dir, &format!("{folder}/{name}")));
        }
    }
    found
}

#[test]
fn split_by_everything() {
    let dir = three();
    let all = texts(&dir, "c.pgc");
    let trimmed = |games: &[String]| {
        games
            .iter()
            .map(|game| game.trim_end().to_owned())
            .collect::<Vec<_>>()
    };
    for (by, key) in [
        (
            "year",
            (|game| vec![format!("{:04}", sort_key(game).0.0 / 10_000)]) as fn(&str) -> Vec<String>,
        ),
        ("month", |game| {
            vec![format!("{:06}", sort_key(game).0.0 / 100)]
        }),
        ("event", |game| {
            let event = sort_key(game).1;
            vec![match event.0.as_str() {
                "B/C" => "B_C".into(),
                "con" => "_con".into(),
                ".." => "?".into(),
                "" => "?".into(),
                _ => event.0,
            }]
        }),
        ("player", |game| {
            let (_, _, _, (white, black), ..) = sort_key(game);
            BTreeSet::from([white, black])
                .iter()
                .map(|name| name.split(',').next().unwrap().to_owned())
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect()
        }),
    ] {
        let mut expected: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for game in &all {
            for key in key(game) {
                expected.entry(key).or_default().push(game.clone());
            }
        }
        let split = dir.run(&["split", "c.pgc", "--by", by, "-o", by]);
        let split = split.says("files");
        if by == "event" {
            split
                .exits(1)
                .says("B_C.pgc: the name \"B/C\" cannot be used for this file")
                .says("_con.pgc: the name \"con\" cannot be used for this file");
        } else {
            split.exits(0);
        }
        let found = files(&dir, by);
        // Names that are one for some file system get numbers, in the order in which they come, and
        // so do those of nobody.
        let plain: BTreeMap<&String, &Vec<String>> = found
            .iter()
            .filter(|(name, _)| expected.contains_key(*name))
            .collect();
        for (name, games) in &plain {
            assert_eq!(trimmed(games), trimmed(&expected[*name]), "{by}: {name}");
        }
        let mut left: Vec<_> = expected
            .iter()
            .filter(|(name, _)| !plain.contains_key(name))
            .collect();
        left.sort();
        assert_eq!(
            found.len(),
            if by == "event" {
                expected.len() + 1
            } else {
                expected.len()
            },
            "{by}: {:?}",
            found.keys()
        );
        let count =
            |files: &BTreeMap<String, Vec<String>>| files.values().map(Vec::len).sum::<usize>();
        assert_eq!(count(&found), count(&expected), "{by}");
        for name in found.keys() {
            dir.assert_index(&format!("{by}/{name}.pgc"));
        }
    }
    // As text, and each file a number of games.
    dir.run(&[
        "split",
        "c.pgc",
        "--by",
        "games=300",
        "--format",
        "pgn",
        "-o",
        "n",
    ])
    .exits(0)
    .says("3 files, 700 games");
    let text: Vec<u8> = (1..=3)
        .flat_map(|i| dir.read(&format!("n/c-{i}.pgn")))
        .collect();
    assert_eq!(text, dir.read("c.pgn"));
    // The default folder; nothing is replaced unless that is wanted, and then nothing is written at
    // all.
    dir.run(&["split", "-q", "c.pgc", "--by", "games=300"])
        .exits(0);
    fs::remove_file(dir.path().join("c/c-1.pgc")).unwrap();
    dir.run(&["split", "c.pgc", "--by", "games=300"])
        .exits(2)
        .says("already exists");
    assert!(!dir.path().join("c/c-1.pgc").exists());
    dir.run(&["split", "-q", "-f", "c.pgc", "--by", "games=300"])
        .exits(0);
    dir.run(&["split", "c.pgc", "--by", "games=0"])
        .exits(2)
        .says("or games=N");
    dir.run(&["split", "c.pgc", "--by", "bogus"])
        .exits(2)
        .says("games=N");
}

/// Games of several sources stand one empty line apart, in the line ends of the game before.
#[test]
fn an_empty_line_stands_between_games() {
    for (end, between) in [
        ("\n\n", ""),
        ("\n", "\n"),
        ("", "\n\n"),
        ("\r\n", "\r\n"),
        ("\n\n ", "\n"),
    ] {
        let first = format!("1. e4 *{end}");
        let mut joiner = Joiner::default();
        assert_eq!(joiner.next(first.as_bytes()), [&b""[..], first.as_bytes()]);
        let next = &b"1. d4 *\n"[..];
        assert_eq!(joiner.next(next), [between.as_bytes(), next], "{end:?}");
    }
}

/// Split and merged again, everything is there: on the samples and on whatever corpus there is.
#[test]
fn split_and_merged_again() {
    let dir = Dir::new();
    let mut inputs: Vec<_> =
        fs::read_dir(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "pgn"))
            .collect();
    if let Some(corpus) = crate::support::shared("PGC_CORPUS", "corpora") {
        let annotated = pgc_io::walk::folder(corpus.join("annotated")).unwrap_or_default();
        inputs.extend(
            annotated
                .into_iter()
                .filter(|path| fs::metadata(path).is_ok_and(|m| m.len() < 300_000))
                .take(25),
        );
    }
    for (number, input) in inputs.iter().enumerate() {
        let archive = format!("{number}.pgc");
        dir.run(&[
            "pack",
            "-q",
            "--no-verify",
            &input.to_string_lossy(),
            "-o",
            &archive,
        ])
        .exits(0);
        let folder = format!("d{number}");
        dir.run(&["split", "-q", "--by", "year", &archive, "-o", &folder])
            .exits(0);
        let mut parts: Vec<String> = files(&dir, &folder)
            .keys()
            .map(|name| format!("{folder}/{name}.pgc"))
            .collect();
        parts.sort();
        let games = |archive: &str| {
            let mut games: Vec<Vec<u8>> = Archive::open(dir.path().join(archive))
                .unwrap()
                .games()
                .map(|game| game.unwrap().pgn.trim_ascii().to_vec())
                .collect();
            games.sort();
            games
        };
        let before = games(&archive);
        let mut apart: Vec<Vec<u8>> = parts.iter().flat_map(|part| games(part)).collect();
        apart.sort();
        let close = |a: &[Vec<u8>], b: &[Vec<u8>]| {
            a.len() == b.len()
                && a.iter()
                    .zip(b)
                    .all(|(a, b)| b.starts_with(a) || a.starts_with(b) || a == b)
        };
        assert!(
            close(&before, &apart),
            "{}: {} and {} games",
            input.display(),
            before.len(),
            apart.len()
        );
        if parts.is_empty() {
            continue;
        }
        let mut args = vec!["find", "-q", "--sort", "standard", "-o"];
        let merged = format!("{number}.merged.pgc");
        args.push(&merged);
        args.extend(parts.iter().map(String::as_str));
        dir.run(&args).exits(0);
        assert_eq!(games(&merged).len(), before.len(), "{}", input.display());
    }
}

#[test]
fn recovery_data_of_an_archive_that_is_replaced_are_told_of() {
    let dir = Dir::new();
    for name in ["a", "b"] {
        dir.put(&format!("{name}.pgn"), "1. e4 *\n\n".repeat(100));
        dir.pack(&format!("{name}.pgn"));
    }
    dir.run(&["protect", "-q", "a.pgc"]).exits(0);
    let told = "a.pgcr: protects the archive as it was: make it again with `pgc protect -f a.pgc`";
    dir.put("a.pgn", "1. d4 *\n\n".repeat(90));
    dir.run(&["pack", "-f", "a.pgn"]).exits(0).says(told);
    dir.run(&["merge", "-f", "b.pgc", "b.pgc", "-o", "a.pgc"])
        .exits(0)
        .says(told);
    let ran = dir.run(&["pack", "b.pgn", "-f"]).exits(0);
    assert!(!ran.stderr.contains("protect"), "{}", ran.stderr);
}
