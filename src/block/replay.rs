//! Replays ordinals as moves, for every reader of a game's records.

use pgc_chess::{Position, SanText, SavedPosition, coordinates};
use pgc_pgn::game::Mark;

/// A move, played.
#[derive(Clone, Copy, Debug)]
pub struct Played {
    /// The canonical SAN, or its squares if the caller wants those, without check mark.
    pub san: SanText,
    /// Twice the number of its full move, plus one for Black.
    pub num: u32,
    /// The check mark that belongs to it.
    pub check: Mark,
}

/// Plays the ordinals of a game; variations without recursion.
#[derive(Clone, Debug)]
pub struct Play {
    pub(crate) position: Position,
    /// The current line has a move.
    pub(crate) moved: bool,
    /// The position before the last move of this line, which a variation replaces (D5).
    before: Option<SavedPosition>,
    /// Position and `before` of each line that an open variation interrupts.
    pub(crate) lines: Vec<(Position, Option<SavedPosition>)>,
    pgn2pgc: bool,
    /// Moves are spelled as their squares.
    pub(crate) squares: bool,
    /// Variations may begin. Else the position before a move need not be saved.
    pub(crate) branches: bool,
}

impl Play {
    /// Begins at this position. `pgn2pgc`: with the ordinals of that program.
    pub fn new(position: Position, pgn2pgc: bool) -> Play {
        Play {
            position,
            moved: false,
            before: None,
            lines: Vec::new(),
            pgn2pgc,
            squares: false,
            branches: true,
        }
    }

    /// Plays the move of this ordinal; `None` if there is none.
    #[inline(always)]
    pub fn play(&mut self, ordinal: u8) -> Option<Played> {
        let num = self.position.num();
        if self.branches {
            self.position.save(&mut self.before);
        }
        let san = if self.pgn2pgc || self.squares {
            let m = match self.pgn2pgc {
                true => self.position.select_pgn2pgc(ordinal)?,
                false => self.position.select(ordinal)?,
            };
            let text = match self.squares {
                true => coordinates(m),
                false => self.position.san(m),
            };
            self.position.play(m);
            text
        } else {
            self.position.play_ordinal(ordinal)?
        };
        self.moved = true;
        Some(Played {
            san,
            num,
            check: self.position.check().into(),
        })
    }

    /// Plays a null move; returns whether one is possible.
    pub fn pass(&mut self) -> bool {
        self.position.save(&mut self.before);
        let passed = self.position.pass();
        self.moved |= passed;
        passed
    }

    /// Goes back to before the last move of this line; `false` when it has none.
    pub fn rav_begin(&mut self) -> bool {
        let Some(before) = self.before.take_if(|_| self.moved) else {
            return false;
        };
        self.moved = false;
        let now = self.position.clone();
        self.position.go_back(&before);
        self.lines.push((now, Some(before)));
        true
    }

    /// Goes on with the line that the variation interrupted; `false` when there is none.
    pub fn rav_end(&mut self) -> bool {
        let Some((position, before)) = self.lines.pop() else {
            return false;
        };
        (self.position, self.before, self.moved) = (position, before, true);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variation_replaces_the_last_move_of_its_line() {
        let mut play = Play::new(Position::initial(), false);
        let mut seen = Vec::new();
        let mut moves = |play: &mut Play, ordinals: &[u8]| {
            for &ordinal in ordinals {
                seen.push(
                    String::from_utf8_lossy(play.play(ordinal).unwrap().san.as_bytes())
                        .into_owned(),
                );
            }
        };
        assert!(!play.rav_begin());
        moves(&mut play, &[13]);
        assert!(play.rav_begin());
        assert!(!play.rav_begin());
        moves(&mut play, &[11]);
        assert!(play.rav_end());
        assert!(play.rav_begin());
        moves(&mut play, &[9, 0]);
        assert!(play.rav_end());
        moves(&mut play, &[12]);
        assert!(!play.rav_end());
        assert_eq!(seen, ["e4", "d4", "c4", "Na6", "e5"]);
    }
}
