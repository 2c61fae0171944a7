//! The model of the tokens of a game, and of its number of plies (spec/small.md section 5).

use crate::small::bits::{BitCoder, Chances, Context, Mixer, Read, context};
use crate::small::parts::{CLOSE, END, MOVE, OPEN, TOKENS, Token};
use pgc_chess::BadCode;
use pgc_pgn::records::structure::MAX_RAV_DEPTH;

const FORESEEN_BITS: u32 = 12;

/// The model of tokens and NAGs.
#[derive(Debug)]
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
        let at: Context = context(self.last, state);
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
        self.nag = self
            .chances
            .symbol(coder, at, 8, u32::from(nag))
            .to_le_bytes()[0];
        self.nag
    }
}

/// The number of plies of a game.
#[derive(Debug)]
pub(crate) struct PliesModel(Mixer<1>);

impl PliesModel {
    pub(crate) fn new() -> PliesModel {
        PliesModel(Mixer::new(12, 1, 2, 255))
    }

    pub(crate) fn code(&mut self, coder: &mut impl BitCoder, plies: u64) -> Read<u64> {
        self.0.number(coder, &[0], 0, plies)
    }
}
