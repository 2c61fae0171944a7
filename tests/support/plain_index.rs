//! Random games as an index sees them, and an index of them made the plain way: from the words of
//! spec/index.md, all in memory, with none of the program's own code; and, beside it, the
//! program's.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use pgc::internals::index::BuildOptions;
use pgc::internals::index::{Builder, Facts, Fetch, Summaries};
use pgc::internals::pgn::Termination;
use pgc::internals::pgn::Wholeness;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

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
    pub(crate) hash: u64,
    pub(crate) movetext: String,
}

impl PlainGame {
    /// The value of the first tag with this name.
    pub(crate) fn tag(&self, name: &str) -> Option<&str> {
        self.tags
            .iter()
            .find(|tag| tag.0 == name)
            .map(|tag| tag.1.as_str())
    }

    /// As an index has it.
    pub(crate) fn value(&self, name: &str) -> &str {
        let value = self.tag(name).unwrap_or("?");
        let end = (0..=value.len().min(1024))
            .rev()
            .find(|&end| value.is_char_boundary(end))
            .unwrap();
        &value[..end]
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
            | self.rules() << 9
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
            play: 0,
            opening: 0,
            hash: self.hash,
        };
        summaries.push(
            self.tags
                .iter()
                .map(|(name, value)| (name.as_bytes(), value.as_bytes())),
            &facts,
        );
    }

    fn date_bits(&self) -> u64 {
        let (eight, odd) = self.date();
        let digits: u64 = eight.replace('?', "0").parse().unwrap();
        digits | (eight.find('?').unwrap_or(8) as u64) << 27 | u64::from(odd) << 31
    }
}

