//! Tables of games, positions and moves in Arrow's memory format, and as Parquet files
//! (spec/manual/tables.md).
//!
//! ```text
//! batches --> read: the index alone, or blocks in parallel --> GameRows, PositionRows
//!               |                                                        |
//!               +--> sorted: any other order of the games --> GatheredBatches --> Parquet files, Python
//! ```

pub mod batches;
mod builders;
#[cfg(feature = "parquet")]
pub mod folders;
mod games;
mod indexed;
#[cfg(feature = "parquet")]
pub mod parquet;
mod positions;
mod read;
pub mod schema;
mod sorted;
mod tag_columns;

pub use arrow_schema;
