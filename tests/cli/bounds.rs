//! What may be asked, claimed or given is bounded, and nothing is written that nobody asked for.

use std::fs;

use pgc::foreign::sgf::write::put_sgf;
use pgc::lint::{LintOptions, lint};
use pgc::stream::reader::{ArchivePart, ArchiveReader};
use pgc::{Archive, Finding, NoHooks};
use pgc_io::input::{Counter, Input};
use pgc_pgn::epd::game::Plies;
use pgc_pgn::reader::MAX_TAG_PAIRS;

use crate::cli::failures::games;
use crate::cli::io::zip;
use crate::cli::program::Dir;
use crate::support::alloc::peak;
use crate::support::{archive_of, packed, small_of, unpacked};

/// The places of a signature in bytes.
fn places(bytes: &[u8], signature: &[u8]) -> Vec<usize> {
    memchr::memmem::find_iter(bytes, signature).collect()
}

/// The name of the error that opening these bytes as an input gives.
fn opening(bytes: &[u8]) -> Option<String> {
    let opened = Input::from_reader(
        "a.zip",
        std::io::Cursor::new(bytes.to_vec()),
        &Counter::default(),
    );
    opened.err().map(|error| error.to_string())
}

#[test]
fn zip_entries_share_no_bytes() {
    // Offsets in an entry of the directory: the length of the data, and the place of the local header.
    const LENGTH: usize = 20;
    const HEADER: usize = 42;
    let text = games(3);
    let whole = zip(&[("a.pgn", text.as_bytes()), ("b.pgn", text.as_bytes())]);
    assert_eq!(opening(&whole), None);
    let directory = places(&whole, b"PK\x01\x02");
    let locals = places(&whole, b"PK\x03\x04");
    assert_eq!((directory.len(), locals.len()), (2, 2));
    let put = |bytes: &mut Vec<u8>, at: usize, number: usize| {
        bytes[at..at + 4].copy_from_slice(&u32::try_from(number).unwrap().to_le_bytes());
    };
    // Both entries have the data of the first.
    let mut same = whole.clone();
    put(&mut same, directory[1] + HEADER, locals[0]);
    // The data of the first entry reach one byte into the second.
    let mut longer = whole.clone();
    let header = 30 + "a.pgn".len();
    put(
        &mut longer,
        directory[0] + LENGTH,
        locals[1] - locals[0] - header + 1,
    );
    for bytes in [&same, &longer] {
        let error = opening(bytes).unwrap();
        assert!(error.contains("shares bytes with another entry"), "{error}");
    }
    // The order of the directory does not matter.
    let (first, second) = (directory[0], directory[1]);
    let end = places(&whole, b"PK\x05\x06")[0];
    let turned = [
        &whole[..first],
        &whole[second..end],
        &whole[first..second],
        &whole[end..],
    ]
    .concat();
    assert_eq!(opening(&turned), None);
}

#[test]
fn salvage_of_nothing_writes_nothing() {
    let dir = Dir::new();
    dir.put("a.pgn", games(5));
    dir.put("none.pgn", "");
    dir.run(&["pack", "-q", "a.pgn"]).exits(0);
    dir.run(&["pack", "-q", "none.pgn"]).exits(1);
    let whole = dir.read("a.pgc");
    // The escapes of pgc: the head first, then that of the block, and the tail last.
    let escapes: Vec<usize> = places(&whole, b"pgc").iter().map(|at| at - 3).collect();
    assert!(escapes.len() > 2 && escapes[0] == 0, "{escapes:?}");
    // One bit of the records of the only block; the head of the archive alone; its tail alone;
    // zeros; and what is no archive.
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    let last = escapes[escapes.len() - 1];
    for (what, bytes) in [
        ("flipped", &flipped[..]),
        ("begun", &whole[..escapes[1]]),
        ("ended", &whole[last..]),
        ("zeros", &[0; 4096][..]),
        ("noise", &[0x7f, 1, 0xfe, 3, 9].repeat(50)[..]),
    ] {
        dir.put("broken.pgc", bytes);
        dir.run(&["pack", "-q", "-f", "a.pgn", "-o", "good.pgc"])
            .exits(0);
        let before = (dir.names(), dir.read("good.pgc"), dir.read("good.pgci"));
        for out in ["good.pgc", "new.pgc", "new.pgcz"] {
            let ran = dir.run(&["salvage", "-f", "broken.pgc", "-o", out]);
            let said = ran.stderr.clone();
            let code = if what == "noise" { 2 } else { 3 };
            assert_eq!(ran.output.status.code(), Some(code), "{what}: {said}");
            assert!(said.contains("was found"), "{what}: {said}");
        }
        assert!(
            (dir.names(), dir.read("good.pgc"), dir.read("good.pgci")) == before,
            "{what}"
        );
    }
    // A source without games is whole.
    dir.run(&["salvage", "-q", "none.pgc", "-o", "same.pgc"])
        .exits(0);
    assert!(dir.read("same.pgc") == dir.read("none.pgc"));
}

