//! Games that an archive, or several, have more than once (D66).

pub mod copies;
pub(crate) mod fields;
pub mod find;
mod inside;
pub mod lines;
mod same;
