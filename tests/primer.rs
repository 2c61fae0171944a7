//! The primer of the small form: every block begins with what the first units of the segment teach.
//! Whichever block is lost, the others come back.

use std::ops::Range;

use pgc::internals::archive::{
    ArchivePart, ArchiveReader, OnDamage, copy_segments, index_path, salvage,
};
use pgc::internals::block::{BlockHead, CodedStream};
use pgc::{
    Archive, Error, Gap, Hooks, NoHooks, OpenOptions, PackOptions, SegmentForm, SourceInfo, pack,
    test, unpack,
};

use crate::support::random::Random;
use crate::support::{
    Collected, archive_of, options, small_of, small_options, unpacked, unpacked_with,
};

/// Games as a server writes them: the same players, clocks and openings again and again.
pub(crate) fn server_games(seed: u64, bytes: usize) -> Vec<u8> {
    const OPENINGS: [&str; 4] = [
        "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7",
        "d4 Nf6 c4 e6 Nc3 Bb4 e3 O-O Bd3 d5 Nf3 c5 O-O Nc6 a3 Bxc3 bxc3 dxc4 Bxc4 Qc7",
        "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bg5 e6 f4 Be7 Qf3 Qc7 O-O-O Nbd7 g4 b5",
        "c4 e5 Nc3 Nf6 Nf3 Nc6 g3 d5 cxd5 Nxd5 Bg2 Nb6 O-O Be7 d3 O-O a3 Be6 b4 f6",
    ];
    let mut random = Random::new(seed);
    let letters = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut text = String::new();
    let mut minute = 0;
    while text.len() < bytes {
        let site: String = (0..8)
            .map(|_| char::from(letters[random.below(62)]))
            .collect();
        let (white, black) = (random.below(40), random.below(40));
        let result = ["1-0", "0-1", "1/2-1/2"][random.below(3)];
        let control = ["180+0", "300+3"][random.below(2)];
        minute += random.below(3);
        text += &format!(
            "[Event \"Rated Blitz game\"]\n[Site \"https://lichess.org/{site}\"]\n[Date \"2024.03.0{}\"]\n\
             [White \"player-number-{white}\"]\n[Black \"player-number-{black}\"]\n[Result \"{result}\"]\n\
             [UTCTime \"{:02}:{:02}:00\"]\n[WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n[TimeControl \"{control}\"]\n\
             [Termination \"Normal\"]\n\n",
            1 + minute / 1440 % 9,
            minute / 60 % 24,
            minute % 60,
            1500 + white * 7 + random.below(9),
            1500 + black * 7 + random.below(9),
        );
        let plies = 4 + random.below(17);
        let mut clocks = [180, 180];
        for (at, san) in OPENINGS[random.below(4)].split(' ').take(plies).enumerate() {
            let clock = &mut clocks[at % 2];
            *clock -= random.below(6);
            let dots = if at % 2 == 0 { "." } else { "..." };
            text += &format!(
                "{}{dots} {san} {{ [%clk 0:{:02}:{:02}] }} ",
                at / 2 + 1,
                *clock / 60,
                *clock % 60
            );
        }
        text += &format!("{result}\n\n");
    }
    text.into_bytes()
}

fn source() -> Vec<u8> {
    server_games(1, 1_700_000)
}

struct PackedBlock {
    head: BlockHead,
    record: Range<usize>,
    stored: Range<usize>,
    source: Range<usize>,
    games: Range<u64>,
}

impl PackedBlock {
    fn primer(&self) -> &CodedStream {
        &self.head.streams()[0]
    }
}

fn blocks(archive: &[u8]) -> Vec<PackedBlock> {
    let mut reader = ArchiveReader::new(archive);
    let (mut blocks, mut source, mut games) = (Vec::new(), 0, 0);
    let place = |offset: u64| usize::try_from(offset).unwrap();
    while let Some(part) = reader.next_part().unwrap() {
        if let ArchivePart::Block(head, stored, at) = part {
            let (end, last) = (source + place(head.source), games + head.games);
            blocks.push(PackedBlock {
                record: place(reader.begin())..place(at),
                stored: place(at)..place(at) + stored.len(),
                source: source..end,
                games: games..last,
                head: *head,
            });
            (source, games) = (end, last);
        }
    }
    blocks
}

#[derive(Default)]
struct Passing(Vec<Gap>);

