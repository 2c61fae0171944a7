//! A position of chess or Chess960 in the shape that counting wants: sets of squares by kind of
//! piece and by side to move, in the order of their names, and what one look along all lines tells
//! (the census). Made from a position of shakmaty, which knows what a legal start is, and turned
//! back into one for whatever is not asked at every ply.
//!
//! Nothing here generates a list of moves. A piece's legal destinations are what it attacks, cut
//! down by two masks: where *anything* may go (not onto our own pieces; in check, only onto the
//! squares that end it), and, for a pinned piece, the line it is pinned on. The ordinal (PGN 1994,
//! 20.2) is then a count of bits.

use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, CastlingSide, Chess, Color, FromSetup as _,
    Move, Position as _, PositionError, Role, Setup, Square, attacks,
};

use super::attacks::{bishop_attacks, lines, rook_attacks};
use super::census::Census;
use super::squares::{beside, turned};

/// Whether the side to move is in check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Not in check.
    None,
    /// In check.
    Check,
    /// Checkmated; in a variant also: beaten by the variant's own rule.
    Mate,
}

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

/// A move of one piece that takes what stands where it lands, or nothing: no castling, no
/// promotion, no capture en passant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plain {
    pub(super) role: Role,
    pub(super) from: Square,
    pub(super) to: Square,
}

impl From<Plain> for Step {
    #[inline(always)]
    fn from(Plain { role, from, to }: Plain) -> Step {
        Step::new(role, from, to)
    }
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
        Step {
            role,
            from,
            to,
            promotion: None,
            kind: StepKind::Normal,
        }
    }

    /// The side to which it castles.
    pub(super) fn side(&self) -> CastlingSide {
        CastlingSide::from_queen_side(self.to < self.from)
    }

    /// `None`: a drop, which chess does not know.
    #[inline]
    pub(super) fn from_move(m: Move) -> Option<Step> {
        Some(match m {
            Move::Normal {
                role,
                from,
                to,
                promotion,
                ..
            } => Step {
                role,
                from: turned(from),
                to: turned(to),
                promotion,
                kind: StepKind::Normal,
            },
            Move::EnPassant { from, to } => Step {
                kind: StepKind::EnPassant,
                ..Step::new(Role::Pawn, turned(from), turned(to))
            },
            Move::Castle { king, rook } => Step {
                kind: StepKind::Castling,
                ..Step::new(Role::King, turned(king), turned(rook))
            },
            Move::Put { .. } => return None,
        })
    }
}

/// One side's castling to one side.
#[derive(Clone, Copy, Debug)]
struct Castling {
    rook: Option<Square>,
    /// What must be vacant.
    way: Bitboard,
    /// What must not be attacked: from the king's square to where it lands.
    king: Bitboard,
}

/// The position.
#[derive(Clone, Debug)]
pub(super) struct Standard {
    /// By the number of the role: pawn 1, knight 2 ... king 6. The other two are there so that no
    /// number is beyond the end.
    pub(super) roles: [Bitboard; 8],
    /// The pieces of the side to move.
    pub(super) us: Bitboard,
    pub(super) them: Bitboard,
    pub(super) turn: Color,
    /// The king of the side to move.
    pub(super) king: Square,
    /// That of the other side.
    pub(super) their_king: Square,
    /// The rooks that may still castle.
    rights: Bitboard,
    /// The square that a pawn has just passed.
    pub(super) passed: Option<Square>,
    halfmoves: u64,
    fullmoves: u32,
    /// By colour and side, where castling goes, as at the start; which of it may still happen,
    /// `rights` tells.
    castling: [[Castling; 2]; 2],
    mode: CastlingMode,
    pub(super) census: Census,
}

/// All that a move changes but the census, which can be taken again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Past {
    roles: [Bitboard; 8],
    us: Bitboard,
    them: Bitboard,
    turn: Color,
    king: Square,
    their_king: Square,
    rights: Bitboard,
    passed: Option<Square>,
    halfmoves: u64,
    fullmoves: u32,
}

impl Standard {
    /// All but the census; `None` if a side has no king.
    pub(super) fn new(chess: &Chess) -> Option<Standard> {
        let (board, turn) = (chess.board(), chess.turn());
        let mut roles = [Bitboard::EMPTY; 8];
        for role in Role::ALL {
            roles[role as usize] = board.by_role(role).flip_diagonal();
        }
        let castles = chess.castles();
        let castling = |color| {
            [CastlingSide::KingSide, CastlingSide::QueenSide].map(|side| {
                let to = turned(side.king_to(color));
                Castling {
                    rook: castles.rook(color, side).map(turned),
                    way: castles.path(color, side).flip_diagonal(),
                    king: board
                        .king_of(color)
                        .map(turned)
                        .map_or(Bitboard::EMPTY, |king| {
                            attacks::between(king, to).with(king).with(to)
                        }),
                }
            })
        };
        Some(Standard {
            roles,
            us: board.by_color(turn).flip_diagonal(),
            them: board.by_color(!turn).flip_diagonal(),
            turn,
            king: turned(board.king_of(turn)?),
            their_king: turned(board.king_of(!turn)?),
            rights: castles.castling_rights().flip_diagonal(),
            passed: chess.maybe_ep_square().map(turned),
            halfmoves: chess.halfmoves().into(),
            fullmoves: chess.fullmoves().get(),
            castling: [Color::White, Color::Black].map(castling),
            mode: castles.mode(),
            census: Census::default(),
        })
    }

