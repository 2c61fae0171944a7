//! The legal moves of a position in the order of the model (spec/moves.md section 1), as arrays:
//! the pieces that can move, and for each move its piece, its destination and what they need to be
//! weighed. A move is known by its place; whole moves are made only of those that are played.

use shakmaty::{Bitboard, CastlingSide, Role, Square, attacks};

use super::sight::OurSight;
use super::tables::Sixteen;
use crate::attacks::{bishop_attacks, rook_attacks};
use crate::pawns::Pawns;
use crate::squares::{BACKRANKS, RANK_1, before};
use crate::standard::{BoardMove, MoveKind, Standard};

/// The most moves that the model weighs.
const MOST: usize = 256;
/// There is room to write a whole vector from the highest place on.
const ROOM: usize = MOST + 64;

/// What a pawn becomes, in the order of the model.
pub(super) const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// There are at most 64 pieces, so the low six bits of a piece's number are all of it.
pub(super) const PIECES: usize = 64;

/// The pieces that can move, and the king, by kind and then by square. Castling is the king's.
#[derive(Clone, Debug)]
pub(super) struct Movers {
    pub(super) count: usize,
    /// How many of them are pawns. These come first.
    pub(super) pawns: usize,
    /// From 0 for a pawn to 5 for a king.
    pub(super) pieces: [u8; PIECES],
    pub(super) from: [u8; PIECES],
    /// Without castling.
    pub(super) destinations: [u64; PIECES],
    /// The place of the first move of each.
    pub(super) begin: [u16; PIECES],
}

impl Movers {
    #[inline(always)]
    pub(super) fn from(&self, mover: usize) -> Square {
        Square::new(u32::from(self.from[mover & 63]) & 63)
    }

    #[inline(always)]
    pub(super) fn piece(&self, mover: usize) -> usize {
        usize::from(self.pieces[mover & 63] & 7)
    }

    #[inline(always)]
    pub(super) fn destinations(&self, mover: usize) -> Bitboard {
        Bitboard(self.destinations[mover & 63])
    }

    #[inline(always)]
    pub(super) fn begin(&self, mover: usize) -> usize {
        usize::from(self.begin[mover & 63])
    }
}

/// See the module.
#[derive(Debug)]
pub(super) struct MoveList {
    pub(super) movers: Movers,
    len: usize,
    /// The place of the first castling, behind all other moves, and the two wings in order.
    castling: usize,
    wings: [CastlingSide; 2],
    /// Whether there is a promotion, a capture en passant or castling.
    pub(super) is_special: bool,
    /// Of each move: the rows of its destination, as the side to move sees it, and of its exchange
    /// (spec/moves.md section 4).
    pub(super) rows: [[u16; 2]; ROOM],
    /// By mover and class of destination: the sum for the origin, times 16.
    pub(super) origins: [Sixteen; PIECES],
    /// Of each move: what is added to the dot product of its rows.
    pub(super) sums: [i32; ROOM],
    pub(super) scores: [i32; ROOM],
    /// The sum of the frequencies up to each move, inclusive.
    pub(super) ends: [i32; ROOM],
}

impl Default for MoveList {
    fn default() -> MoveList {
        MoveList {
            movers: Movers {
                count: 0,
                pawns: 0,
                pieces: [0; PIECES],
                from: [0; PIECES],
                destinations: [0; PIECES],
                begin: [0; PIECES],
            },
            len: 0,
            castling: 0,
            wings: [CastlingSide::QueenSide; 2],
            is_special: false,
            rows: [[0; 2]; ROOM],
            origins: [Sixteen([0; 16]); PIECES],
            sums: [0; ROOM],
            scores: [0; ROOM],
            ends: [0; ROOM],
        }
    }
}

impl MoveList {
    /// The number of moves, if the model weighs them.
    #[inline(always)]
    pub(super) fn len(&self) -> Option<usize> {
        (self.len <= MOST).then_some(self.len)
    }

    /// The sum of all frequencies; 0 where there is no legal move.
    pub(super) fn total(&self) -> u32 {
        self.end(self.len)
    }

