//! The index that stands beside an archive: any game is found without reading the archive
//! (spec/index.md).
//!
//! ```text
//! summaries of games --> builder --> run, run, run (sorted, in memory or in temporary files)
//!                                         |
//!                      old index --> run --> merge --> index
//!
//! index = begin
//!         0x01 segments   0x02 blocks                      where the games are
//!         0x10 date ... 0x1a flags                         columns: a number for each game
//!         0x1b order      0x1c hash                        collating order; equal games
//!         0x20 events     0x30 sites    0x40 rounds        tables: sorted values, the games of each (postings),
//!         0x50 players                                     the words of the values, sorted
//!         sums            table         trailer            what makes the file trustworthy
//! ```
//!
//! [`Index`] opens an index and [`Query`] asks it. Of the four folders, `format` says what the file
//! looks like, `write` makes it, `read` reads and verifies it, and `query` answers questions:
//! `write` and `read` know `format`, and `query` knows `read` and `format`. Nothing here knows files,
//! but for the temporary ones of the runs.

mod format;
mod query;
mod read;
mod write;

pub(crate) use format::Flags;
pub(crate) use format::layout::{MAX_VALUE, kind};
pub(crate) use format::round::{EqualRounds, collate_rounds, compare_rounds};
pub use format::{Date, GameRules, IndexError};
pub use query::{
    ArgumentError, Clause, DateError, DateTest, EcoRange, EloField, Fit, MatchedNames, NamePattern,
    PatternError, Query, QueryOption, RoundPattern, Test,
};
pub(crate) use query::{Found, NamedValue};
pub use read::{Index, NameField, Row};
pub use write::{BuildOptions, Sizes};
pub(crate) use write::{Builder, Facts, Fetch, Sorted, Sorter, Summaries, Temp};

#[doc(hidden)]
pub use query::OPTIONS;

/// The parts that an index is made with and of. Programs make one with
/// [`index`](crate::archive::indexing::index) and read it with [`Index`]; the tests and the benchmark
/// of this crate feed the builder games of their own, and look at the bytes it writes.
#[doc(hidden)]
pub(crate) mod internals {
    pub use super::format::{IndexFrame, Integers, Section};
    pub use super::write::{Builder, Facts, Fetch, GameSummary, NoFetch, Summaries};
}
