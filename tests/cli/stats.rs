//! `pgc stats` against a plain count of the games.
#![expect(clippy::unwrap_used, reason = "the helpers are tests too")]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::cli::program::Dir;
use crate::support::random::Random;

/// A game as the test made it: players, ratings (0: none), date, ECO, result.
type Played = (
    [usize; 2],
    [u32; 2],
    &'static str,
    &'static str,
    &'static str,
);

#[derive(Default)]
struct Plain {
    /// Games, wins, draws, losses.
    counts: [u64; 4],
    own: Vec<u32>,
    opponents: Vec<u32>,
    half_points: u64,
}

impl Plain {
    fn add(&mut self, game: &Played, colour: usize) {
        let (_, elos, .., result) = game;
        self.counts[0] += 1;
        if elos[colour] > 0 {
            self.own.push(elos[colour]);
        }
        let half_points = match (*result, colour) {
            ("1-0", 0) | ("0-1", 1) => 2,
            ("1/2-1/2", _) => 1,
            ("*", _) => return,
            _ => 0,
        };
        self.counts[3 - half_points] += 1;
        if elos[1 - colour] > 0 {
            self.opponents.push(elos[1 - colour]);
            self.half_points += half_points as u64;
        }
    }

    fn check(&self, object: &Value, what: &str) {
        let keys = ["games", "wins", "draws", "losses"];
        assert_eq!(
            keys.map(|key| object[key].as_u64().unwrap()),
            self.counts,
            "{what}"
        );
        let average = |list: &[u32]| {
            let sum: u32 = list.iter().sum();
            let count = u32::try_from(list.len()).unwrap();
            (count > 0).then(|| (f64::from(sum) / f64::from(count)).round())
        };
        assert_eq!(object["elo"].as_f64(), average(&self.own), "{what}");
        assert_eq!(
            object["opponents_elo"].as_f64(),
            average(&self.opponents),
            "{what}"
        );
        let known: u64 = self.counts[1..].iter().sum();
        let score = (2 * self.counts[1] + self.counts[2]) as f64 / (2 * known) as f64;
        assert_eq!(
            object["score"].as_f64(),
            (known > 0).then_some(score),
            "{what}"
        );
        if self.opponents.is_empty() {
            assert_eq!(object["performance"], Value::Null, "{what}");
            return;
        }
        let count = self.opponents.len() as f64;
        let mean = self
            .opponents
            .iter()
            .map(|&elo| f64::from(elo))
            .sum::<f64>()
            / count;
        let share = self.half_points as f64 / (2.0 * count);
        // The rating whose expected score, by the formula of Elo, is this one.
        let performance = object["performance"].as_f64().unwrap();
        if share == 0.0 || share == 1.0 {
            assert!((performance - mean).abs() > 799.0, "{what}");
        } else {
            let expected = 1.0 / (1.0 + 10_f64.powf((mean - performance) / 400.0));
            assert!(
                (expected - share).abs() < 0.002,
                "{what} {expected} {share}"
            );
        }
    }
}

const NAMES: [&str; 5] = [
    "Tal, Mihail",
    "Tal, M",
    "Botvinnik, Mikhail",
    "Keres, Paul",
    "Tal, Olga",
];

fn games() -> Vec<Played> {
    let mut random = Random::new(11);
    let mut game = || {
        let white = random.below(5);
        let black = (white + 1 + random.below(4)) % 5;
        let elo = [0, 77, 2450, 2555, 2600, 2699];
        let dates = [
            "1959.09.10",
            "1959.09.11",
            "1960.??.??",
            "1960.03.15",
            "????.??.??",
            "1961.13.01",
        ];
        let ecos = ["B33", "C18", "?", "A00", "odd"];
        let results = ["1-0", "0-1", "1/2-1/2", "*"];
        (
            [white, black],
            [random.pick(&elo), random.pick(&elo)],
            random.pick(&dates),
            random.pick(&ecos),
            random.pick(&results),
        )
    };
    (0..400).map(|_| game()).collect()
}

