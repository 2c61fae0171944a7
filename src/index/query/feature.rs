//! What a game may have, as the flags of an index tell.

use crate::format::flags::Flags;
use pgc_chess::special;

/// What a game may have; moves are those of the main line, under the rules of chess and Chess960.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words of the questions")]
pub enum Feature {
    Comments,
    Variations,
    Nags,
    /// Clock times, or times that moves took, in one of the first 32 comments.
    Clocks,
    /// Evaluations by engines, likewise.
    Evals,
    WhiteCastles,
    BlackCastles,
    Promotion,
    Underpromotion,
    EnPassant,
}

impl Feature {
    /// All of them, with their words.
    pub const ALL: [(&'static str, Feature); 10] = [
        ("comments", Feature::Comments),
        ("variations", Feature::Variations),
        ("nags", Feature::Nags),
        ("clocks", Feature::Clocks),
        ("evals", Feature::Evals),
        ("white-castles", Feature::WhiteCastles),
        ("black-castles", Feature::BlackCastles),
        ("promotion", Feature::Promotion),
        ("underpromotion", Feature::Underpromotion),
        ("en-passant", Feature::EnPassant),
    ];

    /// Whether a game with these flags has it.
    pub(crate) fn is_in(self, flags: Flags) -> bool {
        let has = |special| flags.specials() & special != 0;
        match self {
            Feature::Comments => flags.comments(),
            Feature::Variations => flags.variations(),
            Feature::Nags => flags.nags(),
            Feature::Clocks => flags.clocks(),
            Feature::Evals => flags.evals(),
            Feature::WhiteCastles => has(special::WHITE_CASTLES),
            Feature::BlackCastles => has(special::BLACK_CASTLES),
            Feature::Promotion => has(special::PROMOTION),
            Feature::Underpromotion => has(special::UNDERPROMOTION),
            Feature::EnPassant => has(special::EN_PASSANT),
        }
    }
}
