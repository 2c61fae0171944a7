//! Questions to an archive: which games, in which order, with which names.

pub(crate) mod book;
mod branches;
mod check;
mod continuation;
mod counts;
mod facts;
pub(crate) mod find;
mod games;
mod line_tree;
mod line_walk;
pub(crate) mod lines;
pub(crate) mod name_list;
pub(crate) mod names;
pub(crate) mod node;
mod openings;
pub(crate) mod order;
pub(crate) mod players;
mod positions;
pub(crate) mod ranked;
pub(crate) mod sample;
mod scan;
pub(crate) mod score;
pub(crate) mod shuffle;
pub(crate) mod stats;
pub(crate) mod texts;
mod tree;
