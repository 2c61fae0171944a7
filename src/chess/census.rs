//! The *census* is what one scan of a position finds: the checks and pins, the squares that the
//! enemy attacks, the destinations of our pieces and their number. Every ply needs all of it, so
//! playing a move takes the whole census of the new position.

use shakmaty::{Bitboard, Role, Square, attacks};

/// The census of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Census {
    /// Enemy pieces that give check.
    pub(super) checkers: Bitboard,
    /// Our pieces that a slider pins to the king.
    pub(super) pinned: Bitboard,
    /// The squares where a piece other than the king may land: not on our own pieces; in check,
    /// only on the squares that end it.
    pub(super) target: Bitboard,
    /// The squares that the enemy attacks. Sliders see through our king, which would leave their
    /// line.
    pub(super) attacked: Bitboard,
    /// The legal destinations of our pieces by number of the role, without pawns and castling.
    pub(super) reach: [Bitboard; 8],
    pub(super) counts: MoveCounts,
}

/// The number of moves of each kind of piece, without pawns and castling. Where two pieces of a
/// kind can go to the same square, both count. Packed into one number: 12 bits for each letter in
/// the order B, K, N, Q, R, from the lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MoveCounts(pub(super) u64);

impl MoveCounts {
    /// A one in the field of each letter.
    const EACH: u64 = 0x0001_0010_0100_1001;

    /// The lowest bit of the field of this kind of piece.
    #[inline(always)]
    pub(super) const fn shift(role: Role) -> u32 {
        const SHIFTS: [u8; 8] = [0, 0, 24, 0, 48, 36, 12, 0];
        SHIFTS[role as usize & 7] as u32
    }

    /// A count for one kind of piece, 0 for the others.
    #[inline(always)]
    pub(super) const fn one(role: Role, n: u64) -> MoveCounts {
        MoveCounts(n << MoveCounts::shift(role))
    }

    #[inline(always)]
    pub(super) fn count(self, role: Role) -> usize {
        (self.0 >> MoveCounts::shift(role) & 0xfff) as usize
    }

    /// The first letter whose running total ([`MoveCounts::up_to`]) is more than `n`.
    #[inline(always)]
    pub(super) fn first_above(self, n: usize) -> Role {
        // One subtraction compares all totals: the upper bit of a field stays where the total is
        // not more than `n`. There are never 2048 moves: a square is reached from at most 8 sides,
        // and by at most 8 knights.
        const UPPER: u64 = MoveCounts::EACH << 11;
        const ROLES: [Role; 8] = [
            Role::Bishop,
            Role::King,
            Role::Knight,
            Role::Queen,
            Role::Rook,
            Role::Rook,
            Role::Rook,
            Role::Rook,
        ];
        let n = ((n as u64 & 0x7ff) * MoveCounts::EACH) | UPPER;
        ROLES[(n.wrapping_sub(self.0) & UPPER).count_ones() as usize & 7]
    }

    /// The running total up to each letter. The bits above the last field are undefined.
    #[inline(always)]
    pub(super) fn up_to(self) -> MoveCounts {
        MoveCounts(self.0.wrapping_mul(MoveCounts::EACH))
    }
}

impl Census {
    /// Adds the king's destinations, and their number.
    #[inline(always)]
    pub(super) fn see_king(&mut self, king: Square, us: Bitboard) {
        let reach = attacks::king_attacks(king) & !us & !self.attacked;
        self.reach[Role::King as usize] = reach;
        self.counts.0 |= MoveCounts::one(Role::King, reach.count() as u64).0;
    }
}