    /// The sum of the frequencies of the first `count` moves.
    fn end(&self, count: usize) -> u32 {
        count
            .checked_sub(1)
            .map_or(0, |last| self.ends[last.min(MOST)].cast_unsigned())
    }

    /// The castlings: their places and wings.
    #[inline(always)]
    pub(super) fn castlings(&self) -> impl Iterator<Item = (usize, CastlingSide)> + use<> {
        (self.castling..self.len).zip(self.wings)
    }

    /// The frequency of a move, and that of all before it.
    pub(super) fn share(&self, position: &Standard, step: BoardMove) -> Option<(u32, u32)> {
        let place = self.place(position, step)?;
        let below = self.end(place);
        Some((self.end(place + 1) - below, below))
    }

    /// The place of a legal move.
    fn place(&self, position: &Standard, step: BoardMove) -> Option<usize> {
        if step.kind == MoveKind::Castling {
            let mut castlings = self.castlings();
            return castlings
                .find(|found| found.1 == step.side())
                .map(|found| found.0);
        }
        let movers = &self.movers;
        let from = movers.from[..movers.count.min(PIECES)].iter();
        let mover = from
            .copied()
            .position(|from| u32::from(from) == step.from.to_u32())?;
        let ahead = movers.destinations(mover) & before(step.to);
        let mut place = movers.begin(mover) + ahead.count();
        if let Some(promotion) = step.promotion {
            place += 3 * (ahead & BACKRANKS).count();
            place += PROMOTIONS.iter().position(|&role| role == promotion)?;
        }
        debug_assert_eq!(self.step(position, place), Some(step));
        Some(place)
    }

    /// The move in whose share `place` is, its frequency, and that of all before it.
    pub(super) fn at(&self, position: &Standard, place: u32) -> Option<(BoardMove, u32, u32)> {
        // First by eights, then within one. Behind the last move the sums go on growing.
        let (mut passed, place) = (0, place.cast_signed());
        while passed + 8 < self.len.min(MOST) && self.ends[passed + 7] <= place {
            passed += 8;
        }
        let is_passed = self.ends[passed..][..8].iter().map(|&end| end <= place);
        passed += is_passed.map(usize::from).sum::<usize>();
        let below = self.end(passed);
        Some((
            self.step(position, passed)?,
            self.end(passed + 1) - below,
            below,
        ))
    }

    /// The move at a place.
    pub(super) fn step(&self, position: &Standard, place: usize) -> Option<BoardMove> {
        if place >= self.len {
            return None;
        }
        if let Some((_, side)) = self.castlings().find(|castling| castling.0 == place) {
            return position.castling(side);
        }
        let begins = &self.movers.begin[..self.movers.count.min(PIECES)];
        let mover = begins.partition_point(|&begin| usize::from(begin) <= place);
        let mover = mover.checked_sub(1)?;
        let side = position.turn.fold_wb(0, 7);
        let to = Square::new((u32::from(self.rows[place][0]) ^ side) & 63);
        let from = self.movers.from(mover);
        let role = ROLES[self.movers.piece(mover)];
        let mut step = BoardMove::new(role, from, to);
        if role == Role::Pawn {
            if BACKRANKS.contains(to) {
                let ahead = self.movers.destinations(mover) & before(to);
                let first = self.movers.begin(mover) + 4 * ahead.count();
                step.promotion = Some(PROMOTIONS[(place - first) & 3]);
            } else if position.passed == Some(to) {
                step.kind = MoveKind::EnPassant;
            }
        }
        Some(step)
    }
}

/// The kinds of pieces by their numbers. 6 and 7 do not occur.
const ROLES: [Role; 8] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
    Role::King,
    Role::King,
];

