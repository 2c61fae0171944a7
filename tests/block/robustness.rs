//! P5 and P6 for damaged and hostile archives: an error, never a panic, never other bytes than
//! those of the source, and memory bounded.

use std::io;

use pgc::foreign::export::export;
use pgc::listing::records;
use pgc::stream::head::{SegmentHead, SegmentTail};
use pgc::stream::reader::{ArchivePart, ArchiveReader};
use pgc::unpack::info;
use pgc::{Error, NoHooks, TestDepth, TestOptions, UnpackOptions};
use pgc::{test, unpack};
use pgc_block::head::BlockHead;
use pgc_block::num::put_num;
use pgc_block::style::{NEXTS, Style};
use pgc_block::template::MAX_TEMPLATE;
use pgc_pgn::records::marker::Marker;
use pgc_pgn::records::private::{EscapeKind, put_private};
use pgc_pgn::records::record::{Record, put_moves, put_record};

use crate::support::alloc::peak;
use crate::support::gen_pgn::document;
use crate::support::nothing::Nothing;
use crate::support::random::Random;
use crate::support::{Collected, archive_of, unpacked_with};

const MIB: usize = 1 << 20;

/// The greatest length of source that a block head may claim.
const SOURCE: u64 = 1 << 25;

/// Small sources that need every kind of record and escape.
fn sources() -> Vec<Vec<u8>> {
    let roster = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n";
    [
        String::new(),
        "words".to_owned(),
        format!("{roster}\n1. e4 e5 2. Nf3 *\n\n"),
        format!("{roster}[FEN \"8/8/4k3/8/8/4K3/4P3/8 w - - 0 1\"]\n\n1. Kd4 {{a}} Kd6 $300 2. e4 (2. e3 $1) *\n\n"),
        "\u{feff}[A \"\u{42f}\"]\n[A \"b\"]\n%pgcH\n[B-c \"d\"]\n\n1. e4 { [%clk 0:01:00] } e5 { [%clk 0:00:59] } 2. -- Ke9\n\nwords".to_owned(),
        "1. e4 ; rest\n% line\n(1. d4 [ junk) { [%eval 0.3] [%clk 1:00:00.1] x} e5 { [%eval #-3] [%clk 1:00:00.5] y}0-1".to_owned(),
    ]
    .into_iter()
    .map(String::into_bytes)
    .collect()
}

/// Reads `archive` in every way that there is; whatever comes of it, memory is bounded.
fn read_in_every_way(archive: &[u8], bound: usize) {
    let single = UnpackOptions {
        threads: 1,
        ..UnpackOptions::default()
    };
    let ((), most) = peak(|| {
        drop(unpack(&mut &*archive, &mut Nothing, &single, &mut NoHooks));
        for depth in [TestDepth::Quick, TestDepth::Text] {
            let options = TestOptions {
                threads: 1,
                ..depth.into()
            };
            drop(test(&mut &*archive, &options, &mut NoHooks));
        }
        drop(export(
            &mut &*archive,
            &mut io::sink(),
            &single,
            &mut NoHooks,
        ));
    });
    assert!(
        most < bound,
        "{most} bytes at a time for an archive of {}: {}",
        archive.len(),
        archive[..archive.len().min(3000)].escape_ascii()
    );
}

fn assert_damaged<T>(result: Result<T, Error>, what: &str) {
    match result {
        Err(Error::Damaged { .. } | Error::Version { .. }) => {}
        Err(other) => panic!("{what}: {other}"),
        Ok(_) => panic!("{what}: not noticed"),
    }
}

#[test]
fn every_byte_changed() {
    for source in sources() {
        let archive = archive_of(&source);
        for at in 0..archive.len() {
            for change in [
                0x01,
                0x02,
                0x04,
                0x08,
                0x10,
                0x20,
                0x40,
                0x80,
                0xff,
                archive[at],
                !archive[at],
            ] {
                let mut wrong = archive.clone();
                wrong[at] ^= change;
                if change == 0 {
                    continue;
                }
                let what = format!(
                    "byte {at} is {:#04x} in the archive of {}",
                    wrong[at],
                    source.escape_ascii()
                );
                assert_damaged(unpacked_with(&wrong, 1), &what);
                assert_damaged(
                    test(&mut wrong.as_slice(), &TestOptions::default(), &mut NoHooks),
                    &what,
                );
                assert_damaged(
                    test(
                        &mut wrong.as_slice(),
                        &TestDepth::Quick.into(),
                        &mut NoHooks,
                    ),
                    &what,
                );
            }
        }
    }
}

