//! Lists the archives and the inputs in a folder.

use std::path::{Path, PathBuf};

use pgc_io::walk::{folder, folder_of};
use pyo3::prelude::*;

use crate::error::exception;

/// The archives in a folder and the folders in it, sorted by name, as `pgc find DIR` takes them.
#[pyfunction]
pub(crate) fn archives_in(py: Python<'_>, path: PathBuf) -> PyResult<Vec<PathBuf>> {
    found(py, &path, |path| folder_of(path, &[".pgc", ".pgcz"]))
}

/// The PGN and EPD files in a folder and the folders in it, compressed ones and zip files included,
/// sorted by name, as `pgc pack -r DIR` takes them.
#[pyfunction]
pub(crate) fn pgn_files_in(py: Python<'_>, path: PathBuf) -> PyResult<Vec<PathBuf>> {
    found(py, &path, |path| folder(path))
}

fn found(
    py: Python<'_>,
    path: &Path,
    list: impl Fn(&Path) -> std::io::Result<Vec<PathBuf>> + Sync,
) -> PyResult<Vec<PathBuf>> {
    py.detach(|| list(path))
        .map_err(|error| exception(path, error.into()))
}
