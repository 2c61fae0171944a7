//! The census by AVX2: all eight directions of the board at once, without a loop.
//!
//! A vector has a lane for each of the four lines through a square: rank, file and two diagonals.
//! [`Both`] has two vectors: the directions in which the numbers of squares grow, and the opposite
//! ones. In one direction only the nearest slider reaches a square. So one fill of the diagonals
//! from all bishops at once (a Kogge-Stone fill: three rounds of doubling length) gives all their
//! moves, and the bits in the lanes are their number.
//!
//! There are no closures here: a function of the standard library would not inline them.
//!
//! A fill from the king meets the fill of the enemy's sliders at a pinned piece; a slider that it
//! runs into gives check.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi128_si64, _mm_or_si128, _mm_setr_epi8, _mm_unpackhi_epi64,
    _mm256_add_epi8, _mm256_add_epi64, _mm256_and_si256 as and, _mm256_andnot_si256,
    _mm256_broadcastsi128_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi64,
    _mm256_extracti128_si256, _mm256_or_si256 as or, _mm256_permute4x64_epi64, _mm256_sad_epu8,
    _mm256_set_epi64x, _mm256_set1_epi8, _mm256_set1_epi64x, _mm256_setzero_si256,
    _mm256_shuffle_epi8, _mm256_sllv_epi64, _mm256_srli_epi16, _mm256_srlv_epi64,
    _mm256_testz_si256, _mm256_unpackhi_epi64, _mm256_unpacklo_epi64,
};

use shakmaty::{Bitboard, Role, attacks};

use crate::attacks::pawn_attacks;
use crate::census::MoveCounts;
use crate::squares::{FILE_A, RANK_1, RANK_8};
use crate::standard::{PlainMove, SavedBoard, Standard};

type Lanes = [u64; 4];

/// The difference of two neighbours on each line: a file, a rank, then the diagonals, of which the
/// second goes down by a rank.
const STEPS: Lanes = [8, 1, 9, 7];
const STEPS_2: Lanes = [16, 2, 18, 14];
const STEPS_4: Lanes = [32, 4, 36, 28];
/// The squares on which such a step can end; any other would have wrapped round the edge.
const STEP_ENDS: [Lanes; 2] = [
    [!0, !RANK_1, !RANK_1, !RANK_8],
    [!0, !RANK_8, !RANK_8, !RANK_1],
];

/// Four jumps of a knight, the others are the opposite ones, and the squares that they can end on.
const JUMPS: Lanes = [17, 10, 15, 6];
const RANKS_12: u64 = RANK_1 | RANK_1 << 1;
const RANKS_78: u64 = RANK_8 | RANK_8 >> 1;
const JUMP_ENDS: [Lanes; 2] = [
    [!RANK_1, !RANKS_12, !RANK_8, !RANKS_78],
    [!RANK_8, !RANKS_78, !RANK_1, !RANKS_12],
];
// A shift drops what leaves the board across the files a and h.
const _: () = assert!(FILE_A == 0xff);

/// A set of squares for each direction.
#[derive(Clone, Copy)]
struct Both {
    up: __m256i,
    down: __m256i,
}

impl Both {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn and(self, other: Both) -> Both {
        Both {
            up: and(self.up, other.up),
            down: and(self.down, other.down),
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn or(self, other: Both) -> Both {
        Both {
            up: or(self.up, other.up),
            down: or(self.down, other.down),
        }
    }

    /// Moves the squares of each lane in its direction.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn moved(self, by: Lanes) -> Both {
        Both {
            up: _mm256_sllv_epi64(self.up, constant(by)),
            down: _mm256_srlv_epi64(self.down, constant(by)),
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn opposite(self) -> Both {
        Both {
            up: self.down,
            down: self.up,
        }
    }

    /// A set for each line.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn lines(self) -> __m256i {
        or(self.up, self.down)
    }
}

/// These sets in both directions.
#[target_feature(enable = "avx2")]
#[inline]
fn both(set: __m256i) -> Both {
    Both { up: set, down: set }
}

#[target_feature(enable = "avx2")]
#[inline]
fn constants([up, down]: [Lanes; 2]) -> Both {
    Both {
        up: constant(up),
        down: constant(down),
    }
}

/// The vacant squares over which a fill advances in each direction, by one step, two, four.
#[derive(Clone, Copy)]
struct Ways([Both; 3]);

impl Ways {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn over(vacant: u64) -> Ways {
        let one = both(splat(vacant)).and(constants(STEP_ENDS));
        let two = one.and(one.moved(STEPS));
        let four = two.and(two.moved(STEPS_2));
        Ways([one, two, four])
    }

