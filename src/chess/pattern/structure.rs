//! How the pawns of a side stand to each other, and the bishops of both sides.

use std::ops::RangeInclusive;

use shakmaty::{Bitboard, Color};

use super::error::BoardError;
use super::material::{ALL, count};
use super::moves::side;
use super::seen::BoardView;
use crate::pieces::Pieces;

/// The number of pawns of a side that stand so; of bishops, 1 if they do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StructureTest {
    /// `None`: either side.
    white: Option<bool>,
    kind: Kind,
    count: RangeInclusive<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// No pawn of its side is on a file beside it.
    Isolated,
    /// Another pawn of its side is before it on the file.
    Doubled,
    /// No pawn of the other side is before it, on its file or on one beside it.
    Passed,
    /// Each side has one bishop, on squares of the same colour.
    SameBishops,
    /// Each side has one bishop, on squares of different colours.
    OppositeBishops,
}

const NAMES: [(&str, Kind); 5] = [
    ("isolated", Kind::Isolated),
    ("doubled", Kind::Doubled),
    ("passed", Kind::Passed),
    ("same-bishops", Kind::SameBishops),
    ("opposite-bishops", Kind::OppositeBishops),
];

/// The pawns of a side: for each file, a bit for each rank from this side.
type Files = [u8; 8];

impl StructureTest {
    /// Reads `isolated`, `white:passed2..`, `black:doubled0`; without a number, one or more. `None`
    /// if the word begins otherwise.
    pub(super) fn from_word(word: &str) -> Option<Result<StructureTest, BoardError>> {
        let (white, rest) = side(word);
        let is_named = |(name, kind)| Some((rest.strip_prefix(name)?, kind));
        let (number, kind) = NAMES.into_iter().find_map(is_named)?;
        let count = match number {
            "" => Ok(1..=ALL),
            number => count(number),
        };
        Some(count.map(|count| StructureTest { white, kind, count }))
    }

    pub(super) fn matches(&self, pieces: &Pieces) -> bool {
        let is = |color| self.count.contains(&self.kind.count(pieces, color));
        match self.white {
            Some(white) => is(Color::from_white(white)),
            None => is(Color::White) || is(Color::Black),
        }
    }

    pub(super) fn seen(&self, seen: BoardView) -> StructureTest {
        StructureTest {
            white: self.white.map(|white| white != seen.flip),
            ..self.clone()
        }
    }
}

impl Kind {
    /// How many pawns of a side are of this kind, or whether the bishops are.
    fn count(self, pieces: &Pieces, color: Color) -> usize {
        if matches!(self, Kind::SameBishops | Kind::OppositeBishops) {
            let bishops = [pieces.white, pieces.black].map(|side| side & pieces.roles[3]);
            let [white, black] = bishops.map(|of| (of & Bitboard::LIGHT_SQUARES).any());
            let each_has_one = bishops.iter().all(|of| of.count() == 1);
            return usize::from(each_has_one && (white == black) == (self == Kind::SameBishops));
        }
        let files = |of: Color| -> Files {
            let Bitboard(pawns) = pieces.by_color(of) & pieces.roles[1];
            match color {
                Color::White => pawns.to_le_bytes(),
                Color::Black => pawns.to_le_bytes().map(u8::reverse_bits),
            }
        };
        let own = files(color);
        // Outside of the board there is none.
        let beside = |files: &Files, file: usize| {
            files.get(file.wrapping_sub(1)).unwrap_or(&0) | files.get(file + 1).unwrap_or(&0)
        };
        let on_file = |file: usize| match self {
            Kind::Isolated if beside(&own, file) == 0 => own[file],
            Kind::Isolated => 0,
            // All but the foremost.
            Kind::Doubled => own[file] & !highest(own[file]),
            // Bishops are counted above.
            _ => {
                let others = files(!color);
                // Those on the ranks from the foremost of the others on.
                let blocking = highest(others[file] | beside(&others, file));
                own[file] & !blocking.saturating_sub(1)
            }
        };
        (0..8).map(|file| on_file(file).count_ones() as usize).sum()
    }
}

/// The highest bit alone.
fn highest(bits: u8) -> u8 {
    bits.checked_ilog2().map_or(0, |bit| 1 << bit)
}

#[cfg(test)]
mod tests {
    use crate::{BoardTest, BoardView, Position, Rules};

    #[test]
    fn pawns_to_each_other() {
        // White: a2, a3 (doubled, isolated), d5 (passed), e4, h2; Black: c7, c6, g7.
        let fen = "4k3/2p3p1/2p5/3P4/4P3/P7/P6P/4K3 w - - 0 1";
        let position = Position::start(Rules::Chess, Some(fen.as_bytes())).unwrap();
        let is = |text: &str| {
            let test = BoardTest::pieces(text).unwrap();
            let flipped = test.seen(BoardView {
                flip: true,
                mirror: false,
            });
            (test.matches(&position), flipped.matches(&position))
        };
        for (text, white, black) in [
            // a2, a3 and h2; c6, c7 and g7.
            ("white:isolated3", true, true),
            ("isolated4..", false, false),
            // a3; c7, which has c6 before it.
            ("white:doubled1", true, true),
            ("white:doubled0", false, false),
            // a2, a3 and e4: the pawns of c6 and c7 stop d5, that of g7 h2. Of Black, none but
            // c6 and c7, which d5 stops, and g7, which h2 stops.
            ("white:passed3", true, false),
            ("black:passed0", true, false),
            ("passed", true, true),
            ("Pd5 white:passed", true, false),
        ] {
            assert_eq!(is(text), (white, black), "{text}");
        }
        for wrong in ["passed-1", "white:passed65", "passes", "white:Pe4"] {
            assert!(BoardTest::pieces(wrong).is_err(), "{wrong}");
        }
    }
}
