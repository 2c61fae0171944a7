//! Merges archives, splits them, copies them in another form, and leaves out games that an archive
//! already has.

pub mod boundary;
pub mod convert;
pub mod feed;
mod hashes;
pub mod identity;
pub mod known;
pub mod split;
