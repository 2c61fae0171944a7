//! Comments of engines in the small form: numbers, and moves of the position at their place.

use std::fmt::Write as _;

use pgc::stream::reader::{ArchivePart, ArchiveReader};
use pgc::{Archive, NoHooks, OpenOptions, pack};
use pgc_chess::{Check, Position, Rules};

use crate::support::random::Random;
use crate::support::{small_of, small_options, unpacked};

/// The bytes of the streams of this kind.
fn stream(archive: &[u8], kind: u8) -> u64 {
    let (mut reader, mut bytes) = (ArchiveReader::new(archive), 0);
    while let Some(part) = reader.next_part().unwrap() {
        if let ArchivePart::Block(head, ..) = part {
            let streams = head.streams().iter();
            let found = streams.filter(|stream| stream.kind == kind);
            bytes += found.map(|stream| u64::from(stream.len)).sum::<u64>();
        }
    }
    bytes
}

/// How an engine spells moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    San,
    Unmarked,
    Coordinates,
    Zeros,
}

/// Moves from a position on, chosen at random among few.
fn line(position: &Position, plies: usize, spelling: Spelling, random: &mut Random) -> String {
    let (mut position, mut text) = (position.clone(), String::new());
    for _ in 0..plies {
        let Some(played) = any_move(&position, random) else {
            break;
        };
        if !text.is_empty() {
            text.push(' ');
        }
        let san = String::from_utf8_lossy(position.san(played).as_bytes()).into_owned();
        match spelling {
            Spelling::Coordinates => text.push_str(&position.uci(played)),
            Spelling::Zeros => text.push_str(&san.replace('O', "0")),
            _ => text.push_str(&san),
        }
        position.play(played);
        if matches!(spelling, Spelling::San | Spelling::Zeros) {
            text.push_str(mark(&position));
        }
    }
    text
}

fn mark(position: &Position) -> &'static str {
    match position.check() {
        Check::None => "",
        Check::Check => "+",
        Check::Mate => "#",
    }
}

fn any_move(position: &Position, random: &mut Random) -> Option<pgc_chess::Move> {
    let count = (0..=255)
        .take_while(|&n| position.select(n).is_some())
        .count();
    let count = u8::try_from(count).unwrap_or(255);
    (count > 0).then(|| position.select(random.byte() % count))?
}

/// What an engine says, and what no engine says.
fn comment(before: &Position, after: &Position, random: &mut Random, hand: Spelling) -> String {
    let mut text = String::new();
    let pieces = 1 + random.below(8);
    for _ in 0..pieces {
        let bits = random.below(31);
        let number = random.below(1 << bits);
        match random.below(14) {
            0 => write!(text, ", d={number}"),
            1 => write!(
                text,
                ", mt={:02}:{:02}:{:02}",
                number % 100,
                number % 60,
                number % 59
            ),
            2 => write!(
                text,
                ", tl={}:{:02}:{:02}",
                number % 10,
                number % 60,
                number % 60
            ),
            3 => write!(text, ", wv={}.{:02}", number % 30, number % 100),
            4 => write!(text, ", ev=-{}.{:03}", number % 30, number % 1000),
            5 => write!(text, ", mb=+{}-{}+0.5", number % 9, number % 3),
            6 => write!(text, ", s={number} kN/s, n={}", number * 77),
            7 => write!(
                text,
                ", odd=007 -0.00 1.2345 1234567890123456 12:60:00 +-3 {number}x"
            ),
            8 => write!(text, "  some words, {number} of them; \\{{"),
            9 => write!(
                text,
                ", pv={}",
                line(before, 1 + random.below(12), hand, random)
            ),
            10 => write!(text, ", pd={}", line(after, 1, hand, random)),
            11 => write!(text, ", pv={} Kxe9", line(after, 3, hand, random)),
            12 => write!(text, ", pv={}  e4", line(before, 2, Spelling::San, random)),
            _ => write!(
                text,
                " ({})",
                line(after, 1 + number % 3, Spelling::Unmarked, random)
            ),
        }
        .unwrap();
    }
    text.replace('}', "")
}

/// Games, the last positions of which vary.
fn games(seed: u64, count: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut text = String::new();
    for game in 0..count {
        let spellings = [
            Spelling::San,
            Spelling::Unmarked,
            Spelling::Coordinates,
            Spelling::Zeros,
        ];
        let hand = random.pick(&spellings);
        let (rules, tags) = match random.below(6) {
            0 => (Rules::Chess960, "[Variant \"Chess960\"]\n"),
            1 => (
                Rules::from_variant_tag(b"Atomic").unwrap(),
                "[Variant \"Atomic\"]\n",
            ),
            _ => (Rules::Chess, ""),
        };
        let mut position = Position::start(rules, None).unwrap();
        write!(text, "[Event \"{game}\"]\n[Result \"*\"]\n{tags}\n").unwrap();
        if random.once_in(3) {
            write!(
                text,
                "{{{}}} ",
                comment(&position, &position, &mut random, hand)
            )
            .unwrap();
        }
        for ply in 0..random.below(30) {
            let Some(played) = any_move(&position, &mut random) else {
                break;
            };
            let before = position.clone();
            position.play(played);
            let san = String::from_utf8_lossy(before.san(played).as_bytes()).into_owned();
            if ply % 2 == 0 {
                write!(text, "{}. ", ply / 2 + 1).unwrap();
            }
            write!(text, "{san}{} ", mark(&position)).unwrap();
            if !random.once_in(4) {
                write!(
                    text,
                    "{{{}}} ",
                    comment(&before, &position, &mut random, hand)
                )
                .unwrap();
            }
            if random.once_in(9) {
                let other = line(&before, 1, Spelling::San, &mut random);
                let said = comment(&before, &before, &mut random, hand);
                write!(text, "({{{said}}} {other} {{{said}}}) ").unwrap();
            }
        }
        text.push_str("*\n\n");
    }
    text.into_bytes()
}

