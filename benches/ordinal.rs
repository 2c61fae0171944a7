//! What a ply costs in the chess module: finding and ranking it, selecting it, playing it.
//!
//! Criterion's elements are plies, so its time per iteration divided by the number in the name is the cost of a ply;
//! a plain measurement in nanoseconds per ply is printed first.
#![expect(clippy::print_stderr, reason = "a benchmark prints")]

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pgc::chess::{Move, Position};

/// A game as its movetext and as its ordinals.
#[derive(Default)]
struct Game {
    tokens: Vec<Vec<u8>>,
    ordinals: Vec<u8>,
    moves: Vec<Move>,
}

/// Seeded random play from the start position.
fn random_games(count: usize) -> Vec<Game> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    };
    let mut play = || {
        let mut position = Position::initial();
        let mut game = Game::default();
        for _ in 0..120 {
            let count = (0..=u8::MAX).take_while(|&ordinal| position.select(ordinal).is_some()).count() as u64;
            let Some(m) = count.checked_sub(1).and_then(|_| position.select((next() % count).to_le_bytes()[0])) else {
                break;
            };
            game.tokens.push(position.san(m).as_bytes().to_vec());
            game.ordinals.extend(position.rank(m));
            game.moves.push(m);
            position.play(m);
        }
        game
    };
    (0..count).map(|_| play()).collect()
}

/// The mainlines of PGN files, as far as a reader this simple understands them.
fn read_games(text: &[u8]) -> Vec<Game> {
    let mut games = Vec::new();
    let mut game = Game::default();
    let mut position = Position::initial();
    let (mut in_comment, mut depth, mut broken) = (false, 0, false);
    for line in text.split(|&byte| byte == b'\n') {
        if line.starts_with(b"[") && !in_comment {
            if !game.moves.is_empty() {
                games.push(std::mem::take(&mut game));
            }
            (position, depth, broken) = (Position::initial(), 0, line.starts_with(b"[FEN"));
            continue;
        }
        for word in line.split(|&byte| matches!(byte, b' ' | b'\r')) {
            in_comment |= word.contains(&b'{');
            depth += i32::from(word.starts_with(b"(")) - i32::from(word.ends_with(b")"));
            let token = word.rsplit(|&byte| byte == b'.').next().unwrap_or(word);
            if !(in_comment || depth > 0 || broken || token.is_empty() || token.ends_with(b")")) {
                match position.resolve(token) {
                    Ok(resolved) => {
                        game.tokens.push(token.to_vec());
                        game.ordinals.extend(resolved.ordinal);
                        game.moves.push(resolved.m);
                        position.play(resolved.m);
                    }
                    Err(_) => broken = !token.starts_with(b"$") && !token[0].is_ascii_digit(),
                }
            }
            in_comment &= !word.contains(&b'}');
        }
    }
    games
}

/// A few megabytes of games of strong players, if they are there.
fn masters() -> Option<Vec<Game>> {
    let folder = match std::env::var_os("PGC_CORPUS") {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora"),
    };
    let games: Vec<_> = ["Karpov", "Kasparov", "Anand", "Carlsen"]
        .iter()
        .filter_map(|name| std::fs::read(folder.join("masters").join(name).with_extension("pgn")).ok())
        .flat_map(|text| read_games(&text))
        .collect();
    if games.is_empty() { None } else { Some(games) }
}

fn play_only(games: &[Game]) -> u32 {
    let mut sum = 0;
    for game in games {
        let mut position = Position::initial();
        for &m in &game.moves {
            position.play(m);
        }
        sum += position.fullmoves();
    }
    sum
}

fn resolve_and_play(games: &[Game]) -> u64 {
    let mut sum = 0;
    for game in games {
        let mut position = Position::initial();
        for token in &game.tokens {
            let Ok(resolved) = position.resolve(token) else { break };
            sum += u64::from(resolved.ordinal.unwrap_or(0));
            position.play(resolved.m);
        }
    }
    sum
}

fn select_and_play(games: &[Game]) -> u32 {
    let mut sum = 0;
    for game in games {
        let mut position = Position::initial();
        for &ordinal in &game.ordinals {
            let Some(m) = position.select(ordinal) else { break };
            position.play(m);
        }
        sum += position.fullmoves();
    }
    sum
}

fn select_and_write(games: &[Game]) -> usize {
    let mut sum = 0;
    for game in games {
        let mut position = Position::initial();
        for &ordinal in &game.ordinals {
            let Some(m) = position.select(ordinal) else { break };
            sum += position.san(m).as_bytes().len();
            position.play(m);
            black_box(position.check());
        }
    }
    sum
}

/// The best of several runs, in nanoseconds per ply.
fn per_ply<T>(plies: u64, run: impl Fn() -> T) -> f64 {
    let once = || {
        let start = Instant::now();
        black_box(run());
        start.elapsed().as_secs_f64()
    };
    let best = (0..15).map(|_| once()).fold(f64::INFINITY, f64::min);
    #[expect(clippy::cast_precision_loss, reason = "a count of plies is far below 2^52")]
    let plies = plies as f64;
    best * 1e9 / plies
}

fn ordinals(criterion: &mut Criterion) {
    let mut sets = vec![("random", random_games(500))];
    sets.extend(masters().map(|games| ("masters", games)));
    for (name, games) in &sets {
        let plies = games.iter().map(|game| game.moves.len() as u64).sum::<u64>();
        assert_eq!(select_and_play(games), play_only(games));
        let play = per_ply(plies, || play_only(games));
        let resolve = per_ply(plies, || resolve_and_play(games));
        let select = per_ply(plies, || select_and_play(games));
        let write = per_ply(plies, || select_and_write(games));
        eprintln!(
            "{name}: {plies} plies; ns/ply: play {play:.1}, resolve+rank {:.1} (with play {resolve:.1}), \
             select {:.1} (with play {select:.1}), select+san+check {:.1}",
            resolve - play,
            select - play,
            write - play
        );
        let mut group = criterion.benchmark_group(*name);
        group.sample_size(10).throughput(Throughput::Elements(plies));
        group.bench_function(BenchmarkId::new("play", plies), |b| b.iter(|| play_only(games)));
        group.bench_function(BenchmarkId::new("resolve+rank+play", plies), |b| b.iter(|| resolve_and_play(games)));
        group.bench_function(BenchmarkId::new("select+play", plies), |b| b.iter(|| select_and_play(games)));
        group.bench_function(BenchmarkId::new("select+san+check+play", plies), |b| b.iter(|| select_and_write(games)));
        group.finish();
    }
}

criterion_group!(benches, ordinals);
criterion_main!(benches);
