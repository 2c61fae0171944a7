//! Handles everything that is not an archive of pgc: plain streams of the 1994 standard, whichever
//! program wrote them, PGN export format, SGF, and the dialect of the program pgn2pgc.

pub(crate) mod export;
pub(crate) mod export_own;
pub(crate) mod game;
pub(crate) mod lint;
pub(crate) mod listing;
pub(crate) mod loose;
pub(crate) mod rescue;
pub(crate) mod sgf;
pub(crate) mod signs;
pub(crate) mod standard;
