//! What `salvage` says of its input, and how commands handle rarer kinds of damage.

use std::time::{Duration, Instant};

use pgc::stream::head::SegmentTail;
use pgc::stream::reader::{ArchivePart, ArchiveReader};
use pgc_block::head::BlockHead;

use crate::archive::damage::blocks;
use crate::cli::program::Dir;
use crate::support::archive_of;

/// Games with enough play to be told from noise, no two alike.
fn played(count: usize) -> String {
    const LINES: [&str; 4] = [
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 1-0",
        "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 1/2-1/2",
        "1. c4 e5 2. Nc3 Nf6 3. g3 d5 4. cxd5 Nxd5 5. Bg2 Nb6 0-1",
        "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 *",
    ];
    let game = |n: usize| {
        let result = LINES[n % 4].rsplit(' ').next().unwrap();
        let site = n * 7919 % count;
        format!(
            "[Event \"Open {site}\"]\n[Site \"Town\"]\n[Date \"1992.??.??\"]\n[Round \"{n}\"]\n\
             [White \"A{n}\"]\n[Black \"B\"]\n[Result \"{result}\"]\n\n{}\n\n",
            LINES[n % 4]
        )
    };
    (0..count).map(game).collect()
}

#[test]
fn gaps_beyond_those_that_are_listed_are_counted() {
    let whole = archive_of(b"[White \"a\"]\n\n1. e4 *\n\n");
    let mut broken = whole.clone();
    broken[blocks(&whole)[0].stored + 3] ^= 1;
    // The list ends at 10,000.
    let count = 10_003;
    let dir = Dir::new();
    dir.put("broken.pgc", [whole, broken].concat().repeat(count));
    let args = ["salvage", "broken.pgc", "-o", "saved.pgc", "--json"];
    let told = dir
        .run(&[&args[..], &["--no-index"]].concat())
        .exits(3)
        .json();
    assert_eq!(told["gaps"], count);
}

#[test]
fn salvage_says_what_the_input_is() {
    let dir = Dir::new();
    dir.put("x.pgn", played(3));
    dir.run(&["salvage", "x.pgn", "-o", "y.pgc"])
        .exits(2)
        .says("is PGN: pack it first");
    dir.run(&[
        "pack",
        "-q",
        "--standard",
        "--no-index",
        "x.pgn",
        "-o",
        "standard.pgc",
    ])
    .exits(0);
    let mut stream = dir.read("standard.pgc");
    stream[30] = 0xff;
    dir.put("standard.pgc", stream);
    dir.run(&["salvage", "standard.pgc", "-o", "y.pgc"])
        .exits(3)
        .says("PGC of other programs has no checksums, and cannot be saved");
    std::fs::remove_file(dir.path().join("standard.pgc")).unwrap();
    dir.pack("x.pgn");
    for name in ["y.zip", "y.pgn", "y.pgci"] {
        dir.run(&["salvage", "x.pgc", "-o", name])
            .exits(2)
            .says("the output is an archive");
    }
    assert_eq!(dir.names(), ["x.pgc", "x.pgci", "x.pgn"]);
}

#[test]
fn records_passes_over_damage() {
    let dir = Dir::new();
    dir.put("x.pgn", played(16_000));
    for name in ["x.pgc", "x.pgcz"] {
        dir.pack_into(&["x.pgn"], name);
        let whole = dir.run(&["records", name]).exits(0).output.stdout;
        let mut broken = dir.read(name);
        let all = blocks(&broken);
        let hit = &all[1];
        // In the plain form this changes a letter, and no length.
        let begin = &broken[hit.stored..hit.bytes.end];
        let at = begin
            .windows(4)
            .rposition(|bytes| bytes == b"Open")
            .unwrap_or(900);
        broken[hit.stored + at] ^= 1;
        dir.put(name, broken);
        let ran = dir
            .run(&["records", name])
            .exits(3)
            .says("missing: 1 block");
        let left = ran.output.stdout;
        let games = |lines: &[u8]| {
            let lines = String::from_utf8_lossy(lines).into_owned();
            let begins = |line: &&str| line.contains("reduced-game") || line.contains("game-begin");
            lines.lines().filter(begins).count()
        };
        assert_eq!(
            games(&whole) - games(&left),
            usize::try_from(hit.games.end - hit.games.start).unwrap()
        );
    }
}