fn pgn(games: &[Played]) -> String {
    let mut text = String::new();
    for (players, elos, date, eco, result) in games {
        let [white, black] = players.map(|player| NAMES[player]);
        let _ = write!(
            text,
            "[Event \"E\"]\n[Date \"{date}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n"
        );
        let _ = write!(
            text,
            "[WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n[ECO \"{eco}\"]\n\n1. e4 {result}\n\n",
            elos[0], elos[1]
        );
    }
    text
}

#[test]
fn statistics_as_counted_by_hand() {
    let games = games();
    let dir = Dir::new();
    dir.put("a.pgn", pgn(&games[..150]));
    dir.put("b.pgn", pgn(&games[150..]));
    for file in ["a.pgn", "b.pgn"] {
        dir.pack(file);
    }
    // Mihail Tal is also Tal, M, but not Olga.
    let is_tal = |player: usize| player < 2;
    let ran = dir.run(&[
        "stats",
        "a.pgc",
        "b.pgc",
        "tal mikhail",
        "--json",
        "--limit",
        "0",
    ]);
    let json = ran.exits(0).json();
    let mut all = BTreeMap::<String, Plain>::new();
    let mut ratings = BTreeMap::<&str, Vec<u32>>::new();
    for game in &games {
        let (players, elos, date, eco, _) = game;
        for colour in (0..2).filter(|&colour| is_tal(players[colour])) {
            let code = match *eco {
                // 1. e4 without more.
                "?" => "B00",
                "odd" => "?",
                code => code,
            };
            let year = date[..4].trim_matches('?');
            let level = match elos[1 - colour] {
                77 => 1,
                elo => elo / 100 * 100,
            };
            for key in [
                "all".to_owned(),
                format!("colour {colour}"),
                format!("year {year}"),
                format!("eco {colour} {code}"),
                format!("level {level}"),
                format!("opponent {}", NAMES[players[1 - colour]]),
            ] {
                all.entry(key).or_default().add(game, colour);
            }
            if elos[colour] > 0 && !date.contains('?') && !date.contains(".13.") {
                ratings.entry(&date[..7]).or_default().push(elos[colour]);
            }
        }
    }
    all["all"].check(&json, "all");
    all["colour 0"].check(&json["as_white"], "white");
    all["colour 1"].check(&json["as_black"], "black");
    let mut checked = 3;
    for (list, key) in [
        ("years", "year"),
        ("opponent_ratings", "from"),
        ("opponents", "name"),
    ] {
        for object in json[list].as_array().unwrap() {
            let value = match &object[key] {
                Value::Null if key == "from" => "0".to_owned(),
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                number => number.to_string(),
            };
            let name = match key {
                "from" => format!("level {value}"),
                "name" => format!("opponent {value}"),
                _ => format!("year {value}"),
            };
            all[&name].check(object, &name);
            checked += 1;
        }
    }
    for object in json["openings"].as_array().unwrap() {
        let colour = usize::from(object["colour"] == "black");
        let eco = object["eco"].as_str().unwrap_or("none");
        let name = format!("eco {colour} {eco}");
        all[&name].check(object, &name);
        checked += 1;
    }
    assert_eq!(checked, all.len());
    let expected: Vec<Value> = ratings
        .iter()
        .map(|(month, elos)| {
            let count = u32::try_from(elos.len()).unwrap();
            let mean = (elos.iter().sum::<u32>() + count / 2) / count;
            json!({"month": month, "elo": mean, "games": count})
        })
        .collect();
    assert_eq!(json["ratings"], Value::Array(expected));
    assert_eq!(json["player"], "Tal, Mihail");
    let names: Vec<&str> = json["names"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n["name"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), 2);
    assert!(names.contains(&"Tal, M"));
}

