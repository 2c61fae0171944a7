//! Tables of games and positions. `tables.py` compares them with python-chess; here are the cases
//! that few real files have, and what the program does with its files.

use std::fs::{self, File};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMillisecondType,
    UInt16Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use pgc::{Archive, OpenOptions, Query};
use pgc_tables::arrow_schema::{DataType, Schema};
use pgc_tables::batches::{TableOptions, batches};
use pgc_tables::schema::{Selection, TableKind};

use crate::cli::program::Dir;
use crate::support::archive_of;

/// A value as text: `null`, `[1, 2]`, `{name=value}`.
fn cell(array: &dyn Array, row: usize) -> String {
    if array.is_null(row) {
        return "null".to_owned();
    }
    macro_rules! number {
        ($kind:ty) => {
            array.as_primitive::<$kind>().value(row).to_string()
        };
    }
    let list = |array: &dyn Array| {
        let cells: Vec<_> = (0..array.len()).map(|row| cell(array, row)).collect();
        cells.join(", ")
    };
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(row).to_owned(),
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt64 => number!(UInt64Type),
        DataType::Float64 => number!(Float64Type),
        DataType::Date32 => number!(Date32Type),
        DataType::Timestamp(..) => number!(TimestampMillisecondType),
        DataType::Boolean => array.as_boolean().value(row).to_string(),
        DataType::List(_) => format!("[{}]", list(&*array.as_list::<i32>().value(row))),
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            let pair = |i| {
                format!(
                    "{}={}",
                    cell(entries.column(0), i),
                    cell(entries.column(1), i)
                )
            };
            let pairs: Vec<_> = (0..entries.len()).map(pair).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        other => panic!("{other}"),
    }
}

/// All rows, cell by cell.
pub(crate) fn rows(batches: &[RecordBatch]) -> Vec<Vec<String>> {
    let of_batch = |batch: &RecordBatch| {
        let row = |row| {
            batch
                .columns()
                .iter()
                .map(|array| cell(array, row))
                .collect()
        };
        (0..batch.num_rows()).map(row).collect::<Vec<_>>()
    };
    batches.iter().flat_map(of_batch).collect()
}

fn all_games(archive: &Archive) -> Vec<(u32, u32)> {
    let answer = archive.find(&Query::default(), 1).unwrap();
    let pair = |number: u64| (0, u32::try_from(number - 1).unwrap());
    answer.numbers().map(pair).collect()
}

pub(crate) fn batches_of(
    archive: &Archive,
    selection: Selection,
    threads: usize,
) -> Vec<RecordBatch> {
    let options = TableOptions {
        threads,
        ..TableOptions::new(selection)
    };
    let mut found = Vec::new();
    batches(&[archive], &all_games(archive), &options, &mut |batch| {
        found.push(batch);
        Ok(())
    })
    .unwrap();
    found
}

/// These columns of the games of a text, in the order asked for.
fn table(kind: TableKind, pgn: &[u8], columns: &[&str]) -> Vec<Vec<String>> {
    let dir = Dir::new();
    dir.put("x.pgc", archive_of(pgn));
    let archive = Archive::open(dir.path().join("x.pgc")).unwrap();
    let selection = Selection::named(kind, columns).unwrap();
    let schema = selection.schema();
    let places = columns.iter().map(|name| schema.index_of(name).unwrap());
    let places: Vec<usize> = places.collect();
    let rows = rows(&batches_of(&archive, selection, 1));
    let in_order = |row: Vec<String>| places.iter().map(|&at| row[at].clone()).collect();
    rows.into_iter().map(in_order).collect()
}

fn games(pgn: &str, columns: &[&str]) -> Vec<Vec<String>> {
    table(TableKind::Games, pgn.as_bytes(), columns)
}

/// Clocks of hours and minutes beside clocks with hours; what engines wrote
/// (spec/manual/tables.md 2.3).
#[test]
fn clocks_and_notes_of_engines() {
    let columns = ["clocks", "elapsed", "evals", "mates", "depths", "comments"];
    let pgn = "1. e4 {[%clk 1:59]} e5 {[%clk 1:58:30]} 2. Nf3 {+0.35/20 1.2s} Nc6 {+0.10/21 2s} 3. Bb5 {book} \
               a6 {d=31, mt=00:01:05, tl=0:45:00, wv=M3,} *\n";
    let expected = [
        "[7140, 7110, null, null, null, 2700]",
        "[null, null, 1.2, 2, null, 65]",
        "[null, null, 35, -10, null, null]",
        "[null, null, null, null, null, 2]",
        "[null, null, 20, 21, null, 31]",
        "[null, null, +0.35/20 1.2s, +0.10/21 2s, book, d=31, mt=00:01:05, tl=0:45:00, wv=M3,]",
    ];
    assert_eq!(games(pgn, &columns), [expected]);
    // Black begins from a position that is set up.
    let fen = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 1\"]\n\n1... Kd7 {+0.35/20 1s} 2. e4 {+0.10/20 1s} *\n";
    assert_eq!(games(fen, &["evals"]), [["[-35, 10]"]]);
    let short = "1. e4 {[%clk 1:59]} e5 {[%clk 1:58]} *\n";
    assert_eq!(games(short, &columns[..1]), [["[119, 118]"]]);
}

