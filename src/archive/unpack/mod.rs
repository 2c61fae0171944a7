//! PGC back to PGN; test, list, info.

mod block;
mod breakdown;
mod sources;

pub use sources::{info, list, test, test_indexed, unpack};
