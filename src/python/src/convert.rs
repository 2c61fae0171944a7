//! `pack` and `unpack`, and what a folder has for them.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use pgc::beside::index_path;
use pgc::indexing::Indexing;
use pgc::pack::pack_indexed;
use pgc::{NoHooks, PackOptions, SegmentForm, Sink, Summary, UnpackOptions};
use pgc_index::BuildOptions;
use pgc_io::dir::DirSink;
use pgc_io::input::{Counter, Input};
use pgc_io::output::{self, Output};
use pgc_io::walk::{folder, folder_of};
use pgc_pgn::piece_letters::PieceLetters;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use crate::error::exception;

/// Memory for the index of an archive that is being packed.
const MEMORY: usize = 64 << 20;

/// Packs PGN or EPD (files, which may be compressed, or zip files of several) into an archive,
/// with its index. A path that ends in `.pgcz` gets the small form. Returns the numbers of games,
/// of plies and of bytes.
///
/// Every block is decoded again and compared before it is written; the archive appears complete or
/// not at all. `pieces` is the language of the piece letters of the moves, by code or name
/// (`"de"`); the default is English.
#[pyfunction]
#[pyo3(name = "_pack", signature = (sources, archive, *, force=false, jobs=0, pieces=None))]
pub(crate) fn pack<'p>(
    py: Python<'p>,
    sources: Vec<PathBuf>,
    archive: PathBuf,
    force: bool,
    jobs: usize,
    pieces: Option<&str>,
) -> PyResult<Bound<'p, PyDict>> {
    let unknown = |name: &str| PyValueError::new_err(format!("no such piece letters: {name}"));
    let letters = pieces.map(|name| PieceLetters::of(name).ok_or_else(|| unknown(name)));
    let letters = letters.transpose()?;
    let packed = py.detach(|| pack_files(&sources, &archive, force, jobs, letters));
    let summary = packed.map_err(|(path, error)| exception(&path, error))?;
    let numbers = [
        ("games", summary.games),
        ("plies", summary.plies),
        ("bytes_in", summary.bytes_in),
        ("bytes_out", summary.bytes_out),
    ];
    numbers.into_py_dict(py)
}

pub(crate) type Failed = (PathBuf, pgc::Error);

pub(crate) fn at<E: Into<pgc::Error>>(path: &Path) -> impl Fn(E) -> Failed {
    move |error| (path.to_owned(), error.into())
}

/// Makes the index of an archive that is being written.
pub(crate) fn indexing_beside(archive: &Path) -> Indexing<'static> {
    Indexing::new(BuildOptions {
        memory: MEMORY,
        temp_dir: output::folder_of(archive).to_owned(),
        lines: true,
    })
}

fn pack_files(
    sources: &[PathBuf],
    archive: &Path,
    force: bool,
    jobs: usize,
    letters: Option<&'static PieceLetters>,
) -> Result<Summary, Failed> {
    let mut inputs = Vec::new();
    for source in sources {
        let input = Input::open(source, &Counter::default());
        inputs.push((source, input.map_err(at(source))?));
    }
    let mut output = Output::create_from(archive, force, sources).map_err(at(archive))?;
    let mut indexing = indexing_beside(archive);
    let mut options = PackOptions {
        threads: jobs,
        letters,
        ..PackOptions::default()
    };
    if archive.extension().is_some_and(|ending| ending == "pgcz") {
        options.form = SegmentForm::Small;
    }
    let mut all = Summary::default();
    let inputs = inputs.into_iter();
    for (source, part) in inputs.flat_map(|(source, input)| input.map(move |part| (source, part))) {
        let mut part = part.map_err(at(source))?;
        let packed = pack_indexed(
            &mut part.reader,
            &part.name,
            &mut output,
            &options,
            &mut NoHooks,
            Some(&mut indexing),
        );
        let packed = packed.map_err(at(source))?;
        all.games += packed.games;
        all.plies += packed.plies;
        all.bytes_in += packed.bytes_in;
        all.bytes_out += packed.bytes_out;
    }
    place(output, archive, indexing)?;
    Ok(all)
}

/// Places a written archive, and its index beside it.
pub(crate) fn place(output: Output, archive: &Path, indexing: Indexing<'_>) -> Result<(), Failed> {
    let _placed = output.place().map_err(at(archive))?;
    let path = index_path(archive);
    // The index of an earlier archive is always replaced.
    let mut index = Output::create_beside(&path, true, archive).map_err(at(&path))?;
    indexing.finish(&mut index).map_err(at(&path))?;
    index.commit().map_err(at(&path))
}

/// Unpacks an archive into a folder, and returns the paths of the files. They are the files that
/// were packed, byte for byte.
#[pyfunction]
#[pyo3(signature = (archive, folder, *, force=false, jobs=0))]
pub(crate) fn unpack(
    py: Python<'_>,
    archive: PathBuf,
    folder: PathBuf,
    force: bool,
    jobs: usize,
) -> PyResult<Vec<PathBuf>> {
    let unpacked = py.detach(|| unpack_file(&archive, &folder, force, jobs));
    unpacked.map_err(|(path, error)| exception(&path, error))
}

fn unpack_file(
    archive: &Path,
    folder: &Path,
    force: bool,
    jobs: usize,
) -> Result<Vec<PathBuf>, Failed> {
    let mut source = File::open(archive).map_err(at(archive))?;
    let mut files = DirSink::new(folder, force).map_err(at(folder))?;
    files.protect(&[archive.to_owned()]);
    let stem = archive.file_stem().unwrap_or_default().to_string_lossy();
    let mut sink = FolderSink {
        files,
        unnamed: format!("{stem}.pgn"),
    };
    let options = UnpackOptions {
        threads: jobs,
        ..UnpackOptions::default()
    };
    pgc::unpack(&mut source, &mut sink, &options, &mut NoHooks).map_err(at(archive))?;
    Ok(sink.files.written().to_vec())
}

struct FolderSink {
    files: DirSink,
    /// The name of a source that has none.
    unnamed: String,
}

impl Sink for FolderSink {
    fn begin(&mut self, name: Option<&str>) -> io::Result<()> {
        self.files.begin(name.unwrap_or(&self.unnamed))
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.files.write(bytes)
    }

    fn end(&mut self) -> io::Result<()> {
        self.files.end().map(drop)
    }
}

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
