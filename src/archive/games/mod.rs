//! Iterates over the games of a block, and extracts the facts that an index holds of them.

pub(crate) mod data;
pub(crate) mod facts;
pub(crate) mod outline;
pub(crate) mod rows;
pub(crate) mod walk;
