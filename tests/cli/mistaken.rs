//! Files that are given in the place of others, and names that no file can have.

use crate::cli::io::{gzip, zip};
use crate::cli::program::Dir;
use crate::support::options;
use pgc::NoHooks;
use pgc::pack;

const ONE: &str = "[Event \"One\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n";

/// A game as the program pgn2pgc writes it: seven values without markers behind 0x05, then a tag
/// pair. Hand-made.
const PGN2PGC: &[u8] = b"\x05\x01?\x00\x00\x00\x01W\x01B\x01*\x02\x03ECO\x03D17\x06";

fn dir() -> Dir {
    let dir = Dir::new();
    dir.put("a.pgn", ONE);
    dir.pack("a.pgn");
    dir
}

#[test]
fn indexes_and_streams_of_others_are_no_inputs() {
    let dir = dir();
    let (archive, index) = (dir.read("a.pgc"), dir.read("a.pgci"));
    for (name, bytes, says) in [
        ("x.pgci", &index[..], "is the index of an archive"),
        ("x.pgc", b"\x05\x06", "is PGC made by another program"),
        (
            "x.PGC",
            b"\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00",
            "is PGC made by another program",
        ),
    ] {
        dir.put(name, bytes);
        dir.put(&format!("{name}.gz"), gzip(bytes));
        dir.put("x.zip", zip(&[("a.pgn", ONE.as_bytes()), (name, bytes)]));
        for input in [name, &format!("{name}.gz"), "x.zip"] {
            dir.run(&["pack", input, "-o", "out.pgc"])
                .exits(2)
                .says(says);
            dir.run(&["pack", "a.pgn", input, "-o", "out.pgc"])
                .exits(2)
                .says(says);
            dir.run(&["add", "a.pgc", input]).exits(2).says(says);
            dir.run(&["try", input]).exits(2).says(says);
        }
        if !says.contains("another program") {
            dir.feed(&["pack", "-", "-o", "out.pgc"], bytes)
                .exits(2)
                .says(says);
        }
    }
    assert!(!dir.names().contains(&"out.pgc".to_owned()));
    assert!(dir.read("a.pgc") == archive);
}

#[test]
fn what_only_resembles_an_archive_is_packed() {
    let dir = Dir::new();
    let mut jpeg = b"\xff\xd8\xff\xe0\x00\x10JFIF".to_vec();
    jpeg.extend((0..60_000_u32).map(|i| (i * i % 251) as u8));
    for bytes in [
        &jpeg[..],
        b"",
        b"\n",
        b"\n\x12\0pgc",
        b"\n\x12\0pgcX",
        b"\x89PGC",
        b"\x05\x06",
        b"\0\0\0",
        b"\x01",
    ] {
        dir.put("x.bin", bytes);
        dir.run(&["pack", "-q", "-f", "x.bin", "-o", "x.pgc"])
            .exits(1)
            .says("has no game");
        dir.run(&["unpack", "-q", "-f", "x.pgc", "-o", "y.bin"])
            .exits(0);
        assert!(dir.read("y.bin") == bytes, "{bytes:?}");
    }
}

/// Every command that reads archives, with the file in the place of one.
fn reading(file: &str) -> Vec<Vec<&str>> {
    vec![
        vec!["unpack", "-c", file],
        vec!["test", file],
        vec!["info", "--sources", file],
        vec!["info", file],
        vec!["records", file],
        vec!["find", "--count", file],
        vec!["get", file, "1"],
        vec!["names", file],
        vec!["index", file, "-o", "out.pgci"],
        vec!["index", "--verify", file],
        vec!["split", "--by", "year", file, "-o", "out"],
        vec!["merge", file, "a.pgc", "-o", "out.pgc"],
        vec!["add", file, "a.pgn"],
    ]
}

