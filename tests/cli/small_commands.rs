//! The commands on archives in the small form, and on archives as inputs.

use std::sync::LazyLock;

use crate::cli::io::{gzip, zip, zstd};
use crate::cli::program::Dir;
use crate::support::gen_pgn::document;
use crate::support::random::Random;

/// A folder with one source, packed in both forms.
fn both() -> (Dir, Vec<u8>) {
    const NAMES: [&str; 5] = [
        "games.pgn",
        "games.pgc",
        "games.pgci",
        "games.pgcz",
        "games.pgczi",
    ];
    static FILES: LazyLock<[Vec<u8>; 5]> = LazyLock::new(|| {
        let dir = Dir::new();
        let mut random = Random::new(21);
        let mut source = Vec::new();
        while source.len() < 400_000 {
            source.extend_from_slice(&document(&mut random, 20));
        }
        source.extend_from_slice(b"\n\n[Event \"Last\"]\n[White \"Tal, Mihail\"]\n\n1. e4 c5 *\n");
        dir.put("games.pgn", &source);
        dir.pack("games.pgn");
        dir.pack_into(&["games.pgn"], "games.pgcz");
        NAMES.map(|name| dir.read(name))
    });
    let dir = Dir::new();
    for (name, bytes) in NAMES.into_iter().zip(&*FILES) {
        dir.put(name, bytes);
    }
    (dir, FILES[0].clone())
}

#[test]
fn names_and_options() {
    let (dir, source) = both();
    let all = [
        "games.pgc",
        "games.pgci",
        "games.pgcz",
        "games.pgczi",
        "games.pgn",
    ];
    assert_eq!(dir.names(), all);
    dir.assert_index("games.pgcz");
    let small = dir.read("games.pgcz");
    assert!(small.len() < dir.read("games.pgc").len() / 2);

    dir.run(&["pack", "-q", "-f", "--small", "games.pgn"])
        .exits(0);
    assert!(dir.read("games.pgcz") == small);
    dir.run(&["pack", "-q", "games.pgn", "-o", "named.pgcz"])
        .exits(0);
    assert!(dir.read("named.pgcz") == small);
    dir.run(&["pack", "-q", "--small", "games.pgn", "-o", "named"])
        .exits(0);
    assert!(dir.read("named") == small && dir.read("named.pgci") == dir.read("games.pgczi"));
    let piped = dir
        .run(&["pack", "-q", "--small", "games.pgn", "-o", "-"])
        .exits(0);
    assert!(piped.output.stdout == small);
    let piped = dir.feed(&["pack", "-q", "--small", "-"], &source).exits(0);
    assert_eq!(piped.output.stdout.len(), small.len());

    for (args, says) in [
        (&["--small", "-o", "x.pgc"][..], ".pgcz"),
        (&["--small", "--standard"], "--standard"),
        (&["--standard", "-o", "x.pgcz"], ".pgc"),
    ] {
        let args = [&["pack", "games.pgn"], args].concat();
        dir.run(&args).exits(2).says(says);
    }
    assert!(!dir.names().iter().any(|name| name.starts_with("x.")));
}

#[test]
fn every_reader() {
    let (dir, source) = both();
    dir.run(&["unpack", "-q", "-f", "games.pgcz"]).exits(0);
    assert!(dir.read("games.pgn") == source);
    dir.run(&["test", "-q", "games.pgcz"]).exits(0);
    dir.run(&["test", "-q", "--quick", "games.pgcz"]).exits(0);
    dir.run(&["test", "-q", "games.pgcz", "--against", "games.pgn"])
        .exits(0);
    // The answers are the same but for the name.
    for args in [
        &["info", "--sources"][..],
        &["find", "-p", "tal", "--format", "pgn"],
        &["find", "--moves", "1. e4", "--format", "addresses"],
        &["find", "--tag", "Event=last", "--format", "csv"],
        &["names"],
        &["get", "--format", "json"],
        &["get"],
        &["get", "--no-index"],
        &["unpack", "-c", "--export"],
    ] {
        let run = |archive: &str| {
            let mut all = vec![args[0], archive];
            if args[0] == "get" {
                all.extend(["1", "17..19", "40.."]);
            }
            all.extend(&args[1..]);
            let stdout = dir.run(&all).exits(0).output.stdout;
            String::from_utf8_lossy(&stdout).replace("games.pgcz", "games.pgc")
        };
        let plain = run("games.pgc");
        assert!(!plain.is_empty() && run("games.pgcz") == plain, "{args:?}");
    }
    dir.run(&["unpack", "-c", "--foreign", "games.pgcz"])
        .exits(2)
        .says("small form");
    let info = dir.run(&["info", "games.pgcz"]).exits(0).stdout();
    assert!(
        info.contains("in the small form") && info.contains("stream M"),
        "{info}"
    );
    let json = dir.run(&["info", "--json", "games.pgcz"]).exits(0).json();
    assert!(json["bytes_by_stream"]["M"].as_u64() > Some(1000));
    assert_eq!(json["sources"][0]["form"], "small");
    assert_eq!(json["archive_bytes"], dir.read("games.pgcz").len());
    let records = dir.run(&["records", "games.pgcz"]).exits(0).stdout();
    assert!(records.contains("\n+0000000  ") && records.ends_with('\n'));
}

