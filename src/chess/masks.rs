//! A standard position together with the masks that make its moves legal.
//!
//! Nothing here generates a list of moves. A piece's legal destinations are one lookup in shakmaty's attack tables, cut
//! down by two masks: where *anything* may go (not onto our own pieces; in check, only onto the squares that end it),
//! and, for a pinned piece, the line it is pinned on. The ordinal (PGN 1994, 20.2) is then a count of bits.

use shakmaty::{Bitboard, Board, CastlingSide, Chess, Color, File, Move, Position as _, Role, Square, attacks};

/// For each square, the squares that come before it when they are sorted as text: by file, then by rank.
static BEFORE: [u64; 64] = {
    let mut table = [0; 64];
    let mut sq = 0;
    while sq < 64 {
        let (file, rank) = (sq & 7, sq >> 3);
        let below = 0x0101_0101_0101_0101_u64 << file;
        table[sq] = FILES_BELOW[file] | (below & ((1_u64 << (8 * rank)) - 1));
        sq += 1;
    }
    table
};

/// The files before the n-th; the last entry is the whole board.
static FILES_BELOW: [u64; 9] = {
    let mut table = [0; 9];
    let mut file = 1;
    while file < 9 {
        table[file] = table[file - 1] | 0x0101_0101_0101_0101 << (file - 1);
        file += 1;
    }
    table
};

/// The two diagonals through each square: first the one that climbs towards the h-file, then the other.
static DIAGONALS: [[u64; 64]; 2] = {
    let mut table = [[0; 64]; 2];
    let mut sq = 0;
    while sq < 64 {
        let mut other = 0;
        while other < 64 {
            if (sq >> 3) + (other & 7) == (other >> 3) + (sq & 7) {
                table[0][sq] |= 1 << other;
            }
            if (sq >> 3) + (sq & 7) == (other >> 3) + (other & 7) {
                table[1][sq] |= 1 << other;
            }
            other += 1;
        }
        sq += 1;
    }
    table
};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// The squares that sort before `sq`: lower file, or the same file and a lower rank.
#[inline]
pub(super) fn before(sq: Square) -> Bitboard {
    Bitboard(BEFORE[sq.to_usize()])
}

/// The squares on files before the `n`-th (0 is the a-file; `n` may be 8).
#[inline]
pub(super) fn files_below(n: usize) -> Bitboard {
    Bitboard(FILES_BELOW[n.min(8)])
}

/// The square that is `n`-th (from 0) in `set` when squares are sorted as text.
#[inline]
pub(super) fn nth_square(set: Bitboard, n: usize) -> Option<Square> {
    let mut flipped = set.flip_diagonal();
    for _ in 0..n {
        flipped.discard_first();
    }
    flipped.first().map(Square::flip_diagonal)
}

/// A position of chess or Chess960, and what the legality of every move is measured against.
#[derive(Clone, Debug)]
pub(super) struct Standard {
    chess: Chess,
    /// The king of the side to move.
    king: Square,
    /// Enemy pieces that give check.
    checkers: Bitboard,
    /// Our pieces that a slider ties to the king.
    pinned: Bitboard,
}

impl Standard {
    /// The masks of `chess`; `None` if the side to move has not exactly one king.
    pub(super) fn new(chess: Chess) -> Option<Standard> {
        let king = chess.board().king_of(chess.turn())?;
        let mut position = Standard { chess, king, checkers: Bitboard::EMPTY, pinned: Bitboard::EMPTY };
        position.measure();
        Some(position)
    }

    pub(super) fn chess(&self) -> &Chess {
        &self.chess
    }

    pub(super) fn is_check(&self) -> bool {
        self.checkers.any()
    }

    #[inline]
    pub(super) fn play(&mut self, m: Move) {
        self.chess.play_unchecked(m);
        // No legal move takes a king away, so there is one.
        self.king = self.chess.board().king_of(self.chess.turn()).unwrap_or(self.king);
        self.measure();
    }

