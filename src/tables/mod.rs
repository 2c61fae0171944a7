//! Tables of games and positions in Arrow's memory format, and as Parquet files (spec/tables.md).
//!
//! ```text
//! Selection (schema) --> batches: blocks in parallel --> GameRows or PositionRows --> RecordBatch
//!                                 or the index alone                                   |      |
//!                                                                     Parquet file <---+      +--> Python
//! ```

mod annotations;
pub(crate) mod batches;
mod games;
mod indexed;
mod line;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
mod positions;
pub(crate) mod schema;
mod tag_columns;