    /// The same position as shakmaty has it.
    ///
    /// # Panics
    /// Never: legal moves from a legal start lead to no position that shakmaty refuses.
    pub(super) fn to_chess(&self) -> Chess {
        let by_color = |color| {
            if color == self.turn {
                self.us
            } else {
                self.them
            }
            .flip_diagonal()
        };
        let by_color = ByColor {
            black: by_color(Color::Black),
            white: by_color(Color::White),
        };
        let mut setup = Setup::empty();
        setup.board = Board::try_from_bitboards(
            ByRole::new_with(|role| self.by_role(role).flip_diagonal()),
            by_color,
        )
        .expect("every piece has one kind and one colour");
        setup.turn = self.turn;
        setup.castling_rights = self.rights.flip_diagonal();
        setup.ep_square = self.passed.map(turned);
        setup.halfmoves = self.halfmoves.try_into().unwrap_or(u32::MAX);
        setup.fullmoves = self.fullmoves.try_into().unwrap_or(setup.fullmoves);
        Chess::from_setup(setup, self.mode)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .expect("legal moves lead to legal positions")
    }

    pub(super) fn mode(&self) -> CastlingMode {
        self.mode
    }

    pub(super) fn fullmoves(&self) -> u32 {
        self.fullmoves
    }

    /// All pieces of one kind.
    #[inline(always)]
    pub(super) fn by_role(&self, role: Role) -> Bitboard {
        self.roles[role as usize & 7]
    }

    /// What stands on a square.
    #[inline]
    pub(super) fn role_at(&self, sq: Square) -> Option<Role> {
        Role::ALL
            .into_iter()
            .find(|&role| self.by_role(role).contains(sq))
    }

    /// The move in shakmaty's form.
    #[inline]
    pub(super) fn to_move(&self, step: Step) -> Move {
        let Step {
            role,
            promotion,
            kind,
            ..
        } = step;
        let (from, to) = (turned(step.from), turned(step.to));
        match kind {
            StepKind::Normal => Move::Normal {
                role,
                from,
                capture: self.role_at(step.to),
                to,
                promotion,
            },
            StepKind::EnPassant => Move::EnPassant { from, to },
            StepKind::Castling => Move::Castle {
                king: from,
                rook: to,
            },
        }
    }

    /// The rook with which castling to this side is legal. No branch: what forbids it cannot be
    /// foreseen.
    #[inline(always)]
    pub(super) fn castling_rook(&self, side: CastlingSide) -> Option<Square> {
        let Castling { rook, way, king } =
            self.castling[usize::from(self.turn.is_black())][usize::from(side.is_queen_side())];
        // In Chess960 the rook may have stood between the king and a slider on the same rank: it
        // was pinned then.
        let rooks = Bitboard(1_u64.wrapping_shl(rook.map_or(0, Square::to_u32)));
        let forbids = (way & (self.us | self.them))
            | (king & self.census.attacked)
            | (rooks & (self.census.pinned | !self.rights));
        if forbids.is_empty() { rook } else { None }
    }

    /// The side to move may still castle, sooner or later.
    #[inline(always)]
    pub(super) fn has_rights(&self) -> bool {
        (self.rights & self.us).any()
    }

    #[inline(always)]
    pub(super) fn past(&self) -> Past {
        let &Standard {
            roles,
            us,
            them,
            turn,
            king,
            their_king,
            rights,
            passed,
            halfmoves,
            fullmoves,
            ..
        } = self;
        Past {
            roles,
            us,
            them,
            turn,
            king,
            their_king,
            rights,
            passed,
            halfmoves,
            fullmoves,
        }
    }

    /// Goes back to a position of the same game, all but the census.
    pub(super) fn unmake(&mut self, past: &Past) {
        let &Past {
            roles,
            us,
            them,
            turn,
            king,
            their_king,
            rights,
            passed,
            halfmoves,
            fullmoves,
        } = past;
        (self.roles, self.us, self.them, self.turn) = (roles, us, them, turn);
        (self.king, self.their_king, self.rights, self.passed) = (king, their_king, rights, passed);
        (self.halfmoves, self.fullmoves) = (halfmoves, fullmoves);
    }

    /// Plays a legal move, all but the census.
    pub(super) fn make(&mut self, step: Step) {
        let Step {
            role,
            from,
            to,
            promotion,
            kind,
        } = step;
        match kind {
            StepKind::Normal => {
                if let Some(promotion) = promotion {
                    self.roles[Role::Pawn as usize] &= !Bitboard::from_square(from);
                    self.roles[promotion as usize & 7].add(from);
                }
                self.make_plain(Plain {
                    role: promotion.unwrap_or(role),
                    from,
                    to,
                });
                self.halfmoves = if promotion.is_some() {
                    0
                } else {
                    self.halfmoves
                };
            }
            StepKind::EnPassant => {
                let gone = Bitboard::from_square(beside(from, to));
                self.roles[Role::Pawn as usize] &= !gone;
                self.them &= !gone;
                self.make_plain(Plain { role, from, to });
            }
            StepKind::Castling => self.castle(from, to),
        }
    }

