//! Files and pipes: inputs recognised by content, outputs that appear whole or not at all,
//! read-only maps, bytes that can be read at any place.
//!
//! Nothing here knows what a game is.

mod decode;
pub(crate) mod dir;
pub(crate) mod input;
pub(crate) mod lock;
pub mod mmap;
mod named;
pub mod output;
pub(crate) mod read_at;
pub(crate) mod temp;
pub mod walk;
mod window;
mod zip;

pub use decode::{Format, InputError, is_truncated};
pub use named::{NamedWriter, is_named, named};
pub(crate) use window::windows_held;
