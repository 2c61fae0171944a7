//! PGN, the text.

mod begin;
mod chunks;
pub mod eco;
pub mod game;
mod plain;
pub mod reader;
mod reading;
pub mod split;
pub mod tag;
pub mod text;
mod token;
mod words;
pub mod writer;

pub(crate) use token::CHECK_WORDS;
