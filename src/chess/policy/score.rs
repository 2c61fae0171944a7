//! The frequencies of the legal moves of a position (spec/moves.md sections 1 to 5).

use multiversion::multiversion;
use shakmaty::{Bitboard, CastlingSide, Role, Square, attacks};

use super::memory::{Memory, Played, Sums, landing, piece, seen};
use super::sight::{Sight, attacks_of, number};
use super::tables::{CHECK, EXCHANGE, ORIGIN, OWN, Row, SPECIAL, STEP, TABLES, Tables, UNITS};
use crate::chess::attacks::{bishop_attacks, rook_attacks};
use crate::chess::pawns::Pawns;
use crate::chess::ply;
use crate::chess::squares::{BACKRANKS, file_of, rank_of};
use crate::chess::standard::{BoardMove, MoveKind, Standard};

/// What a pawn becomes, in the order of the model.
const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Rows of exchanges.
const EXCHANGES: usize = 6 * 6 * 6 * 2;

/// The legal moves of a position, with their frequencies.
#[derive(Clone, Debug)]
pub(super) struct Candidates {
    moves: Vec<BoardMove>,
    /// Their scores, then their frequencies.
    weights: Vec<i32>,
    /// The rows of their destinations, and what their other rows come to.
    dots: Vec<(u16, i32)>,
    /// The pieces that can move.
    movers: Vec<Mover>,
    /// What exchanges came to in this position, for those that `known` tells: their rows, and their
    /// entries in the small table if nothing is taken back.
    exchanges: [[i32; 2]; EXCHANGES],
    known: [u64; EXCHANGES.div_ceil(64)],
    total: u32,
}

/// A piece that can move.
#[derive(Clone, Copy, Debug)]
struct Mover {
    role: Role,
    from: Square,
    destinations: Bitboard,
    /// Where a pawn promotes or takes en passant.
    special: Bitboard,
}

impl Default for Candidates {
    fn default() -> Candidates {
        Candidates {
            moves: Vec::with_capacity(64),
            weights: Vec::with_capacity(64),
            dots: Vec::with_capacity(64),
            movers: Vec::with_capacity(16),
            exchanges: [[0; 2]; EXCHANGES],
            known: [0; EXCHANGES.div_ceil(64)],
            total: 0,
        }
    }
}

impl Candidates {
    /// The number of moves.
    pub(super) fn len(&self) -> usize {
        self.moves.len()
    }

    /// The sum of all frequencies; 0 where there is no legal move.
    pub(super) fn total(&self) -> u32 {
        self.total
    }

    /// The frequency of a move, and that of all before it.
    pub(super) fn place(&self, step: BoardMove) -> Option<(u32, u32)> {
        let place = self.moves.iter().position(|&m| m == step)?;
        let (before, rest) = self.weights.split_at_checked(place)?;
        let below: i32 = before.iter().sum();
        Some((rest.first()?.cast_unsigned(), below.cast_unsigned()))
    }

    /// The move in whose share `place` is, its frequency, and that of all before it.
    pub(super) fn at(&self, place: u32) -> Option<(BoardMove, u32, u32)> {
        let mut below = 0;
        for (&step, weight) in self.moves.iter().zip(&self.weights) {
            let frequency = weight.cast_unsigned();
            if place - below < frequency {
                return Some((step, frequency, below));
            }
            below += frequency;
        }
        None
    }

    #[inline(always)]
    fn push(&mut self, step: BoardMove, score: Score) {
        self.moves.push(step);
        self.weights.push(score.entries);
        self.dots.push((score.row, score.dot));
    }
}

/// Weighs the legal moves of a position.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512vl+avx512vnni+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub(super) fn weigh(position: &Standard, memory: &Memory, out: &mut Candidates) {
    weigh_here(position, memory, out);
}

