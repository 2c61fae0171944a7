//! What a person or a program reads: tables, columns, JSON, summaries, progress.

pub(crate) mod change_log;
pub(crate) mod columns;
pub(crate) mod curve;
pub(crate) mod diagram;
pub(crate) mod dups_listing;
pub(crate) mod footer;
pub(crate) mod game_json;
pub(crate) mod gaps;
pub(crate) mod output;
pub(crate) mod screen;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod unknown;
pub(crate) mod watch;