#[test]
fn every_truncation() {
    for source in sources() {
        let one = archive_of(&source);
        let two = [one.clone(), one.clone()].concat();
        for end in 0..=two.len() {
            let result = unpacked_with(&two[..end], 1);
            if end % one.len() == 0 {
                let sources = result.unwrap().0.sources;
                assert_eq!(sources.len(), end / one.len());
                assert!(sources.iter().all(|s| s.1 == source));
            } else {
                let what = format!("{end} bytes of {}", source.escape_ascii());
                assert_damaged(result, &what);
                assert_damaged(
                    test(&mut &two[..end], &TestDepth::Quick.into(), &mut NoHooks),
                    &what,
                );
                assert_damaged(info(&mut &two[..end], false, &mut NoHooks), &what);
            }
        }
    }
}

/// What `unpack` returns as done is one source or another, never something else.
#[test]
fn random_splices() {
    let mut random = Random::new(11);
    let mut sources = sources();
    for _ in 0..6 {
        sources.push(document(&mut random, 3));
    }
    let archives: Vec<_> = sources.iter().map(|s| archive_of(s)).collect();
    for _ in 0..4000 {
        let (a, b) = (
            &archives[random.below(archives.len())],
            &archives[random.below(archives.len())],
        );
        let (i, j) = (random.below(a.len() + 1), random.below(b.len() + 1));
        let spliced = match random.below(4) {
            0 => [&a[..i], &b[j..]].concat(),
            1 => [&a[..i], &b[j..(j + 50).min(b.len())], &a[i..]].concat(),
            2 => [&a[..i], &a[(i + random.below(60)).min(a.len())..]].concat(),
            _ => [a.as_slice(), &[0, 0], b].concat(),
        };
        let mut sink = Collected::default();
        let single = UnpackOptions {
            threads: 1,
            ..UnpackOptions::default()
        };
        let result = unpack(&mut spliced.as_slice(), &mut sink, &single, &mut NoHooks);
        // All sources that were ended are right, though something later may be wrong.
        for (_, source) in &sink.sources[..sink.ended] {
            assert!(sources.contains(source), "{}", spliced.escape_ascii());
        }
        assert!(result.is_err() || sink.ended == sink.sources.len());
    }
}

/// An archive, taken apart.
struct Parts {
    blocks: Vec<(BlockHead, Vec<u8>)>,
    tail: SegmentTail,
}

impl Parts {
    fn of(archive: &[u8]) -> Parts {
        let mut reader = ArchiveReader::new(archive);
        let mut parts = Parts {
            blocks: Vec::new(),
            tail: SegmentTail::default(),
        };
        while let Some(part) = reader.next_part().unwrap() {
            match part {
                ArchivePart::Head(_) => {}
                ArchivePart::Block(head, records, _) => parts.blocks.push((*head, records)),
                ArchivePart::Tail(tail) => parts.tail = tail,
                other => panic!("{other:?}"),
            }
        }
        parts
    }

    /// Puts it together with all lengths and checksums right.
    fn put(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        SegmentHead {
            name: "x".into(),
            ..SegmentHead::default()
        }
        .put(&mut out);
        for (head, records) in &mut self.blocks {
            head.records = records.len() as u64;
            head.crc = crc32fast::hash(records);
            head.put(&mut out);
            out.extend_from_slice(records);
        }
        self.tail.put(&mut out);
        out
    }
}

fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    let at = random.below(bytes.len().max(1)).min(bytes.len());
    let end = (at + random.below(12)).min(bytes.len());
    match random.below(6) {
        0 => drop(bytes.drain(at..end)),
        1 => {
            let piece = bytes[at..end].to_vec();
            let to = random.below(bytes.len() + 1);
            drop(bytes.splice(to..to, piece));
        }
        2 => {
            let len = random.below(4);
            let piece = random.bytes(len);
            drop(bytes.splice(at..at, piece));
        }
        _ if at < bytes.len() => {
            bytes[at] = match random.below(4) {
                0 => random.pick(&[0x00, 0xff, 0xfe, 0xf0, 0xef, 0x7f, 0x80, 0x0a]),
                1 => bytes[at].wrapping_add(1),
                2 => bytes[at].wrapping_sub(1),
                _ => random.byte(),
            };
        }
        _ => {}
    }
}

/// Damage behind checksums that are right: the deeper layers look at it.
#[test]
fn changes_that_checksums_do_not_see() {
    let mut random = Random::new(5);
    let mut archives: Vec<_> = sources()[1..].iter().map(|s| archive_of(s)).collect();
    for _ in 0..6 {
        archives.push(archive_of(&document(&mut random, 2)));
    }
    for archive in &archives {
        for _ in 0..700 {
            let mut parts = Parts::of(archive);
            for (head, records) in &mut parts.blocks {
                for _ in 0..=random.below(3) {
                    mutate(&mut random, records);
                }
                match random.below(12) {
                    0 => mutate(
                        &mut random,
                        head.shapes.get_mut(0).unwrap_or(&mut Vec::new()),
                    ),
                    1 => head.style.utf8 = !head.style.utf8,
                    2 => head.style.roster = [3; 7],
                    3 => head.games = random.next() % 100,
                    4 => head.plies = random.next() % 100,
                    5 => head.source = random.next() % SOURCE,
                    7 => (head.games, head.plies) = (random.next(), random.next()),
                    6 => head.shapes.clear(),
                    _ => {}
                }
            }
            if random.once_in(10) {
                parts.tail.games = random.next();
                parts.tail.whole = (1 << 63) - 1;
                parts.tail.tails = (1 << 63) - 1;
                parts.tail.text = (1 << 63) - 1;
            }
            read_in_every_way(&parts.put(), 64 * MIB);
        }
    }
}

