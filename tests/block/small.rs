//! The small form: it stands for the same records as the plain one, converts into it and back, and
//! no damage in it goes unseen.

use std::io;

use pgc::beside::index_path;
use pgc::indexing::{IndexOptions, Indexing, index};
use pgc::join::convert::copy_segments;
use pgc::listing::records;
use pgc::pack::pack_indexed;
use pgc::stream::head::{SegmentHead, SegmentTail};
use pgc::stream::reader::{ArchivePart, ArchiveReader};
use pgc::unpack::info;
use pgc::{Archive, Error, NoHooks, OpenOptions, PackOptions, SegmentForm};
use pgc::{TestDepth, UnpackOptions};
use pgc::{pack, test, unpack};
use pgc_block::head::BlockHead;
use pgc_block::small::stream::CodedStream;
use pgc_index::BuildOptions;

use crate::support::alloc::peak;
use crate::support::gen_pgn::document;
use crate::support::nothing::Nothing;
use crate::support::random::Random;
use crate::support::{archive_of, options, small_of, small_options, unpacked, unpacked_with};

const MIB: usize = 1 << 20;

/// A source of three blocks: a first, one between and a last.
fn long_source(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut text = Vec::new();
    while text.len() < 2_200_000 {
        text.extend_from_slice(&document(&mut random, 20));
    }
    text
}

/// A source whose one block is coded.
fn short_source() -> Vec<u8> {
    let mut random = Random::new(5);
    let mut text = document(&mut random, 4);
    let game = b"[Event \"E\"]\n[Site \"S\"]\n\n1. e4 e5 2. Nf3 { [%clk 0:01:00] } *\n\n";
    (0..8).for_each(|_| text.extend_from_slice(game));
    let game =
        b"[Event \"E\"]\n[Site \"S\"]\n\n1. e4 {d=20, mt=1500, pv=e4 c5 Nf3} e5 {d=21, mt=300, \
        pv=e5 Nf3 d6 Bb5+, tb=null} 2. Nf3 {d=20, mt=700, pv=g1f3 b8c6} *\n\n";
    (0..4).for_each(|_| text.extend_from_slice(game));
    text
}

fn converted(archive: &[u8], form: SegmentForm, threads: usize) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    let options = PackOptions {
        form,
        ..options(true, threads)
    };
    copy_segments(&mut &*archive, &mut out, &options, &mut NoHooks, None)?;
    Ok(out)
}

fn build() -> BuildOptions {
    BuildOptions {
        memory: 1 << 20,
        temp_dir: std::env::temp_dir(),
        lines: true,
    }
}

/// The index as `index` makes it from the archive.
fn index_of(archive: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let options = IndexOptions::new(build(), 2);
    index(
        &mut io::Cursor::new(archive),
        &mut out,
        &options,
        &mut NoHooks,
    )
    .unwrap();
    out
}

/// The heads of the blocks, and what stands behind them.
fn blocks(archive: &[u8]) -> Vec<(BlockHead, Vec<u8>)> {
    let mut reader = ArchiveReader::new(archive);
    let mut blocks = Vec::new();
    while let Some(part) = reader.next_part().unwrap() {
        if let ArchivePart::Block(head, stored, _) = part {
            blocks.push((*head, stored));
        }
    }
    blocks
}

#[test]
fn the_same_bytes_however_it_is_made() {
    let source = long_source(1);
    let plain = archive_of(&source);
    let small = small_of(&source, true).unwrap();
    assert!(
        small.len() < plain.len() / 2,
        "{} of {}",
        small.len(),
        plain.len()
    );
    assert!(blocks(&small).len() > 2);
    for (head, stored) in blocks(&small) {
        let lengths: u64 = head
            .streams()
            .iter()
            .map(|stream| u64::from(stream.len))
            .sum();
        assert!(lengths == stored.len() as u64 && lengths < head.records);
    }
    // Each way in both numbers of threads that differ: one, and several.
    for (verify, threads) in [(false, 1), (true, 4), (false, 2)] {
        let mut again = Vec::new();
        let options = small_options(verify, threads);
        pack(&mut &*source, "x.pgn", &mut again, &options, &mut NoHooks).unwrap();
        assert!(again == small, "{threads} threads, {verify}");
    }
    for (threads, several) in [(1, 4), (2, 1)] {
        assert!(unpacked_with(&small, threads).unwrap().0.sources[0].1 == source);
        assert!(converted(&plain, SegmentForm::Small, threads).unwrap() == small);
        assert!(converted(&small, SegmentForm::Plain, several).unwrap() == plain);
    }
    for (archive, form) in [(&small, SegmentForm::Small), (&plain, SegmentForm::Plain)] {
        assert!(converted(archive, form, 2).unwrap() == *archive);
    }
}

