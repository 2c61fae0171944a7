//! What a ply costs in the chess module: finding and ranking it, selecting it, playing it.
//!
//! Criterion's elements are plies, so its time per iteration divided by the number in the name is
//! the cost of a ply; a plain measurement in nanoseconds per ply is printed first.
#![expect(clippy::print_stderr, reason = "a benchmark prints")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pgc_chess::{CodedLine, Move, Position, RangeDecoder, RangeEncoder, Rules, core_len};
use shakmaty::Board;

/// A game as its movetext and as its ordinals.
struct Game {
    start: Position,
    tokens: Vec<Vec<u8>>,
    ordinals: Vec<u8>,
    moves: Vec<Move>,
}

impl Game {
    fn new(start: Position) -> Game {
        Game {
            start,
            tokens: Vec::new(),
            ordinals: Vec::new(),
            moves: Vec::new(),
        }
    }
}

/// Start positions of Chess960, spread over their list.
fn chess960(i: usize) -> Position {
    let board = Board::chess960(u32::try_from(i * 37 % 960).unwrap_or(0));
    let fen = format!("{} w KQkq - 0 1", board.board_fen());
    Position::start(Rules::Chess960, Some(fen.as_bytes())).expect("a start position")
}

/// Seeded random play.
fn random_games(count: usize, start: impl Fn(usize) -> Position) -> Vec<Game> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    };
    let play = |i| {
        let mut game = Game::new(start(i));
        let mut position = game.start.clone();
        for _ in 0..120 {
            let count = (0..=u8::MAX)
                .take_while(|&ordinal| position.select(ordinal).is_some())
                .count() as u64;
            let Some(m) = count
                .checked_sub(1)
                .and_then(|_| position.select((next() % count).to_le_bytes()[0]))
            else {
                break;
            };
            game.tokens.push(position.san(m).as_bytes().to_vec());
            game.ordinals.extend(position.rank(m));
            game.moves.push(m);
            position.play(m);
        }
        game
    };
    (0..count).map(play).collect()
}