#[test]
fn what_stands_in_the_place_of_an_archive_is_named() {
    let dir = dir();
    dir.put("b.pgn", format!("\u{feff}\n{ONE}"));
    dir.put("c.pgn", "1. e4 *\n");
    dir.put("d.txt", format!("\r\n\r\n{ONE}"));
    dir.put("e.pgn.gz", gzip(ONE.as_bytes()));
    for file in ["a.pgn", "b.pgn", "c.pgn", "d.txt", "e.pgn.gz"] {
        let before = dir.read(file);
        for args in reading(file) {
            dir.run(&args)
                .exits(2)
                .says(&format!("is PGN: pack it first (`pgc pack {file}`)"));
        }
        assert!(dir.read(file) == before);
    }
    for args in reading("a.pgci") {
        dir.run(&args)
            .exits(2)
            .says("a.pgci: is the index of an archive: name the archive instead");
    }
    dir.feed(&["test", "-"], ONE.as_bytes())
        .exits(2)
        .says("is PGN: pack it first");
    dir.put("folder/x", "");
    dir.run(&["index", "--verify", "folder"])
        .exits(2)
        .says("folder: ");
    dir.run(&["index", "--verify", "none.pgc"])
        .exits(2)
        .says("none.pgc: ");
    // Some commands read compressed archives; the others say what to do.
    dir.put("a.pgc.gz", gzip(&dir.read("a.pgc")));
    for args in reading("a.pgc.gz") {
        let reads = ["unpack", "test", "info", "records"].contains(&args[0]);
        let ran = dir.run(&args);
        if reads {
            ran.exits(0)
        } else {
            ran.exits(2).says("decompress")
        };
    }
    assert!(
        !dir.names().iter().any(|name| name.starts_with("out.")),
        "{:?}",
        dir.names()
    );
}

#[test]
fn a_file_of_pgn2pgc_is_known() {
    let dir = dir();
    dir.put("old.pgc", PGN2PGC);
    for args in reading("old.pgc") {
        dir.run(&args)
            .exits(2)
            .says("old.pgc: is a file of the program pgn2pgc")
            .says("--dialect pgn2pgc");
    }
    let ran = dir
        .run(&["unpack", "-q", "-c", "--dialect", "pgn2pgc", "old.pgc"])
        .exits(0);
    assert!(ran.stdout().contains("[ECO \"D17\"]"));
    // What conforms is never taken for one, and what is damaged stays so.
    for (bytes, exit) in [
        (&b"\x05\x02\x01E\x01x\x06"[..], 0),
        (b"\x05\x06", 0),
        (b"\x05\x0b", 3),
    ] {
        dir.put("other.pgc", bytes);
        dir.run(&["test", "other.pgc"]).exits(exit);
    }
}

#[test]
fn sources_with_names_that_no_file_can_have_are_unpacked() {
    let dir = Dir::new();
    let long = "x".repeat(300) + ".pgn";
    let names = [
        "a.pgn",
        "../a.pgn",
        "a\\b.pgn",
        "..",
        "c:d.pgn",
        "e\x1b\n.pgn",
        &long,
        "a.pgn",
        "z.pgn",
    ];
    let mut archive = Vec::new();
    for name in names {
        let source = format!("1. e4 {{{}}} *\n", name.escape_debug());
        pack(
            &mut source.as_bytes(),
            name,
            &mut archive,
            &options(true, 1),
            &mut NoHooks,
        )
        .unwrap();
    }
    dir.put("all.pgc", &archive);
    let ran = dir
        .run(&["unpack", "-q", "all.pgc", "-o", "out/"])
        .exits(1)
        .says("a_b.pgn: the name of the source");
    assert_eq!(
        ran.stderr.matches("cannot be used for a file here").count(),
        6,
        "{}",
        ran.stderr
    );
    let cut = "x".repeat(251) + ".pgn";
    let files = [
        "a.pgn", ".._a.pgn", "a_b.pgn", "_..", "c_d.pgn", "e__.pgn", &cut, "a-2.pgn", "z.pgn",
    ];
    for (name, file) in names.iter().zip(files) {
        let source = format!("1. e4 {{{}}} *\n", name.escape_debug());
        assert_eq!(
            String::from_utf8(dir.read(&format!("out/{file}"))).unwrap(),
            source,
            "{name:?}"
        );
    }
    assert_eq!(dir.names(), ["all.pgc", "out"]);
}