/// Escapes with random data behind records that are right.
#[test]
fn private_escapes_of_noise() {
    let mut random = Random::new(6);
    let interesting = [0, 1, 2, 5, 0x3f, 0xc7, 0xff, 0xfe, 0xf0, 0x80, 0x38, 0x07];
    for _ in 0..6000 {
        let mut block = Vec::new();
        put_record(&mut block, &Record::GameBegin).unwrap();
        for (name, value) in [("Event", "x"), ("Result", "1-0")] {
            put_record(
                &mut block,
                &Record::TagPair {
                    name: name.as_bytes(),
                    value: value.as_bytes(),
                },
            )
            .unwrap();
        }
        put_moves(&mut block, &[13, 12, 9]);
        for kind in [
            EscapeKind::Tags,
            EscapeKind::Annotations,
            EscapeKind::Layout,
        ] {
            if random.once_in(2) {
                let len = random.below(24);
                let data: Vec<u8> = (0..len)
                    .map(|_| {
                        if random.once_in(2) {
                            random.pick(&interesting)
                        } else {
                            random.byte()
                        }
                    })
                    .collect();
                put_private(&mut block, kind, &data);
            }
        }
        put_record(&mut block, &Record::GameEnd).unwrap();
        let shapes = vec![
            b"[%clk \x01]".to_vec(),
            b"\x06[%clk \x01][%eval \x02]".to_vec(),
            b"\x03\x04\x05".to_vec(),
            Vec::new(),
        ];
        let head = BlockHead {
            shapes,
            ..block_head(1, 3, SOURCE)
        };
        let tail = SegmentTail {
            blocks: 1,
            games: 1,
            whole: 1,
            plies: 3,
            source: SOURCE,
            ..SegmentTail::default()
        };
        read_in_every_way(
            &Parts {
                blocks: vec![(head, block)],
                tail,
            }
            .put(),
            64 * MIB,
        );
    }
}

fn block_head(games: u64, plies: u64, source: u64) -> BlockHead {
    BlockHead {
        number: 0,
        games,
        plies,
        source,
        records: 0,
        style: Style::default(),
        shapes: Vec::new(),
        streams: None,
        crc: 0,
    }
}

/// Numbers near the end of their range are no reason to panic.
#[test]
fn counts_that_overflow() {
    let most = (1 << 63) - 1;
    let mut blocks = Vec::new();
    for number in 0..4 {
        blocks.push((
            BlockHead {
                number,
                ..block_head(most, most, most)
            },
            Vec::new(),
        ));
    }
    let tail = SegmentTail {
        blocks: 4,
        games: most,
        whole: most,
        tails: most,
        text: most,
        plies: most,
        source: most,
        digest: [0; 32],
        encoded: None,
    };
    let archive = Parts { blocks, tail }.put();
    read_in_every_way(&archive, MIB);
    assert_damaged(
        test(
            &mut archive.as_slice(),
            &TestDepth::Quick.into(),
            &mut NoHooks,
        ),
        "quick test",
    );
    assert_damaged(info(&mut archive.as_slice(), false, &mut NoHooks), "info");
    assert_damaged(unpacked_with(&archive, 1), "unpack");
}

/// A length alone allocates nothing.
#[test]
fn lengths_that_lie() {
    let mut archive = Vec::new();
    SegmentHead {
        name: "x".into(),
        ..SegmentHead::default()
    }
    .put(&mut archive);
    BlockHead {
        records: 128 << 20,
        ..block_head(1, 1, SOURCE)
    }
    .put(&mut archive);
    archive.extend_from_slice(b"\x05\x06");
    read_in_every_way(&archive, MIB);
    assert_damaged(
        unpacked_with(&archive, 1),
        "a block of 128 MiB that is not there",
    );

    for kind in [
        EscapeKind::Tags,
        EscapeKind::Annotations,
        EscapeKind::Layout,
        EscapeKind::Stray,
        EscapeKind::Piece,
    ] {
        for number in [1 << 20, 1 << 31, 1 << 32, (1 << 63) - 1] {
            for lead in 0..=255_u8 {
                let mut data = vec![lead];
                put_num(&mut data, number);
                let mut block = Vec::new();
                let in_game = !matches!(kind, EscapeKind::Stray | EscapeKind::Piece);
                if in_game {
                    block.push(Marker::GameBegin.byte());
                }
                put_private(&mut block, kind, &data);
                if in_game {
                    block.push(Marker::GameEnd.byte());
                }
                let archive = Parts {
                    blocks: vec![(block_head(1, 0, SOURCE), block)],
                    tail: SegmentTail::default(),
                }
                .put();
                read_in_every_way(&archive, MIB);
            }
        }
    }
}

