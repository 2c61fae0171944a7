//! EPD as a source (PGN 1994, 16.2; D73): each line is a game without play, and every byte comes back.

use std::io::Cursor;

use pgc::indexing::{IndexOptions, Indexing, index};
use pgc::pack::pack_indexed;
use pgc::{
    Error, Finding, Hooks, NoHooks, PackOptions, SegmentForm, SourceText, Summary, TestDepth,
    UnpackOptions, pack, test, unpack,
};
use pgc_index::BuildOptions;

use crate::cli::get::{Dir, Ran};
use crate::support::alloc::peak;
use crate::support::nothing::Nothing;
use crate::support::random::Random;
use crate::support::{Collected, Trickle, options, unpacked};

/// Lines as people and programs write them, good ones and others.
const SUITE: &str = "\u{feff}4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"first\";\n\
    # a comment\n\
    \n\
    r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - bm Bb5 Bc4; eco \"C60\"; fmvn 3; hmvc 2; id \"two\"; nic \"RL 1\"; v0 \"Ruy Lopez\"; v1 \"B\u{e9}k \\\";\n\
    4k3/8/8/8/8/8/4P3/4K3 w - - 7 41\n\
    4k3/8/8/8/8/8/4P3/4K3 w - - 7 41 bm Kd2; am Kf1\n\
    \x20 4k3/8/8/8/8/8/4P3/4K3  w - -\tid \"blanks\";  \r\n\
    4k3/8/8/8/8/8/4P3/4K3 w - -\n\
    4k3/8/8/8/8/8/4P3/4K3 w - - \n\
    4k3/8/8/8/8/8/4P3 w - - id \"a rank is missing\";\n\
    1. e4 e5 *\n\
    brnkqrnb/pppppppp/8/8/8/8/PPPPPPPP/BRNKQRNB w FBfb - id \"nine\"; bm xx;\n\
    4k3/8/8/8/8/8/4P3/4K3 w - x c0 \"no end";

/// What [`SUITE`] is in export format, typed by hand from 8.1, 9.7 and the table of D73.
const EXPORT: &str = include_str!("../data/suite.pgn");

fn epd_options(form: SegmentForm, threads: usize) -> PackOptions {
    PackOptions {
        text: Some(SourceText::Epd),
        form,
        ..options(true, threads)
    }
}

fn packed_as(src: &[u8], options: &PackOptions) -> (Vec<u8>, Summary) {
    let mut out = Vec::new();
    let summary = pack(&mut &*src, "x.epd", &mut out, options, &mut NoHooks).unwrap();
    (out, summary)
}

/// Packs in all ways, and gives the plain archive.
fn round_trip(src: &[u8]) -> (Vec<u8>, Summary) {
    let forms = [SegmentForm::Plain, SegmentForm::Small];
    let made = forms.map(|form| {
        let (archive, summary) = packed_as(src, &epd_options(form, 1));
        assert_eq!(unpacked(&archive).unwrap(), src, "{}", src.escape_ascii());
        test(
            &mut archive.as_slice(),
            &TestDepth::Deep.into(),
            &mut NoHooks,
        )
        .unwrap();
        // Nothing fell back on text, which the proof would have made of it.
        let unproved = PackOptions {
            verify: false,
            ..epd_options(form, 2)
        };
        let mut again = Vec::new();
        let mut slow = Trickle::new(src, 1000);
        pack(&mut slow, "x.epd", &mut again, &unproved, &mut NoHooks).unwrap();
        assert!(again == archive, "{}", src.escape_ascii());
        (archive, summary)
    });
    let [plain, _] = made;
    plain
}

fn exported(archive: &[u8], reduced: bool) -> String {
    let options = UnpackOptions {
        export: true,
        reduced,
        utf8: true,
        threads: 1,
        ..UnpackOptions::default()
    };
    let mut sink = Collected::default();
    unpack(&mut &*archive, &mut sink, &options, &mut NoHooks).unwrap();
    String::from_utf8(sink.sources.into_iter().flat_map(|s| s.1).collect()).unwrap()
}

