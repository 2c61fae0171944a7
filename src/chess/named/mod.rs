//! The opening of a game: the last position of its beginning that has a name (D74).
//!
//! The names are those of Lichess, which the crate esca carries; only `table.rs` uses it. Without
//! the feature `openings` no position has a name.

#[cfg(feature = "openings")]
mod filter;
#[cfg(feature = "openings")]
mod table;

use super::position::Position;
use super::rules::Rules;
use super::start::start_position;

/// Whether this build knows names.
pub(crate) const KNOWS_OPENINGS: bool = cfg!(feature = "openings");

/// Positions after more half moves have no name, as on Lichess.
pub(crate) const OPENING_PLIES: usize = 40;

/// Positions with fewer pieces have no name either, and neither has any position behind them.
#[cfg(feature = "openings")]
const LEAST_PIECES: usize = 20;

/// The opening that a game reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedOpening {
    /// Its code: A00 to E99.
    pub eco: &'static str,
    /// Its name, as `Sicilian Defense: Najdorf Variation, English Attack`.
    pub name: &'static str,
    /// The number of plies before the position that has the name.
    pub ply: usize,
}

/// The opening of a game with these tag pairs and this main line; `None` if none of its positions
/// has a name, or its rules are not those of chess.
pub(crate) fn named_opening<'a, I>(tags: I, ordinals: &[u8]) -> Option<NamedOpening>
where
    I: Iterator<Item = (&'a [u8], &'a [u8])> + Clone,
{
    let mut variants = tags.clone().filter(|(name, _)| *name == b"Variant");
    let is_chess = |value| Rules::from_variant_tag(value) == Some(Rules::Chess);
    if !variants.all(|(_, value)| is_chess(value)) {
        return None;
    }
    last_named(start_position(tags).ok()?, ordinals)
}

impl Position {
    /// The code and the name that this position has in the list of openings, if any.
    #[cfg(feature = "openings")]
    #[must_use]
    pub fn opening(&self) -> Option<(&'static str, &'static str)> {
        self.key()
            .filter(|&key| filter::may_be_named(key))
            .and_then(|_| table::name_of(self))
    }

    /// Without the feature `openings` no position has a name.
    #[cfg(not(feature = "openings"))]
    #[must_use]
    pub fn opening(&self) -> Option<(&'static str, &'static str)> {
        None
    }
}

/// The names of the openings that this run has met, in any games.
#[must_use]
pub fn known_openings() -> Vec<&'static str> {
    #[cfg(feature = "openings")]
    return table::asked_names();
    #[cfg(not(feature = "openings"))]
    Vec::new()
}

/// The last position with a name among `position` and those that the moves lead to.
#[cfg(feature = "openings")]
fn last_named(mut position: Position, ordinals: &[u8]) -> Option<NamedOpening> {
    // Nearly all candidates have a name, so few are looked up, from the last one backwards.
    let mut candidates = Vec::new();
    let mut moves = ordinals.iter().take(OPENING_PLIES).enumerate();
    let mut ply = 0;
    while position.piece_count() >= LEAST_PIECES {
        if position.key().is_some_and(filter::may_be_named) {
            candidates.push((ply, position.clone()));
        }
        let Some((played, &ordinal)) = moves.next() else {
            break;
        };
        if position.play_ordinal(ordinal).is_none() {
            break;
        }
        ply = played + 1;
    }
    candidates.iter().rev().find_map(|(ply, position)| {
        let (eco, name) = table::name_of(position)?;
        Some(NamedOpening {
            eco,
            name,
            ply: *ply,
        })
    })
}

#[cfg(not(feature = "openings"))]
fn last_named(_: Position, _: &[u8]) -> Option<NamedOpening> {
    None
}
