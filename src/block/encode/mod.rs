//! From the games of a block, as they were read, to its bytes.

pub mod block;
mod comments;
pub mod detect;
pub mod gaps;
pub mod layout;
