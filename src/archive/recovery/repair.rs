//! Finds damaged shards, and computes them again.

use std::collections::BTreeMap;
use std::io::Write;

use super::code::{decoder, first, sum};
use super::packet::{PacketKind, Packets};
use super::plan::Region;
use super::protect::{done, each_shard, padded};
use crate::run::{Error, Hooks};
use pgc_io::read_at::ReadAt;
use reed_solomon_simd::rate::RateDecoder;

/// What is damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Harm {
    /// The number of protected bytes; those behind them are not protected.
    pub length: u64,
    /// The number of shards.
    pub shards: u64,
    /// The length of a shard in bytes.
    pub shard_bytes: u64,
    /// The numbers of the damaged shards, from 0.
    pub damaged: Vec<u64>,
    /// How many of the damaged shards cannot be computed again, since their groups have more
    /// damaged shards than whole spare shards.
    pub lost: u64,
    /// How many packets of the recovery file are damaged, and how many there should be.
    pub packets: (u64, u64),
}

/// What a recovery file protects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cover {
    /// The number of protected bytes, from the beginning of the archive.
    pub length: u64,
    /// Spare shards for each 10,000 shards.
    pub share: u64,
    /// How many packets are damaged, and how many there should be.
    pub packets: (u64, u64),
}

impl Cover {
    /// Reads a recovery file, but not the archive; `None` if no packet is whole.
    ///
    /// # Errors
    /// Reading fails.
    pub fn read(recovery: &dyn ReadAt) -> std::io::Result<Option<Cover>> {
        Ok(Packets::find(recovery)?.map(|packets| Cover {
            length: packets.set.plan.length,
            share: packets.set.plan.share,
            packets: packets.damaged(),
        }))
    }
}

/// Recovery data, and the bytes that the data protect.
#[derive(Debug)]
pub struct Repair<'a> {
    bytes: &'a dyn ReadAt,
    packets: Packets<'a>,
    harm: Harm,
}

