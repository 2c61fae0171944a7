//! Random games as an index sees them, and an index of them made the plain way: from the words of
//! spec/index.md, all in memory, with none of the program's own code; and, beside it, the
//! program's.

use std::collections::{BTreeMap, BTreeSet};

use pgc_chess::{Ending, NamedOpening, PlayedFacts};
use pgc_index::BuildOptions;
use pgc_index::{Builder, Facts, Summaries};
use pgc_pgn::game::Wholeness;
use pgc_pgn::writer::Termination;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::plain_lines;
use super::random::Random;

/// A game: its tags as they were written, and what else an index asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlainGame {
    pub(crate) tags: Vec<(&'static str, String)>,
    /// `1-0` and the like.
    pub(crate) terminator: Option<&'static str>,
    /// 0 all ordinals, 1 ends in text, 2 is text.
    pub(crate) wholeness: u8,
    pub(crate) plies: u32,
    pub(crate) comments: bool,
    pub(crate) variations: bool,
    pub(crate) nags: bool,
    pub(crate) clocks: bool,
    pub(crate) evals: bool,
    /// What playing tells.
    pub(crate) played: Option<PlayedFacts>,
    /// The ordinals of its first moves: at least forty, or all.
    pub(crate) moves: Vec<u8>,
}

impl PlainGame {
    /// The value of the last tag with this name.
    pub(crate) fn tag(&self, name: &str) -> Option<&str> {
        self.tags
            .iter()
            .rfind(|tag| tag.0 == name)
            .map(|tag| tag.1.as_str())
    }

    /// As an index has it.
    pub(crate) fn value(&self, name: &str) -> &str {
        if name == "material" || name == "opening" {
            return self.told(name);
        }
        let value = self.tag(name).unwrap_or("?");
        let end = (0..=value.len().min(1024))
            .rev()
            .find(|&end| value.is_char_boundary(end))
            .unwrap();
        &value[..end]
    }

