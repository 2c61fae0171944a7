//! Which squares each side attacks, by kind of piece, and where a move would give check
//! (spec/moves.md section 2).

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::memory::LastMove;
use crate::attacks::{attacks_of, bishop_attacks, pawn_attacks, rook_attacks};
use crate::standard::Standard;

/// What our side attacks. Squares with a piece of our own count: it is defended.
#[derive(Clone, Copy, Debug)]
pub(super) struct OurSight {
    pub(super) pawns: Bitboard,
    /// Squares that a piece of ours attacks, and those that two or more do.
    pub(super) once: Bitboard,
    pub(super) twice: Bitboard,
}

impl OurSight {
    /// What our pawns attack. No two pawns attack the same square in the same direction.
    #[inline(always)]
    pub(super) fn for_pawns(position: &Standard) -> OurSight {
        let pawns = position.pieces(Role::Pawn).0;
        let (left, right) = match position.turn {
            Color::White => (pawns >> 7, pawns << 9),
            Color::Black => (pawns >> 9, pawns << 7),
        };
        OurSight {
            pawns: Bitboard(left | right),
            once: Bitboard(left | right),
            twice: Bitboard(left & right),
        }
    }

    /// Adds what another piece attacks.
    #[inline(always)]
    pub(super) fn add(&mut self, set: Bitboard) {
        self.twice |= self.once & set;
        self.once |= set;
    }
}

/// What both sides attack, and what their pieces are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    /// Squares that a piece of ours attacks, and those that two or more do.
    pub(super) once: Bitboard,
    pub(super) twice: Bitboard,
    /// The class of the least enemy attacker of each square, as three sets: its bits. 0 none, 1
    /// pawn, 2 minor piece, 3 rook, 4 queen, 5 king.
    pub(super) least: [Bitboard; 3],
    /// The kinds of the enemy's pieces, from 1 for pawns, likewise.
    pub(super) kinds: [Bitboard; 3],
    /// What the enemy's piece that has just moved attacks.
    pub(super) moved: Bitboard,
    /// Our pieces that hang: attacked and not defended, or attacked by a piece of less value.
    pub(super) our_hanging: Bitboard,
    /// Enemy pieces that hang: attacked and not defended, or attacked by a pawn without being one.
    pub(super) their_hanging: Bitboard,
}

impl Sight {
    #[inline(always)]
    pub(super) fn new(position: &Standard, last: Option<LastMove>, ours: OurSight) -> Sight {
        // What the enemy attacks, by kind of piece. Its sliders see through our king.
        let through = position.occupied().without(position.king);
        let pawns = pawn_attacks(position.them & position.by_role(Role::Pawn), !position.turn);
        let kings = attacks::king_attacks(position.their_king);
        let (mut minors, mut rooks, mut queens) =
            (Bitboard::EMPTY, Bitboard::EMPTY, Bitboard::EMPTY);
        for from in position.them & position.by_role(Role::Knight) {
            minors |= attacks::knight_attacks(from);
        }
        for from in position.them & position.by_role(Role::Bishop) {
            minors |= bishop_attacks(from, through);
        }
        for from in position.them & position.by_role(Role::Rook) {
            rooks |= rook_attacks(from, through);
        }
        for from in position.them & position.by_role(Role::Queen) {
            queens |= rook_attacks(from, through) | bishop_attacks(from, through);
        }
        let heavy = pawns | minors | rooks;
        let any = heavy | queens | kings;
        let (rook, queen, king) = (
            rooks & !(pawns | minors),
            queens & !heavy,
            kings & !(heavy | queens),
        );
        let all_pawns = position.by_role(Role::Pawn);
        let (all_rooks, all_queens) = (position.by_role(Role::Rook), position.by_role(Role::Queen));
        let bishops = position.by_role(Role::Bishop);
        let our_hanging = (any & !ours.once)
            | (pawns & !all_pawns)
            | (minors & (all_rooks | all_queens))
            | (rooks & all_queens);
        let their_hanging = (ours.once & !any) | (ours.pawns & !all_pawns);
        let moved = last.map_or(Bitboard::EMPTY, |last| {
            let role = position.role_at(last.to).unwrap_or(Role::Pawn);
            attacks_of(role, !position.turn, last.to, through)
        });
        Sight {
            once: ours.once,
            twice: ours.twice,
            least: [pawns | rook | king, (minors & !pawns) | rook, queen | king],
            kinds: [
                position.them & (all_pawns | bishops | all_queens),
                position.them & (position.by_role(Role::Knight) | bishops),
                position.them & (all_rooks | all_queens),
            ],
            moved,
            our_hanging: (our_hanging & position.us).without(position.king),
            their_hanging: (their_hanging & position.them).without(position.their_king),
        }
    }
}

/// Where our pieces would give check.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checks {
    /// By number of the kind of piece; none for kings.
    pub(super) direct: [Bitboard; 6],
    /// Our pieces that alone hide the enemy's king from a slider of ours.
    pub(super) blockers: Bitboard,
}

impl Checks {
    #[inline(always)]
    pub(super) fn new(position: &Standard) -> Checks {
        let (king, occupied) = (position.their_king, position.occupied());
        let (rook, bishop) = (rook_attacks(king, occupied), bishop_attacks(king, occupied));
        let pawn = attacks_of(Role::Pawn, !position.turn, king, occupied);
        let direct = [
            pawn,
            attacks::knight_attacks(king),
            bishop,
            rook,
            rook | bishop,
            Bitboard::EMPTY,
        ];
        // Sliders of ours that would see the king were our nearest pieces not there.
        let beyond = occupied & !((rook | bishop) & position.us);
        let snipers = (rook_attacks(king, beyond) & position.movers_along(Role::Rook))
            | (bishop_attacks(king, beyond) & position.movers_along(Role::Bishop));
        let mut blockers = Bitboard::EMPTY;
        for sniper in snipers & position.us {
            let between = attacks::between(king, sniper) & occupied;
            if !between.more_than_one() {
                blockers |= between & position.us;
            }
        }
        Checks { direct, blockers }
    }
}

/// The number of three bits that the sets give a square: a bit is 1 if its set has the square.
#[inline(always)]
pub(super) fn number(bits: &[Bitboard; 3], sq: Square) -> usize {
    let bit = |set: Bitboard| (set.0 >> sq.to_u32() & 1) as usize;
    bit(bits[0]) | bit(bits[1]) << 1 | bit(bits[2]) << 2
}
