//! Sorted tables, against the same rows in archive order and a sort of the tests.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::cli::program::Dir;
use crate::support::gen_pgn::document;
use crate::support::random::Random;
use crate::tables::values::{read, rows};

/// Everything that rows of games can have.
const WITH: &str = "tags,moves,san,clocks,evals,comments,nags,pgn";

const KEYS: [&str; 14] = [
    "date",
    "standard",
    "number",
    "white",
    "black",
    "event",
    "site",
    "round",
    "result",
    "eco",
    "elo",
    "white-elo",
    "black-elo",
    "plies",
];

/// So little memory that nearly all rows go through temporary files.
const LITTLE: [&str; 4] = ["--memory", "64K", "-q", "-f"];

/// Some thousand games with tags, clocks, evaluations, comments and NAGs, in a wild order.
fn wild_games(count: usize) -> String {
    let mut random = Random::new(8000);
    let game = |_| {
        let mut below = |n: usize| random.below(n);
        let moves = [
            "1. e4 {[%clk 0:03:00] [%eval 0.3]} e5",
            "1. d4 $1 $5 d5 2. c4 {fine}",
            "{none}",
            "1. Qh9",
        ];
        let results = ["1-0", "0-1", "1/2-1/2", "*"];
        format!(
            "[Event \"E{}\"]\n[Site \"S{}\"]\n[Date \"{}.0{}.??\"]\n[Round \"{}.{}\"]\n[White \"W{}\"]\n[Black \"B{}\"]\n\
             [Result \"{}\"]\n[WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n[ECO \"{}{:02}\"]\n[Annotator \"A{}\"]\n\n{} *\n\n",
            below(40),
            below(40),
            1990 + below(30),
            1 + below(9),
            below(12),
            below(12),
            below(500),
            below(500),
            results[below(4)],
            below(3000),
            2000 + below(800),
            ["A", "B", "C", "D", "E", "F"][below(6)],
            below(100),
            below(9),
            moves[below(4)],
        )
    };
    (0..count).map(game).collect()
}

/// Two archives, one of them without an index.
fn two_archives(dir: &Dir) {
    dir.put("a.pgn", wild_games(4000));
    dir.put("b.pgn", document(&mut Random::new(8001), 300));
    dir.pack_into(&["a.pgn"], "a.pgcz");
    dir.run(&["pack", "-q", "--no-index", "b.pgn", "-o", "b.pgc"])
        .exits(0);
}

/// Runs `find` on both archives, and returns the rows of the table that it writes.
fn found(dir: &Dir, options: &[&str]) -> Vec<Vec<String>> {
    let find = ["find", "a.pgcz", "b.pgc", "-o", "x.parquet"];
    dir.run(&[&find[..], &LITTLE, options].concat()).exits(0);
    rows(&read(&dir.path().join("x.parquet")))
}

/// The rows of each game, by its address.
fn by_address(rows: Vec<Vec<String>>) -> HashMap<String, Vec<Vec<String>>> {
    let mut games: HashMap<String, Vec<_>> = HashMap::new();
    for row in rows {
        let address = format!("{}:{}", row[0], row[1]);
        games.entry(address).or_default().push(row);
    }
    games
}

#[test]
fn rows_in_the_order_of_every_key() {
    let dir = Dir::new();
    two_archives(&dir);
    for table in [
        &["--with", WITH][..],
        &["--table", "positions", "--with", "key,fen,moves,san"],
    ] {
        let games = by_address(found(&dir, table));
        assert!(games.len() > 3500);
        for key in KEYS {
            let sort: &[&str] = match key {
                "white" => &["--sort", key, "--reverse"],
                _ => &["--sort", key],
            };
            let find = ["find", "a.pgcz", "b.pgc", "--format", "addresses"];
            let addresses = dir.run(&[&find[..], sort].concat()).exits(0).stdout();
            // A game without a start position has no rows of positions.
            let expected = addresses.lines().filter_map(|address| games.get(address));
            let expected: Vec<_> = expected.flatten().cloned().collect();
            let sorted = found(&dir, &[table, sort].concat());
            assert!(sorted == expected, "{key}, {table:?}");
        }
    }
}

