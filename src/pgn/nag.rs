//! The names of numeric annotation glyphs (PGN 1994, section 10), and the signs that stand for them.

use std::ops::RangeInclusive;

use pgc_chess::stands_for;

use crate::blanks::is_space;

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

/// Which glyph of a pair a sign stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// It is no pair.
    One,
    /// That of the side that has just moved.
    Mover,
    /// That of the other side.
    Waiting,
}

use Whose::{Mover, One, Waiting};

/// The signs that stand for glyphs, as the table of spec/pgn-import.md section 3.3 has them: with
/// ASCII dashes and without white space. Of a pair the number is White's.
const SIGNS: &[(&str, u8, Whose)] = &[
    ("\u{203c}", 3, One),
    ("\u{2047}", 4, One),
    ("\u{2049}", 5, One),
    ("\u{2048}", 6, One),
    ("\u{ff01}", 1, One),
    ("\u{ff1f}", 2, One),
    ("\u{25a1}", 7, One),
    ("=", 10, One),
    ("\u{21b9}", 12, One),
    ("\u{221e}", 13, One),
    ("~", 13, One),
    ("+=", 14, One),
    ("+/=", 14, One),
    ("\u{2a72}", 14, One),
    ("=+", 15, One),
    ("=/+", 15, One),
    ("\u{2a71}", 15, One),
    ("+/-", 16, One),
    ("\u{b1}", 16, One),
    ("-/+", 17, One),
    ("\u{2213}", 17, One),
    ("+-", 18, One),
    ("-+", 19, One),
    ("+--", 20, One),
    ("--+", 21, One),
    ("\u{2a00}", 22, Waiting),
    ("\u{2299}", 22, Waiting),
    ("\u{25ef}", 24, Mover),
    ("\u{25cb}", 26, Mover),
    ("\u{25ef}\u{25ef}", 26, Mover),
    ("\u{25ef}\u{25ef}\u{25ef}", 28, Mover),
    ("\u{21bb}", 30, One),
    ("\u{21ba}", 31, One),
    ("\u{27f3}", 32, Mover),
    ("\u{21bb}\u{21bb}", 32, One),
    ("\u{21ba}\u{21ba}", 33, One),
    ("\u{21bb}\u{21bb}\u{21bb}", 34, One),
    ("\u{21ba}\u{21ba}\u{21ba}", 35, One),
    ("\u{2191}", 36, Mover),
    ("\u{2193}", 37, One),
    ("\u{21d1}", 38, Mover),
    ("\u{21d3}", 39, One),
    ("\u{2192}", 40, Mover),
    ("\u{2190}", 41, One),
    ("&/-", 42, One),
    ("&/+", 43, One),
    ("=\u{221e}", 44, Mover),
    ("=/\u{221e}", 44, Mover),
    ("=/&", 44, Mover),
    ("+/&", 46, One),
    ("-/&", 47, One),
    ("\u{229e}", 48, Mover),
    ("\u{229e}\u{229e}", 50, Mover),
    ("\u{229e}\u{229e}\u{229e}", 52, Mover),
    ("\u{27e9}", 54, Mover),
    ("\u{27eb}", 56, Mover),
    ("\u{22d9}", 58, Mover),
    ("\u{27e8}", 60, Mover),
    ("\u{27ea}", 62, Mover),
    ("\u{22d8}", 64, Mover),
    ("\u{2197}", 92, One),
    ("\u{2196}", 93, One),
    ("\u{21c8}", 96, One),
    ("\u{21ca}", 97, One),
    ("\u{21c4}", 132, Mover),
    ("\u{21c6}", 132, Mover),
    ("\u{21c4}\u{21c4}", 132, Mover),
    ("\u{21c6}\u{21c6}", 132, Mover),
    ("\u{21c4}\u{21c4}\u{21c4}", 134, Mover),
    ("\u{21c6}\u{21c6}\u{21c6}", 134, Mover),
    ("\u{2295}", 138, Mover),
    ("\u{2a01}", 138, Mover),
    ("\u{2295}\u{2295}", 138, One),
    ("\u{2296}", 137, One),
    ("\u{2296}\u{2296}", 139, One),
    ("\u{2206}", 140, One),
    ("\u{25b3}", 140, One),
    ("\u{2207}", 141, One),
    ("\u{25bd}", 141, One),
    ("\u{2313}", 142, One),
    ("RR", 145, One),
    ("N", 146, One),
    ("TN", 146, One),
    ("D", 220, One),
    ("\u{21d4}", 239, One),
    ("\u{27fa}", 239, One),
    ("\u{21d7}", 240, One),
    ("\u{2715}", 244, One),
    ("\u{22a5}", 245, One),
    ("\u{23ca}", 245, One),
    ("\u{25eb}", 246, One),
    ("\u{25e8}", 247, One),
    ("\u{22b6}", 248, One),
    ("\u{26ae}", 249, One),
    ("\u{26af}", 250, One),
    ("\u{2841}", 251, One),
    ("\u{26a8}", 252, One),
    ("\u{230a}", 254, One),
    ("\u{230b}", 255, One),
];

