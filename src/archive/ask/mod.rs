//! Questions to an archive: which games, in which order, with which names.

pub mod find;
pub mod moves;
pub mod name_list;
pub mod names;
pub mod order;
mod scan;
mod shuffle;
pub mod texts;
