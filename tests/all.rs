//! All integration tests, in one binary: it links once.
#![expect(clippy::print_stderr, reason = "a test that cannot run says so")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[cfg(feature = "cli")]
mod cli;
mod export;
mod io;
mod ordinals;
mod records;
mod vectors;
