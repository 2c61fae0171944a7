//! The ordinal of a move, and the move of an ordinal, by counting.
//!
//! PGN 1994, 20.2: the ordinal is the place of a move among the legal moves sorted as SAN text (D1). In ASCII the
//! capitals come before the small letters, so the order is B, K, N, O (castling), Q, R, then pawns by file a to h.
//! Within a piece's letter the next character decides: a digit (disambiguation by rank), a file (of the destination
//! or of the origin), `x`. Squares sort by file, then by rank. `rank` adds up what comes before a move; `select` walks
//! the same blocks and subtracts.

use shakmaty::{Bitboard, CastlingSide, File, Rank, Role, Square};

use super::masks::{Reach, before, files_below, nth_square};
use super::pawns::Pawns;
use super::standard::{Standard, Step, StepKind};

/// The pieces a pawn becomes, in the order of their letters.
pub(super) const PROMOTIONS: [Role; 4] = [Role::Bishop, Role::Knight, Role::Queen, Role::Rook];

/// The ordinal of a move; `None` if it is not legal. It may exceed a byte (D2).
pub(super) fn rank(view: &Standard, step: Step) -> Option<usize> {
    let Step { role, from, to, promotion, kind } = step;
    match (kind, role) {
        (StepKind::Castling, _) => {
            let side = step.side();
            (view.castling(side) == Some(step)).then(|| rank_castling(view, side))
        }
        (StepKind::EnPassant, _) => {
            let pawns = view.pawns();
            let legal = pawns.passed == Some(to) && pawns.passers.contains(from);
            legal.then(|| rank_pawn(view, &pawns, from, to, None))
        }
        (StepKind::Normal, Role::Pawn) => {
            let pawns = view.pawns();
            is_pawn_move(view, &pawns, from, to, promotion).then(|| rank_pawn(view, &pawns, from, to, promotion))
        }
        (StepKind::Normal, Role::King) => {
            let set = view.king_destinations();
            (from == view.king && set.contains(to)).then(|| rank_king(view, set, to))
        }
        (StepKind::Normal, _) => view.movers(role, to).contains(from).then(|| rank_piece(view, role, from, to)),
    }
}

/// The number of moves whose first letter sorts before that of `role`: B, K, N, O (castling, which belongs to no role), Q, R, pawns.
#[inline(always)]
fn before_role(view: &Standard, role: Role) -> usize {
    let counts = view.census.counts;
    let [bishops, knights, queens, rooks] =
        [counts.bishops, counts.knights, counts.queens, counts.rooks].map(usize::from);
    let with_king = bishops + view.king_destinations().count();
    match role {
        Role::Bishop => 0,
        Role::King => bishops,
        Role::Knight => with_king,
        Role::Queen => with_king + knights + view.castling_count(),
        Role::Rook => with_king + knights + view.castling_count() + queens,
        Role::Pawn => with_king + knights + view.castling_count() + queens + rooks,
    }
}

/// How many of `set` come before `to`, captures after the rest.
#[inline(always)]
fn place(view: &Standard, set: Bitboard, to: Square) -> usize {
    // Everything quiet comes before a capture; `x` sorts behind every file. No branch: which it is cannot be foreseen.
    let capture = if view.them.contains(to) { Bitboard::FULL } else { Bitboard::EMPTY };
    let quiet = set & !view.them & (before(to) | capture);
    (quiet | (set & view.them & before(to) & capture)).count()
}

/// The ordinal of a legal king move, given all its legal destinations.
#[inline(always)]
pub(super) fn rank_king(view: &Standard, set: Bitboard, to: Square) -> usize {
    before_role(view, Role::King) + place(view, set, to)
}

/// The ordinal of a legal castling move.
#[inline(always)]
pub(super) fn rank_castling(view: &Standard, side: CastlingSide) -> usize {
    let short_first = side.is_queen_side() && view.castling(CastlingSide::KingSide).is_some();
    before_role(view, Role::Knight) + usize::from(view.census.counts.knights) + usize::from(short_first)
}

