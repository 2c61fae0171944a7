//! A `.pgc` file as a whole: what a user calls an archive.
//!
//! ```text
//! archive = segment*                      cat a.pgc b.pgc > both.pgc
//! segment = head block* tail              one source
//! block   = block-head (game | text)*     the unit of parallel work, layout, integrity and access
//! ```
//!
//! `stream` knows how a file is made of these parts (spec/extension.md sections 3 to 6), `pack` and
//! `unpack` convert, `indexing` makes the index beside an archive, `join` makes one archive of
//! several or several of one, `open` and `ask` answer questions about the games.

pub mod ask;
mod digest;
pub mod fault;
pub mod game;
pub mod games;
pub mod indexing;
pub mod join;
mod map;
pub mod open;
pub mod pack;
pub mod pipeline;
mod stand_in;
pub mod stream;
pub mod unpack;
