//! The builder of indexes against a slow one that is written straight from spec/index.md: the same
//! bytes, whatever the memory, however many runs, built at once or by appending.

use std::collections::BTreeMap;
use std::io;

use pgc::internals::index::{BuildOptions, IndexError};
use pgc::internals::index::{Builder, Facts, Fetch, GameSummary, IndexFrame, Summaries};
use pgc::internals::pgn::Termination;
use pgc::internals::pgn::Wholeness;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::support::random::Random;

/// A game as the archive has it.
#[derive(Clone, Debug)]
struct Game {
    tags: Vec<(&'static str, Vec<u8>)>,
    facts: Facts,
    movetext: Vec<u8>,
}

/// Blocks of games, and where they lie.
#[derive(Clone, Debug)]
struct Segment {
    len: u64,
    head: usize,
    tail: usize,
    blocks: Vec<Vec<Game>>,
}

/// Bytes that look like nothing, but are the same for the same offset in the same segment.
fn segment_bytes(segment: &Segment) -> Vec<u8> {
    let seed = segment.blocks.iter().flatten().count() as u64 + segment.len * 7;
    Random::new(seed).bytes(usize::try_from(segment.len).unwrap())
}

fn archive_bytes(segments: &[Segment]) -> Vec<u8> {
    segments.iter().flat_map(segment_bytes).collect()
}

fn crc_of_block(block: &[Game]) -> u32 {
    block
        .iter()
        .map(|game| game.facts.plies)
        .fold(7, |crc, plies| crc.wrapping_mul(31).wrapping_add(plies))
}

fn summaries(games: &[Game]) -> Summaries {
    let mut list = Summaries::new();
    for game in games {
        list.push(
            game.tags
                .iter()
                .map(|(name, value)| (name.as_bytes(), value.as_slice())),
            &game.facts,
        );
    }
    list
}

/// What of random games is to be random.
#[derive(Clone, Copy, Debug)]
struct Mix {
    players: usize,
    events: usize,
    sites: usize,
    days: usize,
    movetexts: usize,
}

const FEW: Mix = Mix {
    players: 3,
    events: 2,
    sites: 2,
    days: 3,
    movetexts: 3,
};
const SOME: Mix = Mix {
    players: 40,
    events: 12,
    sites: 9,
    days: 40,
    movetexts: 4,
};
const OWN_SITES: Mix = Mix {
    players: 30,
    events: 2,
    sites: 1_000_000,
    days: 5,
    movetexts: 2,
};

fn name(random: &mut Random, pool: usize) -> Vec<u8> {
    const PARTS: [&str; 14] = [
        "Carlsen",
        "Polg\u{e1}r",
        "\u{141}\u{f3}d\u{17a}",
        "\u{412}\u{430}\u{441}\u{438}\u{43b}\u{438}\u{439}",
        "a",
        "Gro\u{df}",
        "van der",
        "O'Kelly",
        "\u{fdfa}",
        "Zsuzsa",
        "Nakamura, Hi",
        "\u{130}stanbul",
        "\u{df}",
        "x y",
    ];
    let number = random.below(pool);
    match number % 11 {
        0 => b"?".to_vec(),
        1 => Vec::new(),
        2 => vec![b'J', 0xe9, b'a', u8::try_from(number % 100).unwrap() + 33],
        3 => "n ".repeat(700).into_bytes(),
        _ => format!(
            "{} {}, {}",
            PARTS[number % 14],
            number / 14,
            PARTS[number / 3 % 14]
        )
        .into_bytes(),
    }
}

fn game(random: &mut Random, mix: Mix) -> Game {
    let mut tags: Vec<(&'static str, Vec<u8>)> = Vec::new();
    let rounds = [
        "?",
        "-",
        "1",
        "2",
        "10",
        "1.2",
        "1.10",
        "01",
        "Final",
        "",
        "3.",
        "3..2",
        "1.2x",
        "99999999999999999999",
    ];
    let day = random.below(mix.days);
    let dates = [
        format!(
            "19{:02}.{:02}.{:02}",
            day % 7 + 90,
            day % 12 + 1,
            day % 28 + 1
        ),
        "????.??.??".into(),
        "1992".into(),
        "1992.05.??".into(),
        "May".into(),
    ];
    if !random.once_in(20) {
        tags.push(("Event", name(random, mix.events)));
        tags.push((
            "Site",
            format!("https://a.example/{}", random.below(mix.sites)).into_bytes(),
        ));
        let which = if random.once_in(6) {
            random.below(5)
        } else {
            0
        };
        tags.push(("Date", dates[which].clone().into_bytes()));
        tags.push(("Round", random.pick(&rounds).as_bytes().to_vec()));
        tags.push(("White", name(random, mix.players)));
        tags.push(("Black", name(random, mix.players)));
        tags.push((
            "Result",
            random
                .pick(&["1-0", "0-1", "*", "1/2-1/2", "?"])
                .as_bytes()
                .to_vec(),
        ));
    }
    if random.once_in(2) {
        tags.push(("WhiteElo", random.below(3000).to_string().into_bytes()));
        tags.push((
            "ECO",
            random
                .pick(&["A00", "e99", "B12/03", "?"])
                .as_bytes()
                .to_vec(),
        ));
    }
    if random.once_in(30) {
        tags.push(("Variant", b"Atomic".to_vec()));
    }
    let text = random.below(mix.movetexts);
    let mut facts = Facts {
        terminator: random.pick(&[None, Some(Termination::Draw), Some(Termination::WhiteWins)]),
        wholeness: random.pick(&[Wholeness::Whole, Wholeness::Whole, Wholeness::Tail]),
        plies: u32::try_from(random.below(300)).unwrap(),
        comments: random.once_in(3),
        variations: random.once_in(5),
        nags: random.once_in(7),
        // Known of some games, and the same for the same movetext.
        play: if random.once_in(3) {
            0
        } else {
            text as u64 + if mix.movetexts > 2 { 1 } else { 100 }
        },
        opening: 0,
        hash: random.next(),
    };
    // Likewise, in the order of the movetexts.
    if !facts.hash.is_multiple_of(4) {
        facts.opening = match text {
            1 | 2 if mix.movetexts > 2 => 200 << 56,
            text => (text as u64 + 2) << 56,
        };
    }
    let movetext = match text {
        // The first 65,536 bytes count, so these two are equal.
        1 => [vec![b'm'; 65_536], vec![b'a']].concat(),
        2 => [vec![b'm'; 65_536], vec![b'b']].concat(),
        text => format!("1. e4 e5 {text} *\n").into_bytes(),
    };
    Game {
        tags,
        facts,
        movetext: if mix.movetexts > 2 {
            movetext
        } else {
            text.to_string().into_bytes()
        },
    }
}

fn segments(random: &mut Random, games: usize, count: usize, mix: Mix) -> Vec<Segment> {
    let mut list = Vec::new();
    for i in 0..count {
        let mut left = if i + 1 == count {
            games - games / count * i
        } else {
            games / count
        };
        let mut blocks = Vec::new();
        while left > 0 {
            let n = (random.below(left) + 1).min(200);
            blocks.push((0..n).map(|_| game(random, mix)).collect());
            left -= n;
        }
        let len = 100 + random.below(5000) as u64;
        list.push(Segment {
            len,
            head: 20 + random.below(20),
            tail: 10 + random.below(20),
            blocks,
        });
    }
    list
}

/// Answers from the games in memory.
struct Games<'g> {
    games: Vec<&'g Game>,
    asked: usize,
    sites: usize,
}

impl<'g> Games<'g> {
    fn of(segments: &'g [Segment]) -> Games<'g> {
        Games {
            games: segments.iter().flat_map(|s| &s.blocks).flatten().collect(),
            asked: 0,
            sites: 0,
        }
    }
}

impl Fetch for Games<'_> {
    fn movetexts(
        &mut self,
        games: &[u32],
        each: &mut dyn FnMut(u32, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        assert!(games.is_sorted_by(|a, b| a < b));
        self.asked += games.len();
        games
            .iter()
            .try_for_each(|&game| each(game, &self.games[game as usize].movetext))
    }

    fn sites(
        &mut self,
        games: &[u32],
        each: &mut dyn FnMut(u32, &str) -> io::Result<()>,
    ) -> io::Result<()> {
        assert!(games.is_sorted_by(|a, b| a < b));
        self.sites += games.len();
        for &game in games {
            let list = summaries(std::slice::from_ref(self.games[game as usize]));
            each(game, list.iter().next().unwrap().site)?;
        }
        Ok(())
    }
}

fn options(memory: usize) -> BuildOptions {
    BuildOptions {
        memory,
        temp_dir: std::env::temp_dir(),
        hashes: true,
    }
}

/// Gives segments to a builder.
fn feed(builder: &mut Builder<'_>, segments: &[Segment], mut offset: u64) {
    for segment in segments {
        builder.segment_begins(offset);
        for (i, block) in segment.blocks.iter().enumerate() {
            builder
                .block(offset + segment.head as u64 + i as u64, crc_of_block(block))
                .unwrap();
            // It does not matter in how many pieces they come.
            for games in block.chunks(50) {
                builder.games(&summaries(games)).unwrap();
            }
        }
        let bytes = segment_bytes(segment);
        let (head, tail) = (&bytes[..segment.head], &bytes[bytes.len() - segment.tail..]);
        offset += segment.len;
        builder.segment_ends(offset, head, tail);
    }
}

fn length(segments: &[Segment]) -> u64 {
    segments.iter().map(|segment| segment.len).sum()
}

fn built(segments: &[Segment], memory: usize) -> Vec<u8> {
    let mut builder = Builder::new(options(memory));
    feed(&mut builder, segments, 0);
    let mut out = Vec::new();
    let sizes = builder
        .finish(length(segments), &mut Games::of(segments), &mut out)
        .unwrap();
    assert_eq!(sizes.total, out.len() as u64);
    out
}

/// The file, section by section.
#[derive(Default)]
struct Slow {
    bytes: Vec<u8>,
    table: Vec<u8>,
    sections: u32,
}

impl Slow {
    fn section(&mut self, kind: u32, width: u32, bytes: &[u8], count: usize) {
        while !self.bytes.len().is_multiple_of(8) {
            self.bytes.push(0);
        }
        let numbers = [self.bytes.len() as u64, bytes.len() as u64, count as u64];
        self.table
            .extend([kind, width].iter().flat_map(|n| n.to_le_bytes()));
        self.table
            .extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
        self.sections += 1;
        self.bytes.extend_from_slice(bytes);
    }

