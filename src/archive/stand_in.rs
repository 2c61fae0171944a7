//! The stand-in for an index that is missing or cannot be used: an index made in a temporary file.

use std::io;

use crate::indexing::{IndexOptions, index};
use crate::map::map_temporary;
use crate::open::Archive;
use crate::run::{Error, Gap, Hooks};
use pgc_index::{BuildOptions, Index, IndexError};
use pgc_io::mmap::Map;
use pgc_io::read_at::Onward;
use pgc_io::temp::TempFile;

/// Memory for making it.
const MEMORY: usize = 64 << 20;

/// Callbacks that note damage.
struct Noting<'a>(&'a Archive);

impl Hooks for Noting<'_> {
    fn gap(&mut self, gap: &Gap) {
        self.0.meet(gap.clone());
    }
}

impl Archive {
    /// Calls `work` with the index. If there is none, or it turns out to be damaged now, makes a
    /// stand-in from the archive and calls `work` with that. Its bytes are those of a proper index,
    /// so both give the same answers.
    pub(crate) fn with_index<'a, T>(
        &'a self,
        threads: usize,
        mut work: impl FnMut(&'a Index<Map>) -> Result<T, IndexError>,
    ) -> Result<T, Error> {
        if let Some(index) = self.index() {
            match work(index) {
                Ok(answer) => return Ok(answer),
                // Reading failed; the index may be fine.
                Err(IndexError::Io(error)) => return Err(error.into()),
                Err(error) => self.give_up_index(&error),
            }
        }
        work(self.stand_in(threads)?).map_err(|error| io_error(error).into())
    }

    fn stand_in(&self, threads: usize) -> Result<&Index<Map>, Error> {
        if let Some(index) = self.stand_in.get() {
            return Ok(index);
        }
        let temp_dir = self.temp_dir.clone();
        let file = TempFile::new_in(&temp_dir)?;
        let build = BuildOptions {
            memory: MEMORY,
            temp_dir,
            lines: false,
        };
        let options = IndexOptions {
            passes_damage: self.passes_damage(),
            ..IndexOptions::new(build, threads)
        };
        let mut archive = Onward::new(self.bytes());
        index(&mut archive, &mut &file, &options, &mut Noting(self))?;
        if self.passes_damage() {
            self.walk_all()?;
        }
        let made = Index::open(map_temporary(&file)?).map_err(io_error)?;
        // If another thread made one meanwhile, that one stays; both are equal.
        Ok(self.stand_in.get_or_init(|| made))
    }
}

/// Turns an error of an index made by this run into an I/O error: the archive is not damaged.
pub(crate) fn io_error(error: IndexError) -> io::Error {
    match error {
        IndexError::Io(error) => error,
        error => io::Error::other(error),
    }
}
