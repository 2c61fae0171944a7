//! Opens any bytes as an index, verifies it, and asks it everything. Checksums are off.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pgc::internals::index::{
    Clause, EcoRange, EloField, Index, NameField, NamePattern, Query, RoundPattern, Test,
};
use pgc::internals::pgn::Termination;

fn name(text: &str) -> NamePattern {
    NamePattern::parse(text).expect("a name")
}

fuzz_target!(|data: &[u8]| {
    let Ok(index) = Index::open(data) else { return };
    let is_sound = index.verify().is_ok();
    drop(index.belongs(data));
    index.segments().take(100).for_each(drop);
    let games = index.games();
    for game in (0..games.min(100)).chain([games, u32::MAX]) {
        let parts = [
            index.place(game).is_ok(),
            index.row(game).is_ok(),
            index.order(game).is_ok(),
        ];
        assert!(!is_sound || parts == [game < games; 3]);
        drop(index.hash(game));
    }
    for field in [
        NameField::Event,
        NameField::Round,
        NameField::Player,
    ] {
        for pattern in [None, Some(name("a b")), Some(name("*a*")), Some(name("=?"))] {
            let names = index.names(field, pattern.as_ref());
            let is_whole = names.is_ok_and(|names| names.iter().all(|name| name.is_ok()));
            assert!(is_whole || !is_sound);
        }
        assert!(index.near_names(field, "abcdef", 3).is_ok() || !is_sound);
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
        Test::Elo(EloField::Average, 2000..=3000),
        Test::Plies(0..=80),
        Test::Broken,
    ];
    for date in ["1992", "1992.05..1992.07", "unknown", "odd"] {
        tests.push(Test::Date(date.parse().expect("a date")));
    }
    for test in tests {
        // A clause and its opposite share no game, and together they have every game.
        let find = |clause| {
            index.find(&Query {
                all: vec![clause],
                ..Query::default()
            })
        };
        let found = find(Clause::any(vec![test.clone()]))
            .map(|found| (found.games.len() as u64, found.could));
        let others =
            find(Clause::none(vec![test])).map(|found| (found.games.len() as u64, found.could));
        match (found, others) {
            (Ok(found), Ok(others)) if is_sound => {
                assert!(found.0 + others.0 + found.1 == u64::from(games) && found.1 == others.1);
            }
            (found, others) => assert!(!is_sound || found.is_ok() && others.is_ok()),
        }
    }
});
