//! Tables that the index answers alone, against the same tables read from the games.

use std::fs;
use std::path::Path;

use pgc::{Archive, IndexState, OpenOptions};
use pgc_tables::schema::{Selection, TableKind};

use crate::cli::program::Dir;
use crate::support::gen_pgn::document;
use crate::support::random::Random;
use crate::support::shared;
use crate::tables::values::{batches_of, rows};

/// The columns that the index has, in the order of the table.
const INDEXED: [&str; 25] = [
    "archive",
    "number",
    "source",
    "event",
    "date",
    "year",
    "month",
    "day",
    "full_date",
    "round",
    "white",
    "black",
    "result",
    "white_elo",
    "black_elo",
    "eco",
    "plies",
    "wholeness",
    "variant",
    "has_fen",
    "has_comments",
    "has_variations",
    "has_nags",
    "result_mismatch",
    "odd_date",
];

fn without_index(path: &Path) -> Archive {
    let options = OpenOptions {
        no_index: true,
        ..OpenOptions::default()
    };
    Archive::open_with(path, options).unwrap()
}

fn table(archive: &Archive, columns: &[&str]) -> Vec<Vec<String>> {
    let selection = Selection::named(TableKind::Games, columns).unwrap();
    rows(&batches_of(archive, selection, 2))
}

/// Compares a packed file, with and without its index, in all columns together, each by itself,
/// and some at random.
fn check(dir: &Dir, name: &str, random: &mut Random) {
    let path = dir.path().join(name);
    let (with, without) = (Archive::open(&path).unwrap(), without_index(&path));
    assert_eq!(with.index_state(), &IndexState::Used, "{name}");
    let expected = table(&without, &INDEXED);
    assert!(table(&with, &INDEXED) == expected, "{name}");
    for (place, column) in INDEXED.iter().enumerate() {
        let of_column: Vec<_> = expected
            .iter()
            .map(|row| vec![row[place].clone()])
            .collect();
        assert!(table(&with, &[column]) == of_column, "{name}: {column}");
    }
    let places: Vec<usize> = (0..INDEXED.len()).filter(|_| random.once_in(2)).collect();
    let some: Vec<&str> = places.iter().map(|&place| INDEXED[place]).collect();
    let of_some = |row: &Vec<String>| places.iter().map(|&at| row[at].clone()).collect();
    let of_some: Vec<Vec<String>> = expected.iter().map(of_some).collect();
    if !some.is_empty() {
        assert!(table(&with, &some) == of_some, "{name}: {some:?}");
    }
}

/// Packs these files in both forms, and compares each.
fn check_all(dir: &Dir, files: &[&str], random: &mut Random) {
    for name in ["x.pgc", "x.pgcz"] {
        let pack = [&["pack", "-q", "-f"], files, &["-o", name]].concat();
        dir.run(&pack).exits(0);
        if fs::metadata(dir.path().join(name)).is_ok_and(|file| file.len() > 0) {
            check(dir, name, random);
        }
    }
}

#[test]
fn random_games() {
    for seed in 0..12 {
        let (dir, mut random) = (Dir::new(), Random::new(7000 + seed));
        dir.put("a.pgn", document(&mut random, 30));
        dir.put("b.pgn", document(&mut random, 10));
        check_all(&dir, &["a.pgn", "b.pgn"], &mut random);
    }
}

/// Values of ECO tags, also such as have no code in front.
const ODD_CODES: [&str; 14] = [
    "A00", "E99", "b97x", "c60", "D85/3", "F00", "A0", "A", "", "?", "-", "B3?", " B33", "501",
];

