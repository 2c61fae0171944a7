//! P1 and P2: whatever goes in comes back, by itself and not by falling back on text, and what lies
//! between is PGC.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use crate::support::gen_pgn::{document, mutate};
use crate::support::random::Random;
use crate::support::{
    archive_of, assert_round_trip, check_round_trip, check_stream, packed, unpacked,
};

/// How many times as long the random tests should run: `PGC_TEST_EFFORT`, 1 if unset.
fn effort() -> u64 {
    std::env::var("PGC_TEST_EFFORT")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1)
}

#[test]
fn random_documents() {
    let mut seen = [0; 7];
    for seed in 0..500 * effort() {
        let mut random = Random::new(seed);
        let games = 1 + random.below(6);
        let document = document(&mut random, games);
        assert_round_trip(&format!("seed {seed}"), &document);
        let summary = packed(&document, false).unwrap().1;
        for (sum, n) in seen.iter_mut().zip([
            summary.whole,
            summary.text_tail,
            summary.text_only,
            summary.plies,
            summary.stray_regions,
            summary.repairs,
            summary.rav_text,
        ]) {
            *sum += n;
        }
    }
    // The documents are what they should be: much play, and everything else too.
    assert!(
        seen.iter().all(|&n| n > 20) && seen[0] > 500 && seen[3] > 30_000,
        "{seen:?}"
    );
}

#[test]
fn mutated_documents() {
    for seed in 0..300 * effort() {
        let mut random = Random::new(1_000_000 + seed);
        let games = 1 + random.below(3);
        let mut document = document(&mut random, games);
        for round in 0..4 {
            mutate(&mut random, &mut document);
            assert_round_trip(&format!("seed {seed}, round {round}"), &document);
        }
    }
}

#[test]
fn mutated_samples() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let whole = fs::read(&path).unwrap();
        assert_round_trip(&path.display().to_string(), &whole);
        for seed in 0..40 * effort() {
            let mut random = Random::new(2_000_000 + seed);
            // A piece of the file, so that a round trip does not take long.
            let at = random.below(whole.len());
            let mut piece = whole[at..whole.len().min(at + 3000)].to_vec();
            for _ in 0..3 {
                mutate(&mut random, &mut piece);
                assert_round_trip(&format!("{}, seed {seed}", path.display()), &piece);
            }
        }
    }
}