impl Hooks for Passing {
    fn passes_damage(&self) -> bool {
        true
    }
    fn gap(&mut self, gap: &Gap) {
        self.0.push(gap.clone());
    }
}

/// The text of an unpacking that passes over damage, and the gaps.
fn unpacked_past(broken: &[u8]) -> (Vec<u8>, Vec<Gap>) {
    let (mut sink, mut gaps) = (Collected::default(), Passing::default());
    unpack(
        &mut &*broken,
        &mut sink,
        &pgc::UnpackOptions::default(),
        &mut gaps,
    )
    .unwrap();
    let text = sink.sources.into_iter().flat_map(|source| source.1);
    (text.collect(), gaps.0)
}

fn salvaged(broken: &[u8], form: SegmentForm) -> (Vec<u8>, Vec<SourceInfo>) {
    let mut out = Vec::new();
    let sources = salvage(&mut &*broken, &mut out, form, 2, &mut Passing::default()).unwrap();
    (out, sources)
}

/// The text of an archive that must be whole.
fn text_of(archive: &[u8]) -> Vec<u8> {
    test(&mut &*archive, false, false, 2, &mut NoHooks).unwrap();
    let (collected, _) = unpacked_with(archive, 1).unwrap();
    collected.sources.into_iter().flat_map(|s| s.1).collect()
}

fn without(source: &[u8], blocks: &[PackedBlock], lost: impl Fn(usize) -> bool) -> Vec<u8> {
    let left = blocks.iter().enumerate().filter(|(at, _)| !lost(*at));
    left.flat_map(|(_, block)| source[block.source.clone()].to_vec())
        .collect()
}

fn hurt(archive: &[u8], places: &[usize]) -> Vec<u8> {
    let mut broken = archive.to_vec();
    for &place in places {
        broken[place] ^= 0x10;
    }
    broken
}

#[test]
fn the_first_block_begins_it_and_the_last_has_a_copy() {
    let source = source();
    let small = small_of(&source, true).unwrap();
    let blocks = blocks(&small);
    assert!(blocks.len() > 5);
    let first = blocks[0].primer();
    assert!(first.kind == b'O' && first.len > 900 && first.len < 2000);
    let bytes = &small[blocks[0].stored.start..][..first.len as usize];
    assert_eq!(crc32fast::hash(bytes), first.crc);
    for block in &blocks[1..] {
        let named = block.primer();
        let is_last = block.head.number == blocks.len() as u64 - 1;
        let len = if is_last { first.len } else { 0 };
        assert_eq!((named.kind, named.len, named.crc), (b'P', len, first.crc));
    }
    let last = blocks.last().unwrap();
    assert_eq!(&small[last.stored.clone()][..bytes.len()], bytes);
    assert!(unpacked(&small).unwrap() == source);
}

#[test]
fn the_same_bytes_for_any_number_of_threads_and_from_the_other_form() {
    let source = source();
    let small = small_of(&source, true).unwrap();
    for threads in [1, 2, 5] {
        let mut again = Vec::new();
        let options = small_options(threads != 2, threads);
        pack(&mut &*source, "x.pgn", &mut again, &options, &mut NoHooks).unwrap();
        assert!(again == small, "{threads} threads");
        assert!(unpacked_with(&small, threads).unwrap().0.sources[0].1 == source);
    }
    let plain = archive_of(&source);
    // Several segments in one archive: each has its own.
    let other = server_games(9, 900_000);
    let plain = [plain, archive_of(&other), archive_of(b"1. e4 *\n")].concat();
    let expected = [
        small,
        small_of(&other, true).unwrap(),
        small_of(b"1. e4 *\n", true).unwrap(),
    ]
    .concat();
    for threads in [1, 3] {
        let converted = |archive: &[u8], form| {
            let mut out = Vec::new();
            let options = PackOptions {
                form,
                ..options(true, threads)
            };
            copy_segments(&mut &*archive, &mut out, &options, &mut NoHooks, None).unwrap();
            out
        };
        assert!(converted(&plain, SegmentForm::Small) == expected);
        assert!(converted(&expected, SegmentForm::Plain) == plain);
        assert!(converted(&expected, SegmentForm::Small) == expected);
    }
}

