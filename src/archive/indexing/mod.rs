//! Makes the index beside an archive.

mod build;

pub use build::{IndexOptions, Indexing, index};