    /// The material at the end, or the opening.
    fn told(&self, what: &str) -> &'static str {
        let Some(played) = self.played else {
            return "?";
        };
        let number = MATERIALS
            .iter()
            .position(|known| known.1 == played.material);
        match (what, played.opening) {
            ("material", _) => MATERIALS[number.unwrap()].0,
            (_, Some(opening)) if self.rules() == 0 => {
                OPENINGS
                    .iter()
                    .find(|known| known.1 == opening.eco)
                    .unwrap()
                    .2
            }
            _ => "?",
        }
    }

    /// Eight characters, digits or `?`, and whether the date is odd.
    pub(crate) fn date(&self) -> (String, bool) {
        let has_digit = |value: &&str| value.contains(|c: char| c.is_ascii_digit());
        let value = self
            .tag("Date")
            .filter(has_digit)
            .or(self.tag("UTCDate"))
            .or(self.tag("Date"));
        let Some(value) = value else {
            return ("????????".into(), false);
        };
        let Some(eight) = eight(value) else {
            return ("????????".into(), true);
        };
        let dotted = value == format!("{}.{}.{}", &eight[..4], &eight[4..6], &eight[6..]);
        let (month, day): (Option<u32>, Option<u32>) =
            (eight[4..6].parse().ok(), eight[6..].parse().ok());
        let longest = match month {
            None => 31,
            Some(2) => 29,
            Some(4 | 6 | 9 | 11) => 30,
            Some(1..=12) => 31,
            Some(_) => 0,
        };
        let odd = !dotted || longest == 0 || day.is_some_and(|day| day == 0 || day > longest);
        // Behind an unknown digit a 0 is as good as one.
        let known = eight.find('?').unwrap_or(8);
        let eight = eight
            .char_indices()
            .map(|(i, c)| if i > known && c == '0' { '?' } else { c })
            .collect();
        (eight, odd)
    }

    /// Its characters as they are shown: a month or day with one known digit behind an unknown one
    /// has a 0 beside it.
    pub(crate) fn shown_date(&self) -> String {
        let mut eight = self.date().0;
        let known = eight.find('?').unwrap_or(8);
        for field in [4..6, 6..8] {
            if known < field.start && eight[field.clone()] != *"??" {
                let shown = eight[field.clone()].replace('?', "0");
                eight.replace_range(field, &shown);
            }
        }
        eight
    }

    pub(crate) fn elo(&self, name: &str) -> u32 {
        let value = self.tag(name).unwrap_or("").trim_matches(' ');
        if value.bytes().all(|b| b.is_ascii_digit()) {
            value
                .parse::<u128>()
                .ok()
                .filter(|&elo| elo <= 65_535)
                .map_or(0, |elo| elo.try_into().unwrap())
        } else {
            0
        }
    }

    pub(crate) fn eco(&self) -> u32 {
        match self.tag("ECO") {
            None | Some("" | "?" | "-") => 0,
            Some(value) => {
                let code: String = value.to_ascii_uppercase().chars().take(3).collect();
                (0..500)
                    .find(|n| {
                        code == format!("{}{:02}", ["A", "B", "C", "D", "E"][n / 100], n % 100)
                    })
                    .map_or(501, |n| u32::try_from(n + 1).unwrap())
            }
        }
    }

    /// Number of the result.
    pub(crate) fn result(&self) -> u32 {
        let known = |text: Option<&str>| text.and_then(result_number).filter(|&number| number > 0);
        known(self.tag("Result"))
            .or(known(self.terminator))
            .unwrap_or(0)
    }

    pub(crate) fn mismatch(&self) -> bool {
        let numbers =
            [self.tag("Result"), self.terminator].map(|text| text.and_then(result_number));
        !numbers.contains(&None) && numbers[0] != numbers[1]
    }

    pub(crate) fn rules(&self) -> u32 {
        const NAMES: [&str; 9] = [
            "standard",
            "chess960",
            "antichess",
            "atomic",
            "crazyhouse",
            "horde",
            "kingofthehill",
            "racingkings",
            "three-check",
        ];
        let Some(variant) = self.tag("Variant") else {
            return 0;
        };
        let variant = variant.to_ascii_lowercase().replace(' ', "");
        NAMES
            .iter()
            .position(|&name| name == variant)
            .map_or(15, |n| u32::try_from(n).unwrap())
    }

    pub(crate) fn flags(&self) -> u32 {
        self.result()
            | u32::from(self.mismatch()) << 2
            | u32::from(self.tag("FEN").is_some()) << 3
            | u32::from(self.wholeness == 1) << 4
            | u32::from(self.wholeness == 2) << 5
            | u32::from(self.comments) << 6
            | u32::from(self.variations) << 7
            | u32::from(self.nags) << 8
            | u32::from(self.clocks) << 9
            | u32::from(self.evals) << 10
            | self
                .played
                .map_or(0, |played| u32::from(played.specials) << 11)
            | self.ending() << 16
            | self.rules() << 20
    }

    fn ending(&self) -> u32 {
        let played = self.played.filter(|_| self.wholeness != 1);
        played.map_or(0, |played| match played.ending {
            Ending::Open => 0,
            Ending::Checkmate => 1,
            Ending::Stalemate => 2,
            Ending::Insufficient => 3,
            Ending::Fivefold => 4,
            Ending::SeventyFive => 5,
            Ending::Threefold => 6,
            Ending::Fifty => 7,
            _ => 8,
        })
    }

    /// Appends it to what a builder takes.
    fn put(&self, summaries: &mut Summaries) {
        let facts = Facts {
            terminator: self
                .terminator
                .and_then(|text| Termination::from_bytes(text.as_bytes())),
            wholeness: [Wholeness::Whole, Wholeness::Tail, Wholeness::TextOnly]
                [usize::from(self.wholeness)],
            plies: self.plies,
            comments: self.comments,
            variations: self.variations,
            nags: self.nags,
            clocks: self.clocks,
            evals: self.evals,
            played: self.played,
            line: self.moves.iter().copied().collect(),
        };
        summaries.push(
            self.tags
                .iter()
                .map(|(name, value)| (name.as_bytes(), value.as_bytes())),
            &facts,
        );
    }

    /// As the table of dates has it.
    fn date_value(&self) -> String {
        let (eight, odd) = self.date();
        let known = eight.find('?').unwrap_or(8);
        format!(
            "{}{known}{}",
            eight.replace('?', "0"),
            if odd { "!" } else { "" }
        )
    }
}

/// Dates in other forms, and their characters.
const OTHER_DATES: [(&str, &str); 8] = [
    ("31.05.1999", "19990531"),
    ("01.05.1999", "1999????"),
    ("5/31/1999", "19990531"),
    ("May 1999", "199905??"),
    ("1 May 1999", "19990501"),
    ("Mai 1999", "1999????"),
    ("2024-01-17 04:53:18", "20240117"),
    ("Wed Jan 17 2024 04:53:18 GMT+0100 (CET)", "20240117"),
];

/// The characters of a date that is understood.
fn eight(value: &str) -> Option<String> {
    if let Some((_, eight)) = OTHER_DATES.iter().find(|(other, _)| *other == value) {
        return Some((*eight).to_owned());
    }
    let mut parts = value.split(['.', '-', '/']);
    let fine = |part: &str| part.chars().all(|c| c.is_ascii_digit() || c == '?');
    let mut eight = parts
        .next()
        .filter(|year| year.len() == 4 && fine(year))?
        .to_owned();
    for _ in 0..2 {
        match parts.next() {
            None | Some("?") => eight.push_str("??"),
            Some(part) if part.len() == 2 && fine(part) => eight.push_str(part),
            Some(part) if part.len() == 1 && fine(part) => eight.push_str(&format!("0{part}")),
            Some(_) => return None,
        }
    }
    parts.next().is_none().then_some(eight)
}

