//! All integration tests, linked once.
#![expect(clippy::print_stderr, reason = "a test that cannot run says so")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[cfg(feature = "cli")]
#[path = "cli.rs"]
mod cli;
mod export;
#[path = "io.rs"]
mod io;
mod records;
