//! Questions to an archive: which games, in which order, with which names.

pub mod book;
mod branches;
mod check;
mod facts;
pub(crate) mod find;
mod line_tree;
mod line_walk;
pub(crate) mod lines;
pub mod name_list;
pub mod names;
pub mod node;
mod openings;
pub mod order;
pub mod players;
mod positions;
pub mod ranked;
pub mod sample;
mod scan;
pub mod score;
pub mod stats;
pub mod texts;
mod tree;
