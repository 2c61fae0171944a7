//! The index beside an archive, which finds games without reading the archive (spec/index.md).
//!
//! A question is a [`Query`], built from tests or read from the options of `pgc find`:
//!
//! ```
//! use pgc_index::{Query, Test};
//!
//! let query = Query::parse("--player 'tal m' --date 1959..1961 --not-result draw")?;
//! assert_eq!(query.all.len(), 3);
//! let elo = Query::new().and(Test::parse("elo", "2700..")?);
//! assert_eq!(elo.all.len(), 1);
//! # Ok::<(), pgc_index::ArgumentError>(())
//! ```
//!
//! The crate `pgc` makes the index of an archive and asks it; [`Builder`] has an example of how.
//!
//! ```text
//! summaries of games --> builder --> runs --> parts (sorted tables, in memory or in temporary files)
//!                                              |
//!                      old index --> part --> merge --> index
//!
//! index = begin
//!         0x01 segments   0x02 blocks                      where the games are
//!         0x10 date ... 0x1b opening                       columns: a number for each game
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

pub use format::fold::{fold, words};
pub use format::layout::{MAX_VALUE, kind};
pub use format::places::Segment;
pub use format::round::{EqualRounds, collate_rounds};
pub use format::{
    Date, Feature, Flags, IndexError, IndexFrame, Integers, Row, Section, rules_word,
};
pub use query::{
    AliasError, AliasNames, ArgumentError, AskOption, AskedOption, BitSet, Clause, DateTest,
    EcoRange, EloField, Fit, Found, JOINS, JoinOption, LaterPlace, MatchedNames, Mover,
    NamePattern, NamedValue, OPTIONS, Query, QueryOption, ReadName, RoundPattern, Test, TimeTest,
    Window, near_texts, near_words, read_aliases,
};
pub use read::{
    BlockPosition, Index, IntegerColumn, LineEntry, LineGroup, LineTable, NameField, RowReader,
    ValueReader, opening_name,
};
pub use write::{
    BuildOptions, Builder, Facts, Sizes, Sorted, SortedReader, Sorter, Summaries, Temp,
};
