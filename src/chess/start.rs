//! The start position that the tags of a game name (D8).

use super::position::{Position, Rules};

/// Longest FEN value that counts.
const MAX_FEN: usize = 255;

/// The start position of a game with these tag pairs (true values), in their order: Variant gives the rules, FEN the position.
///
/// # Errors
/// The index of the tag pair that cannot be used; the play of such a game is text (D9).
pub fn start_position<'a, I>(tags: I) -> Result<Position, usize>
where
    I: Iterator<Item = (&'a [u8], &'a [u8])>,
{
    let mut rules = Rules::Chess;
    let mut fen: Option<(usize, &[u8])> = None;
    for (i, (name, value)) in tags.enumerate() {
        match name {
            b"Variant" => rules = Rules::from_variant_tag(value).ok_or(i)?,
            b"FEN" if value.len() > MAX_FEN || fen.is_some_and(|(_, other)| other != value) => return Err(i),
            b"FEN" => fen = Some((i, value)),
            _ => {}
        }
    }
    Position::start(rules, fen.map(|(_, value)| value)).map_err(|_| fen.map_or(0, |(i, _)| i))
}
