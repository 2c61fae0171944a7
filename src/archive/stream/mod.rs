//! How a file is made of segments and blocks (spec/extension.md sections 3 to 6).

pub mod addition;
pub mod head;
pub mod reader;
pub mod remains;
pub mod slice;
pub mod sniff;
pub mod walk;
