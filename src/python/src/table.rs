//! Tables as Arrow streams: the Arrow PyCapsule interface, which DuckDB, Polars, pandas and PyArrow
//! read.

use std::collections::{HashMap, HashSet};
use std::ffi::CStr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, ThreadId};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use pgc_io::output::{self, Output};
use pgc_tables::batches::{TableOptions, batches};
use pgc_tables::folders::write_folders;
use pgc_tables::parquet::{ParquetOptions, write_parquet};
use pgc_tables::schema::{Selection, TableKind};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::archive::Games;
use crate::chosen::Chosen;
use crate::convert::{Failed, at};
use crate::error::exception;
use crate::watch::{PATIENCE, ahead, watched};

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";

/// The number of batches that the thread reads ahead.
const AHEAD: usize = 2;

/// A table of games, of positions or of nodes, for anything that reads Arrow streams:
/// `polars.DataFrame(table)`, `pyarrow.table(table)`, or in DuckDB the name of the variable in a
/// query.
#[pyclass(frozen, module = "pgc")]
pub(crate) struct Table {
    /// Of one or several archives.
    pub(crate) chosen: Vec<Chosen>,
    pub(crate) selection: Selection,
}

#[pymethods]
impl Table {
    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let schema = self.selection.schema();
        let fields = schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// The table as an Arrow stream; a thread reads the archive while the stream is consumed. A
    /// requested schema is ignored, as the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let (sender, receiver) = sync_channel(AHEAD);
        let (chosen, selection) = (self.chosen.clone(), self.selection.clone());
        let left = Arc::<AtomicBool>::default();
        let reader = TableReader {
            schema: self.selection.schema(),
            receiver: Some(receiver),
            left: Arc::clone(&left),
            thread: thread::current().id(),
        };
        thread::Builder::new().spawn(move || ahead(left, || send(&chosen, selection, &sender)))?;
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, STREAM)
    }

    /// The schema of the table.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.selection.schema())
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    /// The number of games.
    #[getter]
    fn games(&self) -> usize {
        self.chosen.iter().map(|chosen| chosen.games.len()).sum()
    }
}

/// The columns with these names (`*`: all), or the default columns of the table.
pub(crate) fn selection(columns: Option<&[String]>, table: &str) -> PyResult<Selection> {
    let mut kinds = [TableKind::Games, TableKind::Positions, TableKind::Nodes].into_iter();
    let wrong = || PyValueError::new_err("table: games, positions or nodes");
    let kind = kinds.find(|kind| kind.name() == table).ok_or_else(wrong)?;
    match columns {
        None => Ok(Selection::usual(kind)),
        Some([all]) if all == "*" => Ok(Selection::all(kind)),
        Some([]) => Err(PyValueError::new_err("columns: name at least one")),
        Some(names) => {
            Selection::named(kind, names).map_err(|error| PyValueError::new_err(error.to_string()))
        }
    }
}

/// Writes a table of the games of parts to a Parquet file; returns the number of rows.
#[pyfunction]
pub(crate) fn save_parquet(
    py: Python<'_>,
    parts: Vec<PyRef<'_, Games>>,
    what: (Option<Vec<String>>, String),
    to: (PathBuf, bool),
    how: (Option<usize>, Option<i32>),
    partition: Option<String>,
) -> PyResult<u64> {
    let ((columns, table), (path, force), (group_rows, level)) = (what, to, how);
    let selection = selection(columns.as_deref(), &table)?;
    let parts: Vec<Chosen> = parts.iter().map(|part| part.0.clone()).collect();
    let threads = parts.first().map_or(0, |part| part.jobs);
    let parquet = ParquetOptions { group_rows, level };
    let options = TableOptions {
        threads,
        temp_dir: output::folder_of(&path).to_owned(),
        ..TableOptions::new(selection)
    };
    let written = watched(py, || {
        let (archives, games) = numbered(&parts);
        let tell = &mut |_| Ok(());
        if let Some(column) = &partition {
            let to = (&*path, &**column);
            let rows = write_folders(to, &archives, &games, &options, parquet, tell);
            return rows.map_err(at(&path));
        }
        let sources: Vec<PathBuf> = archives.iter().map(|one| one.path().to_owned()).collect();
        let mut output = Output::create_from(&path, force, &sources).map_err(at(&path))?;
        let rows = write_parquet(&mut output, &archives, &games, &options, parquet, tell);
        let rows = rows.map_err(at(&path))?;
        output.commit().map_err(at(&path))?;
        Ok(rows)
    })?;
    written.map_err(|(path, error): Failed| exception(&path, error))
}

