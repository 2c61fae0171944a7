//! SGF, the Smart Game Format, as far as it carries chess (spec/sgf.md): `write.rs` makes a game
//! tree of a game, `read.rs` games of a collection.

mod kept;
mod properties;
pub mod read;
mod tree;
mod value;
pub mod write;
