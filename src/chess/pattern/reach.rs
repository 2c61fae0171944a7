//! What a position must still have for a sought position to be reachable from it: a piece that was
//! taken does not come back, and a pawn does not go back.

use shakmaty::{Bitboard, Color, Square};

use super::letters::{Contents, EMPTY};
use crate::pieces::Pieces;
use crate::squares::{BACKRANKS, file_of, rank_of};

/// The number of pieces of both sides, and what each side must have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Floor {
    pieces: usize,
    white: SideFloor,
    black: SideFloor,
}

/// What a side must still have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SideFloor {
    pieces: usize,
    /// For each sought pawn, its square and those that it can have come from.
    origins: Vec<Bitboard>,
    /// All of these squares.
    all_origins: Bitboard,
    /// Knights, bishops on dark and on light squares, rooks, queens.
    kinds: [usize; 5],
}

/// The dark squares, with each file one byte.
const DARK: Bitboard = Bitboard(0xaa55_aa55_aa55_aa55);

impl Floor {
    /// Adds a square that may hold these contents.
    pub(super) fn add(&mut self, square: Square, wanted: Contents) {
        if wanted & EMPTY != 0 {
            return;
        }
        self.pieces += 1;
        // Bits 1 to 6 are White's pieces, from the pawn to the king, bits 7 to 12 Black's.
        for (side, color, shift) in [
            (&mut self.white, Color::White, 1),
            (&mut self.black, Color::Black, 7),
        ] {
            if wanted & !(0x3f << shift) == 0 {
                side.add(square, color, wanted >> shift);
            }
        }
    }

    #[inline]
    pub(super) fn is_out_of_reach(&self, pieces: &Pieces) -> bool {
        // Only a square that may hold pieces of both sides asks for more than each side does.
        self.pieces > self.white.pieces + self.black.pieces
            && (pieces.white | pieces.black).count() < self.pieces
            || self.white.is_out_of_reach(pieces.white, pieces)
            || self.black.is_out_of_reach(pieces.black, pieces)
    }
}

impl SideFloor {
    /// Adds a square that must hold one of these pieces: bit 0 is the pawn, bit 5 the king.
    fn add(&mut self, square: Square, color: Color, wanted: Contents) {
        self.pieces += 1;
        let kind = match wanted {
            0b00_0001 => {
                let origins = origins(square, color);
                self.origins.push(origins);
                self.all_origins |= origins;
                return;
            }
            0b00_0010 => 0,
            0b00_0100 if DARK.contains(square) => 1,
            0b00_0100 => 2,
            0b00_1000 => 3,
            0b01_0000 => 4,
            // The king is always there. A square that may hold pieces of several kinds counts in
            // `pieces` only.
            _ => return,
        };
        self.kinds[kind] += 1;
    }

    #[inline]
    fn is_out_of_reach(&self, own: Bitboard, pieces: &Pieces) -> bool {
        let roles = &pieces.roles;
        let pawns = own & roles[1];
        if own.count() < self.pieces
            || self.origins.len() > 1 && (pawns & self.all_origins).count() < self.origins.len()
            || self.origins.iter().any(|&from| (pawns & from).is_empty())
        {
            return true;
        }
        let have = [
            roles[2],
            roles[3] & DARK,
            roles[3] & !DARK,
            roles[4],
            roles[5],
        ];
        let sought = self.kinds.iter().zip(have).filter(|(kind, _)| **kind > 0);
        let lacking = sought.map(|(&kind, have)| kind.saturating_sub((own & have).count()));
        let lacking: usize = lacking.sum();
        // Each piece that is lacking must come from a pawn that promotes.
        lacking > 0 && lacking > pawns.count() - self.origins.len()
    }
}

/// The squares from which a pawn can have come to this one.
fn origins(square: Square, color: Color) -> Bitboard {
    let steps = |from: Square| {
        let (from, to) = (rank_of(from), rank_of(square));
        match color {
            Color::White => to.checked_sub(from),
            Color::Black => from.checked_sub(to),
        }
    };
    let may_come = |&from: &Square| {
        steps(from).is_some_and(|steps| file_of(from).abs_diff(file_of(square)) <= steps)
    };
    let all: Bitboard = Square::ALL.into_iter().filter(may_come).collect();
    all & !BACKRANKS
}

/// The pieces of White and of Black, kings to pawns: how many there may be at most.
pub(super) type Most = [[usize; 6]; 2];

/// Whether a position with at most so many pieces can come before one with these.
pub(super) fn precedes(most: &Most, end: &[[u8; 6]; 2]) -> bool {
    most.iter().zip(end).all(|(most, end)| {
        let more = |(end, most): (&u8, &usize)| usize::from(*end).saturating_sub(*most);
        let promoted: usize = end.iter().zip(most).take(5).map(more).sum();
        usize::from(end[5]) + promoted <= most[5]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::squares::turned;

    #[test]
    fn dark_squares_are_dark() {
        for square in Square::ALL {
            assert_eq!(DARK.contains(turned(square)), square.is_dark(), "{square}");
        }
    }

    #[test]
    fn pawns_come_from_behind() {
        let names = |square: Square, color| -> Vec<String> {
            let squares = origins(turned(square), color).into_iter();
            let mut names: Vec<_> = squares.map(|square| turned(square).to_string()).collect();
            names.sort();
            names
        };
        assert_eq!(names(Square::A2, Color::White), ["a2"]);
        assert_eq!(names(Square::D6, Color::Black), ["c7", "d6", "d7", "e7"]);
    }
}