#[test]
fn the_index_is_the_same_however_it_is_made() {
    let source = long_source(2);
    let mut indexing = Indexing::new(build());
    let (mut small, options) = (Vec::new(), small_options(true, 2));
    pack_indexed(
        &mut &*source,
        "x.pgn",
        &mut small,
        &options,
        &mut NoHooks,
        Some(&mut indexing),
    )
    .unwrap();
    let (mut packed, right) = (Vec::new(), index_of(&small));
    indexing.finish(&mut packed).unwrap();
    assert!(packed == right);

    let (mut copied, mut indexing) = (Vec::new(), Indexing::new(build()));
    let plain = archive_of(&source);
    let copy = copy_segments(
        &mut &*plain,
        &mut copied,
        &options,
        &mut NoHooks,
        Some(&mut indexing),
    );
    assert_eq!(copy.unwrap().len(), 1);
    let mut of_copy = Vec::new();
    indexing.finish(&mut of_copy).unwrap();
    assert!(copied == small && of_copy == right);
    // The same games: only the places of the blocks, and the archive that it belongs to, differ.
    let of_plain = index_of(&plain);
    assert_eq!(of_plain.len(), right.len());
}

#[test]
fn both_forms_in_one_archive() {
    let (one, two) = (long_source(3), short_source());
    let mixed = [
        archive_of(&one),
        small_of(&two, true).unwrap(),
        vec![0, 0],
        small_of(b"", true).unwrap(),
        archive_of(&two),
    ]
    .concat();
    let (sink, _) = unpacked_with(&mixed, 2).unwrap();
    let texts: Vec<&[u8]> = sink.sources.iter().map(|source| &*source.1).collect();
    assert!(texts == [&*one, &two, b"", &two]);
    let sources = test(&mut &*mixed, &TestDepth::Quick.into(), &mut NoHooks).unwrap();
    let forms: Vec<bool> = sources.iter().map(|source| source.small).collect();
    assert_eq!(forms, [false, true, true, false]);
    let (_, breakdown, stored) = info(&mut &*mixed, false, &mut NoHooks).unwrap();
    let heads: u64 = sources
        .iter()
        .map(|source| source.sum.bytes_out)
        .sum::<u64>()
        - stored.sum();
    assert!(breakdown.heads >= heads && stored.streams.len() > 1 && stored.plain > 0);
    for form in [SegmentForm::Plain, SegmentForm::Small] {
        let all = converted(&mixed, form, 2).unwrap();
        assert!(unpacked_with(&all, 1).unwrap().0.sources == sink.sources);
        let sources = test(&mut &*all, &TestDepth::Quick.into(), &mut NoHooks).unwrap();
        let small = form == SegmentForm::Small;
        assert!(sources.iter().all(|source| source.small == small));
    }
}