#[derive(Default)]
struct Told(Vec<String>);

impl Hooks for Told {
    fn finding(&mut self, finding: &Finding) {
        self.0.push(format!("{} {finding}", finding.kind));
    }
}

#[test]
fn a_suite_comes_back_and_its_lines_are_games() {
    for newline in ["\n", "\r\n", "\r"] {
        let src = SUITE.replace("\r\n", "\n").replace('\n', newline);
        round_trip(src.as_bytes());
    }
    let (archive, summary) = round_trip(SUITE.as_bytes());
    assert_eq!((summary.games, summary.whole, summary.plies), (8, 8, 0));
    // The comment and the empty line; the rank and the PGN; the last line.
    assert_eq!(summary.stray_regions, 3);
    assert_eq!(exported(&archive, false), EXPORT);
    assert!(exported(&archive, true).starts_with("[Event \"?\"]\n[Site \"?\"]\n"));
    // Latin-1 comes back as such.
    let latin1: Vec<u8> = SUITE
        .chars()
        .skip(1)
        .map(|c| u8::try_from(c).unwrap())
        .collect();
    let (archive, _) = round_trip(&latin1);
    assert_eq!(exported(&archive, false), EXPORT);
}

#[test]
fn what_is_irregular_or_no_epd_is_told() {
    let mut told = Told::default();
    let options = PackOptions {
        repairs: true,
        ..options(true, 2)
    };
    let text = &mut SUITE.as_bytes();
    let done = pack(text, "x.epd", &mut Vec::new(), &options, &mut told);
    assert_eq!(done.unwrap().repairs, 7);
    let expected = [
        "stray line 2, column 1: not EPD: a comment: \"# a comment\"",
        "repair line 6, column 29, game 4: counters as in a FEN: \"7 41\"",
        "repair line 6, column 42, game 4: am: not in the order of the opcodes: \"am\"",
        "repair line 6, column 48, game 4: the semicolon is missing: \"am\"",
        "repair line 7, column 24, game 5: not one blank: \"  \"",
        "repair line 7, column 31, game 5: not one blank: \"\t\"",
        "stray line 10, column 1: not EPD: not a board: \"4k3/8/8/8/8/8/4P3\"",
        "stray line 11, column 1: not EPD: not a board: \"1.\"",
        "repair line 12, column 65, game 8: bm: not a legal move: \"xx\"",
        "repair line 12, column 65, game 8: bm: not in the order of the opcodes: \"bm\"",
        "stray line 13, column 27: not EPD: not an en passant square: \"x\"",
    ];
    let said: Vec<&str> = told.0.iter().map(String::as_str).collect();
    assert_eq!(said, expected);
}

#[test]
fn odd_bytes_and_lengths_come_back() {
    let line = "4k3/8/8/8/8/8/4P3/4K3 w - - id \"x\";";
    let long = |len: usize| format!("{line} c0 \"{}\";", "x".repeat(len - line.len() - 7));
    for text in [
        String::new(),
        "\n".to_owned(),
        "\r\r\n\n".to_owned(),
        line.to_owned(),
        format!("{line}\r{line}\n\r{line}"),
        format!("{line}\0\n\0{line}\n{line} c0 \"\0\u{1}\u{7f}\u{fa}\";\n"),
        format!("\u{feff}\n\u{feff}{line}\n"),
        // The longest line, one more, and one of many backslashes.
        format!("{}\n{}\n{line}", long(32_768), long(32_769)),
        format!("{line} c0 \"{}\";\n", "\\".repeat(32_000)),
        format!("{line} {}\n", "A;".repeat(16_000)),
        // A line that goes over blocks, at each place of their ends.
        format!("{}\n{line}\n", "y".repeat(700_000)),
        format!("{line}\n{}{line}\n", "y\r".repeat(200_000)),
        format!("{line}\r\n").repeat(20_000),
    ] {
        round_trip(text.as_bytes());
    }
    // Where the line end is around the end of a block of 1 MiB, most of which is no EPD.
    let lines = format!("{line}\r\n").repeat(4);
    let other = format!("{}\r\n", "-".repeat(1022)).repeat(1023);
    for more in 0..line.len() + 6 {
        let begin = "-".repeat((1 << 20) - other.len() - lines.len() - line.len() + more - 6);
        let text = format!("{other}{begin}\r\n{lines}{line}\r\n{line}\r\n{lines}{line}");
        let (archive, summary) = packed_as(text.as_bytes(), &epd_options(SegmentForm::Plain, 1));
        assert_eq!(unpacked(&archive).unwrap(), text.as_bytes());
        assert_eq!(
            (
                summary.games,
                crate::archive::damage::blocks(&archive).len()
            ),
            (11, 2)
        );
    }
}