/// A tag pair for each value that one of the columns could read in another way than the index.
fn odd_values() -> Vec<u8> {
    let mut games = Vec::new();
    let mut game = |tags: &[(&str, &[u8])], moves: &str| {
        for (name, value) in tags {
            games.extend_from_slice(format!("[{name} \"").as_bytes());
            games.extend_from_slice(value);
            games.extend_from_slice(b"\"]\n");
        }
        games.extend_from_slice(format!("\n{moves}\n\n").as_bytes());
    };
    let names = ["Event", "Site", "Round", "White", "Black"];
    let long = |length: usize| "x".repeat(length);
    for name in names {
        for value in [
            "",
            "?",
            "-",
            " ",
            "? ",
            "??",
            "a\\\"b\\\\c",
            "\u{fc}\u{1F600}",
        ] {
            game(&[(name, value.as_bytes())], "1. e4 *");
        }
        game(&[(name, b"M\xfcller")], "1. e4 e5 1-0");
        game(&[(name, b"\xc3\xbc\xfc")], "1. e4 e5 1-0");
        game(&[(name, b"first"), (name, b"second")], "0-1");
        for length in [1020, 1021, 1023, 1024, 1025, 5000] {
            game(&[(name, long(length).as_bytes())], "1. d4 1/2-1/2");
            let wide = long(length - 3) + "\u{1F600}" + "tail";
            game(&[(name, wide.as_bytes())], "1. d4 1/2-1/2");
            let latin1 = [long(length).as_bytes(), b"\xfc"].concat();
            game(&[(name, &latin1)], "1. d4 1/2-1/2");
        }
    }
    for rating in [
        "2650", " 2650 ", "02650", "0", "65535", "65536", "-1", "2650?", "?", "-", "", "9999",
        "\t2650",
    ] {
        game(
            &[("WhiteElo", rating.as_bytes()), ("BlackElo", b"1")],
            "1. e4 1-0",
        );
        game(
            &[("BlackElo", rating.as_bytes()), ("BlackElo", b"7")],
            "1. e4 1-0",
        );
    }
    for date in [
        "1992.05.03",
        "1992.05.??",
        "1992.??.03",
        "199?.05.03",
        "????.??.??",
        "?",
        "",
        "1992-5-3",
        "1992/13/01",
        "1992.02.30",
        "2000.02.29",
        "1900.02.29",
        "0000.01.01",
        "1992",
        "May 1992",
        "9999.12.31",
        "1992.0?.1?",
        "1992.00.00",
        "20240101",
    ] {
        game(&[("Date", date.as_bytes())], "*");
        game(&[("UTCDate", date.as_bytes())], "*");
        game(&[("Date", b"?"), ("UTCDate", date.as_bytes())], "*");
        game(
            &[("UTCDate", b"2001.01.01"), ("Date", date.as_bytes())],
            "*",
        );
    }
    for result in [
        "1-0",
        "0-1",
        "1/2-1/2",
        "1/2",
        "*",
        "?",
        "",
        "1-0 ",
        "White won",
    ] {
        for moves in ["1. e4 1-0", "1. e4 0-1", "1. e4 *", "1. e4", "*"] {
            game(&[("Result", result.as_bytes())], moves);
        }
    }
    for eco in ODD_CODES {
        game(&[("ECO", eco.as_bytes())], "*");
        game(&[("ECO", eco.as_bytes()), ("ECO", b"A01")], "*");
    }
    for moves in [
        "1. a9 *",
        "1. e4 -- 2. d4 1-0",
        "1. e4 e5 2. Qxq9 (2. d4) 0-1",
        "{only}",
    ] {
        game(&[("White", b"x")], moves);
        game(&[("FEN", b"nonsense")], moves);
        game(&[("Variant", b"Nobody's"), ("Result", b"1-0")], moves);
        game(&[("Variant", b"Atomic")], moves);
    }
    games
}

#[test]
fn values_that_could_be_read_in_two_ways() {
    let (dir, mut random) = (Dir::new(), Random::new(7100));
    dir.put("odd.pgn", odd_values());
    // A game of more than 16 MiB is kept as text, in pieces.
    let mut long = b"[White \"long\"]\n[Result \"1-0\"]\n\n1. e4 {".to_vec();
    long.resize(17 << 20, b'x');
    long.extend_from_slice(b"} e5 0-1\n\n[White \"next\"]\n\n1. d4 *\n");
    dir.put("long.pgn", long);
    check_all(&dir, &["odd.pgn", "long.pgn"], &mut random);
}