/// The ordinal of a legal move of a knight, bishop, rook or queen.
#[inline(always)]
pub(super) fn rank_piece(view: &Standard, role: Role, from: Square, to: Square) -> usize {
    let Reach { once, twice } = view.reach(role);
    let within =
        if twice.is_empty() { place(view, once, to) } else { Shared::new(view, role, once, twice).rank(from, to) };
    before_role(view, role) + within
}

/// Whether some pawn of ours may make this step.
fn is_pawn_move(view: &Standard, pawns: &Pawns, from: Square, to: Square, promotion: Option<Role>) -> bool {
    let promotes = Bitboard::BACKRANKS.contains(to);
    let fits = match promotion {
        Some(role) => promotes && PROMOTIONS.contains(&role),
        None => !promotes,
    };
    let passes = pawns.passed == Some(to) && pawns.passers.contains(from);
    fits && !passes && pawn_origins(view, pawns, to).contains(from)
}

/// The pawns that may go to `to`, en passant included.
#[inline(always)]
pub(super) fn pawn_origins(view: &Standard, pawns: &Pawns, to: Square) -> Bitboard {
    let mut set = Bitboard::EMPTY;
    let Some(behind) = view.behind(to) else { return set };
    if pawns.push.contains(to) {
        if view.pieces(Role::Pawn).contains(behind) {
            set.add(behind);
        } else if let Some(start) = view.behind(behind) {
            set.add(start);
        }
    }
    if pawns.left.contains(to)
        && let Some(from) = behind.offset(1)
    {
        set.add(from);
    }
    if pawns.right.contains(to)
        && let Some(from) = behind.offset(-1)
    {
        set.add(from);
    }
    if pawns.passed == Some(to) { set | pawns.passers } else { set }
}

/// The number of moves that end on `set`: four for each square of the last rank.
#[inline(always)]
fn weight(set: Bitboard) -> usize {
    let promotions = set & Bitboard::BACKRANKS;
    let more = if promotions.any() { 3 * promotions.count() } else { 0 };
    set.count() + more
}

/// The ordinal of a legal pawn move.
#[inline(always)]
pub(super) fn rank_pawn(view: &Standard, pawns: &Pawns, from: Square, to: Square, promotion: Option<Role>) -> usize {
    let file = from.file();
    let own_push = pawns.push & file;
    let within = if to.file() == file {
        weight(own_push & before(to))
    } else {
        weight(own_push) + weight(pawns.captures_from(file) & before(to))
    };
    let count = before_role(view, Role::Pawn) + pawns.count_before(file.to_usize()) + within;
    match promotion {
        None => count,
        Some(role) => count + PROMOTIONS.iter().position(|&r| r == role).unwrap_or(0),
    }
}

/// What the SAN of a piece's move says about its origin: the first of nothing, file, rank, both that tells the movers apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) file: bool,
    pub(super) rank: bool,
}

impl Named {
    const NOTHING: Named = Named { file: false, rank: false };
    const FILE: Named = Named { file: true, rank: false };
    const RANK: Named = Named { file: false, rank: true };
    const BOTH: Named = Named { file: true, rank: true };

    /// One of `movers`, which can all go to the same square, moves from `from`.
    #[inline(always)]
    pub(super) fn of(movers: Bitboard, from: Square) -> Named {
        if !movers.more_than_one() {
            Named::NOTHING
        } else if !(movers & from.file()).more_than_one() {
            Named::FILE
        } else if !(movers & from.rank()).more_than_one() {
            Named::RANK
        } else {
            Named::BOTH
        }
    }
}

