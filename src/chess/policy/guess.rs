//! Codes a move after guesses: a few moves are tried first, and then the model tells which of the
//! other moves it is (spec/small.md section 7.7).

use super::list::MoveList;
use super::memory;
use super::tables::TABLES;
use super::{BadCode, CodedLine, RangeDecoder, RangeEncoder};
use crate::squares::nth_bit;
use crate::standard::{BoardMove, Standard};
use crate::{ordinal, ply};

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
            let (_, frequency, below) = self.share(ordinal)?;
            *rest.guesses.get_mut(rest.count)? = (below, frequency);
            rest.count += 1;
            rest.left -= frequency;
        }
        rest.guesses[..rest.count].sort_unstable();
        Some(rest)
    }

    /// The moves that were weighed; `None` where all are equally likely.
    fn weighed(&mut self) -> Option<(&Standard, &MoveList)> {
        let moves = self
            .moves
            .as_deref()
            .filter(|moves| moves.len().is_some())?;
        Some((self.position.standard()?, moves))
    }

    /// Once the moves were weighed, a move with its frequency, and that of all before it; `None` if no
    /// move has this ordinal.
    fn share(&mut self, ordinal: u8) -> Option<(Option<BoardMove>, u32, u32)> {
        let Some((standard, moves)) = self.weighed() else {
            let is_move = u32::from(ordinal) < self.position.ordinals();
            return is_move.then_some((None, 1, ordinal.into()));
        };
        let (step, _) = ordinal::select(standard, usize::from(ordinal), nth_bit)?;
        let (frequency, below) = moves.share(standard, step)?;
        Some((Some(step), frequency, below))
    }

    /// The frequency of the move with this ordinal, the sum for the moves before it in the order of
    /// the model, and the sum for all; `None` if no move has this ordinal.
    pub fn frequency(&mut self, ordinal: u8) -> Option<(u32, u32, u32)> {
        let total = self.unguessed(&[])?.left;
        let (_, frequency, below) = self.share(ordinal)?;
        Some((frequency, below, total))
    }

    /// Codes a move that is none of these guesses, and plays it.
    pub fn put_other(&mut self, ordinal: u8, wrong: &[u8], coder: &mut RangeEncoder) -> Option<()> {
        let rest = self.unguessed(wrong)?;
        let (step, frequency, below) = self.share(ordinal)?;
        coder.put(rest.place(below), frequency, rest.left);
        self.play(step, ordinal)
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
        let (step, ordinal, frequency, below) = match self.weighed() {
            Some((standard, moves)) => {
                let (step, frequency, below) = moves.at(standard, whole).ok_or(BadCode)?;
                let ordinal = ordinal::rank(standard, step).ok_or(BadCode)?;
                (Some(step), u8::try_from(ordinal), frequency, below)
            }
            None => (None, u8::try_from(whole), 1, whole),
        };
        let ordinal = ordinal.map_err(|_| BadCode)?;
        coder.take(rest.place(below), frequency, rest.left);
        self.play(step, ordinal).ok_or(BadCode)?;
        Ok(ordinal)
    }

    /// Plays the move with this ordinal.
    pub fn follow(&mut self, ordinal: u8) -> Option<()> {
        let step = match self.position.standard() {
            Some(standard) => ordinal::select(standard, usize::from(ordinal), nth_bit)?
                .0
                .into(),
            None => None,
        };
        self.play(step, ordinal)
    }

    /// Plays a move that is known, or else the one with this ordinal.
    fn play(&mut self, step: Option<BoardMove>, ordinal: u8) -> Option<()> {
        match (step, self.position.standard(), &mut self.memory) {
            (Some(step), Some(standard), Some(memory)) => {
                memory::see(memory, &TABLES, standard, step);
                ply::play(standard, step);
            }
            _ => self.position.advance(ordinal, None)?,
        }
        Some(())
    }
}
