//! Corrects games of an archive (D68): sets and removes tag pairs, renames players, deletes games.
//!
//! `plan` says which games change, `write` writes the archive with these changes: a source
//! without changes is copied, any other one is unpacked, its text edited (`source`), and packed.

pub mod edits;
pub mod plan;
mod source;
mod text;
pub mod write;
