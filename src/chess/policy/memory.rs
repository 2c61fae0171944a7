//! What the model remembers of a line of play: the last two plies, and the sums of the rows of all
//! pieces, which change by a few rows at each ply (spec/moves.md sections 2 and 5).

use multiversion::multiversion;
use shakmaty::{Color, Role, Square};

use super::tables::{TABLES, Tables, UNITS, WeightRow};
use crate::squares::{beside, turned};
use crate::standard::{BoardMove, MoveKind, Standard};

/// A move that was played.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastMove {
    /// The kind of the piece, before it promoted.
    pub(super) role: Role,
    pub(super) from: Square,
    /// In castling, the square where the king lands.
    pub(super) to: Square,
    pub(super) is_capture: bool,
}

/// A sum for each hidden unit. Rows have bytes, and a sum adds at most 64 rows for pieces, 64 for
/// those that hang and 3 for the last moves, so nothing overflows.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Sums(pub(super) [i16; UNITS]);

impl Sums {
    #[inline(always)]
    pub(super) fn add(&mut self, row: &WeightRow) {
        for unit in 0..UNITS {
            self.0[unit] += i16::from(row.0[unit]);
        }
    }

    #[inline(always)]
    fn subtract(&mut self, row: &WeightRow) {
        for unit in 0..UNITS {
            self.0[unit] -= i16::from(row.0[unit]);
        }
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// The last move, by the side that is not to move, and the move before it.
    pub(super) theirs: Option<LastMove>,
    pub(super) ours: Option<LastMove>,
    /// As White and as Black see the pieces.
    sums: [Sums; 2],
}

/// The square as a side sees it: from its own first rank.
#[inline(always)]
pub(super) fn seen(sq: Square, side: Color) -> usize {
    sq.to_usize() ^ if side.is_white() { 0 } else { 7 }
}

/// From 0 for a pawn to 5 for a king.
#[inline(always)]
pub(super) fn piece(role: Role) -> usize {
    role as usize - 1
}

/// The row of the inputs for a piece of `color`, as `side` sees it.
#[inline(always)]
fn input(tables: &Tables, side: Color, color: Color, role: Role, sq: Square) -> &WeightRow {
    let enemy = if side == color { 0 } else { 384 };
    &tables.inputs[(enemy + piece(role) * 64 + seen(sq, side)) & 2047]
}

impl Memory {
    /// At the start of a game or of a fragment: nothing was played.
    pub(super) fn new(position: &Standard) -> Memory {
        let mut memory = Memory {
            theirs: None,
            ours: None,
            sums: [Sums([0; UNITS]); 2],
        };
        for role in Role::ALL {
            for sq in position.by_role(role) {
                let color = if position.us.contains(sq) {
                    position.turn
                } else {
                    !position.turn
                };
                memory.put(color, role, sq);
            }
        }
        memory
    }

    /// The sums of the pieces as the side to move sees them.
    #[inline(always)]
    pub(super) fn sums(&self, turn: Color) -> Sums {
        self.sums[usize::from(turn.is_black())]
    }

    #[inline(always)]
    fn put(&mut self, color: Color, role: Role, sq: Square) {
        for (side, sums) in [Color::White, Color::Black].into_iter().zip(&mut self.sums) {
            sums.add(input(&TABLES, side, color, role, sq));
        }
    }
}

/// Remembers a move, before it is played in `position`.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
pub(super) fn see(memory: &mut Memory, tables: &Tables, position: &Standard, step: BoardMove) {
    let (turn, role) = (position.turn, step.role);
    let taken = match step.kind {
        MoveKind::Normal if position.them.contains(step.to) => {
            position.role_at(step.to).map(|taken| (taken, step.to))
        }
        MoveKind::EnPassant => Some((Role::Pawn, beside(step.from, step.to))),
        _ => None,
    };
    let to = landing(position, step);
    let promotion = step.promotion.unwrap_or(role);
    for side in [Color::White, Color::Black] {
        let sums = &mut memory.sums[usize::from(side.is_black())];
        let mut next = *sums;
        next.subtract(input(tables, side, turn, role, step.from));
        next.add(input(tables, side, turn, promotion, to));
        if let Some((taken, sq)) = taken {
            next.subtract(input(tables, side, !turn, taken, sq));
        }
        if step.kind == MoveKind::Castling {
            let rook_to = turned(step.side().rook_to(turn));
            next.subtract(input(tables, side, turn, Role::Rook, step.to));
            next.add(input(tables, side, turn, Role::Rook, rook_to));
        }
        *sums = next;
    }
    memory.ours = memory.theirs;
    memory.theirs = Some(LastMove {
        role,
        from: step.from,
        to,
        is_capture: taken.is_some(),
    });
}

/// Where the piece stands after the move; in castling, the king.
#[inline(always)]
pub(super) fn landing(position: &Standard, step: BoardMove) -> Square {
    match step.kind {
        MoveKind::Castling => turned(step.side().king_to(position.turn)),
        _ => step.to,
    }
}
