//! Iterates over the games of a block, and extracts the facts that an index holds of them.

pub(crate) mod data;
pub mod facts;
pub(crate) mod outline;
pub(crate) mod rows;
pub mod walk;
