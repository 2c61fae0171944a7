//! How bytes are cut into shards, and shards into groups (spec/recovery.md section 2).

/// The shortest and the longest shard in bytes; the length is a power of two.
const SHARD: [u64; 2] = [512, 4096];

/// The most shards of a group, without its spares.
const GROUP: u64 = 8192;

/// The shards of a region. They belong to its groups in turn.
const REGION: usize = 65_536;

/// The bytes of a checksum.
pub(super) const SUM: u64 = 8;

/// How a number of bytes is divided and protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Plan {
    /// The bytes that are protected; at least 1.
    pub length: u64,
    /// The bytes of a shard.
    pub shard: u64,
    /// Spare shards for each 10,000 shards.
    pub share: u64,
}

/// Consecutive shards, and their groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub first: u64,
    pub shards: u64,
    pub groups: u64,
    /// Spare shards of each group.
    pub spares: u64,
    /// The number of the first spare shard of the region.
    pub first_spare: u64,
}

impl Plan {
    /// The plan for `length` bytes, with `share` spare shards for each 10,000 shards.
    pub(super) fn new(length: u64, share: u64) -> Plan {
        let mut shard = SHARD[0];
        while shard < SHARD[1] && length.div_ceil(shard) > GROUP {
            shard *= 2;
        }
        Plan {
            length,
            shard,
            share,
        }
    }

    /// The bytes of a shard.
    pub(super) fn size(self) -> usize {
        usize::try_from(self.shard).unwrap_or(usize::MAX)
    }

    /// Whether [`Plan::new`] can return this plan.
    pub(super) fn is_possible(self) -> bool {
        self.length > 0
            && self.length < 1 << 60
            && (1..=10_000).contains(&self.share)
            && self == Plan::new(self.length, self.share)
    }

    pub(super) fn shards(self) -> u64 {
        self.length.div_ceil(self.shard)
    }

    /// The number of pages of the table of checksums; a page is as long as a shard.
    pub(super) fn pages(self) -> u64 {
        (self.shards() * SUM).div_ceil(self.shard)
    }

    /// The range of bytes of a shard; the last shard may be shorter.
    pub(super) fn bytes(self, shard: u64) -> (u64, u64) {
        let from = shard * self.shard;
        (from, self.length.min(from + self.shard))
    }

    /// The number of spare shards of all groups: those of full regions, and those of the rest.
    pub(super) fn spares(self) -> u64 {
        let whole = self.shards() / REGION as u64;
        let of_whole = REGION as u64 / GROUP * (GROUP * self.share).div_ceil(10_000);
        let rest = self.shards() % REGION as u64;
        let groups = rest.div_ceil(GROUP).max(1);
        whole * of_whole + groups * (rest.div_ceil(groups) * self.share).div_ceil(10_000)
    }

    pub(super) fn regions(self) -> impl Iterator<Item = Region> {
        let all = self.shards();
        let mut next_spare = 0;
        (0..all).step_by(REGION).map(move |first| {
            let shards = (all - first).min(REGION as u64);
            let groups = shards.div_ceil(GROUP);
            let spares = (shards.div_ceil(groups) * self.share).div_ceil(10_000);
            let first_spare = next_spare;
            next_spare += groups * spares;
            Region {
                first,
                shards,
                groups,
                spares,
                first_spare,
            }
        })
    }
}

impl Region {
    /// The shards of a group, in order.
    pub(super) fn group(self, group: u64) -> impl Iterator<Item = u64> {
        let groups = usize::try_from(self.groups).unwrap_or(REGION);
        (self.first + group..self.first + self.shards).step_by(groups)
    }

    /// The numbers of the spares of a group.
    pub(super) fn spares_of(self, group: u64) -> std::ops::Range<u64> {
        let first = self.first_spare + group * self.spares;
        first..first + self.spares
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each shard is in one group, and each spare belongs to one.
    #[test]
    fn all_shards_have_a_group() {
        for (length, share) in [
            (1, 1),
            (512, 500),
            (513, 500),
            (8192 * 4096, 500),
            (8192 * 4096 + 1, 10_000),
            (3 * 65_536 * 4096 + 77, 333),
        ] {
            let plan = Plan::new(length, share);
            assert!(plan.is_possible());
            let place = |shard: u64| usize::try_from(shard).unwrap();
            let (mut seen, mut spare) = (vec![0; place(plan.shards())], 0);
            for region in plan.regions() {
                for group in 0..region.groups {
                    let mut shards = 0;
                    for shard in region.group(group) {
                        seen[place(shard)] += 1;
                        shards += 1;
                    }
                    assert!((1..=GROUP).contains(&shards), "{shards}");
                    let spares = region.spares_of(group);
                    assert_eq!(spares.start, spare);
                    spare = spares.end;
                    let enough = (spares.end - spares.start) * 10_000 >= shards * share;
                    assert!(enough && spares.end - spares.start <= shards + 1);
                }
            }
            assert_eq!(spare, plan.spares());
            assert!(seen.iter().all(|&times| times == 1));
            assert_eq!(plan.bytes(plan.shards() - 1).1, length);
        }
    }
}