/// Lines with random changes: whatever they say, every byte comes back, and the records say what the
/// line says.
#[test]
fn changed_lines_come_back() {
    let effort = std::env::var("PGC_TEST_EFFORT").map_or(1, |n| n.parse().unwrap());
    let pieces: [&[u8]; 16] = [
        b"\n",
        b"\r\n",
        b"\r",
        b" ",
        b"  ",
        b"\t",
        b";",
        b"\"",
        b"\\",
        b"\xef\xbb\xbf",
        b"\xa0",
        b"\xc2\xa0",
        b"bm e4;",
        b" 0 1",
        b"eco \"A00\";",
        b"\0",
    ];
    let mut random = Random::new(73);
    for _ in 0..400 * effort {
        let mut text: Vec<u8> = SUITE.bytes().collect();
        let from = random.below(text.len());
        text.drain(..from);
        for _ in 0..random.below(12) {
            let at = random.below(text.len() + 1);
            let to = (at + random.below(3)).min(text.len());
            let piece = match random.below(3) {
                0 => random.bytes(2),
                _ => random.pick(&pieces).to_vec(),
            };
            text.splice(at..to, piece);
        }
        round_trip(&text);
    }
}

/// P6 and P7: the same bytes whatever the threads, and bounded memory.
#[test]
fn many_lines_take_bounded_memory() {
    let lines = SUITE.trim_start_matches('\u{feff}').repeat(8000);
    let one = packed_as(lines.as_bytes(), &epd_options(SegmentForm::Plain, 1));
    let two = packed_as(lines.as_bytes(), &epd_options(SegmentForm::Plain, 4));
    assert!(one == two);
    let ((), most) = peak(|| {
        let mut source = lines.as_bytes();
        let options = epd_options(SegmentForm::Plain, 1);
        pack(
            &mut source,
            "x.epd",
            &mut std::io::sink(),
            &options,
            &mut NoHooks,
        )
        .unwrap();
        let mut archive = one.0.as_slice();
        unpack(
            &mut archive,
            &mut Nothing,
            &UnpackOptions {
                threads: 1,
                ..UnpackOptions::default()
            },
            &mut NoHooks,
        )
        .unwrap();
    });
    assert!(most < 40 << 20, "{most} bytes");
}

#[test]
fn the_index_of_pack_is_that_of_the_archive() {
    let folder = tempfile::tempdir().unwrap();
    let build = BuildOptions {
        memory: 1 << 20,
        temp_dir: folder.path().to_owned(),
        lines: true,
    };
    let (mut archive, mut indexing) = (Vec::new(), Indexing::new(build.clone()));
    let mut src = SUITE.as_bytes();
    pack_indexed(
        &mut src,
        "x.epd",
        &mut archive,
        &options(true, 1),
        &mut NoHooks,
        Some(&mut indexing),
    )
    .unwrap();
    let (mut of_pack, mut of_archive) = (Vec::new(), Vec::new());
    indexing.finish(&mut of_pack).unwrap();
    let options = IndexOptions::new(build, 1);
    index(
        &mut Cursor::new(&archive),
        &mut of_archive,
        &options,
        &mut NoHooks,
    )
    .unwrap();
    assert!(of_pack == of_archive);
}

