//! The archives that are served. One that changes on the disk is opened again.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use pgc::{Answer, Archive, Query};

use super::turns;
use crate::args::find::Lookup;
use crate::failure::WithName;
use crate::files::copies::{AskedArchive, CopyCount};
use crate::files::indexed::IN_ORDER;
use crate::files::still::Stamp;
use crate::show::gaps;
use crate::show::output::shown;

/// An archive as it was when it was opened last.
#[derive(Clone)]
pub(super) struct Served {
    pub(super) archive: Arc<Archive>,
    /// Why the archive cannot be opened any more, if so. It keeps its position among the others.
    pub(super) lost: Option<String>,
    stamp: Stamp,
}

/// All archives, as they were at one time.
#[derive(Clone)]
pub(super) struct Edition {
    pub(super) archives: Arc<Vec<Served>>,
    /// The games without copies, once somebody has asked for them.
    unique: Arc<Mutex<Option<Vec<AskedArchive>>>>,
    /// A number that grows with each change of an archive.
    pub(super) number: u64,
}

impl Edition {
    /// Asks each archive, and passes its position and its answer to `each`. Returns messages about
    /// damage, and about archives that cannot be read.
    pub(super) fn ask(
        &self,
        query: &Query,
        lookup: &Lookup,
        mut each: impl FnMut(usize, &Arc<Archive>, &Query, Answer) -> anyhow::Result<()>,
    ) -> anyhow::Result<Vec<String>> {
        let mut damage = Vec::new();
        for (place, served) in self.archives.iter().enumerate() {
            if let Some(why) = &served.lost {
                damage.push(format!("{why}; its games are not in the answer"));
                continue;
            }
            let archive = &served.archive;
            let query = lookup.people.beside(query, archive.path())?;
            let named = || shown(archive.path());
            let answer = match archive.find(&query, lookup.run.jobs).named(named) {
                Ok(answer) => answer,
                Err(error) if turns::is_over() => return Err(error),
                // An archive that cannot be read does not stop the search in the others.
                Err(error) => {
                    damage.push(format!("{error:#}; its games are not in the answer"));
                    continue;
                }
            };
            let gaps = archive.gaps();
            damage.extend(gaps::lines(&gaps).map(|line| format!("{}: {line}", named())));
            each(place, archive, &query, answer)?;
            turns::pass_archive(archive.len().unwrap_or(0));
        }
        Ok(damage)
    }

    /// The answer of each archive that has one, and the messages; `among`: only these games of each.
    pub(super) fn games(
        &self,
        query: &Query,
        lookup: &Lookup,
        among: Option<&[Vec<u32>]>,
    ) -> anyhow::Result<(Vec<AskedArchive>, Vec<String>)> {
        let mut all = Vec::new();
        let notes = self.ask(query, lookup, |place, archive, query, mut answer| {
            if let Some(games) = among.and_then(|among| among.get(place)) {
                answer.keep_only(games);
            }
            all.push(AskedArchive {
                archive: archive.clone(),
                query: query.clone(),
                answer,
            });
            Ok(())
        })?;
        Ok((all, notes))
    }

    /// Leaves out the copies among games that have a position, whose copies have it too; returns
    /// their number.
    pub(super) fn without_copies(
        &self,
        asked: &mut [AskedArchive],
        lookup: &Lookup,
    ) -> anyhow::Result<u64> {
        let mut unique = self.unique.lock().unwrap_or_else(PoisonError::into_inner);
        if unique.is_none() {
            let (mut all, _) = self.games(&Query::default(), lookup, None)?;
            CopyCount::among(&mut all, true, lookup)?;
            *unique = Some(all);
        }
        let mut copies = 0;
        for one in asked {
            let mut unique = unique.iter().flatten();
            if let Some(all) = unique.find(|all| Arc::ptr_eq(&all.archive, &one.archive)) {
                copies += one.answer.found.games.len();
                one.answer.keep_only(&all.answer.found.games);
                copies -= one.answer.found.games.len();
            }
        }
        Ok(copies as u64)
    }
}

pub(super) struct Shelf {
    pub(super) lookup: Lookup,
    paths: Vec<PathBuf>,
    edition: Mutex<Edition>,
}

impl Shelf {
    /// Opens all archives; fails if one of them, or an option, is wrong.
    pub(super) fn open(paths: Vec<PathBuf>, lookup: Lookup) -> anyhow::Result<Shelf> {
        lookup.people.check()?;
        if let Some(folder) = &lookup.temp_dir {
            fs::read_dir(folder).at(folder)?;
        }
        let archives = paths.iter().map(|path| open(path, &lookup, true));
        let archives = archives.collect::<anyhow::Result<Vec<_>>>()?;
        let edition = Edition {
            archives: Arc::new(archives),
            unique: Arc::default(),
            number: 1,
        };
        Ok(Shelf {
            lookup,
            paths,
            edition: Mutex::new(edition),
        })
    }

    /// The current edition; opens archives again that have changed on the disk. Answers found in an
    /// earlier edition keep their archives.
    pub(super) fn edition(&self) -> Edition {
        // A panic cannot leave the value half changed: it is replaced as a whole.
        let mut edition = self.edition.lock().unwrap_or_else(PoisonError::into_inner);
        let known = edition.archives.clone();
        let places = || known.iter().zip(&self.paths);
        let is_other = |served: &Served, path: &PathBuf| {
            served.archive.index_failed_late() || served.stamp != Stamp::new(path)
        };
        if places().any(|(served, path)| is_other(served, path)) {
            let now = places().map(|(served, path)| served.again(path, &self.lookup));
            *edition = Edition {
                archives: Arc::new(now.collect()),
                unique: Arc::default(),
                number: edition.number + 1,
            };
        }
        edition.clone()
    }
}

impl Served {
    /// The archive as it is now.
    fn again(&self, path: &Path, lookup: &Lookup) -> Served {
        let stamp = Stamp::new(path);
        let is_same = stamp == self.stamp;
        // An index that turned out to be false is not used again.
        let is_false = is_same && self.archive.index_failed_late();
        if is_same && !is_false {
            return self.clone();
        }
        open(path, lookup, !is_false).unwrap_or_else(|error| Served {
            archive: self.archive.clone(),
            lost: Some(format!("{error:#}")),
            stamp,
        })
    }
}

fn open(path: &Path, lookup: &Lookup, with_index: bool) -> anyhow::Result<Served> {
    // Taken before opening, so that a change in between is noticed the next time.
    let stamp = Stamp::new(path);
    // Read, not mapped: cutting a mapped file short would end the program.
    let options = IN_ORDER.passing_damage(true).with_index(with_index);
    let archive = lookup
        .unusable()
        .open(path, options)?
        .with_temp_dir(lookup.temp_dir());
    Ok(Served {
        archive: Arc::new(archive),
        lost: None,
        stamp,
    })
}
