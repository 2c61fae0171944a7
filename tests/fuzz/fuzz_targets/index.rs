//! Opens any bytes as an index, and asks it everything. Checksums are off.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pgc_index::{
    Clause, EcoRange, EloField, Index, NameField, NamePattern, Query, RoundPattern, Test,
};
use pgc_pgn::writer::Termination;

fn name(text: &str) -> NamePattern {
    NamePattern::parse(text).expect("a name")
}

fuzz_target!(|data: &[u8]| {
    let Ok(index) = Index::open(data) else { return };
    drop(index.belongs(data));
    index.segments().take(100).for_each(drop);
    let games = index.games();
    for game in (0..games.min(100)).chain([games, u32::MAX]) {
        drop(index.place(game));
        drop(index.row(game));
    }
    for field in [NameField::Event, NameField::Round, NameField::Player] {
        for pattern in [None, Some(name("a b")), Some(name("*a*")), Some(name("=?"))] {
            let names = index.names(field, pattern.as_ref());
            names.iter().flat_map(|names| names.iter()).for_each(drop);
        }
        drop(index.near_names(field, "abcdef", 3));
    }
    let eco: EcoRange = "B".parse().expect("a code");
    let mut tests = vec![
        Test::Event(name("a")),
        Test::Player(name("a")),
        Test::White(name("*")),
        Test::Pairing(vec![name("a")], vec![name("b")]),
        Test::Round(RoundPattern::parse("1").expect("a round")),
        Test::Result(Termination::WhiteWins),
        Test::Eco(eco),
        Test::Elo(EloField::Average, Some(2000..=3000)),
        Test::Plies(0..=80),
        Test::Broken,
    ];
    for date in ["1992", "1992.05..1992.07", "unknown", "odd"] {
        tests.push(Test::Date(date.parse().expect("a date")));
    }
    for test in tests {
        for clause in [Clause::any(vec![test.clone()]), Clause::none(vec![test])] {
            let query = Query {
                all: vec![clause],
                ..Query::default()
            };
            drop(index.find_group(&query, 1));
        }
    }
});
