//! A position of chess or Chess960, stored for counting moves: a set of squares for each kind of
//! piece and each side, with squares in the order of their names, and the census. It is made from a
//! position of shakmaty, which checks that a start is legal, and converted back for rare questions.
//! `us` and "our" mean the side to move.
//!
//! Nothing here generates a list of moves. A piece's legal destinations are the squares it attacks,
//! cut down by two masks: the squares where *any* piece may land (not on our own pieces; in check,
//! only on the squares that end it), and, for a pinned piece, the line of the pin. The ordinal (PGN
//! 1994, 20.2) is then a count of bits.

use std::ops::{Deref, DerefMut};

use shakmaty::{
    Bitboard, CastlingMode, CastlingSide, Chess, Color, FromSetup as _, Move, Position as _,
    PositionError, Role, Setup, Square, attacks,
};

use super::attacks::{attacks_of, lines};
use super::census::Census;
use super::pieces::Pieces;
use super::squares::{beside, turned};

/// Whether the side to move is in check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Not in check.
    None,
    /// In check.
    Check,
    /// Checkmated, or beaten by a variant's own rule.
    Mate,
}

/// A move without the piece it captures, which the board shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BoardMove {
    pub(super) role: Role,
    pub(super) from: Square,
    /// In castling, the square of the rook.
    pub(super) to: Square,
    pub(super) promotion: Option<Role>,
    pub(super) kind: MoveKind,
}

/// A move of one piece, with or without a capture on its destination: not castling, a promotion or
/// a capture en passant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlainMove {
    pub(super) role: Role,
    pub(super) from: Square,
    pub(super) to: Square,
}

impl From<PlainMove> for BoardMove {
    #[inline(always)]
    fn from(PlainMove { role, from, to }: PlainMove) -> BoardMove {
        BoardMove::new(role, from, to)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoveKind {
    Normal,
    EnPassant,
    Castling,
}

impl BoardMove {
    /// The plain move of a piece, or of a pawn that does not promote.
    #[inline(always)]
    pub(super) fn new(role: Role, from: Square, to: Square) -> BoardMove {
        BoardMove {
            role,
            from,
            to,
            promotion: None,
            kind: MoveKind::Normal,
        }
    }

    /// As a plain move, if it is one.
    #[inline(always)]
    pub(super) fn plain(self) -> Option<PlainMove> {
        let BoardMove { role, from, to, .. } = self;
        let is_plain = self.kind == MoveKind::Normal && self.promotion.is_none();
        if is_plain {
            Some(PlainMove { role, from, to })
        } else {
            None
        }
    }

    /// The wing on which it castles.
    pub(super) fn side(&self) -> CastlingSide {
        CastlingSide::from_queen_side(self.to < self.from)
    }

    /// Converts a move of shakmaty; `None` for a drop, which chess does not have.
    #[inline]
    pub(super) fn from_move(m: Move) -> Option<BoardMove> {
        Some(match m {
            Move::Normal {
                role,
                from,
                to,
                promotion,
                ..
            } => BoardMove {
                role,
                from: turned(from),
                to: turned(to),
                promotion,
                kind: MoveKind::Normal,
            },
            Move::EnPassant { from, to } => BoardMove {
                kind: MoveKind::EnPassant,
                ..BoardMove::new(Role::Pawn, turned(from), turned(to))
            },
            Move::Castle { king, rook } => BoardMove {
                kind: MoveKind::Castling,
                ..BoardMove::new(Role::King, turned(king), turned(rook))
            },
            Move::Put { .. } => return None,
        })
    }

    /// The kinds of special moves that it is, played by this side.
    #[inline]
    pub(super) fn special(self, turn: Color) -> u8 {
        match (self.kind, self.promotion) {
            (MoveKind::Castling, _) if turn.is_white() => special::WHITE_CASTLES,
            (MoveKind::Castling, _) => special::BLACK_CASTLES,
            (MoveKind::EnPassant, _) => special::EN_PASSANT,
            (MoveKind::Normal, Some(Role::Queen)) => special::PROMOTION,
            (MoveKind::Normal, Some(_)) => special::PROMOTION | special::UNDERPROMOTION,
            (MoveKind::Normal, None) => 0,
        }
    }
}

/// Moves of a kind that a game has: a bit each.
pub mod special {
    /// White castles.
    pub const WHITE_CASTLES: u8 = 1;
    /// Black castles.
    pub const BLACK_CASTLES: u8 = 1 << 1;
    /// A pawn is promoted.
    pub const PROMOTION: u8 = 1 << 2;
    /// To another piece than a queen.
    pub const UNDERPROMOTION: u8 = 1 << 3;
    /// A pawn is taken en passant.
    pub const EN_PASSANT: u8 = 1 << 4;
}

/// Castling of one colour on one wing.
#[derive(Clone, Copy, Debug)]
struct Castling {
    rook: Option<Square>,
    /// Squares that must be vacant.
    way: Bitboard,
    /// Squares that must not be attacked: from the king's square to its destination.
    king: Bitboard,
}

/// A position of chess or Chess960.
#[derive(Clone, Debug)]
pub(super) struct Standard {
    pub(super) board: SavedBoard,
    /// Castling by colour and wing, as in the start position; `rights` tells what is still allowed.
    castling: [[Castling; 2]; 2],
    pub(super) mode: CastlingMode,
    pub(super) census: Census,
}

/// Everything that a move changes, except the census, which can be taken again.
#[derive(Clone, Copy, Debug)]
pub(super) struct SavedBoard {
    /// The pieces of both sides by number of the role: pawn 1, knight 2 ... king 6. Entries 0 and 7
    /// stay empty; with them an index masked to three bits is always valid.
    pub(super) roles: [Bitboard; 8],
    /// The pieces of the side to move.
    pub(super) us: Bitboard,
    pub(super) them: Bitboard,
    pub(super) turn: Color,
    /// The king of the side to move.
    pub(super) king: Square,
    /// The king of the other side.
    pub(super) their_king: Square,
    /// The rooks that may still castle.
    pub(super) rights: Bitboard,
    /// The square that the double step of a pawn has just passed.
    pub(super) passed: Option<Square>,
    pub(super) halfmoves: u64,
    pub(super) fullmoves: u32,
    /// The kinds of special moves that were played.
    pub(super) specials: u8,
}

impl Deref for Standard {
    type Target = SavedBoard;

    #[inline(always)]
    fn deref(&self) -> &SavedBoard {
        &self.board
    }
}

impl DerefMut for Standard {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut SavedBoard {
        &mut self.board
    }
}

impl Standard {
    /// Converts a position of shakmaty, without its census; `None` if a side has no king.
    pub(super) fn new(chess: &Chess) -> Option<Standard> {
        let (board, turn) = (chess.board(), chess.turn());
        let pieces = Pieces::from_board(board);
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
            board: SavedBoard {
                roles: pieces.roles,
                us: pieces.by_color(turn),
                them: pieces.by_color(!turn),
                turn,
                king: turned(board.king_of(turn)?),
                their_king: turned(board.king_of(!turn)?),
                rights: castles.castling_rights().flip_diagonal(),
                passed: chess.maybe_ep_square().map(turned),
                halfmoves: chess.halfmoves().into(),
                fullmoves: chess.fullmoves().get(),
                specials: 0,
            },
            castling: [Color::White, Color::Black].map(castling),
            mode: castles.mode(),
            census: Census::default(),
        })
    }