    fn bytes(&mut self, kind: u32, bytes: &[u8]) {
        self.section(kind, 0, bytes, bytes.len());
    }

    fn integers(&mut self, kind: u32, numbers: &[u64]) {
        let largest = numbers.iter().copied().max().unwrap_or(0);
        let width = (1..=8_u32)
            .find(|&w| w == 8 || largest < 1 << (8 * w))
            .unwrap();
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|n| n.to_le_bytes()[..width as usize].to_vec())
            .collect();
        self.section(kind, width, &bytes, numbers.len());
    }

    fn end(mut self, games: usize, archive: &[u8], segments: &[Segment]) -> Vec<u8> {
        while !self.bytes.len().is_multiple_of(8) {
            self.bytes.push(0);
        }
        let sums: Vec<u8> = self
            .bytes
            .chunks(16_384)
            .flat_map(|page| crc32fast::hash(page).to_le_bytes())
            .collect();
        let mut digest = blake3::Hasher::new();
        let mut offset = 0;
        for segment in segments {
            let end = offset + usize::try_from(segment.len).unwrap();
            digest.update(&archive[offset..offset + segment.head]);
            digest.update(&archive[end - segment.tail..end]);
            offset = end;
        }
        let mut trailer = Vec::new();
        trailer.extend(self.sections.to_le_bytes());
        trailer.extend(0_u32.to_le_bytes());
        trailer.extend((games as u64).to_le_bytes());
        trailer.extend((archive.len() as u64).to_le_bytes());
        trailer.extend(digest.finalize().as_bytes());
        trailer.extend((self.bytes.len() as u64).to_le_bytes());
        trailer.extend(crc32fast::hash(&sums).to_le_bytes());
        trailer.extend([0; 4]);
        trailer
            .extend(((self.bytes.len() + sums.len() + self.table.len() + 96) as u64).to_le_bytes());
        let checked = [&self.bytes[..16], &self.table, &trailer].concat();
        trailer.extend(crc32fast::hash(&checked).to_le_bytes());
        trailer.extend([0; 4]);
        trailer.extend(self.bytes[..8].iter().rev());
        [self.bytes, sums, self.table, trailer].concat()
    }
}

type RoundKey = (u8, Vec<(usize, String)>, String);

/// The key of a value of Round: class, integers (by length and digits), what stands behind them;
/// and in a table all bytes.
fn round_key(round: &str) -> (RoundKey, String) {
    let class = match round {
        "?" => 0,
        "-" => 1,
        _ if round.starts_with(|c: char| c.is_ascii_digit()) => 2,
        _ => 3,
    };
    let mut integers = Vec::new();
    let mut behind = 0;
    for part in round.split('.') {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        if digits.is_empty() {
            break;
        }
        behind += digits.len() + usize::from(!integers.is_empty());
        let integer = digits.trim_start_matches('0').to_owned();
        integers.push((integer.len(), integer));
        if digits.len() < part.len() {
            break;
        }
    }
    (
        (class, integers, round[behind..].to_owned()),
        round.to_owned(),
    )
}

fn fold(value: &str) -> String {
    let mut out = String::new();
    for c in value
        .nfkd()
        .filter(|&c| !is_combining_mark(c))
        .flat_map(char::to_lowercase)
    {
        match c {
            '\u{df}' => out.push_str("ss"),
            '\u{142}' => out.push('l'),
            '\u{131}' => out.push('i'),
            c => out.push(c),
        }
    }
    out
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number > 127 {
        out.push(u8::try_from(number % 128).unwrap() + 128);
        number /= 128;
    }
    out.push(u8::try_from(number).unwrap());
}

/// A table: its values in their order, each with its games.
fn slow_table(slow: &mut Slow, table: u32, values: &[(String, Vec<u64>)]) {
    let offsets = |lens: &mut dyn Iterator<Item = usize>| {
        let mut all = vec![0];
        lens.for_each(|len| all.push(all[all.len() - 1] + len as u64));
        all
    };
    slow.integers(table, &offsets(&mut values.iter().map(|v| v.0.len())));
    slow.bytes(
        table + 1,
        &values.iter().flat_map(|v| v.0.bytes()).collect::<Vec<u8>>(),
    );
    if table == 0x40 {
        return;
    }
    let lists: Vec<Vec<u8>> = values
        .iter()
        .map(|(_, games)| {
            let mut out = Vec::new();
            varint(games.len() as u64, &mut out);
            varint(games[0], &mut out);
            games
                .windows(2)
                .for_each(|pair| varint(pair[1] - pair[0] - 1, &mut out));
            out
        })
        .collect();
    slow.integers(table + 2, &offsets(&mut lists.iter().map(Vec::len)));
    slow.bytes(table + 3, &lists.concat());
    let mut words = Vec::new();
    for (id, (value, _)) in (0_u64..).zip(values) {
        let mut seen: Vec<String> = Vec::new();
        let folded = fold(value);
        let all = folded
            .split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty());
        for (n, word) in (0_u64..512).zip(all) {
            if !seen.iter().any(|other| other == word) {
                seen.push(word.to_owned());
                words.push((word.to_owned(), id * 512 + n));
            }
        }
    }
    words.sort();
    slow.integers(
        table + 4,
        &words.iter().map(|word| word.1).collect::<Vec<_>>(),
    );
}

