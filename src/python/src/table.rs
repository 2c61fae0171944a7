//! Tables as Arrow streams: the Arrow PyCapsule interface, which DuckDB, Polars, pandas and PyArrow
//! read.

use std::collections::{HashMap, HashSet};
use std::ffi::CStr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use pgc_tables::batches::{TableOptions, batches};
use pgc_tables::schema::{Selection, TableKind};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::chosen::Chosen;

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";

/// The number of batches that the thread reads ahead.
const AHEAD: usize = 2;

/// A table of games or of positions, for anything that reads Arrow streams:
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
        names(&self.selection)
    }

    /// The rows of this table, and behind them those of others with the same columns.
    fn _joined(&self, others: Vec<PyRef<'_, Table>>) -> Table {
        let others = others.iter().flat_map(|other| other.chosen.clone());
        Table {
            chosen: self.chosen.iter().cloned().chain(others).collect(),
            selection: self.selection.clone(),
        }
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
        thread::Builder::new().spawn(move || send(&chosen, selection, &sender))?;
        let reader = TableReader {
            schema: self.selection.schema(),
            receiver: Some(receiver),
        };
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, STREAM)
    }

    /// The schema of the table.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule(py, &self.selection)
    }

    fn __repr__(&self) -> String {
        let paths = self.chosen.iter().map(|chosen| chosen.archive.path());
        let paths: Vec<String> = paths.map(|path| path.display().to_string()).collect();
        let games: usize = self.chosen.iter().map(|chosen| chosen.games.len()).sum();
        format!(
            "<pgc.Table of {} for {games} games of {}>",
            self.selection.kind().name(),
            paths.join(", ")
        )
    }
}

/// The columns of a table, for anything that takes Arrow schemas.
#[pyclass(frozen, module = "pgc")]
pub(crate) struct TableSchema(Selection);

#[pymethods]
impl TableSchema {
    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        names(&self.0)
    }

    /// The schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule(py, &self.0)
    }
}

/// The columns of the tables of `to_arrow`, without an archive: those with these names, or the
/// default columns (spec/tables.md); `["*"]` are all.
///
/// >>> import pgc
/// >>> pgc.schema(["plies", "white"]).columns
/// ['plies', 'white']
#[pyfunction]
#[pyo3(signature = (columns=None, *, table="games"))]
pub(crate) fn schema(columns: Option<Vec<String>>, table: &str) -> PyResult<TableSchema> {
    Ok(TableSchema(selection(columns.as_deref(), table)?))
}

/// The columns with these names (`*`: all), or the default columns of the table.
pub(crate) fn selection(columns: Option<&[String]>, table: &str) -> PyResult<Selection> {
    let kind = match table {
        "games" => TableKind::Games,
        "positions" => TableKind::Positions,
        _ => return Err(PyValueError::new_err("table: games or positions")),
    };
    match columns {
        None => Ok(Selection::usual(kind)),
        Some([all]) if all == "*" => Ok(Selection::all(kind)),
        Some([]) => Err(PyValueError::new_err("columns: name at least one")),
        Some(names) => {
            Selection::named(kind, names).map_err(|error| PyValueError::new_err(error.to_string()))
        }
    }
}

fn names(selection: &Selection) -> Vec<String> {
    let schema = selection.schema();
    let fields = schema.fields().iter();
    fields.map(|field| field.name().clone()).collect()
}

fn capsule<'py>(py: Python<'py>, selection: &Selection) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(&*selection.schema())
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// What the thread that reads the archive sends: batches, and `None` after the last of them.
type Sent = Result<Option<RecordBatch>, ArrowError>;

/// An iterator over batches, which a thread reads ahead.
struct TableReader {
    schema: SchemaRef,
    receiver: Option<Receiver<Sent>>,
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
        if let Err(fault) = read {
            let path = archives[fault.archive.unwrap_or(0)].path().display();
            let error = ArrowError::ExternalError(format!("{path}: {}", fault.error).into());
            drop(sender.send(Err(error)));
            return;
        }
    }
    drop(sender.send(Ok(None)));
}

/// The archives of parts, and their games. An archive is there again for a game that comes again.
fn numbered(parts: &[Chosen]) -> (Vec<&pgc::Archive>, Vec<(u32, u32)>) {
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
        // If the thread ended without sending the end, the table would look whole without an error.
        let failed = |_| {
            Err(ArrowError::ExternalError(
                "reading the archive failed".into(),
            ))
        };
        let sent = self.receiver.as_ref()?.recv();
        let item = sent.unwrap_or_else(failed).transpose();
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
