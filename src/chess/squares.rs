//! Squares in the order of their names: a1, a2 ... a8, b1 ... h8.
//!
//! SAN texts sort in this order, so the squares that sort before a square have smaller numbers.
//! shakmaty numbers squares rank by rank; a `Square` or `Bitboard` in this order is shakmaty's with
//! file and rank exchanged. The modules that count moves use only this order. Pieces other than
//! pawns attack the same squares in both orders.

use shakmaty::{Bitboard, Square};

/// Each file is one byte, each rank one bit of every byte.
pub(super) const FILE_A: u64 = 0xff;
pub(super) const RANK_1: u64 = 0x0101_0101_0101_0101;
pub(super) const RANK_8: u64 = RANK_1 << 7;

/// The ranks on which pawns promote.
pub(super) const BACKRANKS: Bitboard = Bitboard(RANK_1 | RANK_8);

/// Converts a square from one order to the other.
#[inline(always)]
pub(super) fn turned(sq: Square) -> Square {
    sq.flip_diagonal()
}

/// The number of the file, from 0 for the a-file to 7.
#[inline(always)]
pub(super) fn file_of(sq: Square) -> usize {
    sq.to_usize() >> 3
}

/// The number of the rank, from 0 for the first to 7.
#[inline(always)]
pub(super) fn rank_of(sq: Square) -> usize {
    sq.to_usize() & 7
}

#[inline(always)]
pub(super) fn on_file(file: usize) -> Bitboard {
    Bitboard(FILE_A << (8 * (file & 7)))
}

#[inline(always)]
pub(super) fn on_rank(rank: usize) -> Bitboard {
    Bitboard(RANK_1 << (rank & 7))
}

/// All squares of the first `n` files; from 8 on, the whole board.
#[inline(always)]
pub(super) fn files_below(n: usize) -> Bitboard {
    Bitboard(if n < 8 { (1 << (8 * n)) - 1 } else { !0 })
}

/// The squares before `sq`.
#[inline(always)]
pub(super) fn before(sq: Square) -> Bitboard {
    Bitboard((1 << sq.to_u32()) - 1)
}

/// The square that has the rank of one and the file of another.
#[inline(always)]
pub(super) fn beside(rank: Square, file: Square) -> Square {
    Square::new(file.to_u32() & 0o70 | rank.to_u32() & 0o7)
}

/// Finds the `n`-th bit (from 0) of a set that has more than `n`.
pub(super) trait Nth: Fn(u64, usize) -> u32 + Copy {}
impl<F: Fn(u64, usize) -> u32 + Copy> Nth for F {}

/// The portable [`Nth`]. For a smaller set, returns some number below 64.
#[inline(always)]
pub(super) fn nth_bit(set: u64, n: usize) -> u32 {
    let (byte, before) = nth_byte(bits_by_byte(set).wrapping_mul(RANK_1), n);
    let [bits, ..] = (set >> (8 * byte)).to_le_bytes();
    8 * byte + u32::from(NTH_BIT[usize::from(bits)][n.wrapping_sub(before) & 7])
}

/// The number of bits in each byte.
#[inline(always)]
pub(super) fn bits_by_byte(set: u64) -> u64 {
    let pairs = set - ((set >> 1) & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f
}

/// The byte with the `n`-th bit of a set, and the number of bits in the bytes before it. `up_to`
/// has the number of bits up to each byte, inclusive.
#[inline(always)]
pub(super) fn nth_byte(up_to: u64, n: usize) -> (u32, usize) {
    // Compares all bytes at once: a loop would end unpredictably.
    let wanted = (n as u64 & 0x7f) * RANK_1;
    let byte = (((wanted | RANK_8) - up_to) & RANK_8).count_ones().min(7);
    let [before, ..] = ((up_to << 8) >> (8 * byte)).to_le_bytes();
    (byte, usize::from(before & 0x7f))
}

/// For each value of a byte, the position of its n-th bit.
static NTH_BIT: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut n) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][n] = bit;
                n += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};
