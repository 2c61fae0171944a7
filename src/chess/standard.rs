//! A position of chess or Chess960 in the shape that counting wants: sets of squares by kind of piece and by side to move, and what one look
//! along all lines tells (the census). Made from a position of shakmaty, which knows what a legal start is, and turned back into one for
//! whatever is not asked at every ply.

use shakmaty::{
    Bitboard, Board, ByColor, ByRole, Castles, CastlingMode, CastlingSide, Chess, Color, FromSetup as _, Move,
    Position as _, PositionError, Role, Setup, Square,
};

use super::census::Census;

/// A move without what it captures: that is seen on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) role: Role,
    pub(super) from: Square,
    /// In castling, the square of the rook.
    pub(super) to: Square,
    pub(super) promotion: Option<Role>,
    pub(super) kind: StepKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepKind {
    Normal,
    EnPassant,
    Castling,
}

impl Step {
    /// The plain move of a piece, or of a pawn that does not promote.
    #[inline(always)]
    pub(super) fn new(role: Role, from: Square, to: Square) -> Step {
        Step { role, from, to, promotion: None, kind: StepKind::Normal }
    }

    /// The side to which it castles.
    pub(super) fn side(&self) -> CastlingSide {
        CastlingSide::from_queen_side(self.to < self.from)
    }

    /// `None`: a drop, which chess does not know.
    #[inline]
    pub(super) fn from_move(m: Move) -> Option<Step> {
        Some(match m {
            Move::Normal { role, from, to, promotion, .. } => {
                Step { role, from, to, promotion, kind: StepKind::Normal }
            }
            Move::EnPassant { from, to } => {
                Step { role: Role::Pawn, from, to, promotion: None, kind: StepKind::EnPassant }
            }
            Move::Castle { king, rook } => {
                Step { role: Role::King, from: king, to: rook, promotion: None, kind: StepKind::Castling }
            }
            Move::Put { .. } => return None,
        })
    }
}

/// The position.
#[derive(Clone, Debug)]
pub(super) struct Standard {
    /// By the number of the role: pawn 1, knight 2 ... king 6. The other two are there so that no number is beyond the end.
    pub(super) roles: [Bitboard; 8],
    /// The pieces of the side to move.
    pub(super) us: Bitboard,
    pub(super) them: Bitboard,
    pub(super) turn: Color,
    /// The king of the side to move.
    pub(super) king: Square,
    /// The rooks that may still castle.
    rights: Bitboard,
    /// The square that a pawn has just passed.
    pub(super) passed: Option<Square>,
    halfmoves: u32,
    fullmoves: u32,
    /// Where castling goes, as at the start; which of it may still happen, `rights` tells.
    castles: Castles,
    pub(super) census: Census,
}

impl Standard {
    /// `None` if the side to move has not exactly one king.
    pub(super) fn new(chess: &Chess) -> Option<Standard> {
        let (board, turn) = (chess.board(), chess.turn());
        let mut roles = [Bitboard::EMPTY; 8];
        for role in Role::ALL {
            roles[role as usize] = board.by_role(role);
        }
        let mut position = Standard {
            roles,
            us: board.by_color(turn),
            them: board.by_color(!turn),
            turn,
            king: board.king_of(turn)?,
            rights: chess.castles().castling_rights(),
            passed: chess.maybe_ep_square(),
            halfmoves: chess.halfmoves(),
            fullmoves: chess.fullmoves().get(),
            castles: chess.castles().clone(),
            census: Census::default(),
        };
        position.census = Census::of(&position);
        Some(position)
    }

    /// The same position as shakmaty has it.
    ///
    /// # Panics
    /// Never: legal moves from a legal start lead to no position that shakmaty refuses.
    pub(super) fn to_chess(&self) -> Chess {
        let by_color = |color| if color == self.turn { self.us } else { self.them };
        let by_color = ByColor { black: by_color(Color::Black), white: by_color(Color::White) };
        let mut setup = Setup::empty();
        setup.board = Board::try_from_bitboards(ByRole::new_with(|role| self.by_role(role)), by_color)
            .expect("every piece has one kind and one colour");
        setup.turn = self.turn;
        setup.castling_rights = self.rights;
        setup.ep_square = self.passed;
        setup.halfmoves = self.halfmoves;
        setup.fullmoves = self.fullmoves.try_into().unwrap_or(setup.fullmoves);
        Chess::from_setup(setup, self.mode())
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .expect("legal moves lead to legal positions")
    }

