//! Codes a move after guesses: a few moves are tried first, and then the model tells which of the
//! other moves it is (spec/small.md section 7.7).

use super::{BadCode, Choice, CodedLine, RangeDecoder, RangeEncoder};
use crate::chess::ordinal;
use crate::chess::squares::nth_bit;

/// A move and its share of the frequencies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveShare {
    choice: Choice,
    pub ordinal: u8,
    pub frequency: u32,
    below: u32,
}

/// The moves of a position that has been weighed, less those that were tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Untried {
    /// `below` and `frequency` of each move that was tried, sorted.
    tried: [(u32, u32); MAX_TRIED],
    count: usize,
    /// The frequencies that are left.
    pub left: u32,
}

/// The most moves that can be tried.
pub(crate) const MAX_TRIED: usize = 4;

impl Untried {
    /// Leaves out a move.
    pub(crate) fn leave_out(&mut self, share: &MoveShare) {
        let Some(slot) = self.tried.get_mut(self.count) else {
            return;
        };
        *slot = (share.below, share.frequency);
        self.count += 1;
        self.tried[..self.count].sort_unstable();
        self.left -= share.frequency;
    }

    /// Whether the move with this `below` was left out.
    fn has(&self, below: u32) -> bool {
        let mut tried = self.tried[..self.count].iter();
        tried.any(|tried| tried.0 == below)
    }

    /// Converts a place among all frequencies to one among those that are left.
    fn place(&self, place: u32) -> u32 {
        let tried = self.tried[..self.count].iter();
        place - tried.filter(|t| t.0 < place).map(|t| t.1).sum::<u32>()
    }

    /// Converts a place among the frequencies that are left to one among all.
    fn whole_place(&self, mut place: u32) -> u32 {
        for tried in &self.tried[..self.count] {
            if place >= tried.0 {
                place += tried.1;
            }
        }
        place
    }
}

impl CodedLine {
    /// A number for where the pieces stand and who is to move; `None` in variants of chess.
    pub(crate) fn key(&self) -> Option<u64> {
        self.position.key()
    }

    /// Weighs the moves.
    pub(crate) fn untried(&mut self) -> Untried {
        let left = match self.weigh() {
            Some((moves, _)) => moves.total(),
            None => self.position.ordinals(),
        };
        Untried {
            tried: [(0, 0); MAX_TRIED],
            count: 0,
            left,
        }
    }

    /// The share of a move, once the moves were weighed; `None` if no move has this ordinal, or if
    /// it was left out.
    pub(crate) fn share(&mut self, ordinal: u8, untried: &Untried) -> Option<MoveShare> {
        let weighed = self.moves.as_ref().filter(|moves| moves.len().is_some());
        let share = match (self.position.standard(), weighed) {
            (Some(standard), Some(moves)) => {
                let (step, _) = ordinal::select(standard, usize::from(ordinal), nth_bit)?;
                let (frequency, below) = moves.share(standard, step)?;
                MoveShare {
                    choice: Choice::Weighed(step),
                    ordinal,
                    frequency,
                    below,
                }
            }
            _ => MoveShare {
                choice: Choice::Even(ordinal),
                ordinal,
                frequency: (u32::from(ordinal) < self.position.ordinals()).then_some(1)?,
                below: ordinal.into(),
            },
        };
        (!untried.has(share.below)).then_some(share)
    }

    /// Codes one of the moves that were not tried.
    pub(crate) fn put_untried(share: &MoveShare, untried: &Untried, coder: &mut RangeEncoder) {
        coder.put(untried.place(share.below), share.frequency, untried.left);
    }

    /// Takes one of the moves that were not tried.
    ///
    /// # Errors
    /// [`BadCode`]: there is none, or the bytes lead to none.
    pub(crate) fn take_untried(
        &mut self,
        untried: &Untried,
        coder: &mut RangeDecoder<'_>,
    ) -> Result<MoveShare, BadCode> {
        if untried.left == 0 {
            return Err(BadCode);
        }
        let place = coder.place(untried.left)?;
        let whole = untried.whole_place(place);
        let weighed = self.moves.as_ref().filter(|moves| moves.len().is_some());
        let share = match (self.position.standard(), weighed) {
            (Some(standard), Some(moves)) => {
                let (step, frequency, below) = moves.at(standard, whole).ok_or(BadCode)?;
                let ordinal = ordinal::rank(standard, step).ok_or(BadCode)?;
                MoveShare {
                    choice: Choice::Weighed(step),
                    ordinal: u8::try_from(ordinal).map_err(|_| BadCode)?,
                    frequency,
                    below,
                }
            }
            _ => {
                let ordinal = u8::try_from(whole).map_err(|_| BadCode)?;
                MoveShare {
                    choice: Choice::Even(ordinal),
                    ordinal,
                    frequency: 1,
                    below: whole,
                }
            }
        };
        coder.take(untried.place(share.below), share.frequency, untried.left);
        Ok(share)
    }

    /// Plays a move of the position.
    pub(crate) fn play_share(&mut self, share: &MoveShare) -> Option<()> {
        self.play(share.choice)
    }

    /// Plays the move with this ordinal.
    pub(crate) fn follow(&mut self, ordinal: u8) -> Option<()> {
        let choice = match self.position.standard() {
            Some(standard) => {
                let (step, _) = ordinal::select(standard, usize::from(ordinal), nth_bit)?;
                Choice::Weighed(step)
            }
            None => Choice::Even(ordinal),
        };
        self.play(choice)
    }
}