/// Whether sites are left out, and the sketch.
fn slow_sketch(games: &[GameSummary<'_>]) -> (bool, Vec<u64>) {
    let mut sites: Vec<&str> = games.iter().map(|game| game.site).collect();
    sites.sort_unstable();
    sites.dedup();
    let hash = |site: &&str| {
        u64::from_le_bytes(
            blake3::hash(site.as_bytes()).as_bytes()[..8]
                .try_into()
                .unwrap(),
        )
    };
    let mut hashes: Vec<u64> = sites.iter().map(hash).collect();
    hashes.sort_unstable();
    hashes.truncate(1024);
    let number = if hashes.len() < 1024 {
        hashes.len() as f64
    } else {
        1023.0 * 2_f64.powi(64) / hashes[1023] as f64
    };
    (
        games.len() > 1000 && 4.0 * number > 3.0 * games.len() as f64,
        hashes,
    )
}

/// All of spec/index.md, with simple sorts.
fn slow(segments: &[Segment]) -> Vec<u8> {
    let games: Vec<&Game> = segments.iter().flat_map(|s| &s.blocks).flatten().collect();
    let lists: Vec<Summaries> = games
        .iter()
        .map(|game| summaries(std::slice::from_ref(*game)))
        .collect();
    let all: Vec<GameSummary<'_>> = lists
        .iter()
        .map(|list| list.iter().next().unwrap())
        .collect();
    let mut slow = Slow {
        bytes: b"\x89PGCI\r\n\x1a\x01\0\0\0\0\0\0\0".to_vec(),
        ..Slow::default()
    };
    let (mut segment_entries, mut block_entries) = (Vec::new(), Vec::new());
    let (mut offset, mut game, mut block) = (0_u64, 0_u32, 0_u32);
    for segment in segments {
        [offset, offset + segment.len]
            .iter()
            .for_each(|n| segment_entries.extend(n.to_le_bytes()));
        let sizes = [segment.head, segment.tail].map(|n| u32::try_from(n).unwrap());
        sizes
            .iter()
            .chain(&[game, block])
            .for_each(|n| segment_entries.extend(n.to_le_bytes()));
        for (i, games) in segment.blocks.iter().enumerate() {
            block_entries.extend((offset + (segment.head + i) as u64).to_le_bytes());
            block_entries.extend(game.to_le_bytes());
            block_entries.extend(crc_of_block(games).to_le_bytes());
            game += u32::try_from(games.len()).unwrap();
            block += 1;
        }
        offset += segment.len;
    }
    slow.section(0x01, 0, &segment_entries, segments.len());
    slow.section(0x02, 0, &block_entries, block as usize);

    let mut tables: [BTreeMap<&str, Vec<u64>>; 4] = Default::default();
    for (i, game) in (0_u64..).zip(&all) {
        for (table, value) in [
            (0, game.event),
            (1, game.site),
            (2, game.round),
            (3, game.white),
            (3, game.black),
        ] {
            let games = tables[table].entry(value).or_default();
            if games.last() != Some(&i) {
                games.push(i);
            }
        }
    }
    let [events, sites, rounds, players] = tables.map(|table| {
        table
            .into_iter()
            .map(|(value, games)| (value.to_owned(), games))
            .collect::<Vec<(String, Vec<u64>)>>()
    });
    let mut rounds = rounds;
    rounds.sort_by_key(|(round, _)| round_key(round));
    let place = |table: &[(String, Vec<u64>)], value: &str| {
        table.iter().position(|v| v.0 == value).unwrap() as u64
    };
    let column = |of: &dyn Fn(&GameSummary<'_>) -> u64| all.iter().map(of).collect::<Vec<u64>>();
    let (no_sites, sketch) = slow_sketch(&all);

    slow.integers(0x10, &column(&|game| u64::from(game.date.bits())));
    slow.integers(0x11, &column(&|game| place(&events, game.event)));
    if !no_sites {
        slow.integers(0x12, &column(&|game| place(&sites, game.site)));
    }
    slow.integers(0x13, &column(&|game| place(&rounds, game.round)));
    slow.integers(0x14, &column(&|game| place(&players, game.white)));
    slow.integers(0x15, &column(&|game| place(&players, game.black)));
    slow.integers(0x16, &column(&|game| u64::from(game.white_elo)));
    slow.integers(0x17, &column(&|game| u64::from(game.black_elo)));
    slow.integers(0x18, &column(&|game| u64::from(game.eco)));
    slow.integers(0x19, &column(&|game| u64::from(game.plies)));
    slow.integers(0x1a, &column(&|game| u64::from(game.flags.bits())));
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_cached_key(|&i| {
        let game = &all[i];
        let digits = game.date.bits() & 0x7ff_ffff;
        let names = (
            game.event,
            game.site,
            round_key(game.round).0,
            game.white,
            game.black,
        );
        let text = games[i].movetext[..games[i].movetext.len().min(65_536)].to_vec();
        (digits, names, game.flags.bits() & 3, text, i)
    });
    slow.integers(0x1b, &order.iter().map(|&i| i as u64).collect::<Vec<_>>());
    slow.integers(0x1c, &column(&|game| game.hash));
    let mut dates: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for game in &all {
        *dates
            .entry((game.date.digits(), game.date.bits()))
            .or_default() += 1;
    }
    slow.integers(
        0x1d,
        &dates
            .keys()
            .map(|&(_, bits)| u64::from(bits))
            .collect::<Vec<_>>(),
    );
    let earlier = dates.values().scan(0, |rank, games| {
        Some(std::mem::replace(rank, *rank + games))
    });
    let ranks: Vec<u64> = earlier.chain([all.len() as u64]).collect();
    slow.integers(0x1e, &ranks);
    slow_table(&mut slow, 0x20, &events);
    if no_sites {
        slow.integers(0x35, &sketch);
    } else {
        slow_table(&mut slow, 0x30, &sites);
    }
    slow_table(&mut slow, 0x40, &rounds);
    slow_table(&mut slow, 0x50, &players);
    slow.end(all.len(), &archive_bytes(segments), segments)
}

/// Where two files differ, by section.
fn assert_same(what: &str, is: &[u8], expected: &[u8]) {
    if is == expected {
        return;
    }
    let frames = [is, expected]
        .map(|bytes| IndexFrame::parse(bytes).unwrap_or_else(|e| panic!("{what}: {e}")));
    for section in frames[1].sections() {
        let own = frames[0]
            .section(section.kind)
            .unwrap_or_else(|| panic!("{what}: no section {:#x}", section.kind));
        assert_eq!(
            own.width, section.width,
            "{what}: width of {:#x}",
            section.kind
        );
        let (a, b) = (own.bytes(is), section.bytes(expected));
        if a != b {
            let at = a.iter().zip(b).take_while(|(a, b)| a == b).count();
            panic!(
                "{what}: section {:#x} ({} and {} bytes) differs at {at}",
                section.kind,
                a.len(),
                b.len()
            );
        }
    }
    assert_eq!(
        frames[0].sections().len(),
        frames[1].sections().len(),
        "{what}"
    );
    panic!("{what}: what is around the sections differs");
}

const MEMORIES: [usize; 5] = [0, 20_000, 100_000, 1_000_000, 1 << 30];

#[test]
fn bytes_are_those_of_the_text_with_any_memory() {
    let cases = [
        (0, 0, FEW),
        (0, 1, FEW),
        (1, 1, FEW),
        (300, 2, FEW),
        (1000, 3, SOME),
        (1000, 1, OWN_SITES),
        (1001, 1, OWN_SITES),
        (3000, 7, OWN_SITES),
        (3000, 4, SOME),
    ];
    for (seed, (games, count, mix)) in (1..).zip(cases) {
        let segments = segments(&mut Random::new(seed), games, count, mix);
        let expected = slow(&segments);
        for memory in MEMORIES {
            let what = format!("{games} games, {mix:?}, memory {memory}");
            assert_same(&what, &built(&segments, memory), &expected);
        }
    }
}

/// How the parts of an archive come to the builder.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    Games,
    Index,
}

/// Appends, or feeds, the segments at these places one after the other. Returns the index and how
/// many sites and movetexts were asked for.
fn joined(
    segments: &[Segment],
    cuts: &[usize],
    how: &[How],
    memory: usize,
) -> (Vec<u8>, usize, usize) {
    let parts: Vec<&[Segment]> = cuts
        .windows(2)
        .map(|pair| &segments[pair[0]..pair[1]])
        .collect();
    let indexes: Vec<Vec<u8>> = parts.iter().map(|part| built(part, memory)).collect();
    let mut builder = Builder::new(options(memory));
    let mut base = 0;
    for ((part, index), how) in parts.iter().zip(&indexes).zip(how) {
        match how {
            How::Games => feed(&mut builder, part, base),
            How::Index => builder.append(index, &archive_bytes(part), base).unwrap(),
        }
        base += length(part);
    }
    let (mut out, mut fetch) = (Vec::new(), Games::of(segments));
    builder
        .finish(length(segments), &mut fetch, &mut out)
        .unwrap();
    (out, fetch.sites, fetch.asked)
}

#[test]
fn appending_is_building() {
    use How::{Games, Index};
    let ways: [&[How]; 5] = [
        &[Index, Games],
        &[Games, Index],
        &[Index, Index],
        &[Index, Games, Index, Games],
        &[Games, Index, Index],
    ];
    // Sites: always there; left out before and after; left out in parts, but not in the whole, or
    // the other way about.
    let mut random = Random::new(99);
    let own = |random: &mut Random, games| segments(random, games, 2, OWN_SITES);
    let some = |random: &mut Random, games| segments(random, games, 2, SOME);
    let cases = [
        [
            some(&mut random, 500),
            some(&mut random, 300),
            some(&mut random, 10),
            some(&mut random, 700),
        ],
        [
            own(&mut random, 1500),
            own(&mut random, 1200),
            own(&mut random, 20),
            own(&mut random, 1100),
        ],
        [
            own(&mut random, 1500),
            some(&mut random, 1500),
            own(&mut random, 900),
            some(&mut random, 700),
        ],
        [
            own(&mut random, 900),
            own(&mut random, 900),
            some(&mut random, 10),
            own(&mut random, 2000),
        ],
        [
            own(&mut random, 1100),
            own(&mut random, 0),
            some(&mut random, 2000),
            own(&mut random, 1),
        ],
    ];
    for (i, case) in cases.iter().enumerate() {
        let all: Vec<Segment> = case.concat();
        for how in ways {
            let segments = &all[..2 * how.len()];
            let cuts: Vec<usize> = (0..=how.len()).map(|n| 2 * n).collect();
            let expected = built(segments, 1 << 30);
            if i < 3 {
                assert_same(&format!("case {i}"), &expected, &slow(segments));
            }
            for memory in [0, 100_000, 1 << 30] {
                let (bytes, ..) = joined(segments, &cuts, how, memory);
                assert_same(
                    &format!("case {i}, {how:?}, memory {memory}"),
                    &bytes,
                    &expected,
                );
            }
        }
    }
}

#[test]
fn appending_asks_only_for_what_decides() {
    let mut random = Random::new(5);
    // The same days in both, but other events: nothing of the old games can decide.
    let mut old = segments(&mut random, 2000, 1, OWN_SITES);
    let mut new = segments(&mut random, 1500, 1, OWN_SITES);
    let rename = |segments: &mut [Segment], event: &str| {
        for game in segments.iter_mut().flat_map(|s| &mut s.blocks).flatten() {
            game.tags.retain(|tag| tag.0 != "Event");
            game.tags.push(("Event", event.into()));
        }
    };
    rename(&mut old, "old");
    rename(&mut new, "new");
    let all = [old.clone(), new].concat();
    let (bytes, sites, asked) = joined(&all, &[0, 1, 2], &[How::Index, How::Index], 1 << 20);
    assert_same("other events", &bytes, &built(&all, 1 << 30));
    assert_eq!((sites, asked), (0, 0));

    // Games of one day and event only.
    let mut few = segments(&mut random, 30, 1, OWN_SITES);
    rename(&mut few, "old");
    let all = [old, few].concat();
    let (bytes, sites, _) = joined(&all, &[0, 1, 2], &[How::Index, How::Games], 1 << 20);
    assert_same("the same event", &bytes, &built(&all, 1 << 30));
    assert!(sites > 0 && sites < 2000, "{sites}");
}

#[test]
fn what_cannot_be_appended() {
    let segments = segments(&mut Random::new(3), 50, 1, SOME);
    let (index, archive) = (built(&segments, 1 << 20), archive_bytes(&segments));
    let append = |index: &[u8], archive: &[u8], base| {
        Builder::new(options(1 << 20)).append(index, archive, base)
    };
    append(&index, &archive, 7).unwrap();
    assert!(matches!(
        append(&index, &archive[1..], 0),
        Err(IndexError::Unfit(_) | IndexError::Damaged { .. })
    ));
    assert!(matches!(
        append(&index, &[], 0),
        Err(IndexError::Damaged { .. })
    ));
    assert!(matches!(
        append(&index, &archive, u64::MAX),
        Err(IndexError::Damaged { .. })
    ));
    for at in (0..index.len()).step_by(97) {
        let mut wrong = index.clone();
        wrong[at] ^= 0x10;
        assert!(append(&wrong, &archive, 0).is_err(), "byte {at}");
    }
    let mut builder = Builder::new(BuildOptions {
        hashes: false,
        ..options(1 << 20)
    });
    feed(&mut builder, &segments, 0);
    let mut without = Vec::new();
    builder
        .finish(length(&segments), &mut Games::of(&segments), &mut without)
        .unwrap();
    assert!(matches!(
        append(&without, &archive, 0),
        Err(IndexError::Unfit(_))
    ));
    let mut builder = Builder::new(BuildOptions {
        hashes: false,
        ..options(1 << 20)
    });
    builder.append(&index, &archive, 0).unwrap();
    let mut again = Vec::new();
    builder
        .finish(length(&segments), &mut Games::of(&segments), &mut again)
        .unwrap();
    assert_same("without hashes", &again, &without);
}

/// With checksums that are right again.
fn resealed(mut index: Vec<u8>) -> Vec<u8> {
    let trailer = index.len() - 96;
    let sums = usize::try_from(u64::from_le_bytes(
        index[trailer + 56..trailer + 64].try_into().unwrap(),
    ))
    .unwrap();
    let new: Vec<u8> = index[..sums]
        .chunks(16_384)
        .flat_map(|page| crc32fast::hash(page).to_le_bytes())
        .collect();
    let table = sums + new.len();
    index[sums..table].copy_from_slice(&new);
    index[trailer + 64..trailer + 68].copy_from_slice(&crc32fast::hash(&new).to_le_bytes());
    let checked = [&index[..16], &index[table..trailer + 80]].concat();
    index[trailer + 80..trailer + 84].copy_from_slice(&crc32fast::hash(&checked).to_le_bytes());
    index
}

/// An index that lies, with checksums that are right, makes an error or a wrong index, and no
/// panic.
#[test]
fn an_index_that_lies_is_survived() {
    let mut random = Random::new(11);
    for (games, mix) in [(60, SOME), (1100, OWN_SITES)] {
        let old = segments(&mut random, games, 1, mix);
        let (index, archive) = (built(&old, 1 << 20), archive_bytes(&old));
        assert_eq!(resealed(index.clone()), index);
        let new = segments(&mut random, 30, 1, mix);
        let all = [old, new.clone()].concat();
        let sections = IndexFrame::parse(&index).unwrap().sections().to_vec();
        let mut fine = 0;
        for _ in 0..400 {
            let mut wrong = index.clone();
            for _ in 0..=random.below(3) {
                // Long sections and short ones alike.
                let section = random.pick(&sections);
                if section.len > 0 {
                    let at = usize::try_from(section.offset).unwrap()
                        + random.below(usize::try_from(section.len).unwrap());
                    wrong[at] = random.pick(&[0, 1, 0x7f, 0x80, 0xff, random.clone().byte()]);
                }
            }
            let wrong = resealed(wrong);
            let mut builder = Builder::new(options(1 << 16));
            if builder.append(&wrong, &archive, 0).is_ok() {
                feed(&mut builder, &new, archive.len() as u64);
                fine += usize::from(
                    builder
                        .finish(length(&all), &mut Games::of(&all), &mut Vec::new())
                        .is_ok(),
                );
            }
        }
        assert!(fine > 0 && fine < 400, "{fine}");
    }
}

#[test]
fn a_foreign_stream_says_so() {
    let segments = segments(&mut Random::new(3), 5, 1, SOME);
    let mut builder = Builder::new(options(1 << 20));
    builder.foreign(true);
    feed(&mut builder, &segments, 0);
    let mut out = Vec::new();
    builder
        .finish(length(&segments), &mut Games::of(&segments), &mut out)
        .unwrap();
    let frame = IndexFrame::parse(&out).unwrap();
    assert!(frame.is_foreign() && frame.is_pgn2pgc());
    assert!(matches!(
        Builder::new(options(1 << 20)).append(&out, &archive_bytes(&segments), 0),
        Err(IndexError::Unfit(_))
    ));
}