/// The example of spec/manual/tables.md 2.3.
#[test]
fn the_example_of_the_specification() {
    let pgn = "1. e4 {best} $1 {[%clk 0:03:00] by test} (1. d4 {no}) e5 {[%clk 0:02:59]} {[%eval 0.3,20]} 2. Qxq9 *\n";
    let columns = [
        "plies",
        "wholeness",
        "tail",
        "moves",
        "san",
        "clocks",
        "evals",
        "mates",
        "depths",
        "elapsed",
        "comments",
        "nags",
        "pgn",
    ];
    let expected = [
        "2",
        "partly understood",
        "Qxq9",
        "[1804, 2356]",
        "[e4, e5]",
        "[180, 179]",
        "[null, 30]",
        "null",
        "[null, 20]",
        "null",
        "[best by test, null]",
        "[[1], null]",
        pgn,
    ];
    assert_eq!(games(pgn, &columns), [expected]);
}

#[test]
fn unknown_values_are_null() {
    let columns = [
        "event",
        "date",
        "year",
        "round",
        "white_elo",
        "black_elo",
        "result",
        "tags",
    ];
    let pgn = "[Event \"?\"]\n[Date \"????.??.??\"]\n[Round \"-\"]\n[WhiteElo \"0\"]\n[BlackElo \"2650\"]\n\
        [Result \"*\"]\n[BlackTeam \"?\"]\n[Round \"2\"]\n\n1. e4 1-0\n\n[Event \"\"]\n[Date \"unknown\"]\n\
        [UTCDate \"1999.12.31\"]\n[BlackElo \"2650 (FIDE)\"]\n[Result \"White won\"]\n\n1. d4 0-1\n\n1. c4\n";
    assert_eq!(
        games(pgn, &columns),
        [
            [
                "null",
                "null",
                "null",
                "2",
                "null",
                "2650",
                "1-0",
                "{WhiteElo=0, Result=*, BlackTeam=?}"
            ],
            [
                "null",
                "1999.12.31",
                "1999",
                "null",
                "null",
                "null",
                "0-1",
                "{UTCDate=1999.12.31, BlackElo=2650 (FIDE), Result=White won}"
            ],
            ["null", "null", "null", "null", "null", "null", "*", "{}"],
        ]
    );
}

#[test]
fn codes_of_openings() {
    let values = ["B33", "b97x", "E99", "A00/1", "F00", "B3", "?", "-", ""];
    let pgn = values.map(|value| format!("[ECO \"{value}\"]\n\n1. e4 *\n\n"));
    assert_eq!(
        games(&pgn.concat(), &["eco", "eco_tag"]),
        [
            ["B33", "B33"],
            ["B97", "b97x"],
            ["E99", "E99"],
            ["A00", "A00/1"],
            ["null", "F00"],
            ["null", "B3"],
            ["null", "null"],
            ["null", "-"],
            ["null", "null"],
        ]
    );
}

#[test]
fn text_is_utf8_whatever_the_source_has() {
    let pgn = b"[White \"M\xfcller\"]\n[Black \"M\xc3\xbcller\"]\n[Annotator \"\xe9\"]\n\n1. e4 {\xe0} *\n";
    let found = table(
        TableKind::Games,
        pgn,
        &["white", "black", "tags", "comments"],
    );
    assert_eq!(
        found,
        [[
            "M\u{fc}ller",
            "M\u{fc}ller",
            "{Annotator=\u{e9}}",
            "[\u{e0}]"
        ]]
    );
}

#[test]
fn games_that_are_text() {
    let columns = [
        "plies",
        "wholeness",
        "moves",
        "tail",
        "first_comment",
        "clocks",
    ];
    let pgn = "[FEN \"nonsense\"]\n\n1. e4 {[%clk 1]} e5 *\n\n[White \"x\"]\n\n{before} {[%clk 5]} 1. a9 {[%clk 2]} *\n\n\
        [White \"y\"]\n\n1. e4 -- 2. d4 *\n\n[White \"z\"]\n\n*\n";
    let found = games(pgn, &columns);
    let heads: Vec<_> = found.iter().map(|row| row[..3].join(" ")).collect();
    assert_eq!(
        heads,
        [
            "0 kept as text []",
            "0 kept as text []",
            "1 partly understood [1804]",
            "0 understood []"
        ]
    );
    assert_eq!(found[2][3], "-- 2. d4");
    assert_eq!(found[1][4..], ["before [%clk 5]", "null"]);
    assert_eq!(found[0][5], "null");
    assert_eq!(found[3][3..], ["null", "null", "null"]);
}

