//! Reads and writes files and pipes: inputs recognised by content, outputs that appear complete or
//! not at all, read-only maps, random access to bytes.
//!
//! Nothing here knows about games.

mod decode;
pub mod dir;
mod growing;
pub mod input;
pub mod lock;
pub mod mmap;
mod named;
pub mod output;
pub mod read_at;
mod rights;
mod tar;
pub mod temp;
pub mod temp_folder;
pub mod threads;
pub mod walk;
mod window;
mod zip;

pub use decode::{Format, InputError, is_truncated};
pub use lock::{is_being_written, lock_alone};
pub use named::{NamedWriter, is_named, named};
pub use window::windows_held;
