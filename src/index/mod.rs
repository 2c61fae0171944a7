//! The index that stands beside an archive: any game is found without reading the archive
//! (spec/index.md).
//!
//! ```text
//! summaries of games --> builder --> run, run, run (sorted, in temporary files)
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
//! Nothing here knows files, but for the temporary ones of the runs.

pub mod builder;
mod calendar;
mod collated;
pub mod date;
pub mod dates;
mod eval;
pub mod fold;
mod integers;
pub mod layout;
mod merge;
mod order;
mod output;
mod plan;
pub mod query;
pub mod reader;
mod round;
mod run;
mod sites;
mod sort;
mod spill;
pub mod summary;
pub mod table;
mod ties;
mod values;
mod verify;
mod words;

pub use builder::{BuildOptions, Builder, Fetch, NoFetch, Sizes};
pub use date::Date;
pub use dates::{DateError, DateTest, Fit};
pub use fold::{NamePattern, PatternError, RoundPattern};
pub use layout::{Frame, IndexError, Integers, Section};
pub use query::{
    ArgumentError, Clause, EcoRange, EloField, Found, MatchedNames, Query, Test, numbers,
};
pub use reader::{Index, Place, Row, Segment};
pub(crate) use round::{EqualRounds, collate_rounds, compare_rounds};
pub(crate) use sort::{Sorted, Sorter};
pub(crate) use spill::Temp;
pub use summary::{Facts, Flags, Summaries, Summary};
pub use table::{NameField, Named, Names};