#[test]
fn archives_convert_into_each_other() {
    let (dir, source) = both();
    let (plain, small) = (dir.read("games.pgc"), dir.read("games.pgcz"));
    dir.put("in/games.pgc", &plain);
    dir.put("in/games.pgcz", &small);
    dir.run(&["pack", "-q", "--small", "in/games.pgc"])
        .exits(2)
        .says("-f");
    dir.run(&["pack", "-q", "-f", "--small", "in/games.pgc"])
        .exits(0);
    assert!(dir.read("in/games.pgcz") == small);
    dir.run(&["pack", "-q", "-f", "in/games.pgcz"]).exits(0);
    assert!(dir.read("in/games.pgc") == plain);
    assert!(dir.read("in/games.pgci") == dir.read("games.pgci"));
    assert!(dir.read("in/games.pgczi") == dir.read("games.pgczi"));
    // An archive in its own form goes nowhere: the output would be the input.
    dir.run(&["pack", "-q", "-f", "in/games.pgc"])
        .exits(2)
        .says("also an input");

    // Compressed, from a pipe, in a zip file, beside text; their sources have their own names.
    dir.put("x.pgc.zst", zstd(&plain));
    dir.run(&["pack", "-q", "x.pgc.zst", "-o", "a.pgcz"])
        .exits(0);
    assert!(dir.read("a.pgcz") == small);
    let piped = dir
        .feed(&["pack", "-q", "--small", "-"], &gzip(&plain))
        .exits(0);
    assert!(piped.output.stdout == small);
    dir.put(
        "x.zip",
        zip(&[("one.pgcz", &*small), ("two.pgn", b"1. e4 *\n")]),
    );
    dir.run(&["pack", "-q", "x.zip", "in/games.pgc", "-o", "b.pgc"])
        .exits(0);
    let list = dir
        .run(&["info", "--sources", "--json", "b.pgc"])
        .exits(0)
        .json();
    let names: Vec<_> = (0..3)
        .map(|i| list["sources"][i]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["games.pgn", "two.pgn", "games.pgn"]);
    dir.assert_index("b.pgc");
    dir.run(&["test", "-q", "b.pgc"]).exits(0);

    // The standard's form is made from the texts.
    dir.run(&[
        "pack",
        "-q",
        "--standard",
        "--drop",
        "all",
        "games.pgn",
        "-o",
        "s.pgc",
    ]);
    dir.run(&[
        "pack",
        "-q",
        "--standard",
        "--drop",
        "all",
        "in/games.pgcz",
        "-o",
        "t.pgc",
    ]);
    assert!(dir.read("s.pgc") == dir.read("t.pgc"));
    assert!(source == dir.read("games.pgn"));
}

#[test]
fn damaged_archives_are_no_input() {
    let (dir, _) = both();
    for name in ["games.pgc", "games.pgcz"] {
        let bytes = dir.read(name);
        let mut wrong = bytes.clone();
        wrong[bytes.len() / 2] ^= 1;
        dir.put("wrong", wrong);
        dir.put("cut", &bytes[..bytes.len() - 1]);
        dir.run(&["pack", "-q", "games.pgn", "-f", "-o", "to.pgc"])
            .exits(0);
        let before = dir.read("to.pgc");
        for input in ["wrong", "cut"] {
            for output in ["x.pgc", "x.pgcz"] {
                dir.run(&["pack", "-q", input, "-o", output])
                    .exits(3)
                    .says(input);
                assert!(!dir.names().contains(&output.to_owned()));
                dir.run(&["pack", "-q", "--no-verify", input, "-o", output])
                    .exits(3);
                dir.run(&["merge", "-q", input, "-o", output]).exits(3);
            }
            dir.run(&["add", "-q", "to.pgc", input])
                .exits(3)
                .says(input);
            dir.run(&["add", "-q", "--skip-known", "to.pgc", input])
                .exits(3);
            assert!(dir.read("to.pgc") == before);
        }
    }
    // So is an archive that was cut off while it was compressed, also with --partial.
    let packed = zstd(&dir.read("games.pgcz"));
    dir.put("cut.zst", &packed[..packed.len() / 2]);
    dir.run(&["pack", "-q", "--partial", "cut.zst", "-o", "x.pgc"])
        .exits(2)
        .says("end early");
}

