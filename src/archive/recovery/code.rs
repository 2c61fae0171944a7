//! The Reed-Solomon code (spec/recovery.md section 4).

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
