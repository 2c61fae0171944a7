//! The files of a run: inputs, archives with their indexes, outputs.

pub(crate) mod archive;
pub(crate) mod copies;
pub(crate) mod destination;
pub(crate) mod encodings;
pub(crate) mod gathered;
pub(crate) mod indexed;
pub(crate) mod inputs;
pub(crate) mod mistaken;
pub(crate) mod still;
#[cfg(feature = "parquet")]
pub(crate) mod table_files;
