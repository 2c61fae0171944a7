//! What the scores of moves are made of (spec/moves.md sections 2 to 5), for the vectors of any
//! machine: what is the same for all moves of a position, and what only few moves have.

use shakmaty::{Bitboard, Role, Square, attacks};

use super::list::{MoveList, PROMOTIONS, short};
use super::memory::{LastMove, Memory, Sums, landing, piece, seen};
use super::sight::{Checks, OurSight, Sight, number};
use super::tables::{
    CHECK, CLASSES, EXCHANGE, NO_OWN, ORIGIN_CODE, SPECIAL, STEP_MIDDLE, Tables, UNITS, WeightRow,
    step_key,
};
use crate::ply;
use crate::squares::{BACKRANKS, before};
use crate::standard::{BoardMove, MoveKind, Standard};

/// What is the same for all moves of a position.
pub(super) struct ScoreView<'a> {
    pub(super) position: &'a Standard,
    pub(super) tables: &'a Tables,
    pub(super) sight: Sight,
    pub(super) checks: Checks,
    theirs: Option<LastMove>,
    ours: Option<LastMove>,
    /// The square that our last move left.
    pub(super) back: Bitboard,
    /// Where the steps of each kind of piece begin in [`Tables::step`], for a key of 0. Without a
    /// last move they begin where the table is all zeros.
    steps: [usize; 8],
    pub(super) phase: usize,
}

/// The hidden units, from 0 to 128.
#[repr(align(64))]
pub(super) struct Active(pub(super) [u8; UNITS]);

/// Two rows of weights for each of eight moves or pieces.
pub(super) type Pairs<'t> = [[&'t WeightRow; 2]; 8];

