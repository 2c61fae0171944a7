//! Makes the index beside an archive.

mod fetch;
pub mod run;
