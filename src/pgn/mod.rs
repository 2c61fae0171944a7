//! PGN text: splits a source into games, reads a game into elements, writes export format.

mod begin;
pub(crate) mod blanks;
mod chunks;
pub(crate) mod clause;
pub(crate) mod command;
pub mod eco;
pub(crate) mod encoding;
pub(crate) mod epd;
pub(crate) mod from_ply;
pub(crate) mod game;
pub(crate) mod nag;
pub(crate) mod piece_letters;
mod plain;
pub(crate) mod reader;
mod reading;
pub(crate) mod respell;
mod result;
pub(crate) mod split;
pub(crate) mod tag;
pub(crate) mod tag_column;
pub(crate) mod text;
pub(crate) mod time_control;
mod token;
mod words;
pub(crate) mod writer;

pub(crate) use begin::ends_any_game;
pub(crate) use token::CHECK_WORDS;
