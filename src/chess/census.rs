//! What one look along all lines of a position tells: which checks and pins there are, where the
//! king cannot go, and how many moves the pieces have. Every ply wants all of it, so it is taken at
//! once when a move has been played.

use shakmaty::{Bitboard, Role, Square, attacks};

/// The census of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Census {
    /// Enemy pieces that give check.
    pub(super) checkers: Bitboard,
    /// Our pieces that a slider ties to the king.
    pub(super) pinned: Bitboard,
    /// Where a piece other than the king may land: not on our own pieces; in check, only on the
    /// squares that end it.
    pub(super) target: Bitboard,
    /// What the enemy attacks. Sliders see through our king, which leaves its line.
    pub(super) attacked: Bitboard,
    /// Where our pieces can legally go, castling apart, by the number of their role; not of pawns.
    pub(super) reach: [Bitboard; 8],
    pub(super) counts: Counts,
}

/// The number of moves of each kind of piece but pawns, castling apart: more than there are
/// destinations where two pieces of a kind can go to the same. One number, since it is made in one
/// piece: 12 bits for each letter, in the order of the letters, B, K, N, Q, R.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts(pub(super) u64);

impl Counts {
    /// One of each letter.
    const EACH: u64 = 0x0001_0010_0100_1001;

    /// Where the number of this kind stands.
    #[inline(always)]
    pub(super) const fn shift(role: Role) -> u32 {
        const SHIFTS: [u8; 8] = [0, 0, 24, 0, 48, 36, 12, 0];
        SHIFTS[role as usize & 7] as u32
    }

    /// A number for one kind of piece.
    #[inline(always)]
    pub(super) const fn one(role: Role, n: u64) -> Counts {
        Counts(n << Counts::shift(role))
    }

    #[inline(always)]
    pub(super) fn of(self, role: Role) -> usize {
        (self.0 >> Counts::shift(role) & 0xfff) as usize
    }

    /// Of sums up to each letter, the first that is more than `n`, which one is.
    #[inline(always)]
    pub(super) fn first_above(self, n: usize) -> Role {
        // All are compared at once: the upper bit stays where the sum is not more. There are never
        // 2048 moves: to a square, a piece comes from one of 8 sides.
        const UPPER: u64 = Counts::EACH << 11;
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
        let n = ((n as u64 & 0x7ff) * Counts::EACH) | UPPER;
        ROLES[(n.wrapping_sub(self.0) & UPPER).count_ones() as usize & 7]
    }

    /// For each letter, the sum up to it; behind the last, anything.
    #[inline(always)]
    pub(super) fn up_to(self) -> Counts {
        Counts(self.0.wrapping_mul(Counts::EACH))
    }
}

impl Census {
    /// Adds the king's destinations to the others.
    #[inline(always)]
    pub(super) fn see_king(&mut self, king: Square, us: Bitboard) {
        let reach = attacks::king_attacks(king) & !us & !self.attacked;
        self.reach[Role::King as usize] = reach;
        self.counts.0 |= Counts::one(Role::King, reach.count() as u64).0;
    }
}
