//! The models of one block, which writer and reader update in step (spec/small.md).

use crate::small::bits::{BitCoder, Chances, Read, context};
use crate::small::numbers::Numbers;
use crate::small::parts::{OWN_SHAPES, TagItem, UnitCode};
use crate::small::play::{PliesModel, Tokens};
use crate::small::tags::{TIME_CONTROL, Tags};
use pgc_chess::{BadCode, CodedLine, Position, Rules, names_position};

/// What a game may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Extra {
    /// An escape `T`.
    TagData,
    /// An escape `L`.
    Layout,
    /// Comments that are taken apart.
    Parts,
}

/// The models of the tags, tokens and numbers of a block.
#[derive(Debug)]
pub(crate) struct Models {
    units: Chances,
    /// The unit before, and whether the last game had each extra.
    unit: u32,
    extras: [bool; 3],
    pub tags: Tags,
    pub plies: PliesModel,
    pub tokens: Tokens,
    pub numbers: Numbers,
}

impl Models {
    pub(crate) fn new() -> Models {
        Models {
            units: Chances::new(10),
            unit: 0,
            extras: [false; 3],
            tags: Tags::new(),
            plies: PliesModel::new(),
            tokens: Tokens::new(),
            numbers: Numbers::new(),
        }
    }

    /// Codes the kind of the next unit.
    pub(crate) fn unit(&mut self, coder: &mut impl BitCoder, code: UnitCode) -> Read<UnitCode> {
        let found = self
            .units
            .symbol(coder, context(self.unit, 1), 3, code as u32);
        self.unit = found;
        UnitCode::ALL.get(found as usize).copied().ok_or(BadCode)
    }

    /// Codes whether a game has this.
    pub(crate) fn extra(&mut self, coder: &mut impl BitCoder, extra: Extra, has: bool) -> bool {
        let last = &mut self.extras[extra as usize];
        let at = match extra {
            Extra::Parts => 4 | u32::from(*last),
            _ => u32::from(*last) << 1 | extra as u32,
        };
        let at = context(at, 2);
        *last = self.units.bit(coder, at, 0, has);
        *last
    }

    /// Begins the movetext of a game whose tags have been coded.
    pub(crate) fn begin_movetext(&mut self) {
        self.tokens.begin_game();
        let control = self.tags.value_of(TIME_CONTROL);
        self.numbers.begin_game(self.tags.text(control), control);
    }
}

/// The line of a game with these tags.
pub(crate) fn line(tags: &[TagItem<'_>]) -> Option<CodedLine> {
    let value = |wanted: &[u8]| {
        tags.iter().find_map(|tag| match *tag {
            TagItem::Pair(name, value) if name == wanted => Some(value),
            _ => None,
        })
    };
    let rules = value(b"Variant").map_or(Some(Rules::Chess), Rules::from_variant_tag)?;
    Position::start(rules, value(b"FEN").filter(|fen| names_position(fen)))
        .ok()
        .map(CodedLine::new)
}

/// Whether the clocks of comments of this shape count tenths of a second.
pub(crate) fn is_tenths(shapes: &[Vec<u8>], shape: usize) -> bool {
    let own = shape
        .checked_sub(OWN_SHAPES)
        .and_then(|own| shapes.get(own));
    own.is_some_and(|shape| shape.first() == Some(&crate::shape::TENTHS))
}