impl<'a> Repair<'a> {
    /// Compares the bytes with the checksums of the recovery data.
    ///
    /// # Errors
    /// Reading fails, the recovery data belong to other bytes, or too many packets are damaged.
    pub fn new(
        bytes: &'a dyn ReadAt,
        recovery: &'a dyn ReadAt,
        hooks: &mut dyn Hooks,
    ) -> Result<Repair<'a>, Error> {
        let packets = Packets::find(recovery)?.ok_or(Error::NoPacket)?;
        let plan = packets.set.plan;
        let size = plan.size();
        let table = table(&packets)?;
        let (mut damaged, mut hasher) = (Vec::new(), blake3::Hasher::new());
        let mut sums = table.as_chunks::<8>().0.iter();
        each_shard(bytes, plan, hooks, &mut |number, shard| {
            let (from, to) = plan.bytes(number);
            let is_whole = shard.len() as u64 == to - from
                && sums.next() == Some(&sum([&padded(shard, size), &[]]));
            if !is_whole {
                damaged.push(number);
            }
            hasher.update(shard);
        })?;
        if damaged.is_empty() && first(&hasher) != packets.set.digest {
            return Err(Error::Digest);
        }
        let mut repair = Repair {
            bytes,
            harm: Harm {
                length: plan.length,
                shards: plan.shards(),
                shard_bytes: plan.shard,
                damaged,
                lost: 0,
                packets: packets.damaged(),
            },
            packets,
        };
        repair.harm.lost = plan.regions().map(|region| repair.lost(region)).sum();
        Ok(repair)
    }

    /// What is damaged.
    pub fn harm(&self) -> &Harm {
        &self.harm
    }

    /// The damaged shards of a group.
    fn damaged(&self, region: Region, group: u64) -> impl Iterator<Item = u64> {
        let all = &self.harm.damaged;
        let range = |at: u64| all.partition_point(|&shard| shard < at);
        let here = range(region.first)..range(region.first + region.shards);
        let here = all[here].iter().copied();
        here.filter(move |shard| (shard - region.first) % region.groups == group)
    }

    fn spares(&self, region: Region, group: u64) -> impl Iterator<Item = u64> {
        let numbers = region.spares_of(group);
        numbers.filter(|&number| self.packets.has(PacketKind::Spare, number))
    }

    /// How many damaged shards of a region cannot be computed again.
    fn lost(&self, region: Region) -> u64 {
        let of_group = |group| {
            let damaged = self.damaged(region, group).count();
            let is_lost = self.spares(region, group).count() < damaged;
            if is_lost { damaged as u64 } else { 0 }
        };
        (0..region.groups).map(of_group).sum()
    }

    /// Writes the protected bytes, with damaged shards replaced where they can be computed, and
    /// then the bytes behind them unchanged.
    ///
    /// # Errors
    /// Reading or writing fails; [`Error::Digest`] if every damaged shard was computed, but
    /// the result is not what was protected.
    pub fn write(&self, out: &mut dyn Write, hooks: &mut dyn Hooks) -> Result<(), Error> {
        let plan = self.packets.set.plan;
        let mut hasher = blake3::Hasher::new();
        for region in plan.regions() {
            let mut restored = BTreeMap::new();
            for group in 0..region.groups {
                self.restore(region, group, &mut restored)?;
            }
            for shard in region.first..region.first + region.shards {
                let (from, to) = plan.bytes(shard);
                let length = usize::try_from(to - from).unwrap_or(usize::MAX);
                let read = self.bytes.read_at(from, to)?;
                let shard: Option<&Vec<u8>> = restored.get(&shard);
                let bytes = shard.map_or(&*read, |shard| &shard[..length]);
                hasher.update(bytes);
                out.write_all(bytes)?;
                done(to - from, hooks)?;
            }
        }
        if self.harm.lost == 0 && first(&hasher) != self.packets.set.digest {
            return Err(Error::Digest);
        }
        let mut at = plan.length;
        while at < self.bytes.size() {
            let piece = self.bytes.read_at(at, at + (1 << 20))?;
            out.write_all(&piece)?;
            at += piece.len() as u64;
        }
        Ok(())
    }

    /// Computes the damaged shards of a group, if there are enough spares.
    fn restore(
        &self,
        region: Region,
        group: u64,
        restored: &mut BTreeMap<u64, Vec<u8>>,
    ) -> Result<(), Error> {
        let damaged: Vec<u64> = self.damaged(region, group).collect();
        let spares: Vec<u64> = self.spares(region, group).take(damaged.len()).collect();
        if damaged.is_empty() || spares.len() < damaged.len() {
            return Ok(());
        }
        let plan = self.packets.set.plan;
        let size = plan.size();
        let shards: Vec<u64> = region.group(group).collect();
        let count = usize::try_from(region.spares).unwrap_or(usize::MAX);
        let mut restorer = decoder(shards.len(), count, size)?;
        for (place, &shard) in shards.iter().enumerate() {
            if damaged.binary_search(&shard).is_err() {
                let (from, to) = plan.bytes(shard);
                restorer.add_original_shard(place, padded(&self.bytes.read_at(from, to)?, size))?;
            }
        }
        let first = region.spares_of(group).start;
        for number in spares {
            let place = usize::try_from(number - first).unwrap_or(usize::MAX);
            if let Some(spare) = self.packets.shard(PacketKind::Spare, number)? {
                restorer.add_recovery_shard(place, spare)?;
            }
        }
        for (place, bytes) in restorer.decode()?.restored_original_iter() {
            restored.insert(shards[place], bytes.to_vec());
        }
        Ok(())
    }
}

/// The table of checksums.
fn table(packets: &Packets<'_>) -> Result<Vec<u8>, Error> {
    let plan = packets.set.plan;
    let has = |kind| (0..plan.pages()).filter(move |&number| packets.has(kind, number));
    let whole = (has(PacketKind::Page).count() + has(PacketKind::SparePage).count()) as u64;
    if whole < plan.pages() {
        return Err(Error::NoTable {
            whole,
            all: plan.pages(),
        });
    }
    // At least `pages` packets were found, so the number of pages is not forged.
    let count = usize::try_from(plan.pages()).unwrap_or(usize::MAX);
    let size = plan.size();
    let mut pages = vec![Vec::new(); count];
    for (number, page) in (0..).zip(&mut pages) {
        *page = packets.shard(PacketKind::Page, number)?.unwrap_or_default();
    }
    let missing = pages.iter().filter(|page| page.is_empty()).count();
    if missing > 0 {
        let mut restorer = decoder(count, count, size)?;
        for (place, page) in pages.iter().enumerate() {
            if !page.is_empty() {
                restorer.add_original_shard(place, page)?;
            }
        }
        for number in has(PacketKind::SparePage).take(missing) {
            let place = usize::try_from(number).unwrap_or(usize::MAX);
            if let Some(page) = packets.shard(PacketKind::SparePage, number)? {
                restorer.add_recovery_shard(place, page)?;
            }
        }
        for (place, page) in restorer.decode()?.restored_original_iter() {
            pages[place] = page.to_vec();
        }
    }
    Ok(pages.concat())
}
