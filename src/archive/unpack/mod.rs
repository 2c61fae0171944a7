//! Unpacks archives, tests them, and lists what they hold.

mod block;
mod run;
mod sources;
mod sums;

pub(crate) use block::{Buffers, DecodedBlock, Depth, decode};
pub use sources::{TestDepth, TestOptions, info, test, test_indexed, unpack};
pub(crate) use sums::SegmentSums;
