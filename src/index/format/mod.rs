//! The format of an index (spec/index.md): its frame, its sections, the meaning of the integers in
//! them, and the order and the words of its values.

pub(crate) mod date;
pub(crate) mod flags;
pub(crate) mod fold;
pub(crate) mod integers;
pub(crate) mod layout;
pub(crate) mod lines;
pub(crate) mod names;
pub(crate) mod places;
pub(crate) mod postings;
pub(crate) mod round;

pub use date::Date;
pub use flags::{Feature, Flags, rules_word};
pub use integers::Integers;
pub use layout::{IndexError, IndexFrame, Section};

/// The columns of an index for one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the columns")]
pub struct Row<S = String> {
    pub date: Date,
    pub event: S,
    pub material: S,
    pub round: S,
    pub white: S,
    pub black: S,
    pub white_elo: u16,
    pub black_elo: u16,
    pub eco: u16,
    pub plies: u32,
    pub flags: Flags,
}