/// Folding, step by step. Unicode 16.0 assigns all characters that are used here.
pub(crate) fn plain_fold(text: &str) -> String {
    let lower: String = text
        .nfkd()
        .filter(|&c| !is_combining_mark(c))
        .flat_map(char::to_lowercase)
        .collect();
    let mut out = lower;
    for (from, to) in [
        ("\u{df}", "ss"),
        ("\u{e6}", "ae"),
        ("\u{153}", "oe"),
        ("\u{f8}", "o"),
        ("\u{111}", "d"),
        ("\u{f0}", "d"),
        ("\u{fe}", "th"),
        ("\u{142}", "l"),
        ("\u{127}", "h"),
        ("\u{131}", "i"),
        ("\u{2019}", "'"),
        ("\u{2013}", "-"),
        ("\u{1f44d}", " "),
        ("\u{ad}", ""),
    ] {
        out = out.replace(from, to);
    }
    out
}

pub(crate) fn plain_words(text: &str) -> Vec<String> {
    let folded = plain_fold(text);
    let words = folded.split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn result_number(text: &str) -> Option<u32> {
    Some(match text {
        "*" => 0,
        "0-1" => 1,
        "1-0" => 2,
        "1/2-1/2" | "1/2" | "\u{bd}-\u{bd}" => 3,
        "1 - 0" | "1-0 ff" | "+:-" => 2,
        "0:1" => 1,
        "0-0" => 0,
        _ => return None,
    })
}

/// What rounds are compared by: class, integers, what stands behind them, and in a table all of it.
pub(crate) fn round_key(round: &str) -> (u8, Vec<u128>, &str, &str) {
    let mut integers = Vec::new();
    let class = match round {
        "?" => 0,
        "-" => 1,
        _ if round.starts_with(|c: char| c.is_ascii_digit()) => 2,
        _ => 3,
    };
    if class == 2 {
        for part in round.split('.') {
            let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
            match digits.parse() {
                Ok(integer) => integers.push(integer),
                Err(_) => break,
            }
            if digits.len() < part.len() {
                break;
            }
        }
    }
    let integer = |part: &str| part.chars().take_while(char::is_ascii_digit).count();
    // The integers, and the full stops between them.
    let mut behind = round;
    for number in 0..integers.len() {
        behind = behind
            .strip_prefix('.')
            .filter(|_| number > 0)
            .unwrap_or(behind);
        behind = &behind[integer(behind)..];
    }
    (class, integers, behind, round)
}

#[derive(Clone)]
pub(crate) struct PlainBlock {
    pub(crate) offset: u64,
    pub(crate) crc: u32,
    pub(crate) games: usize,
}

#[derive(Clone)]
pub(crate) struct PlainSegment {
    pub(crate) offset: u64,
    pub(crate) end: u64,
    pub(crate) head: usize,
    pub(crate) tail: usize,
    pub(crate) blocks: Vec<PlainBlock>,
}

/// Games in their blocks, and bytes that stand for an archive.
#[derive(Clone)]
pub(crate) struct PlainArchive {
    pub(crate) bytes: Vec<u8>,
    pub(crate) segments: Vec<PlainSegment>,
    pub(crate) games: Vec<PlainGame>,
    pub(crate) lines: bool,
}

/// The number of the list of openings.
const OPENING_LIST: u32 = 1;

/// Some material, as the index has it and as a game does: of each side king, queens, rooks, bishops,
/// knights, pawns.
const MATERIALS: [(&str, [[u8; 6]; 2]); 5] = [
    ("KQR2B2N2P8kqr2b2n2p8", [[1, 1, 2, 2, 2, 8]; 2]),
    ("KRPkr", [[1, 0, 1, 0, 0, 1], [1, 0, 1, 0, 0, 0]]),
    ("Kk", [[1, 0, 0, 0, 0, 0]; 2]),
    ("KQ12kp36", [[1, 12, 0, 0, 0, 0], [1, 0, 0, 0, 0, 36]]),
    ("p", [[0; 6], [0, 0, 0, 0, 0, 1]]),
];
const OPENINGS: [(&str, &str, &str); 4] = [
    ("Van't Kruijs Opening", "A00", "Van't Kruijs Opening A00"),
    ("R\u{e9}ti Opening", "A04", "R\u{e9}ti Opening A04"),
    ("Ruy Lopez", "C60", "Ruy Lopez C60"),
    ("Ruy Lopez: Closed", "C84", "Ruy Lopez: Closed C84"),
];
const EVENTS: [&str; 14] = [
    "Tata Steel Masters",
    "Tata Steel Challengers",
    "Wijk aan Zee (NED)",
    "Linares 1993",
    "Bundesliga 1992/93",
    "?",
    "",
    "Rated blitz game",
    "\u{427}\u{435}\u{43c}\u{43f}\u{438}\u{43e}\u{43d}\u{430}\u{442}",
    "Championnat d'Europe",
    "M\u{e9}morial Alekhine",
    "It (cat.17)",
    "a a a",
    "Olympiad-41 \u{130}stanbul",
];
const SITES: [&str; 10] = [
    "Reykjav\u{ed}k ISL",
    "Z\u{fc}rich",
    "\u{141}\u{f3}d\u{17a} POL",
    "?",
    "https://lichess.org/abcd1234",
    "Gro\u{df}enhain",
    "Istanbul TUR",
    "-",
    "\u{df}",
    "Moscow",
];
const PLAYERS: [&str; 22] = [
    "Carlsen, Magnus",
    "Carlsson, Pontus",
    "Carlsen, M.",
    "Anderssen, Adolf",
    "Andersson, Ulf",
    "Polg\u{e1}r, Judit",
    "Polgar, J",
    "Li, Chao b",
    "Li Li",
    "O'Kelly de Galway, Alb\u{e9}ric",
    "\u{10e}urovi\u{107}, \u{110}or\u{111}e",
    "Wojtaszek, Rados\u{142}aw",
    "\u{421}\u{43f}\u{430}\u{441}\u{441}\u{43a}\u{438}\u{439}, \u{411}\u{43e}\u{440}\u{438}\u{441}",
    "?",
    "",
    "Deep Thought (Computer)",
    "Deep Blue",
    "AnandV_1",
    "\u{d8}st, \u{c6}gir",
    "NN",
    "N.N.",
    "\u{1112}\u{d55c}\u{ad6d}",
];
const DATES: [&str; 16] = [
    "????.??.??",
    "",
    "nonsense",
    "199?.??.??",
    "19??.??.??",
    "1992.??.??",
    "1992.05.??",
    "1992.0?.??",
    "1992.05.1?",
    "1992.??.03",
    "????.05.03",
    "199?.05.03",
    "2011.19.11",
    "1992",
    "1992.00.00",
    "1990.?1.??",
];
const ROUNDS: [&str; 17] = [
    "?", "-", "1", "2", "10", "1.1", "1.2", "1.10", "3.1.2", "01", "01.1", "01 (2)", "1 (2)",
    "Final", "quali 2", "3-1", "",
];

fn name(random: &mut Random) -> String {
    match random.below(12) {
        0 => format!("{} {}", random.pick(&PLAYERS), random.below(40)),
        1 => {
            // Any characters, the assigned ones of the first planes.
            let len = random.below(6);
            (0..len)
                .map(|_| {
                    random.pick(&[
                        'a',
                        '\u{e9}',
                        '\u{fb01}',
                        '\u{2460}',
                        '\u{ff21}',
                        '\u{301}',
                        ' ',
                        '\u{4e2d}',
                        '\u{2019}',
                        '\u{2013}',
                        '\u{1f44d}',
                        '\u{ad}',
                        '*',
                        '=',
                        '"',
                        '\u{1d400}',
                    ])
                })
                .collect()
        }
        2 if random.once_in(30) => "\u{fdfa}".repeat(341) + "xyz",
        3 if random.once_in(30) => "word \u{e9}".repeat(200),
        _ => random.pick(&PLAYERS).to_owned(),
    }
}

fn date(random: &mut Random) -> String {
    let separator = random.pick(&[".", ".", ".", ".", ".", ".", "-", "/"]);
    match random.below(4) {
        0 if random.once_in(4) => random.pick(&OTHER_DATES).0.to_owned(),
        0 => random.pick(&DATES).to_owned(),
        _ => {
            let (year, month, day) = (
                1985 + random.below(30),
                1 + random.below(12),
                1 + random.below(31),
            );
            format!("{year}{separator}{month:02}{separator}{day:02}")
        }
    }
}

/// A game.
fn game(random: &mut Random) -> PlainGame {
    let mut game = PlainGame::default();
    let mut tag = |name: &'static str, value: String, random: &mut Random| {
        if !random.once_in(25) {
            game.tags.push((name, value));
        }
    };
    let event = match random.below(5) {
        0 => format!("Open {}", random.below(60)),
        _ => random.pick(&EVENTS).to_owned(),
    };
    tag("Event", event, random);
    let site = random.pick(&SITES).to_owned();
    tag("Site", site, random);
    let value = date(random);
    tag("Date", value, random);
    if random.once_in(5) {
        let value = date(random);
        tag("UTCDate", value, random);
    }
    tag("Round", random.pick(&ROUNDS).to_owned(), random);
    let (white, black) = (name(random), name(random));
    tag(
        "Black",
        if random.once_in(20) {
            white.clone()
        } else {
            black
        },
        random,
    );
    tag("White", white, random);
    tag(
        "Result",
        random
            .pick(&[
                "1-0",
                "0-1",
                "1/2-1/2",
                "1/2",
                "*",
                "won",
                "",
                "1 - 0",
                "0:1",
                "\u{bd}-\u{bd}",
                "1-0 ff",
                "+:-",
                "0-0",
            ])
            .to_owned(),
        random,
    );
    for elo in ["WhiteElo", "BlackElo"] {
        let value = match random.below(8) {
            0 => random
                .pick(&["", "-", "?", "0", " 2700 ", "70000", "65535", "2700a"])
                .to_owned(),
            _ => (1000 + random.below(1900)).to_string(),
        };
        tag(elo, value, random);
    }
    let eco = match random.below(6) {
        0 => random
            .pick(&["", "?", "-", "b33", "B33a", "F00", "B3", "E99", "A00"])
            .to_owned(),
        _ => format!(
            "{}{:02}",
            random.pick(&["A", "B", "C", "D", "E"]),
            random.below(100)
        ),
    };
    tag("ECO", eco, random);
    if random.once_in(8) {
        tag("FEN", "8/8/8/8/8/8/8/8 w - - 0 1".into(), random);
        tag(
            "Variant",
            random
                .pick(&[
                    "Chess960",
                    "Atomic",
                    "Three-check",
                    "Losers",
                    "standard",
                    "Horde",
                ])
                .to_owned(),
            random,
        );
    }
    if random.once_in(10) {
        let again = random.pick(&["Event", "White", "Date"]);
        game.tags.push((again, "again".into()));
    }
    game.terminator = random.pick(&[None, Some("1-0"), Some("0-1"), Some("1/2-1/2"), Some("*")]);
    game.wholeness = random.pick(&[0, 0, 0, 0, 1, 2]);
    game.plies = u32::try_from(if random.once_in(50) {
        random.below(100_000)
    } else {
        random.below(200)
    })
    .unwrap();
    (game.comments, game.variations, game.nags) =
        (random.once_in(2), random.once_in(4), random.once_in(3));
    (game.clocks, game.evals) = (random.once_in(3), random.once_in(5));
    if game.wholeness < 2 && !random.once_in(9) {
        let (name, eco, _) = random.pick(&OPENINGS);
        game.played = Some(PlayedFacts {
            material: random.pick(&MATERIALS).1,
            specials: u8::try_from(random.below(32)).unwrap(),
            ending: random.pick(&Ending::ALL).1,
            opening: (!random.once_in(4)).then_some(NamedOpening { eco, name, ply: 0 }),
        });
    }
    game.moves = plain_lines::moves(random, game.plies);
    game
}

