//! The positions of the main line of a game, as tables show them (spec/tables.md, 3).

use std::collections::HashMap;
use std::iter::repeat_n;

use super::annotations::{LineNotes, PlyValues};
use super::line::play;
use super::walk::BlockGames;
use crate::run::Error;
use pgc_chess::{Position, SanText, known_start};
use pgc_pgn::game::Wholeness;

/// The letters of pawn to king, and their values in pawns.
const PIECES: [(char, i32); 6] = [('K', 0), ('Q', 9), ('R', 5), ('B', 3), ('N', 3), ('P', 1)];

/// What is wanted of each position; the rest is left out.
#[derive(Clone, Copy, Debug, Default)]
pub struct WantedFacts {
    /// The key, and how often the game had the position.
    pub key: bool,
    /// The move in SAN.
    pub san: bool,
    /// The move in UCI notation.
    pub uci: bool,
    /// What comments and NAGs say of the move.
    pub notes: bool,
}

/// A position, and the move that is played in it.
#[derive(Debug)]
pub struct PositionRow<'r> {
    /// The plies played before.
    pub ply: u32,
    /// The position.
    pub position: &'r Position,
    /// PolyGlot's key; `None` under rules that it does not know.
    pub key: Option<u64>,
    /// How often the game has had the position so far.
    pub repetition: Option<i32>,
    /// The move in 16 bits; `None` in the last position.
    pub packed: Option<u16>,
    san: &'r str,
    uci: Option<SanText>,
    notes: &'r LineNotes,
}

impl PositionRow<'_> {
    /// The move in SAN.
    pub fn san(&self) -> Option<&str> {
        self.packed.map(|_| self.san)
    }

    /// The move in UCI notation.
    pub fn uci(&self) -> Option<&str> {
        self.uci.as_deref()
    }

    /// Who is to move.
    pub fn side(&self) -> &'static str {
        ["black", "white"][usize::from(self.position.white_to_move())]
    }

    /// The seconds left after the move, and those that it took.
    pub fn times(&self) -> [Option<f64>; 2] {
        let notes = self.notes;
        [&notes.clocks, &notes.elapsed].map(|values| self.first(values).copied())
    }

    /// The evaluation after the move in hundredths of a pawn, the moves to mate, and the depth.
    pub fn evaluation(&self) -> [Option<i32>; 3] {
        let notes = self.notes;
        [&notes.evals, &notes.mates, &notes.depths].map(|values| self.first(values).copied())
    }

    /// The comments after the move, without what has columns of its own.
    pub fn comment(&self) -> Option<&str> {
        self.first(&self.notes.comments).map(String::as_str)
    }

    /// The NAGs of the move.
    pub fn nags(&self) -> impl Iterator<Item = i32> {
        self.at(&self.notes.nags).iter().map(|nag| nag.1)
    }

    fn first<'v, T>(&self, values: &'v PlyValues<T>) -> Option<&'v T> {
        self.at(values).first().map(|value| &value.1)
    }

    /// The values of the move.
    fn at<'v, T>(&self, values: &'v PlyValues<T>) -> &'v [(u32, T)] {
        if self.packed.is_none() {
            return &[];
        }
        let begin = values.partition_point(|value| value.0 < self.ply);
        let end = begin + values[begin..].partition_point(|value| value.0 == self.ply);
        &values[begin..end]
    }

    /// The pieces of White and of Black in pawns.
    pub fn points(&self) -> [i32; 2] {
        self.position.material().map(|counts| {
            let values = PIECES.iter().zip(counts);
            values
                .map(|(piece, count)| piece.1 * i32::from(count))
                .sum()
        })
    }

    /// The pieces of White and of Black by their letters.
    pub fn material(&self) -> String {
        let [white, black] = self.position.material().map(|counts| -> String {
            let pieces = PIECES.iter().zip(counts);
            pieces
                .flat_map(|(piece, count)| repeat_n(piece.0, count.into()))
                .collect()
        });
        format!("{white} {black}")
    }

    /// The phase of the game, by the number of queens, rooks, bishops and knights.
    pub fn phase(&self) -> &'static str {
        let counts = self.position.material();
        let pieces = counts.iter().flat_map(|side| &side[1..5]);
        match pieces.map(|&count| u32::from(count)).sum() {
            ..=6_u32 => "endgame",
            7..=10 => "middlegame",
            _ => "opening",
        }
    }
}

/// Walks over the positions of games, and keeps memory for the next game.
#[derive(Debug, Default)]
pub struct PositionWalk {
    notes: LineNotes,
    /// How often each position of the current game was there.
    seen: HashMap<u64, i32>,
    san: SanText,
}

impl PositionWalk {
    /// Calls `each` with the positions of the current game.
    ///
    /// # Errors
    /// [`Error::Damaged`]: a move has no legal ordinal.
    pub fn each(
        &mut self,
        games: &BlockGames<'_>,
        wanted: WantedFacts,
        mut each: impl FnMut(&PositionRow<'_>),
    ) -> Result<(), Error> {
        let data = games.game();
        let read = data.game();
        let Ok(mut position) = known_start(data.tags()) else {
            return Ok(());
        };
        self.seen.clear();
        if wanted.notes {
            self.notes
                .read(data.text(), &read, !position.white_to_move());
        }
        let is_played = !data.is_text() && read.wholeness != Wholeness::TextOnly;
        let mut line = read.main_line().take_while(|_| is_played);
        for ply in 0.. {
            let key = wanted.key.then(|| position.polyglot_key()).flatten();
            let repetition = key.map(|key| {
                let times = self.seen.entry(key).or_default();
                *times += 1;
                *times
            });
            let (mut after, mut packed, mut uci) = (position.clone(), None, None);
            if let Some(ordinal) = line.next() {
                if wanted.uci {
                    uci = position.select(ordinal).map(|m| position.uci(m));
                }
                let san = wanted.san.then_some(&mut self.san);
                packed = Some(play(games, &mut after, ordinal, san)?);
            }
            each(&PositionRow {
                ply,
                position: &position,
                key,
                repetition,
                packed,
                san: &self.san,
                uci,
                notes: &self.notes,
            });
            if packed.is_none() {
                break;
            }
            position = after;
        }
        Ok(())
    }
}
