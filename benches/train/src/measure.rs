//! Bits a ply on PGN files: what the integer model promises, and what the coder makes of it, each
//! group of games decoded again and compared.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use rayon::prelude::*;
use shakmaty::{Move, san::San};

// The coder of the archiver. spec/moves.py, which shares no code with it, checks what it writes.
use crate::evaluate::frequencies;
use crate::features::{Line, features, ordered};
use crate::games::{Game, Item, each_pgn};
use crate::tables::Tables;
use pgc_chess::{RangeDecoder, RangeEncoder};

/// Games that share one run of the coder.
const GROUP: usize = 16;

#[derive(Clone, Copy, Debug, Default)]
pub struct Measured {
    pub games: usize,
    pub plies: usize,
    /// Cross-entropy, in bits.
    pub bits: f64,
    /// Bytes of coded runs, without their lengths.
    pub bytes: usize,
    pub runs: usize,
}

impl Measured {
    fn add(&mut self, other: &Measured) {
        self.games += other.games;
        self.plies += other.plies;
        self.bits += other.bits;
        self.bytes += other.bytes;
        self.runs += other.runs;
    }
}

impl std::fmt::Display for Measured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plies = self.plies.max(1) as f64;
        write!(
            f,
            "{:7} games {:9} plies  {:.4} bits a ply, coded {:.4}, with 2 bytes of length {:.4}",
            self.games,
            self.plies,
            self.bits / plies,
            8.0 * self.bytes as f64 / plies,
            8.0 * (self.bytes + 2 * self.runs) as f64 / plies,
        )
    }
}

/// The moves that can be coded in their order, and their frequencies, of which a move that is the
/// only one needs none.
pub fn choices(tables: &Tables, line: &Line) -> (Vec<Move>, Vec<u32>) {
    let mut moves = ordered(&line.pos);
    let frequencies = match moves.len() {
        0 | 1 => Vec::new(),
        2..=256 => frequencies(tables, &features(&line.pos, &line.history, &moves)),
        _ => {
            // By ordinals, of which there are 256.
            moves.sort_by_key(|&m| San::from_move(&line.pos, m).to_string());
            moves.truncate(256);
            vec![1; 256]
        }
    };
    (moves, frequencies)
}

/// Codes the moves of some games in one run; gives the bytes, and the bits that they should take.
pub fn encode(tables: &Tables, games: &[Game]) -> (Vec<u8>, f64) {
    let mut encoder = RangeEncoder::default();
    let mut bits = 0.0;
    for game in games {
        game.each(|line, m| {
            let (moves, frequencies) = choices(tables, line);
            let played = moves.iter().position(|&other| other == m);
            let played = played.expect("a move that has an ordinal");
            if frequencies.is_empty() {
                return;
            }
            let below = frequencies[..played].iter().sum();
            let total: u32 = frequencies.iter().sum();
            encoder.put(below, frequencies[played], total);
            bits += (f64::from(total) / f64::from(frequencies[played])).log2();
        });
    }
    (encoder.finish(), bits)
}

/// Decodes them again: `games` gives their starts, and where moves and variations stand.
fn check(tables: &Tables, games: &[Game], bytes: &[u8]) -> Result<()> {
    let mut decoder = RangeDecoder::new(bytes);
    for game in games {
        let mut line = Line::new(game.start.clone());
        let mut before = line.clone();
        let mut stack = Vec::new();
        for &item in &game.items {
            match item {
                Item::Move(expected) => {
                    let (moves, frequencies) = choices(tables, &line);
                    let mut m = moves[0];
                    if !frequencies.is_empty() {
                        let total = frequencies.iter().sum();
                        let number = decoder.place(total)?;
                        let mut below = 0;
                        for (&each, &frequency) in moves.iter().zip(&frequencies) {
                            if number < below + frequency {
                                decoder.take(below, frequency, total);
                                m = each;
                                break;
                            }
                            below += frequency;
                        }
                    }
                    ensure!(m == expected, "decoded another move");
                    before = line.clone();
                    line.play(m);
                }
                Item::Open => {
                    stack.push((line, before.clone()));
                    line = before.clone();
                }
                Item::Close => (line, before) = stack.pop().context("closes too much")?,
            }
        }
    }
    Ok(decoder.finish()?)
}

/// Measures one file.
pub fn measure(tables: &Tables, path: &Path) -> Result<Measured> {
    let mut games = Vec::new();
    each_pgn(path, |game| games.push(game))?;
    games.retain(|game| !game.items.is_empty());
    let groups: Result<Vec<Measured>> = games
        .par_chunks(GROUP)
        .map(|games| {
            let (bytes, bits) = encode(tables, games);
            check(tables, games, &bytes)?;
            Ok(Measured {
                games: games.len(),
                plies: games.iter().map(Game::plies).sum(),
                bits,
                bytes: bytes.len(),
                runs: 1,
            })
        })
        .collect();
    let mut all = Measured::default();
    for group in groups? {
        all.add(&group);
    }
    Ok(all)
}

/// Measures all files below each folder, and adds them up.
pub fn measure_all(tables: &Tables, paths: &[std::path::PathBuf], each: bool) -> Result<()> {
    for path in paths {
        let mut files = Vec::new();
        collect(path, &mut files)?;
        files.sort();
        let mut all = Measured::default();
        for file in &files {
            let one = measure(tables, file)?;
            if each && one.plies > 0 {
                println!("{one}  {}", file.display());
            }
            all.add(&one);
        }
        println!("{all}  {}", path.display());
    }
    Ok(())
}

fn collect(path: &Path, files: &mut Vec<std::path::PathBuf>) -> Result<()> {
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            collect(&entry?.path(), files)?;
        }
    } else if path.extension().is_some_and(|ext| ext == "pgn") {
        files.push(path.to_path_buf());
    }
    Ok(())
}