/// A random archive with so many games.
pub(crate) fn archive(seed: u64, count: usize) -> PlainArchive {
    let mut random = Random::new(seed);
    let mut games: Vec<PlainGame> = Vec::with_capacity(count);
    for i in 0..count {
        // Some are the same game again, or nearly.
        if i > 0 && random.once_in(15) {
            games.push(games[random.below(i)].clone());
        } else {
            games.push(game(&mut random));
        }
    }
    let mut segments = Vec::new();
    let (mut offset, mut left) = (0, count);
    while left > 0 || segments.is_empty() || random.once_in(3) {
        let (begin, head, tail) = (offset, 20 + random.below(30), 60);
        offset += head as u64;
        let mut blocks = Vec::new();
        while left > 0 || random.once_in(6) {
            let games = if random.once_in(10) {
                0
            } else {
                1 + random.below(left.min(300))
            }
            .min(left);
            blocks.push(PlainBlock {
                offset,
                crc: u32::try_from(random.next() & 0xffff_ffff).unwrap(),
                games,
            });
            offset += 100 + random.below(1000) as u64;
            left -= games;
            if random.once_in(4) {
                break;
            }
        }
        offset += tail as u64;
        segments.push(PlainSegment {
            offset: begin,
            end: offset,
            head,
            tail,
            blocks,
        });
    }
    let bytes = random.bytes(usize::try_from(offset).unwrap());
    PlainArchive {
        bytes,
        segments,
        games,
        lines: !random.once_in(3),
    }
}

