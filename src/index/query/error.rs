//! Why a query cannot be read.

use super::dates::DateError;
use super::pattern::PatternError;
use crate::index::format::GameRules;

/// Why an argument cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// Not a number or a range of numbers.
    #[error("{0:?} is no range of numbers: write 2700, 2700.., 2700..2800 or ..2800")]
    Numbers(String),
    /// Not an ECO code or a range of codes.
    #[error("{0:?} is no ECO code: write B33, B30-B39, B3, B, none or other")]
    Eco(String),
    /// A range that ends before it begins.
    #[error("{0:?} ends before it begins")]
    Backwards(String),
    /// Not a result.
    #[error("{0:?} is no result: write 1-0, 0-1, 1/2 or *; or white, black, draw, unknown")]
    Result(String),
    /// Not a date.
    #[error(transparent)]
    Date(#[from] DateError),
    /// Not a name or a round.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// Not the name of rules.
    #[error("there are {}", GameRules::ALL.map(GameRules::name).join(", "))]
    Rules,
    /// Not a tag and its value.
    #[error("NAME=VALUE, as in Annotator=tal or ECO==B33")]
    Tag,
    /// Not the name of a tag.
    #[error("\"{0}\" is no name of a tag")]
    TagName(String),
    /// No player whose opponent is asked for.
    #[error("--vs names the opponent of -p, or of -w or -b alone")]
    Versus,
    /// Not an option of a query.
    #[error("{0:?} is no option of a query")]
    Option(String),
    /// An option without its value.
    #[error("--{0} needs a value")]
    NoValue(&'static str),
    /// A quotation mark that is never closed.
    #[error("a quotation mark is not closed")]
    Quote,
}
