//! Makes the index beside an archive.

mod build;
mod fetch;

pub(crate) use build::indexed_block;
pub use build::{IndexOptions, Indexing, index};