/// P5: a changed byte is damage, or changes nothing.
#[test]
fn a_changed_byte_is_never_another_text() {
    let (archive, _) = packed_as(SUITE.as_bytes(), &epd_options(SegmentForm::Plain, 1));
    for at in 0..archive.len() {
        for change in [1, 0x40, 0xff] {
            let mut changed = archive.clone();
            changed[at] ^= change;
            match unpacked(&changed) {
                Ok(text) => assert_eq!(text, SUITE.as_bytes(), "byte {at}"),
                Err(Error::Damaged { .. } | Error::Version { .. } | Error::Io(_)) => {}
                Err(other) => panic!("byte {at}: {other}"),
            }
        }
    }
}

#[test]
fn the_standard_alone_holds_the_positions() {
    use pgc::Loss;
    let standard = |drops: &[Loss]| {
        let options = PackOptions {
            standard: Some(drops.to_vec()),
            ..options(true, 1)
        };
        let mut out = Vec::new();
        let done = pack(
            &mut SUITE.as_bytes(),
            "x.epd",
            &mut out,
            &options,
            &mut NoHooks,
        );
        done.map(|summary| (out, summary))
    };
    let Err(Error::Loss(finding, Loss::StrayText)) = standard(&[]) else {
        panic!("text outside games is a loss")
    };
    assert_eq!((finding.line, finding.column), (2, 1));
    let (stream, summary) = standard(&[Loss::StrayText]).unwrap();
    assert_eq!(summary.games, 8);
    assert!(exported(&stream, false).contains("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 7 41\"]"));
}

const LINES: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"pawn\";\n\
    r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - id \"two\"; eco \"C60\"; bm Bb5;\n\
    what\n\
    4k3/8/8/8/8/8/4R3/4K3 b - - 7 41 id \"rook\";\n";

fn suite() -> Dir {
    let dir = Dir::new();
    dir.put("suite.epd", LINES);
    let ran = dir.run(&["pack", "suite.epd"]);
    assert!(
        ran.stderr.contains("3 games (all understood"),
        "{}",
        ran.stderr
    );
    dir
}

#[test]
fn questions_find_the_lines() {
    let dir = suite();
    let find = |question: &[&str]| {
        let args = [&["find", "suite.pgc", "--format", "epd", "-q"], question].concat();
        dir.ends(0, &args)
    };
    let [pawn, two, rook] = [
        "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"pawn\";\n",
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - bm Bb5; eco \"C60\"; id \"two\";\n",
        "4k3/8/8/8/8/8/4R3/4K3 b - - fmvn 41; hmvc 7; id \"rook\";\n",
    ];
    assert_eq!(find(&[]), [pawn, two, rook].concat());
    assert_eq!(find(&["--eco", "C60"]), two);
    assert_eq!(find(&["--material", "KR K"]), rook);
    assert_eq!(find(&["--fen", "4k3/8/8/8/8/8/4P3/4K3 w - -"]), pawn);
    dir.put("two.epd", two);
    assert_eq!(find(&["--fen-file", "two.epd"]), two);
    assert_eq!(find(&["--tag", "EPD=*rook*"]), rook);
    assert_eq!(
        dir.ends(0, &["get", "suite.pgc", "3", "--format", "epd"]),
        rook
    );
    assert_eq!(
        dir.ends(0, &["get", "suite.pgc", "3"]),
        "[Result \"*\"]\n[EPD \"7 41 id \\\"rook\\\";\"]\n[FEN \"4k3/8/8/8/8/8/4R3/4K3 b - - 7 41\"]\n[SetUp \"1\"]\n\n*\n\n"
    );
    assert_eq!(
        dir.ends(0, &["get", "suite.pgc", "2", "--fen"]),
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 1\n"
    );
    // Without the index too.
    let count = ["find", "suite.pgc", "--count", "--material", "KR K"];
    std::fs::remove_file(dir.0.path().join("suite.pgci")).unwrap();
    assert_eq!(dir.ends(0, &count), "1\n");
}