    pub(super) fn mode(&self) -> CastlingMode {
        self.castles.mode()
    }

    pub(super) fn fullmoves(&self) -> u32 {
        self.fullmoves
    }

    pub(super) fn is_check(&self) -> bool {
        self.census.checkers.any()
    }

    /// All pieces of one kind.
    #[inline(always)]
    pub(super) fn by_role(&self, role: Role) -> Bitboard {
        self.roles[role as usize & 7]
    }

    /// What stands on a square.
    #[inline]
    pub(super) fn role_at(&self, sq: Square) -> Option<Role> {
        Role::ALL.into_iter().find(|&role| self.by_role(role).contains(sq))
    }

    /// The move in shakmaty's form.
    #[inline]
    pub(super) fn to_move(&self, step: Step) -> Move {
        let Step { role, from, to, promotion, kind } = step;
        match kind {
            StepKind::Normal => Move::Normal { role, from, capture: self.role_at(to), to, promotion },
            StepKind::EnPassant => Move::EnPassant { from, to },
            StepKind::Castling => Move::Castle { king: from, rook: to },
        }
    }

    /// The rook that may castle to this side, if the king and the rook have a free way; other things may forbid it.
    #[inline(always)]
    pub(super) fn castling_rook(&self, side: CastlingSide) -> Option<Square> {
        let rook = self.castles.rook(self.turn, side)?;
        let way = self.castles.path(self.turn, side) & (self.us | self.them);
        (self.rights.contains(rook) && way.is_empty()).then_some(rook)
    }

    /// The side to move may still castle, sooner or later.
    #[inline(always)]
    pub(super) fn has_rights(&self) -> bool {
        (self.rights & self.us).any()
    }

    /// Plays a legal move, all but the census.
    #[inline(always)]
    pub(super) fn make(&mut self, step: Step) {
        let Step { role, from, to, promotion, kind } = step;
        let mut is_zeroing = role == Role::Pawn;
        self.passed = None;
        if kind == StepKind::Castling {
            self.castle(from, to);
        } else {
            let gone = match kind {
                StepKind::EnPassant => Square::from_coords(to.file(), from.rank()),
                _ => to,
            };
            // A branch, since what is written as a whole and read in parts at once has to wait; most moves take nothing.
            if self.them.contains(gone) {
                is_zeroing = true;
                let stays = !Bitboard::from_square(gone);
                for set in &mut self.roles {
                    *set &= stays;
                }
                self.them &= stays;
            }
            let moved = &mut self.roles[role as usize & 7];
            *moved = moved.without(from);
            let landed = &mut self.roles[promotion.unwrap_or(role) as usize & 7];
            *landed = landed.with(to);
            self.us = self.us.without(from).with(to);
            self.rights &= !(Bitboard::from_square(from).with(to));
            if role == Role::King {
                self.rights &= self.them;
            } else if role == Role::Pawn && from.to_u32() ^ to.to_u32() == 16 {
                self.passed = to.offset(self.turn.fold_wb(-8, 8));
            }
        }
        self.halfmoves = if is_zeroing { 0 } else { self.halfmoves.saturating_add(1) };
        self.fullmoves = self.fullmoves.saturating_add(u32::from(self.turn.is_black()));
        self.turn = !self.turn;
        std::mem::swap(&mut self.us, &mut self.them);
        // No legal move takes a king away, so there is one.
        self.king = (self.us & self.by_role(Role::King)).first().unwrap_or(self.king);
    }

    #[inline(never)]
    fn castle(&mut self, king: Square, rook: Square) {
        let side = CastlingSide::from_queen_side(rook < king);
        let (king_to, rook_to) = (side.king_to(self.turn), side.rook_to(self.turn));
        let kings = &mut self.roles[Role::King as usize];
        *kings = kings.without(king).with(king_to);
        let rooks = &mut self.roles[Role::Rook as usize];
        *rooks = rooks.without(rook).with(rook_to);
        self.us = self.us.without(king).without(rook).with(king_to).with(rook_to);
        self.rights &= self.them;
    }
}
