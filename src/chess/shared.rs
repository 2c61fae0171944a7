//! The order of the moves of one kind of piece: quiet moves by square, then captures. The order
//! changes when several pieces of the kind can reach the same square, because the SAN of such moves
//! names their origin (PGN 1994, 8.2.3.4).

use shakmaty::{Bitboard, Role, Square};

use super::san::{SanText, spell_plain};
use super::squares::{Nth, before, file_of, files_below, on_file, on_rank, rank_of};
use super::standard::{PlainMove, Standard};

/// The part of its origin that the SAN of a piece's move names: nothing, the file, the rank, or
/// both; the first of these that tells the movers apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Disambiguation {
    pub(super) file: bool,
    pub(super) rank: bool,
}

impl Disambiguation {
    pub(super) const NOTHING: Disambiguation = Disambiguation::new(false, false);
    pub(super) const FILE: Disambiguation = Disambiguation::new(true, false);
    pub(super) const RANK: Disambiguation = Disambiguation::new(false, true);
    pub(super) const BOTH: Disambiguation = Disambiguation::new(true, true);

    const fn new(file: bool, rank: bool) -> Disambiguation {
        Disambiguation { file, rank }
    }

    /// The disambiguation of a move from `from`, one of `movers`, which can all go to its
    /// destination.
    #[inline(always)]
    pub(super) fn among(movers: Bitboard, from: Square) -> Disambiguation {
        if !movers.more_than_one() {
            Disambiguation::NOTHING
        } else if !(movers & on_file(file_of(from))).more_than_one() {
            Disambiguation::FILE
        } else if !(movers & on_rank(rank_of(from))).more_than_one() {
            Disambiguation::RANK
        } else {
            Disambiguation::BOTH
        }
    }
}

/// The number of destinations in `set` that sort before `to`. Captures sort after quiet moves.
#[inline(always)]
pub(super) fn place(view: &Standard, set: Bitboard, to: Square) -> usize {
    // Quiet moves come before captures: `x` sorts behind every file. Branch-free: captures are
    // unpredictable.
    let capture = if view.them.contains(to) {
        Bitboard::FULL
    } else {
        Bitboard::EMPTY
    };
    let quiet = set & !view.them & (before(to) | capture);
    (quiet | (set & view.them & before(to) & capture)).count()
}

/// The `n`-th destination in `set`: first the quiet moves, then the captures.
#[inline(always)]
pub(super) fn nth_in(view: &Standard, set: Bitboard, n: usize, nth: impl Nth) -> Square {
    let quiet = set & !view.them;
    let count = quiet.count();
    // Branch-free: captures are unpredictable.
    let is_capture = n >= count;
    let captures = u64::from(is_capture).wrapping_neg();
    let set = (quiet.0 & !captures) | ((set & view.them).0 & captures);
    let n = n - (count & usize::from(is_capture).wrapping_neg());
    Square::new(nth(set, n) & 63)
}

/// The place of a legal move among those of its letter.
pub(super) fn rank(view: &Standard, role: Role, from: Square, to: Square) -> usize {
    if let Some(pair) = TwoPieces::find(view, role) {
        return pair.rank(view, from, to);
    }
    let named = Disambiguation::among(view.movers(role, to), from);
    let san = spell_plain(PlainMove { role, from, to }, view.them.contains(to), named);
    moves(view, role).filter(|other| other.0 < san).count()
}

/// Origin and destination of the `n`-th move of this letter, and its disambiguation.
pub(super) fn select(
    view: &Standard,
    role: Role,
    n: usize,
    nth: impl Nth,
) -> Option<(Square, Square, Disambiguation)> {
    if let Some(pair) = TwoPieces::find(view, role) {
        return pair.select(view, role, n, nth);
    }
    let mut all: Vec<_> = moves(view, role).collect();
    all.sort_unstable_by_key(|found| found.0);
    all.get(n).map(|&(_, from, to, named)| (from, to, named))
}

