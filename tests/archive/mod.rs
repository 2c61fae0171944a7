//! Whole archives: damaged, mended, joined, edited.

pub(crate) mod collection;
pub(crate) mod damage;
pub(crate) mod damaged_answers;
pub(crate) mod dups;
pub(crate) mod edit;
pub(crate) mod edit_beside;
pub(crate) mod games;
pub(crate) mod merge;
pub(crate) mod recovery;
pub(crate) mod salvage;
pub(crate) mod stop;
