//! The builder of indexes against a slow one that is written straight from spec/index.md: the same
//! bytes, whatever the memory, however many runs, built at once or by extending another.

use pgc_index::{Builder, IndexError, IndexFrame};

use crate::support::plain_index::{PlainArchive, archive, built_index, plain_index, seal};
use crate::support::random::Random;

fn assert_same(what: &str, is: &[u8], expected: &[u8]) {
    if is == expected {
        return;
    }
    let frames = [is, expected]
        .map(|bytes| IndexFrame::parse(bytes).unwrap_or_else(|e| panic!("{what}: {e}")));
    for section in frames[1].sections() {
        let own = frames[0]
            .section(section.kind)
            .unwrap_or_else(|| panic!("{what}: no section {:#x}", section.kind));
        let kind = section.kind;
        assert_eq!(own.width, section.width, "{what}: width of {kind:#x}");
        let (a, b) = (own.bytes(is), section.bytes(expected));
        if a != b {
            let at = a.iter().zip(b).take_while(|(a, b)| a == b).count();
            let (a, b) = (a.len(), b.len());
            panic!("{what}: section {kind:#x} ({a} and {b} bytes) differs at {at}");
        }
    }
    let count = |i: usize| frames[i].sections().len();
    assert_eq!(count(0), count(1), "{what}");
    panic!("{what}: what is around the sections differs");
}

const MEMORIES: [usize; 5] = [0, 20_000, 100_000, 1_000_000, 1 << 30];

fn with_all(seed: u64, games: usize) -> PlainArchive {
    PlainArchive {
        lines: true,
        ..archive(seed, games)
    }
}

#[test]
fn bytes_are_those_of_the_text_with_any_memory() {
    for (seed, games) in (1..).zip([0, 1, 300, 1000, 3000]) {
        let archive = archive(seed, games);
        let expected = plain_index(&archive);
        for memory in MEMORIES {
            let what = format!("{games} games, memory {memory}");
            assert_same(&what, &built_index(&archive, memory), &expected);
        }
    }
}

/// Extends the index of the first part by the games of the others.
fn extended(parts: &[PlainArchive], memory: usize) -> Vec<u8> {
    let [first, others @ ..] = parts else {
        panic!("no part");
    };
    let index = built_index(first, memory);
    let mut builder = Builder::from_index(first.options(memory), &index, &*first.bytes).unwrap();
    let mut base = first.bytes.len() as u64;
    for part in others {
        part.feed(&mut builder, base);
        base += part.bytes.len() as u64;
    }
    let mut out = Vec::new();
    builder.finish(base, &mut out).unwrap();
    out
}

#[test]
fn extending_is_building() {
    let cases = [
        &[500, 300, 10, 700][..],
        &[1500, 1200],
        &[1100, 0, 2000, 1],
        &[0, 20],
    ];
    for (i, case) in (0..).zip(cases) {
        let parts: Vec<_> = (0..)
            .zip(case)
            .map(|(j, &games)| with_all(100 * i + j, games))
            .collect();
        let all = parts.iter().cloned().reduce(PlainArchive::then).unwrap();
        let expected = plain_index(&all);
        for memory in [0, 100_000, 1 << 30] {
            let what = format!("case {i}, memory {memory}");
            assert_same(&what, &extended(&parts, memory), &expected);
        }
    }
}

#[test]
fn what_cannot_be_extended() {
    let archive = with_all(3, 50);
    let index = built_index(&archive, 1 << 20);
    let append = |index: &[u8], bytes: &[u8]| {
        Builder::from_index(archive.options(1 << 20), index, bytes).map(drop)
    };
    append(&index, &archive.bytes).unwrap();
    assert!(matches!(
        append(&index, &archive.bytes[1..]),
        Err(IndexError::Unfit(_) | IndexError::Damaged { .. })
    ));
    assert!(matches!(
        append(&index, &[]),
        Err(IndexError::Damaged { .. })
    ));
    for at in (0..index.len()).step_by(97) {
        let mut wrong = index.clone();
        wrong[at] ^= 0x10;
        assert!(append(&wrong, &archive.bytes).is_err(), "byte {at}");
    }
    let plain = PlainArchive {
        lines: false,
        ..archive.clone()
    };
    let without = built_index(&plain, 1 << 20);
    assert!(matches!(
        append(&without, &archive.bytes),
        Err(IndexError::Unfit(_))
    ));
    let options = plain.options(1 << 20);
    let builder = Builder::from_index(options, &index, &*archive.bytes).unwrap();
    let mut again = Vec::new();
    builder
        .finish(archive.bytes.len() as u64, &mut again)
        .unwrap();
    assert_same("without lines", &again, &without);
}

/// An index that lies, with checksums that are right, makes an error or a wrong index, and no
/// panic.
#[test]
fn an_index_that_lies_is_survived() {
    let mut random = Random::new(11);
    for games in [60, 1100] {
        let old = with_all(games as u64, games);
        let index = built_index(&old, 1 << 20);
        let new = with_all(7, 30);
        let sections = IndexFrame::parse(&index).unwrap().sections().to_vec();
        let mut fine = 0;
        for _ in 0..400 {
            let mut wrong = index.clone();
            for _ in 0..=random.below(3) {
                // Long sections and short ones alike.
                let section = random.pick(&sections);
                if section.len > 0 {
                    let at = usize::try_from(section.offset).unwrap()
                        + random.below(usize::try_from(section.len).unwrap());
                    wrong[at] = random.pick(&[0, 1, 0x7f, 0x80, 0xff, random.clone().byte()]);
                }
            }
            seal(&mut wrong);
            let options = old.options(1 << 16);
            if let Ok(mut builder) = Builder::from_index(options, &wrong, &*old.bytes) {
                new.feed(&mut builder, old.bytes.len() as u64);
                let length = (old.bytes.len() + new.bytes.len()) as u64;
                fine += usize::from(builder.finish(length, &mut Vec::new()).is_ok());
            }
        }
        assert!(fine > 0 && fine < 400, "{fine}");
    }
}
