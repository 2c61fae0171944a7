//! Indexes: every question against going through the games one by one, and no damage that is not
//! noticed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use pgc::Query;
use pgc_chess::Rules;
use pgc_index::{
    BuildOptions, Clause, Index, IndexError, MatchedNames, NameField, NamePattern, Test,
};
use pgc_index::{Builder, Facts, Summaries};

use crate::support::alloc::peak;
use crate::support::plain_index::{
    PlainArchive, PlainGame, archive, built_index, plain_fold, plain_index, plain_words, round_key,
    seal,
};
use crate::support::random::Random;

/// How a game fits: 0 not, 1 could by its date, 2 does.
type Fit = u8;

/// A question in words: its kind, and the texts that are asked for.
#[derive(Clone, Debug)]
struct Asked {
    kind: &'static str,
    text: String,
    other: String,
}

impl Asked {
    fn test(&self) -> Test {
        let name = |text: &str| NamePattern::parse(text).unwrap();
        let text = self.text.as_str();
        match self.kind {
            "pairing" => Test::Pairing(vec![name(text)], vec![name(&self.other), name("li")]),
            "rules" => {
                let known = Rules::ALL.get(text.parse::<usize>().unwrap());
                Test::Rules(known.map(|known| known.0))
            }
            "mismatch" => Test::ResultMismatch,
            // The options of `pgc find` take other names of a player too (tests/index/people.rs).
            "player" => Test::Player(name(text)),
            "white" => Test::White(name(text)),
            "black" => Test::Black(name(text)),
            option => Test::parse(option, text).unwrap(),
        }
    }

    fn fit(&self, game: &PlainGame, known: &mut Known) -> Fit {
        let text = self.text.as_str();
        let (white, black) = (game.value("White"), game.value("Black"));
        let (white_elo, black_elo) = (game.elo("WhiteElo"), game.elo("BlackElo"));
        let is = match self.kind {
            "date" => {
                return known.date(text, game);
            }
            "event" => known.name(text, game.value("Event")),
            "site" => known.name(text, game.value("Site")),
            "round" => round_fits(text, game.value("Round")),
            "player" => known.name(text, white) || known.name(text, black),
            "white" => known.name(text, white),
            "black" => known.name(text, black),
            "pairing" => {
                let mut second = |name| known.name(&self.other, name) || known.name("li", name);
                let (second_white, second_black) = (second(white), second(black));
                known.name(text, white) && second_black || known.name(text, black) && second_white
            }
            "result" => ["*", "0-1", "1-0", "1/2-1/2"][game.result() as usize] == text,
            "eco" => {
                let (from, to) = text.split_once('-').unwrap_or((text, text));
                let code = |eco: u32| {
                    format!(
                        "{}{:02}",
                        ["A", "B", "C", "D", "E"][(eco - 1) as usize / 100],
                        (eco - 1) % 100
                    )
                };
                match (game.eco(), text) {
                    (eco, "none") => eco == 0,
                    (eco, "other") => eco == 501,
                    (0 | 501, _) => false,
                    // A code that is cut short sorts before all codes that begin with it, and `~`
                    // sorts behind all digits.
                    (eco, _) => code(eco).as_str() >= from && code(eco) <= format!("{to}~~"),
                }
            }
            // An average of a half is in a range only if the whole numbers on both sides of it are.
            "average-elo" => {
                return known.elo(self, white_elo, black_elo, |white, black| {
                    let sum = white + black;
                    in_range(text, sum / 2) && in_range(text, sum.div_ceil(2))
                });
            }
            "elo" => {
                return known.elo(self, white_elo, black_elo, |white, black| {
                    in_range(text, white) && in_range(text, black)
                });
            }
            "white-elo" => return known.elo(self, white_elo, 1, |white, _| in_range(text, white)),
            "black-elo" => return known.elo(self, 1, black_elo, |_, black| in_range(text, black)),
            "elo-difference" => {
                return known.elo(self, white_elo, black_elo, |white, black| {
                    in_range(text, white.abs_diff(black))
                });
            }
            "plies" => in_range(text, game.plies),
            "rules" => game.rules().to_string() == text,
            "setup" => game.tag("FEN").is_some(),
            "broken" => game.wholeness > 0,
            "mismatch" => game.mismatch(),
            kind => panic!("{kind}"),
        };
        if is { 2 } else { 0 }
    }
}

