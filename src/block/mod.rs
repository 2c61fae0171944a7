//! One block: the unit of parallel work, of layout, of integrity and of access
//! (spec/extension.md sections 4 to 9).
//!
//! `encode` makes a block of the games that the reader found, `decode` mirrors it file for file,
//! and `proof` holds what was encoded against its source. What both sides know stands here.

pub mod annotations;
pub mod cut;
pub mod decode;
pub mod encode;
pub mod findings;
pub mod head;
pub mod layout;
pub mod num;
pub mod pieces;
pub mod proof;
pub mod replay;
pub mod shape;
mod spelled;
pub mod style;
pub mod style_field;
pub mod tag_value;
pub mod template;