    /// The squares that the pieces of each lane attack in its direction: vacant squares and the
    /// first occupied one.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn fill(self, from: __m256i) -> Both {
        let Ways([one, two, four]) = self;
        let from = both(from);
        let reached = from.or(one.and(from.moved(STEPS)));
        let reached = reached.or(two.and(reached.moved(STEPS_2)));
        let reached = reached.or(four.and(reached.moved(STEPS_4)));
        reached.moved(STEPS).and(constants(STEP_ENDS))
    }
}

/// What these knights attack, by direction of the jump.
#[target_feature(enable = "avx2")]
#[inline]
fn jumps(knights: Bitboard) -> Both {
    both(splat(knights.0))
        .moved(JUMPS)
        .and(constants(JUMP_ENDS))
}

/// Plays a plain move, if one is given, and takes the census of the position.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
pub(super) fn play(position: &mut Standard, plain: Option<PlainMove>) {
    if let Some(plain) = plain {
        position.make_plain(plain);
    }
    let SavedBoard {
        us,
        them,
        king,
        their_king,
        turn,
        ..
    } = position.board;
    let (rooks, bishops, queens) = (
        position.by_role(Role::Rook),
        position.by_role(Role::Bishop),
        position.by_role(Role::Queen),
    );
    let (knights, pawns) = (position.by_role(Role::Knight), position.by_role(Role::Pawn));
    let (king_alone, ours) = (Bitboard::from_square(king), splat(us.0));
    let vacant = !(us.0 | them.0);
    let ways = Ways::over(vacant);
    let sliders = straight_diagonal((rooks | queens) & them, (bishops | queens) & them);
    let mut seen = ways.fill(sliders);
    // In each lane, the squares that the king sees against the lane's direction. Among them, `ties`
    // are the pieces that a slider pins there, and sliders that give check.
    let view = ways.fill(splat(king_alone.0)).opposite();
    let ties = view.and(both(sliders).or(seen.and(both(ours))));
    let (their_knights, their_pawns) = (knights & them, pawns & them);
    let near = (attacks::knight_attacks(king) & their_knights)
        | (pawn_attacks(king_alone, turn) & their_pawns);

    let (mut checkers, mut pinned, mut target) = (Bitboard::EMPTY, 0, !us);
    let mut one_way = straight_diagonal(rooks & us, bishops & us);
    let mut all_ways = splat((queens & us).0);
    let mut jumping = knights & us;
    let all_ties = ties.lines();
    if _mm256_testz_si256(all_ties, all_ties) == 0 || near.any() {
        // A pinned piece moves only along its pin, in either direction.
        let pins = and(all_ties, ours);
        pinned = join(pins);
        let free = or(splat(!pinned), pins);
        one_way = and(one_way, free);
        all_ways = and(all_ways, free);
        jumping &= Bitboard(!pinned);
        checkers = Bitboard(join(_mm256_andnot_si256(ours, all_ties))) | near;
        if checkers.any() {
            // Against one checker, pieces may land on its line, or on the knight or pawn itself.
            // Against two, only the king can move.
            target = if checkers.more_than_one() {
                Bitboard::EMPTY
            } else {
                Bitboard(join(checked(ties.up, view.up, ours)))
                    | Bitboard(join(checked(ties.down, view.down, ours)))
                    | near
            };
            // Sliders see through a king that leaves their line.
            seen = Ways::over(vacant | king_alone.0).fill(sliders);
        }
    }
    let attacked = Bitboard(join(seen.or(jumps(their_knights)).lines()))
        | attacks::king_attacks(their_king)
        | pawn_attacks(their_pawns, !turn);

    let landing = both(splat(target.0));
    let rooks_bishops = ways.fill(one_way).and(landing);
    let knights = jumps(jumping).and(landing);
    let mut counts = _mm256_add_epi64(
        count(rooks_bishops, [Role::Rook, Role::Bishop]),
        count(knights, [Role::Knight; 2]),
    );
    let mut queens_lines = _mm256_setzero_si256();
    if (queens & us).any() {
        let queens = ways.fill(all_ways).and(landing);
        counts = _mm256_add_epi64(counts, count(queens, [Role::Queen; 2]));
        queens_lines = queens.lines();
    }
    let pairs = _mm256_add_epi64(counts, _mm256_permute4x64_epi64::<0x4e>(counts));
    let counts =
        low(_mm256_castsi256_si128(pairs)).wrapping_add(high(_mm256_castsi256_si128(pairs)));
    // The halves of the first are rooks and bishops, the lanes of the second queens and knights.
    let rooks_bishops = rooks_bishops.lines();
    let queens_knights = pairwise(queens_lines, knights.lines());
    let queens_knights = _mm_or_si128(
        _mm256_castsi256_si128(queens_knights),
        _mm256_extracti128_si256::<1>(queens_knights),
    );
    let rooks = _mm256_castsi256_si128(rooks_bishops);
    let bishops = _mm256_extracti128_si256::<1>(rooks_bishops);
    // Field by field: copying a finished struct would have to wait for the stores of its parts.
    let census = &mut position.census;
    census.checkers = checkers;
    census.pinned = Bitboard(pinned);
    census.target = target;
    census.attacked = attacked;
    census.reach[Role::Knight as usize] = Bitboard(high(queens_knights));
    census.reach[Role::Bishop as usize] = Bitboard(low(bishops) | high(bishops));
    census.reach[Role::Rook as usize] = Bitboard(low(rooks) | high(rooks));
    census.reach[Role::Queen as usize] = Bitboard(low(queens_knights));
    census.counts = MoveCounts(counts);
    census.see_king(king, us);
}

/// Of the lanes with a checker among their `ties`, what the king sees.
#[target_feature(enable = "avx2")]
#[inline]
fn checked(ties: __m256i, view: __m256i, ours: __m256i) -> __m256i {
    let checking = _mm256_andnot_si256(ours, ties);
    let is_free = _mm256_cmpeq_epi64(checking, _mm256_setzero_si256());
    _mm256_andnot_si256(is_free, view)
}

/// Counts the moves of the kinds of pieces in the straight lanes and in the diagonal ones, as parts
/// of [`MoveCounts`].
#[target_feature(enable = "avx2")]
#[inline]
fn count(set: Both, [straight, diagonal]: [Role; 2]) -> __m256i {
    let bytes = _mm256_add_epi8(bits(set.up), bits(set.down));
    let bits = _mm256_sad_epu8(bytes, _mm256_setzero_si256());
    let (straight, diagonal) = (MoveCounts::shift(straight), MoveCounts::shift(diagonal));
    let (straight, diagonal) = (u64::from(straight), u64::from(diagonal));
    _mm256_sllv_epi64(bits, constant([straight, straight, diagonal, diagonal]))
}

/// The number of bits in each byte.
#[target_feature(enable = "avx2")]
#[inline]
fn bits(set: __m256i) -> __m256i {
    let table = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
    ));
    let nibbles = _mm256_set1_epi8(15);
    _mm256_add_epi8(
        _mm256_shuffle_epi8(table, and(set, nibbles)),
        _mm256_shuffle_epi8(table, and(_mm256_srli_epi16::<4>(set), nibbles)),
    )
}

