//! Pieces that stand somewhere, what they attack, and what stands behind that on the same line.

use shakmaty::{Bitboard, Color, Role, Square};

use super::error::{BoardError, short};
use super::letters::{ANY, Contents, EMPTY, contents, reversed};
use super::seen::BoardView;
use crate::attacks::attacks_of;
use crate::pieces::Pieces;
use crate::squares::turned;

/// Contents that one of these squares must have.
type Somewhere = (Contents, Bitboard);

/// One to three of them: what is on the first attacks the second, and would attack the third if the
/// second were empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sight(Vec<Somewhere>);

impl Sight {
    /// Reads `Pa?`, `R>k`, `Bb5>n>k`, `N>f7`; `None` if the word names one square and no more.
    pub(super) fn from_word(word: &str) -> Option<Result<Sight, BoardError>> {
        let is_somewhere = || {
            let mut rest = word;
            contents(&mut rest).is_ok() && rest.len() == 2 && rest.contains('?')
        };
        if !word.contains('>') && !is_somewhere() {
            return None;
        }
        let parts: Option<Vec<Somewhere>> = word.split('>').map(somewhere).collect();
        let parts = parts.filter(|parts| parts.len() <= 3);
        let wrong = || BoardError::Place(short(word));
        Some(parts.map(Sight).ok_or_else(wrong))
    }

    pub(super) fn seen(&self, seen: BoardView) -> Sight {
        let parts = self.0.iter().map(|&(wanted, squares)| {
            let turned = if seen.flip { reversed(wanted) } else { wanted };
            (turned, seen.squares(squares))
        });
        Sight(parts.collect())
    }

    pub(super) fn matches(&self, pieces: &Pieces) -> bool {
        let on = |somewhere| having(pieces, somewhere);
        let occupied = pieces.white | pieces.black;
        match self.0[..] {
            [one] => on(one).any(),
            [by, of] => {
                let of = on(of);
                let attacks = |from| (attacked(pieces, from, occupied) & of).any();
                of.any() && on(by).into_iter().any(attacks)
            }
            [by, of, behind] => on(by).into_iter().any(|from| {
                let seen = attacked(pieces, from, occupied);
                (seen & on(of) & occupied).into_iter().any(|at| {
                    let through = attacked(pieces, from, occupied.without(at));
                    (through & !seen & on(behind)).any()
                })
            }),
            _ => true,
        }
    }
}

/// Reads `N`, `N?3`, `Ne5`, or squares alone, which may hold anything.
fn somewhere(text: &str) -> Option<Somewhere> {
    if let Some(squares) = some_squares(text) {
        return Some((ANY, squares));
    }
    let mut rest = text;
    let wanted = contents(&mut rest).ok()?;
    match rest {
        "" => Some((wanted, Bitboard::FULL)),
        rest => Some((wanted, some_squares(rest)?)),
    }
}

/// The squares of a file (`a?`) or of a rank (`?7`), or one.
fn some_squares(text: &str) -> Option<Bitboard> {
    let [file, rank] = *text.as_bytes() else {
        return None;
    };
    let is_here = |square: &Square| {
        let square = turned(*square).to_string();
        let is = |(wanted, is): (u8, u8)| wanted == b'?' || wanted == is;
        [file, rank].into_iter().zip(square.bytes()).all(is)
    };
    let squares: Bitboard = Square::ALL.into_iter().filter(is_here).collect();
    squares.any().then_some(squares)
}

/// Those of the squares that have one of the contents.
fn having(pieces: &Pieces, (wanted, squares): Somewhere) -> Bitboard {
    let mut found = Bitboard::EMPTY;
    if wanted & EMPTY != 0 {
        found = !(pieces.white | pieces.black);
    }
    for role in 1..7 {
        for (bit, side) in [(role, pieces.white), (role + 6, pieces.black)] {
            if wanted >> bit & 1 != 0 {
                found |= pieces.roles[role] & side;
            }
        }
    }
    found & squares
}

/// The squares that the piece on a square attacks, if these are occupied.
fn attacked(pieces: &Pieces, from: Square, occupied: Bitboard) -> Bitboard {
    let mut roles = Role::ALL.into_iter();
    let role = roles.find(|&role| pieces.roles[role as usize].contains(from));
    let color = Color::from_white(pieces.white.contains(from));
    role.map_or(Bitboard::EMPTY, |role| {
        attacks_of(role, color, from, occupied)
    })
}
