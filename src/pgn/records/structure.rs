//! Which records may stand where in a stream (section 20, D10), and what may be wrong with it.

use crate::records::marker::Marker;

/// How deep variations may be nested. Readers keep a position for each open variation, and memory
/// must be bounded.
pub const MAX_RAV_DEPTH: u32 = 1_024;

/// A record in a place where it cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StructureError {
    /// 0x02, 0x03, 0x04, 0x06, 0x07, 0x08 or 0x09 while no game is open.
    #[error("no game is open")]
    OutsideGame,
    /// 0x01 or 0x05 inside a game.
    #[error("a game cannot begin inside a game")]
    GameInGame,
    /// 0x06 while variations are open.
    #[error("variations still open: {0}")]
    OpenVariation(u32),
    /// 0x09 while no variation is open.
    #[error("no variation is open")]
    NoVariation,
    /// 0x08 in too many others.
    #[error("variations are nested deeper than the limit of {MAX_RAV_DEPTH}")]
    TooDeep,
    /// The stream ends and a game is still open.
    #[error("the data ends inside a game")]
    UnfinishedGame,
}

/// A fault in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The data ends inside a record; with more data it could be complete.
    #[error("the data ends here, {needed} or more bytes of it are missing")]
    Truncated {
        /// Bytes that are missing for certain. If a length header is among them, more may be
        /// missing.
        needed: usize,
    },
    /// A byte that is no marker stands where a record should begin. Records carry no length, so
    /// nothing after it can be read (D10).
    #[error("0x{0:02x} is no record marker")]
    UnknownMarker(u8),
    /// The record cannot stand here.
    #[error(transparent)]
    Structure(#[from] StructureError),
}

/// A fault, and the item of a record that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{item}: {fault}")]
pub struct ItemFault {
    /// The item, or the marker's name where the record itself is out of place.
    pub item: &'static str,
    /// What is wrong.
    pub fault: Fault,
}

/// The place in a stream, as far as it decides which records may come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Structure {
    /// Number of the game begun last, from 1.
    pub(super) game: u64,
    pub(super) in_game: bool,
    ravs: u32,
}

impl Structure {
    /// Advances over a record with this marker, if one may stand here.
    #[inline]
    pub(crate) fn admit(&mut self, marker: Marker) -> Result<(), StructureError> {
        match marker {
            Marker::Noop | Marker::Escape => {}
            // PGN 1994 20.4.5: 0x01 is an alternative to a general game, never part of one.
            Marker::ReducedGame | Marker::GameBegin => {
                if self.in_game {
                    return Err(StructureError::GameInGame);
                }
                self.game += 1;
                self.in_game = marker == Marker::GameBegin;
            }
            _ if !self.in_game => return Err(StructureError::OutsideGame),
            Marker::TagPair | Marker::ShortMoves | Marker::LongMoves | Marker::Nag => {}
            Marker::GameEnd if self.ravs > 0 => {
                return Err(StructureError::OpenVariation(self.ravs));
            }
            Marker::GameEnd => self.in_game = false,
            Marker::RavBegin if self.ravs == MAX_RAV_DEPTH => return Err(StructureError::TooDeep),
            Marker::RavBegin => self.ravs += 1,
            Marker::RavEnd if self.ravs == 0 => return Err(StructureError::NoVariation),
            Marker::RavEnd => self.ravs -= 1,
        }
        Ok(())
    }
}