#[test]
fn statistics_for_people() {
    let games = games();
    let dir = Dir::new();
    dir.put("a.pgn", pgn(&games));
    dir.pack("a.pgn");
    let ran = dir
        .run(&["stats", "a.pgc", "-p", "tal mihail", "--limit", "1"])
        .exits(0);
    let shown = ran.stdout();
    let count = games
        .iter()
        .flat_map(|game| game.0)
        .filter(|&player| player < 2)
        .count();
    let line = format!("Tal, Mihail: {count} games, 1959 to 1961");
    assert_eq!(shown.lines().next(), Some(line.as_str()));
    let (mut won, mut drawn, mut lost) = (0, 0, 0);
    for ([white, black], .., result) in &games {
        for (player, win, loss) in [(*white, "1-0", "0-1"), (*black, "0-1", "1-0")] {
            won += u32::from(player < 2 && *result == win);
            drawn += u32::from(player < 2 && *result == "1/2-1/2");
            lost += u32::from(player < 2 && *result == loss);
        }
    }
    let score = 100.0 * (f64::from(won) + 0.5 * f64::from(drawn)) / f64::from(won + drawn + lost);
    let row = shown.lines().find(|line| line.starts_with("all games"));
    let row: Vec<&str> = row.unwrap().split_whitespace().skip(2).take(6).collect();
    let expected = format!("{count} {score:.1} % {won} {drawn} {lost}");
    assert_eq!(row.join(" "), expected);
    // A curve from September 1959 to March 1960.
    assert!(
        shown.contains('\u{2800}')
            || shown
                .chars()
                .any(|c| ('\u{2801}'..='\u{28ff}').contains(&c))
    );
    assert!(shown.contains("  4 more"), "{shown}");
    for title in [
        "openings as White",
        "opponents rated",
        "2600 to 2699",
        "years",
        "unknown",
    ] {
        assert!(shown.contains(title), "{title}: {shown}");
    }
    let counted = shown.lines().nth(1).unwrap();
    assert!(counted.starts_with("counted: Tal, M"), "{counted}");
    let question = [
        "stats",
        "a.pgc",
        "-w",
        "tal mihail",
        "--vs",
        "keres",
        "--json",
    ];
    let all = [
        "stats",
        "a.pgc",
        "-w",
        "tal",
        "--vs",
        "keres",
        "--all-names",
        "--json",
    ];
    for (args, players) in [(&question[..], &[0, 1][..]), (&all, &[0, 1, 4])] {
        let white = dir.run(args).exits(0).json();
        let expected = games
            .iter()
            .filter(|game| players.contains(&game.0[0]) && game.0[1] == 3);
        assert_eq!(white["games"], expected.count());
        assert_eq!(white["as_black"]["games"], 0);
    }
    dir.run(&["stats", "a.pgc", "fischer"])
        .exits(1)
        .says("nothing matches");
    dir.run(&["stats", "a.pgc"])
        .exits(2)
        .says("name the player");
    dir.run(&["stats", "a.pgc", "--not-player", "tal"])
        .exits(2)
        .says("name the player");
}

