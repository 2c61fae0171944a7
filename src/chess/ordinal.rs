//! The ordinal of a move, and the move of an ordinal, by counting.
//!
//! PGN 1994, 20.2: the ordinal is the place of a move among the legal moves sorted as SAN text
//! (D1). In ASCII the capitals come before the small letters, so the order is B, K, N, O
//! (castling), Q, R, then pawns by file a to h. Within a piece's letter the next character decides:
//! a digit (disambiguation by rank), a file (of the destination or of the origin), `x`. Squares
//! sort by file, then by rank. `rank` adds up the moves that sort before a move; `select` goes
//! through the same groups of moves and subtracts their sizes.

use shakmaty::{CastlingSide, Role, Square};

use super::census::MoveCounts;
use super::pawns::{Pawns, origin};
use super::san::{self, SanText};
use super::shared::{self, Disambiguation, nth_in, place};
use super::squares::{Nth, RANK_1, bits_by_byte, nth_byte};
use super::standard::{BoardMove, MoveKind, PlainMove, Standard};

/// The pieces a pawn can promote to, in the order of their letters.
pub(super) const PROMOTIONS: [Role; 4] = [Role::Bishop, Role::Knight, Role::Queen, Role::Rook];

/// The ordinal of a move; `None` if the move is not legal. It may exceed 255 (D2).
pub(super) fn rank(view: &Standard, board_move: BoardMove) -> Option<usize> {
    let BoardMove { role, from, to, .. } = board_move;
    match (board_move.kind, role) {
        (MoveKind::Castling, _) => {
            let side = board_move.side();
            (view.castling(side) == Some(board_move)).then(|| rank_castling(view, side))
        }
        (_, Role::Pawn) => {
            let pawns = view.pawns();
            match pawns.is_special() {
                true => {
                    let is_legal = pawns.moves(view).any(|other| other == board_move);
                    is_legal.then(|| rank_special_pawn(view, &pawns, board_move))
                }
                false => {
                    let is_plain = board_move == BoardMove::new(role, from, to);
                    let is_legal = is_plain && pawns.has(view, from, to);
                    is_legal.then(|| rank_plain_pawn(view, &pawns, from, to))
                }
            }
        }
        _ => view
            .movers(role, to)
            .contains(from)
            .then(|| rank_piece(view, role, from, to)),
    }
}

/// For each letter, the number of moves whose letter is this one or sorts before it. Castling comes
/// between knights and queens.
#[inline(always)]
fn ends(view: &Standard) -> MoveCounts {
    const BEHIND_CASTLING: u64 =
        MoveCounts::one(Role::Queen, 1).0 | MoveCounts::one(Role::Rook, 1).0;
    let castlings = view.castling_count() as u64;
    MoveCounts(view.census.counts.up_to().0 + castlings * BEHIND_CASTLING)
}

/// The number of moves whose first letter sorts before that of `role`: B, K, N, O (castling, which
/// belongs to no role), Q, R, pawns.
#[inline(always)]
fn before_role(view: &Standard, role: Role) -> usize {
    match role {
        Role::Pawn => ends(view).count(Role::Rook),
        _ => MoveCounts(ends(view).0 - view.census.counts.0).count(role),
    }
}

/// The ordinal of a legal castling move.
#[inline(always)]
pub(super) fn rank_castling(view: &Standard, side: CastlingSide) -> usize {
    let short_first = side.is_queen_side() && view.castling(CastlingSide::KingSide).is_some();
    ends(view).count(Role::Knight) + usize::from(short_first)
}

/// The ordinal of a legal move of a piece, neither a pawn's move nor castling.
#[inline(always)]
pub(super) fn rank_piece(view: &Standard, role: Role, from: Square, to: Square) -> usize {
    let reach = view.census.reach[role as usize & 7];
    let within = if has_shared(view, role) {
        shared::rank(view, role, from, to)
    } else {
        place(view, reach, to)
    };
    before_role(view, role) + within
}

/// Whether several pieces of this kind can go to the same square.
#[inline(always)]
fn has_shared(view: &Standard, role: Role) -> bool {
    view.census.counts.count(role) != view.census.reach[role as usize & 7].count()
}

/// The ordinal of a legal pawn move, where no pawn can promote or take en passant.
#[inline(always)]
pub(super) fn rank_plain_pawn(view: &Standard, pawns: &Pawns, from: Square, to: Square) -> usize {
    before_role(view, Role::Pawn) + pawns.place(from, to)
}

/// The ordinal of a legal pawn move, where some pawn can promote or take en passant.
fn rank_special_pawn(view: &Standard, pawns: &Pawns, board_move: BoardMove) -> usize {
    let san = spell_pawn(view, board_move);
    let others = pawns.moves(view).map(|other| spell_pawn(view, other));
    before_role(view, Role::Pawn) + others.filter(|&other| other < san).count()
}

