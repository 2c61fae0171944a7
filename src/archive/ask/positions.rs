//! Finds the first position of a game that passes tests.

use crate::archive::ask::lines::MainLine;
use crate::chess::{BoardTest, Position};
use crate::index::Window;

/// A search for positions that pass one test of each group.
pub(super) struct PositionSearch<'a> {
    groups: &'a [Vec<BoardTest>],
    window: &'a Window,
}

impl<'a> PositionSearch<'a> {
    pub(super) fn new(groups: &'a [Vec<BoardTest>], window: &'a Window) -> PositionSearch<'a> {
        PositionSearch { groups, window }
    }

    /// The number of plies before the first position of a game that passes, and after which as many
    /// pass as must.
    pub(super) fn first(&self, line: &MainLine<'_>) -> Option<u32> {
        if self.groups.is_empty() {
            return None;
        }
        let mut position = line.position()?;
        let mut in_a_row = 0;
        let mut ordinals = line.ordinals.iter();
        for ply in 0..=*self.window.plies.end() {
            let is_match = self.window.plies.contains(&ply) && self.matches(&position);
            if is_match {
                in_a_row += 1;
                if in_a_row >= self.window.lasting {
                    return Some(ply + 1 - in_a_row);
                }
            } else {
                in_a_row = 0;
                if self.is_out_of_reach(&position) {
                    return None;
                }
            }
            position.play_ordinal(*ordinals.next()?)?;
        }
        None
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
