//! EPD (PGN 1994, 16.2): a position and operations in one line of text (spec/epd.md).

mod field;
pub(crate) mod game;
pub(crate) mod line;
pub(crate) mod list;
pub(crate) mod mend;
pub(crate) mod opcode;
pub(crate) mod source;
