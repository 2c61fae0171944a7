//! Reads an index in memory, and verifies it.

mod lines;
pub(crate) mod reader;
pub(crate) mod table;
pub(crate) mod view;

pub use lines::{LineEntry, LineGroup, LineTable};
pub use reader::{BlockPosition, Index, RowReader};
pub use table::{NameField, ValueReader, opening_name};
pub use view::IntegerColumn;
