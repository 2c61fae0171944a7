//! The program as its users meet it.

pub(crate) mod add;
pub(crate) mod answers;
pub(crate) mod bounds;
pub(crate) mod failures;
#[cfg(target_os = "linux")]
pub(crate) mod faults;
#[cfg(unix)]
pub(crate) mod files;
pub(crate) mod find;
pub(crate) mod get;
pub(crate) mod hostile;
pub(crate) mod inputs;
pub(crate) mod io;
pub(crate) mod json;
pub(crate) mod limits;
pub(crate) mod mistaken;
pub(crate) mod program;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod small_commands;
#[cfg(all(unix, feature = "serve", not(feature = "parquet")))]
pub(crate) mod snapshots;
pub(crate) mod stats;
pub(crate) mod table;
pub(crate) mod tree;
pub(crate) mod trust;
pub(crate) mod unknown;
pub(crate) mod view;