/// Castling, promotion, capture en passant and a drop; squares count from a1, 0, to h8, 63.
#[test]
fn moves_in_16_bits() {
    let of = |tags: &str, moves: &str| {
        let pgn = format!("{tags}\n{moves} *\n");
        games(&pgn, &["moves"]).pop().unwrap().pop().unwrap()
    };
    let fen = |fen: &str| format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n");
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let e1g1 = 4 | 6 << 6;
    let e8c8 = 60 | 58 << 6;
    assert_eq!(
        of(&fen(castling), "1. O-O O-O-O"),
        format!("[{e1g1}, {e8c8}]")
    );
    let of_960 = format!("[Variant \"Chess960\"]\n{}", fen(castling));
    let e1h1 = 4 | 7 << 6;
    let e8a8 = 60 | 56 << 6;
    assert_eq!(of(&of_960, "1. O-O O-O-O"), format!("[{e1h1}, {e8a8}]"));
    let b7b8n = 49 | 57 << 6 | 2 << 12;
    assert_eq!(
        of(&fen("7k/1P6/8/8/8/8/8/K7 w - - 0 1"), "1. b8=N"),
        format!("[{b7b8n}]")
    );
    let e5d6 = 36 | 43 << 6;
    assert_eq!(
        of(&fen("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"), "1. exd6"),
        format!("[{e5d6}]")
    );
    let at_e4 = 28 | 28 << 6 | 2 << 12;
    let drop = "[Variant \"Crazyhouse\"]\n[FEN \"4k3/8/8/8/8/8/8/4K3[N] w - - 0 1\"]\n";
    assert_eq!(of(drop, "1. N@e4"), format!("[{at_e4}]"));
}

/// Keys are those of the description of PolyGlot's format.
#[test]
fn positions_of_a_game() {
    let pgn = b"[FEN \"bad\"]\n\n1. e4 *\n\n1. e4 d5 (1... c5) 2. e5 *\n";
    let columns = ["number", "ply", "key", "fen", "move", "san"];
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let fens = [
        start,
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2",
    ];
    let keys: [u64; 4] = [
        0x463b_9618_1691_fc9c,
        0x823c_9b50_fd11_4196,
        0x0756_b944_61c5_0fb0,
        0x662f_afb9_65db_29d4,
    ];
    let moves = [
        ("1804", "e4"),
        ("2291", "d5"),
        ("2332", "e5"),
        ("null", "null"),
    ];
    let expected: Vec<Vec<String>> = (0..4)
        .map(|ply| {
            let (packed, san) = moves[ply];
            let row = [
                "2",
                &ply.to_string(),
                &keys[ply].to_string(),
                fens[ply],
                packed,
                san,
            ];
            row.map(str::to_owned).to_vec()
        })
        .collect();
    assert_eq!(table(TableKind::Positions, pgn, &columns), expected);
    let atomic = b"[Variant \"Atomic\"]\n\n1. e4 *\n";
    let found = table(TableKind::Positions, atomic, &["key", "move"]);
    assert_eq!(found, [["null", "1804"], ["null", "null"]]);
}

