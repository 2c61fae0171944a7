//! Recovery data beside an archive (spec/recovery.md): spare shards of a Reed-Solomon code, from
//! which pgc computes damaged shards of the archive again, byte for byte.
//!
//! This module protects any bytes; it knows nothing of archives.

mod code;
mod packet;
mod plan;
pub mod protect;
pub mod repair;