/// The records that are listed are those of the plain form, but for heads and offsets.
#[test]
fn records_are_listed_decoded() {
    let listed = |archive: &[u8]| {
        let mut out = Vec::new();
        records(&mut &*archive, &mut out, false, &mut NoHooks).unwrap();
        let out = String::from_utf8(out).unwrap();
        let lines = out.lines().map(|line| line.split_once(' ').unwrap());
        let lines: Vec<_> = lines
            .map(|(at, what)| (at.to_owned(), what.to_owned()))
            .collect();
        lines
    };
    let source = short_source();
    let (plain, small) = (
        listed(&archive_of(&source)),
        listed(&small_of(&source, true).unwrap()),
    );
    assert_eq!(plain.len(), small.len());
    let begin = plain[2].0.clone();
    let begin = u64::from_str_radix(&begin, 16).unwrap();
    for (one, two) in plain[2..plain.len() - 1].iter().zip(&small[2..]) {
        assert_eq!(one.1, two.1);
        let offset = u64::from_str_radix(&one.0, 16).unwrap() - begin;
        assert_eq!(two.0, format!("+{offset:07x}"));
    }
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
    let source = short_source();
    let small = small_of(&source, true).unwrap();
    assert!(!blocks(&small)[0].0.streams().is_empty());
    for at in 0..small.len() {
        for change in [1, 0x80, 0xff, small[at]] {
            if change == 0 {
                continue;
            }
            let mut wrong = small.clone();
            wrong[at] ^= change;
            let what = format!("byte {at} ^ {change:#04x}");
            assert_damaged(unpacked(&wrong), &what);
            assert_damaged(
                test(&mut &*wrong, &TestDepth::Quick.into(), &mut NoHooks),
                &what,
            );
            assert_damaged(converted(&wrong, SegmentForm::Plain, 1), &what);
        }
    }
}

#[test]
fn every_truncation() {
    let source = short_source();
    let small = small_of(&source, true).unwrap();
    for end in 1..small.len() {
        let what = format!("{end} bytes");
        assert_damaged(unpacked(&small[..end]), &what);
        assert_damaged(
            test(&mut &small[..end], &TestDepth::Quick.into(), &mut NoHooks),
            &what,
        );
        assert_damaged(converted(&small[..end], SegmentForm::Plain, 1), &what);
    }
}

/// An archive of one block with these streams, whose checksums are right.
fn forged(head: &BlockHead, streams: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let list = |(kind, bytes): &(u8, Vec<u8>)| CodedStream {
        kind: *kind,
        len: u32::try_from(bytes.len()).unwrap(),
        crc: crc32fast::hash(bytes),
    };
    let mut out = Vec::new();
    SegmentHead {
        form: SegmentForm::Small,
        name: "x".into(),
        ..SegmentHead::default()
    }
    .put(&mut out);
    BlockHead {
        streams: Some(streams.iter().map(list).collect()),
        ..head.clone()
    }
    .put(&mut out);
    streams
        .iter()
        .for_each(|(_, bytes)| out.extend_from_slice(bytes));
    SegmentTail {
        blocks: 1,
        games: head.games,
        whole: head.games,
        plies: head.plies,
        source: head.source,
        ..SegmentTail::default()
    }
    .put(&mut out);
    out
}

/// The streams of a block.
fn streams_of(head: &BlockHead, mut stored: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let streams = head.streams().iter().map(|stream| {
        let (bytes, rest) = stored.split_at(stream.len as usize);
        stored = rest;
        (stream.kind, bytes.to_vec())
    });
    streams.collect()
}

/// More than the models of a block take.
const MODELS: usize = 16 * MIB;

/// Reads an archive in which the checksums of the streams tell nothing; memory is bounded.
fn read_forged(archive: &[u8], bound: usize, what: &str) {
    let single = UnpackOptions {
        threads: 1,
        ..UnpackOptions::default()
    };
    let ((), most) = peak(|| {
        let unpacking = unpack(&mut &*archive, &mut Nothing, &single, &mut NoHooks);
        assert_damaged(unpacking.map(drop), what);
        drop(test(&mut &*archive, &TestDepth::Quick.into(), &mut NoHooks));
        drop(records(
            &mut &*archive,
            &mut io::sink(),
            false,
            &mut NoHooks,
        ));
        drop(converted(archive, SegmentForm::Plain, 1));
    });
    assert!(most < bound, "{what}: {most} bytes at a time");
}

