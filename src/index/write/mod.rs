//! Makes an index from summaries of games, in bounded memory.
//!
//! Games are collected in a run. When memory is full, the run is sorted and becomes a part: in
//! memory if it is small, else in a temporary file. An existing index that is extended is a part
//! too. At the end all parts are merged, section by section.

mod builder;
mod lines;
mod merge;
mod output;
mod run;
mod sort;
mod spill;
mod summary;
mod tables;
mod values;

pub use builder::{BuildOptions, Builder, Sizes};
pub use sort::{Sorted, SortedReader, Sorter};
pub use spill::Temp;
pub use summary::{Facts, Summaries};
