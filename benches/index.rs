//! An index of made-up games: games/s, bytes a game by section, memory, and what opening it and
//! asking it costs.
//!
//! `PGC_BENCH_GAMES` is the number of games (1,000,000), `PGC_BENCH_MEMORY` what the builder may
//! use, in MiB (256), `PGC_BENCH_SITES=own` gives each game a site of its own.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]
#![expect(clippy::unwrap_used, reason = "a benchmark fails as a test does")]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::time::{Duration, Instant};

use pgc_index::{BuildOptions, Clause, DateTest, Index, NamePattern, Query, Test};
use pgc_index::{Builder, Facts, Summaries};
use pgc_pgn::writer::Termination;

/// Games that come at a time, as from a worker of the pipeline.
const BATCH: usize = 1000;
/// Games of an event, and of a block.
const EVENT: usize = 100;
const BLOCK: usize = 300;
const PLAYERS: u64 = 1_000_000;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Few play much, many little.
    fn player(&mut self) -> u64 {
        let [a, b] = [self.below(PLAYERS), self.below(PLAYERS)];
        a * b / PLAYERS * self.below(PLAYERS) / PLAYERS
    }
}

/// Writes a name of letters that this number stands for.
fn name(out: &mut String, mut number: u64) {
    const SYLLABLES: [&str; 16] = [
        "ka", "spa", "rov", "an", "and", "pol", "gar", "\u{f3}", "ler", "in", "mi", "tal", "bo",
        "vi", "nn", "ste",
    ];
    out.clear();
    number = number.wrapping_mul(0x9e37_79b9) & 0xffff_ffff;
    for part in 0..6 {
        out.push_str(if part == 4 { ", " } else { "" });
        out.push_str(SYLLABLES[usize::try_from(number & 15).unwrap()]);
        number >>= 4;
    }
}

struct Games {
    random: Random,
    made: usize,
    has_own_sites: bool,
    texts: [String; 8],
}

impl Games {
    fn new(has_own_sites: bool) -> Games {
        Games {
            random: Random(88_172_645_463_325_252),
            made: 0,
            has_own_sites,
            texts: Default::default(),
        }
    }

    fn fill(&mut self, out: &mut Summaries, n: usize) {
        use std::fmt::Write as _;
        out.clear();
        for _ in 0..n {
            let event = self.made / EVENT;
            let [event_name, site, date, round, white, black, white_elo, eco] = &mut self.texts;
            [&mut *event_name, site, date, round, white_elo, eco]
                .into_iter()
                .for_each(|text| text.clear());
            write!(event_name, "{} Open {}", 1950 + event % 70, event).unwrap();
            if self.has_own_sites {
                write!(site, "https://lichess.example/{:08x}", self.made).unwrap();
            } else {
                write!(site, "City {} XYZ", event % 4000).unwrap();
            }
            let day = (self.made / 12) % 25_000;
            write!(
                date,
                "{}.{:02}.{:02}",
                1950 + day / 365,
                day / 30 % 12 + 1,
                day % 28 + 1
            )
            .unwrap();
            write!(
                round,
                "{}.{}",
                self.made % EVENT / 10 + 1,
                self.made % 10 + 1
            )
            .unwrap();
            name(white, self.random.player());
            name(black, self.random.player());
            write!(white_elo, "{}", 2000 + self.random.below(800)).unwrap();
            let code = self.random.below(500);
            let volume = b"ABCDE"[usize::try_from(code / 100).unwrap()];
            write!(eco, "{}{:02}", char::from(volume), code % 100).unwrap();
            let result = ["1-0", "0-1", "1/2-1/2"][usize::try_from(self.random.below(3)).unwrap()];
            let tags = [
                ("Event", event_name.as_str()),
                ("Site", site),
                ("Date", date),
                ("Round", round),
                ("White", white),
                ("Black", black),
                ("Result", result),
                ("WhiteElo", white_elo),
                ("BlackElo", white_elo),
                ("ECO", eco),
            ];
            let facts = Facts {
                terminator: Termination::from_bytes(result.as_bytes()),
                plies: u32::try_from(40 + self.random.below(100)).unwrap(),
                ..Facts::default()
            };
            out.push(
                tags.iter()
                    .map(|(name, value)| (name.as_bytes(), value.as_bytes())),
                &facts,
            );
            self.made += 1;
        }
    }
}

