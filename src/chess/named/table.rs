//! The table of names: the crate esca, which has the list of Lichess. It is asked for single
//! positions and for nothing else; the rules are shakmaty's.

use std::cell::RefCell;
use std::sync::{LazyLock, RwLock};

use hashbrown::HashMap;
use shakmaty::EnPassantMode;
use shakmaty::fen::Fen;

use crate::position::Position;

/// The code and the name of an opening.
type FoundName = (&'static str, &'static str);

/// The names that were asked for, by key. There are no more than esca has, some thousands, and the
/// few positions without one that pass the filter.
static ASKED: LazyLock<RwLock<HashMap<u64, Option<FoundName>>>> = LazyLock::new(RwLock::default);

thread_local! {
    /// What this thread knows of them, without a lock.
    static KNOWN: RefCell<HashMap<u64, Option<FoundName>>> = RefCell::default();
}

/// A thread forgets what it knows if it has met so many positions.
const MOST: usize = 1 << 16;

/// The name of a position with this key; `None` under other rules than those of chess.
pub(super) fn name_of_key(
    key: u64,
    position: impl FnOnce() -> Option<Position>,
) -> Option<FoundName> {
    KNOWN.with_borrow_mut(|known| {
        if known.len() > MOST {
            known.clear();
        }
        *known.entry(key).or_insert_with(|| {
            let asked = ASKED.read().ok().and_then(|asked| asked.get(&key).copied());
            asked.unwrap_or_else(|| {
                let name = position().and_then(|position| name_of(&position));
                if let Ok(mut asked) = ASKED.write()
                    && (name.is_some() || asked.len() < MOST)
                {
                    asked.insert(key, name);
                }
                name
            })
        })
    })
}

/// The name of a position of chess. An en passant square counts if a pawn can take there.
fn name_of(position: &Position) -> Option<FoundName> {
    let fen = Fen::from_position(&position.to_chess()?, EnPassantMode::Legal).to_string();
    // Positions that no game can reach are errors there.
    let position = esca::Position::from_fen(&fen).ok()?;
    let found = esca::openings::lookup(&position)?;
    Some((found.eco, found.name))
}

/// The names that were found so far, of whatever games.
pub(super) fn asked_names() -> Vec<&'static str> {
    let asked = ASKED.read();
    let names = asked.iter().flat_map(|asked| asked.values().flatten());
    names.map(|opening| opening.1).collect()
}

#[cfg(test)]
mod tests {
    use super::name_of;
    use crate::position::Position;
    use crate::rules::Rules;

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
