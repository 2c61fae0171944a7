//! Reads and writes files and pipes: inputs recognised by content ([`input`]: gzip, bzip2, xz, zstd,
//! zip, tar), outputs that appear complete or not at all ([`output`]), read-only maps ([`mmap`]),
//! access to bytes by offset ([`read_at`]), threads ([`threads`]). The modules have examples.
//!
//! Nothing here knows about games.

mod decode;
pub mod dir;
pub mod input;
pub mod lock;
pub mod mmap;
mod named;
pub mod output;
pub mod read_at;
mod rights;
mod tar;
pub mod temp;
pub mod threads;
pub mod walk;
mod window;
mod zip;

pub use decode::{Format, InputError, Peeked, is_truncated};
pub use lock::{is_being_written, lock_alone};
pub use named::{NamedWriter, is_named, named};
pub use window::windows_held;
