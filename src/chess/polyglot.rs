//! Positions and moves as the opening books of PolyGlot number them.

use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, Move, Position as _, Role, Square};

use super::position::Position;

/// The number of a move: squares of arrival and departure, 6 bits each from the lowest, then the
/// promotion. Castling is the king's move onto its rook.
pub fn polyglot_move(m: Move) -> Option<u16> {
    let square = |square: Square| u16::from(u8::from(square));
    let (from, to) = match m {
        Move::Castle { king, rook } => (king, rook),
        _ => (m.from()?, m.to()),
    };
    let promotion = match m.promotion() {
        None => 0,
        Some(Role::Pawn | Role::King) => return None,
        Some(role) => role as u16 - Role::Pawn as u16,
    };
    Some(promotion << 12 | square(from) << 6 | square(to))
}

impl Position {
    /// The key of the position; `None` under other rules than those of chess.
    pub fn polyglot_key(&self) -> Option<u64> {
        // A pawn beside the one that has just moved counts, even if it is pinned.
        let Zobrist64(key) = self.to_chess()?.zobrist_hash(EnPassantMode::PseudoLegal);
        Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rules;

    /// Keys and moves of PolyGlot's own description of the format.
    #[test]
    fn keys_of_the_description() {
        for (moves, key) in [
            ("", 0x463b_9618_1691_fc9c),
            ("e4", 0x823c_9b50_fd11_4196),
            ("e4 d5", 0x0756_b944_61c5_0fb0),
            ("e4 d5 e5", 0x662f_afb9_65db_29d4),
            ("e4 d5 e5 f5", 0x22a4_8b5a_8e47_ff78),
            ("e4 d5 e5 f5 Ke2", 0x652a_607c_a3f2_42c1),
            ("e4 d5 e5 f5 Ke2 Kf7", 0x00fd_d303_c946_bdd9),
            ("a4 b5 h4 b4 c4", 0x3c81_23ea_7b06_7637),
            ("a4 b5 h4 b4 c4 bxc3 Ra3", 0x5c3f_9b82_9b27_9560),
        ] {
            let mut position = Position::initial();
            for san in moves.split_whitespace() {
                let m = position.resolve(san.as_bytes()).unwrap().m;
                position.play(m);
            }
            assert_eq!(position.polyglot_key(), Some(key), "{moves}");
        }
        // The pawn may not take: its king stands in check, or it is pinned (keys by python-chess).
        for (fen, key) in [
            (
                "1k6/1p1q2K1/p3p3/P3Pp2/1P1p1P2/3Q4/8/8 w - f6 0 48",
                0x9f26_dd27_8ea1_190a,
            ),
            ("4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 1", 0x2004_29d3_a5ab_9df1),
            ("4k3/8/8/K2pP2r/8/8/8/8 w - - 0 1", 0x3c9d_f700_9913_0d50),
        ] {
            let position = Position::start(Rules::Chess, Some(fen.as_bytes())).unwrap();
            assert_eq!(position.polyglot_key(), Some(key), "{fen}");
        }
        let castling = b"4k3/P7/8/8/8/8/8/4K2R w K - 0 1";
        let position = Position::start(Rules::Chess, Some(castling)).unwrap();
        let number = |san: &[u8]| polyglot_move(position.resolve(san).unwrap().m);
        assert_eq!(number(b"O-O"), Some(4 << 6 | 7));
        assert_eq!(number(b"a8=R"), Some(3 << 12 | 48 << 6 | 56));
    }
}
