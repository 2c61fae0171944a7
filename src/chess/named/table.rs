//! The table of names: the crate esca, which has the list of Lichess. It is asked for single
//! positions and for nothing else; the rules are shakmaty's.

use std::collections::HashMap;
use std::sync::{LazyLock, RwLock};

use shakmaty::fen::Fen;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, Position as _};

use crate::chess::position::Position;

/// The code and the name of an opening.
type CodeAndName = (&'static str, &'static str);

/// The names that were asked for, by key. There are no more than esca has, some thousands.
static ASKED: LazyLock<RwLock<HashMap<u64, CodeAndName>>> = LazyLock::new(RwLock::default);

/// The name of a position of chess. An en passant square counts if a pawn can take there.
pub(super) fn name_of(position: &Position) -> Option<CodeAndName> {
    let chess = position.to_chess()?;
    let Zobrist64(key) = chess.zobrist_hash(EnPassantMode::Legal);
    let asked = ASKED.read().ok()?.get(&key).copied();
    if asked.is_some() {
        return asked;
    }
    let fen = Fen::from_position(&chess, EnPassantMode::Legal).to_string();
    // Positions that no game can reach are errors there.
    let position = esca::Position::from_fen(&fen).ok()?;
    let found = esca::openings::lookup(&position)?;
    let name = (found.eco, found.name);
    ASKED.write().ok()?.insert(key, name);
    Some(name)
}

/// The names that were found so far, of whatever games.
pub(super) fn asked_names() -> Vec<&'static str> {
    let asked = ASKED.read();
    let names = asked.iter().flat_map(|asked| asked.values());
    names.map(|opening| opening.1).collect()
}

#[cfg(test)]
mod tests {
    use super::name_of;
    use crate::chess::position::Position;
    use crate::chess::rules::Rules;

    /// Boards that no game can reach have no name, and are no trouble for esca.
    #[test]
    fn boards_from_nowhere() {
        let mut state = 74_u64;
        let mut below = |n: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            usize::try_from((state >> 33) % n).unwrap_or_default()
        };
        let mut tried = 0;
        for _ in 0..4000 {
            let mut board = [b'1'; 64];
            for _ in 0..below(60) {
                board[below(64)] = b"QRBNPqrbnp"[below(10)];
            }
            (board[below(64)], board[below(64)]) = (b'K', b'k');
            let ranks = board.chunks(8).map(String::from_utf8_lossy);
            let ranks: Vec<_> = ranks.collect();
            let rights = ["-", "KQkq", "Kq"][below(3)];
            let passed = ["-", "a3", "c6"][below(3)];
            let fen = format!("{} w {rights} {passed} 0 1", ranks.join("/"));
            let position = Position::start(Rules::Chess, Some(fen.as_bytes()));
            if let Ok(position) = position {
                assert_eq!(name_of(&position), None, "{fen}");
                tried += 1;
            }
        }
        assert!(tried > 50, "{tried}");
    }
}
