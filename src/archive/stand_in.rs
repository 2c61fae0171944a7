//! What answers in the place of an index that is missing or cannot be used: one made now, in a
//! temporary file.

use std::io::{self, Write};

use crate::archive::indexing::{IndexOptions, index};
use crate::archive::map::map_temporary;
use crate::archive::open::Archive;
use crate::archive::stream::walk::Stream;
use crate::index::{BuildOptions, Index, IndexError};
use crate::io::mmap::Map;
use crate::io::read_at::Onward;
use crate::io::temp::TempFile;
use crate::run::{Error, Hooks};

/// Bytes in memory while it is made.
const MEMORY: usize = 64 << 20;

/// Ends the work when nobody wants it any more.
struct Cancel<'a>(&'a Archive);

impl Hooks for Cancel<'_> {
    fn cancelled(&mut self) -> bool {
        self.0.is_cancelled()
    }
}

impl Archive {
    /// Asks the index. Where there is none that can be used, or it turns out to be damaged now, the
    /// archive is read and `work` done with an index of it that lies in a temporary file: the same
    /// bytes, so that the answers of both agree.
    pub(crate) fn with_index<'a, T>(
        &'a self,
        threads: usize,
        mut work: impl FnMut(&'a Index<Map>) -> Result<T, IndexError>,
    ) -> Result<T, Error> {
        if let Some(index) = self.index() {
            match work(index) {
                Ok(answer) => return Ok(answer),
                // That is not the fault of the index.
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
        let temp_dir = self.temp_dir().to_owned();
        let mut file = TempFile::new_in(&temp_dir)?;
        let build = BuildOptions {
            memory: MEMORY,
            temp_dir,
            hashes: false,
        };
        let options = IndexOptions {
            build,
            threads,
            pgn2pgc: self.stream() == Stream::Foreign { pgn2pgc: true },
        };
        index(
            &mut Onward::new(self.bytes()),
            &mut file,
            &options,
            &mut Cancel(self),
        )?;
        file.flush()?;
        let made = Index::open(map_temporary(&file)?).map_err(io_error)?;
        // Another thread may have made the same.
        Ok(self.stand_in.get_or_init(|| made))
    }
}

/// What is wrong with an index that this run made is no damage of the archive.
pub(crate) fn io_error(error: IndexError) -> io::Error {
    match error {
        IndexError::Io(error) => error,
        error => io::Error::other(error),
    }
}
