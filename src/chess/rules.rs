//! The rules a game is played by: chess, Chess960, or a variant of Lichess.

use shakmaty::variant::Variant;

/// The rules a game is played by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// Standard chess.
    Chess,
    /// Chess960, also called Fischer Random.
    Chess960,
    /// One of the Lichess variants.
    Other(Variant),
}

impl Rules {
    /// All rules, by their numbers in an index (spec/index.md 3.2), with their names as values of a
    /// Variant tag.
    pub const ALL: [(Rules, &'static str); 9] = [
        (Rules::Chess, "chess"),
        (Rules::Chess960, "Chess960"),
        (Rules::Other(Variant::Antichess), "Antichess"),
        (Rules::Other(Variant::Atomic), "Atomic"),
        (Rules::Other(Variant::Crazyhouse), "Crazyhouse"),
        (Rules::Other(Variant::Horde), "Horde"),
        (Rules::Other(Variant::KingOfTheHill), "King of the Hill"),
        (Rules::Other(Variant::RacingKings), "Racing Kings"),
        (Rules::Other(Variant::ThreeCheck), "Three-check"),
    ];

    /// The rules that the value of a Variant tag names, ignoring case and blanks; `None` for an
    /// unknown name (D8). A game without the tag is chess: pass the empty string.
    ///
    /// ```
    /// use pgc_chess::Rules;
    ///
    /// assert_eq!(Rules::from_variant_tag(b"Fischer Random"), Some(Rules::Chess960));
    /// assert_eq!(Rules::from_variant_tag(b"normal"), Some(Rules::Chess));
    /// assert_eq!(Rules::from_variant_tag(b"Losers"), None);
    /// ```
    pub fn from_variant_tag(value: &[u8]) -> Option<Rules> {
        let letters = value.iter().filter(|&&byte| byte != b' ');
        let name: Vec<u8> = letters.map(u8::to_ascii_lowercase).collect();
        Some(match name.as_slice() {
            b"" | b"?" | b"standard" | b"normal" | b"chess" | b"fromposition" | b"regular"
            | b"classical" => Rules::Chess,
            b"chess960"
            | b"chess-960"
            | b"fischerandom"
            | b"fischerrandom"
            | b"fischerrandomchess"
            | b"frc"
            | b"freestyle"
            | b"freestylechess"
            | b"960" => Rules::Chess960,
            // The moves of suicide and giveaway chess are those of antichess, castling aside.
            b"antichess" | b"anti" | b"giveaway" | b"giveawaychess" | b"suicide"
            | b"suicidechess" => Rules::Other(Variant::Antichess),
            b"atomic" | b"atom" | b"atomicchess" => Rules::Other(Variant::Atomic),
            b"crazyhouse" | b"zh" | b"house" => Rules::Other(Variant::Crazyhouse),
            b"horde" | b"hordechess" => Rules::Other(Variant::Horde),
            b"kingofthehill" | b"koth" => Rules::Other(Variant::KingOfTheHill),
            b"racingkings" | b"racing" | b"race" => Rules::Other(Variant::RacingKings),
            b"three-check" | b"threecheck" | b"threecheckchess" | b"3check" | b"3-check" => {
                Rules::Other(Variant::ThreeCheck)
            }
            // Chess from the positions of FICS, which a FEN gives.
            name if name.starts_with(b"wild/") => match &name[5..] {
                [b'0'..=b'8'] | b"8a" => Rules::Chess,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// The rules that the fields of a FEN show: pieces in hand are of Crazyhouse, checks left of
    /// Three-check.
    pub fn from_fields(fen: &str) -> Option<Rules> {
        let mut fields = fen.split(' ');
        let board = fields.next()?;
        if board.contains('[') || board.matches('/').count() == 8 {
            Some(Rules::Other(Variant::Crazyhouse))
        } else if fields.any(|field| field.contains('+')) {
            Some(Rules::Other(Variant::ThreeCheck))
        } else {
            None
        }
    }

    /// The name of the rules, as the value of a Variant tag.
    pub fn name(self) -> &'static str {
        Rules::ALL[usize::from(self.number())].1
    }

    /// The number that stands for these rules in an index (spec/index.md 3.2).
    pub fn number(self) -> u8 {
        let known = (0..).zip(Rules::ALL).find(|known| known.1.0 == self);
        known.map_or(0, |known| known.0)
    }
}
