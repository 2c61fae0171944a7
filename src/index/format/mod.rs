//! What an index looks like (spec/index.md): its frame and its sections, what the integers in them
//! mean, and in what order and by what words its values are found.

pub(crate) mod date;
pub(crate) mod flags;
pub(crate) mod fold;
pub(crate) mod integers;
pub(crate) mod layout;
pub(crate) mod places;
pub(crate) mod round;

pub use date::Date;
pub(crate) use flags::Flags;
pub use flags::GameRules;
pub use integers::Integers;
pub use layout::{IndexError, IndexFrame, Section};
