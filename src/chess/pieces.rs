//! Which pieces stand on a board.

use shakmaty::{Bitboard, Board, ByColor, ByRole, Color, Role};

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
    pub(super) fn by_color(&self, color: Color) -> Bitboard {
        match color {
            Color::White => self.white,
            Color::Black => self.black,
        }
    }

    /// The board in shakmaty's form.
    pub(super) fn to_board(self) -> Board {
        let by_color = ByColor {
            black: self.black.flip_diagonal(),
            white: self.white.flip_diagonal(),
        };
        let by_role = ByRole::new_with(|role: Role| self.roles[role as usize].flip_diagonal());
        Board::try_from_bitboards(by_role, by_color)
            .expect("every piece has one kind and one colour")
    }

    /// The pieces of shakmaty's board.
    pub(super) fn from_board(board: &Board) -> Pieces {
        let mut roles = [Bitboard::EMPTY; 8];
        for role in Role::ALL {
            roles[role as usize] = board.by_role(role).flip_diagonal();
        }
        Pieces {
            roles,
            white: board.white().flip_diagonal(),
            black: board.black().flip_diagonal(),
        }
    }
}
