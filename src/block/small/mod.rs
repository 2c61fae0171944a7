//! The coded form of a block (spec/small.md).

pub(crate) mod bits;
pub(crate) mod codec;
pub(crate) mod numbers;
pub(crate) mod parts;
pub(crate) mod play;
pub(crate) mod tags;
pub(crate) mod text;
