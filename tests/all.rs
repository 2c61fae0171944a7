//! All integration tests, in one binary: it links once.
#![expect(clippy::print_stderr, reason = "a test that cannot run says so")]

mod export;
mod records;