/// The most memory that this process ever had, in MiB, where the system tells.
fn most_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace()
        .nth(1)?
        .parse()
        .ok()
        .map(|kib: u64| kib / 1024)
}

/// Time that this process ran, where the system tells; else time that went by. Others may use the
/// machine.
fn now() -> Duration {
    static BEGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let ran = fs::read_to_string("/proc/self/schedstat").ok();
    let ran = ran
        .and_then(|text| text.split(' ').next()?.parse().ok())
        .map(Duration::from_nanos);
    ran.unwrap_or_else(|| BEGIN.get_or_init(Instant::now).elapsed())
}

fn setting(name: &str, usual: usize) -> usize {
    std::env::var(name)
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(usual)
}

fn rate(games: usize, time: Duration) -> String {
    format!(
        "{:.2} s, {:.2} million games/s",
        time.as_secs_f64(),
        games as f64 / time.as_secs_f64() / 1e6
    )
}

fn main() {
    let games = setting("PGC_BENCH_GAMES", 1_000_000);
    let memory = setting("PGC_BENCH_MEMORY", 256) << 20;
    let has_own_sites = std::env::var("PGC_BENCH_SITES").is_ok_and(|value| value == "own");
    let options = BuildOptions {
        memory,
        temp_dir: std::env::temp_dir(),
        lines: setting("PGC_BENCH_LINES", 0) != 0,
    };
    let mut builder = Builder::new(options);
    let (mut source, mut batch) = (Games::new(has_own_sites), Summaries::default());
    builder.segment_begins(0);
    let mut taken = Duration::ZERO;
    let mut offset = 100;
    while source.made < games {
        let first = source.made;
        source.fill(&mut batch, BATCH.min(games - first));
        let begin = now();
        if first.is_multiple_of(BLOCK) {
            builder.block(offset, 0).unwrap();
            offset += 100_000;
        }
        builder.games(&batch).unwrap();
        taken += now() - begin;
    }
    builder.segment_ends(offset, b"head", b"tail").unwrap();
    let before = most_memory();
    let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
    let begin = now();
    let mut out = BufWriter::new(File::create(&path).unwrap());
    let sizes = builder.finish(offset, &mut out).unwrap();
    out.flush().unwrap();
    let finishing = now() - begin;
    println!(
        "{games} games, {} MiB allowed; time of this process alone",
        memory >> 20
    );
    println!("games()   {}", rate(games, taken));
    println!("finish()  {}", rate(games, finishing));
    println!("together  {}", rate(games, taken + finishing));
    println!(
        "memory    {:?} MiB at most, {before:?} before finish()",
        most_memory()
    );
    for section in &sizes.sections {
        println!(
            "  {:#04x}  {:8.3} bytes a game",
            section.kind,
            section.len as f64 / games as f64
        );
    }
    println!(
        "  all   {:8.3} bytes a game",
        sizes.total as f64 / games as f64
    );
    drop(out);
    ask(&fs::read(&path).unwrap(), games);
}

/// Times of questions to an index that is in memory; each page is checked when it is first used.
fn ask(bytes: &[u8], games: usize) {
    let begin = Instant::now();
    let index = Index::open(bytes).unwrap();
    println!("open      {:?}", begin.elapsed());
    assert_eq!(index.games() as usize, games);
    let mut player = String::new();
    name(&mut player, 5);
    let questions = [
        ("date", Test::Date("1975.03".parse::<DateTest>().unwrap())),
        ("event", Test::Event(NamePattern::parse("Open 77").unwrap())),
        ("player", Test::Player(NamePattern::parse(&player).unwrap())),
    ];
    for (what, test) in questions {
        let index = Index::open(bytes).unwrap();
        let query = Query {
            all: vec![Clause::any(vec![test])],
            ..Query::default()
        };
        for time in ["first", "again"] {
            let begin = Instant::now();
            let found = index.find_group(&query, 0).unwrap().games.len();
            println!("find {what:8} {time}: {:?}, {found} games", begin.elapsed());
        }
    }
    let begin = Instant::now();
    index.verify(0).unwrap();
    println!("verify    {:?}", begin.elapsed());
}
