//! One bad block costs one block: what is whole comes back, and what is missing is named.
//!
//! The expected values come from the source and from the places of the blocks in the archive before
//! it was damaged.

use std::ops::Range;

use pgc::salvage::salvage;
use pgc::stream::reader::{ArchivePart, ArchiveReader, OnDamage};
use pgc::{Archive, Error, Gap, Hooks, NoHooks, OpenOptions, Query, SegmentForm, SourceInfo};
use pgc::{TestDepth, TestOptions, test};
use pgc_block::head::BlockHead;
use pgc_pgn::records::private::{EscapeKind, put_private};

use crate::cli::failures::games;
use crate::cli::program::Dir;
use crate::support::alloc::peak;
use crate::support::gen_pgn::document;
use crate::support::random::Random;
use crate::support::{Collected, archive_of, small_of, unpacked_with};

/// A block of an archive: its bytes, and those of the source.
#[derive(Clone, Debug)]
pub(crate) struct BlockRange {
    pub(crate) bytes: Range<usize>,
    pub(crate) stored: usize,
    pub(crate) source: Range<usize>,
    pub(crate) games: Range<u64>,
}

/// The blocks of a whole archive.
pub(crate) fn blocks(archive: &[u8]) -> Vec<BlockRange> {
    let mut reader = ArchiveReader::new(archive);
    let (mut blocks, mut source, mut games) = (Vec::new(), 0, 0);
    while let Some(part) = reader.next_part().unwrap() {
        if let ArchivePart::Block(head, _, stored) = part {
            let length = usize::try_from(head.source).unwrap();
            blocks.push(BlockRange {
                bytes: usize::try_from(reader.begin()).unwrap()
                    ..usize::try_from(reader.offset()).unwrap(),
                stored: usize::try_from(stored).unwrap(),
                source: source..source + length,
                games: games..games + head.games,
            });
            source += length;
            games += head.games;
        }
    }
    blocks
}

/// Hooks that keep the gaps.
#[derive(Default)]
struct Gaps(Vec<Gap>);

impl Hooks for Gaps {
    fn gap(&mut self, gap: &Gap) {
        self.0.push(gap.clone());
    }
}

/// Options that pass over damage.
fn passing(depth: TestDepth) -> TestOptions {
    TestOptions {
        passes_damage: true,
        ..depth.into()
    }
}

/// Hooks that only count the gaps.
struct CountedGaps(usize);

impl Hooks for CountedGaps {
    fn gap(&mut self, _: &Gap) {
        self.0 += 1;
    }
}

/// A source of at least five blocks.
/// The games of `source`.
pub(crate) const GAMES: u64 = 12_000;

/// Games, White of each of which is its number, with tags so long that few games fill many blocks.
pub(crate) fn source() -> String {
    let long = "x".repeat(240);
    let tags = format!("[Site \"{long}\"]\n[Source \"{long}\"]\n[Round");
    games(usize::try_from(GAMES).unwrap()).replace("[Round", &tags)
}

fn both(source: &str) -> [(SegmentForm, Vec<u8>); 2] {
    [
        (SegmentForm::Plain, archive_of(source.as_bytes())),
        (
            SegmentForm::Small,
            small_of(source.as_bytes(), false).unwrap(),
        ),
    ]
}

fn salvaged(broken: &[u8], form: SegmentForm) -> (Vec<u8>, Vec<SourceInfo>, Vec<Gap>) {
    let (mut out, mut gaps) = (Vec::new(), Gaps::default());
    let sources = salvage(&mut &*broken, &mut out, form, 2, &mut gaps).unwrap();
    (out, sources, gaps.0)
}

/// The text of all sources of an archive, which must be whole.
fn text_of(archive: &[u8]) -> Vec<u8> {
    test(&mut &*archive, &TestOptions::default(), &mut NoHooks).unwrap();
    let (Collected { sources, .. }, _) = unpacked_with(archive, 1).unwrap();
    sources.into_iter().flat_map(|source| source.1).collect()
}