/// The move with this ordinal, if there are so many, and what its SAN names.
#[inline(always)]
pub(super) fn select(view: &Standard, ordinal: usize) -> Option<(Step, Named)> {
    let counts = view.census.counts;
    let mut n = ordinal;
    // Takes a number of moves off `n`, unless the move is one of them.
    let mut among = |count: usize| {
        let is_among = n < count;
        if !is_among {
            n -= count;
        }
        is_among.then_some(n)
    };
    if let Some(n) = among(counts.bishops.into()) {
        return select_piece(view, Role::Bishop, n);
    }
    let king = view.king_destinations();
    if let Some(n) = among(king.count()) {
        return nth_of(view, king, n).map(|to| (Step::new(Role::King, view.king, to), Named::NOTHING));
    }
    if let Some(n) = among(counts.knights.into()) {
        return select_piece(view, Role::Knight, n);
    }
    if view.has_rights() {
        for step in [CastlingSide::KingSide, CastlingSide::QueenSide].into_iter().filter_map(|side| view.castling(side))
        {
            if among(1).is_some() {
                return Some((step, Named::NOTHING));
            }
        }
    }
    if let Some(n) = among(counts.queens.into()) {
        return select_piece(view, Role::Queen, n);
    }
    if let Some(n) = among(counts.rooks.into()) {
        return select_piece(view, Role::Rook, n);
    }
    select_pawn(view, n).map(|step| (step, Named::NOTHING))
}

/// The `n`-th destination of `set`: first the quiet ones, then the captures.
#[inline(always)]
fn nth_of(view: &Standard, set: Bitboard, n: usize) -> Option<Square> {
    let quiet = set & !view.them;
    match n.checked_sub(quiet.count()) {
        None => nth_square(quiet, n),
        Some(rest) => nth_square(set & view.them, rest),
    }
}

/// The `n`-th move of one kind of piece, which has so many.
#[inline(always)]
fn select_piece(view: &Standard, role: Role, n: usize) -> Option<(Step, Named)> {
    let Reach { once, twice } = view.reach(role);
    if twice.is_empty() {
        let to = nth_of(view, once, n)?;
        return view.movers(role, to).first().map(|from| (Step::new(role, from, to), Named::NOTHING));
    }
    let (from, to, named) = Shared::new(view, role, once, twice).select(n)?;
    Some((Step::new(role, from, to), named))
}

#[inline(always)]
fn select_pawn(view: &Standard, ordinal: usize) -> Option<Step> {
    let pawns = view.pawns();
    if ordinal >= pawns.count_before(8) {
        return None;
    }
    // The last file before which there are not more moves than that.
    let (mut file, mut before) = (0, 0);
    for step in [4, 2, 1] {
        let count = pawns.count_before(file + step);
        if count <= ordinal {
            (file, before) = (file + step, count);
        }
    }
    let (file, n) = (*File::ALL.get(file)?, ordinal - before);
    let push = pawns.push & file;
    match n.checked_sub(weight(push)) {
        None => select_pawn_on(view, &pawns, file, push, false, n),
        Some(rest) => select_pawn_on(view, &pawns, file, pawns.captures_from(file), true, rest),
    }
}

/// The `n`-th of the pawn moves from `file` that end on `set`.
#[inline(always)]
fn select_pawn_on(
    view: &Standard,
    pawns: &Pawns,
    file: File,
    set: Bitboard,
    is_capture: bool,
    n: usize,
) -> Option<Step> {
    let mut n = n;
    let mut flipped = set.flip_diagonal();
    while let Some(to) = flipped.pop_front().map(Square::flip_diagonal) {
        let here = weight(Bitboard::from_square(to));
        if n >= here {
            n -= here;
            continue;
        }
        let from = (pawn_origins(view, pawns, to) & file).first()?;
        if is_capture && pawns.passed == Some(to) {
            return Some(Step { kind: StepKind::EnPassant, ..Step::new(Role::Pawn, from, to) });
        }
        let promotion = if here > 1 { Some(PROMOTIONS[n & 3]) } else { None };
        return Some(Step { promotion, ..Step::new(Role::Pawn, from, to) });
    }
    None
}

/// One kind of piece when two or more of its kind can reach the same square, so that some moves name their origin
/// (PGN 1994, 8.2.3.4).
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