/// What the moves and the positions are: worked out by hand.
#[test]
fn columns_of_positions() {
    let pgn = "{before} 1. e4 {[%clk 0:03:00] [%eval 0.3,20] good} $1 $18 e5 {[%emt 0:00:02]} 2. Nf3 {[%eval #3]} \
               Nc6 3. Ng1 Nb8 4. Nf3 Nc6 *\n";
    let of = |columns: &[&str]| table(TableKind::Positions, pgn.as_bytes(), columns);
    let columns = [
        "uci", "san", "clock", "elapsed", "eval", "mate", "depth", "comment", "nags", "side",
        "is_last",
    ];
    let found = of(&columns);
    let row = |text: &str| text.split('|').map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(
        found[0],
        row("e2e4|e4|180|null|30|null|20|good|[1, 18]|white|false")
    );
    assert_eq!(
        found[1],
        row("e7e5|e5|null|2|null|null|null|null|null|black|false")
    );
    assert_eq!(
        found[2],
        row("g1f3|Nf3|null|null|null|3|null|null|null|white|false")
    );
    assert_eq!(
        found[8],
        row("null|null|null|null|null|null|null|null|null|white|true")
    );
    // After 3... Nb8 the pieces stand as after 1... e5; but then e5 could be taken en passant by nothing, so it is the same position.
    let times: Vec<_> = of(&["repetition"]).concat();
    assert_eq!(times, ["1", "1", "1", "1", "1", "1", "2", "2", "2"]);
    let of_fen = |fen: &str| {
        let pgn = format!("[FEN \"{fen}\"]\n\n*\n");
        let columns = [
            "material",
            "white_material",
            "black_material",
            "phase",
            "side",
        ];
        table(TableKind::Positions, pgn.as_bytes(), &columns)
            .concat()
            .join("|")
    };
    assert_eq!(
        of_fen("4k3/8/8/8/8/r7/4P3/R3K3 b - - 0 1"),
        "KRP KR|6|5|endgame|black"
    );
    assert_eq!(
        of_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        "KQRRBBNNPPPPPPPP KQRRBBNNPPPPPPPP|39|39|opening|white"
    );
    assert_eq!(
        of_fen("r2qk2r/8/8/8/8/8/8/RN1QK2R w - - 0 1"),
        "KQRRN KQRR|22|19|middlegame|white"
    );
    // Only what is asked for: nothing else is there by default.
    let usual = Selection::usual(TableKind::Positions).schema();
    let names: Vec<_> = usual
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .collect();
    assert_eq!(names, ["archive", "number", "ply", "key", "move"]);
}

/// A row for each move, in the order of the text: worked out by hand. `tables.py` compares others
/// with python-chess.
#[test]
fn moves_of_all_lines() {
    let pgn = "{first} 1. e4 {best} (1. d4 {[%eval 0.2] queen} d5 $6 (1... Nf6 {[%clk 0:01:00]}) 2. c4) (1. e9 c5) {late} \
               1... e5 ({or} 1... c5 $1 $5) 2. Nf3 ({no move}) Nc6 *\n";
    let columns = [
        "node",
        "parent",
        "variation",
        "ply",
        "san",
        "move",
        "before",
        "comment",
        "nags",
        "clock",
        "eval",
    ];
    let found = table(TableKind::Nodes, pgn.as_bytes(), &columns);
    let found: Vec<String> = found.into_iter().map(|row| row.join("|")).collect();
    let expected = [
        "1|0|0|0|e4|1804|first|best late|null|null|null",
        "2|0|1|0|d4|1739|null|queen|null|null|20",
        "3|2|1|1|d5|2291|null|null|[6]|null|null",
        "4|2|2|1|Nf6|2942|null|null|null|60|null",
        "5|3|1|2|c4|1674|null|null|null|null|null",
        "6|1|0|1|e5|2356|null|null|null|null|null",
        "7|1|1|1|c5|2226|or|null|[1, 5]|null|null",
        "8|6|0|2|Nf3|1350|null|null|null|null|null",
        "9|8|0|3|Nc6|2745|null|null|null|null|null",
    ];
    assert_eq!(found, expected);
    // The position before the move.
    let fens = table(TableKind::Nodes, pgn.as_bytes(), &["fen", "uci"]);
    let after = "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2";
    assert_eq!(fens[4], [after, "c2c4"]);
    // Games without moves have no rows, and variations inside 32 others are left out.
    assert!(
        table(
            TableKind::Nodes,
            b"*\n\n[FEN \"bad\"]\n\n1. e4 *\n",
            &["node"]
        )
        .is_empty()
    );
    let nested = format!("1. e4 {}{} *\n", "(1. d4 ".repeat(50), ")".repeat(50));
    let depths = table(TableKind::Nodes, nested.as_bytes(), &["variation"]);
    let expected: Vec<_> = (0..=32).map(|depth| vec![depth.to_string()]).collect();
    assert_eq!(depths, expected);
}

/// Whatever the rows take, a block is read in parts, and no row is lost or out of order.
#[test]
fn long_games_under_a_long_path() {
    let line = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(2500);
    let pgn = format!("{line}*\n\n").repeat(4) + "1. e4 *\n";
    let dir = Dir::new();
    let name = vec!["f".repeat(200); 7].join("/") + "/x.pgc";
    dir.put(&name, archive_of(pgn.as_bytes()));
    let archive = Archive::open(dir.path().join(&name)).unwrap();
    let selection = Selection::named(TableKind::Positions, &["archive", "number", "ply"]).unwrap();
    let mut expected = Vec::new();
    for (game, plies) in [(1, 10_000), (2, 10_000), (3, 10_000), (4, 10_000), (5, 1)] {
        expected.extend((0..=plies).map(|ply| (game.to_string(), ply.to_string())));
    }
    let batches = batches_of(&archive, selection, 2);
    assert!(batches.len() > 2, "{} batches", batches.len());
    let rows = rows(&batches);
    assert_eq!(rows.len(), expected.len());
    for (row, expected) in rows.into_iter().zip(expected) {
        assert_eq!((row[1].clone(), row[2].clone()), expected);
    }
}

