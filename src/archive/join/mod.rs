//! One archive of several, several of one, and games that are known already.

pub mod boundary;
pub mod feed;
mod hashes;
pub mod identity;
pub mod known;
pub mod merge;
pub mod split;
