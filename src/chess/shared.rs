//! The order of the moves of one kind of piece: quiet moves by square, then captures. The order
//! changes when several pieces of the kind can reach the same square, because the SAN of such moves
//! names their origin (PGN 1994, 8.2.3.4).

use shakmaty::{Bitboard, Role, Square};

use super::squares::{Nth, before, file_of, files_below, on_file, on_rank, rank_of};
use super::standard::Standard;

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
    pub(super) fn of(movers: Bitboard, from: Square) -> Disambiguation {
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
    match TwoPieces::of(view, role) {
        Some(pair) => pair.rank(view, from, to),
        None => Shared::new(view, role).rank(from, to),
    }
}

/// Origin and destination of the `n`-th move of this letter, and its disambiguation.
pub(super) fn select(
    view: &Standard,
    role: Role,
    n: usize,
    nth: impl Nth,
) -> Option<(Square, Square, Disambiguation)> {
    match TwoPieces::of(view, role) {
        Some(pair) => pair.select(view, role, n, nth),
        None => Shared::new(view, role).select(n, nth),
    }
}

/// Two pieces of a kind on different files, by far the most frequent case: a move to a square that
/// both can reach names the file of its origin.
struct TwoPieces {
    /// The pieces, by file.
    first: Square,
    second: Square,
    /// Squares that both can reach.
    both: Bitboard,
    /// Squares that only one of them can reach.
    plain: Bitboard,
}

impl TwoPieces {
    #[inline(always)]
    fn of(view: &Standard, role: Role) -> Option<TwoPieces> {
        let mut pieces = view.pieces(role);
        let (first, second) = (pieces.pop_front()?, pieces.pop_front()?);
        if pieces.any() || file_of(first) == file_of(second) {
            return None;
        }
        let both = view.destinations(role, first) & view.destinations(role, second);
        Some(TwoPieces {
            first,
            second,
            both,
            plain: view.census.reach[role as usize] & !both,
        })
    }

