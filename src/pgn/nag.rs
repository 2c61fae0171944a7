//! The names of numeric annotation glyphs (PGN 1994, section 10).

/// The glyphs 0 to 13.
const NAMES: [&str; 14] = [
    "null annotation",
    "good move",
    "poor move",
    "very good move",
    "very poor move",
    "speculative move",
    "questionable move",
    "forced move",
    "singular move",
    "worst move",
    "drawish position",
    "equal chances, quiet position",
    "equal chances, active position",
    "unclear position",
];

/// The glyphs 14 to 139, in pairs: of White, then of Black. (The standard numbers four of them, 94
/// to 97, as 84 to 87 by mistake.)
const PAIRS: [&str; 63] = [
    "has a slight advantage",
    "has a moderate advantage",
    "has a decisive advantage",
    "has a crushing advantage",
    "is in zugzwang",
    "has a slight space advantage",
    "has a moderate space advantage",
    "has a decisive space advantage",
    "has a slight time advantage",
    "has a moderate time advantage",
    "has a decisive time advantage",
    "has the initiative",
    "has a lasting initiative",
    "has the attack",
    "has insufficient compensation for material deficit",
    "has sufficient compensation for material deficit",
    "has more than adequate compensation for material deficit",
    "has a slight center control advantage",
    "has a moderate center control advantage",
    "has a decisive center control advantage",
    "has a slight kingside control advantage",
    "has a moderate kingside control advantage",
    "has a decisive kingside control advantage",
    "has a slight queenside control advantage",
    "has a moderate queenside control advantage",
    "has a decisive queenside control advantage",
    "has a vulnerable first rank",
    "has a well protected first rank",
    "has a poorly protected king",
    "has a well protected king",
    "has a poorly placed king",
    "has a well placed king",
    "has a very weak pawn structure",
    "has a moderately weak pawn structure",
    "has a moderately strong pawn structure",
    "has a very strong pawn structure",
    "has poor knight placement",
    "has good knight placement",
    "has poor bishop placement",
    "has good bishop placement",
    "has poor rook placement",
    "has good rook placement",
    "has poor queen placement",
    "has good queen placement",
    "has poor piece coordination",
    "has good piece coordination",
    "has played the opening very poorly",
    "has played the opening poorly",
    "has played the opening well",
    "has played the opening very well",
    "has played the middlegame very poorly",
    "has played the middlegame poorly",
    "has played the middlegame well",
    "has played the middlegame very well",
    "has played the ending very poorly",
    "has played the ending poorly",
    "has played the ending well",
    "has played the ending very well",
    "has slight counterplay",
    "has moderate counterplay",
    "has decisive counterplay",
    "has moderate time control pressure",
    "has severe time control pressure",
];

/// Glyphs that the standard reserves, as editors of games have used them since (ChessPad first).
const USUAL: [(usize, &str); 27] = [
    (140, "with the idea"),
    (141, "aimed against"),
    (142, "better is"),
    (143, "worse is"),
    (144, "equivalent is"),
    (145, "editorial comment"),
    (146, "novelty"),
    (220, "diagram"),
    (221, "diagram from Black's side"),
    (238, "space advantage"),
    (239, "file"),
    (240, "diagonal"),
    (241, "center"),
    (242, "kingside"),
    (243, "queenside"),
    (244, "weak point"),
    (245, "ending"),
    (246, "bishop pair"),
    (247, "bishops of opposite colors"),
    (248, "bishops of the same color"),
    (249, "connected pawns"),
    (250, "isolated pawns"),
    (251, "doubled pawns"),
    (252, "passed pawn"),
    (253, "pawn majority"),
    (254, "with"),
    (255, "without"),
];

/// The name of a glyph: `good move`, `White has the initiative`; `None` for a number without one.
/// From 140 on the names are not those of the standard, which reserves the numbers, but of their
/// common use.
pub fn nag_name(number: u32) -> Option<String> {
    let number = usize::try_from(number).ok()?;
    if let Some(&name) = NAMES.get(number) {
        return Some(name.to_owned());
    }
    let pair = number - NAMES.len();
    let side = ["White", "Black"][pair % 2];
    let usual = || USUAL.iter().find(|usual| usual.0 == number);
    PAIRS
        .get(pair / 2)
        .map(|name| format!("{side} {name}"))
        .or_else(|| usual().map(|usual| usual.1.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::nag_name;

    #[test]
    fn names_of_the_standard() {
        for (number, name) in [
            (0, "null annotation"),
            (1, "good move"),
            (6, "questionable move"),
            (13, "unclear position"),
            (14, "White has a slight advantage"),
            (19, "Black has a decisive advantage"),
            (22, "White is in zugzwang"),
            (94, "White has poor rook placement"),
            (97, "Black has good rook placement"),
            (139, "Black has severe time control pressure"),
        ] {
            assert_eq!(nag_name(number).as_deref(), Some(name));
        }
        assert_eq!((nag_name(147), nag_name(u32::MAX)), (None, None));
        assert_eq!(nag_name(146).as_deref(), Some("novelty"));
        assert_eq!(nag_name(255).as_deref(), Some("without"));
    }
}
