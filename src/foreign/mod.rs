//! What is not our archive: streams of 1994 without private escapes, whoever wrote them, PGN export
//! format, and the dialect of the program pgn2pgc.

pub(crate) mod export;
pub(crate) mod export_own;
pub(crate) mod listing;
pub(crate) mod signs;
pub(crate) mod standard;
