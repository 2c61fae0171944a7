//! Errors of recovery data.

use std::io;

/// An error of protecting or repairing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecoveryError {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There are no bytes to protect.
    #[error("is empty: there is nothing to protect")]
    Empty,
    /// No packet was found.
    #[error("is not a recovery file of pgc, or no part of it is whole")]
    NoPacket,
    /// Too little is left of the checksums.
    #[error("too few of its checksums are whole: {whole} of {all} pages, and {all} are needed")]
    NoTable {
        /// Pages, and spares of pages, that are whole.
        whole: u64,
        /// Pages that must be.
        all: u64,
    },
    /// The checksums of all shards agree, but not the digest of the protected bytes.
    #[error("does not fit: its checksums agree, but not the digest of the whole")]
    Digest,
    /// The Reed-Solomon crate reports an error: a bug in pgc.
    #[error("the Reed-Solomon code failed: {0}")]
    Code(#[from] reed_solomon_simd::Error),
}
