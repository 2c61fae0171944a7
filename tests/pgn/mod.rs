//! What text means: read, checked, written, and other formats for it.

pub(crate) mod conformance;
pub(crate) mod engine_notes;
pub(crate) mod epd;
pub(crate) mod epd_source;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod lint;
pub(crate) mod lint_epd;
pub(crate) mod neighbours;
pub(crate) mod results;
pub(crate) mod sgf;
pub(crate) mod signs;
pub(crate) mod split;
pub(crate) mod written_by_others;
