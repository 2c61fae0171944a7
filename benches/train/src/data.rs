//! Features of many plies, packed to some 330 bytes each, so that every pass over the training
//! games need not generate moves again.
//!
//! A ply is a word that says how much follows, four inputs a word, and one word for each legal
//! move. Words are little-endian in the file; chunks of words each have their number in front.

use std::{
    fs::File,
    io::{BufReader, BufWriter, Read as _, Write as _},
    path::Path,
};

use anyhow::{Context as _, Result};
use rayon::prelude::*;
use shakmaty::Position as _;

use crate::features::{
    CHECK, EXCHANGE, Features, MoveFeatures, NONE, ORIGIN, OWN, SPECIAL, STEP, features, ordered,
};
use crate::games::{Game, parse};

/// One game in this many is held out: it is not trained on, but shows how training goes.
const HELD_OUT: usize = 200;
const GAMES_A_CHUNK: usize = 1024;

/// What belongs to a ply beside its features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The place of the move that was played.
    pub played: usize,
    /// The number of the file, as given.
    pub file: usize,
    pub held_out: bool,
}

/// Packs one ply onto the end of `words`.
pub fn pack(words: &mut Vec<u64>, features: &Features, about: About) {
    let inputs = &features.inputs;
    // Late, and the last piece and square, are the same for all moves.
    let first = &features.moves[0];
    let late = (first.entries[0] as usize - EXCHANGE) & 1;
    let last = match first.entries[3] {
        NONE => 0,
        entry => {
            let step = entry as usize - STEP;
            let to = (first.rows[0] & 63) as usize;
            let (dx, dy) = (step % 15, step % 225 / 15);
            let square = (to & 7) + 7 - dx + 8 * ((to >> 3) + 7 - dy);
            1 | square << 1 | (step / 225 / 6) << 7
        }
    };
    words.push(
        features.moves.len() as u64
            | (about.played as u64) << 9
            | (inputs.len() as u64) << 17
            | (late as u64) << 25
            | (last as u64) << 26
            | (about.file as u64) << 40
            | u64::from(about.held_out) << 48,
    );
    for four in inputs.chunks(4) {
        words.push(
            four.iter()
                .rev()
                .fold(0, |word, &row| word << 16 | u64::from(row)),
        );
    }
    for m in &features.moves {
        let [exchange, origin, check, _, own, special] = m.entries;
        let or = |entry: u16, start: usize, none: u64| match entry {
            NONE => none,
            entry => u64::from(entry) - start as u64,
        };
        words.push(
            u64::from(m.rows[0])
                | (u64::from(m.rows[1]) - 384) << 9
                | (u64::from(m.rows[2]) - 768) << 18
                | (u64::from(exchange) / 2 % 3) << 27
                | or(origin, ORIGIN, 0) << 29
                | or(check, CHECK, 576) << 39
                | or(own, OWN, 192) << 49
                | or(special, SPECIAL, 48) << 57,
        );
    }
}

/// The number of words of the ply whose first word this is.
pub fn length(head: u64) -> usize {
    1 + (head >> 17 & 0xff).div_ceil(4) as usize + (head & 0x1ff) as usize
}

pub fn about(head: u64) -> About {
    About {
        played: (head >> 9 & 0xff) as usize,
        file: (head >> 40 & 0xff) as usize,
        held_out: head >> 48 & 1 == 1,
    }
}

/// Unpacks one ply.
pub fn unpack(words: &[u64], features: &mut Features) -> About {
    let head = words[0];
    let count = (head & 0x1ff) as usize;
    let inputs = (head >> 17 & 0xff) as usize;
    let late = (head >> 25 & 1) as usize;
    let last = (head >> 26) as usize;
    features.inputs.clear();
    let input_words = inputs.div_ceil(4);
    for word in &words[1..1 + input_words] {
        for four in 0..4 {
            features.inputs.push((word >> (16 * four)) as u16);
        }
    }
    features.inputs.truncate(inputs);
    features.moves.clear();
    let (last_to, last_piece) = (last >> 1 & 63, last >> 7 & 7);
    for &word in &words[1 + input_words..][..count] {
        let field = |at: u32, bits: u32| (word >> at) as usize & ((1 << bits) - 1);
        let or = |value: usize, start: usize, none: usize| match value == none {
            true => NONE,
            false => (start + value) as u16,
        };
        let (to, exchange) = (field(0, 9), field(18, 9));
        let step = if last & 1 == 1 {
            let dx = (to & 7) + 7 - (last_to & 7);
            let dy = (to >> 3 & 7) + 7 - (last_to >> 3);
            (STEP + (last_piece * 6 + (to >> 6)) * 225 + dx + 15 * dy) as u16
        } else {
            NONE
        };
        features.moves.push(MoveFeatures {
            rows: [
                to as u16,
                (384 + field(9, 9)) as u16,
                (768 + exchange) as u16,
            ],
            entries: [
                (EXCHANGE + (exchange * 3 + field(27, 2)) * 2 + late) as u16,
                (ORIGIN + field(29, 10)) as u16,
                or(field(39, 10), CHECK, 576),
                step,
                or(field(49, 8), OWN, 192),
                or(field(57, 6), SPECIAL, 48),
            ],
        });
    }
    about(head)
}

