//! Decodes the bytes of a block to its games and their text.

pub mod block;
pub(crate) mod comments;
pub mod game;
pub mod layout;
mod tags;
