//! The games of an archive, one after another, and what an index holds of them.

pub mod facts;
pub mod walk;