/// Sections, as they are put together.
struct Sections {
    out: Vec<u8>,
    table: Vec<u8>,
    count: u32,
}

impl Sections {
    fn put(&mut self, kind: u32, width: usize, bytes: &[u8], count: usize) {
        self.out.resize(self.out.len().next_multiple_of(8), 0);
        self.table.extend_from_slice(&kind.to_le_bytes());
        self.table
            .extend_from_slice(&u32::try_from(width).unwrap().to_le_bytes());
        for number in [self.out.len(), bytes.len(), count] {
            self.table.extend_from_slice(&(number as u64).to_le_bytes());
        }
        self.out.extend_from_slice(bytes);
        self.count += 1;
    }

    fn integers(&mut self, kind: u32, integers: &[u64]) {
        self.up_to(kind, integers, integers.iter().max().copied().unwrap_or(0));
    }

    fn up_to(&mut self, kind: u32, integers: &[u64], largest: u64) {
        let width = (1..58).find(|&width| largest < 1 << width).unwrap_or(64);
        let mut bits = Bits::default();
        integers.iter().for_each(|&number| bits.put(number, width));
        self.put(kind, width, &bits.bytes(), integers.len());
    }

    /// Groups, and where each begins.
    fn groups(&mut self, kind: u32, groups: &[Vec<u8>], count: Option<usize>) {
        let mut begins = Vec::new();
        let mut at = 0;
        for group in groups {
            begins.push(at);
            at += group.len() as u64;
        }
        self.integers(kind, &begins);
        let all = groups.concat();
        self.put(kind + 1, 0, &all, count.unwrap_or(all.len()));
    }

