//! The models of one block, which writer and reader update in step: those of units, of the tokens
//! of a game, and of its number of plies (spec/small.md section 5).

use crate::decode::game::Decoded;
use crate::small::bits::{BitCoder, Chances, Mixer, Read, context};
use crate::small::numbers::Numbers;
use crate::small::parts::{CLOSE, END, MOVE, OPEN, TOKENS, Token, UNITS};
use crate::small::tags::{TIME_CONTROL, Tags};
use pgc_chess::{BadCode, Position, Rules, names_position};
use pgc_pgn::records::structure::MAX_RAV_DEPTH;
use pgc_pgn::split::UnitKind;

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
pub(crate) struct Models {
    units: Chances,
    /// The unit before, and whether the last game had each extra.
    unit: u32,
    extras: [bool; 3],
    pub tags: Tags,
    plies: Mixer<1>,
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
            plies: Mixer::new(12, 1, 2, 255),
            tokens: Tokens::new(),
            numbers: Numbers::new(),
        }
    }

    /// Codes which of [`UNITS`] comes next.
    pub(crate) fn unit(
        &mut self,
        coder: &mut impl BitCoder,
        unit: Option<(UnitKind, bool)>,
    ) -> Read<Option<(UnitKind, bool)>> {
        let at = context(self.unit, 1);
        let number = (0..).zip(UNITS).find(|&(_, known)| known == unit);
        let number = number.map_or(0, |(number, _)| number);
        self.unit = self.units.symbol(coder, at, 3, number);
        UNITS.get(self.unit as usize).copied().ok_or(BadCode)
    }

    /// Codes the number of plies of a game: most have less than 255, in one symbol.
    pub(crate) fn plies(&mut self, coder: &mut impl BitCoder, plies: u64) -> Read<u64> {
        let symbol = u8::try_from(plies).unwrap_or(u8::MAX);
        let found = self.plies.symbol(coder, &[0], 0, symbol);
        if found < u8::MAX {
            return Ok(found.into());
        }
        let more = plies.wrapping_sub(u8::MAX.into());
        let more = self.plies.number(coder, &[0], 0, more)?;
        Ok(more.saturating_add(u8::MAX.into()))
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

/// The position from which a game begins.
pub(crate) fn start(game: &Decoded) -> Option<Position> {
    let value = |wanted: &[u8]| {
        let tag = game.tag_pairs().find(|tag| tag.0 == wanted);
        tag.map(|tag| tag.1)
    };
    let rules = value(b"Variant").map_or(Some(Rules::Chess), Rules::from_variant_tag)?;
    Position::start(rules, value(b"FEN").filter(|fen| names_position(fen))).ok()
}

const FORESEEN_BITS: u32 = 12;

/// The model of tokens and NAGs.
pub(crate) struct Tokens {
    chances: Chances,
    /// What followed tokens and a state last, by their hash.
    foreseen: Vec<Token>,
    /// The last three tokens of this game, the latest lowest.
    last: u32,
    depth: u32,
    nag: u8,
}

impl Tokens {
    pub(crate) fn new() -> Tokens {
        Tokens {
            chances: Chances::new(16),
            foreseen: vec![END; 1 << FORESEEN_BITS],
            last: 0,
            depth: 0,
            nag: 0,
        }
    }

    pub(crate) fn begin_game(&mut self) {
        (self.last, self.depth) = (0, 0);
    }

    /// Codes the next token; `left`: the number of moves still to come. Also returns that number
    /// behind the token.
    pub(crate) fn token(
        &mut self,
        coder: &mut impl BitCoder,
        left: u64,
        token: Token,
    ) -> Read<(Token, u64)> {
        let state = self.depth.min(2) << 1 | u32::from(left > 0);
        let at = context(self.last, state);
        let place = at.wrapping_mul(0x9e37_79b1) >> (32 - FORESEEN_BITS);
        let foreseen = &mut self.foreseen[place as usize];
        let was_move = *foreseen == MOVE;
        let is_foreseen = self.chances.bit(coder, at, *foreseen, token == *foreseen);
        let asks_move = left > 0 && !was_move && !is_foreseen;
        if asks_move && self.chances.bit(coder, at, TOKENS, token == MOVE) {
            *foreseen = MOVE;
        } else if !is_foreseen {
            let at = context(self.last & 0x3_ffff, state) ^ 0x5555;
            *foreseen = self.chances.symbol(coder, at, 9, token);
        }
        let found = *foreseen;
        let left = match found {
            MOVE => left.checked_sub(1).ok_or(BadCode)?,
            _ => left,
        };
        match found {
            END if left > 0 || self.depth > 0 => return Err(BadCode),
            TOKENS.. => return Err(BadCode),
            OPEN if self.depth < MAX_RAV_DEPTH => self.depth += 1,
            OPEN => return Err(BadCode),
            CLOSE => self.depth = self.depth.checked_sub(1).ok_or(BadCode)?,
            _ => {}
        }
        self.last = self.last << 9 | found;
        Ok((found, left))
    }

    /// Codes the number of a NAG.
    pub(crate) fn nag(&mut self, coder: &mut impl BitCoder, nag: u8) -> u8 {
        let at = context(u32::from(self.nag), 0x7a6);
        let found = self.chances.symbol(coder, at, 8, u32::from(nag));
        self.nag = found.to_le_bytes()[0];
        self.nag
    }
}