/// Only names that can be one person's are added up (D67).
#[test]
fn one_person_at_a_time() {
    let dir = Dir::new();
    let people = [
        ("Smith, Axel", 4),
        ("Smith, A", 1),
        ("Smith, John", 3),
        ("Smith, James", 2),
        ("Smith, J", 2),
        ("Smithers, Bob", 1),
        ("Lone Wolf", 2),
    ];
    let mut text = String::new();
    for (name, games) in people {
        for year in 0..games {
            let _ = write!(
                text,
                "[White \"{name}\"]\n[Black \"Jones, {year}\"]\n[Date \"200{year}.01.01\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n"
            );
        }
    }
    dir.put("a.pgn", &text);
    dir.put("b.pgn", &text);
    for file in ["a.pgn", "b.pgn"] {
        dir.pack(file);
    }
    dir.put(
        "x.ssp",
        "@PLAYER\nSmith, James\n=Wolf, Lone\nSmith, Axel\n=Smithers, Bob\n",
    );
    let names = |object: &Value, key: &str| {
        let names = object[key].as_array().unwrap().iter();
        let names =
            names.map(|name| format!("{} {}", name["name"].as_str().unwrap(), name["games"]));
        names.collect::<Vec<_>>().join("; ")
    };
    // Each name has its games in both archives.
    for (args, counted, others) in [
        (
            &["smith"][..],
            "Smith, Axel 8; Smith, A 2",
            "Smith, John 6; Smith, J 4; Smith, James 4; Smithers, Bob 2",
        ),
        (&["smith john"], "Smith, John 6; Smith, J 4", ""),
        // As typed, and the most frequent name that it can stand for.
        (&["smith j"], "Smith, John 6; Smith, J 4", "Smith, James 4"),
        (&["Smith, James"], "Smith, J 4; Smith, James 4", ""),
        (
            &["smith", "--as-spelled"],
            "Smith, Axel 8",
            "Smith, John 6; Smith, J 4; Smith, James 4; Smith, A 2; Smithers, Bob 2",
        ),
        (&["smith", "-d", "2003"], "Smith, Axel 2", ""),
        (&["smith", "-d", "2002"], "Smith, Axel 2", "Smith, John 2"),
        (
            &["-w", "smith john", "-w", "smith axel"],
            "Smith, Axel 8; Smith, John 6; Smith, J 4; Smith, A 2",
            "",
        ),
        (
            &["smith", "--all-names"],
            "Smith, Axel 8; Smith, John 6; Smith, J 4; Smith, James 4; Smith, A 2; Smithers, Bob 2",
            "",
        ),
        (
            &["smith", "--aliases", "x.ssp"],
            "Smith, Axel 8; Smith, A 2; Smithers, Bob 2",
            "Smith, John 6; Lone Wolf 4; Smith, J 4; Smith, James 4",
        ),
        (
            &["smith james", "--aliases", "x.ssp"],
            "Lone Wolf 4; Smith, J 4; Smith, James 4",
            "",
        ),
    ] {
        let ran = dir.run(&[&["stats", "a.pgc", "b.pgc", "--json"], args].concat());
        let ran = ran.exits(0);
        let json = ran.json();
        let found = (names(&json, "names"), names(&json, "other_names"));
        assert_eq!(found, (counted.to_owned(), others.to_owned()), "{args:?}");
        let games: u64 = json["names"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name["games"].as_u64().unwrap())
            .sum();
        assert_eq!(json["games"], games, "{args:?}");
        assert_eq!(
            ran.stderr.contains("can be several people"),
            !others.is_empty(),
            "{args:?}: {}",
            ran.stderr
        );
    }
    let ran = dir.run(&["stats", "a.pgc", "smith"]).exits(0);
    let ran = ran.says("are the games of Smith, Axel (");
    let shown = ran.stdout();
    let lines: Vec<&str> = shown.lines().take(3).collect();
    assert_eq!(
        lines,
        [
            "Smith, Axel: 5 games, 2000 to 2003",
            "counted: Smith, Axel (4); Smith, A (1)",
            "not counted: Smith, John (3); Smith, J (2); Smith, James (2); Smithers, Bob (1)",
        ]
    );
    let quiet = dir.run(&["stats", "a.pgc", "smith", "-q"]).exits(0);
    assert_eq!(quiet.stderr, "");
}