/// By trying ratings for those that are not known: the least, the greatest, and all about where the
/// range begins and ends: one of them at least is not known, so they do not fit for certain.
fn elo_fits(text: &str, white: u32, black: u32, is: impl Fn(u32, u32) -> bool) -> Fit {
    let bounds: Vec<i64> = text
        .split("..")
        .filter_map(|bound| bound.parse().ok())
        .collect();
    let tries = |elo: u32, other: u32| {
        let other = i64::from(other);
        let near = bounds
            .iter()
            .flat_map(|&b| [b, 2 * b - other, other + b, other - b]);
        let near = near.flat_map(|n| [n - 1, n, n + 1]).chain([1, 65_535]);
        let near: Vec<u32> = near
            .map(|n| u32::try_from(n.clamp(1, 65_535)).unwrap())
            .collect();
        if elo == 0 { near } else { vec![elo] }
    };
    let whites = tries(white, black).into_iter();
    let mut pairs =
        whites.flat_map(|white| tries(black, white).into_iter().map(move |b| (white, b)));
    Fit::from(pairs.any(|(white, black)| is(white, black)))
}

/// Remembers answers about names, dates and ratings, from one question to the next: the same few come
/// again and again, and the plain way takes long.
#[derive(Default)]
struct Known {
    /// By pattern and name, by what is asked and the date, by test, what is asked and the ratings.
    names: HashMap<String, HashMap<String, bool>>,
    dates: HashMap<String, HashMap<(String, bool), Fit>>,
    elos: HashMap<(&'static str, String), HashMap<[u32; 2], Fit>>,
}

impl Known {
    fn name(&mut self, pattern: &str, name: &str) -> bool {
        let of_pattern = entry(&mut self.names, pattern);
        if let Some(&fits) = of_pattern.get(name) {
            return fits;
        }
        let fits = name_fits(pattern, name);
        of_pattern.insert(name.to_owned(), fits);
        fits
    }

    fn date(&mut self, text: &str, game: &PlainGame) -> Fit {
        let dates = entry(&mut self.dates, text);
        *dates
            .entry(game.date())
            .or_insert_with(|| date_fits(text, game))
    }

    fn elo(&mut self, asked: &Asked, white: u32, black: u32, is: impl Fn(u32, u32) -> bool) -> Fit {
        if white > 0 && black > 0 {
            return if is(white, black) { 2 } else { 0 };
        }
        let elos = self
            .elos
            .entry((asked.kind, asked.text.clone()))
            .or_default();
        *elos
            .entry([white, black])
            .or_insert_with(|| elo_fits(&asked.text, white, black, is))
    }
}

/// The value of a key, made if there is none.
fn entry<'m, V: Default>(map: &'m mut HashMap<String, V>, key: &str) -> &'m mut V {
    if !map.contains_key(key) {
        map.insert(key.to_owned(), V::default());
    }
    map.get_mut(key).unwrap()
}

fn in_range(text: &str, number: u32) -> bool {
    match text.split_once("..") {
        None => text.parse() == Ok(number),
        Some((from, to)) => {
            (from.is_empty() || number >= from.parse().unwrap())
                && (to.is_empty() || number <= to.parse().unwrap())
        }
    }
}

/// Whether `text` matches `pattern`, in which `*` stands for anything.
fn wild(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(text) = text.strip_prefix(first) else {
        return false;
    };
    (0..=text.len()).any(|at| text.is_char_boundary(at) && wild(rest, &text[at..]))
}

fn name_fits(pattern: &str, name: &str) -> bool {
    if let Some(whole) = pattern.strip_prefix('=') {
        return name == whole;
    }
    let folded = plain_fold(pattern);
    let given: Vec<&str> = folded
        .split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && c != '*')
        .filter(|word| !word.is_empty())
        .collect();
    let mut words = plain_words(name);
    words.truncate(512);
    given.iter().enumerate().all(|(i, given)| {
        let initial = given.chars().count() == 1 && given.chars().all(char::is_alphabetic);
        words.iter().any(|word| {
            if given.contains('*') {
                wild(given, word)
            } else {
                word == given || (initial || i + 1 == given_len(&folded)) && word.starts_with(given)
            }
        })
    })
}

fn given_len(folded: &str) -> usize {
    folded
        .split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && c != '*')
        .filter(|word| !word.is_empty())
        .count()
}