/// An opcode `Variant` is private: whatever it says, the line comes back. Only a question about
/// positions, which needs the rules, passes over it.
#[test]
fn a_variant_that_nobody_knows_keeps_its_line() {
    let text = "8/8/8/4k3/8/4K3/4P3/8 w - - Variant \"Najdorf\"; bm Kd3;\n";
    let dir = Dir::new();
    dir.put("v.epd", text);
    dir.pack("v.epd");
    for args in [&["find", "v.pgc", "-q"][..], &["get", "v.pgc", "1"]] {
        assert_eq!(dir.ends(0, &[args, &["--format", "epd"]].concat()), text);
    }
    let fen = "8/8/8/4k3/8/4K3/4P3/8 w";
    assert_eq!(
        dir.ends(1, &["find", "v.pgc", "--fen", fen, "--count"]),
        "0\n"
    );
}

#[test]
fn commands_keep_lines_or_refuse() {
    let dir = suite();
    // The games become PGN where they are packed with others.
    dir.ends(
        0,
        &["find", "suite.pgc", "-q", "--eco", "C60", "-o", "two.pgc"],
    );
    let two = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - bm Bb5; eco \"C60\"; id \"two\";\n";
    assert_eq!(
        dir.ends(0, &["get", "two.pgc", "1", "--format", "epd"]),
        two
    );
    assert!(
        dir.ends(0, &["unpack", "-c", "two.pgc"])
            .starts_with("[Result \"*\"]\n[ECO \"C60\"]\n")
    );
    dir.ends(0, &["find", "-q", "suite.pgc", "two.pgc", "-o", "all.pgc"]);
    assert_eq!(dir.ends(0, &["find", "all.pgc", "--count"]), "4\n");
    dir.ends(
        0,
        &["split", "-q", "suite.pgc", "--by", "games=2", "-o", "parts"],
    );
    assert_eq!(dir.ends(0, &["find", "parts", "--count"]), "3\n");
    // Whole sources stay EPD.
    dir.ends(
        0,
        &["merge", "-q", "suite.pgc", "two.pgc", "-o", "both.pgcz"],
    );
    dir.ends(0, &["unpack", "-q", "both.pgcz", "-o", "out/"]);
    assert_eq!(dir.read("out/suite.epd"), LINES.as_bytes());
    dir.ends(0, &["pack", "-q", "both.pgcz", "-o", "back.pgc"]);
    assert_eq!(
        dir.read("back.pgc"),
        [dir.read("suite.pgc"), dir.read("two.pgc")].concat()
    );
    dir.ends(
        0,
        &[
            "test",
            "-q",
            "--deep",
            "both.pgcz",
            "back.pgc",
            "suite.pgc",
            "all.pgc",
        ],
    );
    // A line has no tag pairs to change; other sources are edited beside it.
    let ran = dir.run(&[
        "edit",
        "back.pgc",
        "--eco",
        "C60",
        "--set",
        "Event=x",
        "-o",
        "edited.pgc",
    ]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("game 2: is a line of EPD"),
        "{}",
        ran.stderr
    );
    dir.put("old.pgn", "[Event \"Old\"]\n\n1. e4 *\n");
    dir.ends(0, &["add", "-q", "back.pgc", "old.pgn"]);
    dir.ends(
        0,
        &[
            "edit",
            "-q",
            "back.pgc",
            "-e",
            "old",
            "--set",
            "Event=x",
            "-o",
            "edited.pgc",
        ],
    );
    dir.ends(0, &["unpack", "-q", "edited.pgc", "-o", "again/"]);
    assert_eq!(dir.read("again/suite.epd"), LINES.as_bytes());
    let ran = dir.run(&["add", "--skip-known", "two.pgc", "suite.epd"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("suite.epd: is EPD"),
        "{}",
        ran.stderr
    );
    dir.ends(0, &["add", "-q", "two.pgc", "suite.epd"]);
    assert_eq!(dir.ends(0, &["find", "two.pgc", "--count"]), "4\n");
    let ran = dir.run(&["find", "suite.epd"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("is EPD: pack it first"),
        "{}",
        ran.stderr
    );
}

#[test]
fn names_and_an_option_say_what_is_epd() {
    let dir = Dir::new();
    let games = |ran: &Ran, archive: &str| {
        // Packed as PGN the file has no game, which is said.
        assert!(ran.code <= 1, "{}", ran.stderr);
        let counted = dir.run(&["find", archive, "--count"]);
        String::from_utf8(counted.stdout).unwrap()
    };
    std::fs::create_dir(dir.0.path().join("folder")).unwrap();
    for (name, count) in [("a.EPD", "3\n"), ("b.txt", "0\n"), ("folder/c.epd", "3\n")] {
        dir.put(name, LINES);
        let input = if name.starts_with("folder") {
            "folder"
        } else {
            name
        };
        let ran = dir.run(&["pack", "-q", "-f", "-r", input, "-o", "x.pgc"]);
        assert_eq!(games(&ran, "x.pgc"), count, "{name}");
        assert_eq!(dir.ends(0, &["unpack", "-c", "x.pgc"]), LINES);
    }
    let ran = dir.run(&["pack", "-q", "-f", "--epd", "b.txt", "-o", "x.pgcz"]);
    assert_eq!(games(&ran, "x.pgcz"), "3\n");
    let ran = dir.feed(&["pack", "-q", "-f", "--epd", "-", "-o", "x.pgc"], LINES);
    assert_eq!(games(&ran, "x.pgc"), "3\n");
    assert!(
        dir.ends(0, &["info", "--sources", "x.pgc"])
            .contains("stdin.epd")
    );
}

/// Behind a lost head the blocks say what they are; a damaged block costs its lines alone.
#[test]
fn salvage_saves_lines() {
    let dir = Dir::new();
    // Blocks of 1 MiB: three of them.
    let lines = LINES.repeat(12_000);
    dir.put("suite.epd", &lines);
    for archive in ["suite.pgc", "suite.pgcz"] {
        dir.pack_into(&["suite.epd"], archive);
        let mut bytes = dir.read(archive);
        bytes[5] ^= 1;
        dir.put("broken.pgc", &bytes);
        dir.ends(3, &["salvage", "-q", "-f", "broken.pgc", "-o", "saved.pgc"]);
        dir.ends(0, &["unpack", "-q", "-f", "saved.pgc", "-o", "saved/"]);
        assert!(
            dir.read("saved/unknown-1.epd") == lines.as_bytes(),
            "{archive}"
        );
        dir.ends(0, &["test", "-q", "--deep", "saved.pgc"]);
    }
    let mut bytes = dir.read("suite.pgc");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    dir.put("broken.pgc", &bytes);
    dir.ends(3, &["salvage", "-q", "-f", "broken.pgc", "-o", "saved.pgc"]);
    dir.ends(0, &["test", "-q", "--deep", "saved.pgc"]);
    let count: u64 = dir
        .ends(0, &["find", "saved.pgc", "--count"])
        .trim()
        .parse()
        .unwrap();
    // One of three blocks is lost.
    let lost = crate::archive::damage::blocks(&dir.read("suite.pgc"))[1]
        .games
        .clone();
    assert_eq!(count, 36_000 - (lost.end - lost.start));
}
