//! What one look along all lines of a position tells: which checks and pins there are, where the king cannot go, and how many moves the pieces
//! have. Every ply wants all of it, so it is taken at once when a move has been played.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::masks::{FILE_A, FILE_H};
use super::standard::Standard;

/// The census of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Census {
    /// Enemy pieces that give check.
    pub(super) checkers: Bitboard,
    /// Our pieces that a slider ties to the king.
    pub(super) pinned: Bitboard,
    /// Where a piece other than the king may land: not on our own pieces; in check, only on the squares that end it.
    pub(super) target: Bitboard,
    /// What the enemy attacks. Sliders see through our king, which leaves its line.
    pub(super) attacked: Bitboard,
    /// Where our pieces can legally go, castling apart, by the number of their role; not of pawns.
    pub(super) reach: [Bitboard; 8],
    pub(super) counts: Counts,
}

/// The number of moves of knights, bishops, rooks and queens: more than there are destinations where two pieces of a kind can go to the same.
/// One number, 16 bits each, since it is made in one piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts(pub(super) u64);

impl Counts {
    #[inline(always)]
    pub(super) fn of(self, role: Role) -> usize {
        let shift = 16 * (role as u32 - Role::Knight as u32);
        (self.0 >> shift) as usize & 0xffff
    }
}

impl Census {
    /// Taken with the attack tables, which every machine can.
    #[inline(always)]
    pub(super) fn of(position: &Standard) -> Census {
        let mut census = Census { attacked: attacked(position), ..Census::default() };
        census.tied(position);
        census.target = census.landing(position);
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            let (mut reach, mut count) = (Bitboard::EMPTY, 0);
            for from in position.pieces(role) {
                let set = position.destinations_by(&census, role, from);
                reach |= set;
                count += set.count();
            }
            census.reach[role as usize] = reach;
            // There are 64 squares, and at most 27 moves from each.
            census.counts.0 |= (count as u64) << (16 * (role as u32 - Role::Knight as u32));
        }
        census.see_king(position.king, position.us);
        census
    }

    /// Adds the king's destinations to the others.
    #[inline(always)]
    pub(super) fn see_king(&mut self, king: Square, us: Bitboard) {
        self.reach[Role::King as usize] = attacks::king_attacks(king) & !us & !self.attacked;
    }

    /// Finds the checks and pins.
    #[inline(always)]
    fn tied(&mut self, position: &Standard) {
        let Standard { us, them, turn, king, .. } = *position;
        let (rooks, bishops) = (position.movers_along(Role::Rook), position.movers_along(Role::Bishop));
        let mut checkers = (attacks::knight_attacks(king) & position.by_role(Role::Knight))
            | (attacks::pawn_attacks(turn, king) & position.by_role(Role::Pawn));
        // Seen through our own pieces, the first enemy piece on a line either checks or pins or does neither.
        let snipers = (attacks::rook_attacks(king, them) & rooks) | (attacks::bishop_attacks(king, them) & bishops);
        for sniper in snipers & them {
            let between = attacks::between(king, sniper) & us;
            if between.is_empty() {
                checkers.add(sniper);
            } else if !between.more_than_one() {
                self.pinned |= between;
            }
        }
        self.checkers = checkers & them;
    }

    /// Where a piece other than the king may land.
    #[inline(always)]
    fn landing(&self, position: &Standard) -> Bitboard {
        let evasion = match self.checkers.first() {
            None => Bitboard::FULL,
            // Against two checkers only the king can move.
            Some(_) if self.checkers.more_than_one() => Bitboard::EMPTY,
            Some(checker) => attacks::between(position.king, checker).with(checker),
        };
        !position.us & evasion
    }
}

/// Takes the census of a position.
#[inline(always)]
pub(super) fn take(position: &mut Standard) {
    position.census = Census::of(position);
}

/// What the enemy attacks.
#[inline(always)]
fn attacked(position: &Standard) -> Bitboard {
    let them = position.them;
    let mut set = pawn_attacks(position.by_role(Role::Pawn) & them, !position.turn);
    for king in position.by_role(Role::King) & them {
        set |= attacks::king_attacks(king);
    }
    for knight in position.by_role(Role::Knight) & them {
        set |= attacks::knight_attacks(knight);
    }
    let occupied = (position.us | them).without(position.king);
    for slider in position.movers_along(Role::Rook) & them {
        set |= attacks::rook_attacks(slider, occupied);
    }
    for slider in position.movers_along(Role::Bishop) & them {
        set |= attacks::bishop_attacks(slider, occupied);
    }
    set
}

/// What pawns of this colour attack.
#[inline(always)]
pub(super) fn pawn_attacks(pawns: Bitboard, color: Color) -> Bitboard {
    let (left, right) = (pawns.0 & !FILE_A, pawns.0 & !FILE_H);
    Bitboard(match color {
        Color::White => left << 7 | right << 9,
        Color::Black => left >> 9 | right >> 7,
    })
}