#[test]
fn few_blocks_and_games_unlike_each_other_have_none() {
    let texts = [
        server_games(3, 400_000),
        (0..20_000).flat_map(|_| b"1. e4 *\n\n".to_vec()).collect(),
    ];
    for text in texts {
        let small = small_of(&text, true).unwrap();
        let is_primed = |block: &PackedBlock| {
            let kinds = block.head.streams().iter().map(|stream| stream.kind);
            kinds.into_iter().any(|kind| matches!(kind, b'O' | b'P'))
        };
        assert!(!blocks(&small).iter().any(is_primed));
    }
}

#[test]
fn whichever_block_is_lost_the_others_come_back() {
    let source = source();
    let small = small_of(&source, true).unwrap();
    let blocks = blocks(&small);
    for lost in 0..blocks.len() {
        let block = &blocks[lost];
        let expected = without(&source, &blocks, |at| at == lost);
        let removed = [&small[..block.record.start], &small[block.stored.end..]].concat();
        for broken in [
            hurt(&small, &[block.record.start + 9]),
            hurt(&small, &[block.stored.start + 3]),
            hurt(&small, &[block.stored.end - 3]),
            removed,
        ] {
            let (text, gaps) = unpacked_past(&broken);
            assert!(text == expected, "block {lost}");
            assert_eq!(gaps.iter().filter(|gap| !gap.is_harmless()).count(), 1);
            assert!(unpacked_with(&broken, 1).is_err());
            for form in [SegmentForm::Small, SegmentForm::Plain] {
                let (mended, _) = salvaged(&broken, form);
                assert!(text_of(&mended) == expected, "block {lost}");
            }
        }
    }
}

#[test]
fn a_copy_in_a_damaged_block_counts() {
    let source = source();
    let small = small_of(&source, true).unwrap();
    let blocks = blocks(&small);
    let last = blocks.last().unwrap();
    // The head of the first, and the moves of the last.
    let broken = hurt(&small, &[blocks[0].record.start + 9, last.stored.end - 3]);
    let expected = without(&source, &blocks, |at| at == 0 || at == blocks.len() - 1);
    assert!(unpacked_past(&broken).0 == expected);
    assert!(text_of(&salvaged(&broken, SegmentForm::Small).0) == expected);
    // A piece from the middle on.
    let piece = &small[blocks[3].record.start - 100..];
    let expected = without(&source, &blocks, |at| at < 3);
    assert!(text_of(&salvaged(piece, SegmentForm::Small).0) == expected);
    // A piece that ends in the middle.
    let piece = &small[..blocks[3].stored.start + 100];
    let expected = without(&source, &blocks, |at| at >= 3);
    assert!(text_of(&salvaged(piece, SegmentForm::Small).0) == expected);
}

#[test]
fn without_any_copy_the_blocks_that_need_it_are_lost_and_no_game_is_wrong() {
    let source = source();
    let small = small_of(&source, true).unwrap();
    let blocks = blocks(&small);
    let last = blocks.last().unwrap();
    let broken = hurt(
        &small,
        &[blocks[0].stored.start + 40, last.stored.start + 40],
    );
    let (text, gaps) = unpacked_past(&broken);
    assert!(text.is_empty());
    let told: Vec<String> = gaps.iter().map(|gap| gap.what.clone()).collect();
    assert_eq!(gaps.len(), blocks.len(), "{told:?}");
    let of_primer = told.iter().filter(|what| what.contains("needs the primer"));
    assert_eq!(of_primer.count(), blocks.len() - 2, "{told:?}");
    let lost: u64 = gaps.iter().filter_map(|gap| gap.games).sum();
    assert_eq!(lost, last.games.end);
    assert!(text_of(&salvaged(&broken, SegmentForm::Small).0).is_empty());
}