    /// A table, from its values in their order, with the games of each, of so many.
    fn table(
        &mut self,
        kind: u32,
        values: &[&str],
        games: Option<&BTreeMap<&str, BTreeSet<usize>>>,
        all: usize,
    ) {
        let groups: Vec<_> = values.chunks(16).map(names).collect();
        self.groups(kind, &groups, Some(values.len()));
        if let Some(games) = games {
            let lists: Vec<_> = values.iter().map(|value| &games[value]).collect();
            let groups: Vec<_> = lists.chunks(16).map(|lists| postings(lists, all)).collect();
            self.groups(kind + 2, &groups, None);
        }
        if !matches!(kind, 0x20 | 0x50) {
            return;
        }
        let mut words: Vec<(String, usize, usize)> = Vec::new();
        for (place, value) in values.iter().enumerate() {
            let all = plain_words(value);
            for (number, word) in all.iter().enumerate().take(512) {
                if !all[..number].contains(word) {
                    words.push((word.clone(), place, number));
                }
            }
        }
        words.sort();
        let words = words.iter();
        let words = words.map(|(_, place, number)| (number * values.len() + place) as u64);
        self.integers(kind + 4, &words.collect::<Vec<_>>());
    }
}

/// Bits, one by one.
#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn put(&mut self, number: u64, width: usize) {
        (0..width).for_each(|bit| self.0.push(number >> bit & 1 == 1));
    }

    fn gamma(&mut self, number: u64) {
        let further = (0..63).take_while(|n| number >> n > 1).count();
        self.put(0, further);
        self.put(1, 1);
        self.put(number, further);
    }

    fn bytes(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| (0..).zip(bits).map(|(i, &bit)| u8::from(bit) << i).sum();
        self.0.chunks(8).map(byte).collect()
    }
}

/// A group of values.
fn names(values: &[&str]) -> Vec<u8> {
    let (mut out, mut before) = (Vec::new(), &b""[..]);
    for value in values.iter().map(|value| value.as_bytes()) {
        let shared = (0..=value.len().min(before.len()))
            .rev()
            .find(|&n| value[..n] == before[..n])
            .unwrap();
        let own = value.len() - shared;
        out.push(u8::try_from(shared.min(15) * 16 + own.min(15)).unwrap());
        for long in [shared, own].into_iter().filter(|&n| n >= 15) {
            let mut rest = long - 15;
            while rest >= 128 {
                out.push(u8::try_from(rest % 128 + 128).unwrap());
                rest /= 128;
            }
            out.push(u8::try_from(rest).unwrap());
        }
        out.extend_from_slice(&value[shared..]);
        before = value;
    }
    out
}

/// The postings of a group of values, of so many games.
fn postings(values: &[&BTreeSet<usize>], all: usize) -> Vec<u8> {
    let (mut head, mut lists) = (Bits::default(), Bits::default());
    for games in values {
        let mut list = Bits::default();
        let games: Vec<u64> = games.iter().map(|&game| game as u64).collect();
        let width = (0..).find(|&width| all <= 1 << width).unwrap();
        list.put(games[0], width);
        let gaps: Vec<u64> = games.windows(2).map(|two| two[1] - two[0] - 1).collect();
        for gaps in gaps.chunks(256) {
            let cost = |k: u32| -> u32 {
                let bits = |gap: u64| 64 - gap.leading_zeros();
                let cost = |&gap: &u64| match bits(gap) {
                    bits if bits <= k => k + 1,
                    bits => 2 * bits - k - 1,
                };
                gaps.iter().map(cost).sum()
            };
            let k = (0..32).min_by_key(|&k| (cost(k), k)).unwrap();
            list.put(k.into(), 5);
            for &gap in gaps {
                list.gamma((gap >> k) + 1);
                list.put(gap, k as usize);
            }
        }
        head.gamma(games.len() as u64);
        if games.len() >= 8 {
            head.gamma(list.0.len() as u64);
        }
        lists.0.extend(list.0);
    }
    head.0.extend(lists.0);
    head.bytes()
}