/// A folder for each value, whose files together have the rows of one file, in its order.
#[test]
fn folders_for_the_values_of_a_column() {
    let dir = Dir::new();
    let odd = "[White \"A/b=%\"]\n\n1. e4 *\n\n[Black \"é\"]\n\n1. d4 *\n\n";
    dir.put("a.pgn", format!("{odd}{}", many_games(9000)));
    dir.pack("a.pgn");
    let find = [
        "find",
        "a.pgc",
        "--sort",
        "date",
        "--columns",
        "number,day,event",
    ];
    dir.run(&[&find[..], &["-o", "one.parquet"]].concat())
        .exits(0);
    let one = rows(&read(&dir.path().join("one.parquet")));
    for (column, place) in [("day", 1), ("event", 2)] {
        dir.run(&[&find[..], &["-o", column, "--partition", column]].concat())
            .exits(0)
            .says(&format!("{column}: 9,002 games"));
        let mut folders = fs::read_dir(dir.path().join(column)).unwrap();
        let mut found = 0;
        while let Some(folder) = folders.next().transpose().unwrap() {
            let name = folder.file_name().into_string().unwrap();
            let value = name.strip_prefix(&format!("{column}=")).unwrap();
            let value = value.replace("__HIVE_DEFAULT_PARTITION__", "null");
            let batches = read(&folder.path().join("games.parquet"));
            assert!(
                names_of(&batches[0].schema())
                    .iter()
                    .all(|name| name != column)
            );
            let mut expected: Vec<_> = one
                .iter()
                .filter(|row| row[place] == value)
                .cloned()
                .collect();
            expected.iter_mut().for_each(|row| drop(row.remove(place)));
            assert_eq!(rows(&batches), expected, "{name}");
            found += expected.len();
        }
        assert_eq!(found, one.len(), "{column}");
    }
    // More files than a process may usually keep open.
    dir.run(&[&find[..], &["-o", "many", "--partition", "number"]].concat())
        .exits(2)
        .says("number has more than 1000 values");
    assert!(!dir.path().join("many").exists());
    // Values that are no names of files; columns of the default are there in all files, if null too.
    dir.run(&[
        "find",
        "a.pgc",
        "-o",
        "white",
        "--limit",
        "2",
        "--partition",
        "white",
    ])
    .exits(0);
    let names_in = |folder: &str| {
        let entries = fs::read_dir(dir.path().join(folder)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(
        names_in("white"),
        ["white=A%2Fb%3D%25", "white=__HIVE_DEFAULT_PARTITION__"]
    );
    let schema = read(&dir.path().join("white/white=A%2Fb%3D%25/games.parquet"))[0].schema();
    assert_eq!(
        schema.fields().len() + 1,
        Selection::usual(TableKind::Games).schema().fields().len()
    );
    // Damage leaves nothing.
    let mut bytes = dir.read("a.pgc");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    dir.put("b.pgc", bytes);
    let damaged = [
        "find",
        "b.pgc",
        "-q",
        "--columns",
        "site",
        "-o",
        "b",
        "--partition",
        "event",
    ];
    dir.run(&damaged).exits(3);
    assert!(
        dir.names()
            .iter()
            .all(|name| name != "b" && !name.starts_with(".tmp")),
        "{:?}",
        dir.names()
    );
    dir.run(&[&damaged[..], &["--partial"]].concat()).exits(3);
    assert!(!names_in("b").is_empty());
}

/// A text of so many games, of several blocks.
fn many_games(count: usize) -> String {
    let game = |n: usize| {
        format!(
            "[Event \"E {}\"]\n[Date \"2020.01.{:02}\"]\n[White \"W{n}\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n\
             1. e4 {{[%clk 0:0{}:00]}} e5 {{[%clk 0:09:{:02}]}} 2. Nf3 $1 {{comment {n}}} 1-0\n\n",
            n % 7,
            n % 28 + 1,
            n % 10,
            n % 60
        )
    };
    (0..count).map(game).collect()
}

pub(crate) fn read(path: &std::path::Path) -> Vec<RecordBatch> {
    let file = File::open(path).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .unwrap()
        .build()
        .unwrap();
    reader.map(Result::unwrap).collect()
}

fn names_of(schema: &Schema) -> Vec<String> {
    let names = schema.fields().iter().map(|field| field.name().clone());
    names.collect()
}

#[test]
fn files_hold_the_rows_of_the_query() {
    let dir = Dir::new();
    dir.put("a.pgn", many_games(5000));
    dir.put("b.pgn", "[White \"W1\"]\n[Event \"E 3\"]\n\n1. d4 *\n");
    dir.pack_into(&["a.pgn", "b.pgn"], "both.pgc");
    dir.pack("b.pgn");
    let all = ["find", "both.pgc", "b.pgc", "-o", "all.parquet"];
    dir.run(&all).exits(0).says("5,002 games");
    dir.run(&all).exits(2).says("already exists");
    let found = read(&dir.path().join("all.parquet"));
    let schema = Selection::usual(TableKind::Games).schema();
    let file = File::open(dir.path().join("all.parquet")).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    assert_eq!(reader.schema().metadata()["pgc.table"], "games 1");
    // Lists and maps have the names that Parquet prescribes, and what readers skip by is there.
    let group = reader.metadata().row_group(0);
    let columns = group.columns().iter();
    let paths: Vec<_> = columns
        .map(|column| column.column_path().string())
        .collect();
    for path in ["moves.list.element", "nags.list.element.list.element"] {
        assert!(paths.contains(&path.to_owned()), "{paths:?}");
    }
    for column in group.columns() {
        let is_list = column.column_path().parts().len() > 1;
        let is_long = column.column_path().string() == "tail";
        let has_index = column.column_index_offset().is_some();
        assert_eq!(has_index, !is_list && !is_long, "{}", column.column_path());
        assert!(column.statistics().is_some());
    }
    // A reader who asks for a player passes over row groups without that player.
    for column in reader.metadata().row_group(0).columns() {
        let name = column.column_path().string();
        let has_filter = column.bloom_filter_offset().is_some();
        assert_eq!(has_filter, name == "white" || name == "black", "{name}");
    }
    let found = rows(&found);
    let archive = Archive::open(dir.path().join("both.pgc")).unwrap();
    let mut expected = rows(&batches_of(&archive, Selection::usual(TableKind::Games), 1));
    for row in &mut expected {
        row[0] = "both.pgc".to_owned();
    }
    // Columns that are null throughout are left out, unless they are asked for.
    let is_null = |place: &usize| expected.iter().all(|row| row[*place] == "null");
    let names = names_of(&schema);
    let used: Vec<usize> = (0..names.len()).filter(|place| !is_null(place)).collect();
    assert!((10..names.len() - 10).contains(&used.len()));
    let expected_names: Vec<_> = used.iter().map(|&place| names[place].clone()).collect();
    assert_eq!(names_of(reader.schema()), expected_names);
    for row in &mut expected {
        *row = used.iter().map(|&place| row[place].clone()).collect();
    }
    let asked = [
        "find",
        "b.pgc",
        "-q",
        "-o",
        "asked.parquet",
        "--columns",
        &names.join(","),
    ];
    dir.run(&asked).exits(0);
    let asked = read(&dir.path().join("asked.parquet"));
    assert_eq!(names_of(&asked[0].schema()), names);
    // Row groups as small as somebody wants them, and other levels of compression.
    let groups = ["--group-rows", "1500", "--zstd", "1", "-q"];
    dir.run(&[&all[..4], &["small.parquet"], &groups[..]].concat())
        .exits(0);
    let file = File::open(dir.path().join("small.parquet")).unwrap();
    let small = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let sizes = small
        .metadata()
        .row_groups()
        .iter()
        .map(|group| group.num_rows());
    assert_eq!(sizes.collect::<Vec<_>>(), [1500, 1500, 1500, 502]);
    assert_eq!(rows(&read(&dir.path().join("small.parquet"))), found);
    assert_eq!(found[..5001], expected);
    assert_eq!(found[5000][..4], ["both.pgc", "5001", "b.pgn", "E 3"]);
    assert_eq!(found[5001][..4], ["b.pgc", "1", "b.pgn", "E 3"]);

    // Only what was asked for; the same bytes for any number of threads.
    let some = [
        "find", "both.pgc", "--event", "3", "--with", "san", "-q", "-f",
    ];
    for threads in ["1", "3"] {
        let name = format!("{threads}.parquet");
        dir.run(&[&some[..], &["-j", threads, "-o", &name]].concat())
            .exits(0);
    }
    assert_eq!(dir.read("1.parquet"), dir.read("3.parquet"));
    let found = read(&dir.path().join("3.parquet"));
    let names: Vec<_> = found[0]
        .schema()
        .fields()
        .iter()
        .map(|f| f.name().clone())
        .collect();
    assert!(names.contains(&"san".to_owned()) && !names.contains(&"moves".to_owned()));
    let numbers: Vec<_> = rows(&found).into_iter().map(|row| row[1].clone()).collect();
    let expected = (0..5000).filter(|n| n % 7 == 3).chain([5000]);
    assert_eq!(
        numbers,
        expected.map(|n| (n + 1).to_string()).collect::<Vec<_>>()
    );
}

#[test]
fn columns_by_their_names() {
    let dir = Dir::new();
    dir.put("x.pgc", archive_of(many_games(50).as_bytes()));
    let find = ["find", "x.pgc", "-q", "-f", "-o", "y.parquet", "--columns"];
    // In the order asked for, each once.
    dir.run(&[&find[..], &["plies,WhiteTeam,white, number,plies"]].concat())
        .exits(0);
    let found = read(&dir.path().join("y.parquet"));
    let schema = found[0].schema();
    let names: Vec<_> = schema.fields().iter().map(|field| field.name()).collect();
    assert_eq!(names, ["plies", "WhiteTeam", "white", "number"]);
    assert_eq!(rows(&found)[49], ["3", "null", "W49", "50"]);
    // As text too.
    let moves = [
        "find", "x.pgc", "-q", "--limit", "1", "--table", "nodes", "--format",
    ];
    let csv = dir.run(&[&moves[..], &["csv"]].concat()).exits(0).stdout();
    let expected = [
        "archive,number,node,parent,ply,san,nags,comment,before",
        "x.pgc,1,1,0,0,e4,,,",
        "x.pgc,1,2,1,1,e5,,,",
        "x.pgc,1,3,2,2,Nf3,[1],comment 0,",
    ];
    assert_eq!(csv.lines().collect::<Vec<_>>(), expected);
    let positions = ["ply,number", "--table", "positions"];
    dir.run(&[&find[..], &positions].concat()).exits(0);
    let found = rows(&read(&dir.path().join("y.parquet")));
    assert_eq!(
        (found.len(), &found[199][..]),
        (200, &["3", "50"].map(str::to_owned)[..])
    );
}

/// Each column that a text table has means the same in a table of Arrow.
#[test]
fn one_vocabulary() {
    let dir = Dir::new();
    let lichess = "[Event \"Rated\"]\n[Site \"https://lichess.org/abcdefgh\"]\n[Date \"2013.01.31\"]\n[Round \"-\"]\n\
        [White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n[UTCDate \"2013.01.31\"]\n[UTCTime \"22:17:05\"]\n\
        [WhiteElo \"1500\"]\n[BlackElo \"1400\"]\n[WhiteRatingDiff \"+5\"]\n[BlackRatingDiff \"-7\"]\n\
        [ECO \"b33x\"]\n[Opening \"Sicilian\"]\n[TimeControl \"10+0.1\"]\n[Variant \"Standard\"]\n\
        [WhiteTitle \"GM\"]\n[Termination \"Normal\"]\n\n1. e4 {x} c5 $1 (1... e5) 2. Nf3 1-0\n\n";
    let set_up = "[Event \"E\"]\n[Site \"S\"]\n[Date \"2013-1-31\"]\n[Round \"1\"]\n[White \"C\"]\n[Black \"D\"]\n\
        [Result \"0-1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 1\"]\n[WhiteFideId \"7\"]\n\n1... Ke7 e9 1-0\n";
    dir.put("a.pgn", [lichess, set_up].concat());
    dir.pack("a.pgn");
    let archive = Archive::open(dir.path().join("a.pgc")).unwrap();
    let mut compared = 0;
    for name in TableKind::Games.names() {
        let find = [
            "find",
            "a.pgc",
            "-q",
            "--format",
            "jsonl",
            "--columns",
            name,
        ];
        let ran = dir.run(&find);
        if ran.output.status.code() != Some(0) || name == "archive" {
            assert!(
                name == "archive"
                    || matches!(
                        name,
                        "tags"
                            | "moves"
                            | "tail"
                            | "san"
                            | "clocks"
                            | "elapsed"
                            | "evals"
                            | "mates"
                            | "depths"
                            | "first_comment"
                            | "comments"
                            | "nags"
                            | "pgn"
                    ),
                "{name}"
            );
            continue;
        }
        let selection = Selection::named(TableKind::Games, &[name]).unwrap();
        let rows = rows(&batches_of(&archive, selection, 1));
        for (line, row) in ran.stdout().lines().zip(&rows) {
            let text = match name {
                // Numbers of days and milliseconds, of 31 January 2013 (Python's datetime).
                "full_date" | "utc_date" => row[0].replace("15736", "2013-01-31"),
                "utc_time" => row[0].replace("1359670625000", "2013-01-31T22:17:05Z"),
                _ => row[0].clone(),
            };
            let told = line.trim_start_matches('{').trim_end_matches('}');
            let told = told.split_once(':').unwrap().1.trim_matches('"');
            assert_eq!(told, text, "{name}");
        }
        assert_eq!(rows.len(), 2);
        compared += 1;
    }
    assert!(compared > 50, "{compared}");
    let columns = [
        "opening",
        "opening_eco",
        "opening_ply",
        "opening_tag",
        "eco",
        "eco_tag",
        "url",
        "speed",
        "variant",
        "Variant",
        "has_fen",
        "utc_time",
    ];
    let expected = [
        "B27",
        "3",
        "Sicilian",
        "B33",
        "b33x",
        "https://lichess.org/abcdefgh",
        "bullet",
        "chess",
        "Standard",
        "false",
        "1359670625000",
    ]
    .map(str::to_owned);
    let found = games(lichess, &columns);
    // Lichess names the position after 2. Nf3.
    assert_eq!(
        (&*found[0][0], &found[0][1..]),
        ("Sicilian Defense", &expected[..])
    );
}

#[test]
fn refusals() {
    let dir = Dir::new();
    dir.put("x.pgc", archive_of(b"1. e4 *\n"));
    for (args, message) in [
        (
            &["--table", "games"][..],
            "--table works only with CSV, JSON and Parquet",
        ),
        (&["--format", "parquet"], "standard output"),
        (
            &["-o", "y.parquet", "--columns", "white,whit"],
            "no column is called whit (similar: white, white_",
        ),
        (
            &["-o", "y", "--partition", "yaer"],
            "no column is called yaer (similar: year",
        ),
        (
            &["-o", "y", "--partition", "moves"],
            "only text and whole numbers",
        ),
        (&["-o", "x.pgc", "--partition", "year"], "only with Parquet"),
        (&["-o", ".", "--partition", "year"], "in a new folder"),
        (
            &["-o", "y", "--table", "nodes", "--partition", "year"],
            "of games",
        ),
        (&["--partition", "year"], "--output"),
        (
            &[
                "-o",
                "y.parquet",
                "--table",
                "positions",
                "--columns",
                "white",
            ],
            "no column is called white (similar: white_material): positions has archive",
        ),
        (
            &["-o", "y.csv", "--columns", "eco_cod"],
            "--columns eco_cod: no such column",
        ),
        (&["-o", "y.pgn", "--columns", "white"], "and Parquet"),
        (&["-o", "y.parquet", "--with", "fen"], "no such columns"),
        (
            &["-o", "y.parquet", "--table", "positions", "--with", "tags"],
            "no such columns",
        ),
        (&["-o", "y.pgn", "--with", "moves"], "Parquet"),
        (
            &["-o", "y.csv", "--zstd", "3"],
            "--partition work only with",
        ),
        (&["-o", "y.parquet", "--zstd", "23"], "23 is not in 1..=22"),
        (
            &["--json", "--table", "positions", "--columns", "node"],
            "no column of positions",
        ),
    ] {
        dir.run(&[&["find", "x.pgc"], args].concat())
            .exits(2)
            .says(message);
    }
    assert_eq!(dir.names(), ["x.pgc"]);
    // Nothing found: a table without rows has columns all the same. Other files are not written.
    let nobody = ["find", "x.pgc", "--white", "nobody", "--sort", "date", "-o"];
    dir.run(&[&nobody[..], &["y.pgn"]].concat()).exits(1);
    dir.run(&[&nobody[..], &["y.parquet"]].concat()).exits(1);
    assert_eq!(dir.names(), ["x.pgc", "y.parquet"]);
    let file = File::open(dir.path().join("y.parquet")).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let schema = Selection::usual(TableKind::Games).schema();
    assert_eq!(names_of(reader.schema()), names_of(&schema));
    assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
}

#[test]
fn damage_leaves_no_file_unless_asked() {
    let dir = Dir::new();
    let mut bytes = archive_of(many_games(24_000).as_bytes());
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    dir.put("x.pgc", &bytes);
    dir.run(&["find", "x.pgc", "-o", "y.parquet"]).exits(3);
    assert_eq!(dir.names(), ["x.pgc"]);
    dir.run(&["find", "x.pgc", "-o", "y.parquet", "--partial"])
        .exits(3);
    let found = rows(&read(&dir.path().join("y.parquet")));
    assert!(
        (1000..24_000).contains(&found.len()),
        "{} rows",
        found.len()
    );
    // Every game that is there is the right one, with its own number.
    for row in &found {
        let number: usize = row[1].parse().unwrap();
        assert!(row.contains(&format!("W{}", number - 1)), "{row:?}");
    }
    let archive = Archive::open_with(
        dir.path().join("x.pgc"),
        OpenOptions {
            passes_damage: true,
            ..OpenOptions::default()
        },
    )
    .unwrap();
    let selection = Selection::usual(TableKind::Games);
    assert_eq!(rows(&batches_of(&archive, selection, 1)).len(), found.len());
}
