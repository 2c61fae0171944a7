//! `pack` and `unpack`, and what a folder has for them.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::slice;

use pgc::ask::texts::{TextOptions, texts};
use pgc::beside::index_path;
use pgc::indexing::Indexing;
use pgc::join::boundary::Joiner;
use pgc::join::convert::copy_segments;
use pgc::other_files::INDEX_MAGIC;
use pgc::pack::pack_indexed;
use pgc::stream::reader::is_archive;
use pgc::{PackOptions, SegmentForm, Sink, SourceText, Summary, UnpackOptions};
use pgc_index::BuildOptions;
use pgc_io::Peeked;
use pgc_io::dir::DirSink;
use pgc_io::input::{Counter, Input, Source};
use pgc_io::output::{self, Output};
use pgc_io::walk::{folder, folder_of};
use pgc_pgn::piece_letters::PieceLetters;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::archive::Games;
use crate::chosen::Chosen;
use crate::error::exception;
use crate::table::numbered;
use crate::watch::{Watch, watched};

/// Memory for the index of an archive that is being packed.
const MEMORY: usize = 64 << 20;

/// The number of leading bytes that tell an archive from a text.
const HEAD: usize = 1 << 16;

/// Packs files, as `pgc.pack` says.
#[pyfunction]
#[pyo3(name = "_pack", signature = (sources, archive, *, force, jobs, allow_empty, pieces))]
pub(crate) fn pack(
    py: Python<'_>,
    sources: Vec<PathBuf>,
    archive: PathBuf,
    force: bool,
    jobs: usize,
    allow_empty: bool,
    pieces: Option<&str>,
) -> PyResult<(u64, u64, u64, u64)> {
    let unknown = |name: &str| PyValueError::new_err(format!("no such piece letters: {name}"));
    let letters = pieces.map(|name| PieceLetters::named(name).ok_or_else(|| unknown(name)));
    let letters = letters.transpose()?;
    let options = PackOptions {
        threads: jobs,
        letters,
        form: match archive.extension().is_some_and(|ending| ending == "pgcz") {
            true => SegmentForm::Small,
            false => SegmentForm::Plain,
        },
        ..PackOptions::default()
    };
    let packing = Packing {
        options,
        counter: Counter::default(),
        indexing: indexing_beside(&archive),
        sum: Summary::default(),
    };
    let packed = watched(py, || packing.all(&sources, &archive, (force, allow_empty)))?;
    let sum = packed.map_err(|(path, error)| match error {
        pgc::Error::Io(error) if error.kind() == io::ErrorKind::InvalidInput => {
            PyValueError::new_err(format!("{}: {error}", path.display()))
        }
        error => exception(&path, error),
    })?;
    Ok((sum.games, sum.plies, sum.bytes_in, sum.bytes_out))
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

/// An archive that is being made of files.
struct Packing {
    options: PackOptions,
    counter: Counter,
    indexing: Indexing<'static>,
    sum: Summary,
}

impl Packing {
    fn all(
        mut self,
        sources: &[PathBuf],
        archive: &Path,
        (force, allow_empty): (bool, bool),
    ) -> Result<Summary, Failed> {
        let mut inputs = Vec::new();
        for source in sources {
            let input = Input::open(source, &self.counter);
            inputs.push((source, input.map_err(at(source))?));
        }
        let mut output = Output::create_from(archive, force, sources).map_err(at(archive))?;
        for (source, input) in inputs {
            let before = self.sum.games;
            for part in input {
                let part = part.map_err(at(source))?;
                self.one(part, &mut output).map_err(at(source))?;
            }
            if self.sum.games == before && !allow_empty {
                let none = "has no game (pack it all the same with allow_empty=True)";
                let error = io::Error::new(io::ErrorKind::InvalidInput, none);
                return Err(at(source)(error));
            }
        }
        place(output, archive, self.indexing)?;
        Ok(self.sum)
    }

    /// Packs a text, or copies the sources of an archive.
    fn one(&mut self, part: Source, output: &mut Output) -> Result<(), pgc::Error> {
        let mut reader = Peeked::new(part.reader, HEAD);
        if reader.head().starts_with(INDEX_MAGIC) {
            let what = "is the index of an archive, which has no games to pack";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what).into());
        }
        let mut watch = Watch {
            read: Some(&self.counter),
            ..Watch::default()
        };
        let (options, indexing) = (&self.options, Some(&mut self.indexing));
        let packed = match is_archive(reader.head()) {
            Some(true) => copy_segments(&mut reader, output, options, &mut watch, indexing)?,
            _ => {
                let name = &part.name;
                let packed =
                    pack_indexed(&mut reader, name, output, options, &mut watch, indexing)?;
                vec![packed]
            }
        };
        for packed in packed {
            self.sum.games += packed.games;
            self.sum.plies += packed.plies;
            self.sum.bytes_in += packed.bytes_in;
            self.sum.bytes_out += packed.bytes_out;
        }
        Ok(())
    }
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
    let options = UnpackOptions {
        threads: jobs,
        ..UnpackOptions::default()
    };
    let unpacked = watched(py, || {
        let mut source = File::open(&archive).map_err(at(&archive))?;
        let mut files = DirSink::new(&folder, force).map_err(at(&folder))?;
        files.protect(slice::from_ref(&archive));
        let stem = archive.file_stem().unwrap_or_default().to_string_lossy();
        let mut sink = FolderSink {
            files,
            unnamed: format!("{stem}.pgn"),
        };
        let unpacked = pgc::unpack(&mut source, &mut sink, &options, &mut Watch::default());
        unpacked.map_err(at(&archive))?;
        Ok(sink.files.written().to_vec())
    })?;
    unpacked.map_err(|(path, error): Failed| exception(&path, error))
}