#[test]
fn a_repaired_archive_does_not_keep_an_old_index() {
    let dir = Dir::new();
    dir.put("a.pgn", games(30));
    dir.put("b.pgn", games(2));
    dir.run(&["pack", "-q", "a.pgn"]).exits(0);
    dir.run(&["protect", "-q", "a.pgc"]).exits(0);
    let (whole, index) = (dir.read("a.pgc"), dir.read("a.pgci"));
    dir.run(&["pack", "-q", "b.pgn"]).exits(0);
    let mut hurt = whole.clone();
    hurt[whole.len() / 2] ^= 1;
    dir.put("a.pgc", &hurt);
    dir.run(&["repair", "-f", "a.pgc", "-o", "b.pgc"])
        .exits(0)
        .says("b.pgci: ");
    assert!(dir.read("b.pgc") == whole && dir.read("b.pgci") == index);
    dir.run(&["test", "-q", "b.pgc"]).exits(0);
    // An archive that stays damaged has no index.
    hurt.iter_mut().for_each(|byte| *byte ^= 0x40);
    let length = hurt.len();
    dir.put("a.pgc", [&whole[..100], &hurt[100..length]].concat());
    dir.run(&["repair", "-f", "--partial", "a.pgc", "-o", "b.pgc"])
        .exits(3)
        .says("b.pgci: was removed");
    assert!(!dir.names().contains(&"b.pgci".to_owned()));
    // Where there was no index, there is none; and what is no index stays.
    dir.put("a.pgc", &whole);
    dir.put("c.pgci", "words");
    dir.run(&["repair", "-f", "a.pgc", "-o", "b.pgc"]).exits(0);
    dir.run(&["repair", "a.pgc", "-o", "c.pgc"]).exits(0);
    assert!(!dir.names().contains(&"b.pgci".to_owned()));
    assert_eq!(dir.read("c.pgci"), b"words");
}

#[test]
fn every_game_is_changed_in_place_only_if_asked() {
    let dir = Dir::new();
    dir.put("a.pgn", games(3));
    dir.run(&["pack", "-q", "a.pgn"]).exits(0);
    let before = dir.read("a.pgc");
    for change in [
        &["--set", "Source=x"][..],
        &["--unset", "Round"],
        &["--set-opening"],
        &["--rename-player", "A", "B", "--set", "Source=x"],
    ] {
        let args = [&["edit", "a.pgc"], change].concat();
        dir.run(&[&args[..], &["--in-place"]].concat())
            .exits(2)
            .says("say so with --all");
        assert!(dir.read("a.pgc") == before);
        // What keeps the old archive does not ask.
        let code = dir
            .run(&[&args[..], &["--dry-run"]].concat())
            .output
            .status
            .code();
        assert!(matches!(code, Some(0 | 1)), "{change:?}");
        dir.run(&[&args[..], &["--in-place", "--all", "-d", "1990"]].concat())
            .exits(2)
            .says("--all cannot be used with a question");
    }
    // A rename names its games.
    dir.run(&[
        "edit",
        "a.pgc",
        "--in-place",
        "--rename-player",
        "Nobody",
        "B",
    ])
    .exits(1);
    dir.run(&[
        "edit",
        "-q",
        "a.pgc",
        "--in-place",
        "--all",
        "--set",
        "Source=x",
    ])
    .exits(0);
    let found = dir.run(&["find", "-q", "a.pgc", "--tag", "Source=x", "--count"]);
    assert_eq!(found.exits(0).stdout(), "3\n");
}

