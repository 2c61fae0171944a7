//! Ordinals, openings, positions to start from.

pub(crate) mod null_moves;
pub(crate) mod opening_list;
pub(crate) mod openings;
pub(crate) mod ordinals;
pub(crate) mod pieces;
pub(crate) mod starts;