fn round_fits(pattern: &str, round: &str) -> bool {
    if let Some(whole) = pattern.strip_prefix('=') {
        return round == whole;
    }
    let parts: Vec<&str> = pattern.split('.').collect();
    let (of_pattern, of_round): (Option<Vec<u32>>, Vec<&str>) = (
        parts.iter().map(|part| part.parse().ok()).collect(),
        round.split('.').collect(),
    );
    match of_pattern {
        Some(integers) => {
            integers.len() <= of_round.len()
                && integers
                    .iter()
                    .zip(of_round)
                    .all(|(i, part)| part.parse() == Ok(*i))
        }
        None => wild(&plain_fold(pattern), &plain_fold(round)),
    }
}

/// By trying the days that the date of the game could be.
fn date_fits(text: &str, game: &PlainGame) -> Fit {
    let (eight, odd) = game.date();
    match text {
        "unknown" => return if eight == "????????" { 2 } else { 0 },
        "odd" => return if odd { 2 } else { 0 },
        _ => {}
    }
    let plain = |text: &str| text.replace(['.', '?'], "");
    let (from, to) = text
        .split_once("..")
        .map_or((plain(text), plain(text)), |(from, to)| {
            (plain(from), plain(to))
        });
    if !text.contains("..") && !eight[..from.len()].contains('?') {
        return if eight.starts_with(&from) { 2 } else { 0 };
    }
    let from: u32 = format!("{from:0<8}").parse().unwrap();
    let to: u32 = format!("{to:9<8}").parse().unwrap();
    if let Ok(day) = eight.parse::<u32>() {
        return if (from..=to).contains(&day) { 2 } else { 0 };
    }
    let fits = |number: u32, digits: &str| {
        let mut left = number;
        digits.bytes().rev().all(|digit| {
            let last = b'0' + u8::try_from(left % 10).unwrap();
            left /= 10;
            digit == b'?' || digit == last
        })
    };
    let of = |digits: &str, usual: std::ops::Range<u32>| {
        let found: Vec<u32> = usual.filter(|&n| fits(n, digits)).collect();
        if found.is_empty() {
            (0..100).filter(|&n| fits(n, digits)).collect()
        } else {
            found
        }
    };
    let (months, days) = (of(&eight[4..6], 1..13), of(&eight[6..], 1..32));
    let (mut inside, mut outside) = (false, false);
    for year in (0..10_000).filter(|&year| fits(year, &eight[..4])) {
        // In years that lie between the ends, or outside of them, all days are alike.
        let near = [from / 10_000, to / 10_000].contains(&year);
        for &month in if near { &months[..] } else { &months[..1] } {
            for &day in if near { &days[..] } else { &days[..1] } {
                let is_inside = (from..=to).contains(&(year * 10_000 + month * 100 + day));
                inside |= is_inside;
                outside |= !is_inside;
            }
        }
    }
    match (inside, outside) {
        (true, true) if text.contains("..") => 1,
        (true, false) if text.contains("..") => 2,
        // A date that is not known as far as the one that is asked for.
        (true, _) => 1,
        _ => 0,
    }
}

/// A clause in words.
#[derive(Clone, Debug)]
struct AskedClause {
    not: bool,
    any: Vec<Asked>,
}

/// Games that fit, and how many could, by going through all of them.
fn plainly(
    games: &[PlainGame],
    asked: &[AskedClause],
    maybe: bool,
    known: &mut Known,
) -> (Vec<u32>, u64) {
    let (mut found, mut could) = (Vec::new(), 0);
    for (number, game) in (0..).zip(games) {
        let mut fits = 2;
        for clause in asked {
            let fit = clause
                .any
                .iter()
                .map(|test| test.fit(game, known))
                .max()
                .unwrap_or(0);
            fits = fits.min(if clause.not { 2 - fit } else { fit });
        }
        match fits {
            2 => found.push(number),
            1 if maybe => found.push(number),
            1 => could += 1,
            _ => {}
        }
    }
    (found, could)
}

const DATES: [&str; 24] = [
    "1992",
    "199?",
    "19??",
    "1990",
    "1992.05",
    "1992.05.03",
    "1992.1?",
    "2011.19",
    "1???",
    "2000.10.10",
    "1992.05..1992.07",
    "1990..1995",
    "1992..",
    "..1992.06",
    "1992.05.02..1992.05.30",
    "1992.01..1992.12",
    "2011..2012",
    "..1989",
    "0000..9999",
    "unknown",
    "odd",
    "1990.01..1990.01.31",
    "1991.12.31..1993",
    "2100",
];

const KINDS: [&str; 20] = [
    "date",
    "event",
    "site",
    "round",
    "player",
    "white",
    "black",
    "pairing",
    "result",
    "eco",
    "elo",
    "white-elo",
    "black-elo",
    "average-elo",
    "elo-difference",
    "plies",
    "rules",
    "setup",
    "broken",
    "mismatch",
];

