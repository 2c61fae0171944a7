//! The model of the tokens of a game, and of its number of plies (spec/small.md section 5).

use crate::block::small::bits::{BitCoder, Chances, Context, Mixer, Read, context};
use crate::block::small::parts::{CLOSE, END, MOVE, NAG, OPEN, TOKENS, Token};
use crate::chess::BadCode;
use crate::records::structure::MAX_RAV_DEPTH;

/// The model of tokens and NAGs.
#[derive(Debug)]
pub(crate) struct Tokens {
    chances: Chances,
    /// The last three tokens of this game, the latest lowest.
    last: u32,
    depth: u32,
    nag: u8,
}

impl Clone for Tokens {
    fn clone(&self) -> Tokens {
        Tokens {
            chances: self.chances.clone(),
            ..*self
        }
    }

    // The table keeps its memory.
    fn clone_from(&mut self, from: &Tokens) {
        self.chances.clone_from(&from.chances);
        (self.last, self.depth, self.nag) = (from.last, from.depth, from.nag);
    }
}

impl Tokens {
    /// See [`Models::settle`](super::models::Models::settle).
    pub(crate) fn settle(&mut self, limit: u32) {
        self.chances.settle(limit);
    }

    pub(crate) fn new() -> Tokens {
        Tokens {
            chances: Chances::new(16),
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
        let found = if left > 0 && self.chances.bit(coder, at, 0, token == MOVE) {
            MOVE
        } else if left == 0 && self.depth == 0 && self.chances.bit(coder, at, 1, token == END) {
            END
        } else {
            let at = context(self.last & 0x3_ffff, state);
            let found = self.chances.symbol(coder, at ^ 0x5555, 9, token);
            // `END` and `MOVE` have been ruled out.
            if !(NAG..TOKENS).contains(&found) {
                return Err(BadCode);
            }
            found
        };
        let left = match found {
            MOVE => left.checked_sub(1).ok_or(BadCode)?,
            _ => left,
        };
        match found {
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
#[derive(Clone, Debug)]
pub(crate) struct PliesModel(Mixer<1>);

impl PliesModel {
    pub(crate) fn new() -> PliesModel {
        PliesModel(Mixer::new(12, 1, 2, 255))
    }

    /// See [`Models::settle`](super::models::Models::settle).
    pub(crate) fn settle(&mut self, limit: u32) {
        self.0.settle(limit);
    }

    pub(crate) fn code(&mut self, coder: &mut impl BitCoder, plies: u64) -> u64 {
        self.0.number(coder, &[0], 0, plies)
    }
}