/// Streams that were not made by a coder.
#[test]
fn hostile_streams() {
    let small = small_of(&short_source(), true).unwrap();
    let (head, stored) = blocks(&small).remove(0);
    let streams = streams_of(&head, &stored);
    let right = forged(&head, &streams);
    assert_damaged(unpacked(&right), "the digest");
    assert!(test(&mut &*right, &TestDepth::Quick.into(), &mut NoHooks).is_ok());
    let mut random = Random::new(9);
    for round in 0..1000 {
        let mut streams = streams.clone();
        let at = random.below(streams.len());
        let bytes = &mut streams[at].1;
        match random.below(4) {
            0 => bytes.truncate(random.below(bytes.len())),
            1 => *bytes = [&[0], &*random.bytes(200)].concat(),
            2 => bytes.push(0),
            _ => {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 + random.byte() % 255;
            }
        }
        if !bytes.is_empty() {
            let what = format!("round {round}");
            read_forged(&forged(&head, &streams), MODELS, &what);
        }
    }
    let mut other = streams.clone();
    other.push((b'Q', vec![1]));
    let mut turned = streams.clone();
    turned.reverse();
    let mut less = streams.clone();
    less.pop();
    let mut renamed = streams;
    renamed[0].0 = b't';
    for streams in [other, turned, less, renamed] {
        read_forged(&forged(&head, &streams), MODELS, "other streams");
    }
}

/// Lists of streams that no head has, with all checksums right.
#[test]
fn heads_that_lie() {
    let small = small_of(&short_source(), true).unwrap();
    let (head, stored) = blocks(&small).remove(0);
    let streams = streams_of(&head, &stored);
    let length = stored.len();
    let with = |records: u64, streams: &[(u8, Vec<u8>)]| {
        let head = BlockHead {
            records,
            ..head.clone()
        };
        forged(&head, streams)
    };
    let piece = |kind, length| (kind, vec![0; length]);
    let letters = |count| {
        (b'a'..)
            .take(count)
            .map(|kind| piece(kind, 1))
            .collect::<Vec<_>>()
    };
    for (what, archive) in [
        ("17 streams", with(1000, &letters(17))),
        ("a digit", with(1000, &[piece(b'1', 5)])),
        (
            "a letter twice",
            with(1000, &[piece(b'a', 5), piece(b'a', 5)]),
        ),
        ("an empty stream", with(1000, &[piece(b'R', 0)])),
        ("as long as the records", with(length as u64, &streams)),
        ("more records than coded", with((32 << 20) + 1, &streams)),
    ] {
        let Err(Error::Damaged {
            item, what: fault, ..
        }) = unpacked(&archive)
        else {
            panic!("{what}");
        };
        assert_eq!((item, &*fault), ("block head", "not well-formed"), "{what}");
    }
    for records in [head.records + 1, 32 << 20] {
        read_forged(
            &with(records, &streams),
            MODELS,
            "more records than the streams have",
        );
    }
}

/// The most that a few bytes become is bounded by the coder, whatever the head says.
#[test]
fn no_stream_grows_without_bound() {
    let text = vec![b'a'; 8 << 20];
    let small = small_of(&text, false).unwrap();
    for (head, stored) in blocks(&small) {
        let each = head.records / stored.len() as u64;
        assert!(!head.streams().is_empty() && each < 2840, "{each} a byte");
    }
    assert!(unpacked(&small).unwrap() == text);
}

/// Forms that do not fit: a plain block in a small segment, and the other way round.
#[test]
fn a_block_of_the_other_form() {
    let (plain, small) = (
        archive_of(&short_source()),
        small_of(&short_source(), true).unwrap(),
    );
    let head = |archive: &[u8]| 3 + usize::from(u16::from_le_bytes([archive[1], archive[2]]));
    let (of_plain, of_small) = (head(&plain), head(&small));
    for wrong in [
        [&plain[..of_plain], &small[of_small..]].concat(),
        [&small[..of_small], &plain[of_plain..]].concat(),
    ] {
        let Err(Error::Damaged { item, offset, .. }) = unpacked(&wrong) else {
            panic!("not noticed");
        };
        assert_eq!((item, offset), ("block head", of_plain as u64));
    }
}

