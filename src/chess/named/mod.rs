//! The opening of a game: the last position of its beginning that has a name (D74).
//!
//! The names are those of Lichess, in spec/openings.tsv. `tests/chess/opening_list.rs` makes the two
//! files here from that list: `positions.bin`, with an entry for each position, by ascending key, and
//! `names.bin`, with the names.

use super::position::{Inner, Position};
use super::rules::Rules;
use super::start::start_position;

/// The list of openings, as an index names it (spec/index.md section 3.4).
pub const OPENING_LIST: u32 = 1;

/// Positions after more half moves have no name, as on Lichess.
pub const OPENING_PLIES: usize = 40;

/// A position with a name: its key in eight bytes, in three where its code and name begin among
/// [`NAMES`], in one how long they are. All numbers are little-endian.
type Entry = [u8; 12];

/// The positions with names, by ascending key. Keys have 64 bits: that a position without a name has
/// one of these 3,810 keys can be left out of account.
const POSITIONS: &[Entry] = include_bytes!("positions.bin").as_chunks().0;

/// A bit for each value of the two highest bytes of a key, set if a position with a name has them:
/// most other positions need no search.
static BEGINNINGS: [u64; 1024] = {
    let mut bits = [0; 1024];
    let mut i = 0;
    while i < POSITIONS.len() {
        let begin = u16::from_le_bytes([POSITIONS[i][6], POSITIONS[i][7]]);
        bits[begin as usize / 64] |= 1 << (begin % 64);
        i += 1;
    }
    bits
};

/// The codes and names.
const NAMES: &str = include_str!("names.bin");

/// The opening that a game reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedOpening {
    /// The code: A00 to E99.
    pub eco: &'static str,
    /// The name, as `Sicilian Defense: Najdorf Variation, English Attack`.
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
    let mut position = start_position(tags).ok()?;
    let (mut named, mut moves) = (None, ordinals.iter().take(OPENING_PLIES));
    for ply in 0.. {
        named = position.named(position.repetition_key(), ply).or(named);
        let played = moves
            .next()
            .and_then(|&ordinal| position.advance(ordinal, None));
        if played.is_none() {
            break;
        }
    }
    named
}

impl Position {
    /// The code and the name that this position has in the list of openings, if any.
    pub fn opening(&self) -> Option<(&'static str, &'static str)> {
        let named = self.named(self.repetition_key(), 0)?;
        Some((named.eco, named.name))
    }

    /// The opening that this position has as its name; `key` is its key, `ply` the number of plies
    /// before it.
    #[inline]
    pub(super) fn named(&self, key: u64, ply: usize) -> Option<NamedOpening> {
        // Positions of variants have keys of another kind.
        if !matches!(self.0, Inner::Standard(_)) {
            return None;
        }
        let begin = key >> 48;
        if BEGINNINGS[begin as usize / 64] >> (begin % 64) & 1 == 0 {
            return None;
        }
        let found =
            POSITIONS.binary_search_by_key(&key, |&[key @ .., _, _, _, _]| u64::from_le_bytes(key));
        let (eco, name) = code_and_name(&POSITIONS[found.ok()?]);
        Some(NamedOpening { eco, name, ply })
    }
}

fn code_and_name(&[.., low, middle, high, length]: &Entry) -> (&'static str, &'static str) {
    let begin = u32::from_le_bytes([low, middle, high, 0]) as usize;
    NAMES[begin..][..usize::from(length)].split_at(3)
}

/// The names of all openings, some more than once.
pub fn opening_names() -> impl Iterator<Item = &'static str> {
    POSITIONS.iter().map(|entry| code_and_name(entry).1)
}