/// The order of the rows by the values in the rows themselves.
#[test]
fn rows_sorted_by_their_values() {
    let dir = Dir::new();
    two_archives(&dir);
    let columns = "archive,number,event,white,black,result,white_elo,black_elo,eco,plies,moves";
    let table = ["--columns", columns];
    let unsorted = found(&dir, &table);
    let at = |name: &str| columns.split(',').position(|known| known == name).unwrap();
    let number = |text: &str| text.parse::<u32>().unwrap_or(0);
    for (key, column) in [
        ("event", "event"),
        ("white", "white"),
        ("black", "black"),
        ("result", "result"),
    ] {
        // Null is an empty value or `?`, which are not equal.
        let is_known = |row: &Vec<String>| row[at(column)] != "null";
        let mut expected = unsorted.clone();
        expected.retain(is_known);
        expected.sort_by(|a, b| a[at(column)].cmp(&b[at(column)]));
        let mut sorted = found(&dir, &[&table[..], &["--sort", key]].concat());
        assert_eq!(sorted.len(), unsorted.len());
        sorted.retain(is_known);
        assert!(sorted == expected, "{key}");
    }
    for (key, column) in [
        ("white-elo", "white_elo"),
        ("black-elo", "black_elo"),
        ("plies", "plies"),
    ] {
        let mut expected = unsorted.clone();
        expected.sort_by_key(|row| number(&row[at(column)]));
        assert!(
            found(&dir, &[&table[..], &["--sort", key]].concat()) == expected,
            "{key}"
        );
        expected = unsorted.clone();
        expected.reverse();
        expected.sort_by_key(|row| Reverse(number(&row[at(column)])));
        let reversed = ["--sort", key, "--reverse"];
        assert!(
            found(&dir, &[&table[..], &reversed].concat()) == expected,
            "{key}"
        );
    }
    let mut expected = unsorted;
    expected.reverse();
    assert!(found(&dir, &[&table[..], &["--reverse"]].concat()) == expected);
    let some = [
        &table[..],
        &["--reverse", "--offset", "10", "--limit", "20"],
    ]
    .concat();
    assert_eq!(found(&dir, &some), expected[10..30]);
}

/// A game with more positions than are sorted at once, between others of its block.
#[test]
fn a_game_of_many_positions() {
    let dir = Dir::new();
    let long = |white: &str, times: usize| {
        let moves = "Nf3 Nf6 Ng1 Ng8 ".repeat(times);
        format!("[White \"{white}\"]\n\n{moves}*\n\n")
    };
    let short = |white: &str| format!("[White \"{white}\"]\n\n1. e4 e5 *\n\n");
    // The first 8,192 rows end with the second game, the next two times 8,192 within the fourth.
    let games = short("E") + &long("C", 2047) + &short("A") + &long("B", 5000) + &short("D");
    dir.put("a.pgn", games);
    dir.pack("a.pgn");
    let find = ["find", "a.pgc", "-o", "x.parquet", "--table", "positions"];
    let read_rows = |sort: &[&str]| {
        let with = ["--with", "key,fen,moves,san"];
        dir.run(&[&find[..], &LITTLE, &with, sort].concat())
            .exits(0);
        rows(&read(&dir.path().join("x.parquet")))
    };
    let unsorted = read_rows(&[]);
    let of_game = |game: &'static str| unsorted.iter().filter(move |row| row[1] == game);
    let expected: Vec<_> = ["3", "4", "2", "5", "1"]
        .into_iter()
        .flat_map(of_game)
        .cloned()
        .collect();
    assert_eq!(expected.len(), 3 * 3 + 8189 + 20_001);
    assert!(read_rows(&["--sort", "white"]) == expected);
}

