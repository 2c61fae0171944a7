//! All integration tests, linked once.

#[cfg(feature = "cli")]
#[path = "cli.rs"]
mod cli;
#[path = "io.rs"]
mod io;
