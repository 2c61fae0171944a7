//! All integration tests, in one binary: it links once.
#![expect(clippy::print_stderr, reason = "a test that cannot run says so")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[cfg(feature = "cli")]
mod add;
mod archive;
#[cfg(feature = "cli")]
mod circles;
mod cli;
mod coded_moves;
#[cfg(feature = "cli")]
mod collection;
mod comments;
mod conformance;
mod corpus;
mod crosstable;
#[cfg(feature = "cli")]
mod damage;
mod damaged_answers;
#[cfg(feature = "cli")]
mod dups;
#[cfg(feature = "cli")]
mod edit;
mod edit_beside;
#[cfg(feature = "cli")]
mod engine_notes;
#[cfg(feature = "cli")]
mod epd;
#[cfg(feature = "cli")]
mod epd_source;
mod export;
#[cfg(feature = "cli")]
mod failures;
#[cfg(feature = "cli")]
mod false_index;
#[cfg(all(feature = "cli", target_os = "linux"))]
mod faults;
#[cfg(all(feature = "cli", unix))]
mod files;
#[cfg(feature = "cli")]
mod find;
mod find_corpus;
#[cfg(feature = "cli")]
mod get;
#[cfg(feature = "cli")]
mod hostile;
mod import;
mod index;
mod index_builder;
#[cfg(feature = "cli")]
mod inputs;
mod io;
mod layering;
mod lint;
mod lint_epd;
#[cfg(feature = "cli")]
mod merge;
#[cfg(feature = "cli")]
mod mistaken;
mod null_moves;
#[cfg(all(feature = "cli", feature = "openings"))]
mod openings;
mod ordinals;
mod parallel;
#[cfg(feature = "cli")]
mod people;
#[cfg(feature = "cli")]
mod pieces;
mod played;
mod positions;
mod questions;
mod records;
mod recovery;
#[cfg(feature = "cli")]
mod results;
mod robustness;
mod roundtrip;
#[cfg(feature = "cli")]
mod salvage;
mod samples;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "cli")]
mod sgf;
mod small;
#[cfg(feature = "cli")]
mod small_commands;
mod split;
mod standard;
#[cfg(feature = "cli")]
mod starts;
#[cfg(feature = "cli")]
mod stats;
mod support;
#[cfg(all(feature = "cli", feature = "parquet"))]
mod tables;
#[cfg(all(feature = "cli", feature = "parquet"))]
mod tables_index;
#[cfg(all(feature = "cli", feature = "parquet"))]
mod tables_sorted;
#[cfg(feature = "cli")]
mod tree;
#[cfg(feature = "cli")]
mod trust;
mod unknown;
mod vectors;
#[cfg(feature = "cli")]
mod view;
