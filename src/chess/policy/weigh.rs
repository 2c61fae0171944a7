//! The frequencies of the legal moves of a position (spec/moves.md sections 1 to 5).
//!
//! All moves are weighed together, in arrays ([`MoveList`]); the entries that few moves have are
//! added to those few.

use multiversion::{multiversion, target::match_target};

use super::list::MoveList;
use super::memory::Memory;
use super::portable;
use super::tables::Tables;
#[cfg(target_arch = "x86_64")]
use super::vectors;
use crate::standard::Standard;

/// Weighs the legal moves of a position, if there are not too many for the model.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
pub(super) fn weigh(position: &Standard, memory: &Memory, tables: &Tables, out: &mut MoveList) {
    match_target! {
        "x86_64+avx2" => portable::weigh(
            position,
            memory,
            tables,
            out,
            |planes| vectors::codes(planes),
            |active, rows| vectors::dots(active, rows),
        ),
        _ => portable::weigh(position, memory, tables, out, portable::codes, portable::dots),
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Color, Position as _};

    use super::*;
    use crate::ply;
    use crate::policy::memory;
    use crate::policy::tables::TABLES;
    use crate::squares::nth_bit;
    use crate::standard::BoardMove;
    use crate::{Position, Rules, ordinal};

    /// Among them: more than 8 pawns, 64 moves, 256 moves; promotions and captures en passant that
    /// uncover a check or may not be made; castling of all kinds, also with check; pieces that hide
    /// a check.
    const FENS: [&[u8]; 21] = [
        b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        b"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        b"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        b"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N w - - 0 1",
        b"qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1",
        b"R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
        b"r6r/3q4/1q4q1/4q3/2q4q/q4q2/PP1q4/Kbnn1kb1 b - - 0 1",
        b"rnbqkbnr/pppppppp/pppppppp/8/8/PPPPPPPP/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        b"4k3/PPPPPPPP/8/pppppppp/8/4K3/pppppppp/8 b - - 0 1",
        b"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        b"8/6bb/8/8/R1pP2k1/4P3/P7/K7 b - d3 0 1",
        b"8/8/8/k2Pp2Q/8/8/8/4K3 w - e6 0 1",
        b"4R1K1/8/8/3Pp3/8/8/8/4k3 w - e6 0 1",
        b"5k2/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        b"bnrkrnqb/pppppppp/8/8/8/8/PPPPPPPP/BNRKRNQB w KQkq - 0 1",
        b"rk5r/8/8/8/8/8/8/RK5R b AHah - 0 1",
        b"4k3/8/8/8/8/8/8/5RKR w HF - 0 1",
        b"3k4/3n4/8/b2N4/8/7B/3Q4/3R1K2 w - - 0 1",
        b"7k/1P6/5p2/4P3/3B4/8/1R6/K7 w - - 0 1",
        b"k7/8/8/8/8/8/8/K5Q1 w - - 0 1",
        b"kbQQQQQQ/ppQ4Q/QQ5Q/Q6Q/Q6Q/Q6Q/Q6Q/QQQQQQQK w - - 0 1",
    ];

    /// The moves in order, with the sum of frequencies up to each.
    fn shares(list: &MoveList, position: &Standard) -> Option<Vec<(BoardMove, i32)>> {
        let places = 0..list.len()?;
        let share = |place| {
            (
                list.step(position, place).expect("a move"),
                list.ends[place],
            )
        };
        Some(places.map(share).collect())
    }

    /// `weigh` takes the widest vectors of the machine, `portable::weigh` is the one for all. Both
    /// list every legal move once, in the order of the model.
    #[test]
    fn all_vectors_give_the_same_bits() {
        let mut state = 1_u64;
        let (mut weighed, mut many, mut too_many) = (0, 0, 0);
        for fen in FENS.iter().cycle().take(20 * FENS.len()) {
            let mut position = Position::start(Rules::Chess960, Some(fen)).expect("a start");
            let position = position.standard().expect("chess");
            let mut memory = Memory::new(position);
            // Lists are used again, as lines use them.
            let (mut wide, mut plain) = (MoveList::default(), MoveList::default());
            for _ in 0..80 {
                weigh(position, &memory, &TABLES, &mut wide);
                let (codes, dots) = (portable::codes, portable::dots);
                portable::weigh(position, &memory, &TABLES, &mut plain, codes, dots);
                let legal = position.to_chess().legal_moves().len();
                let found = shares(&wide, position);
                assert_eq!(found, shares(&plain, position), "{:?}", position.to_chess());
                match found {
                    None => {
                        assert!(legal > 256);
                        too_many += 1;
                    }
                    Some(moves) => {
                        assert_eq!(moves.len(), legal);
                        for (place, &(step, end)) in moves.iter().enumerate() {
                            let below = if place == 0 { 0 } else { moves[place - 1].1 };
                            let share = ((end - below).cast_unsigned(), below.cast_unsigned());
                            assert_eq!(wide.share(position, step), Some(share));
                            assert!(ordinal::rank(position, step).is_some());
                        }
                        weighed += 1;
                        many += usize::from(legal > 64);
                    }
                }
                if legal == 0 {
                    break;
                }
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                let n = (state >> 33) as usize % legal;
                let (step, _) = ordinal::select(position, n, nth_bit).expect("a move");
                memory::see(&mut memory, &TABLES, position, step);
                // The memory that each move updates is the one made from the whole board.
                ply::play(position, step);
                let again = Memory::new(position);
                for side in [Color::White, Color::Black] {
                    assert_eq!(memory.sums(side).0, again.sums(side).0);
                }
            }
        }
        assert!(
            weighed > 5_000 && many > 500 && too_many > 20,
            "{weighed} {many} {too_many}"
        );
    }
}
