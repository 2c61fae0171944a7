//! Codes a move after guesses: a few moves are tried first, and then the model tells which of the
//! other moves it is (spec/small.md section 7.7).

use super::{BadCode, Choice, CodedLine, RangeDecoder, RangeEncoder};
use crate::ordinal;
use crate::squares::nth_bit;

/// A move and its share of the frequencies.
#[derive(Clone, Copy, Debug)]
struct MoveShare {
    choice: Choice,
    frequency: u32,
    below: u32,
}

/// The moves of a position that has been weighed, less those that were guessed.
struct Unguessed {
    /// `below` and `frequency` of each guess, sorted.
    guesses: [(u32, u32); MAX_GUESSES],
    count: usize,
    /// The frequencies that are left.
    left: u32,
}

/// The most guesses.
const MAX_GUESSES: usize = 4;

impl Unguessed {
    /// Converts a place among all frequencies to one among those that are left.
    fn place(&self, place: u32) -> u32 {
        let guesses = self.guesses[..self.count].iter();
        place - guesses.filter(|t| t.0 < place).map(|t| t.1).sum::<u32>()
    }

    /// Converts a place among the frequencies that are left to one among all.
    fn whole_place(&self, mut place: u32) -> u32 {
        for guess in &self.guesses[..self.count] {
            if place >= guess.0 {
                place += guess.1;
            }
        }
        place
    }
}

impl CodedLine {
    /// A number for where the pieces stand and who is to move; `None` in variants of chess.
    pub fn key(&self) -> Option<u64> {
        self.position.key()
    }

    /// Whether a move has this ordinal.
    pub fn has(&mut self, ordinal: u8) -> bool {
        match self.position.standard() {
            Some(standard) => ordinal::select(standard, usize::from(ordinal), nth_bit).is_some(),
            None => u32::from(ordinal) < self.position.ordinals(),
        }
    }

    /// Weighs the moves, and leaves out those that were guessed.
    fn unguessed(&mut self, wrong: &[u8]) -> Option<Unguessed> {
        let left = match self.weigh() {
            Some((moves, _)) => moves.total(),
            None => self.position.ordinals(),
        };
        let mut rest = Unguessed {
            guesses: [(0, 0); MAX_GUESSES],
            count: 0,
            left,
        };
        for &ordinal in wrong {
            let share = self.share(ordinal)?;
            *rest.guesses.get_mut(rest.count)? = (share.below, share.frequency);
            rest.count += 1;
            rest.left -= share.frequency;
        }
        rest.guesses[..rest.count].sort_unstable();
        Some(rest)
    }

    /// The share of a move, once the moves were weighed; `None` if no move has this ordinal.
    fn share(&mut self, ordinal: u8) -> Option<MoveShare> {
        let weighed = self.moves.as_ref().filter(|moves| moves.len().is_some());
        Some(match (self.position.standard(), weighed) {
            (Some(standard), Some(moves)) => {
                let (step, _) = ordinal::select(standard, usize::from(ordinal), nth_bit)?;
                let (frequency, below) = moves.share(standard, step)?;
                MoveShare {
                    choice: Choice::Weighed(step),
                    frequency,
                    below,
                }
            }
            _ => MoveShare {
                choice: Choice::Even(ordinal),
                frequency: (u32::from(ordinal) < self.position.ordinals()).then_some(1)?,
                below: ordinal.into(),
            },
        })
    }

    /// The frequency of the move with this ordinal, the sum for the moves before it in the order of
    /// the model, and the sum for all; `None` if no move has this ordinal.
    pub fn frequency(&mut self, ordinal: u8) -> Option<(u32, u32, u32)> {
        let total = self.unguessed(&[])?.left;
        let share = self.share(ordinal)?;
        Some((share.frequency, share.below, total))
    }

    /// Codes a move that is none of these guesses, and plays it.
    pub fn put_other(&mut self, ordinal: u8, wrong: &[u8], coder: &mut RangeEncoder) -> Option<()> {
        let rest = self.unguessed(wrong)?;
        let share = self.share(ordinal)?;
        coder.put(rest.place(share.below), share.frequency, rest.left);
        self.play(share.choice)
    }

    /// Takes a move that is none of these guesses, and plays it. Returns its ordinal.
    ///
    /// # Errors
    /// [`BadCode`]: there is none, or the bytes lead to none.
    pub fn take_other(
        &mut self,
        wrong: &[u8],
        coder: &mut RangeDecoder<'_>,
    ) -> Result<u8, BadCode> {
        let rest = self.unguessed(wrong).ok_or(BadCode)?;
        if rest.left == 0 {
            return Err(BadCode);
        }
        let whole = rest.whole_place(coder.place(rest.left)?);
        let weighed = self.moves.as_ref().filter(|moves| moves.len().is_some());
        let (ordinal, share) = match (self.position.standard(), weighed) {
            (Some(standard), Some(moves)) => {
                let (step, frequency, below) = moves.at(standard, whole).ok_or(BadCode)?;
                let share = MoveShare {
                    choice: Choice::Weighed(step),
                    frequency,
                    below,
                };
                (ordinal::rank(standard, step).ok_or(BadCode)?, share)
            }
            _ => {
                let ordinal = u8::try_from(whole).map_err(|_| BadCode)?;
                let share = self.share(ordinal).ok_or(BadCode)?;
                (usize::from(ordinal), share)
            }
        };
        coder.take(rest.place(share.below), share.frequency, rest.left);
        self.play(share.choice).ok_or(BadCode)?;
        u8::try_from(ordinal).map_err(|_| BadCode)
    }

    /// Plays the move with this ordinal.
    pub fn follow(&mut self, ordinal: u8) -> Option<()> {
        self.play(Choice::Even(ordinal))
    }
}