/// Some question about a name that is there, or is not.
fn name_pattern(random: &mut Random, games: &[PlainGame], tags: &[&str]) -> String {
    let value = if games.is_empty() {
        "x"
    } else {
        games[random.below(games.len())].value(random.pick(tags))
    };
    let words = plain_words(value);
    let word = if words.is_empty() {
        "none".to_owned()
    } else {
        words[random.below(words.len())].clone()
    };
    let letters: Vec<char> = word.chars().collect();
    let some: String = letters[..1 + random.below(letters.len())].iter().collect();
    let pattern = match random.below(11) {
        0 => format!("={value}"),
        1 | 2 => word,
        3 => some,
        4 => letters[..1].iter().collect(),
        5 => format!(
            "*{}",
            letters[letters.len() / 2..].iter().collect::<String>()
        ),
        6 => format!("{}*{}", letters[0], letters[letters.len() - 1]),
        7 => format!("{} {}", letters[0], words.first().unwrap_or(&word)),
        8 => {
            words.iter().rev().cloned().collect::<Vec<_>>().join(", ")
                + " .x"[..random.pick(&[0, 0, 1, 2, 3])].trim_end()
        }
        9 => word.to_uppercase() + "*",
        _ => random
            .pick(&[
                "zzz",
                "carlsen m",
                "\u{e1}",
                "l",
                "*",
                "**",
                "tata master",
                "=",
                "polgar judit",
                "1",
                "li",
            ])
            .to_owned(),
    };
    if NamePattern::parse(&pattern).is_ok() {
        pattern
    } else {
        "none".into()
    }
}

fn asked(random: &mut Random, games: &[PlainGame], kind: &'static str) -> Asked {
    let range = |random: &mut Random, from: usize, width: usize| {
        let (a, b) = (from + random.below(width), from + random.below(width));
        match random.below(5) {
            0 => format!("{a}.."),
            1 => format!("..{a}"),
            2 => format!("{a}"),
            3 => "0..".into(),
            _ => format!("{}..{}", a.min(b), a.max(b)),
        }
    };
    let text = match kind {
        "date" => random.pick(&DATES).to_owned(),
        "event" => name_pattern(random, games, &["Event"]),
        "site" => name_pattern(random, games, &["Site"]),
        "round" => random
            .pick(&[
                "1", "?", "-", "01", "3", "3.1", "10", "fin*", "FINAL", "*", "=1", "=01", "1*",
                "quali 2", "=", "3-1",
            ])
            .to_owned(),
        "player" | "white" | "black" | "pairing" => {
            name_pattern(random, games, &["White", "Black"])
        }
        "result" => random.pick(&["*", "0-1", "1-0", "1/2-1/2"]).to_owned(),
        "eco" => random
            .pick(&[
                "B33", "B", "B3", "A00-E99", "B9-C1", "none", "other", "E99", "A",
            ])
            .to_owned(),
        "elo" | "white-elo" | "black-elo" | "average-elo" => range(random, 900, 2100),
        "elo-difference" => range(random, 0, 500),
        "plies" => range(random, 0, 220),
        "rules" => random.pick(&["0", "1", "3", "8", "15", "7"]).to_owned(),
        _ => String::new(),
    };
    let other = name_pattern(random, games, &["White", "Black"]);
    Asked { kind, text, other }
}

fn query(asked: &[AskedClause], maybe: bool) -> Query {
    let clause = |clause: &AskedClause| Clause {
        not: clause.not,
        any: clause.any.iter().map(Asked::test).collect(),
    };
    Query {
        all: asked.iter().map(clause).collect(),
        maybe,
        ..Query::default()
    }
}

fn assert_finds(
    index: &Index<Vec<u8>>,
    archive: &PlainArchive,
    asked: &[AskedClause],
    maybe: bool,
    known: &mut Known,
) -> usize {
    let query = query(asked, maybe);
    let left: Vec<AskedClause> = asked
        .iter()
        .filter(|clause| clause.any.iter().all(|test| test.kind != "site"))
        .cloned()
        .collect();
    assert_eq!(query.scan_clauses().count(), asked.len() - left.len());
    // In an archive of less than 65,536 games there is work for one thread.
    let found = index.find_group(&query, 1).unwrap();
    let (games, could) = plainly(&archive.games, &left, maybe, known);
    assert!(
        found.games == games && found.could == could,
        "{asked:?}, maybe {maybe}: {} and {} more; {} and {could}",
        found.games.len(),
        found.could,
        games.len()
    );
    games.len()
}

