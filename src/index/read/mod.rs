//! Reads an index in memory, and verifies it.

mod lines;
pub(crate) mod reader;
pub(crate) mod table;
mod verify;
pub(crate) mod view;

pub(crate) use lines::{LineEntry, LineGroup, LineTable};
pub(crate) use reader::{BlockPosition, RowReader};
pub use reader::{Index, Row};
pub use table::NameField;
#[cfg(feature = "arrow")]
pub(crate) use table::ValueReader;
pub(crate) use table::opening_name;
#[cfg(feature = "arrow")]
pub(crate) use view::IntegerColumn;
