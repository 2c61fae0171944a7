//! Iterates over the games of a block, and extracts the facts that an index holds of them.

#[doc(hidden)]
pub mod annotations;
pub(crate) mod data;
pub mod facts;
#[doc(hidden)]
pub mod line;
pub(crate) mod outline;
#[doc(hidden)]
pub mod positions;
pub(crate) mod rows;
pub mod walk;