#[test]
fn real_games() {
    let (dir, mut random) = (Dir::new(), Random::new(7200));
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    for name in ["sample.pgn", "messy.pgn", "latin1.pgn", "bom.pgn"] {
        dir.put(name, fs::read(data.join(name)).unwrap());
        check_all(&dir, &[name], &mut random);
    }
    let Some(corpus) = shared("PGC_CORPUS", "corpora") else {
        return;
    };
    for folder in ["odd", "engine"] {
        for entry in fs::read_dir(corpus.join(folder)).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "pgn")
                && path.metadata().unwrap().len() < 1 << 20
            {
                dir.put("real.pgn", fs::read(&path).unwrap());
                check_all(&dir, &["real.pgn"], &mut random);
            }
        }
    }
}

/// The archive is damaged in one block: only tables that the index answers have its games.
#[test]
fn no_block_is_read() {
    for name in ["x.pgc", "x.pgcz"] {
        let dir = Dir::new();
        let game = |n: usize| format!("[White \"W{n}\"]\n[ECO \"A00\"]\n\n1. e4 *\n\n");
        dir.put("a.pgn", (0..30_000).map(game).collect::<String>());
        dir.pack_into(&["a.pgn"], name);
        let mut bytes = dir.read(name);
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x55;
        dir.put(name, &bytes);
        let options = OpenOptions {
            passes_damage: true,
            ..OpenOptions::default()
        };
        let archive = Archive::open_with(dir.path().join(name), options).unwrap();
        let found = table(&archive, &["number", "white", "plies"]);
        let expected =
            (0..30_000).map(|n| vec![(n + 1).to_string(), format!("W{n}"), "1".to_owned()]);
        assert!(found == expected.collect::<Vec<_>>(), "{name}");
        assert!(archive.gaps().is_empty());
        let read = table(&archive, &["number", "white", "eco_tag"]);
        assert!(read.len() < 30_000, "{name}");
        assert_eq!(archive.gaps().len(), 1);
    }
}

/// Whatever is damaged in the index, the rows are right.
#[test]
fn damaged_indexes() {
    let dir = Dir::new();
    let mut random = Random::new(7400);
    // Several pages for each column, of which the first ones are checked when the index is opened.
    let game = |n: usize| {
        let (white, black) = (n * 7919 % 3001, n * 104_729 % 3001);
        format!("[White \"W{white}\"]\n[Black \"B{black}\"]\n[WhiteElo \"{n}\"]\n\n1. e4 *\n\n")
    };
    dir.put("a.pgn", (0..6000).map(game).collect::<String>());
    dir.pack_into(&["a.pgn"], "x.pgc");
    let path = dir.path().join("x.pgc");
    let expected = table(&without_index(&path), &INDEXED);
    let whole = dir.read("x.pgci");
    let mut given_up = 0;
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        let mut broken = whole.clone();
        broken[at] ^= 1 << random.below(8);
        dir.put("x.pgci", &broken);
        let archive = Archive::open(&path).unwrap();
        let is_used = archive.index().is_some();
        assert!(table(&archive, &INDEXED) == expected, "byte {at}");
        given_up += usize::from(is_used && archive.index().is_none());
    }
    assert!(given_up > 0);
}

/// More games than are looked up together, with a value that the index cut in the middle.
#[test]
fn rows_go_on_behind_a_value_that_was_cut() {
    let dir = Dir::new();
    let game = |n: usize| {
        let event = match n {
            40_000 => "E".repeat(2000),
            _ => format!("E{}", n % 5),
        };
        format!("[Event \"{event}\"]\n\n*\n\n")
    };
    dir.put("a.pgn", (0..70_000).map(game).collect::<String>());
    dir.pack_into(&["a.pgn"], "x.pgc");
    check(&dir, "x.pgc", &mut Random::new(7500));
}