/// The same for whatever the compiler takes the machine to be.
#[inline(always)]
fn weigh_here(position: &Standard, memory: &Memory, out: &mut Candidates) {
    out.moves.clear();
    out.weights.clear();
    out.dots.clear();
    out.known = [0; EXCHANGES.div_ceil(64)];
    let view = View::new(position, memory, &TABLES);
    let mut movers = std::mem::take(&mut out.movers);
    movers.clear();
    view.movers(&mut movers);
    // One loop for all pieces: what it does is long, and there should be one of it.
    for mover in &movers {
        let origin = view.origin(mover.role, mover.from);
        for to in mover.destinations {
            if mover.special.contains(to) {
                view.special_pawn(&origin, to, out);
            } else {
                view.plain(&origin, to, out);
            }
        }
    }
    out.movers = movers;
    for side in [CastlingSide::QueenSide, CastlingSide::KingSide] {
        if let Some(step) = position.castling(side) {
            let origin = view.origin(Role::King, position.king);
            view.special(&origin, step, out);
        }
    }
    for (score, &(row, dot)) in out.weights.iter_mut().zip(&out.dots) {
        *score += (dot + view.active.dot(&TABLES.rows[usize::from(row)])) >> 4;
    }
    frequencies(&TABLES, out);
}

/// Turns scores into frequencies.
#[inline(always)]
fn frequencies(tables: &Tables, out: &mut Candidates) {
    out.total = 0;
    if let [only] = &mut out.weights[..] {
        // Coded, it takes nothing.
        (*only, out.total) = (1, 1);
        return;
    }
    let best = out.weights.iter().copied().max().unwrap_or(0);
    for weight in &mut out.weights {
        let behind = (best - *weight).cast_unsigned();
        let whole = (behind >> 8).min(31);
        let frequency = (u32::from(tables.exp[(behind & 0xff) as usize]) >> whole).max(1);
        *weight = frequency.cast_signed();
        out.total += frequency;
    }
}

/// What is the same for all moves of a position.
struct View<'a> {
    position: &'a Standard,
    tables: &'a Tables,
    sight: Sight,
    theirs: Option<Played>,
    ours: Option<Played>,
    active: Active,
    /// What the piece that has just moved attacks.
    moved: Bitboard,
    /// The kinds of the enemy's pieces, from 1 for pawns, as three sets: their bits.
    kinds: [Bitboard; 3],
    /// Where a piece of each kind would give check, by its number from 0; none for kings.
    checks: [Bitboard; 6],
    /// Our pieces that alone hide the enemy's king from a slider of ours.
    blockers: Bitboard,
    phase: usize,
}

/// The score of a move, but for the row of its destination.
struct Score {
    /// What its entries in the small tables come to.
    entries: i32,
    /// The row of its destination.
    row: u16,
    /// What its other rows come to.
    dot: i32,
}

/// The number of a row of destinations, of which there are 384.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "below 384")]
fn row_number(row: usize) -> u16 {
    row as u16
}

/// What is the same for all moves of a piece.
struct Origin {
    role: Role,
    from: Square,
    /// What its row comes to.
    dot: i32,
    /// What its entries in the small tables of origins and of own pieces come to: by whether it
    /// takes something, and by the least attacker of its destination, 2 standing for all but pawns.
    entries: [[i32; 3]; 2],
    /// What is added to these if it goes back where our last piece came from.
    back: [i32; 2],
    /// Where the steps of its kind begin in the small table, from [`key`] 0.
    steps: usize,
    /// Where its moves do not uncover a check.
    covers: Bitboard,
}

/// The hidden units, from 0 to 128.
#[repr(align(64))]
struct Active([i16; UNITS]);

impl Active {
    /// What a row of a move comes to.
    #[inline(always)]
    fn dot(&self, row: &Row) -> i32 {
        self.0
            .iter()
            .zip(&row.0)
            .map(|(&active, &weight)| i32::from(active) * i32::from(weight))
            .sum()
    }
}