struct FolderSink {
    files: DirSink,
    /// The name of a source that has none.
    unnamed: String,
}

impl Sink for FolderSink {
    fn begin(&mut self, name: Option<&str>, _text: SourceText) -> io::Result<()> {
        self.files.begin(name.unwrap_or(&self.unnamed))
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.files.write(bytes)
    }

    fn end(&mut self) -> io::Result<()> {
        self.files.end().map(drop)
    }
}

/// The archives, or the PGN and EPD files, in a folder and the folders in it, sorted by name.
#[pyfunction]
pub(crate) fn files_in(py: Python<'_>, path: PathBuf, archives: bool) -> PyResult<Vec<PathBuf>> {
    let found = py.detach(|| match archives {
        true => folder_of(&path, &[".pgc", ".pgcz"]),
        false => folder(&path),
    });
    found.map_err(|error| exception(&path, error.into()))
}

/// Joins the texts of games, so that each stays a game of its own.
#[pyclass(name = "Joiner")]
#[derive(Default)]
pub(crate) struct TextJoiner(Joiner);

#[pymethods]
impl TextJoiner {
    #[new]
    fn new() -> TextJoiner {
        TextJoiner::default()
    }

    /// What to write for the next game: what parts it from the one before, and its text.
    fn next<'py>(&mut self, py: Python<'py>, game: &[u8]) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.next(game).concat())
    }
}

/// Writes the texts of the games of parts, as they were written, to a file. Between games that were
/// no neighbours stands what keeps each a game of its own. Returns the number of games.
#[pyfunction]
pub(crate) fn save_pgn(
    py: Python<'_>,
    parts: Vec<PyRef<'_, Games>>,
    path: PathBuf,
    force: bool,
) -> PyResult<u64> {
    let parts: Vec<Chosen> = parts.iter().map(|part| part.0.clone()).collect();
    let temp_dir = output::folder_of(&path);
    let options = TextOptions {
        threads: parts.first().map_or(0, |part| part.jobs),
        temp_dir: temp_dir.to_owned(),
        ..TextOptions::default()
    };
    let written = watched(py, || {
        let (archives, games) = numbered(&parts);
        let sources: Vec<PathBuf> = archives.iter().map(|one| one.path().to_owned()).collect();
        let output = Output::create_from(&path, force, &sources).map_err(at(&path))?;
        let mut output = BufWriter::new(output);
        let (mut joiner, mut count) = (Joiner::default(), 0);
        let games = games.iter();
        let games = games.map(|&(archive, game)| (archive as usize, game));
        let read = texts(&archives, games, &options, &mut |_, text| {
            count += 1;
            let mut parts = joiner.next(text).into_iter();
            Ok(parts.try_for_each(|part| output.write_all(part))?)
        });
        read.map_err(at(temp_dir))?;
        let output = output.into_inner();
        let output = output.map_err(|error| at(&path)(error.into_error()))?;
        output.commit().map_err(at(&path))?;
        Ok(count)
    })?;
    written.map_err(|(path, error): Failed| exception(&path, error))
}
