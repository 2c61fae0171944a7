//! Makes the index beside an archive.

mod build;
mod fetch;

pub use build::{IndexOptions, Indexing, index};