/// Games are fetched right, or damage is told; whatever else happens to the file.
#[test]
fn games_of_a_damaged_archive() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pgcz");
    let small = small_of(&short_source(), true).unwrap();
    std::fs::write(&path, &small).unwrap();
    let last = test(&mut &*small, &TestDepth::Quick.into(), &mut NoHooks).unwrap()[0]
        .sum
        .games;
    let texts = |with_index: bool| -> Vec<Result<Vec<u8>, Error>> {
        let options = OpenOptions {
            no_index: !with_index,
            read: true,
            ..OpenOptions::default()
        };
        let archive = match Archive::open_with(&path, options) {
            Ok(archive) => archive,
            Err(error) => return vec![Err(error)],
        };
        [1, 2, last]
            .map(|number| archive.game(number).map(|game| game.pgn))
            .into()
    };
    std::fs::write(index_path(&path), index_of(&small)).unwrap();
    let right: Vec<Vec<u8>> = texts(true).into_iter().map(Result::unwrap).collect();
    assert!(
        texts(false)
            .into_iter()
            .map(Result::unwrap)
            .eq(right.clone())
    );
    let head = 3 + usize::from(u16::from_le_bytes([small[1], small[2]]));
    for at in (head..small.len()).step_by(3) {
        let mut wrong = small.clone();
        wrong[at] ^= 0x55;
        std::fs::write(&path, &wrong).unwrap();
        for with_index in [true, false] {
            for (text, right) in texts(with_index).into_iter().zip(&right) {
                match text {
                    Ok(text) => assert!(text == *right, "byte {at}"),
                    Err(Error::Damaged { .. } | Error::NoSuchGame { .. }) => {}
                    Err(error) => panic!("byte {at}: {error}"),
                }
            }
        }
    }
}

/// An archive of one block, but with streams of these kinds that nobody can decode, of the same
/// length and with right checksums.
fn spoilt(small: &[u8], kinds: &[u8]) -> Vec<u8> {
    let mut reader = ArchiveReader::new(small);
    let mut bytes = Vec::new();
    while let Some(part) = reader.next_part().unwrap() {
        match part {
            ArchivePart::Block(mut head, mut stored, _) => {
                let mut from = 0;
                for stream in head.streams.as_mut().unwrap() {
                    let bytes = &mut stored[from..from + stream.len as usize];
                    if kinds.contains(&stream.kind) {
                        bytes.fill(0xff);
                    }
                    stream.crc = crc32fast::hash(bytes);
                    from += bytes.len();
                }
                head.put(&mut bytes);
                bytes.extend_from_slice(&stored);
            }
            _ => bytes.extend_from_slice(reader.record()),
        }
    }
    bytes
}

