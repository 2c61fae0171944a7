//! The archives that are served. One that changes on the disk is opened again.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use std::{fs, io};

use anyhow::Context;
use pgc::internals::archive::index_path;
use pgc::{Answer, Archive, OpenOptions, Query};

use crate::cli::failure::WithName;
use crate::cli::find_args::Lookup;
use crate::cli::gaps;
use crate::cli::indexed::IN_ORDER;
use crate::cli::output::shown;

/// What tells whether a file is still the same.
type Stamp = Option<(u64, Option<SystemTime>)>;

/// An archive as it was when it was opened last.
#[derive(Clone)]
pub(super) struct Served {
    pub(super) archive: Arc<Archive>,
    /// Why it cannot be opened any more. It keeps its place, and the others are served.
    pub(super) lost: Option<String>,
    /// Of the archive, and of its index.
    stamps: [Stamp; 2],
}

/// All archives, as they were at one time.
#[derive(Clone)]
pub(super) struct Edition {
    pub(super) archives: Arc<Vec<Served>>,
    /// Changes with any of the archives.
    pub(super) number: u64,
}

impl Edition {
    /// Asks each archive, and hands on its place and its answer. Returns what damage took from the
    /// answers.
    pub(super) fn ask(
        &self,
        query: &Query,
        lookup: &Lookup,
        mut each: impl FnMut(usize, &Archive, &Query, Answer) -> anyhow::Result<()>,
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
                // What cannot be read does not stop the others.
                Err(error) => {
                    damage.push(format!("{error:#}; its games are not in the answer"));
                    continue;
                }
            };
            damage.extend(answer.damage.iter().map(|e| format!("{}: {e}", named())));
            let gaps = archive.gaps();
            let told = gaps
                .iter()
                .enumerate()
                .map_while(|(n, gap)| gaps::told(gap, n));
            damage.extend(told.map(|line| format!("{}: {line}", named())));
            each(place, archive, &query, answer)?;
        }
        Ok(damage)
    }
}

pub(super) struct Shelf {
    pub(super) lookup: Lookup,
    paths: Vec<PathBuf>,
    edition: Mutex<Edition>,
}

impl Shelf {
    /// Opens all archives. What is wrong with them or with the options is told here.
    pub(super) fn open(paths: Vec<PathBuf>, lookup: Lookup) -> anyhow::Result<Shelf> {
        lookup.people.check()?;
        if let Some(folder) = &lookup.temp_dir {
            fs::read_dir(folder).with_context(|| shown(folder))?;
        }
        let archives = paths.iter().map(|path| open(path, &lookup));
        let archives = archives.collect::<anyhow::Result<Vec<_>>>()?;
        let edition = Edition {
            archives: Arc::new(archives),
            number: 1,
        };
        Ok(Shelf {
            lookup,
            paths,
            edition: Mutex::new(edition),
        })
    }

    /// The archives as they are now. Answers that were found in an earlier edition belong to the
    /// archives of that one.
    pub(super) fn edition(&self) -> Edition {
        // The guarded value is replaced as a whole.
        let mut edition = self.edition.lock().unwrap_or_else(PoisonError::into_inner);
        let known = edition.archives.clone();
        let places = || known.iter().zip(&self.paths);
        if places().any(|(served, path)| served.stamps != stamps(path)) {
            let now = places().map(|(served, path)| served.again(path, &self.lookup));
            *edition = Edition {
                archives: Arc::new(now.collect()),
                number: edition.number + 1,
            };
        }
        edition.clone()
    }
}

impl Served {
    /// The archive as it is now.
    fn again(&self, path: &Path, lookup: &Lookup) -> Served {
        let stamps = stamps(path);
        if stamps == self.stamps {
            return self.clone();
        }
        open(path, lookup).unwrap_or_else(|error| Served {
            archive: self.archive.clone(),
            lost: Some(format!("{error:#}")),
            stamps,
        })
    }
}

fn open(path: &Path, lookup: &Lookup) -> anyhow::Result<Served> {
    // Taken first: a change while the archive is opened is seen the next time.
    let stamps = stamps(path);
    let options = OpenOptions {
        passes_damage: true,
        // A map of a file that is cut short would end the program.
        ..IN_ORDER
    };
    let archive = lookup
        .unusable()
        .open(path, options)?
        .with_temp_dir(lookup.temp_dir());
    Ok(Served {
        archive: Arc::new(archive),
        lost: None,
        stamps,
    })
}

fn stamps(path: &Path) -> [Stamp; 2] {
    [path, &index_path(path)].map(|path| stamp(path).ok())
}

fn stamp(path: &Path) -> io::Result<(u64, Option<SystemTime>)> {
    let metadata = fs::metadata(path)?;
    Ok((metadata.len(), metadata.modified().ok()))
}
