//! From the bytes of a block back to its games and their text.

pub mod block;
pub mod comments;
pub mod game;
pub mod layout;
mod tags;
