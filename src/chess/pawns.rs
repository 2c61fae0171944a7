//! The legal moves of pawns.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::attacks::{DIAGONALS, bishop_attacks, pawn_attacks, rook_attacks};
use super::ordinal::PROMOTIONS;
use super::squares::{BACKRANKS, FILE_A, RANK_1, before, beside, file_of, on_file};
use super::standard::{BoardMove, MoveKind, Standard};

impl Standard {
    /// The legal moves of all our pawns.
    #[inline(always)]
    pub(super) fn pawns(&self) -> Pawns {
        let pawns = self.pieces(Role::Pawn);
        let (mut forward, mut left, mut right) = (pawns, pawns, pawns);
        if (pawns & self.census.pinned).any() {
            // A pinned pawn moves only on the line through it and the king: on the king's file
            // straight on, on one of the king's diagonals for captures to either side.
            let free = !self.census.pinned;
            let (rising, falling) = (
                Bitboard(DIAGONALS[0][self.king.to_usize()]),
                Bitboard(DIAGONALS[1][self.king.to_usize()]),
            );
            forward &= free | on_file(file_of(self.king));
            let (to_left, to_right) = self.turn.fold_wb((falling, rising), (rising, falling));
            left &= free | to_left;
            right &= free | to_right;
        }
        let empty = !self.occupied().0;
        let (forward, left, right) = (forward.0, left.0, right.0);
        // Pawns never stand on the first or last rank, so no shift wraps round the edge.
        let (push, left, right) = match self.turn {
            Color::White => {
                let single = (forward << 1) & empty;
                let double = (single << 1) & empty & RANK_1 << 3;
                (single | double, left >> 7, right << 9)
            }
            Color::Black => {
                let single = (forward >> 1) & empty;
                let double = (single >> 1) & empty & RANK_1 << 4;
                (single | double, left >> 9, right << 7)
            }
        };
        let takes = self.census.target & self.them;
        let passers = self.passed.map_or(Bitboard::EMPTY, |to| self.passers(to));
        Pawns {
            push: Bitboard(push) & self.census.target,
            left: Bitboard(left) & takes,
            right: Bitboard(right) & takes,
            passers,
            passed: self.passed.filter(|_| passers.any()),
        }
    }

    /// The pawns that may capture en passant on this square.
    #[inline(never)]
    fn passers(&self, to: Square) -> Bitboard {
        let mut passers = Bitboard::EMPTY;
        for from in self.pieces(Role::Pawn) & pawn_attacks(Bitboard::from_square(to), !self.turn) {
            // Two pawns leave their rank at once, which no pin mask covers: test the board after
            // the capture.
            let taken = beside(from, to);
            let occupied = self.occupied().without(from).without(taken).with(to);
            let king = self.king;
            let attackers = (rook_attacks(king, occupied) & self.movers_along(Role::Rook))
                | (bishop_attacks(king, occupied) & self.movers_along(Role::Bishop))
                | (attacks::knight_attacks(king) & self.by_role(Role::Knight))
                | (pawn_attacks(Bitboard::from_square(king), self.turn)
                    & self.by_role(Role::Pawn).without(taken));
            if (attackers & self.them).is_empty() {
                passers.add(from);
            }
        }
        passers
    }

    /// The square one step behind `to`, seen from the side to move; undefined behind the first
    /// rank.
    #[inline(always)]
    pub(super) fn back(&self, to: Square) -> Square {
        Square::new(to.to_u32().wrapping_add(self.turn.fold_wb(63, 1)) & 63)
    }
}

/// The legal moves of all pawns of one side, as sets of destinations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pawns {
    /// Steps straight on, single and double: each destination is that of one pawn, on its file.
    pub(super) push: Bitboard,
    /// Captures towards the a-file.
    pub(super) left: Bitboard,
    /// Captures towards the h-file.
    pub(super) right: Bitboard,
    /// The pawns that may capture en passant.
    pub(super) passers: Bitboard,
    /// The square on which they capture, if any may.
    pub(super) passed: Option<Square>,
}

impl Pawns {
    pub(super) fn any(&self) -> bool {
        (self.push | self.left | self.right | self.passers).any()
    }

    /// Whether some pawn can promote or take en passant.
    #[inline(always)]
    pub(super) fn is_special(&self) -> bool {
        ((self.push | self.left | self.right) & BACKRANKS).any() || self.passers.any()
    }

    /// Whether a pawn goes from one square to another by a legal move, en passant apart.
    #[inline(always)]
    pub(super) fn has(&self, view: &Standard, from: Square, to: Square) -> bool {
        let set = match file_of(to).wrapping_sub(file_of(from)) {
            0 => self.push,
            1 => self.right,
            usize::MAX => self.left,
            _ => return false,
        };
        set.contains(to) && origin(view, to, from) == from
    }

    /// The place of a move among all pawn moves, where none is special. From each file, first come
    /// the steps, then the captures to the left, then those to the right.
    #[inline(always)]
    pub(super) fn place(&self, from: Square, to: Square) -> usize {
        // Captures by the file on which they start.
        let (left, right) = (self.left.0 << 8, self.right.0 >> 8);
        let file = FILE_A << (8 * file_of(from));
        let files_before = Bitboard::from_square(Square::new(from.to_u32() & 0o70)).0 - 1;
        let with_file = files_before | file;
        let up_to = before(beside(to, from)).0;
        // The steps and the captures to either side that sort before the move. Branch-free.
        let (ahead, across) = (file_of(to) == file_of(from), file_of(to) > file_of(from));
        let steps = if ahead { up_to } else { with_file };
        let lefts = if ahead {
            files_before
        } else if across {
            with_file
        } else {
            up_to
        };
        let rights = if across { up_to } else { files_before };
        [(self.push.0, steps), (left, lefts), (right, rights)]
            .map(|(set, mask)| (set & mask).count_ones())
            .iter()
            .sum::<u32>() as usize
    }

    /// All these moves, in no particular order.
    pub(super) fn moves<'v>(
        &self,
        view: &'v Standard,
    ) -> impl Iterator<Item = BoardMove> + use<'v> {
        let Pawns {
            passers, passed, ..
        } = *self;
        // Where the file of the origin is, from the destination.
        let sets = [(self.push, 0), (self.left, 8), (self.right, -8)];
        let moves = sets
            .into_iter()
            .flat_map(|(set, by)| set.into_iter().map(move |to| (to, by)));
        let moves = moves.filter_map(move |(to, by)| {
            let from = origin(view, to, to.offset(by)?);
            Some(BoardMove::new(Role::Pawn, from, to))
        });
        let promoted = moves.flat_map(|plain| {
            let is_last = BACKRANKS.contains(plain.to);
            let outcomes = std::iter::once(None).chain(PROMOTIONS.map(Some));
            let outcomes = outcomes.filter(move |outcome| outcome.is_some() == is_last);
            outcomes.map(move |promotion| BoardMove { promotion, ..plain })
        });
        let passing = passers.into_iter().filter_map(move |from| {
            Some(BoardMove {
                kind: MoveKind::EnPassant,
                ..BoardMove::new(Role::Pawn, from, passed?)
            })
        });
        promoted.chain(passing)
    }
}

/// The pawn of a file that goes to `to` by a legal move.
#[inline(always)]
pub(super) fn origin(view: &Standard, to: Square, file: Square) -> Square {
    // If no pawn stands one step behind, it is a double step. Branch-free.
    let behind = beside(view.back(to), file);
    let is_here = view.pieces(Role::Pawn).contains(behind);
    if is_here { behind } else { view.back(behind) }
}
