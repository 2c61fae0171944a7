//! Which squares each side attacks, by kind of piece (spec/moves.md section 2).

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use crate::chess::attacks::{bishop_attacks, pawn_attacks, rook_attacks};
use crate::chess::standard::Standard;

/// What a piece attacks on a board with these pieces.
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

/// What both sides attack. Squares with a piece of the attacker's own count: it is defended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    /// Squares that our pawns attack.
    pub(super) our_pawns: Bitboard,
    /// Squares that a piece of ours attacks, and those that two or more do.
    pub(super) once: Bitboard,
    pub(super) twice: Bitboard,
    /// Squares that pawns, minor pieces, rooks and queens of the enemy attack. Its sliders see
    /// through our king.
    pub(super) pawns: Bitboard,
    pub(super) minors: Bitboard,
    pub(super) rooks: Bitboard,
    /// Squares that anything of the enemy attacks.
    pub(super) any: Bitboard,
    /// The class of the least attacker of each square, 0 to 5, as three sets: its bits.
    least: [Bitboard; 3],
}

impl Sight {
    /// Of a position.
    #[inline(always)]
    pub(super) fn new(position: &Standard) -> Sight {
        let occupied = position.us | position.them;
        let through = occupied.without(position.king);
        let (once, twice, our_pawns) = ours(position, occupied);
        let of = |role| {
            let mut set = Bitboard::EMPTY;
            for from in position.them & position.by_role(role) {
                set |= attacks_of(role, !position.turn, from, through);
            }
            set
        };
        let pawns = pawn_attacks(position.them & position.by_role(Role::Pawn), !position.turn);
        let minors = of(Role::Knight) | of(Role::Bishop);
        let (rooks, queens) = (of(Role::Rook), of(Role::Queen));
        let kings = attacks::king_attacks(position.their_king);
        let heavy = pawns | minors | rooks;
        let any = heavy | queens | kings;
        // 1 pawn, 2 minor piece, 3 rook, 4 queen, 5 king.
        let (rook, queen, king) = (
            rooks & !(pawns | minors),
            queens & !heavy,
            kings & !(heavy | queens),
        );
        Sight {
            our_pawns,
            once,
            twice,
            pawns,
            minors,
            rooks,
            any,
            least: [pawns | rook | king, (minors & !pawns) | rook, queen | king],
        }
    }

    /// The class of the least enemy attacker of a square: 0 none, 1 pawn, 2 minor piece, 3 rook,
    /// 4 queen, 5 king.
    #[inline(always)]
    pub(super) fn least(&self, sq: Square) -> usize {
        number(&self.least, sq)
    }

    /// Our pieces that hang: attacked and not defended, or attacked by a lesser piece.
    #[inline(always)]
    pub(super) fn our_hanging(&self, position: &Standard) -> Bitboard {
        let (queens, rooks) = (position.by_role(Role::Queen), position.by_role(Role::Rook));
        let hanging = (self.any & !self.once)
            | (self.pawns & !position.by_role(Role::Pawn))
            | (self.minors & (rooks | queens))
            | (self.rooks & queens);
        (hanging & position.us).without(position.king)
    }

    /// Enemy pieces that hang: attacked and not defended, or attacked by a pawn and none
    /// themselves.
    #[inline(always)]
    pub(super) fn their_hanging(&self, position: &Standard) -> Bitboard {
        let hanging = (self.once & !self.any) | (self.our_pawns & !position.by_role(Role::Pawn));
        (hanging & position.them).without(position.their_king)
    }
}

/// What one of our pieces attacks, what two do, and what our pawns do.
#[inline(always)]
fn ours(position: &Standard, occupied: Bitboard) -> (Bitboard, Bitboard, Bitboard) {
    let (mut once, mut twice) = (Bitboard::EMPTY, Bitboard::EMPTY);
    let mut add = |set: Bitboard| {
        twice |= once & set;
        once |= set;
    };
    // The two captures of all pawns, each a set in which no square is meant twice.
    let pawns = position.pieces(Role::Pawn).0;
    let (left, right) = match position.turn {
        Color::White => (pawns >> 7, pawns << 9),
        Color::Black => (pawns >> 9, pawns << 7),
    };
    add(Bitboard(left));
    add(Bitboard(right));
    for role in [
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
        Role::King,
    ] {
        for from in position.pieces(role) {
            add(attacks_of(role, position.turn, from, occupied));
        }
    }
    (once, twice, Bitboard(left | right))
}

/// The number of three bits that has a square in the set of each bit that is 1.
#[inline(always)]
pub(super) fn number(bits: &[Bitboard; 3], sq: Square) -> usize {
    let bit = |set: Bitboard| (set.0 >> sq.to_u32() & 1) as usize;
    bit(bits[0]) | bit(bits[1]) << 1 | bit(bits[2]) << 2
}