    /// The pieces of White and of Black.
    #[inline(always)]
    pub(super) fn both_sides(&self) -> Pieces {
        let (white, black) = match self.turn {
            Color::White => (self.us, self.them),
            Color::Black => (self.them, self.us),
        };
        Pieces {
            roles: self.roles,
            white,
            black,
        }
    }

    /// Converts the position back to shakmaty's form.
    pub(super) fn to_chess(&self) -> Chess {
        let mut setup = Setup::empty();
        setup.board = self.both_sides().to_board();
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

    /// A key of where the pieces stand and who is to move.
    #[inline]
    pub(super) fn key(&self) -> u64 {
        let boards = self.roles[1..7].iter().chain([&self.us]);
        let begin = u64::from(self.turn.is_black());
        boards.fold(begin, |key, board| {
            let mixed = (key ^ board.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ mixed >> 32
        })
    }

    /// A key of where the pieces stand, who is to move and who may castle, whose parts are computed
    /// side by side.
    #[inline]
    pub(super) fn quick_key(&self) -> u64 {
        const NUMBERS: [u64; 8] = [
            0x9e37_79b9_7f4a_7c15,
            0xbf58_476d_1ce4_e5b9,
            0x94d0_49bb_1331_11eb,
            0xd6e8_feb8_6659_fd93,
            0xff51_afd7_ed55_8ccd,
            0xc4ce_b9fe_1a85_ec53,
            0xa076_1d64_78bd_642f,
            0xe703_7ed1_a0b4_28db,
        ];
        let boards = self.roles[1..7].iter().chain([&self.us, &self.rights]);
        let parts = boards.zip(NUMBERS).map(|(board, number)| {
            let (low, high) = board.0.carrying_mul(number, 0);
            low ^ high
        });
        parts.fold(u64::from(self.turn.is_black()), |key, part| key ^ part)
    }

    /// Whether a pawn stands beside one that has just made a double step.
    #[inline]
    pub(super) fn may_take_en_passant(&self) -> bool {
        self.passed.is_some_and(|passed| {
            let Bitboard(behind) = Bitboard::from_square(self.back(passed));
            let beside = Bitboard(behind << 8 | behind >> 8);
            (beside & self.us & self.by_role(Role::Pawn)).any()
        })
    }

    /// The pieces of one kind, of both sides.
    #[inline(always)]
    pub(super) fn by_role(&self, role: Role) -> Bitboard {
        self.roles[role as usize & 7]
    }

    /// The kind of piece on a square.
    #[inline]
    pub(super) fn role_at(&self, sq: Square) -> Option<Role> {
        Role::ALL
            .into_iter()
            .find(|&role| self.by_role(role).contains(sq))
    }

    /// Converts a move to shakmaty's form.
    #[inline]
    pub(super) fn to_move(&self, board_move: BoardMove) -> Move {
        let BoardMove {
            role,
            promotion,
            kind,
            ..
        } = board_move;
        let (from, to) = (turned(board_move.from), turned(board_move.to));
        match kind {
            MoveKind::Normal => Move::Normal {
                role,
                from,
                capture: self.role_at(board_move.to),
                to,
                promotion,
            },
            MoveKind::EnPassant => Move::EnPassant { from, to },
            MoveKind::Castling => Move::Castle {
                king: from,
                rook: to,
            },
        }
    }

    /// The rook of the legal castling move on this wing. Branch-free: the outcome is unpredictable.
    #[inline(always)]
    pub(super) fn castling_rook(&self, side: CastlingSide) -> Option<Square> {
        let Castling { rook, way, king } =
            self.castling[usize::from(self.turn.is_black())][usize::from(side.is_queen_side())];
        // In Chess960 the rook may stand between the king and a slider on their rank: it is pinned
        // then.
        let rooks = Bitboard(1_u64.wrapping_shl(rook.map_or(0, Square::to_u32)));
        let forbids = (way & (self.us | self.them))
            | (king & self.census.attacked)
            | (rooks & (self.census.pinned | !self.rights));
        if forbids.is_empty() { rook } else { None }
    }

    /// Whether the side to move has a castling right left.
    #[inline(always)]
    pub(super) fn has_rights(&self) -> bool {
        (self.rights & self.us).any()
    }

    /// Plays a legal move. Leaves the census as it is.
    pub(super) fn make(&mut self, board_move: BoardMove) {
        let BoardMove {
            role,
            from,
            to,
            promotion,
            kind,
        } = board_move;
        self.specials |= board_move.special(self.turn);
        match kind {
            MoveKind::Normal => {
                if let Some(promotion) = promotion {
                    self.roles[Role::Pawn as usize] &= !Bitboard::from_square(from);
                    self.roles[promotion as usize & 7].add(from);
                }
                self.make_plain(PlainMove {
                    role: promotion.unwrap_or(role),
                    from,
                    to,
                });
                if promotion.is_some() {
                    self.halfmoves = 0;
                }
            }
            MoveKind::EnPassant => {
                let gone = Bitboard::from_square(beside(from, to));
                self.roles[Role::Pawn as usize] &= !gone;
                self.them &= !gone;
                self.make_plain(PlainMove { role, from, to });
            }
            MoveKind::Castling => self.castle(from, to),
        }
    }

    /// Plays a plain move. Leaves the census as it is. Branch-free: captures are unpredictable.
    #[inline(always)]
    pub(super) fn make_plain(&mut self, plain: PlainMove) {
        let PlainMove { role, from, to } = plain;
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
        // A shift, which the compiler never turns into a branch.
        self.halfmoves = (self.halfmoves + 1) >> (63 * u32::from(is_zeroing));
        self.fullmoves = self
            .fullmoves
            .saturating_add(u32::from(self.turn.is_black()));
        self.turn = !self.turn;
        let board = &mut self.board;
        std::mem::swap(&mut board.us, &mut board.them);
        std::mem::swap(&mut board.king, &mut board.their_king);
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
        self.board.rights &= self.board.them;
        self.king = king_to;
        self.end_turn(false, None);
    }
}

/// The legal destinations of our pieces; those of pawns are in `pawns.rs`.
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

    /// The legal destinations of a knight, bishop, rook or queen of ours.
    #[inline(always)]
    pub(super) fn destinations(&self, role: Role, from: Square) -> Bitboard {
        let set = attacks_of(role, self.turn, from, self.occupied()) & self.census.target;
        if self.census.pinned.contains(from) {
            set & attacks::ray(self.king, from)
        } else {
            set
        }
    }

    /// Our pieces of one kind, not pawns, that can legally go to `to`.
    #[inline(always)]
    pub(super) fn movers(&self, role: Role, to: Square) -> Bitboard {
        if !self.census.reach[role as usize & 7].contains(to) {
            return Bitboard::EMPTY;
        }
        // Some piece can. If only one stands on a line with the square, it is that piece.
        let candidates = self.pieces(role) & lines(role, to);
        if candidates.more_than_one() {
            self.movers_of(role, candidates, to)
        } else {
            candidates
        }
    }

    /// The candidates, several of them, that can legally go to `to`.
    #[inline(never)]
    fn movers_of(&self, role: Role, candidates: Bitboard, to: Square) -> Bitboard {
        let set = attacks_of(role, self.turn, to, self.occupied()) & candidates;
        // A pinned piece may go to `to` exactly if that lies on the line it is pinned on.
        let pinned = set & self.census.pinned;
        (set & !pinned) | (pinned & attacks::ray(self.king, to))
    }

    /// The legal castling move on one side, if there is one.
    #[inline(always)]
    pub(super) fn castling(&self, side: CastlingSide) -> Option<BoardMove> {
        self.castling_rook(side).map(|rook| BoardMove {
            kind: MoveKind::Castling,
            ..BoardMove::new(Role::King, self.king, rook)
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