/// What the thread that reads the archive sends: batches, and `None` after the last of them.
type Sent = Result<Option<RecordBatch>, ArrowError>;

/// An iterator over batches, which a thread reads ahead.
struct TableReader {
    schema: SchemaRef,
    receiver: Option<Receiver<Sent>>,
    /// Set once nobody reads on.
    left: Arc<AtomicBool>,
    /// The thread of Python that asked for the rows.
    thread: ThreadId,
}

impl TableReader {
    /// Waits for the next rows. A signal, which only the thread of Python can look for, ends that,
    /// also if no rows are waited for.
    fn receive(&self, receiver: &Receiver<Sent>) -> Sent {
        loop {
            let is_python = thread::current().id() == self.thread;
            if is_python && Python::try_attach(is_interrupted) == Some(true) {
                return Err(ArrowError::ExternalError("interrupted".into()));
            }
            match receiver.recv_timeout(PATIENCE) {
                Ok(sent) => return sent,
                // If the thread ended without sending the end, the table would look whole.
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(ArrowError::ExternalError(
                        "reading the archive failed".into(),
                    ));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Whether the handler of a signal raises. The reader of the rows turns an error of ours into one
/// of its own, so the interruption is set again, for Python to raise it afterwards.
fn is_interrupted(py: Python<'_>) -> bool {
    let raised = py.check_signals().is_err();
    if raised && let Ok(module) = py.import("_thread") {
        drop(module.call_method0("interrupt_main"));
    }
    raised
}

impl Drop for TableReader {
    fn drop(&mut self) {
        self.left.store(true, Ordering::Relaxed);
    }
}

fn send(chosen: &[Chosen], selection: Selection, sender: &SyncSender<Sent>) {
    let mut options = TableOptions::new(selection);
    let archives = chosen.iter().map(|part| Arc::as_ptr(&part.archive));
    let distinct: HashSet<_> = archives.collect();
    // Parts that alternate between archives are read together, each block once.
    let together = match distinct.len() == chosen.len() {
        true => 1,
        false => chosen.len(),
    };
    for parts in chosen.chunks(together) {
        let (archives, games) = numbered(parts);
        options.threads = parts[0].jobs;
        let read = batches(&archives, &games, &options, &mut |batch| {
            // Fails if the consumer has dropped the stream.
            let sent = sender.send(Ok(Some(batch)));
            sent.map_err(|_| pgc::Error::Cancelled)
        });
        if let Err(error) = read {
            let error = error.within(archives[0].path());
            let error = ArrowError::ExternalError(error.to_string().into());
            drop(sender.send(Err(error)));
            return;
        }
    }
    drop(sender.send(Ok(None)));
}

/// The archives of parts, and their games. An archive is there again for a game that comes again.
pub(crate) fn numbered(parts: &[Chosen]) -> (Vec<&pgc::Archive>, Vec<(u32, u32)>) {
    let (mut archives, mut games) = (Vec::new(), Vec::new());
    let mut places = HashMap::new();
    for part in parts {
        let (place, known) = places
            .entry(Arc::as_ptr(&part.archive))
            .or_insert_with(|| (u32::MAX, HashSet::new()));
        let repeats = parts.len() > 1 && part.games.iter().any(|&game| !known.insert(game));
        if repeats || *place == u32::MAX {
            *place = u32::try_from(archives.len()).unwrap_or(u32::MAX);
            archives.push(&*part.archive);
        }
        games.extend(part.games.iter().map(|&game| (*place, game)));
    }
    (archives, games)
}

impl Iterator for TableReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.receive(self.receiver.as_ref()?).transpose();
        if !matches!(item, Some(Ok(_))) {
            self.receiver = None;
        }
        item
    }
}

impl RecordBatchReader for TableReader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
