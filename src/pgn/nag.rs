//! The names of numeric annotation glyphs (PGN 1994, section 10), and the signs that stand for them.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use pgc_chess::stands_for;

use crate::blanks::is_space;

/// The names, a line each, behind their numbers. (The standard numbers four of them, 94 to 97, as 84
/// to 87 by mistake.) From 140 on, where the standard reserves the numbers, they are those of editors
/// of games (ChessPad first).
const NAMES: &str = include_str!("nag_names.txt");

/// The name of a glyph: `good move`, `White has the initiative`; `None` for a number without one.
/// From 140 on the names are not those of the standard, which reserves the numbers, but of their
/// common use.
pub fn nag_name(number: u32) -> Option<&'static str> {
    static BY_NUMBER: LazyLock<HashMap<u32, &str>> = LazyLock::new(|| {
        let lines = NAMES.lines().filter_map(|line| line.split_once(' '));
        lines
            .filter_map(|(number, name)| Some((number.parse().ok()?, name)))
            .collect()
    });
    BY_NUMBER.get(&number).copied()
}

/// The signs that stand for glyphs, as the table of spec/pgn-import.md section 3.3 has them: with ASCII
/// dashes and without white space, behind their number. Of a pair that is White's; before it stands
/// `m` if the sign is that of the side that has just moved, `w` if that of the other side.
const SIGNS: &str = "\
    3 \u{203c},4 \u{2047},5 \u{2049},6 \u{2048},1 \u{ff01},2 \u{ff1f},7 \u{25a1},10 =,\
    12 \u{21b9},13 \u{221e} ~,14 += +/= \u{2a72},15 =+ =/+ \u{2a71},16 +/- \u{b1},\
    17 -/+ \u{2213},18 +-,19 -+,20 +--,21 --+,w22 \u{2a00} \u{2299},m24 \u{25ef},\
    m26 \u{25cb} \u{25ef}\u{25ef},m28 \u{25ef}\u{25ef}\u{25ef},30 \u{21bb},31 \u{21ba},\
    m32 \u{27f3},32 \u{21bb}\u{21bb},33 \u{21ba}\u{21ba},34 \u{21bb}\u{21bb}\u{21bb},\
    35 \u{21ba}\u{21ba}\u{21ba},m36 \u{2191},37 \u{2193},m38 \u{21d1},39 \u{21d3},\
    m40 \u{2192},41 \u{2190},42 &/-,43 &/+,m44 =\u{221e} =/\u{221e} =/&,46 +/&,47 -/&,\
    m48 \u{229e},m50 \u{229e}\u{229e},m52 \u{229e}\u{229e}\u{229e},m54 \u{27e9},\
    m56 \u{27eb},m58 \u{22d9},m60 \u{27e8},m62 \u{27ea},m64 \u{22d8},92 \u{2197},\
    93 \u{2196},96 \u{21c8},97 \u{21ca},\
    m132 \u{21c4} \u{21c6} \u{21c4}\u{21c4} \u{21c6}\u{21c6},\
    m134 \u{21c4}\u{21c4}\u{21c4} \u{21c6}\u{21c6}\u{21c6},m138 \u{2295} \u{2a01},\
    138 \u{2295}\u{2295},137 \u{2296},139 \u{2296}\u{2296},140 \u{2206} \u{25b3},\
    141 \u{2207} \u{25bd},142 \u{2313},145 RR,146 N TN,220 D,239 \u{21d4} \u{27fa},\
    240 \u{21d7},244 \u{2715},245 \u{22a5} \u{23ca},246 \u{25eb},247 \u{25e8},248 \u{22b6},\
    249 \u{26ae},250 \u{26af},251 \u{2841},252 \u{26a8},254 \u{230a},255 \u{230b}";

/// A sign as `SIGNS` has it: with ASCII dashes, without white space, in UTF-8.
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
        let mut rest = if sign == b"\xb1" {
            "\u{b1}".as_bytes()
        } else {
            sign
        };
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

    /// The bytes.
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
    let has = |signs: &str| signs.split(' ').any(|sign| sign.as_bytes() == plain);
    let mut all = SIGNS.split(',').filter_map(|signs| signs.split_once(' '));
    let (number, _) = all.find(|(_, signs)| has(signs))?;
    let is_of_black = match number.as_bytes()[0] {
        b'm' => !is_white,
        b'w' => is_white,
        _ => false,
    };
    let number: u32 = number.trim_start_matches(['m', 'w']).parse().ok()?;
    Some(number + u32::from(is_of_black))
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
            assert_eq!(nag_name(number), Some(name));
        }
        assert_eq!((nag_name(147), nag_name(u32::MAX)), (None, None));
        assert_eq!(nag_name(146), Some("novelty"));
        assert_eq!(nag_name(255), Some("without"));
    }
}
