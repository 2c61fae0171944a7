//! PGN, the text.

mod begin;
mod chunks;
pub mod game;
mod plain;
pub mod reader;
mod reading;
pub mod split;
pub mod tag;
mod token;
mod words;
pub mod writer;

pub(crate) use token::CHECK_WORDS;
