//! A move in 16 bits, for tables (spec/manual/tables.md).

use shakmaty::uci::UciMove;
use shakmaty::{Move, Square};

use super::position::Position;

impl Position {
    /// The squares and the promotion of a move, as in UCI: castling is the king's move, or in
    /// Chess960 its move to the square of the rook. A drop has its square twice, and the piece in
    /// the place of a promotion.
    pub fn packed(&self, m: Move) -> u16 {
        let (from, to, role) = match m.to_uci(self.castling_mode()) {
            UciMove::Normal {
                from,
                to,
                promotion,
            } => (from, to, promotion),
            UciMove::Put { role, to } => (to, to, Some(role)),
            // No move of shakmaty converts to a null move.
            UciMove::Null => return 0,
        };
        let square = |square: Square| u16::from(u8::from(square));
        // python-chess counts the pieces from 1 too.
        square(from) | square(to) << 6 | role.map_or(0, |role| role as u16) << 12
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rules;

    #[test]
    fn squares_and_pieces() {
        const ROOKS: &str = "4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1";
        let packed = |variant: &str, fen: &[u8], san: &[u8]| {
            let rules = Rules::from_variant_tag(variant.as_bytes()).unwrap();
            let position = Position::start(rules, Some(fen)).unwrap();
            position.packed(position.resolve(san).unwrap().m)
        };
        // a1 is 0, b1 is 1, h8 is 63.
        for (variant, fen, san, from, to, piece) in [
            ("Standard", ROOKS, "O-O", 4, 6, 0),
            ("Standard", ROOKS, "O-O-O", 4, 2, 0),
            (
                "Chess960",
                "4k3/P7/8/8/8/8/8/R3K2R w HA - 0 1",
                "O-O",
                4,
                7,
                0,
            ),
            ("Standard", ROOKS, "a8=N", 48, 56, 2),
            ("Standard", ROOKS, "a8=Q", 48, 56, 5),
            (
                "Standard",
                "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
                "exd6",
                36,
                43,
                0,
            ),
            (
                "Crazyhouse",
                "4k3/8/8/8/8/8/8/4K3[P] w - - 0 1",
                "P@e4",
                28,
                28,
                1,
            ),
        ] {
            let expected = from | to << 6 | piece << 12;
            assert_eq!(
                packed(variant, fen.as_bytes(), san.as_bytes()),
                expected,
                "{san}"
            );
        }
    }
}