#[target_feature(enable = "avx2")]
#[inline]
fn constant([a, b, c, d]: Lanes) -> __m256i {
    _mm256_set_epi64x(
        d.cast_signed(),
        c.cast_signed(),
        b.cast_signed(),
        a.cast_signed(),
    )
}

/// `a` in every lane.
#[target_feature(enable = "avx2")]
#[inline]
fn splat(a: u64) -> __m256i {
    _mm256_set1_epi64x(a.cast_signed())
}

/// `straight` in the lanes of rank and file, `diagonal` in the others.
#[target_feature(enable = "avx2")]
#[inline]
fn straight_diagonal(straight: Bitboard, diagonal: Bitboard) -> __m256i {
    constant([straight.0, straight.0, diagonal.0, diagonal.0])
}

/// In each half, what is in either lane of `a`, and what is in either lane of `b`.
#[target_feature(enable = "avx2")]
#[inline]
fn pairwise(a: __m256i, b: __m256i) -> __m256i {
    or(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b))
}

/// All lanes in one.
#[target_feature(enable = "avx2")]
#[inline]
fn join(a: __m256i) -> u64 {
    let half = _mm_or_si128(_mm256_castsi256_si128(a), _mm256_extracti128_si256::<1>(a));
    low(half) | high(half)
}

#[target_feature(enable = "avx2")]
#[inline]
fn low(a: __m128i) -> u64 {
    _mm_cvtsi128_si64(a).cast_unsigned()
}

#[target_feature(enable = "avx2")]
#[inline]
fn high(a: __m128i) -> u64 {
    low(_mm_unpackhi_epi64(a, a))
}