#[test]
fn a_block_that_names_another_primer_is_damaged() {
    let source = source();
    let small = small_of(&source, true).unwrap();
    let blocks = blocks(&small);
    let mut head = blocks[2].head.clone();
    head.streams.as_mut().unwrap()[0].crc ^= 1;
    let mut record = Vec::new();
    head.put(&mut record);
    let place = blocks[2].record.clone();
    let broken = [&small[..place.start], &record, &small[place.end..]].concat();
    let error = unpacked_with(&broken, 1).err().unwrap();
    let Error::Damaged { offset, what, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(*offset, (place.start + record.len()) as u64);
    assert!(what.contains("needs the primer"), "{what}");
    let expected = without(&source, &blocks, |at| at == 2);
    assert!(unpacked_past(&broken).0 == expected);
    assert!(text_of(&salvaged(&broken, SegmentForm::Small).0) == expected);
}

#[test]
fn games_are_fetched_with_and_without_an_index() {
    let source = source();
    let small = small_of(&source, true).unwrap();
    let blocks = blocks(&small);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pgcz");
    // Another segment before it, so that numbers in segments are not those in the archive.
    let before = small_of(&server_games(4, 900_000), true).unwrap();
    std::fs::write(&path, [&before[..], &small].concat()).unwrap();
    let skipped = Archive::open(&path).unwrap().len().unwrap() - blocks.last().unwrap().games.end;
    let text = unpacked(&small).unwrap();
    let check = |archive: &Archive, lost: Option<usize>| {
        for (at, block) in blocks.iter().enumerate().rev() {
            if Some(at) == lost {
                continue;
            }
            let games = &text[block.source.clone()];
            let last = archive.game(skipped + block.games.end).unwrap();
            assert!(games.ends_with(&last.pgn));
            let first = archive.game(skipped + block.games.start + 1).unwrap();
            assert!(games.starts_with(&first.pgn));
        }
    };
    check(&Archive::open(&path).unwrap(), None);
    let mut index = Vec::new();
    let options = pgc::internals::archive::IndexOptions {
        build: pgc::internals::index::BuildOptions {
            memory: 1 << 20,
            temp_dir: std::env::temp_dir(),
            extras: pgc::internals::index::Extras {
                hashes: false,
                lines: true,
            },
        },
        threads: 2,
    };
    let mut file = std::fs::File::open(&path).unwrap();
    pgc::internals::archive::index(&mut file, &mut index, &options, &mut NoHooks).unwrap();
    std::fs::write(index_path(&path), index).unwrap();
    let archive = Archive::open(&path).unwrap();
    assert!(archive.index().is_some());
    check(&archive, None);
    // The first block of the second segment is lost.
    let broken = hurt(&small, &[blocks[0].record.start + 9]);
    std::fs::write(&path, [&before[..], &broken].concat()).unwrap();
    for no_index in [false, true] {
        let options = OpenOptions {
            no_index,
            passes_damage: true,
            ..OpenOptions::default()
        };
        check(&Archive::open_with(&path, options).unwrap(), Some(0));
    }
}

#[test]
fn a_hostile_primer_costs_little_and_no_panic() {
    let source = source();
    let small = small_of(&source, true).unwrap();
    let blocks = blocks(&small);
    let (first, second) = (&blocks[0], &blocks[1]);
    let bytes = &small[first.stored.start..][..first.primer().len as usize];
    let mut random = Random::new(77);
    for _ in 0..150 {
        let mut primer = bytes.to_vec();
        for _ in 0..1 + random.below(3) {
            let at = random.below(primer.len());
            match random.below(3) {
                0 => primer[at] = u8::try_from(random.below(256)).unwrap(),
                1 => primer.truncate(at.max(1)),
                _ => primer.insert(at, 0xff),
            }
        }
        // The checksums are right.
        let mut out = small[..first.record.start].to_vec();
        let mut head = second.head.clone();
        head.number = 0;
        let named = &mut head.streams.as_mut().unwrap()[0];
        named.len = u32::try_from(primer.len()).unwrap();
        named.crc = crc32fast::hash(&primer);
        head.put(&mut out);
        out.extend_from_slice(&primer);
        out.extend_from_slice(&small[second.stored.clone()]);
        let mut head = first.head.clone();
        head.number = 1;
        let named = &mut head.streams.as_mut().unwrap()[0];
        named.len = u32::try_from(primer.len()).unwrap();
        named.crc = crc32fast::hash(&primer);
        head.put(&mut out);
        out.extend_from_slice(&primer);
        out.extend_from_slice(&small[first.stored.start + bytes.len()..first.stored.end]);
        let (text, gaps) = unpacked_past(&out);
        // What comes back is right; that needs the primer, but not the letters of its shapes.
        let [one, two] = [second, first].map(|block| &source[block.source.clone()]);
        let is_right = primer == bytes;
        assert!(!is_right || text == [one, two].concat());
        let parts = [&b""[..], one, two];
        assert!(parts.contains(&&text[..]) || text == [one, two].concat());
        assert!(text.len() > one.len() || !gaps.is_empty());
        let mut reader = ArchiveReader::passing(&*out, OnDamage::Salvage);
        while reader.next_part().unwrap().is_some() {}
    }
}
