//! Which pieces stand where.

use shakmaty::{Bitboard, Square};

use super::error::{BoardError, short};
use super::letters::{ANY, Contents, EMPTY, KINDS, contents, reversed};
use super::reach::{Floor, Most};
use super::seen::BoardView;
use super::sight::Sight;
use super::structure::StructureTest;
use crate::pieces::Pieces;
use crate::squares::turned;

/// What each square may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placement {
    /// For each content, in the order of [`Contents`]: the squares that may not have it.
    without: [Bitboard; KINDS],
    sights: Vec<Sight>,
    structures: Vec<StructureTest>,
    floor: Floor,
}

impl Placement {
    /// Reads the first field of a FEN, or 64 characters.
    pub(super) fn from_board(text: &str) -> Result<Placement, BoardError> {
        let mut squares = [ANY; 64];
        let mut ranks: Vec<&str> = if text.contains('/') {
            text.split('/').collect()
        } else if text.is_ascii() && text.len() == 64 {
            (0..8).map(|i| &text[8 * i..8 * i + 8]).collect()
        } else {
            return Err(BoardError::Ranks(short(text)));
        };
        if ranks.len() == 9 {
            // The pieces in hand of crazyhouse, as Lichess writes them.
            ranks.pop();
        }
        if ranks.len() != 8 {
            return Err(BoardError::Ranks(short(text)));
        }
        for (text, number) in ranks.into_iter().zip((0..8).rev()) {
            squares[8 * number..][..8].copy_from_slice(&rank(text, number + 1)?);
        }
        Ok(Placement::new(&squares))
    }

    /// Reads pieces on squares.
    pub(super) fn from_pieces(text: &str) -> Result<Placement, BoardError> {
        let mut squares = [ANY; 64];
        let (mut sights, mut structures) = (Vec::new(), Vec::new());
        let mut words = text.split([' ', ',']).filter(|word| !word.is_empty());
        let mut next = Some(words.next().ok_or(BoardError::Empty)?);
        while let Some(word) = next {
            let wrong = || BoardError::Place(short(word));
            next = words.next();
            if let Some(test) = StructureTest::from_word(word) {
                structures.push(test?);
                continue;
            }
            if let Some(sight) = Sight::from_word(word) {
                sights.push(sight?);
                continue;
            }
            let mut rest = word;
            let wanted = contents(&mut rest)?;
            let square: Square = rest.parse().map_err(|_| wrong())?;
            let contents = &mut squares[square.to_usize()];
            *contents &= wanted;
            if *contents == 0 {
                return Err(BoardError::Contradiction(square.to_string()));
            }
        }
        Ok(Placement {
            sights,
            structures,
            ..Placement::new(&squares)
        })
    }

    /// Exactly these pieces.
    pub(super) fn exactly(pieces: &Pieces) -> Placement {
        let mut squares = [EMPTY; 64];
        for square in Square::ALL {
            let at = turned(square);
            let role = (1..7).find(|&role| pieces.roles[role].contains(at));
            if let Some(role) = role {
                let black = if pieces.black.contains(at) { 6 } else { 0 };
                squares[square.to_usize()] = 1 << (role + black);
            }
        }
        Placement::new(&squares)
    }

    pub(super) fn seen(&self, seen: BoardView) -> Placement {
        let mut squares = [0; 64];
        for square in Square::ALL {
            let from = turned(square);
            let at = turned(seen.square(from));
            let mut wanted = 0;
            for (kind, without) in self.without.iter().enumerate() {
                wanted |= Contents::from(!without.contains(from)) << kind;
            }
            squares[at.to_usize()] = match seen.flip {
                true => reversed(wanted),
                false => wanted,
            };
        }
        let structures = self.structures.iter();
        Placement {
            sights: self.sights.iter().map(|test| test.seen(seen)).collect(),
            structures: structures.map(|test| test.seen(seen)).collect(),
            ..Placement::new(&squares)
        }
    }

