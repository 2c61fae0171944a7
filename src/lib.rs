//! Chess archives: PGN to PGC, the binary form of section 20 of the PGN standard of 1994, and back,
//! to the byte.
//!
//! | module | what |
//! |---|---|
//! | [`store`] | archives that can be asked: [`Archive`], any [`Game`] of it by number |
//! | [`convert`] | text to archive and back: [`convert::pack`], [`convert::unpack`], [`convert::test`], [`convert::list`], [`convert::info`] |
//! | [`archive`] | a `.pgc` file as a whole: segments of blocks |
//! | [`index`] | the file beside an archive from which any game is found |
//! | [`pgn`] | the text: where games begin and end, the reader, the layout, the writer of export format |
//! | [`pgc`] | the binary form: records, items, private escapes |
//! | [`chess`] | what both need of the rules: positions, SAN, ordinals |
//! | [`io`] | inputs, compressed or not, and outputs that appear whole; knows no chess |
//!
//! Imports point one way: `store` to `convert` to `archive` and `index` to `pgn` and `pgc` (none of
//! which knows its neighbour) to `chess`. The formats are defined in `spec/`.

pub mod archive;
pub mod chess;
pub mod convert;
pub mod index;
pub mod io;
pub mod pgc;
pub mod pgn;
pub mod store;
mod threads;

pub use convert::Error;
pub use store::{Archive, Game, IndexState};

/// The examples of README.md.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
