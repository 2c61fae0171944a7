//! Files and pipes: inputs recognised by content, outputs that appear whole or not at all, read-only maps.
//!
//! Nothing here knows what a game is.

mod decode;
pub mod dir;
pub mod input;
pub mod lock;
pub mod mmap;
pub mod output;
pub mod walk;
mod zip;

pub use decode::{Format, InputError, MAX_WINDOW, is_truncated};