/// Two pieces of a kind, by far the most frequent case: a move to a square that both can reach names
/// the file of its origin, or its rank if both are on one file.
struct TwoPieces {
    /// The pieces, by file, then by rank.
    first: Square,
    second: Square,
    on_one_file: bool,
    /// Squares that both can reach.
    both: Bitboard,
    /// Squares that only one of them can reach.
    plain: Bitboard,
}

impl TwoPieces {
    #[inline(always)]
    fn find(view: &Standard, role: Role) -> Option<TwoPieces> {
        let mut pieces = view.pieces(role);
        let (first, second) = (pieces.pop_front()?, pieces.pop_front()?);
        if pieces.any() {
            return None;
        }
        let both = view.destinations(role, first) & view.destinations(role, second);
        Some(TwoPieces {
            first,
            second,
            on_one_file: file_of(first) == file_of(second),
            both,
            plain: view.census.reach[role as usize] & !both,
        })
    }

    /// The destinations without a name whose quiet moves come before the moves that name this piece:
    /// `Nb3` comes before `Nbd2`, and that before `Nc3`; but `R1d2` comes before `Ra3`.
    #[inline(always)]
    fn before_named(&self, piece: Square) -> Bitboard {
        match self.on_one_file {
            true => Bitboard::EMPTY,
            false => files_below(file_of(piece) + 1),
        }
    }

    /// Captures that name nothing come last.
    #[inline(always)]
    fn rank(&self, view: &Standard, from: Square, to: Square) -> usize {
        let quiet = self.plain & !view.them;
        if self.both.contains(to) {
            let after_first = if from == self.second {
                self.both.count()
            } else {
                0
            };
            (quiet & self.before_named(from)).count() + after_first + place(view, self.both, to)
        } else if view.them.contains(to) {
            quiet.count() + 2 * self.both.count() + (self.plain & view.them & before(to)).count()
        } else {
            let is_before = |piece| self.on_one_file || file_of(piece) < file_of(to);
            let named = usize::from(is_before(self.first)) + usize::from(is_before(self.second));
            (quiet & before(to)).count() + named * self.both.count()
        }
    }

    #[inline(always)]
    fn select(
        &self,
        view: &Standard,
        role: Role,
        n: usize,
        nth: impl Nth,
    ) -> Option<(Square, Square, Disambiguation)> {
        let mut n = n;
        let quiet = self.plain & !view.them;
        let one = |to| Some((view.movers(role, to).first()?, to, Disambiguation::NOTHING));
        let name = match self.on_one_file {
            true => Disambiguation::RANK,
            false => Disambiguation::FILE,
        };
        let mut passed = Bitboard::EMPTY;
        for piece in [self.first, self.second] {
            let upto = self.before_named(piece);
            for (set, named) in [(quiet & upto & !passed, false), (self.both, true)] {
                let count = set.count();
                if n < count {
                    let to = nth_in(view, set, n, nth);
                    return if named {
                        Some((piece, to, name))
                    } else {
                        one(to)
                    };
                }
                n -= count;
            }
            passed = upto;
        }
        let rest = quiet & !passed;
        let count = rest.count();
        one(if n < count {
            nth_in(view, rest, n, nth)
        } else {
            nth_in(view, self.plain & view.them, n - count, nth)
        })
    }
}

/// All moves of any number of pieces of one kind, as SAN, with origin, destination and
/// disambiguation.
fn moves(
    view: &Standard,
    role: Role,
) -> impl Iterator<Item = (SanText, Square, Square, Disambiguation)> {
    let destinations = move |from| view.destinations(role, from).into_iter();
    let pieces = view.pieces(role).into_iter();
    let moves = pieces.flat_map(move |from| destinations(from).map(move |to| (from, to)));
    moves.map(move |(from, to)| {
        let named = Disambiguation::among(view.movers(role, to), from);
        let san = spell_plain(PlainMove { role, from, to }, view.them.contains(to), named);
        (san, from, to, named)
    })
}
