//! Makes the index beside an archive.

mod build;

pub(crate) use build::indexed_block;
pub use build::{IndexOptions, Indexing, index};
