//! The errors of parsing a query.

use super::options::MOST_GROUPS;
use crate::format::flags::RULES;
use pgc_chess::{BoardError, MovesError};

/// Why an option or its value cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// Not a number or a range of numbers.
    #[error("{0:?} is not a number or a range: write N, N.., N..M or ..M")]
    Numbers(String),
    /// Not a range of plies.
    #[error("{0:?} is not a range of half moves: write 20, 20.., 20..40 or ..40")]
    Plies(String),
    /// Not a number of positions.
    #[error("{0:?} is not a number of half moves, from 1 to 4294967295")]
    Lasting(String),
    /// Not an ECO code or a range of codes.
    #[error("{0:?} is not an ECO code (A00 to E99): write B33, B30..B39, B3, B, none or other")]
    Eco(String),
    /// A range that ends before it begins.
    #[error("{0:?} ends before it begins")]
    Backwards(String),
    /// Not a result.
    #[error(
        "{0:?} is not a result: write 1-0, 0-1, 1/2 or *; or white, black, draw, unknown, win, loss"
    )]
    Result(String),
    /// Not a date.
    #[error(
        "{0:?} is not a date: write 1992, 199?, 1992.05, 1992.05.03, 1992.05..1992.07, 1992.., unknown or odd"
    )]
    Date(String),
    /// A known digit of a date after an unknown one.
    #[error("{0:?}: after an unknown digit all digits must be unknown")]
    DateGap(String),
    /// A date without a known digit.
    #[error("{0:?} has no known digit; to find games without a date, write unknown")]
    NoDigit(String),
    /// A name or a round without a word to search for.
    #[error("has no word to search for; = before it matches the exact whole value")]
    NoWord,
    /// Not the name of a variant.
    #[error("unknown rules; use {}", RULES.join(", "))]
    Rules,
    /// Not one of the words that an option takes.
    #[error("{0:?} is none of {1}")]
    Word(String, String),
    /// Not a glyph.
    #[error("{0:?} is not a glyph: write 0 to 255, or ! ? !! ?? !? ?!")]
    Nag(String),
    /// Not a number of times.
    #[error("{0:?} is not a number of times: write 3")]
    Repeated(String),
    /// Not a time control.
    #[error(
        "{0:?} is not a time control: write one as the TimeControl tag does (180+2, 40/7200:3600), a range of seconds (300..600), or bullet, blitz, rapid, classical or unlimited"
    )]
    Time(String),
    /// Not a tag name and a value.
    #[error("write NAME=VALUE, as in Annotator=tal or ECO==B33")]
    Tag,
    /// Not a valid tag name.
    #[error("\"{0}\" is not a tag name")]
    TagName(String),
    /// Not moves.
    #[error(transparent)]
    Moves(#[from] MovesError),
    /// Moves to a position that cannot be played.
    #[error("{0} is not legal from the usual start position; --fen asks for any position")]
    IllegalMove(String),
    /// Not a position.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// An option that depends on a player, without an option for the player.
    #[error("--{0} needs a player: -p, -w or -b")]
    Relative(&'static str),
    /// Where to look, without a question about a position.
    #[error(
        "--ply, --for, --flip, --mirror and --in-variations belong to a question about a position or a move: --fen, --moves-to, --pattern, --material, --imbalance, --move, --capture, --repeated or --material-change; --ply also to --clock and --eval-swing"
    )]
    Window,
    /// `--then` or `--next` without what it joins.
    #[error(
        "--then and --next join questions about a position or a move, such as --pattern and --move, and none that are negative; put others, which are about the whole game, before the first of them"
    )]
    Then,
    /// `--within` without the step that it is about.
    #[error("--within N stands behind --then, once: what follows comes at most N half moves later")]
    Within,
    /// `--or` without a question before or behind it.
    #[error("--or stands between groups of questions")]
    Or,
    /// More groups of questions than a query may have.
    #[error(
        "--then, --next and --or join at most {} groups of questions; --ply and --for look further along",
        MOST_GROUPS
    )]
    Groups,
    /// Not an option of a query; behind it what is similar.
    #[error("{0:?} is not an option of a query{1}")]
    Option(String, String),
    /// An option without its value.
    #[error("needs a value")]
    NoValue,
    /// A value for an option that takes none.
    #[error("takes no value")]
    Value,
    /// An error in the value of this option.
    #[error("{0}: {1}")]
    In(String, Box<ArgumentError>),
    /// A quotation mark that is never closed.
    #[error("a quotation mark is not closed")]
    Quote,
}