/// Questions decode the streams that they need and no others: those that cannot be decoded are not
/// noticed.
#[test]
fn questions_decode_only_what_they_ask() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pgcz");
    let play = "1. e4 $1 e5 (1... c5) 2. Nf3 {a good move} *";
    let game =
        |event: &str, by: &str| format!("[{event} \"E\"]\n[Annotator \"{by}\"]\n\n{play}\n\n");
    let pgn = |event: &str| {
        let games = (0..30).map(|n| game(event, if n % 3 == 0 { "x" } else { "y" }));
        games.collect::<String>()
    };
    // With a blank more, the tags have data of their own among the texts.
    for (event, streams) in [("Event", &b"SMNXL"[..]), ("Event ", b"M")] {
        let small = small_of(pgn(event).as_bytes(), true).unwrap();
        let index = index_of(&small);
        let ask = |bytes: &[u8], with_index: bool| {
            std::fs::write(&path, bytes).unwrap();
            std::fs::write(index_path(&path), &index).unwrap();
            let options = OpenOptions {
                no_index: !with_index,
                ..OpenOptions::default()
            };
            Archive::open_with(&path, options).unwrap()
        };
        let (right, spoilt_tags) = (ask(&small, true), spoilt(&small, streams));
        let by_tag = pgc::Query::parse("--tag Annotator=x").unwrap();
        let tags = |archive: &Archive| {
            let games: Vec<u32> = (0..30).collect();
            (
                archive
                    .find(&by_tag, 1)
                    .unwrap()
                    .numbers()
                    .collect::<Vec<_>>(),
                archive.tag_values(&games, &["Annotator"], 1).unwrap(),
                archive.find(&by_tag, 1).unwrap().tag_names,
            )
        };
        let expected = tags(&right);
        assert_eq!(expected.0, (1..30).step_by(3).collect::<Vec<u64>>());
        assert_eq!(tags(&ask(&spoilt_tags, true)), expected, "{event}");
        let spoilt_moves = ask(&spoilt(&small, b"M"), true);
        let elements = |archive: &Archive| {
            let games: Vec<u32> = (0..30).collect();
            let copies = archive.copies(&games, 1).unwrap();
            let counts = |copy: &pgc::dups::copies::GameCopy| {
                (copy.comments, copy.nags, copy.variations, copy.tags.clone())
            };
            (
                archive
                    .find(&pgc::Query::parse("--nag 1").unwrap(), 1)
                    .unwrap()
                    .found
                    .games
                    .len(),
                archive.tags_at(&games, 1).unwrap(),
                copies.iter().map(counts).collect::<Vec<_>>(),
            )
        };
        let right = ask(&small, true);
        let expected = elements(&right);
        assert_eq!(expected.0, 30, "a NAG in each game");
        assert_eq!(
            elements(&ask(&spoilt(&small, b"M"), true)),
            expected,
            "{event}"
        );
        assert!(spoilt_moves.game(1).is_err());
    }
}

/// A changed stream whose checksum is right gives another game, or none: no wrong one is returned.
#[test]
fn streams_that_say_something_else_give_no_wrong_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pgcz");
    let small = small_of(&document(&mut Random::new(7), 60), true).unwrap();
    std::fs::write(&path, &small).unwrap();
    let options = OpenOptions {
        no_index: true,
        ..OpenOptions::default()
    };
    let whole = Archive::open_with(&path, options).unwrap();
    let right: Vec<Vec<u8>> = whole.games().map(|game| game.unwrap().pgn).collect();
    let mut reader = ArchiveReader::new(small.as_slice());
    let (mut begin, mut end, mut block) = (Vec::new(), Vec::new(), None);
    while let Some(part) = reader.next_part().unwrap() {
        match part {
            ArchivePart::Head(_) => begin = reader.record().to_vec(),
            ArchivePart::Block(head, stored, _) => block = Some((*head, stored)),
            ArchivePart::Tail(_) => end = reader.record().to_vec(),
            other => panic!("{other:?}"),
        }
    }
    let (head, stored) = block.unwrap();
    assert!(head.streams().iter().any(|stream| stream.kind == b'K'));
    let mut found = [0_u32; 2];
    for at in (0..stored.len()).step_by(stored.len() / 200 + 1) {
        let (mut head, mut stored) = (head.clone(), stored.clone());
        stored[at] ^= 1 << (at % 8);
        let mut from = 0;
        for stream in head.streams.as_mut().unwrap() {
            let to = from + stream.len as usize;
            stream.crc = crc32fast::hash(&stored[from..to]);
            from = to;
        }
        let mut bytes = begin.clone();
        head.put(&mut bytes);
        bytes.extend_from_slice(&stored);
        bytes.extend_from_slice(&end);
        std::fs::write(&path, &bytes).unwrap();
        let archive = Archive::open_with(&path, options).unwrap();
        // Others each time.
        for number in (1 + at % 11..=right.len()).step_by(11) {
            let game = archive.game(number as u64);
            found[usize::from(game.is_err())] += 1;
            // Sums have 16 bits: one of 65,536 changed groups passes.
            assert!(
                game.is_err() || game.unwrap().pgn == right[number - 1],
                "byte {at}"
            );
        }
    }
    assert!(found.iter().all(|&games| games > 100), "{found:?}");
}
