//! Where the pieces of a position can legally go.
//!
//! Nothing here generates a list of moves. A piece's legal destinations are what it attacks, cut
//! down by two masks: where *anything* may go (not onto our own pieces; in check, only onto the
//! squares that end it), and, for a pinned piece, the line it is pinned on. The ordinal (PGN 1994,
//! 20.2) is then a count of bits.

use shakmaty::{Bitboard, CastlingSide, Color, Role, Square, attacks};

use super::squares::{FILE_A, RANK_1, file_of, rank_of};
use super::standard::{Standard, Step, StepKind};

/// The squares from which a piece that is not a pawn goes to `to` on an empty board.
#[inline(always)]
fn lines(role: Role, to: Square) -> Bitboard {
    Bitboard(LINES[role as usize & 7][to.to_usize()])
}

/// By the number of the role. One table for all, so that what is the same for all kinds of pieces
/// is one piece of code.
static LINES: [[u64; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut number = 0;
    while number < 64 {
        let (square, sq) = (Square::new(number), number as usize);
        // The attacks of these are the same in both orders of squares.
        table[Role::Knight as usize][sq] = attacks::knight_attacks(square).0;
        table[Role::King as usize][sq] = attacks::king_attacks(square).0;
        let (straight, diagonal) = (
            RANK_1 << (sq & 7) | FILE_A << (sq & 56),
            DIAGONALS[0][sq] | DIAGONALS[1][sq],
        );
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

/// What pawns of this colour attack. They never stand on the first or last rank; what stands there
/// may come out on those ranks.
#[inline(always)]
pub(super) fn pawn_attacks(pawns: Bitboard, color: Color) -> Bitboard {
    Bitboard(match color {
        Color::White => pawns.0 >> 7 | pawns.0 << 9,
        Color::Black => pawns.0 >> 9 | pawns.0 << 7,
    })
}

/// What a bishop attacks.
#[inline(always)]
pub(super) fn bishop_attacks(from: Square, occupied: Bitboard) -> Bitboard {
    let lines = DIAGONALS.map(|table| table[from.to_usize()]);
    Bitboard(along(lines[0], from, occupied) | along(lines[1], from, occupied))
}

/// What a rook attacks.
#[inline(always)]
pub(super) fn rook_attacks(from: Square, occupied: Bitboard) -> Bitboard {
    let (file, rank) = (8 * file_of(from), rank_of(from));
    let [on_file, ..] = (occupied.0 >> file).to_le_bytes();
    let on_file = u64::from(ON_FILE[rank][usize::from(on_file >> 1 & 0x3f)]) << file;
    Bitboard(on_file | along(RANK_1 << rank, from, occupied))
}

/// How far a slider sees on a line that has one square of each file, both ways: a subtraction
/// borrows up to the first piece in the way ("hyperbola quintessence"). Tables for whole boards
/// take longer: they do not fit into the nearest cache.
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

/// By rank, and by what stands on the ranks 2 to 7 of the file: what a rook attacks on its file.
static ON_FILE: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut rank = 0;
    while rank < 8 {
        let mut others = 0;
        while others < 64 {
            let occupied = others << 1;
            let mut to = rank;
            while to < 7 {
                to += 1;
                table[rank][others] |= 1 << to;
                if occupied >> to & 1 == 1 {
                    break;
                }
            }
            to = rank;
            while to > 0 {
                to -= 1;
                table[rank][others] |= 1 << to;
                if occupied >> to & 1 == 1 {
                    break;
                }
            }
            others += 1;
        }
        rank += 1;
    }
    table
};

impl Standard {
    /// Our pieces of one kind.
    #[inline(always)]
    pub(super) fn pieces(&self, role: Role) -> Bitboard {
        self.us & self.by_role(role)
    }

    /// Rooks and queens, or bishops and queens, of both sides.
    #[inline(always)]
    pub(super) fn movers_along(&self, role: Role) -> Bitboard {
        self.by_role(role) | self.by_role(Role::Queen)
    }

    #[inline(always)]
    pub(super) fn occupied(&self) -> Bitboard {
        self.us | self.them
    }

    #[inline(always)]
    fn attacks(&self, role: Role, from: Square) -> Bitboard {
        let occupied = self.occupied();
        match role {
            Role::Knight => attacks::knight_attacks(from),
            Role::Bishop => bishop_attacks(from, occupied),
            Role::Rook => rook_attacks(from, occupied),
            Role::Queen => rook_attacks(from, occupied) | bishop_attacks(from, occupied),
            Role::King | Role::Pawn => Bitboard::EMPTY,
        }
    }

    /// The legal destinations of a knight, bishop, rook or queen of ours.
    #[inline(always)]
    pub(super) fn destinations(&self, role: Role, from: Square) -> Bitboard {
        let set = self.attacks(role, from) & self.census.target;
        if self.census.pinned.contains(from) {
            set & attacks::ray(self.king, from)
        } else {
            set
        }
    }

    /// Our pieces of a kind, but pawns, that can legally go to `to`.
    #[inline(always)]
    pub(super) fn movers(&self, role: Role, to: Square) -> Bitboard {
        if !self.census.reach[role as usize & 7].contains(to) {
            return Bitboard::EMPTY;
        }
        // Some piece can. Where only one stands on a line with the square, that is the one.
        let candidates = self.pieces(role) & lines(role, to);
        if candidates.more_than_one() {
            self.movers_of(role, candidates, to)
        } else {
            candidates
        }
    }

    /// Those of several candidates that can legally go to `to`.
    #[inline(never)]
    fn movers_of(&self, role: Role, candidates: Bitboard, to: Square) -> Bitboard {
        let set = self.attacks(role, to) & candidates;
        // A pinned piece may go to `to` exactly if that lies on the line it is pinned on.
        let pinned = set & self.census.pinned;
        (set & !pinned) | (pinned & attacks::ray(self.king, to))
    }

    /// The legal castling move on one side, if there is one.
    #[inline(always)]
    pub(super) fn castling(&self, side: CastlingSide) -> Option<Step> {
        self.castling_rook(side).map(|rook| Step {
            kind: StepKind::Castling,
            ..Step::new(Role::King, self.king, rook)
        })
    }

    /// The number of legal castling moves.
    #[inline(always)]
    pub(super) fn castling_count(&self) -> usize {
        if !self.has_rights() {
            return 0;
        }
        usize::from(self.castling_rook(CastlingSide::KingSide).is_some())
            + usize::from(self.castling_rook(CastlingSide::QueenSide).is_some())
    }

    /// Whether the side to move has any legal move.
    pub(super) fn any_move(&self) -> bool {
        self.census.reach != [Bitboard::EMPTY; 8] || self.pawns().any() || self.castling_count() > 0
    }
}
