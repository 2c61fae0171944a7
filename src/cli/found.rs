//! The games that a search found in several archives.

use pgc::Answer;

/// The games that a search found in each archive.
#[derive(Default)]
pub(super) struct FoundLists {
    /// The games of each archive, from 0, ascending.
    games: Vec<Vec<u32>>,
    /// For a question about positions, the ply of the position in each of these games.
    plies: Vec<Vec<u32>>,
    /// The number of games found before those of each archive; at the end, the number of all.
    begins: Vec<usize>,
}

impl FoundLists {
    /// The games that archives answered, and their plies.
    pub(super) fn new(answers: Vec<Answer>) -> FoundLists {
        let lists = answers.into_iter();
        FoundLists::of(
            lists
                .map(|answer| (answer.found.games, answer.plies))
                .unzip(),
        )
    }

    pub(super) fn of((games, plies): (Vec<Vec<u32>>, Vec<Vec<u32>>)) -> FoundLists {
        let mut begins = vec![0];
        let mut all = 0;
        for games in &games {
            all += games.len();
            begins.push(all);
        }
        FoundLists {
            games,
            plies,
            begins,
        }
    }

    /// The number of all games.
    pub(super) fn len(&self) -> usize {
        self.begins.last().copied().unwrap_or(0)
    }

    /// The games found in each archive, from 0, ascending.
    #[cfg(feature = "serve")]
    pub(super) fn games(&self) -> &[Vec<u32>] {
        &self.games
    }

    /// The game at a place among all, archive after archive: position of the archive, number of the
    /// game from 0.
    pub(super) fn at(&self, place: usize) -> (u32, u32) {
        let archive = self.begins.partition_point(|&begin| begin <= place);
        let archive = archive.saturating_sub(1);
        (
            u32::try_from(archive).unwrap_or(u32::MAX),
            self.games[archive][place - self.begins[archive]],
        )
    }

    /// The ply of the position that was asked for.
    pub(super) fn ply(&self, (archive, game): (u32, u32)) -> Option<u32> {
        let place = self.games[archive as usize].binary_search(&game).ok()?;
        self.plies[archive as usize].get(place).copied()
    }

    /// Bytes of memory.
    #[cfg(feature = "serve")]
    pub(super) fn memory(&self) -> usize {
        let plies: usize = self.plies.iter().map(Vec::len).sum();
        (self.len() + plies) * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::FoundLists;

    #[test]
    fn games_by_place() {
        let games = vec![vec![], vec![3, 5], vec![], vec![0]];
        let lists = FoundLists::of((games, vec![vec![], vec![7, 9], vec![], vec![2]]));
        let all = |found: &FoundLists| -> Vec<_> {
            let games = (0..found.len()).map(|place| found.at(place));
            games.map(|game| (game, found.ply(game))).collect()
        };
        assert_eq!(
            all(&lists),
            [((1, 3), Some(7)), ((1, 5), Some(9)), ((3, 0), Some(2))]
        );
        assert_eq!(all(&FoundLists::default()), []);
    }
}
