//! Boards seen from elsewhere: with the colours reversed, or in a mirror.

use shakmaty::{Bitboard, Color, Square};

/// From where a board is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoardView {
    /// With the colours reversed, and the ranks with them.
    pub flip: bool,
    /// With the a-file in place of the h-file.
    pub mirror: bool,
}

impl BoardView {
    /// All views that a question with `flip` or `mirror` asks for.
    pub fn all(self) -> impl Iterator<Item = BoardView> {
        [(false, false), (true, false), (false, true), (true, true)]
            .into_iter()
            .map(|(flip, mirror)| BoardView { flip, mirror })
            .filter(move |seen| (self.flip || !seen.flip) && (self.mirror || !seen.mirror))
    }

    pub(super) fn color(self, color: Color) -> Color {
        if self.flip { !color } else { color }
    }

    /// A square, numbered file by file.
    pub(super) fn square(self, square: Square) -> Square {
        let rank = if self.flip { 0o07 } else { 0 };
        let file = if self.mirror { 0o70 } else { 0 };
        Square::new(square.to_u32() ^ rank ^ file)
    }

    pub(super) fn squares(self, squares: Bitboard) -> Bitboard {
        squares
            .into_iter()
            .map(|square| self.square(square))
            .collect()
    }
}
