//! Reads an index in memory, and verifies it.

pub(crate) mod reader;
pub(crate) mod table;
mod verify;
pub(crate) mod view;

pub use reader::{Index, Row};
pub use table::NameField;
