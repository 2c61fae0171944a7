//! The Reed-Solomon code (spec/recovery.md section 4), checksums and digests.

use reed_solomon_simd::Error;
use reed_solomon_simd::engine::DefaultEngine;
use reed_solomon_simd::rate::{HighRateDecoder, HighRateEncoder, RateDecoder, RateEncoder};

type GroupEncoder = HighRateEncoder<DefaultEngine>;
type GroupDecoder = HighRateDecoder<DefaultEngine>;

/// Computes the spare shards of a group from its shards, added in order.
pub(super) fn encoder(shards: usize, spares: usize, length: usize) -> Result<GroupEncoder, Error> {
    GroupEncoder::new(shards, spares, length, DefaultEngine::new(), None)
}

/// Computes the missing shards of a group from its other shards and as many spares as are missing.
pub(super) fn decoder(shards: usize, spares: usize, length: usize) -> Result<GroupDecoder, Error> {
    GroupDecoder::new(shards, spares, length, DefaultEngine::new(), None)
}

/// The checksum of a shard or a packet: the first 8 bytes of its BLAKE3.
pub(super) fn sum(parts: [&[u8]; 2]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    first(&hasher)
}

/// The first `N` bytes of a digest.
pub(super) fn first<const N: usize>(hasher: &blake3::Hasher) -> [u8; N] {
    let digest = hasher.finalize();
    std::array::from_fn(|at| digest.as_bytes()[at])
}
