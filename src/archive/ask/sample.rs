//! Random samples.

use std::collections::HashSet;

/// A uniform sample of `count` of the numbers below `all`, ascending. The same seed gives the same
/// numbers, everywhere.
///
/// # Examples
/// ```
/// use pgc::ask::sample::sample;
///
/// let places = sample(1_000_000, 3, 1);
/// assert_eq!(places.len(), 3);
/// assert_eq!(places, sample(1_000_000, 3, 1));
/// assert_eq!(sample(2, 3, 1), [0, 1]);
/// ```
pub fn sample(all: u64, count: u64, seed: u64) -> Vec<u64> {
    if count >= all {
        return (0..all).collect();
    }
    // Floyd's algorithm: one draw for each number picked.
    let mut random = Random(seed);
    let mut picked = HashSet::new();
    for last in all - count..all {
        let drawn = random.below(last + 1);
        if !picked.insert(drawn) {
            picked.insert(last);
        }
    }
    let mut places: Vec<u64> = picked.into_iter().collect();
    places.sort_unstable();
    places
}

/// `SplitMix64`, from its seed on.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A uniformly distributed number below `n`.
    fn below(&mut self, n: u64) -> u64 {
        // Draws beyond the last multiple of `n` are rejected, since they would favour small
        // numbers.
        let bound = u64::MAX - u64::MAX % n;
        loop {
            let drawn = self.next();
            if drawn < bound {
                return drawn % n;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Random, sample};

    #[test]
    fn samples_are_uniform() {
        // The first numbers of SplitMix64 with the seed 0, as published with it.
        let mut random = Random(0);
        assert_eq!(
            [random.next(), random.next()],
            [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]
        );
        let mut hits = [0_u32; 20];
        for seed in 0..4000 {
            let places = sample(20, 5, seed);
            assert!(places.len() == 5 && places.is_sorted());
            places
                .iter()
                .for_each(|&place| hits[usize::try_from(place).unwrap()] += 1);
        }
        // A quarter of them each: 1000, with a deviation of 27.
        assert!(hits.iter().all(|n| (880..1120).contains(n)), "{hits:?}");
        assert_eq!(sample(2, 5, 0), [0, 1]);
    }
}