/// The source without the blocks that are lost.
fn text_left(source: &str, blocks: &[BlockRange], lost: impl Fn(&BlockRange) -> bool) -> Vec<u8> {
    let left = blocks.iter().filter(|block| !lost(block));
    left.flat_map(|block| source.as_bytes()[block.source.clone()].to_vec())
        .collect()
}

fn touches(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

#[test]
fn a_flipped_byte_costs_its_block_and_the_gap_is_counted() {
    let source = source();
    for (form, archive) in both(&source) {
        let blocks = blocks(&archive);
        assert!(blocks.len() >= 5);
        let hit = &blocks[2];
        for at in [hit.bytes.start + 20, (hit.stored + hit.bytes.end) / 2] {
            let mut broken = archive.clone();
            broken[at] ^= 4;
            let left = text_left(&source, &blocks, |block| block.bytes == hit.bytes);
            let mut gaps = Gaps::default();
            let found = test(&mut &*broken, &passing(TestDepth::Text), &mut gaps).unwrap();
            let missing = found[0].damage.unwrap();
            let games = hit.games.end - hit.games.start;
            assert_eq!(
                (missing.blocks, missing.games, missing.bytes),
                (Some(1), Some(games), Some(hit.source.len() as u64))
            );
            let [gap] = &gaps.0[..] else {
                panic!("{:?}", gaps.0)
            };
            assert_eq!(
                (gap.games, gap.game),
                (Some(games), Some(hit.games.start + 1))
            );
            assert_eq!(gap.bytes, Some(hit.source.len() as u64));
            assert_eq!(gap.at, Some(hit.source.start as u64));
            assert_eq!(
                (gap.begin, gap.end),
                (hit.bytes.start as u64, hit.bytes.end as u64)
            );
            let (out, sources, told) = salvaged(&broken, form);
            assert_eq!(text_of(&out), left);
            assert_eq!(sources[0].name, "x.pgn");
            assert_eq!(told, gaps.0);
        }
    }
}

#[test]
fn every_whole_block_is_salvaged_whatever_happened_to_the_others() {
    let source = source();
    let mut random = Random::new(16);
    for (form, archive) in both(&source) {
        let blocks = blocks(&archive);
        let all = archive.len();
        for (count, longest) in [(1, all / 100), (10, all / 100), (3, all / 10), (100, 16)] {
            for _ in 0..5 {
                let (mut broken, mut hits) = (archive.clone(), Vec::new());
                for _ in 0..count {
                    let begin = random.below(broken.len());
                    let end = (begin + 1 + random.below(longest)).min(broken.len());
                    let zero = random.below(2) == 0;
                    for byte in &mut broken[begin..end] {
                        *byte = if zero { 0 } else { random.byte() };
                    }
                    hits.push(begin..end);
                }
                // A random byte may be what was there.
                let is_hit = |block: &BlockRange| {
                    broken[block.bytes.clone()] != archive[block.bytes.clone()]
                };
                let (out, ..) = salvaged(&broken, form);
                let expected = text_left(&source, &blocks, is_hit);
                if out.is_empty() {
                    assert!(expected.is_empty());
                } else {
                    assert!(text_of(&out) == expected, "{form:?} {hits:?}");
                }
            }
        }
    }
}

#[test]
fn bytes_removed_inserted_and_cut_off() {
    let source = source();
    for (form, archive) in both(&source) {
        let blocks = blocks(&archive);
        let middle = (blocks[2].stored + blocks[2].bytes.end) / 2;
        let half = archive.len() / 2;
        let cases: [(Vec<u8>, Range<usize>); 6] = [
            // Removed within a block, and across two.
            (
                [&archive[..middle], &archive[middle + 5..]].concat(),
                middle..middle + 5,
            ),
            (
                [&archive[..middle], &archive[blocks[3].stored + 9..]].concat(),
                middle..blocks[3].stored + 9,
            ),
            // Inserted, once with a copy of a head.
            (
                [&archive[..middle], &[7; 1000], &archive[middle..]].concat(),
                middle - 1..middle + 1,
            ),
            (
                [
                    &archive[..middle],
                    &archive[blocks[1].bytes.start..blocks[1].stored],
                    &archive[middle..],
                ]
                .concat(),
                middle - 1..middle + 1,
            ),
            (archive[4096..].to_vec(), 0..4096),
            (archive[..half].to_vec(), half..archive.len()),
        ];
        for (number, (broken, hit)) in cases.into_iter().enumerate() {
            let is_hit = |block: &BlockRange| touches(&hit, &block.bytes);
            let (out, _, gaps) = salvaged(&broken, form);
            assert!(!gaps.is_empty());
            assert!(
                text_of(&out) == text_left(&source, &blocks, is_hit),
                "{form:?} {number}"
            );
            // The other commands find the same.
            let mut gaps = Gaps::default();
            let sources = test(&mut &*broken, &passing(TestDepth::Text), &mut gaps).unwrap();
            let found: u64 = sources
                .iter()
                .map(|source| {
                    let missing = source.damage.unwrap_or_default();
                    source.sum.games - missing.games.unwrap_or(0)
                })
                .sum();
            let left: u64 = blocks
                .iter()
                .filter(|block| !is_hit(block))
                .map(|block| block.games.end - block.games.start)
                .sum();
            assert_eq!(found, left, "{form:?} {number}");
        }
    }
}

#[test]
fn pieces_of_several_archives_in_one_file() {
    let one = source();
    let two = one.replace("1. e4", "1. d4");
    for ((form, a), (_, b)) in both(&one).into_iter().zip(both(&two)) {
        let (of_a, of_b) = (blocks(&a), blocks(&b));
        let (end, begin) = (of_a[3].stored + 50, of_b[0].stored + 50);
        let broken = [&a[..end], b"junk, not an archive", &b[begin..], &a].concat();
        let (out, sources, gaps) = salvaged(&broken, form);
        let mut expected = text_left(&one, &of_a, |block| block.bytes.end > end);
        expected.extend(text_left(&two, &of_b, |block| block.bytes.start < begin));
        expected.extend(one.as_bytes());
        assert!(text_of(&out) == expected, "{form:?}");
        assert_eq!((sources.len(), sources[2].damage), (3, None));
        assert!(gaps.len() >= 2);
    }
}

#[test]
fn an_archive_that_was_sent_as_text_is_named() {
    let dir = Dir::new();
    dir.put("games.pgn", games(10));
    dir.pack("games.pgn");
    let archive = dir.read("games.pgc");
    let sent = archive.iter().flat_map(|byte| match byte {
        b'\n' => &b"\r\n"[..],
        byte => std::slice::from_ref(byte),
    });
    dir.put("sent.pgc", sent.copied().collect::<Vec<u8>>());
    for command in ["salvage", "unpack"] {
        dir.run(&[command, "-f", "sent.pgc", "-o", "saved.pgc"])
            .exits(3)
            .says("send it again in binary mode");
    }
}

#[test]
fn a_whole_archive_is_salvaged_byte_for_byte_and_in_the_other_form() {
    let source = source();
    let [(plain, a), (small, b)] = both(&source);
    for (broken, form, expected) in [
        (&a, plain, &a),
        (&b, small, &b),
        (&a, small, &b),
        (&b, plain, &a),
    ] {
        let (out, sources, gaps) = salvaged(broken, form);
        assert!(out == *expected && gaps.is_empty());
        assert_eq!(sources[0].damage, None);
    }
}

/// A very long game goes over several blocks. The part of it behind a gap is text outside games.
#[test]
fn the_rest_of_a_long_game_is_kept() {
    let long = format!("1. e4 {{{}}} *\n\n", "long ".repeat(6_800_000));
    let source = format!("{}{long}{}", games(100), games(100));
    for (form, archive) in both(&source) {
        let blocks = blocks(&archive);
        assert!(blocks.len() > 2);
        // Of the small form, which takes longer, the first piece of the game and the one behind it.
        let hits = match form {
            SegmentForm::Plain => 0..blocks.len(),
            SegmentForm::Small => 0..2,
        };
        for hit in hits {
            let mut broken = archive.clone();
            broken[blocks[hit].bytes.end - 1] ^= 1;
            let (out, ..) = salvaged(&broken, form);
            let left = text_left(&source, &blocks, |block| block.bytes == blocks[hit].bytes);
            let found = text_of(&out);
            let lengths = (found.len(), left.len());
            assert!(found == left, "{form:?} {hit}: {lengths:?}");
        }
    }
}

/// Heads whose checksums are right, but which claim what is not there: neither time nor memory goes
/// beyond what the length of the file allows.
#[test]
fn false_heads_cost_little() {
    let source = games(10);
    let archive = archive_of(source.as_bytes());
    let block = blocks(&archive).remove(0);
    let mut reader = ArchiveReader::new(&*archive);
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
    let mut broken = bomb.repeat((4 << 20) / bomb.len());
    broken.extend_from_slice(&archive[block.bytes]);
    let started = std::time::Instant::now();
    let (out, most) = peak(|| {
        let mut out = Vec::new();
        let mut count = CountedGaps(0);
        salvage(&mut &*broken, &mut out, SegmentForm::Plain, 2, &mut count).unwrap();
        assert!(count.0 > 10_000, "{}", count.0);
        out
    });
    // Each of some 40,000 heads on its own would have 2 MiB read: 80 GiB.
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    assert!(most < 64 << 20, "{most}");
    assert_eq!(text_of(&out), source.as_bytes());
}

/// A crafted layout gives a game a text that differs from its records, while all checksums and the
/// digest are right.
#[test]
fn deep_holds_the_text_against_the_records() {
    let (said, shown) = ("1. e4 *\n", "1. d4 *\n");
    for (source, text, is_honest) in [(said, said, true), (said, shown, false)] {
        let archive = archive_of(source.as_bytes());
        let mut reader = ArchiveReader::new(&*archive);
        let mut out = Vec::new();
        while let Some(part) = reader.next_part().unwrap() {
            match part {
                ArchivePart::Head(head) => head.put(&mut out),
                ArchivePart::Block(mut head, mut records, _) => {
                    let end = records.pop();
                    let layout = [b"\x01", text.as_bytes()].concat();
                    put_private(&mut records, EscapeKind::Layout, &layout);
                    records.extend(end);
                    head.records = records.len() as u64;
                    head.crc = crc32fast::hash(&records);
                    head.put(&mut out);
                    out.extend_from_slice(&records);
                }
                ArchivePart::Tail(mut tail) => {
                    tail.digest = *blake3::hash(text.as_bytes()).as_bytes();
                    tail.put(&mut out);
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(text_of(&out), text.as_bytes());
        let deep = test(&mut &*out, &TestDepth::Deep.into(), &mut NoHooks);
        assert_eq!(deep.is_ok(), is_honest, "{deep:?}");
        let mut gaps = Gaps::default();
        test(&mut &*out, &passing(TestDepth::Deep), &mut gaps).unwrap();
        let told: Vec<_> = gaps.0.iter().map(|gap| (gap.item, gap.games)).collect();
        let expected: &[_] = if is_honest {
            &[]
        } else {
            &[("layout (L)", Some(1))]
        };
        assert_eq!(told, expected);
    }
}

#[test]
fn deep_agrees_with_all_that_pack_writes() {
    let mut random = Random::new(77);
    for _ in 0..200 {
        let text = document(&mut random, 4);
        for archive in [archive_of(&text), small_of(&text, false).unwrap()] {
            test(&mut &*archive, &TestDepth::Deep.into(), &mut NoHooks).unwrap();
        }
    }
}

/// The program, on an archive with one flipped byte in its third block.
pub(crate) fn broken_in(dir: &Dir, ending: &str, source: &str) -> (Vec<u8>, BlockRange, String) {
    dir.put("games.pgn", source);
    let name = format!("games.{ending}");
    dir.pack_into(&["games.pgn"], &name);
    let archive = dir.read(&name);
    let blocks = blocks(&archive);
    assert!(blocks.len() >= 5);
    let hit = blocks[2].clone();
    let mut broken = archive;
    let at = (hit.stored + hit.bytes.end) / 2;
    broken[at] ^= 16;
    let name = format!("broken.{ending}");
    dir.put(&name, &broken);
    (
        text_left(source, &blocks, |block| block.bytes == hit.bytes),
        hit,
        name,
    )
}

#[test]
fn every_command_passes_over_a_bad_block() {
    let source = source();
    for ending in ["pgc", "pgcz"] {
        let dir = Dir::new();
        let (left, hit, name) = broken_in(&dir, ending, &source);
        let name = name.as_str();
        let games = hit.games.end - hit.games.start;
        let (first, last) = (hit.games.start + 1, hit.games.end);
        let grouped = |n: u64| format!("{},{:03}", n / 1000, n % 1000);
        let missing = format!(
            "missing: 1 block, {} games ({} to {})",
            grouped(games),
            grouped(first),
            grouped(last)
        );

        let json = dir
            .run(&["test", "--json", name])
            .exits(3)
            .says(&missing)
            .json();
        assert_eq!(json["ok"], false);
        assert_eq!(json["gaps"][0]["games"], games);
        assert_eq!(json["gaps"][0]["first_game"], first);
        assert_eq!(json["gaps"][0]["source_bytes"], hit.source.len());
        assert_eq!(json["gaps"][0]["source_offset"], hit.source.start);
        let line = dir.run(&["test", name]).exits(3).stdout();
        assert!(line.contains(": damaged: "), "{line}");
        dir.run(&["test", "--quick", name]).exits(3).says(&missing);

        let ran = dir.run(&["unpack", "-c", name]).exits(3).says(&missing);
        assert!(ran.output.stdout == left);
        dir.run(&["unpack", name, "-o", "out.pgn"])
            .exits(3)
            .says("--partial");
        assert!(!dir.names().contains(&"out.pgn".to_owned()));
        dir.run(&["unpack", "--partial", name, "-o", "out.pgn"])
            .exits(3)
            .says(&missing);
        assert!(dir.read("out.pgn") == left);

        let list = dir
            .run(&["info", "--sources", name])
            .exits(3)
            .says(&missing)
            .stdout();
        assert!(
            list.contains("12,000") && list.contains("games.pgn"),
            "{list}"
        );
        dir.run(&["info", "--sources", "--json", name])
            .exits(3)
            .json();
        dir.run(&["info", name]).exits(3).says(&missing);

        // Without an index: the numbers are those of the archive before.
        let all = GAMES - games;
        let count = dir.run(&["find", name, "--count"]).exits(3).says(&missing);
        assert_eq!(count.stdout().trim(), all.to_string());
        let count = dir
            .run(&["find", name, "--moves", "1. e4", "--count"])
            .exits(3);
        assert_eq!(count.stdout().trim(), all.to_string());
        let player = (last + 1).to_string();
        let found = dir
            .run(&["find", name, "-p", &player, "--format", "addresses"])
            .exits(3);
        assert_eq!(found.stdout(), format!("{name}:{player}\n"));
        let game = dir.run(&["get", name, &player]).exits(0).stdout();
        assert!(game.contains(&format!("[White \"{player}\"]")), "{game}");
        dir.run(&["get", name, &first.to_string()]).exits(3);
        let around = format!("{}-{}", first - 1, last + 1);
        let two = dir
            .run(&["get", name, &around])
            .exits(3)
            .says(&missing)
            .stdout();
        assert_eq!(two.matches("[White ").count(), 2);
        dir.run(&["get", name, &around, "-o", "two.pgn"])
            .exits(3)
            .says("--partial");
        assert!(!dir.names().contains(&"two.pgn".to_owned()));
        dir.run(&["get", name, &around, "-o", "two.pgn", "--partial"])
            .exits(3);
        assert_eq!(dir.read("two.pgn"), two.as_bytes());
        let names = dir.run(&["names", name]).exits(3).says(&missing).stdout();
        assert_eq!(
            names.lines().count() as u64,
            all + u64::from(names.contains("  ?"))
        );

        let pgn = dir
            .run(&["find", name, "--format", "pgn", "--limit", "0"])
            .exits(3);
        assert!(pgn.output.stdout == left);
        dir.run(&["find", name, "-o", "found.pgn"])
            .exits(3)
            .says("--partial");
        assert!(!dir.names().contains(&"found.pgn".to_owned()));
        dir.run(&["find", name, "-o", "found.pgn", "--partial"])
            .exits(3);
        assert!(dir.read("found.pgn") == left);

        let output = format!("merged.{ending}");
        dir.run(&["merge", "-q", name, name, "-o", &output])
            .exits(3);
        assert!(!dir.names().contains(&output));
        dir.run(&[
            "split", "-q", name, "--by", "year", "--format", "pgn", "-o", "years",
        ])
        .exits(3);
        dir.run(&[
            "split",
            "-q",
            "--partial",
            name,
            "--by",
            "year",
            "--format",
            "pgn",
            "-o",
            "parts",
        ])
        .exits(3)
        .says(&missing);
        assert!(dir.read("parts/0000.pgn") == left);

        dir.run(&["index", "-q", name]).exits(3);
        dir.run(&["index", "-q", "--partial", name])
            .exits(3)
            .says(&missing);
        let count = dir.run(&["find", name, "--count"]).exits(0);
        assert_eq!(count.stdout().trim(), all.to_string());

        let saved = format!("saved.{ending}");
        let report = ["--report", "gaps.jsonl"];
        dir.run(&[&["salvage", name, "-o", &saved], &report[..]].concat())
            .exits(3)
            .says(&missing);
        assert!(text_of(&dir.read(&saved)) == left);
        dir.run(&["test", "-q", &saved]).exits(0);
        let report = String::from_utf8(dir.read("gaps.jsonl")).unwrap();
        let lines: Vec<serde_json::Value> = report
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!((lines.len(), &lines[0]["type"]), (2, &"gap".into()));
        assert_eq!(lines[0]["data"]["games"], games);
        assert_eq!(lines[1]["data"]["sources"][0]["missing"]["games"], games);
    }
}

#[test]
fn salvage_of_a_whole_archive_and_of_nothing() {
    let dir = Dir::new();
    dir.put("games.pgn", games(10));
    dir.pack("games.pgn");
    dir.run(&["salvage", "-q", "games.pgc", "-o", "same.pgc"])
        .exits(0);
    assert_eq!(dir.read("same.pgc"), dir.read("games.pgc"));
    assert_eq!(dir.read("same.pgci"), dir.read("games.pgci"));
    dir.run(&["salvage", "games.pgc", "-o", "same.pgc"])
        .exits(2)
        .says("-f");
    for report in ["some.pgc", "./some.pgci"] {
        dir.run(&[
            "salvage",
            "-f",
            "games.pgc",
            "-o",
            "some.pgc",
            "--report",
            report,
        ])
        .exits(2)
        .says("the report must be different files");
    }
    dir.run(&["salvage", "games.pgn", "-o", "none.pgc"])
        .exits(2)
        .says("no part of an archive was found");
    assert!(!dir.names().contains(&"none.pgc".to_owned()));
}

/// The twin of the fuzz target `salvage`: whatever is given, what comes out is a whole archive.
#[test]
fn whatever_is_given_a_whole_archive_comes_out() {
    let texts = [
        "1. e4 *\n\n[A \"b\"]\n\n1. d4 {c} d5 *\n\nwords\n",
        "%pgcB\n[A \"1\"]\n\n1. e4 (1. d4) *\n",
    ];
    let mut seeds: Vec<Vec<u8>> = texts.iter().map(|t| archive_of(t.as_bytes())).collect();
    seeds.push(small_of(texts[0].as_bytes(), false).unwrap());
    seeds.push(seeds.concat());
    let mut random = Random::new(3);
    for _ in 0..3000 {
        let mut bytes = seeds[random.below(seeds.len())].clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len().max(1)).min(bytes.len());
            match random.below(4) {
                0 => drop(bytes.drain(at..(at + random.below(30)).min(bytes.len()))),
                1 => {
                    let other = &seeds[random.below(seeds.len())];
                    let from = random.below(other.len());
                    let to = (from + random.below(80)).min(other.len());
                    bytes.splice(at..at, other[from..to].iter().copied());
                }
                _ if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
                _ => {}
            }
        }
        check_salvage(&bytes);
    }
}

/// What must hold of any bytes.
fn check_salvage(bytes: &[u8]) {
    for form in [SegmentForm::Plain, SegmentForm::Small] {
        let (out, sources, _) = salvaged(bytes, form);
        let again = test(&mut &*out, &TestOptions::default(), &mut NoHooks).unwrap();
        assert!(again.len() <= sources.len());
    }
    let mut reader = ArchiveReader::passing(bytes, OnDamage::Pass);
    let mut end = 0;
    loop {
        match reader.next_part() {
            Ok(Some(_)) => {}
            Ok(None) | Err(Error::Version { .. }) => break,
            Err(error) => panic!("{error}"),
        }
        assert!(reader.offset() >= end);
        end = reader.offset();
    }
    let done = test(&mut &*bytes, &passing(TestDepth::Quick), &mut NoHooks);
    assert!(matches!(
        done,
        Ok(_) | Err(Error::Version { .. }) | Err(Error::Damaged { .. })
    ));
}

/// The values that are read from games, for a column, stay with their games.
#[test]
fn values_of_tags_stay_with_their_games() {
    use std::fmt::Write as _;
    let dir = Dir::new();
    let mut source = String::new();
    for game in 1..=30_000 {
        writeln!(source, "[Site \"https://lichess.org/{game}\"]\n[White \"{game}\"]\n[Annotator \"{game}\"]\n\n1. e4 *\n").unwrap();
    }
    dir.put("x.pgn", &source);
    dir.pack("x.pgn");
    let mut archive = dir.read("x.pgc");
    let hit = blocks(&archive)[1].clone();
    archive[(hit.stored + hit.bytes.end) / 2] ^= 16;
    dir.put("x.pgc", &archive);
    let columns = "number,white,site,Annotator";
    let ran = dir
        .run(&["find", "x.pgc", "--format", "csv", "--columns", columns])
        .exits(3)
        .says("12,946 games (13,358 to 26,303)");
    let table = ran.stdout();
    assert_eq!(table.lines().count(), 30_001);
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.trim_end().split(',').collect();
        let game: u64 = cells[0].parse().unwrap();
        if hit.games.contains(&(game - 1)) {
            assert_eq!(cells[1..], [cells[0], "?", ""]);
        } else {
            let site = format!("https://lichess.org/{game}");
            assert_eq!(cells[1..], [cells[0], &site, cells[0]]);
        }
    }
}

/// A search without an index does not count lost games, and `Archive::game` does.
#[test]
fn the_numbers_of_an_answer_lead_to_its_games() {
    let source = source();
    for ending in ["pgc", "pgcz"] {
        let dir = Dir::new();
        let (_, hit, name) = broken_in(&dir, ending, &source);
        let lost = hit.games.end - hit.games.start;
        let options = OpenOptions {
            passes_damage: true,
            ..OpenOptions::default()
        };
        let archive = Archive::open_with(dir.path().join(name), options).unwrap();
        for (player, missing) in [(hit.games.start, 0), (hit.games.end + 1, lost)] {
            let query = Query::parse(&format!("--white {player}")).unwrap();
            let answer = archive.find(&query, 1).unwrap();
            let numbers: Vec<u64> = answer.numbers().collect();
            assert_eq!(numbers, [player - missing], "{ending}");
            let number = archive.number_of(numbers[0] - 1);
            assert_eq!(number, player, "{ending}");
            let game = archive.game(number).unwrap();
            assert_eq!(game.tag("White"), Some(player.to_string().as_str()));
        }
    }
}

/// The head of the last block is damaged, so that its games are counted and cannot be found.
#[test]
fn a_split_by_numbers_has_what_is_left() {
    let source = source();
    for ending in ["pgc", "pgcz"] {
        let dir = Dir::new();
        dir.put("x.pgn", &source);
        let name = format!("x.{ending}");
        dir.run(&["pack", "-q", "--no-index", "x.pgn", "-o", &name])
            .exits(0);
        let mut archive = dir.read(&name);
        let last = blocks(&archive).pop().unwrap();
        archive[last.bytes.start + 12] ^= 16;
        dir.put(&name, &archive);
        let each = "games=100";
        let split = [
            "split",
            "--partial",
            "--by",
            each,
            "--format",
            "pgn",
            "-o",
            "sp",
            &name,
        ];
        dir.run(&split).exits(3);
        let mut all = String::new();
        for file in 1..=last.games.start.div_ceil(100) {
            all += &String::from_utf8(dir.read(&format!("sp/x-{file:03}.pgn"))).unwrap();
        }
        assert_eq!(all.matches("[White ").count() as u64, last.games.start);
    }
}

/// Bytes between two blocks are missing so that the numbers of the blocks run on, from one source
/// into the next: only the tail tells.
#[test]
fn blocks_of_two_sources_that_run_on_are_told_by_every_command() {
    let longer = source().replace("[White \"", "[White \"player ");
    for ending in ["pgc", "pgcz"] {
        let dir = Dir::new();
        dir.put("a.pgn", source());
        dir.put("b.pgn", &longer);
        dir.put("c.pgn", "[White \"last\"]\n\n1. e4 *\n\n");
        let two = format!("two.{ending}");
        let pack = ["pack", "-q", "a.pgn", "b.pgn", "c.pgn", "-o", &two];
        dir.run(&pack).exits(0);
        let archive = dir.read(&two);
        let blocks = blocks(&archive);
        let all = GAMES;
        let first = blocks.iter().position(|block| block.games.start == all);
        let (a, b) = (&blocks[1], &blocks[first.unwrap() + 2]);
        let left = a.games.end + (2 * all - b.games.start) + 1;
        assert_ne!(left, all + 1, "the tail tells");
        let name = format!("broken.{ending}");
        dir.put(
            &name,
            [&archive[..a.bytes.end], &archive[b.bytes.start..]].concat(),
        );

        let told = format!("games of the tail: {all}, found {}", left - 1);
        let says = |args: &[&str]| dir.run(args).exits(3).says(&told);
        for args in [
            &["test", "-q"][..],
            &["test", "--quick"],
            &["info", "--sources"],
            &["info"],
            &["names"],
            &["tree"],
            &["dups", "--count"],
            &["unpack", "-c"],
        ] {
            says(&[args, &[&name]].concat());
        }
        let count = says(&["find", &name, "--count"]).stdout();
        assert_eq!(count.trim(), left.to_string());
        let found = says(&["find", &name, "-p", "last", "--format", "addresses"]).stdout();
        assert_eq!(found, format!("{name}:{left}\n"));
        let game = dir.run(&["get", &name, &left.to_string()]).stdout();
        assert!(game.contains("\"last\""), "{game}");
        // No file is written from it unasked.
        let out = format!("out.{ending}");
        says(&["merge", &name, "-o", &out]);
        says(&["unpack", &name, "-o", "out.pgn"]);
        says(&["pack", &name, "-o", &out]);
        says(&["split", &name, "--by", "games=50000", "-o", "."]);
        assert!(!dir.names().iter().any(|name| name.starts_with("out")));
        says(&["index", &name]);
        let count = dir.run(&["find", &name, "--count"]).stdout();
        assert_eq!(count.trim(), left.to_string(), "with the index");
        dir.run(&["salvage", "-q", &name, "-o", &out]);
        dir.run(&["test", "-q", "--deep", &out]).exits(0);
    }
}
