//! EPD (PGN 1994, 16.2): a position and operations in one line of text (spec/epd.md).

pub mod game;
pub mod line;
pub mod list;
pub(crate) mod mend;
pub(crate) mod opcode;
pub mod source;
