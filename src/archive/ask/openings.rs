//! The openings that games reached, from their main lines (D74).

use std::collections::HashMap;

use crate::ask::lines::{LineExtent, MainLine};
use crate::open::Archive;
use crate::run::Error;
use pgc_chess::{NamedOpening, OPENING_PLIES, named_opening};
use pgc_index::NamePattern;

impl MainLine<'_> {
    /// The opening that the game reached.
    fn opening(&self) -> Option<NamedOpening> {
        named_opening(self.start.iter().copied(), &self.ordinals)
    }
}

/// Patterns for the names of openings, and which of the names seen so far match.
pub(super) struct OpeningSearch<'a> {
    patterns: &'a [NamePattern],
    matched: HashMap<&'static str, bool>,
}

impl<'a> OpeningSearch<'a> {
    pub(super) fn new(patterns: &'a [NamePattern]) -> OpeningSearch<'a> {
        OpeningSearch {
            patterns,
            matched: HashMap::new(),
        }
    }

    /// The number of plies before the position that names the game's opening, if the name matches.
    pub(super) fn reached(&mut self, line: &MainLine<'_>) -> Option<u32> {
        if self.patterns.is_empty() {
            return None;
        }
        let NamedOpening { name, ply, .. } = line.opening()?;
        let mut patterns = self.patterns.iter();
        let matches = || patterns.any(|pattern| pattern.matches_opening(name));
        let is_match = *self.matched.entry(name).or_insert_with(matches);
        u32::try_from(ply).ok().filter(|_| is_match)
    }
}

impl Archive {
    /// The openings that games (from 0, in any order) reached; `None` if a game has no named
    /// position, or is in a damaged block.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    pub fn openings_of(
        &self,
        games: &[u32],
        threads: usize,
    ) -> Result<Vec<Option<NamedOpening>>, Error> {
        let mut places: Vec<usize> = (0..games.len()).collect();
        places.sort_by_key(|&place| games[place]);
        let sorted: Vec<u32> = places.iter().map(|&place| games[place]).collect();
        let mut openings = vec![None; games.len()];
        let extent = LineExtent::main(OPENING_PLIES);
        self.over_blocks(
            &sorted,
            threads,
            |place, range| {
                let mut found = vec![None; range.len()];
                let wanted = &sorted[range.clone()];
                self.each_main_line(place, wanted, extent, &mut |at, line| {
                    found[at] = line.opening();
                })?;
                Ok((range.start, found))
            },
            |(begin, found)| {
                for (place, opening) in places[begin..].iter().zip(found) {
                    openings[*place] = opening;
                }
                Ok(())
            },
        )?;
        Ok(openings)
    }
}
