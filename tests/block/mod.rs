//! The bytes of archives: what goes in comes back.

pub(crate) mod coded_moves;
pub(crate) mod comments;
pub(crate) mod corpus;
pub(crate) mod old_forms;
pub(crate) mod parallel;
pub(crate) mod records;
pub(crate) mod robustness;
pub(crate) mod roundtrip;
pub(crate) mod samples;
pub(crate) mod small;
pub(crate) mod standard;
pub(crate) mod vectors;