fn opened(archive: &PlainArchive) -> Index<Vec<u8>> {
    let index = Index::open(plain_index(archive)).unwrap();
    index.verify(1).unwrap();
    index
}

#[test]
fn every_question_is_answered_as_by_going_through_all_games() {
    let (mut found, mut known) = (BTreeMap::new(), Known::default());
    for (seed, count) in [
        (1, 0),
        (2, 1),
        (3, 2),
        (4, 17),
        (5, 100),
        (6, 700),
        (7, 1001),
        (8, 2500),
        (9, 5000),
    ] {
        let archive = archive(seed, count);
        let index = opened(&archive);
        let mut random = Random::new(seed);
        let rounds = match count {
            ..=1001 => 25,
            1002..=2500 => 6,
            _ => 3,
        };
        for kind in KINDS {
            for _ in 0..rounds {
                let test = asked(&mut random, &archive.games, kind);
                let not = random.once_in(4);
                let again = random.pick(&[kind, "date", "player"]);
                let any = if random.once_in(3) {
                    vec![test, asked(&mut random, &archive.games, again)]
                } else {
                    vec![test]
                };
                let games = assert_finds(
                    &index,
                    &archive,
                    &[AskedClause { not, any }],
                    random.once_in(3),
                    &mut known,
                );
                *found.entry((kind, games > 0)).or_insert(0) += 1;
            }
        }
        for _ in 0..rounds * 8 {
            let mut clauses = Vec::new();
            for _ in 0..2 + random.below(3) {
                let mut any = Vec::new();
                for _ in 0..1 + random.below(2) {
                    let kind = random.pick(&KINDS);
                    any.push(asked(&mut random, &archive.games, kind));
                }
                clauses.push(AskedClause {
                    not: random.once_in(3),
                    any,
                });
            }
            assert_finds(&index, &archive, &clauses, random.once_in(3), &mut known);
        }
        assert_finds(&index, &archive, &[], false, &mut known);
        assert_finds(
            &index,
            &archive,
            &[AskedClause {
                not: false,
                any: Vec::new(),
            }],
            false,
            &mut known,
        );
        assert_finds(
            &index,
            &archive,
            &[AskedClause {
                not: true,
                any: Vec::new(),
            }],
            true,
            &mut known,
        );
    }
    // Each kind of question found games at least once, and at least once found none.
    for kind in KINDS {
        assert!(
            found.contains_key(&(kind, true)) && found.contains_key(&(kind, false)),
            "{kind}: {found:?}"
        );
    }
}

#[test]
fn the_builder_makes_the_same_bytes() {
    for seed in 60..75 {
        let archive = archive(seed, Random::new(seed).below(1500));
        let plain = plain_index(&archive);
        for memory in [1 << 20, 20_000] {
            assert!(built_index(&archive, memory) == plain, "{seed}");
        }
        opened(&archive);
    }
}

