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

// The parts. They are public, but no part of the interface, because the program, the tests, the
// benchmarks and the fuzz targets of this package are other crates to the compiler. Nothing about
// them is promised.
#[doc(hidden)]
pub mod archive;
#[doc(hidden)]
pub mod block;
#[doc(hidden)]
pub mod chess;
#[doc(hidden)]
pub mod foreign;
#[doc(hidden)]
pub mod index;
#[doc(hidden)]
pub mod io;
#[doc(hidden)]
pub mod pgn;
#[doc(hidden)]
pub mod records;
#[doc(hidden)]
pub mod run;
mod threads;

pub use archive::ask::find::Answer;
pub use archive::game::Game;
pub use archive::open::{Archive, IndexState, OpenOptions};
pub use archive::pack::run::pack;
pub use archive::unpack::run::{test, unpack};
pub use index::Query;
pub use run::{
    Drops, Error, Finding, Hooks, Loss, NoHooks, PackOptions, Sink, SourceInfo, Summary,
    UnpackOptions,
};

/// The examples of README.md.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