    #[inline]
    fn measure(&mut self) {
        let (board, turn, king) = (self.chess.board(), self.chess.turn(), self.king);
        let (us, them) = (board.by_color(turn), board.by_color(!turn));
        let mut checkers =
            (attacks::knight_attacks(king) & board.knights()) | (attacks::pawn_attacks(turn, king) & board.pawns());
        let mut pinned = Bitboard::EMPTY;
        // Seen through our own pieces, the first enemy piece on a line either checks or pins or does neither.
        let snipers = (attacks::rook_attacks(king, them) & board.rooks_and_queens())
            | (attacks::bishop_attacks(king, them) & board.bishops_and_queens());
        for sniper in snipers & them {
            let between = attacks::between(king, sniper) & us;
            if between.is_empty() {
                checkers.add(sniper);
            } else if !between.more_than_one() {
                pinned |= between;
            }
        }
        self.checkers = checkers & them;
        self.pinned = pinned;
    }

    /// The masks in the form that counting wants.
    #[inline]
    pub(super) fn view(&self) -> View<'_> {
        let (board, turn) = (self.chess.board(), self.chess.turn());
        let us = board.by_color(turn);
        let evasion = match self.checkers.first() {
            None => Bitboard::FULL,
            // Against two checkers only the king can move.
            Some(_) if self.checkers.more_than_one() => Bitboard::EMPTY,
            Some(checker) => attacks::between(self.king, checker).with(checker),
        };
        View {
            position: self,
            board,
            turn,
            king: self.king,
            us,
            them: board.by_color(!turn),
            occupied: board.occupied(),
            target: !us & evasion,
            pinned: self.pinned,
        }
    }
}

/// What every count starts from: the board by the side to move, and the masks.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    position: &'a Standard,
    pub(super) board: &'a Board,
    pub(super) turn: Color,
    pub(super) king: Square,
    pub(super) us: Bitboard,
    pub(super) them: Bitboard,
    pub(super) occupied: Bitboard,
    /// Where a piece other than the king may land.
    pub(super) target: Bitboard,
    pub(super) pinned: Bitboard,
}

