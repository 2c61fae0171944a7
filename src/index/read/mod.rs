//! Reads an index in memory, and verifies it.

mod lines;
pub(crate) mod reader;
pub(crate) mod table;
mod verify;
pub(crate) mod view;

pub use lines::{LineEntry, LineGroup, LineTable};
pub use reader::{BlockPosition, RowReader};
pub use reader::{Index, Row};
pub use table::NameField;
pub use table::ValueReader;
pub use table::opening_name;
pub use view::IntegerColumn;
