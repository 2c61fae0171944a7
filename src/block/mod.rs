//! One block: the unit of parallel work, of layout, of integrity and of access
//! (spec/extension.md sections 4 to 9).
//!
//! `encode` makes a block of the games that the reader found, `decode` mirrors it file for file,
//! and `proof` holds what was encoded against its source. What both sides know stands here.

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
mod spelled;
pub(crate) mod style;
pub(crate) mod style_field;
pub(crate) mod tag_value;
pub(crate) mod template;
pub(crate) mod units;
