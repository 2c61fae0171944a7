//! The list of openings, spec/openings.tsv, and the table that the program has of it. shakmaty plays
//! the lines here.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use pgc_chess::Position;
use shakmaty::fen::{Epd, Fen};
use shakmaty::san::San;
use shakmaty::{Chess, EnPassantMode, Position as _};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The code and the name of each position of the list, by the first four fields of its FEN.
pub(crate) static LISTED: LazyLock<HashMap<String, (String, String)>> = LazyLock::new(|| {
    let mut listed = HashMap::new();
    for [eco, name, moves] in lines() {
        let mut position = Chess::default();
        for san in sans(&moves) {
            let m = San::from_ascii(san.as_bytes()).unwrap();
            let m = m.to_move(&position).unwrap();
            position.play_unchecked(m);
        }
        let before = listed.insert(board_of(&position), (eco, name));
        assert_eq!(before, None, "{moves}");
    }
    listed
});

/// What identifies a position: the first four fields of its FEN, with a square behind a pawn only if
/// the pawn can be taken there.
pub(crate) fn board_of(position: &Chess) -> String {
    Epd::from_position(position, EnPassantMode::Legal).to_string()
}

/// The lines of the list: code, name, moves.
fn lines() -> Vec<[String; 3]> {
    let text = fs::read_to_string(Path::new(ROOT).join("spec/openings.tsv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("eco\tname\tpgn"));
    let fields = |line: &str| {
        let fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
        fields.try_into().unwrap()
    };
    lines.map(fields).collect()
}

fn sans(moves: &str) -> impl Iterator<Item = &str> {
    moves.split(' ').filter(|word| !word.ends_with('.'))
}

/// The position after these moves.
fn after(moves: &str) -> Position {
    let mut position = Position::initial();
    for san in sans(moves) {
        let found = position.resolve(san.as_bytes()).unwrap();
        position.play(found.m);
    }
    position
}

/// The files of `src/chess/named`, made from the list.
fn table() -> [Vec<u8>; 2] {
    let (mut positions, mut names) = (BTreeMap::new(), BTreeSet::new());
    for [eco, name, moves] in lines() {
        let text = eco + &name;
        names.insert(text.clone());
        let before = positions.insert(after(&moves).repetition_key(), text);
        assert_eq!(before, None, "{moves}");
    }
    let (mut all, mut places) = (Vec::new(), HashMap::new());
    for text in names {
        let length = u8::try_from(text.len()).unwrap();
        let place = u32::try_from(all.len()).unwrap() | u32::from(length) << 24;
        all.extend_from_slice(text.as_bytes());
        places.insert(text, place.to_le_bytes());
    }
    let entries = positions.iter();
    let entries = entries.flat_map(|(key, text)| [&key.to_le_bytes()[..], &places[text]].concat());
    [entries.collect(), all]
}

/// With `PGC_OPENINGS=write` the table is written.
#[test]
fn the_table_is_that_of_the_list() {
    for (name, made) in ["positions.bin", "names.bin"].into_iter().zip(table()) {
        let path = Path::new(ROOT).join("src/chess/named").join(name);
        if std::env::var_os("PGC_OPENINGS").is_some_and(|what| what == "write") {
            fs::write(&path, made).unwrap();
        } else {
            assert!(fs::read(&path).unwrap() == made, "{name}");
        }
    }
}

#[test]
fn every_position_of_the_list_has_its_name() {
    let lines = lines();
    assert_eq!((lines.len(), LISTED.len()), (3810, 3810));
    for [eco, name, moves] in &lines {
        let position = after(moves);
        assert_eq!(position.opening(), Some((&**eco, &**name)), "{moves}");
        // The key is that of the board, whichever way it came about.
        let fen = position.fen();
        let board = Fen::from_ascii(fen.as_bytes()).unwrap();
        let board: Chess = board
            .into_position(shakmaty::CastlingMode::Standard)
            .unwrap();
        assert_eq!(LISTED[&board_of(&board)], (eco.clone(), name.clone()));
        let again = pgc_chess::start_position([(&b"FEN"[..], fen.as_bytes())].into_iter()).unwrap();
        assert_eq!(again.opening(), position.opening(), "{fen}");
    }
    assert_eq!(Position::initial().opening(), None);
}

/// The specification names the list by the digest of its bytes; another list needs another number.
#[test]
fn the_specification_names_the_list() {
    let list = fs::read(Path::new(ROOT).join("spec/openings.tsv")).unwrap();
    let spec = fs::read_to_string(Path::new(ROOT).join("spec/index.md")).unwrap();
    let digest = blake3::hash(&list).to_hex();
    let row = format!("| {} | `{digest}`", pgc_chess::OPENING_LIST);
    assert!(spec.contains(&row), "{row}");
}