/// Bytes that mean something, more often than others.
fn soup() -> impl Strategy<Value = Vec<u8>> {
    let token = prop_oneof![
        4 => proptest::sample::select(vec![
            "e4", "e5", "Nf3", "1.", "1...", "*", "1-0", "1/2", "(", ")", "{", "}", ";", "%", "\n", "\r\n", "\r", " ",
            "[A \"b\"]", "[Result \"1-0\"]", "[", "]", "\"", "$1", "$999", "!", "?!", "--", "\\", "\n\n", "\n%pgc", "x",
            "\u{feff}", "d4", "\n[B \"c\"]\n[C \"d\"]\n[D \"e\"]\n", "0-0", "\t", ".", "=", "\n%",
        ]).prop_map(|s| s.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 1..4),
    ];
    proptest::collection::vec(token, 0..60).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600 * u32::try_from(effort()).unwrap(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(src in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert_eq!(check_round_trip(&src), Ok(()));
    }

    #[test]
    fn any_tokens(src in soup()) {
        prop_assert_eq!(check_round_trip(&src), Ok(()));
    }
}

#[test]
fn small_and_hostile() {
    assert_round_trip("empty", b"");
    for byte in 0..=255_u8 {
        for n in [1, 2, 3, 70] {
            assert_round_trip(&format!("{n} times {byte}"), &vec![byte; n]);
        }
    }
    for byte in *b"([{;%)]}\"\\!?$*1.-eN\0\n\r\xef\xff" {
        assert_round_trip("100,000 times one byte", &vec![byte; 100_000]);
        assert_round_trip(
            "behind a move",
            &[b"1. e4 ", vec![byte; 3_000].as_slice()].concat(),
        );
        assert_round_trip(
            "behind a tag",
            &[b"[A \"b\"]\n\n", vec![byte; 3_000].as_slice()].concat(),
        );
    }
    for text in [
        "[A \"",
        "[A \"\n",
        "[A",
        "[",
        "[A \"b\" ",
        "[A \"b\\",
        "1",
        "1.",
        "1. ",
        "1. e4 {",
        "1. e4 (",
        "1. e4 (d4",
        "1. e4 (d4 (c4 {x",
        "1. e4 (d4 1-0",
        "1. e4 (Ke9) e5 (Ke9 (Ke8) 2. d4) 2. d4 --",
        "[Event \"x\"]\n[Event \"y\"]\n[Event \"x\"]\n*",
        "[Result \"1-0\"]\n0-1",
        "[Result \"1-0\"]\n[Result \"0-1\"]\n0-1",
        "[Result \"1-0 \"]\n1-0",
        "%pgcH\n%pgcE\n[A \"b\"]\n%pgc\n*\n%pgcB",
        "\u{feff}[A \"b\"]\n*",
        "\u{feff}%x\n[A \"b\"]\n%y\n*",
        "e4 e5 Nf3\n",
        "e4 *e5 *d4*",
    ] {
        assert_round_trip(text, text.as_bytes());
    }
    let mut random = Random::new(7);
    for len in [1, 100, 10_000, 300_000, 1_000_000] {
        assert_round_trip("noise", &random.bytes(len));
    }
}

/// A reader that knows only the tags that have a record decodes what stands in the records (P2).
#[test]
fn rules_that_no_record_tells() {
    let blanks = " ".repeat(300);
    for tags in [
        "[Variant \"Standard\"]\n[Variant \"Racing Kings\"]".to_owned(),
        "[Variant \"Racing Kings\"]\n[Variant \"Standard\"]".to_owned(),
        "[Variant \"Racing Kings\"]\n[Variant \"Racing Kings\"]".to_owned(),
        "[Variant \"Racing\tKings\"]".to_owned(),
        "[Variant \"Racing Kings\t\"]".to_owned(),
        format!("[Variant \"{blanks}Racing Kings\"]"),
        format!("[Variant \"Racing Kings{blanks}\"]"),
        format!("[FEN \"8/8/4k3/8/8/4K3/4P3/8 w - - 0 1{blanks}\"]"),
        "[FEN \"8/8/4k3/8/8/4K3/4P3/8 w - - 0 1\"]\n[FEN \"8/8/4k3/8/8/4K3/4P3/8 w - - 0 1\"]"
            .to_owned(),
        "[FEN \"8/8/4k3/8/8/4K3/4P3/8 w - - 0 1\"]\n[FEN \"8/8/4k3/8/8/4K3/3P4/8 w - - 0 1\"]"
            .to_owned(),
        "[FEN \"8/8/4k3/8/8/4K3/4P3/8\tw - - 0 1\"]".to_owned(),
    ] {
        for moves in ["1. e4 e5 2. Nf3", "1. Kd3 Kd5", "1. Kh3 Ka3"] {
            let text = format!("{tags}\n[Result \"*\"]\n\n{moves} *\n");
            assert_round_trip(&text, text.as_bytes());
            // Either it is text, or that reader finds the moves that were written.
            let found = check_stream(&archive_of(text.as_bytes())).unwrap();
            let written: Vec<_> = moves
                .split(' ')
                .filter(|token| !token.ends_with('.'))
                .collect();
            assert!(found.is_empty() || found == written, "{found:?} in {text}");
        }
    }
}

#[test]
fn deep_variations() {
    for depth in [1, 2, 1023, 1024, 1025, 1026, 3000] {
        for closed in [0, 1, depth / 2, depth, depth + 5] {
            let mut text = b"1. e4".to_vec();
            for i in 0..depth {
                text.extend_from_slice([b" (1. d4".as_slice(), b" (1. e4 {x}"][i & 1]);
            }
            text.extend_from_slice(&b")".repeat(closed));
            text.extend_from_slice(b" 1... e5 *\n");
            assert_round_trip(&format!("depth {depth}, {closed} closed"), &text);
        }
    }
}

/// Knights to and fro: a legal game of any length.
fn to_and_fro(plies: usize) -> String {
    let moves = ["Nf3", "Nf6", "Ng1", "Ng8"];
    (0..plies)
        .map(|i| match i % 2 {
            0 => format!("{}. {} ", i / 2 + 1, moves[i % 4]),
            _ => format!("{} ", moves[i % 4]),
        })
        .collect()
}

#[test]
fn long_records() {
    let roster = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n\n";
    for plies in [255, 256, 65_534, 65_535, 65_536, 65_537, 131_071, 140_000] {
        for tags in ["", roster] {
            let text = format!("{tags}{}*\n\n", to_and_fro(plies));
            let (archive, summary) = packed(text.as_bytes(), false).unwrap();
            assert_eq!(
                (summary.games, summary.whole, summary.plies),
                (1, 1, plies as u64)
            );
            assert!(
                archive.len() < plies + 400,
                "{plies} plies in {} bytes",
                archive.len()
            );
            assert_round_trip(&format!("{plies} plies"), text.as_bytes());
        }
    }
}

/// Around 1 << 20 elements a game becomes text, and the reader of archives has the same limit.
#[test]
fn as_many_elements_as_there_may_be() {
    const MAX: usize = 1 << 20;
    for (begin, end, less) in [
        ("1. e4 ", "", 1),
        ("1. e4 ", "*\n", 2),
        ("[A \"b\"] 1. e4 ", " e5 *", 4),
        ("1. e4 (d4 (c4 ", "", 7),
        ("1. e4 (d4 (c4 ", "1-0", 8),
        ("1. e4 (d4 (c4 ", ")) {x}", 8),
        ("1. e4 (d4) {x}", "{x}", 6),
        ("1. e4 {x} ", "Ke9 *\n", 4),
    ] {
        // As many elements as may be, and one more; each `? ` is one.
        for n in MAX - less..=MAX - less + 1 {
            let text = [begin, &"? ".repeat(n), end].concat();
            let (archive, summary) = packed(text.as_bytes(), false).unwrap();
            assert_eq!(
                summary.text_only == 0,
                n + less <= MAX,
                "{begin:?}, {n}, {end:?}"
            );
            match unpacked(&archive) {
                Ok(back) => assert!(back == text.as_bytes(), "{begin:?}, {n}, {end:?}"),
                Err(error) => panic!("{begin:?}, {n}, {end:?}: {error}"),
            }
        }
    }
}

/// Irregular places are no elements, but are listed: they are bounded as well, so that a game of
/// nothing else takes no more memory.
#[test]
fn as_many_irregular_places_as_there_may_be() {
    const MAX: usize = 1 << 20;
    for n in [MAX - 1, MAX, MAX + 1] {
        let text = ["1. e4 ", &"$ ".repeat(n), "*\n"].concat();
        let (archive, summary) = packed(text.as_bytes(), false).unwrap();
        assert_eq!(summary.text_only == 0, n <= MAX, "{n}");
        assert!(unpacked(&archive).unwrap() == text.as_bytes(), "{n}");
    }
}

#[test]
fn longer_than_a_game_may_be() {
    let mut text = b"[Event \"long\"]\n\n1. e4 {".to_vec();
    text.resize(17 << 20, b'x');
    text.extend_from_slice(b"} e5 *\n\n[Event \"next\"]\n\n1. d4 *\n");
    let (archive, summary) = packed(&text, false).unwrap();
    assert_eq!((summary.games, summary.whole, summary.text_only), (2, 1, 1));
    assert!(unpacked(&archive).unwrap() == text);
    // Nothing but words.
    let words = b"word ".repeat(17 << 18);
    let (archive, summary) = packed(&words, false).unwrap();
    assert_eq!(
        (summary.games, summary.stray_regions, summary.stray_bytes),
        (0, 1, words.len() as u64)
    );
    assert!(unpacked(&archive).unwrap() == words);
}

#[test]
fn sources_that_are_no_text() {
    let archive = archive_of(b"[A \"b\"]\n\n1. e4 e5 *\n");
    assert_round_trip("an archive", &archive);
    assert_round_trip("an archive of an archive", &archive_of(&archive));
    assert_round_trip(
        "JPEG",
        b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xdb",
    );
}

#[test]
fn large_move_numbers_come_back() {
    let game = |number: &str| {
        format!(
            "[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 {number}\"]\n\n\
            {number}. e4 e5 0. Nf3 Nc6 1. Bb5 a6 *\n"
        )
    };
    // spec/chess.md 2: a game can begin at move 999,999,999 and no later.
    for (number, is_played) in [
        ("999999999", true),
        ("1000000000", false),
        ("4294967295", false),
        ("4294967296", false),
    ] {
        let document = game(number);
        assert_round_trip(number, document.as_bytes());
        let summary = packed(document.as_bytes(), false).unwrap().1;
        assert_eq!(
            (summary.whole, summary.plies),
            if is_played { (1, 6) } else { (0, 0) },
            "{number}"
        );
    }
}
