//! Chess archives: PGN to PGC, the binary form of section 20 of the PGN standard of 1994, and back, to the byte.
//!
//! | module | what |
//! |---|---|
//! | [`convert`] | the paved path: [`convert::pack`], [`convert::unpack`], [`convert::test`], [`convert::list`], [`convert::info`] |
//! | [`archive`] | a `.pgc` file as a whole: segments of blocks |
//! | [`index`] | the file beside an archive from which any game is found |
//! | [`pgn`] | the text: where games begin and end, the reader, the layout, the writer of export format |
//! | [`pgc`] | the binary form: records, items, private escapes |
//! | [`chess`] | what both need of the rules: positions, SAN, ordinals |
//! | [`io`] | inputs, compressed or not, and outputs that appear whole; knows no chess |
//!
//! Imports point one way: `convert` to `archive` and `index` to `pgn` and `pgc` (none of which knows its neighbour) to `chess`. The formats are defined in
//! `spec/`.

pub mod archive;
pub mod chess;
pub mod convert;
pub mod index;
pub mod io;
pub mod pgc;
pub mod pgn;

/// The examples of README.md.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