/// Copies are counted, and left out on request, as `find --unique` does.
#[test]
fn copies_are_said() {
    let dir = Dir::new();
    let game = |white: &str, moves: &str| {
        format!(
            "[White \"{white}\"]\n[Black \"Bob\"]\n[Date \"2000.01.01\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n"
        )
    };
    let ada = [
        game("Ada", "1. e4 e5"),
        game("Ada", "1. e4 c5"),
        game("Ada", "1. d4 d5"),
    ];
    // The same again under another event, once with a comment; and a game of somebody else.
    let annotated = ada[0].replace("e5", "e5 {good}");
    dir.put("a.pgn", ada.concat());
    dir.put(
        "b.pgn",
        format!("{annotated}{}{}", ada[2], game("Cyd", "1. e4 e5")),
    );
    for file in ["a.pgn", "b.pgn"] {
        dir.pack(file);
    }
    let run = |args: &[&str]| dir.run(&[&[args[0], "a.pgc", "b.pgc"], &args[1..]].concat());
    for (args, games, copies) in [
        (&["stats", "ada"][..], 5, 2),
        (&["stats", "ada", "--unique"], 3, 2),
        (&["stats", "cyd"], 1, 0),
        (&["tree"], 6, 2),
        (&["tree", "--unique"], 4, 2),
        (&["tree", "-w", "ada", "--unique"], 3, 2),
        (&["tree", "--moves", "1.e4 c5", "--unique"], 1, 0),
    ] {
        let json = run(&[args, &["--json"]].concat()).exits(0).json();
        assert_eq!(
            (&json["games"], &json["copies"]),
            (&json!(games), &json!(copies)),
            "{args:?}"
        );
    }
    for (args, line) in [
        (
            &["stats", "ada"][..],
            "2 of them are copies (--unique leaves them out)",
        ),
        (&["stats", "ada", "--unique"], "2 copies were left out"),
        (&["tree"], "2 of them are copies (--unique leaves them out)"),
        (&["tree", "--unique"], "2 copies were left out"),
    ] {
        let shown = run(args).exits(0).stdout();
        assert!(
            shown.lines().any(|known| known == line),
            "{args:?}: {shown}"
        );
    }
    let shown = run(&["stats", "cyd"]).exits(0).stdout();
    assert!(!shown.contains("cop"), "{shown}");
    run(&["tree", "--unique", "--polyglot", "b.bin"])
        .exits(0)
        .says("of 4 games");
    run(&["find", "--unique", "--count", "-w", "ada"])
        .exits(0)
        .says("2 copies were left out");
}

/// A forfeit after one move is a point, and neither performance nor an opening; a loss on time after
/// one move was played. In `pgc table` too.
#[test]
fn forfeits_are_points_only() {
    let dir = Dir::new();
    let game = |black: &str, elo: u32, reason: &str, moves: &str| {
        format!(
            "[Event \"Open\"]\n[White \"Tal, M\"]\n[Black \"{black}\"]\n[BlackElo \"{elo}\"]\n\
             [WhiteElo \"2500\"]\n[Result \"1-0\"]\n[ECO \"A40\"]\n[Termination \"{reason}\"]\n\n{moves} 1-0\n\n"
        )
    };
    let text = [
        game("Ada, A", 2700, "forfeit", "1. d4"),
        game("Bo, B", 2400, "time forfeit", "1. d4"),
        game("Cy, C", 2300, "normal", "1. d4 d5 2. c4"),
    ];
    dir.put("a.pgn", text.concat());
    dir.pack("a.pgn");
    let json = dir.run(&["stats", "a.pgc", "tal", "--json"]).json();
    assert_eq!([&json["games"], &json["wins"]], [&json!(3), &json!(3)]);
    assert_eq!(json["opponents_elo"], json!(2350));
    assert_eq!(json["openings"][0]["games"], json!(2));
    let table = dir.run(&["table", "a.pgc", "--json"]).json();
    let first = &table["players"][0];
    assert_eq!([&first["games"], &first["rated"]], [&json!(3), &json!(2)]);
}

/// An ECO code is shown with the name of the opening that most of its games reached; without the tag it
/// is the code of that opening.
#[test]
fn openings_have_names() {
    let dir = Dir::new();
    let game =
        |moves: &str| format!("[White \"Tal\"]\n[Black \"A\"]\n[ECO \"B90\"]\n\n{moves} *\n\n");
    let najdorf = "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Be2";
    let games = [
        game(najdorf).replace("[ECO \"B90\"]\n", ""),
        game(najdorf),
        game("1. d4 d5 2. c4 e6"),
        game(najdorf),
        game("1. a3 a6 2. a4 a5 3. h3"),
    ];
    dir.put("g.pgn", games.concat());
    dir.pack("g.pgn");
    let json = dir
        .run(&["stats", "g.pgc", "tal", "--json"])
        .exits(0)
        .json();
    assert_eq!(json["openings"][0]["eco"], "B90");
    assert_eq!(json["openings"][0]["games"], json!(4));
    assert_eq!(
        json["openings"][0]["name"],
        "Sicilian Defense: Najdorf Variation"
    );
    let shown = dir.run(&["stats", "g.pgc", "tal"]).exits(0).stdout();
    assert!(
        shown.contains("\nB90 Sicilian Defense: Najdorf Variation "),
        "{shown}"
    );
}
