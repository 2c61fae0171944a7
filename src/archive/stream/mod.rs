//! Reads and writes the frame of an archive: segments, their heads and tails, and blocks
//! (spec/extension.md sections 3 to 6).

pub(crate) mod addition;
pub(crate) mod error;
pub(crate) mod frame;
pub(crate) mod gaps;
pub(crate) mod head;
mod lookahead;
pub(crate) mod reader;
pub(crate) mod remains;
pub(crate) mod slice;
pub(crate) mod sniff;
pub(crate) mod walk;