#[test]
fn csv_is_data_and_safe_on_request() {
    const NAMES: [&str; 5] = ["=1+2", "+x", "-5", "@a\u{1b}[1m", "\tb"];
    let dir = Dir::new();
    let game = |name: &str| {
        format!(
            "[Event \"E\"]\n[White \"{name}\"]\n[Black \"B, C\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n"
        )
    };
    dir.put("a.pgn", NAMES.map(game).concat());
    dir.run(&["pack", "-q", "a.pgn"]).exits(0);
    let out = |args: &[&str]| dir.run(args).exits(0).output.stdout;
    // The second field of each line.
    let whites = |bytes: Vec<u8>| -> Vec<String> {
        let mut reader = csv::Reader::from_reader(&bytes[..]);
        let names = reader.headers().unwrap().clone();
        let at = names
            .iter()
            .position(|name| ["white", "name", "player"].contains(&name));
        let field = |line: csv::StringRecord| line[at.unwrap()].to_owned();
        let all = reader.records().map(|line| field(line.unwrap()));
        let mut all: Vec<String> = all.filter(|name| name != "B, C").collect();
        all.sort();
        all
    };
    let mut exact = NAMES.map(str::to_owned);
    let mut safe = ["'=1+2", "'+x", "-5", "'@a\u{1b}[1m", "'\tb"].map(str::to_owned);
    exact.sort();
    safe.sort();
    for args in [
        &[
            "find",
            "-q",
            "a.pgc",
            "--format",
            "csv",
            "--columns",
            "number,white",
        ][..],
        &["names", "-q", "a.pgc", "--format", "csv"],
        &["table", "-q", "a.pgc", "--csv"],
        &["table", "-q", "a.pgc", "--csv", "--rounds"],
    ] {
        assert_eq!(whites(out(args)), exact, "{args:?}");
        let args = [args, &["--csv-safe"]].concat();
        assert_eq!(whites(out(&args)), safe, "{args:?}");
    }
    dir.run(&["find", "-q", "a.pgc", "-o", "a.csv", "--csv-safe"])
        .exits(0);
    assert_eq!(whites(fs::read(dir.path().join("a.csv")).unwrap()), safe);
    let no_csv = "--csv-safe belongs to CSV";
    for (args, why) in [
        (&["find", "a.pgc", "--csv-safe"][..], no_csv),
        (
            &["find", "a.pgc", "--csv-safe", "--count"],
            "'--csv-safe' cannot be used with '--count'",
        ),
        (&["names", "a.pgc", "--csv-safe", "--json"], no_csv),
        (&["table", "a.pgc", "--csv-safe"], no_csv),
    ] {
        dir.run(args).exits(2).says(why);
    }
}

fn tag_pairs(count: usize) -> String {
    let pairs: String = (0..count).map(|n| format!("[T{n} \"x\"]\n")).collect();
    pairs + "\n1. e4 *\n"
}

#[test]
fn a_game_has_so_many_tag_pairs_at_most() {
    for (count, text_only) in [(MAX_TAG_PAIRS, 0), (MAX_TAG_PAIRS + 1, 1)] {
        let text = tag_pairs(count);
        let (archive, summary) = packed(text.as_bytes(), true).unwrap();
        assert_eq!(
            (summary.games, summary.text_only),
            (1, text_only),
            "{count}"
        );
        assert!(unpacked(&archive).unwrap() == text.as_bytes());
    }
}

/// A block may claim any number of them in a few bytes each: the reader keeps no more than a game
/// may have.
#[test]
fn more_tag_pairs_in_a_block_are_damage() {
    let archive = archive_of(b"[A \"1\"]\n\n1. e4 *\n");
    let mut reader = ArchiveReader::new(&*archive);
    let mut out = Vec::new();
    while let Some(part) = reader.next_part().unwrap() {
        match part {
            ArchivePart::Head(head) => head.put(&mut out),
            ArchivePart::Block(mut head, records, _) => {
                let more = b"\x02\x01A\x00".repeat(8_000_000);
                let records = [&records[..1], &more, &records[1..]].concat();
                head.records = records.len() as u64;
                head.crc = crc32fast::hash(&records);
                head.put(&mut out);
                out.extend_from_slice(&records);
            }
            ArchivePart::Tail(tail) => tail.put(&mut out),
            other => panic!("{other:?}"),
        }
    }
    let (unpacked, most) = peak(|| unpacked(&out));
    let error = unpacked.unwrap_err().to_string();
    assert!(
        error.contains("more tag pairs than a game may have"),
        "{error}"
    );
    assert!(most < 160 << 20, "{most}");
}

/// Comments that have as many parts as bytes: none of the lists that are made of them is much longer
/// than they are.
#[test]
fn packing_small_takes_memory_for_the_text_and_not_for_its_parts() {
    let words: Vec<String> = (0..400_000).map(|n| format!("{n:x}")).collect();
    let one = ["a=", ",", "a1,"].map(|part| format!("{{{}}}", part.repeat((2 << 20) / part.len())));
    let many = (0..150_000).map(|n| format!("{{{},{},{},{}}} ", n % 7, n % 5, n % 3, n % 9));
    let texts = [
        &one[..],
        &[format!("{{{}}}", words.join(",")), many.collect()],
    ]
    .concat();
    for text in texts {
        let text = format!("1. e4 {text} *\n");
        let (small, most) = peak(|| small_of(text.as_bytes(), false).unwrap());
        assert!(unpacked(&small).unwrap() == text.as_bytes());
        // Half of what packing may take; the last text has as many parts as a game may have.
        assert!(most < 128 << 20, "{most}: {}", &text[..20]);
    }
}

