//! Unpacks archives, tests them, and lists what they hold.

mod block;
mod run;
mod sources;
mod sums;

pub(crate) use block::{Buffers, DecodedBlock, Depth, decode};
pub use sources::{info, list, test, test_deep, test_indexed, unpack};
pub(crate) use sums::SegmentSums;
