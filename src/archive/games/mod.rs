//! Iterates over the games of a block, and extracts the facts that an index holds of them.

pub mod annotations;
pub(crate) mod data;
pub mod facts;
pub mod line;
pub(crate) mod outline;
pub mod positions;
pub(crate) mod rows;
pub mod walk;
