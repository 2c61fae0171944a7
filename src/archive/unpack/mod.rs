//! Unpacks archives, tests them, and lists what they hold.

mod block;
mod breakdown;
mod sources;
mod sums;

pub use sources::{info, list, test, test_indexed, unpack};