    /// Plays a plain move, all but the census. No branch for captures: they cannot be foreseen.
    #[inline(always)]
    pub(super) fn make_plain(&mut self, plain: Plain) {
        let Plain { role, from, to } = plain;
        let (left, landed) = (Bitboard::from_square(from), Bitboard::from_square(to));
        let is_pawn = self.by_role(Role::Pawn).contains(from);
        let is_capture = (self.them & landed).any();
        for (number, set) in self.roles.iter_mut().enumerate() {
            *set = *set & !(left | landed)
                | if number == role as usize {
                    landed
                } else {
                    Bitboard::EMPTY
                };
        }
        self.us = self.us & !left | landed;
        self.them &= !landed;
        let is_king = from == self.king;
        self.king = if is_king { to } else { self.king };
        let own_rooks = if is_king { self.us } else { Bitboard::EMPTY };
        self.rights &= !(left | landed | own_rooks);
        let passed = if is_pawn & (from.to_u32() ^ to.to_u32() == 2) {
            Some(self.back(to))
        } else {
            None
        };
        self.end_turn(is_pawn | is_capture, passed);
    }

    #[inline(always)]
    fn end_turn(&mut self, is_zeroing: bool, passed: Option<Square>) {
        self.passed = passed;
        // A shift, of which the compiler makes no branch.
        self.halfmoves = (self.halfmoves + 1) >> (63 * u32::from(is_zeroing));
        self.fullmoves = self
            .fullmoves
            .saturating_add(u32::from(self.turn.is_black()));
        self.turn = !self.turn;
        std::mem::swap(&mut self.us, &mut self.them);
        std::mem::swap(&mut self.king, &mut self.their_king);
    }

    #[inline(never)]
    fn castle(&mut self, king: Square, rook: Square) {
        let side = CastlingSide::from_queen_side(rook < king);
        let (king_to, rook_to) = (
            turned(side.king_to(self.turn)),
            turned(side.rook_to(self.turn)),
        );
        let kings = &mut self.roles[Role::King as usize];
        *kings = kings.without(king).with(king_to);
        let rooks = &mut self.roles[Role::Rook as usize];
        *rooks = rooks.without(rook).with(rook_to);
        self.us = self
            .us
            .without(king)
            .without(rook)
            .with(king_to)
            .with(rook_to);
        self.rights &= self.them;
        self.king = king_to;
        self.end_turn(false, None);
    }
}

/// Where our pieces can legally go; of pawns, another file tells.
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
            Role::Bishop => bishop_attacks(from, occupied),
            Role::Rook => rook_attacks(from, occupied),
            Role::Queen => rook_attacks(from, occupied) | bishop_attacks(from, occupied),
            Role::King | Role::Pawn => Bitboard::EMPTY,
        }
    }

    /// The legal destinations of a knight, bishop, rook or queen of ours.
    #[inline(always)]
    pub(super) fn destinations(&self, role: Role, from: Square) -> Bitboard {
        let set = self.attacks(role, from) & self.census.target;
        if self.census.pinned.contains(from) {
            set & attacks::ray(self.king, from)
        } else {
            set
        }
    }

    /// Our pieces of a kind, but pawns, that can legally go to `to`.
    #[inline(always)]
    pub(super) fn movers(&self, role: Role, to: Square) -> Bitboard {
        if !self.census.reach[role as usize & 7].contains(to) {
            return Bitboard::EMPTY;
        }
        // Some piece can. Where only one stands on a line with the square, that is the one.
        let candidates = self.pieces(role) & lines(role, to);
        if candidates.more_than_one() {
            self.movers_of(role, candidates, to)
        } else {
            candidates
        }
    }

    /// Those of several candidates that can legally go to `to`.
    #[inline(never)]
    fn movers_of(&self, role: Role, candidates: Bitboard, to: Square) -> Bitboard {
        let set = self.attacks(role, to) & candidates;
        // A pinned piece may go to `to` exactly if that lies on the line it is pinned on.
        let pinned = set & self.census.pinned;
        (set & !pinned) | (pinned & attacks::ray(self.king, to))
    }

    /// The legal castling move on one side, if there is one.
    #[inline(always)]
    pub(super) fn castling(&self, side: CastlingSide) -> Option<Step> {
        self.castling_rook(side).map(|rook| Step {
            kind: StepKind::Castling,
            ..Step::new(Role::King, self.king, rook)
        })
    }

    /// The number of legal castling moves.
    #[inline(always)]
    pub(super) fn castling_count(&self) -> usize {
        if !self.has_rights() {
            return 0;
        }
        usize::from(self.castling_rook(CastlingSide::KingSide).is_some())
            + usize::from(self.castling_rook(CastlingSide::QueenSide).is_some())
    }
}
