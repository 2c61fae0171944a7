//! How likely each legal move is (spec/moves.md): a fixed model in integers, which a range coder
//! turns into bits.

use super::position::Position;
use super::standard::Standard;

mod coder;
pub(crate) mod guess;
mod list;
mod memory;
mod portable;
mod score;
mod sight;
mod tables;
#[cfg(target_arch = "x86_64")]
mod vectors;
mod weigh;

pub use coder::{BadCode, RangeDecoder, RangeEncoder};
use list::MoveList;
use memory::Memory;
use tables::TABLES;
use weigh::weigh;

/// A line of play whose moves are coded.
///
/// ```
/// use pgc_chess::{CodedLine, Position, RangeDecoder, RangeEncoder};
///
/// let mut coder = RangeEncoder::default();
/// let mut line = CodedLine::new(Position::initial());
/// for ordinal in [13, 13, 2] {
///     line.put(ordinal, &mut coder).expect("there are so many moves");
/// }
/// let bytes = coder.finish();
/// let mut coder = RangeDecoder::new(&bytes);
/// let mut line = CodedLine::new(Position::initial());
/// for ordinal in [13, 13, 2] {
///     assert_eq!(line.take(&mut coder), Ok(ordinal));
/// }
/// assert_eq!(coder.finish(), Ok(()));
/// ```
#[derive(Debug)]
pub struct CodedLine {
    position: Position,
    /// `None` under other rules than those of chess and Chess960.
    memory: Option<Memory>,
    /// The moves that were weighed last, once there were some.
    moves: Option<Box<MoveList>>,
}

/// What was weighed last is not copied: most copies wait for a variation that never comes.
impl Clone for CodedLine {
    fn clone(&self) -> CodedLine {
        CodedLine {
            position: self.position.clone(),
            memory: self.memory.clone(),
            moves: None,
        }
    }
}

impl CodedLine {
    /// At the start of a game.
    pub fn new(mut position: Position) -> CodedLine {
        CodedLine {
            memory: position.standard().map(|standard| Memory::new(standard)),
            position,
            moves: None,
        }
    }

    /// The position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Takes the list of moves, to use its memory again, from a line that waits or is over.
    pub fn take_over(&mut self, other: &mut CodedLine) {
        self.moves = other.moves.take();
    }

    /// Weighs the moves; `None` where all that have an ordinal are equally likely: in variants of
    /// chess, and where there are more moves than ordinals.
    fn weigh(&mut self) -> Option<(&MoveList, &Standard)> {
        let (Some(standard), Some(memory)) = (self.position.standard(), &self.memory) else {
            return None;
        };
        let moves = self.moves.get_or_insert_default();
        weigh(standard, memory, &TABLES, moves);
        moves.len().is_some().then_some((moves, standard))
    }

    /// Codes the move with this ordinal and plays it; `None` if there is none.
    pub fn put(&mut self, ordinal: u8, coder: &mut RangeEncoder) -> Option<()> {
        self.put_other(ordinal, &[], coder)
    }

    /// The ordinal of the next move, which it plays.
    ///
    /// # Errors
    /// [`BadCode`]: there is no legal move, or the bytes lead to none.
    pub fn take(&mut self, coder: &mut RangeDecoder<'_>) -> Result<u8, BadCode> {
        self.take_other(&[], coder)
    }
}