/// Packs the plies of a game that the model has something to say about.
fn pack_game(words: &mut Vec<u64>, game: &Game, file: usize, held_out: bool) {
    game.each(|line, m| {
        let moves = ordered(&line.pos);
        if !(2..=256).contains(&moves.len()) {
            return;
        }
        let features = features(&line.pos, &line.history, &moves);
        let played = moves.iter().position(|&other| other == m);
        debug_assert!(line.pos.is_legal(m));
        pack(
            words,
            &features,
            About {
                played: played.expect("a legal move"),
                file,
                held_out,
            },
        );
    });
}

/// Packs the games of the training texts into a file; gives the number of plies. One game of
/// `every` is taken.
pub fn prepare(texts: &[String], every: usize, out: &Path) -> Result<usize> {
    let context = || format!("writing {}", out.display());
    let mut writer = BufWriter::with_capacity(1 << 20, File::create(out).with_context(context)?);
    let mut plies = 0;
    for (file, text) in texts.iter().enumerate() {
        let games: Vec<(usize, &str)> = crate::games::split(text)
            .into_iter()
            .enumerate()
            .filter(|(number, _)| number % every == 0)
            .collect();
        // A few chunks at a time: neither thread waits long, and they are written in order.
        for chunks in games.chunks(8 * GAMES_A_CHUNK) {
            let packed: Vec<Vec<u64>> = chunks
                .par_chunks(GAMES_A_CHUNK)
                .map(|games| {
                    let mut words = Vec::new();
                    for &(number, text) in games {
                        if let Some(game) = parse(text) {
                            // `every` must not decide who is held out.
                            let held_out = number / every % HELD_OUT == 7;
                            pack_game(&mut words, &game, file, held_out);
                        }
                    }
                    words
                })
                .collect();
            for words in packed {
                let mut at = 0;
                while at < words.len() {
                    plies += 1;
                    at += length(words[at]);
                }
                writer
                    .write_all(&(words.len() as u64).to_le_bytes())
                    .with_context(context)?;
                for word in words {
                    writer
                        .write_all(&word.to_le_bytes())
                        .with_context(context)?;
                }
            }
        }
    }
    writer.flush().with_context(context)?;
    Ok(plies)
}

/// All packed plies.
#[derive(Debug)]
pub struct Plies {
    chunks: Vec<Vec<u64>>,
    /// Chunk and place of each ply that is trained on, as often as its file counts.
    pub train: Vec<u64>,
    /// The same of plies held out, each once.
    pub held_out: Vec<u64>,
}

impl Plies {
    /// `times` says how often each file counts: so many times in a row if more than once.
    pub fn load(path: &Path, times: &[usize]) -> Result<Plies> {
        let context = || format!("reading {}", path.display());
        let mut reader = BufReader::with_capacity(1 << 20, File::open(path).with_context(context)?);
        let mut plies = Plies {
            chunks: Vec::new(),
            train: Vec::new(),
            held_out: Vec::new(),
        };
        let mut number = [0; 8];
        let mut bytes = Vec::new();
        while reader.read_exact(&mut number).is_ok() {
            bytes.resize(u64::from_le_bytes(number) as usize * 8, 0);
            reader.read_exact(&mut bytes).with_context(context)?;
            let words: Vec<u64> = bytes
                .as_chunks::<8>()
                .0
                .iter()
                .map(|word| u64::from_le_bytes(*word))
                .collect();
            let mut at = 0;
            while at < words.len() {
                let place = (plies.chunks.len() as u64) << 32 | at as u64;
                let about = about(words[at]);
                if about.held_out {
                    plies.held_out.push(place);
                } else {
                    let times = times.get(about.file).copied().unwrap_or(1);
                    plies.train.extend(std::iter::repeat_n(place, times));
                }
                at += length(words[at]);
            }
            plies.chunks.push(words);
        }
        Ok(plies)
    }

    pub fn ply(&self, place: u64) -> &[u64] {
        let words = &self.chunks[(place >> 32) as usize][place as u32 as usize..];
        &words[..length(words[0])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Line;
    use crate::train::Random;

    #[test]
    fn unpacked_is_what_was_packed() {
        let mut random = Random(1);
        for game in 0..40 {
            let mut line = Line::default();
            for ply in 0..200 {
                let moves = ordered(&line.pos);
                if moves.is_empty() {
                    break;
                }
                let played = random.below(moves.len());
                let expected = features(&line.pos, &line.history, &moves);
                let about = About {
                    played,
                    file: game % 3,
                    held_out: ply % 2 == 0,
                };
                let mut words = Vec::new();
                pack(&mut words, &expected, about);
                assert_eq!(length(words[0]), words.len());
                let mut features = Features::default();
                assert_eq!(unpack(&words, &mut features), about);
                assert_eq!(features.inputs, expected.inputs);
                assert_eq!(features.moves, expected.moves);
                line.play(moves[played]);
            }
        }
    }
}