impl View<'_> {
    /// Our pieces of one kind.
    #[inline(always)]
    pub(super) fn pieces(&self, role: Role) -> Bitboard {
        self.us & self.board.by_role(role)
    }

    #[inline(always)]
    fn attacks(&self, role: Role, from: Square) -> Bitboard {
        match role {
            Role::Knight => attacks::knight_attacks(from),
            Role::Bishop => attacks::bishop_attacks(from, self.occupied),
            Role::Rook => attacks::rook_attacks(from, self.occupied),
            Role::Queen => attacks::rook_attacks(from, self.occupied) | attacks::bishop_attacks(from, self.occupied),
            Role::King => attacks::king_attacks(from),
            Role::Pawn => Bitboard::EMPTY,
        }
    }

    /// The legal destinations of a knight, bishop, rook or queen of ours.
    #[inline(always)]
    pub(super) fn destinations(&self, role: Role, from: Square) -> Bitboard {
        let set = self.attacks(role, from) & self.target;
        if self.pinned.contains(from) { set & attacks::ray(self.king, from) } else { set }
    }

    /// Our knights, bishops, rooks or queens that can legally go to `to`.
    #[inline(always)]
    pub(super) fn movers(&self, role: Role, to: Square) -> Bitboard {
        if !self.target.contains(to) {
            return Bitboard::EMPTY;
        }
        let mut set = self.attacks(role, to) & self.pieces(role);
        let pinned = set & self.pinned;
        if pinned.any() {
            // A pinned piece may go to `to` exactly if that lies on the line it is pinned on.
            set = (set & !pinned) | (pinned & attacks::ray(self.king, to));
        }
        set
    }

    /// The number of legal moves of our pieces of one kind (not pawns, not the king).
    #[inline(always)]
    pub(super) fn count(&self, role: Role) -> usize {
        self.reach(role).count
    }

    /// Where our pieces of one kind can legally go, and how many moves that makes.
    #[inline(always)]
    pub(super) fn reach(&self, role: Role) -> Reach {
        let mut reach = Reach { once: Bitboard::EMPTY, twice: Bitboard::EMPTY, count: 0 };
        for from in self.pieces(role) {
            let set = self.destinations(role, from);
            reach.count += set.count();
            reach.twice |= reach.once & set;
            reach.once |= set;
        }
        reach
    }

    /// The legal destinations of our king, castling apart.
    #[inline(always)]
    pub(super) fn king_destinations(&self) -> Bitboard {
        let board = self.board;
        let mut set = attacks::king_attacks(self.king) & !self.us & !self.pawn_attacks_of_them();
        if let Some(king) = board.king_of(!self.turn) {
            set &= !attacks::king_attacks(king);
        }
        for knight in board.knights() & self.them {
            set &= !attacks::knight_attacks(knight);
        }
        // A slider sees through the king that leaves its line.
        let occupied = self.occupied.without(self.king);
        // Looked at from each slider, not from each square: how many of them there are seldom changes, and is thus foreseen.
        for slider in board.rooks_and_queens() & self.them {
            set &= !attacks::rook_attacks(slider, occupied);
        }
        for slider in board.bishops_and_queens() & self.them {
            set &= !attacks::bishop_attacks(slider, occupied);
        }
        set
    }

    #[inline(always)]
    fn pawn_attacks_of_them(&self) -> Bitboard {
        let pawns = (self.board.pawns() & self.them).0;
        Bitboard(match self.turn {
            Color::White => ((pawns & !FILE_A) >> 9) | ((pawns & !FILE_H) >> 7),
            Color::Black => ((pawns & !FILE_A) << 7) | ((pawns & !FILE_H) << 9),
        })
    }

    /// The legal castling move on one side, if there is one.
    #[inline(always)]
    pub(super) fn castling(&self, side: CastlingSide) -> Option<Move> {
        let chess = &self.position.chess;
        let castles = chess.castles();
        castles.rook(self.turn, side)?;
        if self.position.checkers.any() || (castles.path(self.turn, side) & self.occupied).any() {
            return None;
        }
        chess.castling_moves(side).first().copied()
    }

    /// The number of legal castling moves.
    #[inline(always)]
    pub(super) fn castling_count(&self) -> usize {
        if !self.position.chess.castles().has_color(self.turn) {
            return 0;
        }
        usize::from(self.castling(CastlingSide::KingSide).is_some())
            + usize::from(self.castling(CastlingSide::QueenSide).is_some())
    }

    /// The legal moves of all our pawns.
    #[inline(always)]
    pub(super) fn pawns(&self) -> Pawns {
        let pawns = self.pieces(Role::Pawn);
        let (mut forward, mut left, mut right) = (pawns, pawns, pawns);
        if (pawns & self.pinned).any() {
            // A pinned pawn moves on the one line through it and the king; each kind of step has its own line.
            let free = !self.pinned;
            let (rising, falling) =
                (Bitboard(DIAGONALS[0][self.king.to_usize()]), Bitboard(DIAGONALS[1][self.king.to_usize()]));
            forward &= free | self.king.file();
            let (to_left, to_right) = self.turn.fold_wb((falling, rising), (rising, falling));
            left &= free | to_left;
            right &= free | to_right;
        }
        let empty = !self.occupied.0;
        let (forward, left, right) = (forward.0, left.0, right.0);
        let (push, left, right) = match self.turn {
            Color::White => {
                let single = (forward << 8) & empty;
                let double = (single << 8) & empty & 0xff00_0000;
                (single | double, (left & !FILE_A) << 7, (right & !FILE_H) << 9)
            }
            Color::Black => {
                let single = (forward >> 8) & empty;
                let double = (single >> 8) & empty & 0x00ff_0000_0000;
                (single | double, (left & !FILE_A) >> 9, (right & !FILE_H) >> 7)
            }
        };
        let takes = self.target & self.them;
        let mut moves = Pawns {
            push: Bitboard(push) & self.target,
            left: Bitboard(left) & takes,
            right: Bitboard(right) & takes,
            passers: Bitboard::EMPTY,
            passed: None,
        };
        if let Some(to) = self.position.chess.maybe_ep_square() {
            self.en_passant(to, &mut moves);
        }
        moves
    }

    fn en_passant(&self, to: Square, moves: &mut Pawns) {
        for from in self.pieces(Role::Pawn) & attacks::pawn_attacks(!self.turn, to) {
            // Two pawns leave their line at once and neither mask knows: look at the board as it would be.
            let taken = Square::from_coords(to.file(), from.rank());
            let occupied = self.occupied.toggled(from).toggled(taken).with(to);
            let attackers = self.board.attacks_to(self.king, !self.turn, occupied).without(taken);
            if attackers.is_empty() {
                moves.passers.add(from);
                moves.passed = Some(to);
            }
        }
    }

    /// The square one step behind `to`, seen from the side to move.
    #[inline(always)]
    pub(super) fn behind(&self, to: Square) -> Option<Square> {
        to.offset(self.turn.fold_wb(-8, 8))
    }

    /// Whether the side to move has any legal move.
    pub(super) fn any_move(&self) -> bool {
        self.king_destinations().any()
            || [Role::Knight, Role::Bishop, Role::Rook, Role::Queen].iter().any(|&role| self.count(role) > 0)
            || self.pawns().any()
            || self.castling_count() > 0
    }

    /// The move of one of our pieces (not a pawn; not castling) in shakmaty's form.
    #[inline(always)]
    pub(super) fn piece_move(&self, role: Role, from: Square, to: Square) -> Move {
        let capture = if self.them.contains(to) { self.board.role_at(to) } else { None };
        Move::Normal { role, from, capture, to, promotion: None }
    }
}