impl<'a> View<'a> {
    #[inline(always)]
    fn new(position: &'a Standard, memory: &Memory, tables: &'a Tables) -> View<'a> {
        let sight = Sight::new(position);
        let occupied = position.occupied();
        let through = occupied.without(position.king);
        let of = |role| position.them & position.by_role(role);
        let moved = memory.theirs.map_or(Bitboard::EMPTY, |last| {
            let role = position.role_at(last.to).unwrap_or(Role::Pawn);
            attacks_of(role, !position.turn, last.to, through)
        });
        let (checks, blockers) = checks(position);
        View {
            active: active(position, memory, &sight, tables),
            sight,
            theirs: memory.theirs,
            ours: memory.ours,
            position,
            tables,
            moved,
            kinds: [
                of(Role::Pawn) | of(Role::Bishop) | of(Role::Queen),
                of(Role::Knight) | of(Role::Bishop),
                of(Role::Rook) | of(Role::Queen),
            ],
            checks,
            blockers,
            phase: match occupied.count() {
                30.. => 0,
                22.. => 1,
                12.. => 2,
                _ => 3,
            },
        }
    }

    #[inline(always)]
    fn origin(&self, role: Role, from: Square) -> Origin {
        let position = self.position;
        let pc = piece(role);
        let row = 384 + pc * 64 + seen(from, position.turn);
        let defended = usize::from(self.sight.once.contains(from));
        let newly_attacked = usize::from(self.moved.contains(from));
        let covers = if self.blockers.contains(from) {
            attacks::ray(position.their_king, from)
        } else {
            Bitboard::FULL
        };
        let entry =
            ORIGIN + (((pc * 6 + self.sight.least(from)) * 2 + defended) * 2 + newly_attacked) * 6;
        let mut entries = [[0; 3]; 2];
        let mut back = [0; 2];
        let same = self.ours.map(|last| usize::from(last.to == from));
        for capture in 0..2 {
            let own = same.map_or([0; 2], |same| {
                let entry = OWN + (((pc * 2 + same) * 2) * 2 + capture) * 4 + self.phase;
                [self.small(entry), self.small(entry + 8)]
            });
            for (least, sum) in entries[capture].iter_mut().enumerate() {
                *sum = self.small(entry + least * 2 + capture) + own[0];
            }
            back[capture] = own[1] - own[0];
        }
        Origin {
            role,
            from,
            dot: self.active.dot(&self.tables.rows[row]),
            entries,
            back,
            steps: self.theirs.map_or(0, |last| {
                STEP + (piece(last.role) * 6 + pc) * 225 + 112 - key(last.to, position)
            }),
            covers,
        }
    }

    /// The pieces that can move, castling apart, in the order of the model.
    #[inline(always)]
    fn movers(&self, out: &mut Vec<Mover>) {
        let position = self.position;
        let pawns = position.pawns();
        for from in position.pieces(Role::Pawn) {
            let destinations = self.pawn(&pawns, from);
            let passed = pawns.passed.filter(|&to| file_of(to) != file_of(from));
            if destinations.any() {
                out.push(Mover {
                    role: Role::Pawn,
                    from,
                    destinations,
                    special: BACKRANKS | Bitboard::from_iter(passed),
                });
            }
        }
        let king = position.census.reach[Role::King as usize];
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            for from in position.pieces(role) {
                add(out, role, from, position.destinations(role, from));
            }
        }
        add(out, Role::King, position.king, king);
    }

    /// Where a pawn can legally go.
    #[inline(always)]
    fn pawn(&self, pawns: &Pawns, from: Square) -> Bitboard {
        let position = self.position;
        let one = Bitboard::from_square(from);
        let (ahead, left, right) = position.turn.fold_wb(
            (one.0 << 1, one.0 >> 7, one.0 << 9),
            (one.0 >> 1, one.0 >> 9, one.0 << 7),
        );
        let ahead = Bitboard(ahead);
        // A double step over a vacant square: from elsewhere it would be a pawn's that stands there.
        let double = if (position.occupied() & ahead).any() {
            Bitboard::EMPTY
        } else {
            Bitboard(position.turn.fold_wb(ahead.0 << 1, ahead.0 >> 1))
        };
        let is_home = rank_of(from) == position.turn.fold_wb(1, 6);
        let double = if is_home { double } else { Bitboard::EMPTY };
        let passed = match pawns.passed {
            Some(to) if pawns.passers.contains(from) => Bitboard::from_square(to),
            _ => Bitboard::EMPTY,
        };
        (pawns.push & (ahead | double))
            | (pawns.left & Bitboard(left))
            | (pawns.right & Bitboard(right))
            | passed
    }

    #[inline(never)]
    fn special_pawn(&self, origin: &Origin, to: Square, out: &mut Candidates) {
        let step = BoardMove::new(Role::Pawn, origin.from, to);
        if !BACKRANKS.contains(to) {
            let kind = MoveKind::EnPassant;
            return self.special(origin, BoardMove { kind, ..step }, out);
        }
        for promotion in PROMOTIONS {
            let promotion = Some(promotion);
            self.special(origin, BoardMove { promotion, ..step }, out);
        }
    }

    /// Adds a move that takes what stands on its destination, or nothing.
    #[inline(always)]
    fn plain(&self, origin: &Origin, to: Square, out: &mut Candidates) {
        let direct = self.checks[piece(origin.role)].contains(to);
        let discovered = !origin.covers.contains(to);
        let captured = number(&self.kinds, to);
        let step = BoardMove::new(origin.role, origin.from, to);
        let score = self.score(origin, to, captured, direct, discovered, out);
        out.push(step, score);
    }

    /// Adds a promotion, a capture en passant or castling. The checks that it gives are seen on the
    /// board that results.
    #[inline(never)]
    fn special(&self, origin: &Origin, step: BoardMove, out: &mut Candidates) {
        let position = self.position;
        let to = landing(position, step);
        let captured = match step.kind {
            MoveKind::EnPassant => 1,
            MoveKind::Castling => 0,
            MoveKind::Normal => number(&self.kinds, to),
        };
        let mut next = position.clone();
        ply::play(&mut next, step);
        let checkers = next.census.checkers;
        let (direct, discovered) = (checkers.contains(to), checkers.without(to).any());
        let mut score = self.score(origin, to, captured, direct, discovered, out);
        let capture = usize::from(captured > 0);
        if let Some(promotion) = step.promotion {
            let check = usize::from(direct || discovered);
            score.entries += self.small(SPECIAL + (piece(promotion) * 2 + capture) * 2 + check);
        }
        if step.kind == MoveKind::Castling {
            let is_short = usize::from(!step.side().is_queen_side());
            score.entries += self.small(SPECIAL + 40 + 4 * is_short + self.phase);
        }
        out.push(step, score);
    }

    #[inline(always)]
    fn small(&self, entry: usize) -> i32 {
        i32::from(self.tables.small[entry])
    }

    /// The score of a move of this piece, without the entries that only promotions and castling
    /// have.
    #[inline(always)]
    fn score(
        &self,
        origin: &Origin,
        to: Square,
        captured: usize,
        direct: bool,
        discovered: bool,
        out: &mut Candidates,
    ) -> Score {
        let turn = self.position.turn;
        let pc = piece(origin.role);
        let capture = usize::from(captured > 0);
        let least = self.sight.least(to);
        let enough = if pc == 0 && captured == 0 {
            self.sight.once
        } else {
            self.sight.twice
        };
        let defended = usize::from(enough.contains(to));
        let exchange = ((pc * 6 + captured) * 6 + least) * 2 + defended;
        let [dot, entry] = self.exchange(exchange, out);
        let mut score = entry + origin.entries[capture][least.min(2)];
        if let Some(last) = self.theirs {
            score += self.small(origin.steps + key(to, self.position));
            if captured > 0 && last.to == to {
                let again = 1 + usize::from(last.is_capture);
                let entry = self.exchange_entry(exchange);
                score += self.small(entry + again * 2) - self.small(entry);
            }
        }
        if self.ours.is_some_and(|last| last.from == to) {
            score += origin.back[capture];
        }
        if direct | discovered {
            let (direct, discovered) = (usize::from(direct), usize::from(discovered));
            let entry = (((pc * 2 + direct) * 2 + discovered) * 6 + least) * 2 + defended;
            score += self.small(CHECK + entry * 2 + capture);
        }
        Score {
            entries: score,
            row: row_number(pc * 64 + seen(to, turn)),
            dot: dot + origin.dot,
        }
    }

    /// What an exchange comes to. Few are different in a position.
    #[inline(always)]
    fn exchange(&self, exchange: usize, out: &mut Candidates) -> [i32; 2] {
        let bit = 1 << (exchange & 63);
        if out.known[exchange >> 6] & bit == 0 {
            out.known[exchange >> 6] |= bit;
            out.exchanges[exchange] = [
                self.active.dot(&self.tables.rows[768 + exchange]),
                self.small(self.exchange_entry(exchange)),
            ];
        }
        out.exchanges[exchange]
    }

    /// The entry of an exchange that takes nothing back.
    #[inline(always)]
    fn exchange_entry(&self, exchange: usize) -> usize {
        EXCHANGE + exchange * 6 + usize::from(self.phase >= 2)
    }
}

