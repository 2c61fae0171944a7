//! All integration tests, in one binary: it links once.
#![expect(clippy::print_stderr, reason = "a test that cannot run says so")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod archive;
mod block;
mod chess;
mod cli;
mod index;
mod pgn;
mod support;
#[cfg(feature = "parquet")]
mod tables;
