//! Questions to an index: what can be asked, and how the matching games are found.

mod aliases;
mod arguments;
mod dates;
mod eco;
mod error;
mod eval;
mod matching;
mod names;
mod one_person;
mod options;
mod pattern;
mod person;
mod plan;
#[expect(clippy::module_inception, reason = "the type that the folder is about")]
mod query;
mod spelling;
mod word;

pub use aliases::{AliasError, AliasNames, read_aliases};
pub use dates::{DateTest, Fit};
pub use eco::EcoRange;
pub use error::ArgumentError;
pub use eval::BitSet;
pub use names::{MatchedNames, NamedValue, near_texts, near_words};
pub use one_person::ReadName;
pub use options::{AskOption, AskedOption, JOINS, JoinOption, OPTIONS, QueryOption};
pub use pattern::{NamePattern, RoundPattern};
pub use plan::Found;
pub use query::{Clause, EloField, LaterPlace, Mover, Query, Test, TimeTest, Window};