/// The mainlines of PGN files, as far as a reader this simple understands them.
fn read_games(text: &[u8]) -> Vec<Game> {
    let mut games = Vec::new();
    let mut game = Game::new(Position::initial());
    let mut position = Position::initial();
    let (mut in_comment, mut depth, mut broken) = (false, 0, false);
    for line in text.split(|&byte| byte == b'\n') {
        if line.starts_with(b"[") && !in_comment {
            if !game.moves.is_empty() {
                games.push(std::mem::replace(&mut game, Game::new(Position::initial())));
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
                        game.tokens.push(token[..core_len(token)].to_vec());
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
        None => Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join("../shared/corpora"),
    };
    let games: Vec<_> = ["Karpov", "Kasparov", "Anand", "Carlsen"]
        .iter()
        .filter_map(|name| {
            std::fs::read(folder.join("masters").join(name).with_extension("pgn")).ok()
        })
        .flat_map(|text| read_games(&text))
        .collect();
    if games.is_empty() { None } else { Some(games) }
}

fn play_only(games: &[Game]) -> u32 {
    let mut sum = 0;
    for game in games {
        let mut position = game.start.clone();
        for &m in &game.moves {
            position.play(m);
        }
        sum += position.fullmoves();
    }
    sum
}

/// Finds the moves of the tokens and ranks them: what packing does.
fn follow(games: &[Game]) -> u64 {
    let mut sum = 0;
    for game in games {
        let mut position = game.start.clone();
        for token in &game.tokens {
            let Some(ordinal) = position.follow(token) else {
                break;
            };
            sum += u64::from(ordinal);
            black_box(position.check());
        }
    }
    sum
}

/// Selects the moves of the ordinals and spells them: what unpacking does.
fn play_ordinals(games: &[Game]) -> usize {
    let mut sum = 0;
    for game in games {
        let mut position = game.start.clone();
        for &ordinal in &game.ordinals {
            let Some(san) = position.play_ordinal(ordinal) else {
                break;
            };
            sum += san.as_bytes().len();
            black_box(position.check());
        }
    }
    sum
}

/// Codes each game with the move model.
fn code_moves(games: &[Game]) -> Vec<Vec<u8>> {
    games
        .iter()
        .map(|game| {
            let (mut line, mut coder) =
                (CodedLine::new(game.start.clone()), RangeEncoder::default());
            for &ordinal in &game.ordinals {
                if line.put(ordinal, &mut coder).is_none() {
                    break;
                }
            }
            coder.finish()
        })
        .collect()
}

/// Decodes them; the sum of the ordinals.
fn decode_moves(games: &[Game], coded: &[Vec<u8>]) -> u64 {
    let mut sum = 0;
    for (game, bytes) in games.iter().zip(coded) {
        let (mut line, mut coder) = (CodedLine::new(game.start.clone()), RangeDecoder::new(bytes));
        for _ in &game.ordinals {
            let Ok(ordinal) = line.take(&mut coder) else {
                break;
            };
            sum += u64::from(ordinal);
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
    #[expect(
        clippy::cast_precision_loss,
        reason = "a count of plies is far below 2^52"
    )]
    let plies = plies as f64;
    best * 1e9 / plies
}

fn ordinals(criterion: &mut Criterion) {
    let mut sets = vec![
        ("random", random_games(500, |_| Position::initial())),
        ("random Chess960", random_games(500, chess960)),
    ];
    sets.extend(masters().map(|games| ("masters", games)));
    for (name, games) in &sets {
        let plies = games
            .iter()
            .map(|game| game.moves.len() as u64)
            .sum::<u64>();
        // Counts that are known: the ordinals and the lengths of the texts.
        let ordinals = games
            .iter()
            .flat_map(|game| &game.ordinals)
            .map(|&ordinal| u64::from(ordinal))
            .sum::<u64>();
        assert_eq!(follow(games), ordinals);
        let text = |token: &Vec<u8>| {
            token
                .iter()
                .filter(|byte| !matches!(byte, b'+' | b'#'))
                .count()
        };
        assert_eq!(
            play_ordinals(games),
            games
                .iter()
                .flat_map(|game| &game.tokens)
                .map(text)
                .sum::<usize>()
        );
        let coded = code_moves(games);
        assert_eq!(decode_moves(games, &coded), ordinals);
        #[expect(clippy::cast_precision_loss, reason = "both are far below 2^52")]
        let bits = coded.iter().map(Vec::len).sum::<usize>() as f64 * 8.0 / plies as f64;
        let (put, take) = (
            per_ply(plies, || code_moves(games)),
            per_ply(plies, || decode_moves(games, &coded)),
        );
        eprintln!(
            "{name}: the move model: {bits:.3} bits a ply; ns/ply: code {put:.0}, decode {take:.0}"
        );
        let play = per_ply(plies, || play_only(games));
        let rank = per_ply(plies, || follow(games));
        let select = per_ply(plies, || play_ordinals(games));
        eprintln!(
            "{name}: {plies} plies; ns/ply: play {play:.1}, resolve+rank+play {rank:.1} ({:.1} without play), \
             select+san+play {select:.1} ({:.1} without play)",
            rank - play,
            select - play
        );
        let mut group = criterion.benchmark_group(*name);
        group
            .sample_size(10)
            .throughput(Throughput::Elements(plies));
        group.bench_function(BenchmarkId::new("play", plies), |b| {
            b.iter(|| play_only(games))
        });
        group.bench_function(BenchmarkId::new("resolve+rank+play", plies), |b| {
            b.iter(|| follow(games))
        });
        group.bench_function(BenchmarkId::new("select+san+play", plies), |b| {
            b.iter(|| play_ordinals(games))
        });
        group.finish();
    }
}

criterion_group!(benches, ordinals);
criterion_main!(benches);