/// Adds a piece that is no pawn, if it can move.
#[inline(always)]
fn add(movers: &mut Vec<Mover>, role: Role, from: Square, destinations: Bitboard) {
    if destinations.any() {
        movers.push(Mover {
            role,
            from,
            destinations,
            special: Bitboard::EMPTY,
        });
    }
}

/// A number of which differences tell how many files and ranks lie between two squares.
#[inline(always)]
fn key(sq: Square, position: &Standard) -> usize {
    let seen = seen(sq, position.turn);
    (seen >> 3) + 15 * (seen & 7)
}

/// The hidden units of a position.
#[inline(always)]
fn active(position: &Standard, memory: &Memory, sight: &Sight, tables: &Tables) -> Active {
    let turn = position.turn;
    let mut sums: Sums = memory.sums(turn);
    if let Some(last) = memory.theirs {
        sums.add(&tables.inputs[768 + seen(last.to, turn)]);
        sums.add(&tables.inputs[896 + piece(last.role) * 64 + seen(last.from, turn)]);
    }
    if let Some(last) = memory.ours {
        sums.add(&tables.inputs[832 + seen(last.to, turn)]);
    }
    let hanging = [
        (1280, sight.our_hanging(position)),
        (1664, sight.their_hanging(position)),
    ];
    for (begin, set) in hanging {
        for sq in set {
            let role = position.role_at(sq).unwrap_or(Role::Pawn);
            sums.add(&tables.inputs[begin + piece(role) * 64 + seen(sq, turn)]);
        }
    }
    let mut active = Active([0; UNITS]);
    for ((active, &bias), &sum) in active.0.iter_mut().zip(&tables.bias).zip(&sums.0) {
        let value = (i32::from(bias) + 4 * i32::from(sum)).clamp(0, 256) >> 1;
        *active = value as i16;
    }
    active
}

