//! What is not our archive: streams of 1994 without private escapes, whoever wrote them, PGN export
//! format, and the dialect of the program pgn2pgc.

pub mod export;
pub mod export_own;
pub mod listing;
pub mod signs;
pub mod standard;
