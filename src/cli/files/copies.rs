//! The games that archives answer with, and the copies among them (D66).

use std::path::PathBuf;
use std::sync::Arc;

use pgc::dups::find::{DupOptions, duplicates};
use pgc::{Answer, Archive, OpenOptions, Query};

use crate::args::find::Lookup;
use crate::failure::Exit;
use crate::files::{archive::for_each, indexed};
use crate::show::footer::Footer;
use crate::show::output::{counted, counted_as};

/// Copies are not counted unasked among more games than this: it would take longer than the answer.
const MOST: usize = 50_000;

/// An archive that has games to show.
pub(crate) struct AskedArchive {
    pub(crate) archive: Arc<Archive>,
    /// The question, with the names of the alias file beside the archive.
    pub(crate) query: Query,
    pub(crate) answer: Answer,
}

impl AskedArchive {
    /// Reports that a required index failed, and damage.
    pub(crate) fn tell(&self, lookup: &Lookup) -> anyhow::Result<Exit> {
        lookup.unusable().check_late(&self.archive)?;
        Ok(indexed::tell_gaps(&self.archive))
    }
}

/// Asks archives; those without an answer are left out.
pub(crate) fn ask(
    paths: &[PathBuf],
    query: &Query,
    (lookup, options): (&Lookup, OpenOptions),
    footer: &mut Footer,
) -> anyhow::Result<(Vec<AskedArchive>, Exit)> {
    let mut all = Vec::new();
    let exit = for_each(paths, |path| {
        let (archive, query, answer) =
            lookup.ask(query, (path, options), lookup.temp_dir(), footer)?;
        if answer.found.games.is_empty() {
            return Ok(indexed::tell_gaps(&archive));
        }
        all.push(AskedArchive {
            query,
            archive: Arc::new(archive),
            answer,
        });
        Ok(Exit::Done)
    })?;
    Ok((all, exit))
}

/// The games that a search found in each archive.
#[derive(Default)]
pub(crate) struct FoundLists {
    /// The games of each archive, from 0, ascending.
    pub(crate) games: Vec<Vec<u32>>,
    /// For a question about positions, the ply of the position in each of these games.
    plies: Vec<Vec<u32>>,
    /// The number of games found before those of each archive; at the end, the number of all.
    begins: Vec<usize>,
}

impl FoundLists {
    /// The games that archives answered, and their plies.
    pub(crate) fn new((games, plies): (Vec<Vec<u32>>, Vec<Vec<u32>>)) -> FoundLists {
        let mut begins = vec![0];
        for (i, games) in games.iter().enumerate() {
            begins.push(begins[i] + games.len());
        }
        FoundLists {
            games,
            plies,
            begins,
        }
    }

    /// The number of all games.
    pub(crate) fn len(&self) -> usize {
        self.begins.last().copied().unwrap_or(0)
    }

    /// The game at a place among all, archive after archive: position of the archive, number of the
    /// game from 0.
    pub(crate) fn at(&self, place: usize) -> (u32, u32) {
        let archive = self.begins.partition_point(|&begin| begin <= place);
        let archive = archive.saturating_sub(1);
        let game = self.games[archive][place - self.begins[archive]];
        (u32::try_from(archive).unwrap_or(u32::MAX), game)
    }

    /// The ply of the position that was asked for, or else of the opening, if one was.
    pub(crate) fn ply(&self, (archive, game): (u32, u32), opening: Option<u32>) -> Option<u32> {
        let place = self.games[archive as usize].binary_search(&game).ok()?;
        let ply = self.plies[archive as usize].get(place).copied();
        // A game that another group of questions found has 0.
        ply.filter(|&ply| ply > 0 || opening.is_none()).or(opening)
    }

    /// Bytes of memory.
    #[cfg(feature = "serve")]
    pub(crate) fn memory(&self) -> usize {
        let plies: usize = self.plies.iter().map(Vec::len).sum();
        (self.len() + plies) * size_of::<u32>()
    }
}

/// How many copies there are among some games.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CopyCount {
    /// `None`: there are too many games to count them.
    pub(crate) copies: Option<u64>,
    /// Whether they are left out.
    is_unique: bool,
}

impl CopyCount {
    /// Counts the copies of a game beside the first or the best one, and leaves them out if `unique`.
    pub(crate) fn new(
        archives: &[&Archive],
        answers: &mut [&mut Answer],
        unique: bool,
        options: DupOptions,
    ) -> anyhow::Result<CopyCount> {
        let lists = answers.iter().map(|answer| answer.found.games.clone());
        let games: Vec<Vec<u32>> = lists.collect();
        let all: usize = games.iter().map(Vec::len).sum();
        if all > MOST && !unique {
            return Ok(CopyCount::default());
        }
        let options = DupOptions {
            inside: false,
            names: false,
            best: unique,
            ..options
        };
        let found = duplicates(archives, &games, &options)?;
        let spare = found.same.spare();
        if unique {
            for ((answer, games), place) in answers.iter_mut().zip(&games).zip(0..) {
                let is_kept = |game: &&u32| spare.binary_search(&(place, **game)).is_err();
                let kept: Vec<u32> = games.iter().filter(is_kept).copied().collect();
                answer.keep_only(&kept);
            }
        }
        Ok(CopyCount {
            copies: Some(spare.len() as u64),
            is_unique: unique,
        })
    }

    /// As [`CopyCount::new`], of archives.
    pub(crate) fn among(
        asked: &mut [AskedArchive],
        unique: bool,
        lookup: &Lookup,
    ) -> anyhow::Result<CopyCount> {
        let (mut archives, mut answers) = (Vec::new(), Vec::new());
        for one in asked {
            archives.push(&*one.archive);
            answers.push(&mut one.answer);
        }
        let options = DupOptions {
            threads: lookup.run.jobs,
            ..DupOptions::new(lookup.temp_dir())
        };
        CopyCount::new(&archives, &mut answers, unique, options)
    }

    /// What to say of them, if there are any.
    pub(crate) fn line(self) -> Option<String> {
        let (one, many) = match self.is_unique {
            true => ("copy was left out", "copies were left out"),
            false => (
                "of them is a copy (--unique leaves it out)",
                "of them are copies (--unique leaves them out)",
            ),
        };
        let games = counted(MOST as u64, "game");
        match self.copies {
            None => Some(format!(
                "copies were not looked for (more than {games}); --unique leaves them out"
            )),
            Some(copies) => (copies > 0).then(|| counted_as(copies, one, many)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FoundLists;

    #[test]
    fn games_by_place() {
        let games = vec![vec![], vec![3, 5], vec![], vec![0]];
        let lists = FoundLists::new((games, vec![vec![], vec![7, 9], vec![], vec![2]]));
        let all = |found: &FoundLists| -> Vec<_> {
            let games = (0..found.len()).map(|place| found.at(place));
            games.map(|game| (game, found.ply(game, None))).collect()
        };
        assert_eq!(
            all(&lists),
            [((1, 3), Some(7)), ((1, 5), Some(9)), ((3, 0), Some(2))]
        );
        assert_eq!(all(&FoundLists::default()), []);
    }
}
