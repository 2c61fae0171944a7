//! From the games of a block, as they were read, to its bytes.

pub(crate) mod block;
mod comments;
pub(crate) mod detect;
pub(crate) mod gaps;
pub(crate) mod layout;
pub(crate) mod play;
pub(crate) mod tags;