/// Where our pieces would give check, and those that alone hide the enemy's king from our sliders.
#[inline(always)]
fn checks(position: &Standard) -> ([Bitboard; 6], Bitboard) {
    let (king, occupied) = (position.their_king, position.occupied());
    let (rook, bishop) = (rook_attacks(king, occupied), bishop_attacks(king, occupied));
    let pawn = attacks_of(Role::Pawn, !position.turn, king, occupied);
    let checks = [
        pawn,
        attacks::knight_attacks(king),
        bishop,
        rook,
        rook | bishop,
        Bitboard::EMPTY,
    ];
    // Sliders of ours that would see the king were our nearest pieces not there.
    let beyond = occupied & !((rook | bishop) & position.us);
    let snipers = (rook_attacks(king, beyond) & position.movers_along(Role::Rook))
        | (bishop_attacks(king, beyond) & position.movers_along(Role::Bishop));
    let mut blockers = Bitboard::EMPTY;
    for sniper in snipers & position.us {
        let between = attacks::between(king, sniper) & occupied;
        if !between.more_than_one() {
            blockers |= between & position.us;
        }
    }
    (checks, blockers)
}

#[cfg(test)]
mod tests {
    use shakmaty::Position as _;

    use super::*;
    use crate::chess::squares::nth_bit;
    use crate::chess::{Position, Rules, ordinal};

    /// `weigh` takes the widest vectors of the machine; `weigh_here` those that all machines have.
    #[test]
    fn all_vectors_give_the_same_bits() {
        let fens: [&[u8]; 4] = [
            b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            b"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            b"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            b"qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1",
        ];
        let mut state = 1_u64;
        for fen in fens.iter().cycle().take(100) {
            let mut position = Position::start(Rules::Chess960, Some(fen)).expect("a start");
            let position = position.standard().expect("chess");
            let mut memory = Memory::new(position);
            let (mut wide, mut plain) = (Candidates::default(), Candidates::default());
            for _ in 0..80 {
                weigh(position, &memory, &mut wide);
                weigh_here(position, &memory, &mut plain);
                assert_eq!(wide.moves, plain.moves);
                assert_eq!(wide.weights, plain.weights);
                let list = position.to_chess().legal_moves();
                assert_eq!(wide.moves.len(), list.len());
                if list.is_empty() {
                    break;
                }
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                let n = (state >> 33) as usize % list.len();
                let (step, _) = ordinal::select(position, n, nth_bit).expect("a move");
                memory.see(position, step);
                // What is kept up with each move is what a look at the whole board tells.
                ply::play(position, step);
                let again = Memory::new(position);
                for side in [shakmaty::Color::White, shakmaty::Color::Black] {
                    assert_eq!(memory.sums(side).0, again.sums(side).0);
                }
            }
        }
    }
}
