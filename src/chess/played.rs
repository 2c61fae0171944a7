//! What playing a game tells of it, for the index (spec/index.md sections 3.2 and 3.3).

use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, Position as _};

use super::named::{NamedOpening, OPENING_PLIES};
use super::ply;
use super::position::{Inner, Position};
use crate::named_enum;

named_enum! {
    /// How the main line of a game ends. The names are those in questions and answers, the order that
    /// of the numbers in an index.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Ending, name {
        /// In no way that the rules name: by agreement, resignation, on time.
        #[default]
        Open => "open",
        /// Checkmate.
        Checkmate => "mate",
        /// Stalemate.
        Stalemate => "stalemate",
        /// Neither side can mate.
        Insufficient => "insufficient",
        /// The last position occurred five times.
        Fivefold => "fivefold",
        /// 75 moves of both sides without a capture or a move of a pawn.
        SeventyFive => "75",
        /// The last position occurred three or four times.
        Threefold => "threefold",
        /// 50 such moves.
        Fifty => "50",
        /// By a rule of a variant.
        Variant => "variant",
    }
}

impl Ending {
    /// Whether it is this ending, or one that goes beyond it: a fifth repetition is also a third.
    pub fn is_at_least(self, least: Ending) -> bool {
        let beyond = match least {
            Ending::Threefold => Ending::Fivefold,
            Ending::Fifty => Ending::SeventyFive,
            other => other,
        };
        self == least || self == beyond
    }
}

/// What playing a game tells of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayedFacts {
    /// The pieces on the board at the end: of White and of Black, kings to pawns.
    pub material: Material,
    /// A bit for each kind of special move.
    pub specials: u8,
    /// How it ends.
    pub ending: Ending,
    /// The opening of the last of the first positions that has one.
    pub opening: Option<NamedOpening>,
}

/// The pieces of White and of Black: kings, queens, rooks, bishops, knights, pawns.
pub(crate) type Material = [[u8; 6]; 2];

/// The material that [`PlayedFacts::put_material`] wrote.
pub fn material_of(text: &str) -> Option<Material> {
    let mut material = [[0; 6]; 2];
    let mut bytes = text.bytes().peekable();
    while let Some(letter) = bytes.next() {
        let kind = b"KQRBNPkqrbnp".iter().position(|&kind| kind == letter)?;
        let mut count: Option<u8> = None;
        while let Some(digit) = bytes.next_if(u8::is_ascii_digit) {
            let tens = count.unwrap_or(0).checked_mul(10)?;
            count = Some(tens.checked_add(digit - b'0')?);
        }
        material[kind / 6][kind % 6] = count.unwrap_or(1);
    }
    Some(material)
}

impl PlayedFacts {
    /// The pieces as the index has them: `KQR2P5kr2p6`. No letter stands for no piece, and no
    /// number for one.
    pub fn put_material(&self, out: &mut Vec<u8>) {
        for (letters, counts) in [*b"KQRBNP", *b"kqrbnp"].iter().zip(&self.material) {
            for (&letter, &count) in letters.iter().zip(counts) {
                if count > 0 {
                    out.push(letter);
                }
                if count > 9 {
                    out.push(b'0' + count / 10);
                }
                if count > 1 {
                    out.push(b'0' + count % 10);
                }
            }
        }
    }
}

/// A main line that is being played.
#[derive(Debug, Default)]
pub struct Playing {
    /// The key of each position.
    keys: Vec<u64>,
    /// The opening that the last position with a name has.
    opening: Option<NamedOpening>,
}

impl Playing {
    /// Begins a game at this position.
    pub fn begin(&mut self, start: &Position) {
        self.keys.clear();
        self.opening = None;
        self.see(start);
    }

    /// Notes the position after the next move.
    #[inline]
    pub fn see(&mut self, position: &Position) {
        let key = position.repetition_key();
        let ply = self.keys.len();
        if ply <= OPENING_PLIES
            && let Some(opening) = position.named(key, ply)
        {
            self.opening = Some(opening);
        }
        self.keys.push(key);
    }

    /// What the game tells, which ends with this position.
    pub fn end(&self, position: &Position) -> PlayedFacts {
        PlayedFacts {
            material: position.material(),
            specials: position.specials(),
            ending: self.ending(position),
            opening: self.opening,
        }
    }

