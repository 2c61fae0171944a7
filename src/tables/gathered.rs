//! Joins rows of blocks into batches.

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::concat::concat_batches;

use super::read::{BATCH_BYTES, BATCH_ROWS, BlockRows};
use pgc::run::Error;

/// Takes batches of a table.
pub(super) type BatchSink<'a> = dyn FnMut(RecordBatch) -> Result<(), Error> + 'a;

/// Joins the rows of blocks into batches.
pub(super) struct GatheredBatches<'a> {
    pub(super) schema: SchemaRef,
    batches: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
    each: &'a mut BatchSink<'a>,
    /// Whether `each` failed.
    pub(super) failed: bool,
}

impl<'a> GatheredBatches<'a> {
    pub(super) fn new(schema: SchemaRef, each: &'a mut BatchSink<'a>) -> GatheredBatches<'a> {
        GatheredBatches {
            schema,
            batches: Vec::new(),
            rows: 0,
            bytes: 0,
            each,
            failed: false,
        }
    }

    pub(super) fn add(&mut self, block: &mut BlockRows) -> Result<(), Error> {
        let (_, bytes) = block.size();
        match block.finish().map_err(arrow_error)? {
            Some(batch) => self.add_batch(batch, bytes),
            None => Ok(()),
        }
    }

    /// Adds rows that take about so many bytes.
    pub(super) fn add_batch(&mut self, batch: RecordBatch, bytes: usize) -> Result<(), Error> {
        self.rows += batch.num_rows();
        self.bytes += bytes;
        self.batches.push(batch);
        if self.rows >= BATCH_ROWS || self.bytes >= BATCH_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<(), Error> {
        let batches = std::mem::take(&mut self.batches);
        let joined = match <[RecordBatch; 1]>::try_from(batches) {
            Ok([only]) => only,
            Err(several) => concat_batches(&self.schema, &several).map_err(arrow_error)?,
        };
        (self.rows, self.bytes) = (0, 0);
        if joined.num_rows() == 0 {
            return Ok(());
        }
        (self.each)(joined).inspect_err(|_| self.failed = true)
    }
}

pub(super) fn arrow_error(error: ArrowError) -> Error {
    std::io::Error::other(error).into()
}
