//! Encodes the parsed games of a block.

pub mod block;
mod comments;
pub(crate) mod detect;
pub(crate) mod gaps;
pub mod layout;
pub mod lines;
pub mod play;
pub mod tags;
