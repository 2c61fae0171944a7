//! Games that an archive, or several, have more than once (D66).

pub(crate) mod copies;
pub(crate) mod fields;
pub(crate) mod find;
mod inside;
pub(crate) mod lines;
pub(crate) mod names;
mod same;
