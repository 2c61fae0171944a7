//! Detects that another program changed an archive or its index while a command read both, or since
//! `pgc serve` opened them.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use pgc::beside::index_path;
use pgc_io::is_being_written;

use crate::interrupt;

/// The number of attempts of a command while other programs change the archive.
pub(crate) const TRIES: usize = 50;

/// How long a command waits for another one that has just changed the archive and still writes its
/// index.
const PATIENCE: Duration = Duration::from_secs(5);

const STEP: Duration = Duration::from_millis(10);

/// The state of an archive and of its index at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    path: PathBuf,
    archive: Option<FileStamp>,
    index: Option<FileStamp>,
}

/// Identity (device and inode on Unix), length and modification time of a file.
type FileStamp = ((u64, u64), u64, Option<SystemTime>);

impl Stamp {
    pub(crate) fn new(path: &Path) -> Stamp {
        Stamp {
            path: path.to_owned(),
            archive: stamp(path),
            index: stamp(&index_path(path)),
        }
    }

    /// Whether the archive or its index has been replaced or added to since. Waits for a program
    /// that has changed one of them and not yet the other.
    pub(crate) fn has_changed(&self) -> bool {
        wait(&self.path) || Stamp::new(&self.path) != *self
    }

    /// As [`Stamp::has_changed_archive`], without waiting.
    pub(crate) fn archive_differs(&self) -> bool {
        stamp(&self.path) != self.archive
    }

    /// Whether the archive has been replaced or added to since.
    pub(crate) fn has_changed_archive(&self) -> bool {
        wait(&self.path) || self.archive_differs()
    }
}

fn stamp(path: &Path) -> Option<FileStamp> {
    let metadata = fs::metadata(path).ok()?;
    #[cfg(unix)]
    let file = (metadata.dev(), metadata.ino());
    #[cfg(not(unix))]
    let file = (0, 0);
    Some((file, metadata.len(), metadata.modified().ok()))
}

/// Waits while another program writes to the archive or its index; returns whether one did.
fn wait(path: &Path) -> bool {
    let begun = Instant::now();
    let mut waited = false;
    while is_being_written(path) && !interrupt::requested() && begun.elapsed() < PATIENCE {
        waited = true;
        sleep(STEP);
    }
    waited
}
