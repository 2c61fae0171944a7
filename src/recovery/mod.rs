//! Recovery data beside an archive (spec/recovery.md): shards of a Reed-Solomon code, from which
//! damaged parts of the archive are computed again, exactly.
//!
//! It knows nothing of archives: what it protects are bytes.

mod code;
pub(crate) mod error;
mod packet;
mod plan;
pub(crate) mod protect;
pub(crate) mod repair;
mod sum;
