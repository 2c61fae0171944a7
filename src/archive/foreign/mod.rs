//! Handles everything that is not an archive of pgc: plain streams of the 1994 standard, whichever
//! program wrote them, PGN export format, SGF, and the dialect of the program pgn2pgc.

pub mod export;
pub mod game;
pub(crate) mod lint;
pub mod listing;
pub(crate) mod loose;
pub mod sgf;
pub(crate) mod signs;
pub(crate) mod standard;
