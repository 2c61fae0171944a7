//! Material that a side gives and does not win back.

use std::ops::RangeInclusive;
use std::str::FromStr;

use super::error::{BoardError, short};
use super::material::count;
use super::moves::side;
use super::seen::BoardView;
use crate::position::Position;

/// A test of the last positions of a game: for some half moves a side has had this many points less,
/// against the other side, than in all of as many positions before. So an exchange is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaterialChange {
    /// `None`: either side.
    white: Option<bool>,
    points: RangeInclusive<usize>,
    plies: usize,
}

/// For how many half moves, if no number is given.
const PLIES: usize = 4;

/// What a king, queen, rook, bishop, knight and pawn count.
pub(super) const POINTS: [i32; 6] = [0, 9, 5, 3, 3, 1];

impl FromStr for MaterialChange {
    type Err = BoardError;

    /// Reads `3`, `3..5`, `white:3../6`: points, and for how many half moves.
    fn from_str(text: &str) -> Result<MaterialChange, BoardError> {
        let wrong = || BoardError::Change(short(text));
        let (white, rest) = side(text);
        let (points, plies) = match rest.split_once('/') {
            Some((points, plies)) => (points, plies.trim().parse().map_err(|_| wrong())?),
            None => (rest, PLIES),
        };
        let points = Some(points.trim()).filter(|points| !points.is_empty());
        let points = count(points.ok_or_else(wrong)?).map_err(|_| wrong())?;
        if *points.start() == 0 || !(1..=100).contains(&plies) {
            return Err(wrong());
        }
        Ok(MaterialChange {
            white,
            points,
            plies,
        })
    }
}

impl MaterialChange {
    /// How many points White has more than Black.
    pub fn balance(position: &Position) -> i32 {
        let [white, black]: [i32; 2] = position.material().map(|counts| {
            let kinds = POINTS.iter().zip(counts);
            kinds.map(|(points, count)| points * i32::from(count)).sum()
        });
        white - black
    }

    /// Whether the last of these positions passes. `balances`: of all positions up to it.
    pub fn matches(&self, balances: &[i32]) -> bool {
        let Some(first) = balances.len().checked_sub(2 * self.plies) else {
            return false;
        };
        let (before, behind) = balances[first..].split_at(self.plies);
        let is = |sign: i32| {
            let least = before.iter().map(|balance| sign * balance).min();
            let most = behind.iter().map(|balance| sign * balance).max();
            let lost = least.zip(most).map(|(least, most)| least - most);
            let lost = lost.and_then(|lost| usize::try_from(lost).ok());
            lost.is_some_and(|lost| self.points.contains(&lost))
        };
        match self.white {
            Some(white) => is(if white { 1 } else { -1 }),
            None => is(1) || is(-1),
        }
    }

    /// The test that a game passes if the boards are turned.
    pub fn seen(&self, seen: BoardView) -> MaterialChange {
        MaterialChange {
            white: self.white.map(|white| white != seen.flip),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_won_back() {
        let is = |text: &str, balances: &[i32]| {
            text.parse::<MaterialChange>().unwrap().matches(balances)
        };
        let sacrifice = [0, 1, -2, -1];
        assert!(is("1/2", &sacrifice) && is("white:1/2", &sacrifice));
        assert!(!is("black:1/2", &sacrifice) && !is("2../2", &sacrifice));
        assert!(is("3/1", &sacrifice[..3]) && is("3../1", &sacrifice[..3]));
        // Not yet for two half moves, too long ago, won back, and an exchange.
        assert!(!is("1../2", &sacrifice[..3]) && !is("1../2", &[0, 1, -2, -2, -2]));
        assert!(!is("1../2", &[0, 1, -2, 0]) && !is("1../2", &[0, 9, 0, 0]));
        assert!(is("9/1", &[0, 9, 0]));
        for wrong in [
            "", "0", "0..3", "/4", "3/0", "3/101", "x", "3/x", "green:3", "5..3",
        ] {
            assert!(wrong.parse::<MaterialChange>().is_err(), "{wrong}");
        }
    }
}
