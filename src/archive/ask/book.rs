//! Opening books as PolyGlot has them: the moves played in each position, with weights.

use std::collections::HashMap;

use byteorder::{BigEndian, ByteOrder};

use crate::ask::facts::GameFacts;
use crate::ask::find::Answer;
use crate::ask::lines::Continuation;
use crate::open::Archive;
use crate::run::Error;
use pgc_chess::polyglot_move;

/// The length of an entry: key, move, weight, and a field that learning programs use.
const ENTRY: usize = 16;

/// How often a move was played in a position, and its half points.
#[derive(Clone, Copy, Debug, Default)]
struct BookMove {
    games: u64,
    half_points: u64,
}

/// An opening book. A position that arises in several ways is one position.
#[derive(Clone, Debug, Default)]
pub struct Book {
    moves: HashMap<(u64, u16), BookMove>,
}

impl Book {
    /// The bytes of the book: entries of 16 bytes, sorted by key, the best move of a position
    /// first. A move has the weight of its half points; moves of fewer than `least` games and moves
    /// without a point are left out.
    pub fn bytes(&self, least: u64) -> Vec<u8> {
        let played = self.moves.iter();
        let mut entries: Vec<(u64, u64, u16)> = played
            .filter(|(_, played)| played.games >= least && played.half_points > 0)
            .map(|(&(key, number), played)| (key, played.half_points, number))
            .collect();
        entries.sort_unstable_by_key(|&(key, weight, number)| {
            (key, std::cmp::Reverse(weight), number)
        });
        let mut bytes = Vec::with_capacity(ENTRY * entries.len());
        for position in entries.chunk_by(|a, b| a.0 == b.0) {
            // A weight has 16 bits: scale down if the best move, which comes first, has more half
            // points.
            let most = position[0].1.max(u64::from(u16::MAX));
            for &(key, weight, number) in position {
                let weight = (weight * u64::from(u16::MAX) / most).max(1);
                let mut entry = [0; ENTRY];
                BigEndian::write_u64(&mut entry, key);
                BigEndian::write_u16(&mut entry[8..], number);
                BigEndian::write_u16(&mut entry[10..], u16::try_from(weight).unwrap_or(u16::MAX));
                bytes.extend(entry);
            }
        }
        bytes
    }

    fn add(&mut self, facts: &GameFacts, continuation: &Continuation, depth: usize) {
        let mut position = continuation.position.clone();
        for &ordinal in continuation.ordinals.iter().take(depth) {
            let played = position.select(ordinal);
            let key = position.polyglot_key();
            let (Some(m), Some(key)) = (played, key) else {
                return;
            };
            // As in PolyGlot, a game without a result counts as a draw.
            let half_points = facts.result.half_points().unwrap_or([1, 1]);
            let mover = usize::from(!position.white_to_move());
            if let Some(number) = polyglot_move(m) {
                let played = self.moves.entry((key, number)).or_default();
                played.games += 1;
                played.half_points += u64::from(half_points[mover]);
            }
            position.play(m);
        }
    }

    fn join(&mut self, other: Book) {
        for (place, more) in other.moves {
            let played = self.moves.entry(place).or_default();
            played.games += more.games;
            played.half_points += more.half_points;
        }
    }
}

impl Archive {
    /// Adds to `book` the moves that follow the positions of an answer, `depth` plies deep, and
    /// returns the number of games.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`], [`Error::Cancelled`].
    pub fn add_to_book(
        &self,
        book: &mut Book,
        answer: &Answer,
        depth: usize,
        threads: usize,
    ) -> Result<u64, Error> {
        let columns = self.fact_columns(false, threads)?;
        let mut all = 0;
        self.continuations(
            answer,
            threads,
            |games: &[Continuation]| {
                let mut part = Book::default();
                for game in games {
                    part.add(&columns.facts(game.game), game, depth);
                }
                (part, games.len() as u64)
            },
            |(part, games)| {
                book.join(part);
                all += games;
            },
        )?;
        Ok(all)
    }
}
