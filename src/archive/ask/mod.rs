//! Questions to an archive: which games, in which order, with which names.

pub(crate) mod find;
pub(crate) mod moves;
pub(crate) mod name_list;
pub(crate) mod names;
pub(crate) mod order;
mod scan;
mod shuffle;
pub(crate) mod texts;
