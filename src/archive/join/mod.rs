//! One archive of several, several of one, and games that are known already.

pub(crate) mod boundary;
pub(crate) mod feed;
mod hashes;
pub(crate) mod identity;
pub(crate) mod known;
pub(crate) mod merge;
pub(crate) mod split;