/// A sign as [`SIGNS`] has it: with ASCII dashes, without white space, in UTF-8.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainSign {
    bytes: [u8; PlainSign::LONGEST],
    len: usize,
}

impl PlainSign {
    /// The length of the longest sign in the table.
    const LONGEST: usize = 9;

    /// `None`: it is longer than any sign in the table.
    pub fn new(sign: &[u8]) -> Option<PlainSign> {
        // The plus-minus sign of Latin-1.
        let mut rest = if sign == b"\xb1" { "\u{b1}".as_bytes() } else { sign };
        let mut plain = PlainSign::default();
        while let [first, ..] = rest {
            let dash = stands_for(rest).filter(|stands| stands.0 == b'-');
            let (byte, width) = dash.unwrap_or((*first, 1));
            if !is_space(byte) {
                *plain.bytes.get_mut(plain.len)? = byte;
                plain.len += 1;
            }
            rest = &rest[width..];
        }
        Some(plain)
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// The glyph that it stands for behind a move of this side.
    pub(crate) fn nag(&self, is_white: bool) -> Option<u32> {
        nag_of(self.bytes(), is_white)
    }

    /// The glyph, if the sign may begin with check marks of the move before it, and the number of
    /// these. Both readings with a meaning: neither is certain.
    pub(crate) fn nag_behind_check(&self, is_white: bool) -> Option<(usize, u32)> {
        let is_mark = |byte: &&u8| matches!(byte, b'+' | b'#');
        let most = self.bytes().iter().take_while(is_mark).count();
        let whole = self.nag(is_white).map(|nag| (0, nag));
        let rest = |marks: usize| Some((marks, nag_of(&self.bytes()[marks..], is_white)?));
        whole.xor((1..=most).find_map(rest))
    }
}

fn nag_of(plain: &[u8], is_white: bool) -> Option<u32> {
    let found = SIGNS.iter().find(|sign| sign.0.as_bytes() == plain);
    found.map(|&(_, number, whose)| {
        let is_of_black = match whose {
            One => false,
            Mover => !is_white,
            Waiting => is_white,
        };
        u32::from(number) + u32::from(is_of_black)
    })
}

/// The glyphs that a spelling can stand for: a suffix, `$` and a number, or a sign, which may be one
/// of a pair.
pub fn spelled_nags(spelling: &[u8]) -> Option<RangeInclusive<u32>> {
    const SUFFIXES: [&[u8]; 6] = [b"!", b"?", b"!!", b"??", b"!?", b"?!"];
    if let [b'$', digits @ ..] = spelling {
        let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
        return Some(number..=number);
    }
    if let Some((number, _)) = (1..).zip(SUFFIXES).find(|suffix| suffix.1 == spelling) {
        return Some(number..=number);
    }
    let sign = PlainSign::new(spelling)?;
    let (white, black) = (sign.nag(true)?, sign.nag(false)?);
    Some(white.min(black)..=white.max(black))
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
