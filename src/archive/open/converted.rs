//! Converts streams of other programs, so that all else meets archives of pgc only.

use crate::join::feed::unpack_each;
use crate::map::map_temporary;
use crate::pack::pack;
use crate::run::{Error, NoHooks, PackOptions};
use pgc_io::mmap::Map;
use pgc_io::read_at::{Onward, ReadAt};
use pgc_io::temp::TempFile;

/// The games of a stream that another program wrote, as an archive in a temporary file.
///
/// # Errors
/// [`Error::Damaged`], [`Error::Io`].
pub(super) fn converted(stream: &dyn ReadAt) -> Result<Map, Error> {
    let file = TempFile::new_in(std::env::temp_dir())?;
    let (mut stream, options) = (Onward::new(stream), PackOptions::default());
    unpack_each(&mut stream, 1, &mut NoHooks, |name, _, text| {
        pack(text, name, &mut &file, &options, &mut NoHooks).map(drop)
    })?;
    Ok(map_temporary(&file)?)
}
