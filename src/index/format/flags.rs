//! The flags of a game (spec/index.md 3.2).

use pgc_chess::{Ending, PlayedFacts, Rules, named_enum, special};
use pgc_pgn::game::Wholeness;
use pgc_pgn::writer::Termination;

/// Flags of a game (spec/index.md 3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u32);

/// Where the flags of special moves begin, the ending, and the rules.
const SPECIALS_AT: u32 = 11;
const ENDING_AT: u32 = 16;
const RULES_AT: u32 = 20;

/// Results, by their number.
const RESULTS: [Termination; 4] = [
    Termination::Unknown,
    Termination::BlackWins,
    Termination::WhiteWins,
    Termination::Draw,
];

/// The number of unknown rules.
const UNKNOWN_RULES: u8 = 15;

/// The words for rules in questions and answers, by their numbers; the last is for unknown rules.
pub(crate) const RULES: [&str; 10] = [
    "chess",
    "chess960",
    "antichess",
    "atomic",
    "crazyhouse",
    "horde",
    "kingofthehill",
    "racingkings",
    "three-check",
    "other",
];

/// The word for rules in questions and answers; `None`: they are unknown.
pub fn rules_word(rules: Option<Rules>) -> &'static str {
    RULES[rules.map_or(RULES.len() - 1, |known| usize::from(known.number()))]
}

/// The number of bits in use.
pub(crate) const FLAG_BITS: u32 = 24;

impl Flags {
    /// The Result tag and the terminator differ.
    pub const MISMATCH: u32 = 1 << 2;
    /// There is a FEN tag.
    pub const FEN: u32 = 1 << 3;
    /// The main line ends in text.
    pub const TAIL: u32 = 1 << 4;
    /// The main line is only text.
    pub const TEXT: u32 = 1 << 5;
    /// There are comments.
    pub const COMMENTS: u32 = 1 << 6;
    /// There are variations.
    pub const VARIATIONS: u32 = 1 << 7;
    /// There are NAGs.
    pub const NAGS: u32 = 1 << 8;
    /// There are clocks.
    pub const CLOCKS: u32 = 1 << 9;
    /// There are evaluations.
    pub const EVALS: u32 = 1 << 10;

    /// The flags of a game; `bits` has all but the result and the rules.
    pub(crate) fn new(result: Termination, rules: Option<Rules>, bits: u32) -> Flags {
        let number = RESULTS.iter().zip(0..).find(|known| *known.0 == result);
        let rules = rules.map_or(UNKNOWN_RULES, Rules::number);
        Flags(bits | number.map_or(0, |known| known.1) | u32::from(rules) << RULES_AT)
    }

    /// Adds what playing the game tells.
    pub(crate) fn with(self, played: &PlayedFacts) -> Flags {
        let specials = u32::from(played.specials) << SPECIALS_AT;
        Flags(self.0 | specials | (played.ending as u32) << ENDING_AT)
    }

    /// Whether one of these bits is set, as [`Flags::NAGS`].
    pub const fn has(self, bits: u32) -> bool {
        self.0 & bits != 0
    }

    /// The flags with these bits.
    pub const fn from_bits(bits: u32) -> Flags {
        Flags(bits)
    }

    /// The flags without those that a later version may have added.
    pub const fn known(self) -> Flags {
        Flags(self.0 & ((1 << FLAG_BITS) - 1))
    }

    /// The known flags without those that playing the game tells.
    pub const fn unplayed(self) -> Flags {
        let played = ((1 << (RULES_AT - SPECIALS_AT)) - 1) << SPECIALS_AT;
        Flags(self.known().0 & !played)
    }

    /// The bits, as stored in an index.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// How the game ended.
    pub const fn result(self) -> Termination {
        RESULTS[(self.0 & 3) as usize]
    }

    /// How much of the main line was understood.
    pub const fn wholeness(self) -> Wholeness {
        match self.0 & (Flags::TEXT | Flags::TAIL) {
            0 => Wholeness::Whole,
            Flags::TAIL => Wholeness::Tail,
            _ => Wholeness::TextOnly,
        }
    }

    /// Whether the index has a line of the game, if it has lines (spec/index.md section 7).
    pub const fn has_line(self) -> bool {
        self.0 & (Flags::FEN | Flags::TEXT) == 0 && self.0 >> RULES_AT & 0xf == 0
    }

    /// How the main line ends.
    pub fn ending(self) -> Ending {
        let ending = Ending::ALL.get((self.0 >> ENDING_AT & 0xf) as usize);
        ending.map(|known| known.1).unwrap_or_default()
    }

    /// The rules that the game is played by; `None` if they are unknown.
    pub fn rules(self) -> Option<Rules> {
        let rules = Rules::ALL.get((self.0 >> RULES_AT & 0xf) as usize);
        rules.map(|known| known.0)
    }
}

named_enum! {
    /// What a game may have; moves are those of the main line. The number is that of its flag.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[expect(missing_docs, reason = "the words of the questions")]
    #[repr(u32)]
    pub enum Feature, name {
        Comments = Flags::COMMENTS => "comments",
        Variations = Flags::VARIATIONS => "variations",
        Nags = Flags::NAGS => "nags",
        /// Clock times, or times that moves took, in one of the first 32 comments.
        Clocks = Flags::CLOCKS => "clocks",
        /// Evaluations by engines, likewise.
        Evals = Flags::EVALS => "evals",
        WhiteCastles = (special::WHITE_CASTLES as u32) << SPECIALS_AT => "white-castles",
        BlackCastles = (special::BLACK_CASTLES as u32) << SPECIALS_AT => "black-castles",
        Promotion = (special::PROMOTION as u32) << SPECIALS_AT => "promotion",
        Underpromotion = (special::UNDERPROMOTION as u32) << SPECIALS_AT => "underpromotion",
        EnPassant = (special::EN_PASSANT as u32) << SPECIALS_AT => "en-passant",
    }
}
