//! P8: the same bytes for any number of threads and any read size.

use pgc::pack;
use pgc::{Finding, Hooks, NoHooks, PackOptions, Summary, TestOptions, UnpackOptions};
use pgc::{test, unpack};

use crate::support::gen_pgn::document;
use crate::support::random::Random;
use crate::support::{Collected, Trickle, options, unpacked_with};

fn run(src: &[u8], threads: usize, read: usize, verify: bool) -> (Vec<u8>, Summary) {
    let mut out = Vec::new();
    let mut source = Trickle::new(src, read);
    let summary = pack(
        &mut source,
        "x.pgn",
        &mut out,
        &options(verify, threads),
        &mut NoHooks,
    )
    .unwrap();
    (out, summary)
}

/// A document of at least so many bytes.
fn long_document(seed: u64, len: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut text = Vec::new();
    while text.len() < len {
        text.extend_from_slice(&document(&mut random, 20));
    }
    text
}

/// The archive has at least so many blocks.
fn assert_same(src: &[u8], blocks: u64) {
    let (archive, summary) = run(src, 1, usize::MAX, false);
    for (threads, read, verify) in [
        (1, 1000, false),
        (1, 65_536, true),
        (2, usize::MAX, true),
        (2, 3, false),
        (8, 1, false),
        (8, 65_536, false),
        (3, 1_048_576, false),
    ] {
        let (again, summary_again) = run(src, threads, read, verify);
        assert!(again == archive, "{threads} threads, reads of {read}");
        assert_eq!(summary_again, summary);
    }
    for threads in [1, 2, 8] {
        let (sink, unpacking) = unpacked_with(&archive, threads).unwrap();
        assert!(sink.sources[0].1 == src, "{threads} threads");
        assert_eq!(
            (unpacking.games, unpacking.plies),
            (summary.games, summary.plies)
        );
        let options = TestOptions {
            sha256: true,
            threads,
            ..TestOptions::default()
        };
        let archive = &mut Trickle::new(&archive, 777);
        let sources = test(archive, &options, &mut NoHooks).unwrap();
        assert!(sources[0].blocks >= blocks, "{}", sources[0].blocks);
    }
}

#[test]
fn documents_of_many_blocks() {
    // Blocks end behind 1 MiB, or before, where the games of another document begin.
    let text = long_document(1, 4_400_000);
    assert_same(&text, 5);
}

/// What was written before the archive turned out to be damaged, and what was said of that.
fn until_damage(archive: &[u8], threads: usize) -> (Vec<u8>, String) {
    let mut sink = Collected::default();
    let options = UnpackOptions {
        threads,
        ..UnpackOptions::default()
    };
    let error = unpack(&mut &*archive, &mut sink, &options, &mut NoHooks).unwrap_err();
    (sink.sources.pop().unwrap().1, error.to_string())
}

#[test]
fn all_before_damage_is_unpacked() {
    let text = long_document(4, 5_400_000);
    let (archive, _) = run(&text, 2, usize::MAX, false);
    let mut twice = archive.clone();
    for at in [archive.len() / 2, archive.len() * 9 / 10] {
        twice[at] ^= 0x55;
    }
    for damaged in [&twice, &archive[..archive.len() * 3 / 4]] {
        let (before, error) = until_damage(damaged, 1);
        assert!(
            text.starts_with(&before) && before.len() > text.len() / 4,
            "{}",
            before.len()
        );
        for threads in [2, 8] {
            let (again, said) = until_damage(damaged, threads);
            assert_eq!(
                (again.len(), said),
                (before.len(), error.clone()),
                "{threads} threads"
            );
        }
    }
}

#[test]
fn pieces() {
    let mut text = long_document(2, 300_000);
    text.extend_from_slice(b"[Event \"long\"]\n\n1. e4 {");
    text.resize(text.len() + (34 << 20), b'x');
    text.extend_from_slice(b"} e5 *\n\n[Event \"next\"]\n\n1. d4 *\n");
    let (archive, summary) = run(&text, 1, usize::MAX, false);
    for (threads, read) in [(2, 1 << 20), (8, 4099)] {
        assert!(
            run(&text, threads, read, false) == (archive.clone(), summary.clone()),
            "{threads} {read}"
        );
    }
    assert!(unpacked_with(&archive, 4).unwrap().0.sources[0].1 == text);
}

#[test]
fn archives_end_to_end() {
    let (mut both, _) = run(b"1. e4 *", 1, 1, false);
    both.extend_from_slice(&[0, 0]);
    both.extend_from_slice(&run(b"", 1, 1, false).0);
    both.extend_from_slice(&run(b"1. d4 *", 1, 1, false).0);
    let (sink, summary) = unpacked_with(&both, 2).unwrap();
    let texts: Vec<_> = sink.sources.iter().map(|s| s.1.as_slice()).collect();
    assert_eq!(texts, [b"1. e4 *".as_slice(), b"", b"1. d4 *"]);
    assert_eq!((summary.games, sink.ended), (2, 3));
}

/// Hears of everything.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Hooks for Findings {
    fn finding(&mut self, finding: &Finding) {
        self.0.push(finding.clone());
    }
}

/// Characters one by one: of UTF-8, else of Latin-1.
fn characters(mut text: &[u8]) -> u64 {
    let mut count = 0;
    while !text.is_empty() {
        let is_char = |len: &usize| {
            let bytes = text
                .get(..*len)
                .and_then(|bytes| std::str::from_utf8(bytes).ok());
            bytes.is_some_and(|text| text.chars().count() == 1)
        };
        text = &text[(1..=4).find(is_char).unwrap_or(1)..];
        count += 1;
    }
    count
}

/// Findings are the same for any number of threads and any read size, and name the places where
/// their texts are.
#[test]
fn findings_have_their_places() {
    let text = long_document(3, 700_000);
    let found = |threads: usize, read: usize| {
        let mut findings = Findings::default();
        let mut source = Trickle::new(&text, read);
        let options = PackOptions {
            repairs: true,
            ..options(false, threads)
        };
        let out = &mut std::io::sink();
        pack(&mut source, "x", out, &options, &mut findings).unwrap();
        findings.0
    };
    let findings = found(1, usize::MAX);
    assert!(findings.len() > 100);
    assert_eq!(format!("{findings:?}"), format!("{:?}", found(3, 1000)));
    // LF, CR and CRLF end lines.
    let mut starts = vec![0];
    for (i, &byte) in text.iter().enumerate() {
        if byte == b'\n' || (byte == b'\r' && text.get(i + 1) != Some(&b'\n')) {
            starts.push(i + 1);
        }
    }
    let mut game = 0;
    for finding in &findings {
        let offset = usize::try_from(finding.offset).unwrap();
        assert!(text[offset..].starts_with(&finding.text), "{finding:?}");
        let line = starts.partition_point(|&start| start <= offset);
        let place = (line as u64, characters(&text[starts[line - 1]..offset]) + 1);
        assert_eq!((finding.line, finding.column), place, "{finding:?}");
        assert!(
            finding.game == 0 || finding.game >= game,
            "{finding:?} after game {game}"
        );
        game = game.max(finding.game);
    }
}