    fn ending(&self, position: &Position) -> Ending {
        let halfmoves = position.halfmoves();
        if let Some(ending) = position.over() {
            return ending;
        }
        // No position occurs again within eight half moves three times.
        let times = if halfmoves < 8 {
            1
        } else {
            self.times(halfmoves)
        };
        match times {
            5.. => Ending::Fivefold,
            _ if halfmoves >= 150 => Ending::SeventyFive,
            3 | 4 => Ending::Threefold,
            _ if halfmoves >= 100 => Ending::Fifty,
            _ => Ending::Open,
        }
    }

    /// How often the last position occurred since the last move that cannot be taken back.
    fn times(&self, halfmoves: u64) -> usize {
        let halfmoves = usize::try_from(halfmoves).unwrap_or(usize::MAX);
        let mut since = self
            .keys
            .iter()
            .rev()
            .take(halfmoves.saturating_add(1))
            .step_by(2);
        let last = self.keys.last();
        since.by_ref().filter(|&key| Some(key) == last).count()
    }
}

impl Position {
    /// The key of the position for repetitions and names: where the pieces stand, who is to move,
    /// castling rights, and whether a pawn can take en passant.
    #[inline]
    pub fn repetition_key(&self) -> u64 {
        match &self.0 {
            Inner::Standard(position) => {
                let key = position.quick_key();
                // The file counts too: 1. e4 d5 2. e5 f5 and 1. e4 f5 2. e5 d5 have one board.
                let taken = position.may_take_en_passant().then(|| self.en_passant());
                taken
                    .flatten()
                    .map_or(key, |square| (!key).rotate_left(1 + square.to_u32() / 8))
            }
            Inner::Variant(position, _) => {
                let Zobrist64(key) = position.zobrist_hash(EnPassantMode::Legal);
                key
            }
        }
    }

    /// The half moves since the last capture or move of a pawn.
    fn halfmoves(&self) -> u64 {
        match &self.0 {
            Inner::Standard(position) => position.halfmoves,
            Inner::Variant(position, _) => position.halfmoves().into(),
        }
    }

    fn specials(&self) -> u8 {
        match &self.0 {
            Inner::Standard(position) => position.specials,
            Inner::Variant(_, specials) => *specials,
        }
    }

    /// The pieces of White and of Black, kings to pawns.
    pub fn material(&self) -> [[u8; 6]; 2] {
        let pieces = self.pieces();
        [pieces.white, pieces.black].map(|side| {
            [6, 5, 4, 3, 2, 1].map(|role: usize| {
                u8::try_from((pieces.roles[role] & side).count()).unwrap_or(u8::MAX)
            })
        })
    }

    /// Whether the game is over in this position, and why.
    fn over(&self) -> Option<Ending> {
        match &self.0 {
            Inner::Standard(position) => {
                let few = position.roles[1] | position.roles[4] | position.roles[5];
                if !ply::has_move(position) {
                    let in_check = position.census.checkers.any();
                    return Some(if in_check {
                        Ending::Checkmate
                    } else {
                        Ending::Stalemate
                    });
                }
                let is_bare = few.is_empty() && position.to_chess().is_insufficient_material();
                is_bare.then_some(Ending::Insufficient)
            }
            Inner::Variant(position, _) if position.is_variant_end() => Some(Ending::Variant),
            Inner::Variant(position, _) if position.is_checkmate() => Some(Ending::Checkmate),
            Inner::Variant(position, _) if position.is_stalemate() => Some(Ending::Stalemate),
            Inner::Variant(position, _) if position.is_insufficient_material() => {
                Some(Ending::Insufficient)
            }
            Inner::Variant(..) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_after(moves: &str) -> u64 {
        let mut position = Position::initial();
        for san in moves.split_whitespace() {
            let played = position.resolve(san.as_bytes()).unwrap().m;
            position.play(played);
        }
        position.repetition_key()
    }

    /// What makes positions of one board different: castling rights, and which pawn can be taken en
    /// passant; not one that no pawn can take.
    #[test]
    fn keys_of_one_board() {
        assert_ne!(key_after("e4 d5 e5 f5"), key_after("e4 f5 e5 d5"));
        assert_ne!(
            key_after("e4 d5 e5 f5"),
            key_after("e4 d5 e5 f5 Nf3 Nf6 Ng1 Ng8")
        );
        assert_ne!(key_after("e4 e5"), key_after("e4 e5 Ke2 Ke7 Ke1 Ke8"));
        assert_eq!(key_after("e4 e5"), key_after("e3 e6 e4 e5"));
    }
}