/// The characters of a date that is understood.
fn eight(value: &str) -> Option<String> {
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
        "1/2-1/2" | "1/2" => 3,
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

pub(crate) struct PlainBlock {
    pub(crate) offset: u64,
    pub(crate) crc: u32,
    pub(crate) games: usize,
}

pub(crate) struct PlainSegment {
    pub(crate) offset: u64,
    pub(crate) end: u64,
    pub(crate) head: usize,
    pub(crate) tail: usize,
    pub(crate) blocks: Vec<PlainBlock>,
}

/// Games in their blocks, and bytes that stand for an archive.
pub(crate) struct PlainArchive {
    pub(crate) bytes: Vec<u8>,
    pub(crate) segments: Vec<PlainSegment>,
    pub(crate) games: Vec<PlainGame>,
    pub(crate) hashes: bool,
}

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

/// A game; `own_sites`: nearly each has a site of its own.
fn game(random: &mut Random, own_sites: bool) -> PlainGame {
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
    let site = if own_sites {
        format!("https://lichess.org/{:08x}", random.next())
    } else {
        random.pick(&SITES).to_owned()
    };
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
            .pick(&["1-0", "0-1", "1/2-1/2", "1/2", "*", "won", ""])
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
                    "Suicide",
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
    game.hash = random.next() << 20 ^ random.next();
    game.movetext = random
        .pick(&["1. e4 e5 1-0\n", "1. e4 1-0\n", "*\n", "1. d4 *\n"])
        .into();
    game
}

/// A random archive with so many games.
pub(crate) fn archive(seed: u64, count: usize) -> PlainArchive {
    let mut random = Random::new(seed);
    let own_sites = random.once_in(2);
    let mut games: Vec<PlainGame> = Vec::with_capacity(count);
    for i in 0..count {
        // Some are the same game again, or nearly.
        if i > 0 && random.once_in(15) {
            let mut again = games[random.below(i)].clone();
            if random.once_in(2) {
                again.movetext.push('x');
            }
            games.push(again);
        } else {
            games.push(game(&mut random, own_sites));
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
        hashes: random.once_in(2),
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
        let largest = integers.iter().max().copied().unwrap_or(0);
        let width = (1..8)
            .find(|&width| largest < 1 << (8 * width))
            .unwrap_or(8);
        let bytes: Vec<u8> = integers
            .iter()
            .flat_map(|n| n.to_le_bytes()[..width].to_vec())
            .collect();
        self.put(kind, width, &bytes, integers.len());
    }

    /// A table, from its values in their order, with the games of each.
    fn table(
        &mut self,
        kind: u32,
        values: &[&str],
        games: Option<&BTreeMap<&str, BTreeSet<usize>>>,
    ) {
        let ends = |lens: &mut dyn Iterator<Item = usize>| {
            let mut ends = vec![0];
            lens.for_each(|len| ends.push(ends.last().unwrap() + len as u64));
            ends
        };
        self.integers(kind, &ends(&mut values.iter().map(|v| v.len())));
        let all = values.concat();
        self.put(kind + 1, 0, all.as_bytes(), all.len());
        let Some(games) = games else { return };
        let mut postings: Vec<Vec<u8>> = Vec::new();
        for value in values {
            let list: Vec<usize> = games[value].iter().copied().collect();
            let mut numbers = vec![list.len(), list[0]];
            numbers.extend(list.windows(2).map(|two| two[1] - two[0] - 1));
            let mut bytes = Vec::new();
            for mut number in numbers {
                while number >= 128 {
                    bytes.push(u8::try_from(number % 128 + 128).unwrap());
                    number /= 128;
                }
                bytes.push(u8::try_from(number).unwrap());
            }
            postings.push(bytes);
        }
        self.integers(kind + 2, &ends(&mut postings.iter().map(Vec::len)));
        let all = postings.concat();
        self.put(kind + 3, 0, &all, all.len());
        let mut words: Vec<(String, u64)> = Vec::new();
        for (place, value) in values.iter().enumerate() {
            let all = plain_words(value);
            for (number, word) in all.iter().enumerate().take(512) {
                if !all[..number].contains(word) {
                    words.push((word.clone(), (place * 512 + number) as u64));
                }
            }
        }
        words.sort();
        self.integers(
            kind + 4,
            &words.iter().map(|word| word.1).collect::<Vec<_>>(),
        );
    }
}

/// Whether the sites of these games are left out, and their sketch.
fn sketch(games: &[PlainGame]) -> Option<Vec<u64>> {
    let sites: BTreeSet<&str> = games.iter().map(|game| game.value("Site")).collect();
    let hash = |site: &&str| {
        u64::from_le_bytes(
            blake3::hash(site.as_bytes()).as_bytes()[..8]
                .try_into()
                .unwrap(),
        )
    };
    let hashes: BTreeSet<u64> = sites.iter().map(hash).collect();
    let sketch: Vec<u64> = hashes.into_iter().take(1024).collect();
    let distinct = if sketch.len() < 1024 {
        sketch.len() as f64
    } else {
        1023.0 * 2_f64.powi(64) / *sketch.last().unwrap() as f64
    };
    (games.len() > 1000 && 4.0 * distinct > 3.0 * games.len() as f64).then_some(sketch)
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
    let (events, sites, players) = (
        sorted(&["Event"]),
        sorted(&["Site"]),
        sorted(&["White", "Black"]),
    );
    let mut rounds = sorted(&["Round"]);
    rounds.sort_by_key(|round| round_key(round));
    let place =
        |table: &[&str], value: &str| table.iter().position(|&v| v == value).unwrap() as u64;
    // Of many values, quickly.
    let places = |table: &[&str], name: &str| -> Vec<u64> {
        let places: BTreeMap<&str, u64> = table.iter().map(|&v| (v, place(table, v))).collect();
        games.iter().map(|game| places[game.value(name)]).collect()
    };
    let sketch = sketch(games);
    let each = |of: &dyn Fn(&PlainGame) -> u64| games.iter().map(of).collect::<Vec<_>>();
    sections.integers(0x10, &each(&PlainGame::date_bits));
    sections.integers(0x11, &places(&events, "Event"));
    if sketch.is_none() {
        sections.integers(0x12, &places(&sites, "Site"));
    }
    sections.integers(0x13, &places(&rounds, "Round"));
    sections.integers(0x14, &places(&players, "White"));
    sections.integers(0x15, &places(&players, "Black"));
    sections.integers(0x16, &each(&|game| game.elo("WhiteElo").into()));
    sections.integers(0x17, &each(&|game| game.elo("BlackElo").into()));
    sections.integers(0x18, &each(&|game| game.eco().into()));
    sections.integers(0x19, &each(&|game| game.plies.into()));
    sections.integers(0x1a, &each(&|game| game.flags().into()));
    let mut order: Vec<usize> = (0..games.len()).collect();
    order.sort_by_cached_key(|&i| {
        let game = &games[i];
        let own = |name: &str| game.value(name).to_owned();
        let (class, integers, text, _) = round_key(game.value("Round"));
        let names = (
            own("Event"),
            own("Site"),
            (class, integers, text.to_owned()),
            own("White"),
            own("Black"),
        );
        (
            game.date().0.replace('?', "0"),
            names,
            game.result(),
            game.movetext.clone(),
            i,
        )
    });
    sections.integers(0x1b, &order.iter().map(|&i| i as u64).collect::<Vec<_>>());
    if archive.hashes {
        sections.integers(0x1c, &each(&|game| game.hash));
    }
    let mut dates: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for bits in each(&|game| game.date_bits()) {
        *dates.entry((bits & 0x7ff_ffff, bits)).or_default() += 1;
    }
    sections.integers(
        0x1d,
        &dates.keys().map(|&(_, bits)| bits).collect::<Vec<_>>(),
    );
    let mut ranks = vec![0];
    for games in dates.values() {
        ranks.push(ranks.last().unwrap() + games);
    }
    sections.integers(0x1e, &ranks);
    let games_of = |names: &[&str]| {
        let mut found: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (i, game) in games.iter().enumerate() {
            for name in names {
                found.entry(game.value(name)).or_default().insert(i);
            }
        }
        found
    };
    sections.table(0x20, &events, Some(&games_of(&["Event"])));
    match &sketch {
        None => sections.table(0x30, &sites, Some(&games_of(&["Site"]))),
        Some(sketch) => sections.integers(0x35, sketch),
    }
    sections.table(0x40, &rounds, None);
    sections.table(0x50, &players, Some(&games_of(&["White", "Black"])));

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
    trailer.extend_from_slice(&[0; 8]);
    trailer.extend_from_slice(&((out.len() + 96) as u64).to_le_bytes());
    trailer.extend_from_slice(&[0; 8]);
    trailer.extend_from_slice(b"\x1a\x0a\x0dICGP\x89");
    out.extend_from_slice(&trailer);
    seal(&mut out);
    out
}

/// The same index, as the program makes it.
pub(crate) fn built_index(archive: &PlainArchive, memory: usize) -> Vec<u8> {
    struct Movetexts<'g>(&'g [PlainGame]);
    impl Fetch for Movetexts<'_> {
        fn movetexts(
            &mut self,
            games: &[u32],
            each: &mut dyn FnMut(u32, &[u8]) -> io::Result<()>,
        ) -> io::Result<()> {
            games
                .iter()
                .try_for_each(|&game| each(game, self.0[game as usize].movetext.as_bytes()))
        }
        fn sites(
            &mut self,
            _: &[u32],
            _: &mut dyn FnMut(u32, &str) -> io::Result<()>,
        ) -> io::Result<()> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }
    let mut builder = Builder::new(BuildOptions {
        memory,
        temp_dir: std::env::temp_dir(),
        hashes: archive.hashes,
    });
    let mut rest = archive.games.as_slice();
    for segment in &archive.segments {
        builder.segment_begins(segment.offset);
        for block in &segment.blocks {
            builder.block(block.offset, block.crc).unwrap();
            let (games, after) = rest.split_at(block.games);
            let mut summaries = Summaries::new();
            games.iter().for_each(|game| game.put(&mut summaries));
            builder.games(&summaries).unwrap();
            rest = after;
        }
        let record =
            |from: u64, len: usize| &archive.bytes[usize::try_from(from).unwrap()..][..len];
        let tail = record(segment.end - segment.tail as u64, segment.tail);
        builder.segment_ends(segment.end, record(segment.offset, segment.head), tail);
    }
    let mut out = Vec::new();
    builder
        .finish(
            archive.bytes.len() as u64,
            &mut Movetexts(&archive.games),
            &mut out,
        )
        .unwrap();
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
