//! The archives that are served. One that changes on the disk is opened again.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use std::{fs, io};

use pgc::internals::archive::index_path;
use pgc::{Archive, OpenOptions};

use crate::cli::find_args::Lookup;
use crate::cli::indexed::IN_ORDER;

/// What tells whether a file is still the same.
type Stamp = Option<(u64, Option<SystemTime>)>;

/// An open archive.
pub(super) struct Served {
    pub(super) archive: Archive,
    /// Of the archive, and of its index.
    stamps: [Stamp; 2],
}

/// All archives, as they were at one time.
#[derive(Clone)]
pub(super) struct Edition {
    pub(super) archives: Arc<Vec<Arc<Served>>>,
    /// Changes with any of the archives.
    pub(super) number: u64,
}

pub(super) struct Shelf {
    pub(super) lookup: Lookup,
    paths: Vec<PathBuf>,
    edition: Mutex<Edition>,
}

impl Shelf {
    pub(super) fn open(paths: Vec<PathBuf>, lookup: Lookup) -> anyhow::Result<Shelf> {
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
    pub(super) fn edition(&self) -> anyhow::Result<Edition> {
        // The guarded value is replaced as a whole.
        let mut edition = self.edition.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |(served, path): (&Arc<Served>, &PathBuf)| served.stamps == stamps(path);
        let known = edition.archives.clone();
        if !known.iter().zip(&self.paths).all(is_same) {
            let now =
                known
                    .iter()
                    .zip(&self.paths)
                    .map(|(served, path)| match is_same((served, path)) {
                        true => Ok(served.clone()),
                        false => open(path, &self.lookup),
                    });
            *edition = Edition {
                archives: Arc::new(now.collect::<anyhow::Result<_>>()?),
                number: edition.number + 1,
            };
        }
        Ok(edition.clone())
    }
}

fn open(path: &Path, lookup: &Lookup) -> anyhow::Result<Arc<Served>> {
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
    Ok(Arc::new(Served { archive, stamps }))
}

fn stamps(path: &Path) -> [Stamp; 2] {
    [path, &index_path(path)].map(|path| stamp(path).ok())
}

fn stamp(path: &Path) -> io::Result<(u64, Option<SystemTime>)> {
    let metadata = fs::metadata(path)?;
    Ok((metadata.len(), metadata.modified().ok()))
}
