//! One file for each command, with its `run`.

pub(crate) mod add;
pub(crate) mod dups;
pub(crate) mod edit;
pub(crate) mod find;
pub(crate) mod get;
pub(crate) mod import_sgf;
pub(crate) mod index;
pub(crate) mod info;
pub(crate) mod lint;
pub(crate) mod man;
pub(crate) mod merge;
pub(crate) mod names;
pub(crate) mod pack;
pub(crate) mod records;
pub(crate) mod recovery;
pub(crate) mod salvage;
pub(crate) mod split;
pub(crate) mod stats;
pub(crate) mod table;
pub(crate) mod test;
pub(crate) mod tree;
pub(crate) mod unpack;
pub(crate) mod view;
