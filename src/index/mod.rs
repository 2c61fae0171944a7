//! The index of an archive (spec/index.md).

pub mod fold;

pub use fold::{NamePattern, PatternError, RoundPattern};
