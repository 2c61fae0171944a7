//! One block: the unit of parallel work, of layout, of integrity and of access (spec/extension.md
//! sections 4 to 9).
//!
//! `encode` makes the bytes of a block from parsed games, `decode` mirrors it file for file, and
//! `proof` decodes those bytes and compares them with the source. `small` codes the records of a
//! block and decodes them. Both sides share the files of this folder itself.

pub mod annotations;
pub mod breakdown;
pub mod cut;
pub mod decode;
pub mod encode;
pub mod findings;
pub mod head;
pub mod layout;
pub mod num;
pub(crate) mod pieces;
pub mod proof;
pub mod replay;
pub mod shape;
pub mod small;
mod spelled;
pub mod style;
pub(crate) mod style_field;
pub mod tag_value;
pub mod template;
pub mod units;
