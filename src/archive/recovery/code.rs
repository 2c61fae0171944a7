//! The Reed-Solomon code (spec/recovery.md section 4).

use reed_solomon_simd::Error;
use reed_solomon_simd::engine::DefaultEngine;
use reed_solomon_simd::rate::{HighRateDecoder, HighRateEncoder, RateDecoder, RateEncoder};

/// Computes the spare shards of a group from its shards, added in order.
pub(super) struct SpareMaker(HighRateEncoder<DefaultEngine>);

impl SpareMaker {
    pub(super) fn new(shards: usize, spares: usize, length: usize) -> Result<SpareMaker, Error> {
        let engine = DefaultEngine::new();
        HighRateEncoder::new(shards, spares, length, engine, None).map(SpareMaker)
    }

    /// Takes the next shard.
    pub(super) fn add(&mut self, shard: &[u8]) -> Result<(), Error> {
        self.0.add_original_shard(shard)
    }

    pub(super) fn spares(mut self) -> Result<Vec<Vec<u8>>, Error> {
        let made = self.0.encode()?;
        Ok(made.recovery_iter().map(<[u8]>::to_vec).collect())
    }
}

/// Computes the missing shards of a group from its other shards and as many spares as are missing.
pub(super) struct Restorer(HighRateDecoder<DefaultEngine>);

impl Restorer {
    pub(super) fn new(shards: usize, spares: usize, length: usize) -> Result<Restorer, Error> {
        let engine = DefaultEngine::new();
        HighRateDecoder::new(shards, spares, length, engine, None).map(Restorer)
    }

    pub(super) fn add(&mut self, place: usize, shard: &[u8]) -> Result<(), Error> {
        self.0.add_original_shard(place, shard)
    }

    pub(super) fn add_spare(&mut self, place: usize, spare: &[u8]) -> Result<(), Error> {
        self.0.add_recovery_shard(place, spare)
    }

    /// The missing shards, with their places.
    pub(super) fn restored(mut self) -> Result<Vec<(usize, Vec<u8>)>, Error> {
        let made = self.0.decode()?;
        let shards = made.restored_original_iter();
        Ok(shards
            .map(|(place, shard)| (place, shard.to_vec()))
            .collect())
    }
}