    /// From the contents of each square, by rank from the first, then by file.
    fn new(squares: &[Contents; 64]) -> Placement {
        let mut without = [Bitboard::EMPTY; KINDS];
        let mut floor = Floor::default();
        for square in Square::ALL {
            let at = turned(square);
            let wanted = squares[square.to_usize()];
            for (kind, squares) in without.iter_mut().enumerate() {
                if wanted >> kind & 1 == 0 {
                    squares.add(at);
                }
            }
            floor.add(at, wanted);
        }
        Placement {
            without,
            sights: Vec::new(),
            structures: Vec::new(),
            floor,
        }
    }

    /// How many pieces of each kind there can be.
    pub(super) fn most(&self) -> Most {
        let on = |kind: usize| 64 - self.without[kind].count();
        [[6, 5, 4, 3, 2, 1].map(on), [12, 11, 10, 9, 8, 7].map(on)]
    }

    /// The first field of a FEN; `None` unless every square may hold one thing and no other.
    pub(super) fn to_fen(&self) -> Option<String> {
        self.is_exact()
            .then(|| self.pieces().to_board().to_string())
    }

    /// The pieces; for a board that leaves nothing open.
    pub(super) fn pieces(&self) -> Pieces {
        let mut pieces = Pieces {
            roles: [Bitboard::EMPTY; 8],
            white: Bitboard::EMPTY,
            black: Bitboard::EMPTY,
        };
        for role in 1..7 {
            let [white, black] = [role, role + 6].map(|kind| !self.without[kind]);
            pieces.roles[role] = white | black;
            pieces.white |= white;
            pieces.black |= black;
        }
        pieces
    }

    /// Whether every square may hold only one thing.
    fn is_exact(&self) -> bool {
        let mut once = Bitboard::EMPTY;
        let mut twice = Bitboard::EMPTY;
        for squares in self.without {
            twice |= once & !squares;
            once |= !squares;
        }
        (twice | !once).is_empty()
    }

    #[inline]
    pub(super) fn matches(&self, pieces: &Pieces) -> bool {
        let mut wrong = !(pieces.white | pieces.black) & self.without[0];
        // Pawns first: they differ in most positions that do not match.
        for role in 1..7 {
            let all = pieces.roles[role];
            wrong |= all & pieces.white & self.without[role];
            wrong |= all & pieces.black & self.without[role + 6];
            if wrong.any() {
                return false;
            }
        }
        self.sights.iter().all(|test| test.matches(pieces))
            && self.structures.iter().all(|test| test.matches(pieces))
    }

    #[inline]
    pub(super) fn is_out_of_reach(&self, pieces: &Pieces) -> bool {
        self.floor.is_out_of_reach(pieces)
    }
}

/// Reads a rank: `2p?4`. One `*` stands for as many squares of any content as are missing.
fn rank(text: &str, number: usize) -> Result<[Contents; 8], BoardError> {
    let wrong = || BoardError::Rank {
        rank: number,
        text: short(text),
    };
    let (mut squares, mut gap) = (Vec::with_capacity(8), None);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if number == 1 && squares.len() == 8 && first == '[' {
            // The pieces in hand of crazyhouse, which are not compared.
            break;
        }
        if first == '~' {
            // The mark of a promoted piece.
            rest = &rest[1..];
        } else if let Some(empty) = first.to_digit(10).filter(|n| (1..9).contains(n)) {
            rest = &rest[1..];
            squares.extend((0..empty).map(|_| EMPTY));
        } else if first == '*' && gap.is_none() {
            rest = &rest[1..];
            gap = Some(squares.len());
        } else if first == '*' {
            return Err(BoardError::Stars(number));
        } else {
            squares.push(contents(&mut rest)?);
        }
        if squares.len() > 8 {
            return Err(wrong());
        }
    }
    if let Some(gap) = gap {
        let missing = 8 - squares.len();
        squares.splice(gap..gap, (0..missing).map(|_| ANY));
    }
    squares.try_into().map_err(|_| wrong())
}
