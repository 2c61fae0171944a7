//! A `.pgc` file as a whole: an archive.
//!
//! ```text
//! archive = segment*                      cat a.pgc b.pgc > both.pgc
//! segment = head block* tail              one source
//! block   = block-head (game | text)*     the unit of parallel work, layout, integrity and access
//! ```
//!
//! `stream` reads and writes these parts (spec/extension.md sections 3 to 6); `pack` and `unpack`
//! convert; `salvage` makes a whole archive of a damaged one; `indexing` makes the index beside an
//! archive; `join` merges archives, splits them, and leaves out known games; `edit` corrects games;
//! `open` and `ask` answer questions about the games; `dups` finds those that are there more than
//! once.

pub(crate) mod ask;
pub(crate) mod beside;
mod digest;
pub(crate) mod dups;
pub(crate) mod edit;
pub(crate) mod fault;
pub(crate) mod game;
pub(crate) mod games;
pub(crate) mod indexing;
pub(crate) mod join;
mod letter_trial;
pub(crate) mod lint;
pub(crate) mod listing;
pub(crate) mod map;
pub(crate) mod movetext;
pub(crate) mod open;
pub(crate) mod other_files;
pub(crate) mod pack;
pub(crate) mod parts;
pub(crate) mod pipeline;
pub(crate) mod salvage;
mod stand_in;
mod storing;
pub(crate) mod stream;
pub(crate) mod unpack;
