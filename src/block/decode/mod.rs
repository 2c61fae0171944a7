//! Decodes the bytes of a block to its games and their text.

pub(crate) mod block;
pub(crate) mod comments;
pub(crate) mod game;
pub(crate) mod layout;
pub(crate) mod lines;
mod tags;
