//! The start position that the tags of a game name (D8).

use super::position::{Position, Rules};

/// Longest value that counts.
const MAX_VALUE: usize = 255;

/// The start position of a game with these tag pairs (true values), in their order: Variant gives the rules, FEN the position.
///
/// # Errors
/// The index of the tag pair that cannot be used; the play of such a game is text (D9).
pub fn start_position<'a, I>(tags: I) -> Result<Position, usize>
where
    I: Iterator<Item = (&'a [u8], &'a [u8])>,
{
    let mut variant: Option<(usize, &[u8])> = None;
    let mut fen: Option<(usize, &[u8])> = None;
    for (i, (name, value)) in tags.enumerate() {
        let seen = match name {
            b"Variant" => &mut variant,
            b"FEN" => &mut fen,
            _ => continue,
        };
        // A reader of 1994 sees the first of a name only, and at most so many bytes of it.
        if value.len() > MAX_VALUE || seen.is_some_and(|(_, other)| other != value) {
            return Err(i);
        }
        *seen = Some((i, value));
    }
    let rules = match variant {
        Some((i, value)) => Rules::from_variant_tag(value).ok_or(i)?,
        None => Rules::Chess,
    };
    Position::start(rules, fen.map(|(_, value)| value)).map_err(|_| fen.map_or(0, |(i, _)| i))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(tags: &[(&str, &str)]) -> Result<(), usize> {
        start_position(tags.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes()))).map(|_| ())
    }

    #[test]
    fn twice_is_fine_only_with_one_value() {
        assert_eq!(start(&[("Event", "x"), ("Variant", "Atomic"), ("Variant", "Atomic")]), Ok(()));
        assert_eq!(start(&[("Variant", "Atomic"), ("Variant", "Standard")]), Err(1));
        let fen = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
        assert_eq!(start(&[("FEN", fen), ("FEN", fen)]), Ok(()));
        assert_eq!(start(&[("FEN", fen), ("FEN", "x")]), Err(1));
        assert_eq!(start(&[("Variant", &" ".repeat(256))]), Err(0));
        assert_eq!(start(&[("Variant", "Chess\t960")]), Err(0));
    }
}