#[test]
fn all_that_an_index_holds_comes_back() {
    for (seed, count) in [(11, 0), (12, 1), (13, 40), (14, 1200), (15, 2000)] {
        let archive = archive(seed, count);
        let index = opened(&archive);
        let games = &archive.games;
        assert_eq!(index.games() as usize, count);
        assert_eq!(index.archive_length(), archive.bytes.len() as u64);
        assert_eq!(index.has_lines(), archive.lines);
        let segments: Vec<_> = index.segments().map(Result::unwrap).collect();
        assert_eq!(segments.len(), archive.segments.len());
        let mut number = 0;
        for (nr, segment) in (0..).zip(&archive.segments) {
            for (i, block) in segment.blocks.iter().enumerate() {
                for game in number..number + block.games {
                    let place = index.place(u32::try_from(game).unwrap()).unwrap();
                    let end = segment
                        .blocks
                        .get(i + 1)
                        .map_or(segment.end - segment.tail as u64, |next| next.offset);
                    assert_eq!(
                        (place.offset, place.crc, place.end, place.segment),
                        (block.offset, block.crc, end, nr)
                    );
                    assert_eq!(
                        (place.first_game as usize, place.games as usize),
                        (number, block.games)
                    );
                    assert_eq!(index.block(place.block).unwrap(), place);
                }
                number += block.games;
            }
        }
        for (i, game) in (0..).zip(games) {
            let row = index.row(i).unwrap();
            let value = |name| game.value(name);
            assert_eq!([row.event, row.round], [value("Event"), value("Round")]);
            assert_eq!([row.white, row.black], [value("White"), value("Black")]);
            let numbers = [
                u32::from(row.white_elo),
                u32::from(row.black_elo),
                u32::from(row.eco),
                row.plies,
            ];
            assert_eq!(
                numbers,
                [
                    game.elo("WhiteElo"),
                    game.elo("BlackElo"),
                    game.eco(),
                    game.plies
                ]
            );
            assert_eq!(row.flags.bits(), game.flags());
            assert_eq!(row.material, game.value("material"));
            assert_eq!(row.date.to_string().replace('.', ""), game.shown_date());
            assert_eq!(row.date.is_odd(), game.date().1);
        }
        let past = u32::try_from(count).unwrap();
        assert!(index.place(past).is_err() && index.row(past).is_err());
        assert!(index.belongs(&archive.bytes).unwrap());
        let mut other = archive.bytes.clone();
        for _ in 0..8 {
            other.push(0xff);
            assert!(index.belongs(&other).unwrap(), "an unfinished addition");
        }
        other.push(0);
        assert!(index.belongs(&other).unwrap());
        for at in 0..8 {
            let mut other = other.clone();
            other[archive.bytes.len() + at] = 0xfe;
            assert!(!index.belongs(&other).unwrap());
        }
        let mut other = archive.bytes.clone();
        other[0] ^= 1;
        assert!(!index.belongs(&other).unwrap());
        assert!(
            !index
                .belongs(&archive.bytes[..archive.bytes.len() - 1])
                .unwrap()
        );
    }
}

#[test]
fn names_are_counted_and_near_ones_found() {
    let archive = archive(21, 900);
    let index = opened(&archive);
    let mut random = Random::new(21);
    for (field, tags) in [
        (NameField::Event, &["Event"][..]),
        (NameField::Round, &["Round"]),
        (NameField::Player, &["White", "Black"]),
    ] {
        for i in 0..60 {
            let pattern = (i > 0).then(|| name_pattern(&mut random, &archive.games, tags));
            let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
            for game in &archive.games {
                let mut values: Vec<&str> = tags.iter().map(|tag| game.value(tag)).collect();
                values.dedup();
                for value in values {
                    *counts.entry(value).or_insert(0) += 1;
                }
            }
            counts.retain(|value, _| {
                pattern
                    .as_ref()
                    .is_none_or(|pattern| name_fits(pattern, value))
            });
            let given = pattern
                .as_ref()
                .map(|pattern| NamePattern::parse(pattern).unwrap());
            let names: Vec<_> = index
                .names(field, given.as_ref())
                .unwrap()
                .iter()
                .map(Result::unwrap)
                .collect();
            let mut expected: Vec<_> = counts.into_iter().collect();
            if field == NameField::Round {
                expected.sort_by(|a, b| round_key(a.0).cmp(&round_key(b.0)));
            }
            assert_eq!(
                names
                    .iter()
                    .map(|n| (n.value.as_str(), n.games))
                    .collect::<Vec<_>>(),
                expected,
                "{pattern:?}"
            );
            for name in names {
                assert_eq!(index.value(field, name.id).unwrap(), name.value);
            }
        }
    }
    let near = |text| {
        index
            .near_names(NameField::Player, text, 3)
            .unwrap()
            .iter()
            .map(|n| n.value.clone())
            .collect::<Vec<_>>()
    };
    assert!(near("Karlsen Magnus").contains(&"Carlsen, Magnus".to_owned()));
    assert!(near("polger").iter().any(|name| name.starts_with("Polg")));
    assert!(near("qqqqqqqqq").is_empty() && near("").is_empty());
    let near = index.near_names(NameField::Player, "carlson", 100).unwrap();
    let is_nearer = near.windows(2).all(|two| {
        let far = |name: &str| {
            plain_words(name)
                .iter()
                .map(|word| strsim(word, "carlson"))
                .min()
        };
        (far(&two[0].value), Reverse(two[0].games)) <= (far(&two[1].value), Reverse(two[1].games))
    });
    assert!(near.len() > 2 && is_nearer, "{near:?}");

    // What a test of names found.
    let test = Test::Pairing(
        vec![NamePattern::parse("carlsen").unwrap()],
        vec![NamePattern::parse("=?").unwrap()],
    );
    let found = index
        .find_group(
            &Query {
                all: vec![Clause::any(vec![test])],
                ..Query::default()
            },
            0,
        )
        .unwrap();
    let values = |names: &MatchedNames| {
        let value = |&(id, _): &(u32, u32)| index.value(names.field, id).unwrap().to_owned();
        names.values.iter().map(value).collect::<Vec<_>>()
    };
    let [first, second] = found.names.as_slice() else {
        panic!("{:?}", found.names)
    };
    assert!(
        first.pattern == "carlsen" && values(first).iter().any(|name| name == "Carlsen, Magnus")
    );
    assert_eq!(values(second), ["?"]);
}

