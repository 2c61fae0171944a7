//! All integration tests, in one binary: it links once.
#![expect(clippy::print_stderr, reason = "a test that cannot run says so")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod add;
mod answers;
mod archive;
mod bounds;
mod cli;
mod coded_moves;
mod collection;
mod comments;
mod conformance;
mod corpus;
mod crosstable;
mod damage;
mod damaged_answers;
mod dups;
mod edit;
mod edit_beside;
mod engine_notes;
mod epd;
mod epd_source;
mod export;
mod failures;
mod false_index;
mod false_places;
mod false_sections;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(unix)]
mod files;
mod find;
mod find_corpus;
mod get;
mod hostile;
mod import;
mod index;
mod index_builder;
mod inputs;
mod io;
mod json;
mod limits;
mod lint;
mod lint_epd;
mod merge;
mod mistaken;
mod neighbours;
mod null_moves;
mod old_forms;
mod opening_list;
mod openings;
mod ordinals;
mod parallel;
mod people;
mod pieces;
mod played;
mod positions;
mod questions;
mod records;
mod recovery;
mod results;
mod robustness;
mod roundtrip;
mod salvage;
mod samples;
#[cfg(feature = "serve")]
mod serve;
mod sgf;
mod signs;
mod small;
mod small_commands;
#[cfg(all(unix, feature = "serve", not(feature = "parquet")))]
mod snapshots;
mod split;
mod standard;
mod starts;
mod stats;
mod support;
#[cfg(feature = "parquet")]
mod tables;
#[cfg(feature = "parquet")]
mod tables_index;
#[cfg(feature = "parquet")]
mod tables_sorted;
mod tree;
mod trust;
mod unknown;
mod vectors;
mod view;
mod written_by_others;
