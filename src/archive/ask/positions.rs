//! Finds the first position of a game that passes tests.

use crate::archive::ask::lines::MainLine;
use crate::chess::{BoardTest, Lasting, Position};
use crate::index::Window;

/// A search for positions that pass one test of each group.
pub(super) struct PositionSearch<'a> {
    groups: &'a [Vec<BoardTest>],
    window: &'a Window,
}

/// A game that is being searched: its current position.
#[derive(Clone)]
pub(super) struct SearchState {
    position: Position,
    ply: u32,
    /// How many positions in a row have passed.
    in_a_row: u32,
    /// The lasting features of the last position that was tested for reach.
    lasting: Option<Lasting>,
}

/// What is known of a game, or of all games that begin with the same moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outlook {
    /// It passes: the number of plies before the position.
    Found(u32),
    /// It does not pass, however it goes on.
    Never,
    /// Later positions decide.
    Open,
}

impl SearchState {
    pub(super) fn new(position: Position) -> SearchState {
        SearchState {
            position,
            ply: 0,
            in_a_row: 0,
            lasting: None,
        }
    }

    /// Plays a move; `None` if there is none with this ordinal.
    pub(super) fn play(&mut self, ordinal: u8) -> Option<()> {
        self.position.play_ordinal(ordinal)?;
        self.ply += 1;
        Some(())
    }
}

impl<'a> PositionSearch<'a> {
    pub(super) fn new(groups: &'a [Vec<BoardTest>], window: &'a Window) -> PositionSearch<'a> {
        PositionSearch { groups, window }
    }

    /// The number of plies before the first run of passing positions that is long enough.
    pub(super) fn first(&self, line: &MainLine<'_>) -> Option<u32> {
        if self.groups.is_empty() {
            return None;
        }
        let mut state = SearchState::new(line.position()?);
        let mut ordinals = line.ordinals.iter();
        loop {
            match self.look(&mut state) {
                Outlook::Found(ply) => return Some(ply),
                Outlook::Never => return None,
                Outlook::Open => state.play(*ordinals.next()?)?,
            }
        }
    }

    /// Looks at the current position of a game. Callers pass each position once, from the first on.
    pub(super) fn look(&self, state: &mut SearchState) -> Outlook {
        if state.ply > *self.window.plies.end() {
            return Outlook::Never;
        }
        if self.window.plies.contains(&state.ply) && self.matches(&state.position) {
            state.in_a_row += 1;
            if state.in_a_row >= self.window.lasting {
                return Outlook::Found(state.ply + 1 - state.in_a_row);
            }
        } else {
            state.in_a_row = 0;
            let lasting = state.position.lasting();
            if state.lasting.replace(lasting) != Some(lasting)
                && self.is_out_of_reach(&state.position)
            {
                return Outlook::Never;
            }
        }
        Outlook::Open
    }

    fn matches(&self, position: &Position) -> bool {
        self.groups
            .iter()
            .all(|any| any.iter().any(|test| test.matches(position)))
    }

    fn is_out_of_reach(&self, position: &Position) -> bool {
        self.groups
            .iter()
            .any(|any| any.iter().all(|test| test.is_out_of_reach(position)))
    }
}