/// A game may have 1,048,576 elements, and no command takes more than 256 MiB: 256 bytes for each, of
/// which reading, writing and the program itself need some.
#[test]
fn a_game_takes_memory_for_its_elements() {
    const ELEMS: usize = 60_000;
    // Moves, each with what stands behind it; there `*` is the file's third or sixth rank.
    let line = |elems: usize, behind: &str| -> String {
        let moves = ["Nf3", "Nf6", "Ng1", "Ng8"]
            .iter()
            .zip(["3", "6"].iter().cycle());
        let moves: Vec<String> = moves
            .map(|(san, rank)| format!("{san} {} ", behind.replace('*', rank)))
            .collect();
        let moves = moves.iter().map(String::as_str).cycle();
        moves.take(ELEMS / elems).collect()
    };
    let dir = Dir::new();
    for text in [
        line(1, ""),
        line(2, "{a}"),
        line(2, "{[%clk 0:01:00]}"),
        line(2, "$1"),
        line(4, "(a*)"),
        line(6, "{a} (a* {b})"),
        line(11, "(h* {a} $2 (b* $3)) {b}"),
        format!("e4 {}", "(d4) ".repeat(ELEMS / 3)),
        format!("e4 {}", "({a} d4 {b}) ".repeat(ELEMS / 5)),
        format!("e4 {}", "{a} ".repeat(ELEMS)),
        format!("e4 {}", "$1 ".repeat(ELEMS)),
    ] {
        let text = format!("{text}*\n");
        let (_, most) = peak(|| small_of(text.as_bytes(), false).unwrap());
        assert!(most < (8 << 20) + 200 * ELEMS, "{}: {most}", &text[..40]);
        let archive = archive_of(text.as_bytes());
        dir.put("x.pgc", archive);
        let archive = Archive::open(dir.path().join("x.pgc")).unwrap();
        let (game, most) = peak(|| archive.game(1).unwrap());
        assert!(
            !game.moves.is_empty() && game.tail.is_none(),
            "{}",
            &text[..40]
        );
        assert!(most < 230 * ELEMS, "{}: {}", &text[..40], most / ELEMS);
    }
}

/// A FEN, a line of EPD, a time control and a date have few parts: tags that have many take no list
/// of them.
#[test]
fn tags_take_memory_for_their_text() {
    const PARTS: usize = 1 << 20;
    let (begin, dir) = ("4k3/8/8/8/8/8/8/4K3 w - -", Dir::new());
    for tags in [
        format!("[FEN \"{}\"]", "a ".repeat(PARTS)),
        format!("[FEN \"{begin} 0 1{}\"]", " a".repeat(PARTS)),
        format!("[FEN \"{begin} hmvc 3; {}\"]", "a;".repeat(PARTS)),
        format!("[FEN \"{begin} 0 1\"]\n[EPD \"{}\"]", ";".repeat(2 * PARTS)),
        format!("[FEN \"{begin} 0 1\"]\n[EPD \"{}\"]", "a;".repeat(PARTS)),
        format!("[TimeControl \"{}1\"]", "1:".repeat(PARTS)),
        format!("[Date \"{}\"]", ".".repeat(2 * PARTS)),
    ] {
        let text = format!("[Event \"?\"]\n{tags}\n\n*\n");
        let ((), most) = peak(|| read(&dir, &text));
        assert!(
            most < 14 * text.len(),
            "{}: {}",
            &tags[..40],
            most / text.len()
        );
    }
}

/// Reads a game in the ways in which it is packed, fetched and checked.
fn read(dir: &Dir, text: &str) {
    dir.put("x.pgc", archive_of(text.as_bytes()));
    let archive = Archive::open(dir.path().join("x.pgc")).unwrap();
    let game = archive.game(1).unwrap();
    if let Some(positions) = game.positions("x") {
        let written = positions.each(&Plies::End, |position| {
            assert!(!positions.epd(position).to_string().is_empty());
            Ok::<_, ()>(())
        });
        assert_eq!(written, Ok(()));
    }
    put_sgf(&mut Vec::new(), text.as_bytes());
    let strict = LintOptions {
        strict: true,
        threads: 1,
        ..LintOptions::default()
    };
    let ignored = &mut |_, _: &Finding| ();
    lint(&mut text.as_bytes(), &strict, None, ignored, &mut NoHooks).unwrap();
}
