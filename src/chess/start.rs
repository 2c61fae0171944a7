//! The start position that the tags of a game name (D8).

use super::position::Position;
use super::rules::Rules;

/// The longest value that a record can hold.
const MAX_VALUE: usize = 255;

/// Whether every reader gets this value of FEN or Variant unchanged.
pub fn is_reliable(value: &[u8]) -> bool {
    value.len() <= MAX_VALUE && value.iter().all(|b| matches!(b, b' '..=b'~'))
}

/// The start position of a game with these tag pairs (true values), in their order: Variant gives
/// the rules, FEN the position.
///
/// A reader of 1994 sees only the first tag pair of a name, and only Latin-1 without controls. All
/// pairs of a name must have the same value, one that a record holds unchanged; else the ordinals
/// would mean other moves to that reader.
///
/// # Errors
/// The index of the tag pair that cannot be used; the play of such a game is text (D9).
pub fn start_position<'a, I>(tags: I) -> Result<Position, usize>
where
    I: Iterator<Item = (&'a [u8], &'a [u8])>,
{
    let (mut variant, mut fen) = (None, None);
    for (i, (name, value)) in tags.enumerate() {
        let slot: &mut Option<(usize, &[u8])> = match name {
            b"Variant" => &mut variant,
            b"FEN" => &mut fen,
            _ => continue,
        };
        if !is_reliable(value) || slot.is_some_and(|(_, other)| other != value) {
            return Err(i);
        }
        *slot = Some((i, value));
    }
    let rules = match variant {
        Some((i, value)) => Rules::from_variant_tag(value).ok_or(i)?,
        None => Rules::Chess,
    };
    let fen = fen.filter(|(_, value)| names_position(value));
    Position::start(rules, fen.map(|(_, value)| value)).map_err(|_| fen.map_or(0, |(i, _)| i))
}

/// The index of a tag pair whose name is that of FEN or Variant but for its case, whose value would
/// change the start of the game, and which has no tag of the proper name beside it. Programs that
/// ignore the case of names play from there; a reader of records does not, so the play is text.
pub fn misnamed_start<'a, I>(tags: I) -> Option<usize>
where
    I: Iterator<Item = (&'a [u8], &'a [u8])> + Clone,
{
    // Most games have no such tag, so the others are looked at only for one that is.
    let has = |proper: &[u8]| tags.clone().any(|tag| tag.0 == proper);
    let changes = |fen: &[u8]| {
        let start = Position::start(Rules::Chess, Some(fen)).map(|start| start.fen());
        names_position(fen) && start != Ok(Position::initial().fen())
    };
    tags.clone().position(|(name, value)| match name.len() {
        _ if !is_start_tag(name) => false,
        3 => !has(b"FEN") && changes(value),
        _ => !has(b"Variant") && Rules::from_variant_tag(value) != Some(Rules::Chess),
    })
}

/// As [`start_position`], but for tags of which one is misnamed ([`misnamed_start`]), whose index is
/// the error: what a game that is read from PGN, or shown, starts from.
///
/// # Errors
/// As [`start_position`].
pub fn known_start<'a, I>(tags: I) -> Result<Position, usize>
where
    I: Iterator<Item = (&'a [u8], &'a [u8])> + Clone,
{
    misnamed_start(tags.clone()).map_or_else(|| start_position(tags), Err)
}

/// Whether this tag says where play starts, in any case.
pub fn is_start_tag(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"FEN") || name.eq_ignore_ascii_case(b"Variant")
}

/// Whether a FEN tag with this value names a position; some programs write one that says nothing.
pub fn names_position(fen: &[u8]) -> bool {
    // Other white space makes a value unreliable.
    !matches!(fen.trim_ascii(), b"" | b"?" | b"-")
}

/// Whether the FEN among these tags has castling rights that only the rules of Chess960 know, and
/// no Variant tag says what the rules are.
pub fn lacks_chess960<'a>(tags: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> bool {
    let mut fen = None;
    for (name, value) in tags {
        match name {
            b"Variant" => return false,
            b"FEN" => fen = fen.or(Some(value)),
            _ => {}
        }
    }
    let rights = |rules| Position::start(rules, fen).map_or(0, |start| start.castling_rights());
    fen.is_some() && rights(Rules::Chess) < rights(Rules::Chess960)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_record_tells_does_not_count() {
        let start = |tags: &[(&str, &str)]| {
            start_position(tags.iter().map(|(n, v)| (n.as_bytes(), v.as_bytes())))
                .map(|p| p.fullmoves())
        };
        let (kings, other) = (
            "8/8/4k3/8/8/4K3/8/8 w - - 0 7",
            "8/8/4k3/8/8/4K3/8/8 w - - 0 8",
        );
        let long = format!("Atomic{}", " ".repeat(250));
        assert_eq!(start(&[]), Ok(1));
        assert_eq!(
            start(&[
                ("Variant", "Atomic"),
                ("FEN", kings),
                ("FEN", kings),
                ("Variant", "Atomic")
            ]),
            Ok(7)
        );
        assert_eq!(
            start(&[("FEN", kings), ("White", "x"), ("FEN", other)]),
            Err(2)
        );
        assert_eq!(
            start(&[("Variant", "Standard"), ("Variant", "Atomic")]),
            Err(1)
        );
        assert_eq!(start(&[("Variant", "Racing\tKings")]), Err(0));
        assert_eq!(start(&[("Variant", &long)]), Err(0));
        assert_eq!(start(&[("Variant", &long[..255])]), Ok(1));
        assert_eq!(start(&[("White", "x"), ("Variant", "Losers")]), Err(1));
    }

    #[test]
    fn a_fen_that_says_nothing_is_none() {
        let start = |tags: &[(&str, &str)]| {
            start_position(tags.iter().map(|(n, v)| (n.as_bytes(), v.as_bytes()))).map(|p| p.fen())
        };
        let usual = Position::initial().fen();
        for value in ["", "?", "-", " ", " - "] {
            assert_eq!(start(&[("FEN", value)]), Ok(usual.clone()), "{value:?}");
        }
        assert_eq!(start(&[("FEN", "x")]), Err(0));
        assert_eq!(
            start(&[("FEN", ""), ("FEN", "8/8/4k3/8/8/4K3/8/8 w - - 0 7")]),
            Err(1)
        );
    }

    #[test]
    fn rights_of_chess960_without_a_variant() {
        let nine = "bqnrnkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNRNKRB w KQkq - 0 1";
        let lacks = |tags: &[(&str, &str)]| {
            lacks_chess960(tags.iter().map(|(n, v)| (n.as_bytes(), v.as_bytes())))
        };
        assert!(lacks(&[("White", "x"), ("FEN", nine)]));
        assert!(lacks(&[("FEN", &nine.replace("KQkq", "GDgd"))]));
        assert!(!lacks(&[("FEN", nine), ("Variant", "Chess960")]));
        assert!(!lacks(&[("FEN", &nine.replace("KQkq", "-"))]) && !lacks(&[]));
        // No rights under any rules.
        assert!(!lacks(&[("FEN", "4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1")]));
        assert!(!lacks(&[("FEN", &Position::initial().fen())]));
    }
}
