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
use super::standard::SavedBoard;
use super::start::start_position;

/// The code and the name of an opening.
pub(crate) type CodeAndName = (&'static str, &'static str);

/// The list of openings of this build, as an index names it (spec/index.md section 1); 0 for none.
pub const OPENING_LIST: u32 = if KNOWS_OPENINGS { 1 } else { 0 };

/// Whether this build knows names.
pub const KNOWS_OPENINGS: bool = cfg!(feature = "openings");

/// Positions after more half moves have no name, as on Lichess.
pub const OPENING_PLIES: usize = 40;

/// The opening that a game reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
pub fn named_opening<'a, I>(tags: I, ordinals: &[u8]) -> Option<NamedOpening>
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
    /// The code and the name that this position has in the list of openings, if any. Without the
    /// feature `openings` no position has a name.
    pub fn opening(&self) -> Option<(&'static str, &'static str)> {
        let key = self.repetition_key();
        may_be_named(key)
            .then(|| name_of_key(key, || Some(self.clone())))
            .flatten()
    }
}

/// The names of the openings that this run has met, in any games.
pub fn known_openings() -> Vec<&'static str> {
    #[cfg(feature = "openings")]
    return table::asked_names();
    #[cfg(not(feature = "openings"))]
    Vec::new()
}

/// `false`: no position with this key has a name.
#[inline]
#[cfg_attr(
    not(feature = "openings"),
    expect(unused_variables, reason = "nothing has a name")
)]
fn may_be_named(key: u64) -> bool {
    #[cfg(feature = "openings")]
    return filter::may_be_named(key);
    #[cfg(not(feature = "openings"))]
    false
}

/// The name of a position with this key, which is made if it must be asked for.
#[cfg_attr(
    not(feature = "openings"),
    expect(unused_variables, reason = "nothing has a name")
)]
fn name_of_key(key: u64, position: impl FnOnce() -> Option<Position>) -> Option<CodeAndName> {
    #[cfg(feature = "openings")]
    return table::name_of_key(key, position);
    #[cfg(not(feature = "openings"))]
    None
}

/// Looks for the last position of a game that has a name.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// The positions that may have one: their keys, and the plies before them. Most have one, so
    /// few are looked up, from the last one backwards.
    candidates: Vec<(u64, usize, SavedBoard)>,
}

impl Named {
    /// Begins a game.
    pub(super) fn begin(&mut self) {
        self.candidates.clear();
    }

    /// Looks at the position after so many plies, at most [`OPENING_PLIES`].
    #[inline]
    pub(super) fn see(&mut self, position: &Position, key: u64, ply: usize) {
        if may_be_named(key)
            && let Some(board) = position.board()
        {
            self.candidates.push((key, ply, board));
        }
    }

    /// Its code and name, and the number of plies before it. `position` is any of the game.
    pub(super) fn last(&self, position: &Position) -> Option<(CodeAndName, usize)> {
        self.candidates.iter().rev().find_map(|(key, ply, board)| {
            let name = name_of_key(*key, || Some(position.back_at(board)));
            Some((name?, *ply))
        })
    }
}

/// The last position with a name among `position` and those that the moves lead to.
fn last_named(mut position: Position, ordinals: &[u8]) -> Option<NamedOpening> {
    let mut named = Named::default();
    let mut moves = ordinals.iter().take(OPENING_PLIES);
    for ply in 0.. {
        named.see(&position, position.repetition_key(), ply);
        let ordinal = moves.next().copied();
        if ordinal
            .and_then(|ordinal| position.play_ordinal(ordinal))
            .is_none()
        {
            break;
        }
    }
    let ((eco, name), ply) = named.last(&position)?;
    Some(NamedOpening { eco, name, ply })
}
