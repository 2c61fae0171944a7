//! One block: the unit of parallel work, of layout, of integrity and of access (spec/extension.md
//! sections 4 to 9).
//!
//! `encode` makes the bytes of a block from parsed games, `decode` mirrors it file for file, and
//! `proof` decodes those bytes and compares them with the source. `small` codes the records of a
//! block and decodes them. Both sides share the files of this folder itself.

pub(crate) mod annotations;
pub(crate) mod cut;
pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod findings;
pub(crate) mod head;
pub(crate) mod layout;
pub(crate) mod num;
pub(crate) mod pieces;
pub(crate) mod proof;
pub(crate) mod replay;
pub(crate) mod shape;
pub(crate) mod small;
mod spelled;
pub(crate) mod style;
pub(crate) mod style_field;
pub(crate) mod tag_value;
pub(crate) mod template;
pub(crate) mod units;
