//! Merges archives, splits them, copies them in another form, and leaves out games that an archive
//! already has.

pub(crate) mod boundary;
pub(crate) mod convert;
pub(crate) mod feed;
mod hashes;
pub(crate) mod identity;
pub(crate) mod known;
pub(crate) mod made;
pub(crate) mod merge;
pub(crate) mod split;