/// A block head whose checksum is right, and which claims what is not there.
fn false_head(archive: &[u8]) -> Vec<u8> {
    let mut reader = ArchiveReader::new(archive);
    reader.next_part().unwrap();
    let Some(ArchivePart::Block(head, ..)) = reader.next_part().unwrap() else {
        panic!("a block");
    };
    let mut bomb = Vec::new();
    BlockHead {
        records: 2 << 20,
        ..*head
    }
    .put(&mut bomb);
    bomb
}

#[test]
fn questions_to_an_archive_of_false_heads_take_little_time() {
    let dir = Dir::new();
    let archive = archive_of(played(10).as_bytes());
    let bomb = false_head(&archive);
    let first = blocks(&archive).remove(0).bytes;
    let mut broken = archive[..first.start].to_vec();
    broken.extend(bomb.repeat((1 << 20) / bomb.len()));
    broken.extend_from_slice(&archive[first]);
    dir.put("x.pgc", broken);
    for args in [
        &["find", "-q", "x.pgc", "--white", "A1", "--count"][..],
        &["names", "-q", "x.pgc", "A1"],
        &["info", "x.pgc"],
        &["info", "--sources", "x.pgc"],
        &["records", "x.pgc"],
        &["test", "-q", "x.pgc"],
    ] {
        let started = Instant::now();
        let ran = dir.run(args);
        assert_eq!(
            ran.output.status.code(),
            Some(3),
            "{args:?}: {}",
            &ran.stderr[..200.min(ran.stderr.len())]
        );
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "{args:?}: {:?}",
            started.elapsed()
        );
    }
}

/// The counts of a tail that cannot be right tell nothing: the games behind those that are lost have
/// the numbers that follow.
#[test]
fn a_lying_tail_moves_no_game_numbers() {
    let source = played(16_000);
    let archive = archive_of(source.as_bytes());
    let all = blocks(&archive);
    let end = all.last().unwrap().bytes.end;
    let mut reader = ArchiveReader::new(&*archive);
    let mut honest = None;
    while let Some(part) = reader.next_part().unwrap() {
        if let ArchivePart::Tail(tail) = part {
            honest = Some(tail);
        }
    }
    let honest = honest.unwrap();
    let dir = Dir::new();
    dir.put("other.pgn", played(5));
    dir.pack("other.pgn");
    for lie in [1 << 40, 1 << 60] {
        let tail = SegmentTail {
            games: honest.games + lie,
            whole: honest.whole + lie,
            ..honest
        };
        // The head of the second block is gone: what it held only the tail can tell.
        let mut broken = archive[..end].to_vec();
        broken[all[1].bytes.start + 10] ^= 1;
        tail.put(&mut broken);
        broken.extend(dir.read("other.pgc"));
        dir.put("x.pgc", broken);
        let columns = ["--columns", "number,white", "--format", "csv"];
        let asked = ["find", "x.pgc", "--white", "A4"];
        let printed = dir.run(&[asked, columns].concat()).exits(3).stdout();
        let left = (0..16_000).filter(|game| !all[1].games.contains(game));
        let numbered = (1..).zip(left.chain(0..5));
        let lines = numbered.map(|(number, white)| format!("{number},A{white}\n"));
        let asked_for: String = lines.filter(|line| line.contains(",A4")).collect();
        assert_eq!(printed, format!("number,white\n{asked_for}"));
    }
}

#[test]
fn an_archive_that_lost_its_head_is_damaged_and_not_foreign() {
    let dir = Dir::new();
    dir.put("x.pgn", played(16_000));
    dir.pack("x.pgn");
    dir.put("y.pgc", &dir.read("x.pgc")[100..]);
    for args in [
        &["merge", "x.pgc", "y.pgc", "-o", "z.pgc"][..],
        &["add", "y.pgc", "x.pgn"],
    ] {
        dir.run(args)
            .exits(3)
            .says("y.pgc: ")
            .says("head: is missing");
    }
    dir.run(&["pack", "y.pgc", "-o", "z.pgc"])
        .exits(2)
        .says("use pgc salvage");
    assert!(!dir.names().contains(&"z.pgc".to_owned()));
}