/// The destinations of all our pieces of one kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Of one piece or more.
    pub(super) once: Bitboard,
    /// Of two or more.
    pub(super) twice: Bitboard,
    /// The number of moves.
    pub(super) count: usize,
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
    /// Where they capture, if any may.
    pub(super) passed: Option<Square>,
}

impl Pawns {
    pub(super) fn any(&self) -> bool {
        (self.push | self.left | self.right | self.passers).any()
    }

    /// The number of moves that start on the files before the `n`-th (`n` may be 8).
    #[inline(always)]
    pub(super) fn count_before(&self, n: usize) -> usize {
        // A capture to the left starts one file further right than it ends, and the other way round.
        let (push, left, right) =
            (self.push & files_below(n), self.left & files_below(n.saturating_sub(1)), self.right & files_below(n + 1));
        push.count() + left.count() + right.count() + self.extra(push, left, right, n)
    }

    /// What is seldom there: three more moves for each promotion, and en passant.
    #[inline(always)]
    fn extra(&self, push: Bitboard, left: Bitboard, right: Bitboard, n: usize) -> usize {
        let mut count = 0;
        if ((push | left | right) & Bitboard::BACKRANKS).any() {
            count += [push, left, right].iter().map(|&set| 3 * (set & Bitboard::BACKRANKS).count()).sum::<usize>();
        }
        if self.passers.any() {
            count += (self.passers & files_below(n)).count();
        }
        count
    }

    /// The destinations of the captures that start on `file`.
    #[inline(always)]
    pub(super) fn captures_from(&self, file: File) -> Bitboard {
        let n = file.to_usize();
        let mut set = self.right & (files_below(n + 2) & !files_below(n + 1));
        if n > 0 {
            set |= self.left & (files_below(n) & !files_below(n - 1));
        }
        match self.passed {
            Some(to) if (self.passers & file).any() => set.with(to),
            _ => set,
        }
    }
}
