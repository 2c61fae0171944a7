//! Encodes the parsed games of a block.

pub(crate) mod block;
mod comments;
pub(crate) mod detect;
pub(crate) mod gaps;
pub(crate) mod layout;
pub(crate) mod lines;
pub(crate) mod play;
pub(crate) mod tags;
