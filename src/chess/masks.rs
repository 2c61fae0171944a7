//! Where the pieces of a position can legally go.
//!
//! Nothing here generates a list of moves. A piece's legal destinations are one lookup in shakmaty's attack tables, cut
//! down by two masks: where *anything* may go (not onto our own pieces; in check, only onto the squares that end it),
//! and, for a pinned piece, the line it is pinned on. The ordinal (PGN 1994, 20.2) is then a count of bits.

use shakmaty::{Bitboard, CastlingSide, Role, Square, attacks};

use super::census::Census;
use super::standard::{Standard, Step, StepKind};

/// For each square, the squares that come before it when they are sorted as text: by file, then by rank.
static BEFORE: [u64; 64] = {
    let mut table = [0; 64];
    let mut sq = 0;
    while sq < 64 {
        let (file, rank) = (sq & 7, sq >> 3);
        let below = 0x0101_0101_0101_0101_u64 << file;
        table[sq] = FILES_BELOW[file] | (below & ((1_u64 << (8 * rank)) - 1));
        sq += 1;
    }
    table
};

/// The files before the n-th; the last entry is the whole board.
static FILES_BELOW: [u64; 9] = {
    let mut table = [0; 9];
    let mut file = 1;
    while file < 9 {
        table[file] = table[file - 1] | 0x0101_0101_0101_0101 << (file - 1);
        file += 1;
    }
    table
};

pub(super) const FILE_A: u64 = 0x0101_0101_0101_0101;
pub(super) const FILE_H: u64 = FILE_A << 7;

/// The squares that sort before `sq`: lower file, or the same file and a lower rank.
#[inline]
pub(super) fn before(sq: Square) -> Bitboard {
    Bitboard(BEFORE[sq.to_usize()])
}

/// The squares on files before the `n`-th (0 is the a-file; `n` may be 8).
#[inline]
pub(super) fn files_below(n: usize) -> Bitboard {
    Bitboard(FILES_BELOW[n.min(8)])
}

/// The square that is `n`-th (from 0) in `set` when squares are sorted as text.
#[inline]
pub(super) fn nth_square(set: Bitboard, n: usize) -> Option<Square> {
    let mut flipped = set.flip_diagonal();
    for _ in 0..n {
        flipped.discard_first();
    }
    flipped.first().map(Square::flip_diagonal)
}

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
            Role::Bishop => attacks::bishop_attacks(from, occupied),
            Role::Rook => attacks::rook_attacks(from, occupied),
            Role::Queen => attacks::rook_attacks(from, occupied) | attacks::bishop_attacks(from, occupied),
            Role::King | Role::Pawn => Bitboard::EMPTY,
        }
    }

    /// The legal destinations of a knight, bishop, rook or queen of ours.
    #[inline(always)]
    pub(super) fn destinations(&self, role: Role, from: Square) -> Bitboard {
        self.destinations_by(&self.census, role, from)
    }

    /// The same by a census that is not yet this position's.
    #[inline(always)]
    pub(super) fn destinations_by(&self, census: &Census, role: Role, from: Square) -> Bitboard {
        let set = self.attacks(role, from) & census.target;
        if census.pinned.contains(from) { set & attacks::ray(self.king, from) } else { set }
    }

    /// Our knights, bishops, rooks or queens that can legally go to `to`.
    #[inline(always)]
    pub(super) fn movers(&self, role: Role, to: Square) -> Bitboard {
        if !self.census.target.contains(to) {
            return Bitboard::EMPTY;
        }
        let mut set = self.attacks(role, to) & self.pieces(role);
        let pinned = set & self.census.pinned;
        if pinned.any() {
            // A pinned piece may go to `to` exactly if that lies on the line it is pinned on.
            set = (set & !pinned) | (pinned & attacks::ray(self.king, to));
        }
        set
    }

    /// Where our pieces of one kind can legally go.
    #[inline(always)]
    pub(super) fn reach(&self, role: Role) -> Reach {
        let mut reach = Reach { once: Bitboard::EMPTY, twice: Bitboard::EMPTY };
        for from in self.pieces(role) {
            let set = self.destinations(role, from);
            reach.twice |= reach.once & set;
            reach.once |= set;
        }
        reach
    }

    /// The legal destinations of our king, castling apart.
    #[inline(always)]
    pub(super) fn king_destinations(&self) -> Bitboard {
        attacks::king_attacks(self.king) & !self.us & !self.census.attacked
    }

    /// The legal castling move on one side, if there is one.
    #[inline(always)]
    pub(super) fn castling(&self, side: CastlingSide) -> Option<Step> {
        let rook = self.castling_rook(side)?;
        let to = side.king_to(self.turn);
        let way = attacks::between(self.king, to).with(to);
        // In Chess960 the rook may have stood between the king and a slider on the same rank: it was pinned then.
        let is_safe = self.census.checkers.is_empty()
            && (way & self.census.attacked).is_empty()
            && !self.census.pinned.contains(rook);
        is_safe.then_some(Step {
            role: Role::King,
            from: self.king,
            to: rook,
            promotion: None,
            kind: StepKind::Castling,
        })
    }

    /// The number of legal castling moves.
    #[inline(always)]
    pub(super) fn castling_count(&self) -> usize {
        if !self.has_rights() {
            return 0;
        }
        usize::from(self.castling(CastlingSide::KingSide).is_some())
            + usize::from(self.castling(CastlingSide::QueenSide).is_some())
    }

    /// Whether the side to move has any legal move.
    pub(super) fn any_move(&self) -> bool {
        let counts = self.census.counts;
        counts != Default::default()
            || self.king_destinations().any()
            || self.pawns().any()
            || self.castling_count() > 0
    }
}

/// The destinations of all our pieces of one kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Of one piece or more.
    pub(super) once: Bitboard,
    /// Of two or more.
    pub(super) twice: Bitboard,
}