/// The SAN of a legal pawn move.
fn spell_pawn(view: &Standard, board_move: BoardMove) -> SanText {
    let lands_on_enemy = view.them.contains(board_move.to);
    san::spell(board_move, lands_on_enemy, Disambiguation::NOTHING)
}

/// The pawn move that `text` spells, and its ordinal.
pub(super) fn read_special_pawn(view: &Standard, text: &[u8]) -> Option<(BoardMove, usize)> {
    let pawns = view.pawns();
    let mut moves = pawns.moves(view);
    let found = moves.find(|&found| spell_pawn(view, found).as_bytes() == text)?;
    Some((found, rank_special_pawn(view, &pawns, found)))
}

/// The move with this ordinal, and the disambiguation of its SAN; `None` if there are fewer moves.
pub(super) fn select(
    view: &Standard,
    ordinal: usize,
    nth: impl Nth,
) -> Option<(BoardMove, Disambiguation)> {
    match select_plain(view, ordinal, nth) {
        Some((plain, named)) => Some((plain.into(), named)),
        None => {
            select_special(view, ordinal).map(|board_move| (board_move, Disambiguation::NOTHING))
        }
    }
}

/// The move with this ordinal, if it is plain, and the disambiguation of its SAN. `None` also for
/// every pawn move where some pawn can promote or take en passant.
#[inline(always)]
pub(super) fn select_plain(
    view: &Standard,
    ordinal: usize,
    nth: impl Nth,
) -> Option<(PlainMove, Disambiguation)> {
    let ends = ends(view);
    if let Some(n) = ordinal.checked_sub(ends.count(Role::Rook)) {
        return select_pawn(view, n, nth).map(|plain| (plain, Disambiguation::NOTHING));
    }
    // Branch-free: the letter is unpredictable.
    let role = ends.first_above(ordinal);
    // Castling comes before the queens and is in no letter's count: the subtraction fails for it.
    let n = ordinal.checked_sub(MoveCounts(ends.0 - view.census.counts.0).count(role))?;
    let (from, to, named) = if has_shared(view, role) {
        shared::select(view, role, n, nth)?
    } else {
        let to = nth_in(view, view.census.reach[role as usize & 7], n, nth);
        (view.movers(role, to).first()?, to, Disambiguation::NOTHING)
    };
    Some((PlainMove { role, from, to }, named))
}

/// The move with this ordinal, if it is castling or any move of a pawn.
pub(super) fn select_special(view: &Standard, ordinal: usize) -> Option<BoardMove> {
    let ends = ends(view);
    match ordinal.checked_sub(ends.count(Role::Rook)) {
        Some(n) => {
            let moves = view.pawns().moves(view);
            let mut moves: Vec<_> = moves
                .map(|found| (spell_pawn(view, found), found))
                .collect();
            moves.sort_unstable_by_key(|found| found.0);
            moves.get(n).map(|found| found.1)
        }
        None => {
            let n = ordinal.checked_sub(ends.count(Role::Knight))?;
            let castlings = [CastlingSide::KingSide, CastlingSide::QueenSide].into_iter();
            castlings.filter_map(|side| view.castling(side)).nth(n)
        }
    }
}

/// The `ordinal`-th pawn move, where no pawn can promote or take en passant. The moves from one
/// file are then three bytes of a bit set: steps, captures to the left, captures to the right.
#[inline(always)]
fn select_pawn(view: &Standard, ordinal: usize, nth: impl Nth) -> Option<PlainMove> {
    let pawns = view.pawns();
    let (push, left, right) = (pawns.push.0, pawns.left.0 << 8, pawns.right.0 >> 8);
    let counts = bits_by_byte(push) + bits_by_byte(left) + bits_by_byte(right);
    let up_to = counts.wrapping_mul(RANK_1);
    if pawns.is_special() || ordinal >= (up_to >> 56) as usize {
        return None;
    }
    let (file, before) = nth_byte(up_to, ordinal);
    let of_file = |set: u64| set >> (8 * file) & 0xff;
    let bit = nth(
        of_file(push) | of_file(left) << 8 | of_file(right) << 16,
        ordinal - before,
    );
    // Captures end on the next file to the left or to the right.
    let file_to = (file + (0x0001_0700 >> (bit & 0x18))) & 7;
    let to = Square::new((8 * file_to) | (bit & 7));
    let from = origin(view, to, Square::new((8 * file) & 63));
    Some(PlainMove {
        role: Role::Pawn,
        from,
        to,
    })
}