/// The index of an archive.
pub(crate) fn plain_index(archive: &PlainArchive) -> Vec<u8> {
    let games = &archive.games;
    let mut out = b"\x89PGCI\x0d\x0a\x1a\x01\x00\x00\x00\x00\x00\x00\x00".to_vec();
    let mut sections = Sections {
        out: std::mem::take(&mut out),
        table: Vec::new(),
        count: 0,
    };

    let (mut segments, mut blocks, mut first_game, mut first_block) =
        (Vec::new(), Vec::new(), 0, 0);
    for segment in &archive.segments {
        segments.extend_from_slice(&segment.offset.to_le_bytes());
        segments.extend_from_slice(&segment.end.to_le_bytes());
        for number in [segment.head, segment.tail, first_game, first_block] {
            segments.extend_from_slice(&u32::try_from(number).unwrap().to_le_bytes());
        }
        for block in &segment.blocks {
            blocks.extend_from_slice(&block.offset.to_le_bytes());
            blocks.extend_from_slice(&u32::try_from(first_game).unwrap().to_le_bytes());
            blocks.extend_from_slice(&block.crc.to_le_bytes());
            first_game += block.games;
        }
        first_block += segment.blocks.len();
    }
    sections.put(1, 0, &segments, archive.segments.len());
    sections.put(2, 0, &blocks, first_block);

    let distinct = |names: &[&str]| -> BTreeSet<&str> {
        games
            .iter()
            .flat_map(|game| {
                names
                    .iter()
                    .map(|name| game.value(name))
                    .collect::<Vec<_>>()
            })
            .collect()
    };
    let sorted = |names: &[&str]| distinct(names).into_iter().collect::<Vec<_>>();
    let (events, players) = (sorted(&["Event"]), sorted(&["White", "Black"]));
    let mut rounds = sorted(&["Round"]);
    rounds.sort_by_key(|round| round_key(round));
    let place =
        |table: &[&str], value: &str| table.iter().position(|&v| v == value).unwrap() as u64;
    // Of many values, quickly.
    let places = |table: &[&str], name: &str| -> Vec<u64> {
        let places: BTreeMap<&str, u64> = table.iter().map(|&v| (v, place(table, v))).collect();
        games.iter().map(|game| places[game.value(name)]).collect()
    };
    let each = |of: &dyn Fn(&PlainGame) -> u64| games.iter().map(of).collect::<Vec<_>>();
    let dates_of: Vec<String> = games.iter().map(PlainGame::date_value).collect();
    let dates: BTreeSet<&str> = dates_of.iter().map(String::as_str).collect();
    let dates = Vec::from_iter(dates);
    let (materials, openings) = (sorted(&["material"]), sorted(&["opening"]));
    let calendar: Vec<u64> = dates_of.iter().map(|date| place(&dates, date)).collect();
    sections.integers(0x10, &calendar);
    sections.integers(0x11, &places(&events, "Event"));
    sections.integers(0x12, &places(&materials, "material"));
    sections.integers(0x13, &places(&rounds, "Round"));
    let last = players.len().saturating_sub(1) as u64;
    sections.up_to(0x14, &places(&players, "White"), last);
    sections.up_to(0x15, &places(&players, "Black"), last);
    sections.integers(0x16, &each(&|game| game.elo("WhiteElo").into()));
    sections.integers(0x17, &each(&|game| game.elo("BlackElo").into()));
    sections.integers(0x18, &each(&|game| game.eco().into()));
    sections.integers(0x19, &each(&|game| game.plies.into()));
    sections.integers(0x1a, &each(&|game| game.flags().into()));
    sections.integers(0x1b, &places(&openings, "opening"));
    let games_of = |names: &[&str]| {
        let mut found: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (i, game) in games.iter().enumerate() {
            for name in names {
                found.entry(game.value(name)).or_default().insert(i);
            }
        }
        found
    };
    sections.table(0x20, &events, None, games.len());
    sections.table(0x30, &dates, None, games.len());
    sections.table(0x40, &rounds, None, games.len());
    sections.table(
        0x50,
        &players,
        Some(&games_of(&["White", "Black"])),
        games.len(),
    );
    sections.table(0x60, &materials, None, games.len());
    sections.table(0x70, &openings, None, games.len());
    if archive.lines {
        let lines = plain_lines::plain_lines(archive);
        sections.integers(0x80, &lines.bounds);
        sections.integers(0x81, &lines.groups);
        sections.put(0x82, 0, &lines.entries, lines.games.len());
        sections.up_to(0x83, &lines.games, games.len().saturating_sub(1) as u64);
    }

    let mut digest = blake3::Hasher::new();
    for segment in &archive.segments {
        let (from, to) = (
            usize::try_from(segment.offset).unwrap(),
            usize::try_from(segment.end).unwrap(),
        );
        digest.update(&archive.bytes[from..from + segment.head]);
        digest.update(&archive.bytes[to - segment.tail..to]);
    }
    let Sections {
        mut out,
        table,
        count,
    } = sections;
    out.resize(out.len().next_multiple_of(8), 0);
    let sums = out.len();
    out.resize(sums + sums.div_ceil(16_384) * 4, 0);
    out.extend_from_slice(&table);
    let mut trailer = Vec::new();
    trailer.extend_from_slice(&count.to_le_bytes());
    trailer.extend_from_slice(&[0; 4]);
    trailer.extend_from_slice(&(games.len() as u64).to_le_bytes());
    trailer.extend_from_slice(&(archive.bytes.len() as u64).to_le_bytes());
    trailer.extend_from_slice(digest.finalize().as_bytes());
    trailer.extend_from_slice(&(sums as u64).to_le_bytes());
    trailer.extend_from_slice(&[0; 4]);
    trailer.extend_from_slice(&OPENING_LIST.to_le_bytes());
    trailer.extend_from_slice(&((out.len() + 96) as u64).to_le_bytes());
    trailer.extend_from_slice(&[0; 8]);
    trailer.extend_from_slice(b"\x1a\x0a\x0dICGP\x89");
    out.extend_from_slice(&trailer);
    seal(&mut out);
    out
}

