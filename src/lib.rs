//! Chess archives: PGN to PGC and back, to the byte.
pub mod chess;
pub mod convert;
pub mod io;
