//! PGN, the text.

mod begin;
pub mod check;
mod chunks;
pub mod detect;
pub mod eco;
pub mod game;
pub mod layout;
mod plain;
pub mod reader;
mod reading;
pub mod split;
mod style;
pub mod tag;
mod template;
pub mod text;
mod token;
mod words;
pub mod writer;

pub(crate) use token::CHECK_WORDS;
