//! The squares that a piece attacks, given the occupied squares.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::squares::{RANK_1, file_of, rank_of};

/// The squares from which a piece that is not a pawn goes to `to` on an empty board.
#[inline(always)]
pub(super) fn lines(role: Role, to: Square) -> Bitboard {
    Bitboard(LINES[role as usize & 7][to.to_usize()])
}

/// By the number of the role. One table for all kinds of pieces, so that one piece of code serves
/// them all.
static LINES: [[u64; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut number = 0;
    while number < 64 {
        let (square, sq) = (Square::new(number), number as usize);
        // These attack the same squares in both orders of squares.
        table[Role::Knight as usize][sq] = attacks::knight_attacks(square).0;
        table[Role::King as usize][sq] = attacks::king_attacks(square).0;
        let straight = attacks::rook_attacks(square, Bitboard::EMPTY).0;
        let diagonal = attacks::bishop_attacks(square, Bitboard::EMPTY).0;
        table[Role::Rook as usize][sq] = straight;
        table[Role::Bishop as usize][sq] = diagonal;
        table[Role::Queen as usize][sq] = straight | diagonal;
        number += 1;
    }
    table
};

/// The two diagonals through each square: first the one that climbs towards the h-file, then the
/// other.
pub(super) static DIAGONALS: [[u64; 64]; 2] = {
    let mut table = [[0; 64]; 2];
    let mut sq = 0;
    while sq < 64 {
        let mut other = 0;
        while other < 64 {
            if (sq >> 3) + (other & 7) == (other >> 3) + (sq & 7) {
                table[0][sq] |= 1 << other;
            }
            if (sq >> 3) + (sq & 7) == (other >> 3) + (other & 7) {
                table[1][sq] |= 1 << other;
            }
            other += 1;
        }
        sq += 1;
    }
    table
};

/// The squares that pawns of this colour attack. A piece on the first or last rank, where no pawn
/// stands, may also yield wrong squares on those two ranks.
#[inline(always)]
pub(super) fn pawn_attacks(pawns: Bitboard, color: Color) -> Bitboard {
    Bitboard(match color {
        Color::White => pawns.0 >> 7 | pawns.0 << 9,
        Color::Black => pawns.0 >> 9 | pawns.0 << 7,
    })
}

/// The squares that a piece attacks.
#[inline(always)]
pub(super) fn attacks_of(role: Role, color: Color, from: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Pawn => pawn_attacks(Bitboard::from_square(from), color),
        Role::Knight => attacks::knight_attacks(from),
        Role::Bishop => bishop_attacks(from, occupied),
        Role::Rook => rook_attacks(from, occupied),
        Role::Queen => rook_attacks(from, occupied) | bishop_attacks(from, occupied),
        Role::King => attacks::king_attacks(from),
    }
}

/// The squares that a bishop attacks.
#[inline(always)]
pub(super) fn bishop_attacks(from: Square, occupied: Bitboard) -> Bitboard {
    // By reference: `map` on the table itself would copy all of it, a kibibyte, for each piece.
    let [climbing, falling] = DIAGONALS.each_ref().map(|table| table[from.to_usize()]);
    Bitboard(along(climbing, from, occupied) | along(falling, from, occupied))
}

/// The squares that a rook attacks.
#[inline(always)]
pub(super) fn rook_attacks(from: Square, occupied: Bitboard) -> Bitboard {
    let (file, rank) = (8 * file_of(from), rank_of(from));
    let [on_file, ..] = (occupied.0 >> file).to_le_bytes();
    let on_file = u64::from(ON_FILE[rank][usize::from(on_file >> 1 & 0x3f)]) << file;
    Bitboard(on_file | along(RANK_1 << rank, from, occupied))
}

/// The squares that a slider attacks along a line with one square on each file (a rank or a
/// diagonal), both ways: a subtraction borrows up to the first piece in the way ("hyperbola
/// quintessence"). Lookup tables for whole boards are slower: they do not fit into the L1 cache.
#[inline(always)]
fn along(line: u64, from: Square, occupied: Bitboard) -> u64 {
    let from = 1_u64 << from.to_u32();
    let line = line & !from;
    let others = occupied.0 & line;
    let up = others.wrapping_sub(from);
    let down = others
        .swap_bytes()
        .wrapping_sub(from.swap_bytes())
        .swap_bytes();
    (up ^ down) & line
}

/// The squares that a rook attacks on its file, by its rank and by the occupied squares on the
/// ranks 2 to 7 of the file.
static ON_FILE: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut place = 0;
    while place < 8 * 64 {
        let (rank, others) = (place / 64, place % 64);
        let from = Square::new(rank);
        let reached = attacks::rook_attacks(from, Bitboard((others as u64) << 1));
        table[rank as usize][others as usize] = reached.0.to_le_bytes()[0];
        place += 1;
    }
    table
};
