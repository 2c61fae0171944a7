//! The games of an archive, one after another, and what an index holds of them.

pub(crate) mod data;
pub(crate) mod facts;
pub(crate) mod walk;
