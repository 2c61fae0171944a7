//! Reads and writes the frame of an archive: segments, their heads and tails, and blocks
//! (spec/extension.md sections 3 to 6).

pub mod addition;
pub(crate) mod frame;
pub(crate) mod gaps;
pub mod head;
pub(crate) mod lookahead;
pub mod reader;
pub mod sniff;
pub mod walk;
