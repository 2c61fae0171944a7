//! The games that archives answer with, and the copies among them (D66).

use std::path::PathBuf;
use std::sync::Arc;

use pgc::dups::find::{DupOptions, duplicates};
use pgc::{Answer, Archive, OpenOptions, Query};

use super::archive::for_each;
use super::failure::{self, Exit};
use super::find_args::Lookup;
use super::footer::Footer;
use super::indexed;
use super::output::{counted, grouped};

/// Copies are not counted unasked among more games than this: it would take longer than the answer.
const MOST: usize = 50_000;

/// An archive that has games to show.
pub(super) struct AskedArchive {
    pub(super) archive: Arc<Archive>,
    /// The question, with the names of the alias file beside the archive.
    pub(super) query: Query,
    pub(super) answer: Answer,
}

impl AskedArchive {
    /// Reports that a required index failed, and damage.
    pub(super) fn tell(&self, lookup: &Lookup) -> anyhow::Result<Exit> {
        let path = self.archive.path();
        lookup.unusable().check_late(path, &self.archive)?;
        Ok(indexed::tell_gaps(path, &self.archive))
    }
}

/// Asks archives; those without an answer are left out.
pub(super) fn ask(
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
            return Ok(indexed::tell_gaps(path, &archive));
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

/// How many copies there are among some games.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CopyCount {
    /// `None`: there are too many games to count them.
    pub(super) copies: Option<u64>,
    /// Whether they are left out.
    is_unique: bool,
}

impl CopyCount {
    /// Counts the copies of a game beside the first or the best one, and leaves them out if `unique`.
    pub(super) fn new(
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
        let found = duplicates(archives, &games, &options)
            .map_err(|fault| failure::of_archive(fault, |place| archives[place].path()))?;
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
    pub(super) fn among(
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
    pub(super) fn line(self) -> Option<String> {
        let games = |copies| counted(copies, "copy");
        match self.copies {
            None => Some(format!(
                "among more than {} copies are not counted (--unique leaves them out)",
                counted(MOST as u64, "game")
            )),
            Some(0) => None,
            Some(1) if self.is_unique => Some("1 copy was left out".to_owned()),
            Some(copies) if self.is_unique => Some(format!("{} were left out", games(copies))),
            Some(1) => Some("1 of them is a copy (--unique leaves it out)".to_owned()),
            Some(copies) => Some(format!(
                "{} of them are copies (--unique leaves them out)",
                grouped(copies)
            )),
        }
    }
}