impl<'a> ScoreView<'a> {
    #[inline(always)]
    pub(super) fn new(
        position: &'a Standard,
        memory: &Memory,
        tables: &'a Tables,
        ours: OurSight,
    ) -> ScoreView<'a> {
        let (theirs, back) = (memory.theirs, memory.ours.map(|last| last.from));
        let first = theirs.map_or(36 * 256, |last| {
            let key = step_key(seen(last.to, position.turn));
            piece(last.role) * 6 * 256 + STEP_MIDDLE - key
        });
        ScoreView {
            back: back.map_or(Bitboard::EMPTY, Bitboard::from_square),
            steps: std::array::from_fn(|piece| first + piece * 256),
            position,
            tables,
            sight: Sight::new(position, memory.theirs, ours),
            checks: Checks::new(position),
            theirs,
            ours: memory.ours,
            phase: match position.occupied().count() {
                30.. => 0,
                22.. => 1,
                12.. => 2,
                _ => 3,
            },
        }
    }

    /// The hidden units.
    #[inline(always)]
    pub(super) fn active(&self, memory: &Memory) -> Active {
        let (position, inputs) = (self.position, &self.tables.inputs);
        let turn = position.turn;
        let mut sums: Sums = memory.sums(turn);
        if let Some(last) = self.theirs {
            sums.add(&inputs[768 + seen(last.to, turn)]);
            sums.add(&inputs[896 + piece(last.role) * 64 + seen(last.from, turn)]);
        }
        if let Some(last) = self.ours {
            sums.add(&inputs[832 + seen(last.to, turn)]);
        }
        let hanging = [
            (1280, self.sight.our_hanging),
            (1664, self.sight.their_hanging),
        ];
        for (begin, set) in hanging {
            for sq in set {
                let role = position.role_at(sq).unwrap_or(Role::Pawn);
                sums.add(&inputs[(begin + piece(role) * 64 + seen(sq, turn)) & 2047]);
            }
        }
        let mut active = Active([0; UNITS]);
        for unit in 0..UNITS {
            // Saturation loses nothing: the bias is small.
            let sum = sums.0[unit].saturating_mul(4);
            let value = self.tables.bias[unit].saturating_add(sum);
            active.0[unit] = (value.clamp(0, 256) >> 1).to_le_bytes()[0];
        }
        active
    }

    /// 1 with few men, else 0.
    #[inline(always)]
    pub(super) fn late(&self) -> usize {
        usize::from(self.phase >= 2)
    }

    /// The exchange of a move to a square (spec/moves.md section 4), without the kind of piece:
    /// what the move captures, the least enemy attacker of the square, and whether the square is
    /// defended.
    #[inline(always)]
    fn exchange(&self, is_pawn: bool, captured: usize, to: Square) -> usize {
        let enough = if is_pawn && captured == 0 {
            self.sight.once
        } else {
            self.sight.twice
        };
        (captured * 6 + number(&self.sight.least, to)) * 2 + usize::from(enough.contains(to))
    }

    /// The rows of [`Tables::origin`] and [`Tables::own`] for a piece.
    #[inline(always)]
    pub(super) fn origin(&self, piece: usize, from: Square) -> [usize; 2] {
        let [least, defended, newly_attacked] = ORIGIN_CODE;
        let code = number(&self.sight.least, from) * least
            + usize::from(self.sight.once.contains(from)) * defended
            + usize::from(self.sight.moved.contains(from)) * newly_attacked;
        let own = match self.ours {
            Some(last) => (piece * 2 + usize::from(last.to == from)) * 4 + self.phase,
            None => NO_OWN,
        };
        [(piece * 24 + code) & 255, own & 63]
    }

    /// Adds the entries that few moves have. `movers` has a bit for each piece that may have such a
    /// move.
    #[inline(always)]
    pub(super) fn extras(&self, out: &mut MoveList, movers: u64) {
        if out.is_special {
            self.specials(out);
        }
        for mover in Bitboard(movers) {
            self.extras_of(out, mover.to_usize());
        }
    }

    /// Where an enemy piece can be taken back.
    #[inline(always)]
    pub(super) fn taken(&self) -> Bitboard {
        self.theirs.map_or(Bitboard::EMPTY, |last| {
            Bitboard::from_square(last.to) & self.position.them
        })
    }

    /// Adds the entries of one piece.
    #[inline(never)]
    pub(super) fn extras_of(&self, out: &mut MoveList, mover: usize) {
        let (piece, from) = (out.movers.piece(mover), out.movers.from(mover));
        let mut set = out.movers.destinations(mover);
        if piece == 0 {
            // `specials` adds the entries of promotions and captures en passant.
            let passed = self.position.passed;
            set &= !(BACKRANKS | passed.map_or(Bitboard::EMPTY, Bitboard::from_square));
        }
        let hidden = if self.checks.blockers.contains(from) {
            !attacks::ray(self.position.their_king, from)
        } else {
            Bitboard::EMPTY
        };
        for to in set & (self.checks.direct[piece % 6] | hidden | self.taken()) {
            let ahead = out.movers.destinations(mover) & before(to);
            let place = out.movers.begin(mover) + ahead.count();
            let exchange = usize::from(out.rows[place][1]) - piece * 72;
            let direct = self.checks.direct[piece % 6].contains(to);
            out.sums[place] += 16 * self.extra(piece, exchange, to, direct, hidden.contains(to));
        }
    }

    /// The entries for checks and for taking back.
    #[inline(always)]
    fn extra(
        &self,
        piece: usize,
        exchange: usize,
        to: Square,
        direct: bool,
        discovered: bool,
    ) -> i32 {
        let mut extra = 0;
        if direct | discovered {
            let check = (piece * 2 + usize::from(direct)) * 2 + usize::from(discovered);
            extra +=
                self.small(CHECK + (check * 12 + exchange % 12) * 2 + usize::from(exchange >= 12));
        }
        if let Some(last) = self.theirs
            && last.to == to
            && exchange >= 12
        {
            let again = 1 + usize::from(last.is_capture);
            let entry = EXCHANGE + (piece * 72 + exchange) * 6 + self.late();
            extra += self.small(entry + again * 2) - self.small(entry);
        }
        extra
    }

    #[inline(always)]
    fn small(&self, entry: usize) -> i32 {
        i32::from(self.tables.small[entry])
    }

    /// Completes the list: all promotions, captures en passant and castlings.
    #[inline(never)]
    fn specials(&self, out: &mut MoveList) {
        for mover in 0..out.movers.pawns {
            let (from, set) = (out.movers.from(mover), out.movers.destinations(mover));
            let mut place = out.movers.begin(mover);
            for to in set {
                let step = BoardMove::new(Role::Pawn, from, to);
                if BACKRANKS.contains(to) {
                    for promotion in PROMOTIONS {
                        let promotion = Some(promotion);
                        self.special(out, mover, place, BoardMove { promotion, ..step });
                        place += 1;
                    }
                    continue;
                }
                if self.position.passed == Some(to) {
                    let kind = MoveKind::EnPassant;
                    self.special(out, mover, place, BoardMove { kind, ..step });
                }
                place += 1;
            }
        }
        for (place, side) in out.castlings() {
            if let Some(step) = self.position.castling(side) {
                self.special(out, out.movers.count - 1, place, step);
            }
        }
    }

    /// Puts a move in its place. The checks that it gives are seen on the board that results.
    pub(crate) fn special(&self, out: &mut MoveList, mover: usize, place: usize, step: BoardMove) {
        let position = self.position;
        let to = landing(position, step);
        let captured = match step.kind {
            MoveKind::EnPassant => 1,
            MoveKind::Castling => 0,
            MoveKind::Normal => number(&self.sight.kinds, to),
        };
        let mut next = position.clone();
        ply::play(&mut next, step);
        let checkers = next.census.checkers;
        let (direct, discovered) = (checkers.contains(to), checkers.without(to).any());
        let exchange = self.exchange(step.role == Role::Pawn, captured, to);
        let mut extra = self.extra(piece(step.role), exchange, to, direct, discovered);
        if let Some(promotion) = step.promotion {
            let capture = usize::from(captured > 0);
            let check = usize::from(direct || discovered);
            extra += self.small(SPECIAL + (piece(promotion) * 2 + capture) * 2 + check);
        }
        if step.kind == MoveKind::Castling {
            let is_short = usize::from(!step.side().is_queen_side());
            extra += self.small(SPECIAL + 40 + 4 * is_short + self.phase);
        }
        let class = CLASSES[exchange & 127] | u8::from(self.back.contains(to)) << 2;
        let origin = out.origins[mover & 63].0[usize::from(class & 15)];
        self.put(out, place, piece(step.role), to, exchange, origin);
        out.sums[place] += 16 * extra;
    }

    /// Puts a move in its place, without the entries that few moves have.
    #[inline(always)]
    pub(super) fn put(
        &self,
        out: &mut MoveList,
        place: usize,
        piece: usize,
        to: Square,
        exchange: usize,
        origin: i32,
    ) {
        let (tables, square) = (self.tables, seen(to, self.position.turn));
        let row = (piece * 72 + exchange) & 511;
        let step = self.steps[piece & 7] + step_key(square);
        out.rows[place] = [short(piece * 64 + square), short(row)];
        out.sums[place] = tables.exchange[self.late()][row] + tables.step[step & 0x3fff] + origin;
    }
}
