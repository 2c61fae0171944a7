//! Chess archives: PGN to PGC and back, to the byte.
pub mod archive;
pub mod chess;
pub mod convert;
pub mod io;
pub mod pgc;
pub mod pgn;
