//! All integration tests, in one binary: it links once.

#[cfg(feature = "cli")]
mod cli;
mod io;
mod ordinals;
