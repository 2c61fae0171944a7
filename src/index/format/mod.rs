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
pub use flags::{Feature, Flags, GameRules};
pub use integers::Integers;
pub use layout::{Extras, IndexError, IndexFrame, Section};
