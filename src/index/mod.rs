//! The index beside an archive, which finds games without reading the archive (spec/index.md).
//!
//! ```text
//! summaries of games --> builder --> runs --> parts (sorted tables, in memory or in temporary files)
//!                                              |
//!                      old index --> part --> merge --> index
//!
//! index = begin
//!         0x01 segments   0x02 blocks                      where the games are
//!         0x10 date ... 0x1b opening                       columns: a number for each game
//!         0x1c hash                                        equal games
//!         0x20 events     0x30 dates                       tables: sorted values; of some the games of
//!         0x40 rounds     0x50 players                     each (postings), and the words of the values,
//!         0x60 materials  0x70 openings                    sorted
//!         0x80 lines                                       the first moves of the games, sorted
//!         sums            table         trailer            checksums, list of sections, digest of the archive
//! ```
//!
//! [`Index`] opens an index, and [`Query`] is a question to it. `format` defines the layout of the
//! file, `write` makes it, `read` reads and verifies it, and `query` answers questions. `write` and
//! `read` import `format`; `query` imports `read` and `format`. Nothing here opens files, except
//! the temporary ones of `write`.

mod format;
mod query;
mod read;
mod write;

pub(crate) use format::fold::{fold, words};
pub(crate) use format::layout::{MAX_VALUE, kind};
pub(crate) use format::round::{EqualRounds, collate_rounds, compare_rounds};
pub use format::{Date, Extras, GameRules, IndexError};
pub(crate) use format::{Flags, Integers};
pub use query::{
    ArgumentError, Clause, DateError, DateTest, EcoRange, EloField, Feature, Fit, LaterPlace,
    MatchedNames, NamePattern, PatternError, Query, QueryOption, RoundPattern, Test, TimeTest,
    Window,
};
pub(crate) use query::{Found, NamedValue, ReadName};
pub(crate) use read::{BlockPosition, LineEntry, LineGroup, LineTable, RowReader, opening_name};
pub use read::{Index, NameField, Row};
#[cfg(feature = "arrow")]
pub(crate) use read::{IntegerColumn, ValueReader};
pub use write::{BuildOptions, Sizes};
pub(crate) use write::{Builder, Facts, Sorted, Sorter, Summaries, Temp};

#[doc(hidden)]
pub use query::{
    AliasError, AskedOption, JOINS, JoinOption, OPTIONS, command_words, near_texts, near_words,
    read_aliases,
};

/// The parts of an index. Programs make an index with [`index`](crate::archive::indexing::index)
/// and read it with [`Index`]; the tests and benchmarks of this crate feed the builder their own
/// games and examine the bytes.
#[doc(hidden)]
pub(crate) mod internals {
    pub use super::format::{IndexFrame, Integers, Section};
    pub use super::write::{Builder, Facts, GameSummary, Summaries};
}
