//! PGN text: splits a source into games, reads a game into elements, writes export format.

mod begin;
pub(crate) mod blanks;
mod chunks;
pub mod clause;
pub mod command;
pub mod eco;
pub mod encoding;
pub mod epd;
pub mod finding;
pub mod from_ply;
pub mod game;
pub mod nag;
pub mod piece_letters;
mod plain;
pub mod reader;
mod reading;
pub mod records;
pub mod respell;
mod result;
pub mod source_text;
pub mod split;
pub mod tag;
pub mod tag_column;
pub mod text;
pub mod time_control;
mod token;
mod words;
pub mod writer;

pub use begin::ends_any_game;
pub use token::CHECK_WORDS;