#[test]
fn the_same_bytes_for_any_number_of_threads_and_any_memory() {
    let dir = Dir::new();
    two_archives(&dir);
    let mut files = Vec::new();
    for (threads, memory) in [("1", "64K"), ("3", "64K"), ("2", "64M")] {
        let find = ["find", "a.pgcz", "b.pgc", "-q", "--sort", "white", "-f"];
        let how = ["-j", threads, "--memory", memory, "-o", "x.parquet"];
        dir.run(&[&find[..], &how].concat()).exits(0);
        files.push(dir.read("x.parquet"));
    }
    assert!(files[0] == files[1] && files[0] == files[2]);
}

/// What the index answers needs no temporary file; all other rows do.
#[test]
fn temporary_files() {
    let dir = Dir::new();
    two_archives(&dir);
    let find = ["find", "a.pgcz", "--temp-dir", "missing", "--sort", "black"];
    let into = ["-o", "x.parquet", "--columns"];
    let run = |columns: &str| dir.run(&[&find[..], &LITTLE, &into, &[columns]].concat());
    run("number,black,result,plies").exits(0);
    let found = rows(&read(&dir.path().join("x.parquet")));
    assert_eq!(found.len(), 4000);
    assert!(found.is_sorted_by(|a, b| a[1] <= b[1]));
    run("number,black,result,plies,moves")
        .exits(2)
        .says("missing");
}

/// The games of a damaged block are left out, and all others are in order.
#[test]
fn damage() {
    let dir = Dir::new();
    dir.put("a.pgn", wild_games(12_000));
    dir.pack_into(&["a.pgn"], "a.pgcz");
    let mut bytes = dir.read("a.pgcz");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    dir.put("a.pgcz", &bytes);
    let find = [
        "find",
        "a.pgcz",
        "--partial",
        "-o",
        "x.parquet",
        "--columns",
        "number,white,eco_tag",
    ];
    let read_rows = |more: &[&str]| {
        dir.run(&[&find[..], &LITTLE, more].concat()).exits(3);
        rows(&read(&dir.path().join("x.parquet")))
    };
    let mut expected = read_rows(&[]);
    assert!(
        (100..12_000).contains(&expected.len()),
        "{}",
        expected.len()
    );
    expected.sort_by(|a, b| a[1].cmp(&b[1]));
    assert_eq!(read_rows(&["--sort", "white"]), expected);
}

/// The first rows come from the index, until a game has to be read: one of an archive without an
/// index, one with a value that the index cut, or the first one behind damage in the index.
#[test]
fn rows_of_the_index_and_of_the_games() {
    let dir = Dir::new();
    two_archives(&dir);
    let columns = ["--columns", "archive,number,event,white,black,plies"];
    let sorts = [&["--sort", "plies"][..], &["--reverse"]];
    let check = |what: &str| {
        let unsorted = found(&dir, &columns);
        for sort in sorts {
            let mut expected = unsorted.clone();
            match sort {
                ["--reverse"] => expected.reverse(),
                _ => expected.sort_by_key(|row| row[5].parse::<u32>().unwrap()),
            }
            let sorted = found(&dir, &[&columns[..], sort].concat());
            assert!(sorted == expected, "{what}, {sort:?}");
        }
    };
    check("one without an index");
    dir.run(&["index", "-q", "b.pgc"]).exits(0);
    check("both with an index");
    let index = dir.read("a.pgczi");
    for at in (0..index.len()).step_by(index.len() / 20) {
        let mut broken = index.clone();
        broken[at] ^= 0x10;
        dir.put("a.pgczi", &broken);
        check(&format!("damaged at byte {at}"));
    }
    dir.put("a.pgczi", &index);
    let long = format!("[White \"{}\"]\n\n1. e4 *\n\n", "x".repeat(2000));
    let middle = wild_games(1000) + &long + &wild_games(1000);
    dir.put("a.pgn", middle);
    dir.pack_into(&["a.pgn"], "a.pgcz");
    check("a value that was cut");
}