/// A piece's destinations by the form that their SAN takes; the plain ones apart.
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
    fn new(view: &'a Standard, role: Role, once: Bitboard, twice: Bitboard) -> Shared<'a> {
        let mut file_twice = [Bitboard::EMPTY; 8];
        let mut rank_twice = [Bitboard::EMPTY; 8];
        let (mut file_once, mut rank_once) = (file_twice, rank_twice);
        for piece in view.pieces(role) {
            let set = view.destinations(role, piece) & twice;
            let (f, r) = (piece.file().to_usize(), piece.rank().to_usize());
            file_twice[f] |= file_once[f] & set;
            file_once[f] |= set;
            rank_twice[r] |= rank_once[r] & set;
            rank_once[r] |= set;
        }
        Shared { view, role, plain: once & !twice, twice, file_twice, rank_twice }
    }

    fn forms(&self, piece: Square) -> Forms {
        let set = self.view.destinations(self.role, piece) & self.twice;
        let same_file = self.file_twice[piece.file().to_usize()];
        let same_rank = self.rank_twice[piece.rank().to_usize()];
        Forms { file: set & !same_file, rank: set & same_file & !same_rank, both: set & same_file & same_rank }
    }

    /// The place of a legal move among those of its letter.
    fn rank(&self, from: Square, to: Square) -> usize {
        let own = self.forms(from);
        let file = from.file().to_usize();
        // Which blocks come wholly before the move, and which one (`partly`) the move stands in.
        let mut plain = Bitboard::EMPTY;
        let mut digits = Bitboard::FULL;
        let (both, files, partly);
        if own.rank.contains(to) {
            digits = Bitboard::EMPTY;
            for rank in Rank::ALL.iter().take(from.rank().to_usize()) {
                digits |= *rank;
            }
            (both, files, partly) = (Bitboard::EMPTY, Bitboard::EMPTY, self.union(from.rank(), |forms| forms.rank));
        } else if own.file.contains(to) {
            plain = files_below(file + 1);
            (both, files, partly) = (plain, files_below(file), self.union(from.file(), |forms| forms.file));
        } else if own.both.contains(to) {
            plain = before(from).with(from);
            (both, files, partly) = (before(from), files_below(file), own.both);
        } else if self.view.them.contains(to) {
            (both, files, partly) = (Bitboard::FULL, Bitboard::FULL, self.plain);
        } else {
            (both, files, partly) = (before(to), files_below(to.file().to_usize()), self.plain);
        }
        let mut count = (self.plain & !self.view.them & plain).count() + place(self.view, partly, to);
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
    fn union(&self, line: impl Into<Bitboard>, form: impl Fn(Forms) -> Bitboard) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        for piece in self.view.pieces(self.role) & line.into() {
            set |= form(self.forms(piece));
        }
        set
    }

    /// Origin and destination of the `n`-th move of this letter, and what its SAN names.
    fn select(&self, n: usize) -> Option<(Square, Square, Named)> {
        let mut n = n;
        let all = self.view.pieces(self.role);
        for rank in Rank::ALL {
            let set = self.union(rank, |forms| forms.rank);
            if let Some(to) = self.take(set, &mut n) {
                return Some((self.mover(all & rank, to)?, to, Named::RANK));
            }
        }
        let quiet = self.plain & !self.view.them;
        for file in File::ALL {
            // `Nb3` comes before `Nb3d2`, and both before `Nb4` and `Nbd2`.
            for sq in (quiet | all) & file {
                if quiet.contains(sq) && self.take(Bitboard::from_square(sq), &mut n).is_some() {
                    return Some((self.mover(all, sq)?, sq, Named::NOTHING));
                }
                if all.contains(sq)
                    && let Some(to) = self.take(self.forms(sq).both, &mut n)
                {
                    return Some((sq, to, Named::BOTH));
                }
            }
            let set = self.union(file, |forms| forms.file);
            if let Some(to) = self.take(set, &mut n) {
                return Some((self.mover(all & file, to)?, to, Named::FILE));
            }
        }
        let to = self.take(self.plain & self.view.them, &mut n)?;
        Some((self.mover(all, to)?, to, Named::NOTHING))
    }

    /// The `n`-th of `set`, or else takes their number off `n`.
    fn take(&self, set: Bitboard, n: &mut usize) -> Option<Square> {
        if set.is_empty() {
            return None;
        }
        match n.checked_sub(set.count()) {
            Some(rest) => {
                *n = rest;
                None
            }
            None => nth_of(self.view, set, *n),
        }
    }

    /// The one piece of `among` that can go to `to`.
    fn mover(&self, among: Bitboard, to: Square) -> Option<Square> {
        (self.view.movers(self.role, to) & among).first()
    }
}
