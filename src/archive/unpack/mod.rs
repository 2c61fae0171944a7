//! PGC back to PGN; test, list, info.

mod block;
mod breakdown;
pub mod run;
