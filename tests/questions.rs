//! Questions with answers that follow from a few typed games, in both forms and without an index.
#![expect(clippy::unwrap_used, reason = "the helpers are tests too")]

use pgc::{Archive, Query};

use crate::support::{archive_of, small_of};

/// Asserts which games each question finds: their numbers, from 1.
fn assert_found(pgn: &str, questions: &[(&str, &[u64])]) {
    let folder = tempfile::tempdir().unwrap();
    let forms = [
        archive_of(pgn.as_bytes()),
        small_of(pgn.as_bytes(), true).unwrap(),
    ];
    for (form, bytes) in forms.into_iter().enumerate() {
        let path = folder.path().join(format!("{form}.pgc"));
        std::fs::write(&path, bytes).unwrap();
        let archive = Archive::open(&path).unwrap();
        for (question, games) in questions {
            let query = Query::parse(question).unwrap();
            let answer = archive.find(&query, 1).unwrap();
            let found: Vec<u64> = answer.numbers().collect();
            assert_eq!(found, *games, "{question} in form {form}");
        }
    }
}

/// A game with tags and movetext.
fn game(tags: &[(&str, &str)], movetext: &str) -> String {
    let tags: String = tags
        .iter()
        .map(|(name, value)| format!("[{name} \"{value}\"]\n"))
        .collect();
    format!("{tags}\n{movetext}\n\n")
}

#[test]
fn who_won_and_against_whom() {
    let between = |white, black, elos: [&str; 2], result: &str| {
        let mut tags = vec![("White", white), ("Black", black), ("Result", result)];
        let named = ["WhiteElo", "BlackElo"].into_iter().zip(elos);
        tags.extend(named.filter(|(_, elo)| !elo.is_empty()));
        game(&tags, &format!("1. e4 e5 {result}"))
    };
    let pgn = [
        between("Tal, M", "Fischer, R", ["2700", "2600"], "1-0"),
        between("Fischer, R", "Tal, M", ["2650", "2690"], "1-0"),
        between("Tal, M", "Fischer, R", ["2700", ""], "1/2-1/2"),
        between("Keres, P", "Tal, M", ["2500", "2700"], "0-1"),
        between("Keres, P", "Fischer, R", ["", ""], "*"),
    ]
    .concat();
    assert_found(
        &pgn,
        &[
            ("--winner tal", &[1, 4]),
            ("--loser tal", &[2]),
            ("--not-winner tal", &[2, 3, 5]),
            ("--winner tal --loser fischer", &[1]),
            ("--winner tal --winner fischer", &[1, 2, 4]),
            ("-p tal --result win", &[1, 4]),
            ("-p tal --result loss --result draw", &[2, 3]),
            ("-p tal --not-result win", &[2, 3]),
            ("-w tal --result win", &[1]),
            ("-b tal --result win", &[4]),
            ("-b tal --result loss", &[2]),
            ("-p tal --result 1-0", &[1, 2]),
            // The rating of the fifth game's players is unknown, and of Fischer in the third.
            ("--any-elo 2700..", &[1, 3, 4]),
            ("--any-elo 2700.. --maybe", &[1, 3, 4, 5]),
            ("--any-elo ..2500", &[4]),
            ("--not-any-elo 2700..", &[2]),
            ("--any-elo none", &[3, 5]),
            ("-p tal --opponent-elo 2600..", &[1, 2]),
            ("-p tal --opponent-elo 2600.. --maybe", &[1, 2, 3]),
            ("-p tal --opponent-elo none", &[3]),
            ("-w tal --opponent-elo ..2650", &[1]),
            ("-b tal --opponent-elo ..2600", &[4]),
            // Fischer's opponents: 2700, 2690, 2700, and one who is unknown.
            ("-p fischer --not-opponent-elo 2700..", &[2]),
        ],
    );
    for alone in ["--result win", "-w tal -b keres --opponent-elo 2600"] {
        assert!(Query::parse(alone).is_err(), "{alone}");
    }
}