/// The edit distance of the textbooks: letters inserted, left out, changed, or exchanged with the
/// next.
fn strsim(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut far = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            far[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = usize::from(a[i - 1] != b[j - 1]);
                let mut least = (far[i - 1][j] + 1)
                    .min(far[i][j - 1] + 1)
                    .min(far[i - 1][j - 1] + change);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(far[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    far[a.len()][b.len()]
}

/// Asks an index about everything. What it cannot answer is not in the list.
fn answers(index: &Index<Vec<u8>>, archive: &[u8]) -> Vec<Result<String, IndexError>> {
    let mut all = Vec::new();
    let mut put = |answer: Result<String, IndexError>| all.push(answer);
    put(index.belongs(archive).map(|belongs| belongs.to_string()));
    for segment in index.segments().take(20) {
        put(segment.map(|segment| format!("{segment:?}")));
    }
    let games = index.games();
    for game in (0..games.min(20))
        .chain(games.saturating_sub(3)..games)
        .chain([u32::MAX])
    {
        put(index.place(game).map(|place| format!("{place:?}")));
        put(index.row(game).map(|row| format!("{row:?}")));
    }
    for field in [NameField::Event, NameField::Round, NameField::Player] {
        for pattern in [None, Some("carlsen m"), Some("*a*"), Some("=?")] {
            let pattern = pattern.map(|pattern| NamePattern::parse(pattern).unwrap());
            let names = index.names(field, pattern.as_ref());
            let names = names.and_then(|names| names.iter().collect::<Result<Vec<_>, _>>());
            put(names.map(|names| format!("{names:?}")));
        }
        put(index
            .near_names(field, "karlsen", 5)
            .map(|names| format!("{names:?}")));
    }
    let one = |kind, text: &str| Asked {
        kind,
        text: text.into(),
        other: "carlsen".into(),
    };
    let tests = [
        one("date", "1992"),
        one("date", "1992.05..1992.07"),
        one("date", "unknown"),
        one("date", "odd"),
        one("event", "tata"),
        one("site", "z"),
        one("round", "1"),
        one("player", "carlsen"),
        one("player", "*n"),
        one("white", "a"),
        one("black", "li"),
        one("pairing", "*"),
        one("result", "1-0"),
        one("eco", "B"),
        one("elo", "2000.."),
        one("average-elo", "2000.."),
        one("plies", "..50"),
        one("rules", "1"),
        one("broken", ""),
    ];
    for test in &tests {
        for not in [false, true] {
            let clause = AskedClause {
                not,
                any: vec![test.clone()],
            };
            put(index
                .find_group(&query(std::slice::from_ref(&clause), false), 1)
                .map(|found| format!("{found:?}")));
            let both = [
                clause,
                AskedClause {
                    not: false,
                    any: vec![one("date", "199?")],
                },
            ];
            put(index
                .find_group(&query(&both, true), 1)
                .map(|found| format!("{found:?}")));
        }
    }
    all
}

/// An answer may be missing, but not another.
fn assert_same_or_damaged(
    what: &str,
    bytes: Vec<u8>,
    archive: &[u8],
    right: &[Result<String, IndexError>],
) -> usize {
    let Ok(index) = Index::open(bytes) else {
        return right.len();
    };
    assert!(index.verify(2).is_err(), "{what}");
    let answers = answers(&index, archive);
    let mut missing = 0;
    for (number, right) in right.iter().enumerate() {
        match (answers.get(number), right) {
            (Some(Ok(answer)), Ok(right)) => assert!(answer == right, "{what}: {answer}; {right}"),
            (Some(Ok(answer)), Err(_)) => panic!("{what}: {answer}"),
            _ => missing += 1,
        }
    }
    missing
}

#[test]
fn every_byte_that_is_changed_shows() {
    let archive = archive(31, 14);
    let bytes = plain_index(&archive);
    let right = answers(&opened(&archive), &archive.bytes);
    for at in 0..bytes.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            let missing =
                assert_same_or_damaged(&format!("byte {at}"), changed, &archive.bytes, &right);
            // All is in one page.
            assert!(
                missing > right.len() / 2,
                "byte {at}: {missing} of {}",
                right.len()
            );
        }
    }
    for len in 0..bytes.len() {
        assert!(Index::open(&bytes[..len]).is_err(), "{len} bytes");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(Index::open(longer).is_err());
}

/// With many pages a question may be answered from those that are whole.
#[test]
fn every_section_that_is_changed_shows() {
    for seed in [32, 33] {
        let archive = archive(seed, 3000);
        let bytes = plain_index(&archive);
        let index = opened(&archive);
        let right = answers(&index, &archive.bytes);
        let mut random = Random::new(seed);
        let (mut places, mut answered) = (Vec::new(), 0);
        for section in index.frame().sections() {
            let (from, to) = (
                usize::try_from(section.offset).unwrap(),
                usize::try_from(section.end()).unwrap(),
            );
            places.extend([
                from,
                to - 1,
                from + random.below(to - from),
                from + random.below(to - from),
            ]);
        }
        let sums = usize::try_from(index.frame().paged()).unwrap();
        places.extend((0..12).map(|_| sums + random.below(bytes.len() - sums)));
        for at in places {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << random.below(8);
            let missing =
                assert_same_or_damaged(&format!("byte {at}"), changed, &archive.bytes, &right);
            assert!(missing > 0, "byte {at}");
            answered += right.len() - missing;
        }
        assert!(answered > 0);
    }
}

#[test]
fn names_are_listed_in_little_memory_however_many_there_are() {
    let mut list = Summaries::default();
    for game in 0..20_000 {
        let white = format!("Player with a long name, {game:08}");
        list.push(
            [(&b"White"[..], white.as_bytes())].into_iter(),
            &Facts::default(),
        );
    }
    let options = BuildOptions {
        memory: 1 << 20,
        temp_dir: std::env::temp_dir(),
        lines: true,
    };
    let mut builder = Builder::new(options);
    builder.segment_begins(0);
    builder.block(10, 7).unwrap();
    builder.games(&list).unwrap();
    builder.segment_ends(1000, &[0; 10], &[0; 10]).unwrap();
    let mut built = Vec::new();
    builder.finish(1000, &mut built).unwrap();
    let index = Index::open(built).unwrap();
    for (field, expected, of_name) in [
        (NameField::Player, 40_000, 0),
        (NameField::Event, 20_000, 4),
    ] {
        let (games, most) = peak(|| {
            let names = index.names(field, None).unwrap();
            names
                .iter()
                .map(|name| u64::from(name.unwrap().games))
                .sum::<u64>()
        });
        // Black, who is not named, is `?` in each. A name takes nothing, an event its number of games.
        assert!(
            games == expected && most < of_name * 20_000 + 40_000,
            "{games} games, {most} bytes"
        );
    }
}

/// Whatever the bytes are, with checksums that are right: answers or errors, and little memory.
fn assert_survives(bytes: Vec<u8>, archive: &[u8]) {
    let len = bytes.len();
    let (_, most) = peak(|| {
        let Ok(index) = Index::open(bytes) else {
            return;
        };
        drop(answers(&index, archive));
    });
    assert!(
        most < 400 * len + (1 << 20),
        "{most} bytes of memory for {len}"
    );
}

#[test]
fn damage_with_right_checksums_is_survived() {
    for seed in 41..44 {
        let archive = archive(seed, 9);
        let bytes = plain_index(&archive);
        let mut random = Random::new(seed);
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] = random.pick(&[
                0,
                1,
                0x7f,
                0x80,
                0xff,
                changed[at].wrapping_add(1),
                changed[at] ^ 0x10,
            ]);
            seal(&mut changed);
            assert_survives(changed, &archive.bytes);
        }
        for _ in 0..3000 {
            let mut changed = bytes.clone();
            for _ in 0..1 + random.below(20) {
                let at = random.below(changed.len());
                changed[at] = random.byte();
            }
            seal(&mut changed);
            assert_survives(changed, &archive.bytes);
        }
    }
}

#[test]
fn what_is_said_of_other_files() {
    let open = |bytes: &[u8]| Index::open(bytes.to_vec()).unwrap_err().to_string();
    assert_eq!(open(b""), "not an index");
    assert_eq!(open(b"\x0a\x11\x00pgcH\x01\x00\x05a.pgn"), "not an index");
    let mut bytes = plain_index(&archive(51, 3));
    bytes[8] = 2;
    assert!(open(&bytes).contains("version 2"), "{}", open(&bytes));
}