#[test]
fn adding() {
    let (dir, source) = both();
    dir.put("more.pgn", "[Event \"More\"]\n\n1. d4 d5 *\n".repeat(50));
    dir.pack_into(&["more.pgn"], "more.pgc");
    // To a small archive: text, and a plain archive.
    dir.run(&["add", "-q", "games.pgcz", "more.pgn", "more.pgc"])
        .exits(0);
    dir.assert_index("games.pgcz");
    let list = dir
        .run(&["info", "--sources", "--json", "games.pgcz"])
        .exits(0)
        .json();
    for i in 0..3 {
        assert_eq!(list["sources"][i]["form"], "small", "{i}");
    }
    // To a plain one: a small archive of three sources.
    dir.run(&["add", "-q", "more.pgc", "games.pgcz"]).exits(0);
    dir.assert_index("more.pgc");
    let list = dir
        .run(&["info", "--sources", "--json", "more.pgc"])
        .exits(0)
        .json();
    assert_eq!(list["sources"].as_array().unwrap().len(), 4);
    assert!((0..4).all(|i| list["sources"][i]["form"] == "plain"));
    dir.run(&["test", "-q", "more.pgc", "games.pgcz"]).exits(0);
    let text = dir.unpacked("more.pgc");
    let more = dir.read("more.pgn");
    assert!(
        text == [&more, &source, &more, &more]
            .map(|text| text.clone())
            .concat()
    );
    // All games are known.
    let before = dir.read("more.pgc");
    let added = dir
        .run(&["add", "--json", "--skip-known", "more.pgc", "games.pgcz"])
        .exits(0);
    assert_eq!(added.json()["games"], 0);
    assert!(added.json()["known"].as_u64() > Some(50) && dir.read("more.pgc") == before);
    dir.put(
        "new.pgn",
        "[Event \"New\"]\n\n1. c4 *\n\n[Event \"More\"]\n\n1. d4 d5 *\n",
    );
    dir.run(&["pack", "-q", "--small", "new.pgn"]).exits(0);
    let added = dir
        .run(&["add", "--json", "--skip-known", "more.pgc", "new.pgcz"])
        .exits(0);
    assert_eq!(
        (&added.json()["games"], &added.json()["known"]),
        (&1.into(), &1.into())
    );
}

#[test]
fn merging_splitting_and_finding() {
    let (dir, _) = both();
    dir.put(
        "more.pgn",
        "[Event \"More\"]\n[Date \"1999.01.01\"]\n\n1. d4 d5 *\n".repeat(50),
    );
    dir.pack("more.pgn");
    dir.pack_into(&["more.pgn"], "more.pgcz");
    for (output, parts) in [
        ("both.pgc", ["games.pgc", "more.pgc"]),
        ("both.pgcz", ["games.pgcz", "more.pgcz"]),
    ] {
        // Segments of the same form are copied as they are.
        let expected = parts.map(|part| dir.read(part)).concat();
        for inputs in [
            ["games.pgc", "more.pgcz"],
            ["games.pgcz", "more.pgc"],
            parts,
        ] {
            dir.run(&["merge", "-q", "-f", inputs[0], inputs[1], "-o", output])
                .exits(0);
            assert!(dir.read(output) == expected, "{inputs:?} to {output}");
            dir.assert_index(output);
        }
    }
    dir.run(&[
        "find",
        "-q",
        "--sort",
        "standard",
        "games.pgcz",
        "more.pgc",
        "-o",
        "s.pgcz",
    ])
    .exits(0);
    dir.run(&[
        "find",
        "-q",
        "--sort",
        "standard",
        "games.pgc",
        "more.pgcz",
        "-o",
        "s.pgc",
    ])
    .exits(0);
    dir.assert_index("s.pgcz");
    let sorted = |name| dir.unpacked(name);
    assert!(sorted("s.pgcz") == sorted("s.pgc") && !sorted("s.pgc").is_empty());

    let find = ["find", "-q", "both.pgcz", "--event", "more", "-o"];
    for output in ["f.pgc", "f.pgcz"] {
        dir.run(&[&find[..], &[output]].concat()).exits(0);
        let list = dir
            .run(&["info", "--sources", "--json", output])
            .exits(0)
            .json();
        let form = if output == "f.pgc" { "plain" } else { "small" };
        assert_eq!(
            (&list["sources"][0]["games"], &list["sources"][0]["form"]),
            (&50.into(), &form.into())
        );
        dir.assert_index(output);
    }
    // A folder holds archives of both kinds; an archive and its small form are counted once.
    let count = dir
        .run(&["find", "-q", ".", "--event", "more", "--count"])
        .exits(0)
        .stdout();
    assert_eq!(count.trim(), "200");

    dir.run(&["split", "-q", "both.pgcz", "--by", "year", "-o", "small"])
        .exits(0);
    dir.run(&["split", "-q", "both.pgc", "--by", "year", "-o", "plain"])
        .exits(0);
    dir.run(&[
        "split", "-q", "both.pgc", "--by", "year", "--format", "pgcz", "-o", "third",
    ])
    .exits(0);
    assert!(dir.read("small/1999.pgcz") == dir.read("third/1999.pgcz"));
    assert_index_in(&dir, "small/1999.pgcz");
    dir.run(&["pack", "-q", "-f", "small/1999.pgcz", "-o", "back.pgc"])
        .exits(0);
    assert!(dir.read("back.pgc") == dir.read("plain/1999.pgc"));
}

#[track_caller]
fn assert_index_in(dir: &Dir, archive: &str) {
    dir.run(&["index", "-q", "--verify", archive]).exits(0);
}