/// Whatever stands in comments comes back, for whole archives and for single games.
#[test]
fn comments_come_back() {
    for seed in 0..12 {
        let source = games(seed, 25);
        let small = small_of(&source, true).unwrap();
        assert!(stream(&small, b'C') > 0, "seed {seed}");
        assert!(unpacked(&small).unwrap() == source, "seed {seed}");
        let mut two = Vec::new();
        let options = small_options(true, 2);
        pack(&mut &*source, "x.pgn", &mut two, &options, &mut NoHooks).unwrap();
        assert!(small == two, "threads change bytes of seed {seed}");
    }
}

/// A single game is what the whole archive has.
#[test]
fn single_games() {
    let source = games(40, 30);
    let small = small_of(&source, true).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.pgcz");
    std::fs::write(&path, &small).unwrap();
    let options = OpenOptions {
        no_index: true,
        read: true,
        ..OpenOptions::default()
    };
    let archive = Archive::open_with(&path, options).unwrap();
    let mut joined = Vec::new();
    for game in 1..=30 {
        joined.extend_from_slice(&archive.game(game).unwrap().pgn);
    }
    assert!(joined == source);
}

fn annotated(comments: [&str; 4]) -> Vec<u8> {
    let [a, b, c, d] = comments;
    let game = format!(
        "[Event \"E\"]\n[Result \"*\"]\n\n1. e4 {{{a}}} e5 {{{b}}} 2. Nf3 {{{c}}} Nc6 {{{d}}} *\n\n"
    );
    game.repeat(50).into_bytes()
}

/// Moves that the game or an earlier comment also has cost next to nothing; illegal moves stay
/// text.
#[test]
fn moves_are_foretold() {
    let legal = annotated([
        "pv=e4 e5 Nf3 Nc6 Bb5",
        "pv=e7e5 g1f3 b8c6 f1b5",
        "pv=Nf3 Nc6 Bb5 a6, pd=Nc6",
        "pv=Nc6 Bb5 a6",
    ]);
    let small = small_of(&legal, true).unwrap();
    assert!(unpacked(&small).unwrap() == legal);
    // 50 games of 17 plies, all but one of which the game or the comments before have: far below
    // a bit each, beside two bytes a game for its run.
    let bytes = stream(&small, b'C');
    assert!((50..=50 * 8).contains(&bytes), "{bytes}");
    let illegal = annotated(["pv=Ke7 e5", "pv=e2e5", "pv=Nf6 Nd5", "pv=O-O-O"]);
    let small = small_of(&illegal, true).unwrap();
    assert!(unpacked(&small).unwrap() == illegal);
    assert_eq!(stream(&small, b'C'), 0);
}

/// Text that is nearly a move, or an endless number, stays text beside the coded moves and numbers,
/// and the block is coded all the same.
#[test]
fn nearly_moves_and_endless_numbers() {
    let odd = annotated([
        "d=21, mt=00:00:31, wv=0.31, pv=e7e5 g1f3 b8c6 f1b5 a7a6,",
        "d=22, mt=00:00:32, wv=0.29, pv=g1f3q b8c6 f1b5 a7a6,",
        "d=20, mt=00:00:33, wv=0.35, pv=b8c6 f1b5 a7a6 b5a4 g8f6 e1g1q,",
        "d=23, mt=00:00:30, wv=0.33, pv=f1b5n a7a6N b5a4 g8f6,",
    ]);
    let small = small_of(&odd, true).unwrap();
    assert!(unpacked(&small).unwrap() == odd);
    assert!(stream(&small, b'C') > 0 && stream(&small, b'N') > 0);
    // This would take minutes if the digits behind each place were read to the end of their row.
    let rows = ["-", "7", "+", "0", "a1", "N", "1.", "O-"].map(|part| part.repeat(200_000));
    let [a, b, c, d, e, f, g, h] = &rows;
    let long = format!(
        "1. e4 {{{a}}} e5 {{{b}}} 2. Nf3 {{{c}}} Nc6 {{{d}}} 3. Bb5 {{{e}}} a6 {{{f}}} 4. Ba4 {{{g}}} b5 {{{h}}} *\n"
    );
    let small = small_of(long.as_bytes(), true).unwrap();
    assert!(unpacked(&small).unwrap() == long.as_bytes());
}

/// The last game of a block has no moves, and shares a run with games that have some.
#[test]
fn a_last_game_without_moves() {
    let source = b"[Event \"a\"]\n\n1. e4 e5 {d=5} *\n\n[Event \"b\"]\n\n*\n\n";
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.pgcz");
    std::fs::write(&path, small_of(source, true).unwrap()).unwrap();
    let archive = Archive::open(&path).unwrap();
    let games: Vec<_> = [1, 2].map(|n| archive.game(n).unwrap()).into();
    let moves: Vec<_> = games.iter().map(|game| game.moves.len()).collect();
    assert_eq!(moves, [2, 0]);
    assert_eq!([&games[0].pgn[..], &games[1].pgn[..]].concat(), source);
}
