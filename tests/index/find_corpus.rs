//! Questions to real files, against going through all their games.

use std::fs;
use std::io::Write;

use pgc::Game;
use pgc::NoHooks;
use pgc::Query;
use pgc::beside::index_path;
use pgc::indexing::Indexing;
use pgc::pack::pack_indexed;
use pgc::{Archive, IndexState};
use pgc_index::{BuildOptions, Clause, DateTest, EcoRange, EloField, NamePattern, Test};

use crate::block::corpus::corpus;
use crate::support::options;
use crate::support::random::Random;

/// Questions of each kind to each file.
const QUESTIONS: usize = 4;

fn value<'g>(game: &'g Game, name: &str) -> &'g str {
    game.tag(name).unwrap_or("?")
}

fn elo(game: &Game, name: &str) -> u32 {
    let value = value(game, name).trim_matches(' ');
    let is_number = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
    value
        .parse()
        .ok()
        .filter(|&elo| is_number && elo < 65_536)
        .unwrap_or(0)
}

/// `1992` is the beginning of a date that is written as the standard says, or of that year with
/// other separators.
fn is_of_year(game: &Game, year: &str) -> bool {
    let has_digit = |value: &str| value.bytes().any(|b| b.is_ascii_digit());
    let date = [game.tag("Date"), game.tag("UTCDate")]
        .into_iter()
        .flatten()
        .find(|date| has_digit(date))
        .unwrap_or("");
    date.strip_prefix(year).is_some_and(|rest| {
        let parts: Vec<&str> = rest.split(['.', '-', '/']).collect();
        let fits = |part: &&str| {
            matches!(part.len(), 1 | 2) && part.bytes().all(|b| b == b'?' || b.is_ascii_digit())
        };
        parts[0].is_empty() && parts.len() <= 3 && parts[1..].iter().all(fits)
    })
}

fn begins_with(game: &Game, moves: &[String]) -> bool {
    game.moves.len() >= moves.len()
        && game
            .moves
            .iter()
            .zip(moves)
            .all(|(played, san)| played.san == san.as_str())
}

/// A question, and what tells whether a game answers it.
type Question = (Test, Box<dyn Fn(&Game) -> bool>);

/// Questions that a game suggests.
fn questions(game: &Game) -> Vec<Question> {
    let mut all: Vec<Question> = Vec::new();
    let exact = |name: &str| {
        let value = value(game, name).to_owned();
        let pattern = NamePattern::parse(&format!("={value}")).unwrap();
        (value, pattern)
    };
    let (event, pattern) = exact("Event");
    all.push((
        Test::Event(pattern),
        Box::new(move |game| value(game, "Event") == event),
    ));
    let (player, pattern) = exact("White");
    let of = |name: &'static str, player: String| move |game: &Game| value(game, name) == player;
    all.push((
        Test::White(pattern.clone()),
        Box::new(of("White", player.clone())),
    ));
    all.push((
        Test::Black(pattern.clone()),
        Box::new(of("Black", player.clone())),
    ));
    all.push((
        Test::Player(pattern),
        Box::new(move |game| ["White", "Black"].iter().any(|n| value(game, n) == player)),
    ));
    let date = value(game, "Date").to_owned();
    if date.len() == 10 && date.bytes().take(4).all(|b| b.is_ascii_digit()) {
        let year = date[..4].to_owned();
        all.push((
            Test::Date(year.parse::<DateTest>().unwrap()),
            Box::new(move |game| is_of_year(game, &year)),
        ));
    }
    let eco = value(game, "ECO").to_owned();
    if eco.len() == 3 && eco.parse::<EcoRange>().is_ok() {
        let test = Test::Eco(eco.parse().unwrap());
        let begins = move |game: &Game| {
            value(game, "ECO")
                .get(..3)
                .is_some_and(|is| is.eq_ignore_ascii_case(&eco))
        };
        all.push((test, Box::new(begins)));
    }
    let rating = elo(game, "WhiteElo").max(1);
    let range = rating..=rating + 50;
    all.push((
        Test::Elo(EloField::White, Some(range.clone())),
        Box::new(move |game| range.contains(&elo(game, "WhiteElo"))),
    ));
    let plies = u32::try_from(game.moves.len()).unwrap();
    all.push((
        Test::Plies(plies..=plies),
        Box::new(move |game| game.moves.len() == plies as usize),
    ));
    let opening: Vec<String> = game
        .moves
        .iter()
        .take(6)
        .map(|played| played.san.to_string())
        .collect();
    if !opening.is_empty() {
        all.push((
            Test::Moves(opening.join(" ").parse().unwrap()),
            Box::new(move |game| begins_with(game, &opening)),
        ));
    }
    all
}

#[test]
fn real_files_answer_as_a_scan_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pgc");
    let mut random = Random::new(1912);
    for file in corpus()
        .into_iter()
        .filter(|file| file.extension().is_some_and(|e| e == "pgn"))
    {
        let build = BuildOptions {
            memory: 1 << 20,
            temp_dir: folder.path().to_owned(),
            lines: true,
        };
        let (mut bytes, mut indexing) = (Vec::new(), Indexing::new(build));
        let source = fs::read(&file).unwrap();
        pack_indexed(
            &mut &source[..],
            "x.pgn",
            &mut bytes,
            &options(false, 1),
            &mut NoHooks,
            Some(&mut indexing),
        )
        .unwrap();
        fs::File::create(&path).unwrap().write_all(&bytes).unwrap();
        let mut index = Vec::new();
        indexing.finish(&mut index).unwrap();
        fs::write(index_path(&path), index).unwrap();
        let archive = Archive::open(&path).unwrap();
        assert_eq!(
            archive.index_state(),
            &IndexState::Used,
            "{}",
            file.display()
        );
        let games: Vec<Game> = archive.games().map(|game| game.unwrap()).collect();
        for _ in 0..QUESTIONS.min(games.len()) {
            let game = &games[random.below(games.len())];
            for (test, fits) in questions(game) {
                let what = format!("{}: {test:?}", file.display());
                let query = Query {
                    all: vec![Clause::any(vec![test])],
                    ..Query::default()
                };
                let found: Vec<u64> = archive.find(&query, 1).unwrap().numbers().collect();
                let expected: Vec<u64> = games
                    .iter()
                    .filter(|game| fits(game))
                    .map(|game| game.number)
                    .collect();
                assert_eq!(found, expected, "{what}");
            }
        }
    }
}
