//! Files and pipes: inputs recognised by content, outputs that appear whole or not at all,
//! read-only maps, bytes that can be read at any place.
//!
//! Nothing here knows what a game is.

mod decode;
pub mod dir;
pub mod input;
pub mod lock;
pub mod mmap;
mod named;
pub mod output;
pub mod read_at;
pub mod temp;
pub mod walk;
mod window;
mod zip;

pub use decode::{Format, InputError, is_truncated};
pub use named::{FileError, NamedWriter, is_named, named};
pub use window::{MAX_WINDOW, windows_held};