    /// `Nb3` comes before `Nbd2`, and that before `Nc3`; captures without a file come last.
    #[inline(always)]
    fn rank(&self, view: &Standard, from: Square, to: Square) -> usize {
        let quiet = self.plain & !view.them;
        if self.both.contains(to) {
            let after_first = if from == self.second {
                self.both.count()
            } else {
                0
            };
            (quiet & files_below(file_of(from) + 1)).count()
                + after_first
                + place(view, self.both, to)
        } else if view.them.contains(to) {
            quiet.count() + 2 * self.both.count() + (self.plain & view.them & before(to)).count()
        } else {
            let named = usize::from(file_of(self.first) < file_of(to))
                + usize::from(file_of(self.second) < file_of(to));
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
        let mut passed = Bitboard::EMPTY;
        for piece in [self.first, self.second] {
            let upto = files_below(file_of(piece) + 1);
            for (set, named) in [(quiet & upto & !passed, false), (self.both, true)] {
                let count = set.count();
                if n < count {
                    let to = nth_in(view, set, n, nth);
                    return if named {
                        Some((piece, to, Disambiguation::FILE))
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

/// Any number of pieces of one kind, on any squares.
struct Shared<'a> {
    view: &'a Standard,
    role: Role,
    /// Destinations of one piece only: `Nf3`.
    plain: Bitboard,
    /// Destinations of several.
    twice: Bitboard,
    /// By file: destinations of several pieces of that file.
    file_twice: [Bitboard; 8],
    /// By rank: destinations of several pieces of that rank.
    rank_twice: [Bitboard; 8],
}

/// A piece's destinations by their disambiguation; those without any are left out.
#[derive(Clone, Copy)]
struct Forms {
    /// `Nbd2`
    file: Bitboard,
    /// `N1d2`
    rank: Bitboard,
    /// `Nb1d2`
    both: Bitboard,
}

impl<'a> Shared<'a> {
    fn new(view: &'a Standard, role: Role) -> Shared<'a> {
        let (mut once, mut twice) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for piece in view.pieces(role) {
            let set = view.destinations(role, piece);
            twice |= once & set;
            once |= set;
        }
        let mut file_twice = [Bitboard::EMPTY; 8];
        let mut rank_twice = [Bitboard::EMPTY; 8];
        let (mut file_once, mut rank_once) = (file_twice, rank_twice);
        for piece in view.pieces(role) {
            let set = view.destinations(role, piece) & twice;
            let (f, r) = (file_of(piece), rank_of(piece));
            file_twice[f] |= file_once[f] & set;
            file_once[f] |= set;
            rank_twice[r] |= rank_once[r] & set;
            rank_once[r] |= set;
        }
        Shared {
            view,
            role,
            plain: once & !twice,
            twice,
            file_twice,
            rank_twice,
        }
    }

    fn forms(&self, piece: Square) -> Forms {
        let set = self.view.destinations(self.role, piece) & self.twice;
        let same_file = self.file_twice[file_of(piece)];
        let same_rank = self.rank_twice[rank_of(piece)];
        Forms {
            file: set & !same_file,
            rank: set & same_file & !same_rank,
            both: set & same_file & same_rank,
        }
    }

    /// The place of a legal move among those of its letter.
    fn rank(&self, from: Square, to: Square) -> usize {
        let own = self.forms(from);
        let file = file_of(from);
        // The groups of moves that sort wholly before the move, and the group (`partly`) that holds
        // it.
        let mut plain = Bitboard::EMPTY;
        let mut digits = Bitboard::FULL;
        let (both, files, partly);
        if own.rank.contains(to) {
            digits = Bitboard::EMPTY;
            for rank in 0..rank_of(from) {
                digits |= on_rank(rank);
            }
            (both, files, partly) = (
                Bitboard::EMPTY,
                Bitboard::EMPTY,
                self.union(on_rank(rank_of(from)), |forms| forms.rank),
            );
        } else if own.file.contains(to) {
            plain = files_below(file + 1);
            (both, files, partly) = (
                plain,
                files_below(file),
                self.union(on_file(file), |forms| forms.file),
            );
        } else if own.both.contains(to) {
            plain = before(from).with(from);
            (both, files, partly) = (before(from), files_below(file), own.both);
        } else if self.view.them.contains(to) {
            (both, files, partly) = (Bitboard::FULL, Bitboard::FULL, self.plain);
        } else {
            (both, files, partly) = (before(to), files_below(file_of(to)), self.plain);
        }
        let mut count =
            (self.plain & !self.view.them & plain).count() + place(self.view, partly, to);
        for piece in self.view.pieces(self.role) {
            let forms = self.forms(piece);
            let mut whole = Bitboard::EMPTY;
            if digits.contains(piece) {
                whole |= forms.rank;
            }
            if files.contains(piece) {
                whole |= forms.file;
            }
            if both.contains(piece) {
                whole |= forms.both;
            }
            count += whole.count();
        }
        count
    }

    /// One form's destinations of all pieces on a line of the board.
    fn union(&self, line: Bitboard, form: impl Fn(Forms) -> Bitboard) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        for piece in self.view.pieces(self.role) & line {
            set |= form(self.forms(piece));
        }
        set
    }

    /// Origin and destination of the `n`-th move of this letter, and its disambiguation.
    fn select(&self, n: usize, nth: impl Nth) -> Option<(Square, Square, Disambiguation)> {
        let mut n = n;
        let all = self.view.pieces(self.role);
        for rank in (0..8).map(on_rank) {
            let set = self.union(rank, |forms| forms.rank);
            if let Some(to) = self.take(set, &mut n, nth) {
                return Some((self.mover(all & rank, to)?, to, Disambiguation::RANK));
            }
        }
        let quiet = self.plain & !self.view.them;
        for file in (0..8).map(on_file) {
            // `Nb3` comes before `Nb3d2`, and both before `Nb4` and `Nbd2`.
            for sq in (quiet | all) & file {
                if quiet.contains(sq) && self.take(Bitboard::from_square(sq), &mut n, nth).is_some()
                {
                    return Some((self.mover(all, sq)?, sq, Disambiguation::NOTHING));
                }
                if all.contains(sq)
                    && let Some(to) = self.take(self.forms(sq).both, &mut n, nth)
                {
                    return Some((sq, to, Disambiguation::BOTH));
                }
            }
            let set = self.union(file, |forms| forms.file);
            if let Some(to) = self.take(set, &mut n, nth) {
                return Some((self.mover(all & file, to)?, to, Disambiguation::FILE));
            }
        }
        let to = self.take(self.plain & self.view.them, &mut n, nth)?;
        Some((self.mover(all, to)?, to, Disambiguation::NOTHING))
    }

    /// The `n`-th of `set`; if the set is smaller, takes its size off `n`.
    fn take(&self, set: Bitboard, n: &mut usize, nth: impl Nth) -> Option<Square> {
        if set.is_empty() {
            return None;
        }
        match n.checked_sub(set.count()) {
            Some(rest) => {
                *n = rest;
                None
            }
            None => Some(nth_in(self.view, set, *n, nth)),
        }
    }

    /// The one piece of `among` that can go to `to`.
    fn mover(&self, among: Bitboard, to: Square) -> Option<Square> {
        (self.view.movers(self.role, to) & among).first()
    }
}