impl PlainArchive {
    /// Both, one behind the other.
    pub(crate) fn then(mut self, mut other: PlainArchive) -> PlainArchive {
        let by = self.bytes.len() as u64;
        for segment in &mut other.segments {
            segment.offset += by;
            segment.end += by;
            segment
                .blocks
                .iter_mut()
                .for_each(|block| block.offset += by);
        }
        self.bytes.append(&mut other.bytes);
        self.segments.append(&mut other.segments);
        self.games.append(&mut other.games);
        self
    }

    /// Gives it to a builder, as if `base` bytes stood before it.
    pub(crate) fn feed(&self, builder: &mut Builder<'_>, base: u64) {
        let mut rest = self.games.as_slice();
        for segment in &self.segments {
            builder.segment_begins(base + segment.offset);
            for block in &segment.blocks {
                builder.block(base + block.offset, block.crc).unwrap();
                let (games, after) = rest.split_at(block.games);
                // It does not matter in how many pieces they come.
                for games in games.chunks(50) {
                    let mut summaries = Summaries::default();
                    games.iter().for_each(|game| game.put(&mut summaries));
                    builder.games(&summaries).unwrap();
                }
                rest = after;
            }
            let record =
                |from: u64, len: usize| &self.bytes[usize::try_from(from).unwrap()..][..len];
            let tail = record(segment.end - segment.tail as u64, segment.tail);
            let head = record(segment.offset, segment.head);
            builder
                .segment_ends(base + segment.end, head, tail)
                .unwrap();
        }
    }

    /// Options for its index.
    pub(crate) fn options(&self, memory: usize) -> BuildOptions {
        BuildOptions {
            memory,
            temp_dir: std::env::temp_dir(),
            lines: self.lines,
        }
    }
}

/// The same index, as the program makes it.
pub(crate) fn built_index(archive: &PlainArchive, memory: usize) -> Vec<u8> {
    let mut builder = Builder::new(archive.options(memory));
    archive.feed(&mut builder, 0);
    let mut out = Vec::new();
    let sizes = builder
        .finish(archive.bytes.len() as u64, &mut out)
        .unwrap();
    assert_eq!(sizes.total, out.len() as u64);
    out
}

/// Makes all checksums right, as far as the trailer says where they are.
pub(crate) fn seal(index: &mut [u8]) {
    let Some(trailer) = index.len().checked_sub(96) else {
        return;
    };
    let number = |at: usize| u64::from_le_bytes(index[at..at + 8].try_into().unwrap());
    let Ok(sums) = usize::try_from(number(trailer + 56)) else {
        return;
    };
    let table = sums.saturating_add(sums.div_ceil(16_384) * 4);
    if table > trailer {
        return;
    }
    for page in 0..sums.div_ceil(16_384) {
        let sum = crc32fast::hash(&index[page * 16_384..sums.min((page + 1) * 16_384)]);
        index[sums + 4 * page..sums + 4 * page + 4].copy_from_slice(&sum.to_le_bytes());
    }
    let sum = crc32fast::hash(&index[sums..table]);
    index[trailer + 64..trailer + 68].copy_from_slice(&sum.to_le_bytes());
    let mut crc = crc32fast::Hasher::new();
    crc.update(&index[..16]);
    crc.update(&index[table..trailer + 80]);
    index[trailer + 80..trailer + 84].copy_from_slice(&crc.finalize().to_le_bytes());
}
