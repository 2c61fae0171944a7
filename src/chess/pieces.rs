//! Which pieces stand on a board.

use shakmaty::{Bitboard, Color};

/// The pieces of a position, under any rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pieces {
    /// By number of the role, of both sides.
    pub(super) roles: [Bitboard; 8],
    pub(super) white: Bitboard,
    pub(super) black: Bitboard,
}

impl Pieces {
    #[inline(always)]
    pub(super) fn of(&self, color: Color) -> Bitboard {
        match color {
            Color::White => self.white,
            Color::Black => self.black,
        }
    }
}
