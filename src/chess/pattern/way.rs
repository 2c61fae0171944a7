//! The way that a piece goes in several moves.

use shakmaty::{Color, Square};

use super::seen::BoardView;
use crate::pieces::Pieces;
use crate::squares::turned;

/// Where the pieces of a game went, for [`MoveTest`](super::MoveTest).
#[derive(Clone, Debug, Default)]
pub struct Ways {
    plies: u32,
    went: Vec<Went>,
}

/// A piece that a move moved; castling moves two.
#[derive(Clone, Copy, Debug)]
struct Went {
    ply: u32,
    role: usize,
    /// `None`: it was made by a promotion, or dropped.
    from: Option<Square>,
    to: Square,
}

impl Ways {
    /// Notes a move of this side.
    pub(super) fn note(&mut self, mover: Color, before: &Pieces, after: &Pieces) {
        self.plies += 1;
        let ply = self.plies;
        self.went.extend((1..7).filter_map(|role| {
            let [was, is] =
                [before, after].map(|pieces| pieces.roles[role] & pieces.by_color(mover));
            let (from, to) = ((was & !is).first(), (is & !was).first()?);
            Some(Went {
                ply,
                role,
                from,
                to,
            })
        }));
    }
}

/// A piece goes from one square to another, in at most so many moves of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WayTest {
    /// 0 is any piece.
    role: usize,
    from: Square,
    to: Square,
    most: u8,
}

impl WayTest {
    /// Reads `Nf1-d5`, `e2-e4/2`, `?a1-h8/7`.
    pub(super) fn from_text(text: &str) -> Option<WayTest> {
        let (way, most) = match text.split_once('/') {
            Some((way, most)) => (way, most.trim().parse().ok().filter(|&most| most > 0)?),
            None => (text, 1),
        };
        let (from, to) = way.trim().split_once('-')?;
        let square = |text: &str| Some(turned(text.parse().ok()?));
        let role = "?PNBRQK".find(from.chars().next()?);
        Some(WayTest {
            role: role.unwrap_or(1),
            from: square(&from[usize::from(role.is_some())..])?,
            to: square(to)?,
            most,
        })
    }

    /// Whether the last move ends such a way.
    pub(super) fn matches(&self, ways: &Ways) -> bool {
        let mut last = ways.went.iter().rev();
        let is_last = |went: &&Went| {
            let is_asked = self.role == 0 || self.role == went.role;
            went.ply == ways.plies && went.to == self.to && is_asked
        };
        let mut step = last.by_ref().take(2).find(is_last);
        for _ in 1..self.most {
            let Some(went) = step.filter(|went| went.from != Some(self.from)) else {
                break;
            };
            // What came last to a square is what left it later.
            step = last.find(|before| Some(before.to) == went.from && before.ply < went.ply);
        }
        step.is_some_and(|went| went.from == Some(self.from))
    }

    pub(super) fn seen(&self, seen: BoardView) -> WayTest {
        WayTest {
            from: seen.square(self.from),
            to: seen.square(self.to),
            ..self.clone()
        }
    }
}