/// A small archive that says a little very often: comments that cost nothing to repeat.
#[test]
fn text_that_multiplies() {
    let shapes = vec![vec![b'x'; 60_000]];
    // A thousand moves to and fro, and behind each a comment of the shape, which has no fields.
    let ordinals = ordinals_to_and_fro(1000);
    let mut block = Vec::new();
    let games = 2000;
    for _ in 0..games {
        block.push(Marker::GameBegin.byte());
        put_moves(&mut block, &ordinals);
        let mut notes = vec![6 | 1 << 3 | 3 << 6];
        put_num(&mut notes, 500 - 4);
        put_private(&mut block, EscapeKind::Annotations, &notes);
        block.push(Marker::GameEnd.byte());
    }
    let head = BlockHead {
        shapes,
        ..block_head(games, games * 1000, SOURCE)
    };
    let mut parts = Parts {
        blocks: vec![(head, block)],
        tail: SegmentTail {
            blocks: 1,
            games,
            whole: games,
            plies: games * 1000,
            source: SOURCE,
            ..SegmentTail::default()
        },
    };
    let archive = parts.put();
    assert!(archive.len() < 4 * MIB);
    read_in_every_way(&archive, 192 * MIB);
    match unpacked_with(&archive, 1) {
        Err(Error::Damaged { item: "block", .. }) => {}
        other => panic!("{other:?}"),
    }

    // The same in a head that claims little.
    parts.blocks[0].0.source = games * 1000;
    parts.tail.source = games * 1000;
    let half = parts.blocks[0].1.len() / 2;
    parts.blocks[0].1.truncate(half);
    read_in_every_way(&parts.put(), 24 * MIB);
}

/// Gaps that say the number of a move fifteen times.
#[test]
fn gaps_that_multiply() {
    let mut block = vec![Marker::GameBegin.byte()];
    let fen = b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 999999999";
    put_record(
        &mut block,
        &Record::TagPair {
            name: b"FEN",
            value: fen,
        },
    )
    .unwrap();
    put_moves(&mut block, &ordinals_to_and_fro(1_000_000));
    block.push(Marker::GameEnd.byte());
    let mut style = Style::default();
    for next in 0..NEXTS {
        style.set_template(2, next, &[b'#'; MAX_TEMPLATE]).unwrap();
    }
    for source in [1_000_000, SOURCE] {
        let head = BlockHead {
            style: style.clone(),
            ..block_head(1, 1_000_000, source)
        };
        let tail = SegmentTail {
            blocks: 1,
            games: 1,
            whole: 1,
            plies: 1_000_000,
            source,
            ..SegmentTail::default()
        };
        let archive = Parts {
            blocks: vec![(head, block.clone())],
            tail,
        }
        .put();
        read_in_every_way(&archive, 256 * MIB);
        match unpacked_with(&archive, 1) {
            Err(Error::Damaged { item: "block", .. }) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// The ordinals of Nf3 Nf6 Ng1 Ng8, again and again.
fn ordinals_to_and_fro(plies: usize) -> Vec<u8> {
    let mut position = pgc_chess::Position::initial();
    (0..plies)
        .map(|i| {
            let found = position
                .resolve([b"Nf3", b"Nf6", b"Ng1", b"Ng8"][i % 4])
                .unwrap();
            position.play(found.m);
            found.ordinal.unwrap()
        })
        .collect()
}

/// Bytes that are no archive at all, to everything that reads one.
#[test]
fn noise_as_an_archive() {
    let mut random = Random::new(3);
    for _ in 0..3000 {
        let len = random.below(200);
        let mut bytes = random.bytes(len);
        if random.once_in(2) {
            // Markers more often than other bytes.
            bytes.iter_mut().for_each(|b| *b %= 12);
        }
        if random.once_in(3) {
            let mut head = Vec::new();
            SegmentHead {
                name: "x".into(),
                ..SegmentHead::default()
            }
            .put(&mut head);
            bytes.splice(0..0, head);
        }
        read_in_every_way(&bytes, 8 * MIB);
        drop(records(
            &mut bytes.as_slice(),
            &mut io::sink(),
            false,
            &mut NoHooks,
        ));
    }
}