impl MoveList {
    /// Begins with the pawns that can move.
    #[inline(always)]
    pub(super) fn find_pawns(&mut self, position: &Standard, pawns: &Pawns) {
        (self.movers.count, self.len) = (0, 0);
        // Only over a vacant square: else the destination in `push` is that of the pawn in front.
        let empty = !position.occupied().0;
        let double = position
            .turn
            .fold_wb((empty << 1) & RANK_1 << 3, (empty >> 1) & RANK_1 << 4);
        let double = pawns.push & Bitboard(double);
        for from in position.pieces(Role::Pawn) {
            let destinations = pawn(position, pawns, double, from);
            let promotions = (destinations & BACKRANKS).count();
            self.add(0, from, destinations, destinations.count() + 3 * promotions);
        }
    }

    /// Goes on with the other pieces that can move and counts the moves. Returns what our side
    /// attacks.
    #[inline(always)]
    pub(super) fn find_pieces(&mut self, position: &Standard, pawns: &Pawns) -> OurSight {
        let mut sight = OurSight::for_pawns(position);
        self.movers.pawns = self.movers.count;
        let occupied = position.occupied();
        for from in position.pieces(Role::Knight) {
            self.piece(1, from, attacks::knight_attacks(from), position, &mut sight);
        }
        for from in position.pieces(Role::Bishop) {
            self.piece(
                2,
                from,
                bishop_attacks(from, occupied),
                position,
                &mut sight,
            );
        }
        for from in position.pieces(Role::Rook) {
            self.piece(3, from, rook_attacks(from, occupied), position, &mut sight);
        }
        for from in position.pieces(Role::Queen) {
            let set = rook_attacks(from, occupied) | bishop_attacks(from, occupied);
            self.piece(4, from, set, position, &mut sight);
        }
        sight.add(attacks::king_attacks(position.king));
        let king = position.census.reach[Role::King as usize];
        self.add(5, position.king, king, king.count());
        self.castling = self.len;
        if position.has_rights() {
            for side in [CastlingSide::QueenSide, CastlingSide::KingSide] {
                if position.castling_rook(side).is_some() {
                    self.wings[(self.len - self.castling) & 1] = side;
                    self.len += 1;
                }
            }
        }
        self.is_special = pawns.is_special() || self.castling < self.len;
        sight
    }

    #[inline(always)]
    fn piece(
        &mut self,
        piece: u8,
        from: Square,
        attacked: Bitboard,
        position: &Standard,
        sight: &mut OurSight,
    ) {
        sight.add(attacked);
        let mut destinations = attacked & position.census.target;
        if position.census.pinned.contains(from) {
            destinations &= attacks::ray(position.king, from);
        }
        self.add(piece, from, destinations, destinations.count());
    }

    /// Adds a piece. It stays only if it can move, or is the king: castling is a move of his.
    #[inline(always)]
    fn add(&mut self, piece: u8, from: Square, destinations: Bitboard, moves: usize) {
        let movers = &mut self.movers;
        let mover = movers.count & 63;
        movers.pieces[mover] = piece;
        movers.from[mover] = u8::from(from);
        movers.destinations[mover] = destinations.0;
        movers.begin[mover] = short(self.len);
        movers.count += usize::from(destinations.any() | (piece == 5));
        self.len += moves;
    }
}

/// Narrows a number of moves or of a row.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "at most 2,048")]
pub(super) fn short(moves: usize) -> u16 {
    moves as u16
}

/// Where a pawn can legally go. `double`: the destinations of all double steps.
#[inline(always)]
fn pawn(position: &Standard, pawns: &Pawns, double: Bitboard, from: Square) -> Bitboard {
    let one = Bitboard::from_square(from).0;
    let [single, two, left, right] = position.turn.fold_wb(
        [one << 1, one << 2, one >> 7, one << 9],
        [one >> 1, one >> 2, one >> 9, one << 7],
    );
    let passed = match pawns.passed {
        Some(to) if pawns.passers.contains(from) => Bitboard::from_square(to),
        _ => Bitboard::EMPTY,
    };
    (pawns.push & Bitboard(single))
        | (double & Bitboard(two))
        | (pawns.left & Bitboard(left))
        | (pawns.right & Bitboard(right))
        | passed
}
