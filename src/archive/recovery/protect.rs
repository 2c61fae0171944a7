//! Makes recovery data.

use std::io::Write;

use super::code::{encoder, first, sum};
use super::packet::{PacketKind, Set};
use super::plan::Plan;
use crate::run::{Error, Hooks, go_on};
use pgc_io::read_at::ReadAt;
use reed_solomon_simd::rate::RateEncoder;
use serde::Serialize;

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Protection {
    /// Bytes of the recovery file.
    pub bytes: u64,
    /// The number of shards of the protected bytes.
    pub shards: u64,
    /// The length of a shard in bytes.
    pub shard_bytes: u64,
    /// The number of groups of shards.
    pub groups: u64,
    /// The number of spare shards of all groups.
    pub spares: u64,
}

/// Writes recovery data for the first `length` bytes, with `share` spare shards for each 10,000
/// shards of a group, rounded up; `share` is from 1 to 10,000.
///
/// `hooks` learn of `2 * length` bytes in all, since the bytes are read twice.
///
/// # Errors
/// Reading or writing fails, or `length` is 0 ([`Error::Empty`]).
pub fn protect(
    bytes: &dyn ReadAt,
    length: u64,
    share: u64,
    out: &mut dyn Write,
    hooks: &mut dyn Hooks,
) -> Result<Protection, Error> {
    if length == 0 {
        return Err(Error::Empty);
    }
    let plan = Plan::new(length, share.clamp(1, 10_000));
    let (table, digest) = table(bytes, plan, hooks)?;
    let (set, mut bytes_out) = (Set { plan, digest }, 0);
    let mut put = |kind, number, shard: &[u8]| {
        let packet = set.packet(kind, number, shard);
        bytes_out += packet.len() as u64;
        out.write_all(&packet)
    };
    let size = plan.size();
    let pages = usize::try_from(plan.pages()).unwrap_or(usize::MAX);
    let mut spare_pages = encoder(pages, pages, size)?;
    for (number, page) in (0..).zip(table.chunks(size)) {
        let page = padded(page, size);
        spare_pages.add_original_shard(&page)?;
        put(PacketKind::Page, number, &page)?;
    }
    for region in plan.regions() {
        for group in 0..region.groups {
            let shards = region.group(group).count();
            let count = usize::try_from(region.spares).unwrap_or(usize::MAX);
            let mut maker = encoder(shards, count, size)?;
            for shard in region.group(group) {
                let (from, to) = plan.bytes(shard);
                maker.add_original_shard(padded(&bytes.read_at(from, to)?, size))?;
                done(to - from, hooks)?;
            }
            for (number, spare) in region.spares_of(group).zip(maker.encode()?.recovery_iter()) {
                put(PacketKind::Spare, number, spare)?;
            }
        }
    }
    for (number, page) in (0..).zip(spare_pages.encode()?.recovery_iter()) {
        put(PacketKind::SparePage, number, page)?;
    }
    Ok(Protection {
        bytes: bytes_out,
        shards: plan.shards(),
        shard_bytes: plan.shard,
        groups: plan.regions().map(|region| region.groups).sum(),
        spares: plan.spares(),
    })
}

/// The checksums of all shards, and the digest of the protected bytes.
fn table(
    bytes: &dyn ReadAt,
    plan: Plan,
    hooks: &mut dyn Hooks,
) -> Result<(Vec<u8>, [u8; 16]), Error> {
    let (mut table, mut hasher) = (Vec::new(), blake3::Hasher::new());
    let size = plan.size();
    each_shard(bytes, plan, hooks, &mut |_, shard| {
        hasher.update(shard);
        table.extend_from_slice(&sum([&padded(shard, size), &[]]));
    })?;
    Ok((table, first(&hasher)))
}

/// Reports bytes that are done.
pub(super) fn done(bytes: u64, hooks: &mut dyn Hooks) -> Result<(), Error> {
    hooks.progress(bytes);
    go_on(0)
}

/// The number of shards read at a time.
const READ: usize = 256;

/// Calls `each` with every shard in order: its number and its bytes, fewer if the file ends early.
pub(super) fn each_shard(
    bytes: &dyn ReadAt,
    plan: Plan,
    hooks: &mut dyn Hooks,
    each: &mut dyn FnMut(u64, &[u8]),
) -> Result<(), Error> {
    let size = plan.size();
    for shard in (0..plan.shards()).step_by(READ) {
        let next = plan.shards().min(shard + READ as u64);
        let piece = bytes.read_at(plan.bytes(shard).0, plan.bytes(next - 1).1)?;
        let shards = piece.chunks(size).chain(std::iter::repeat(&[][..]));
        for (number, shard) in (shard..next).zip(shards) {
            each(number, shard);
            let (from, to) = plan.bytes(number);
            done(to - from, hooks)?;
        }
    }
    Ok(())
}

/// The bytes, followed by zeros up to the length of a shard.
pub(super) fn padded(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut shard = vec![0; size];
    shard[..bytes.len()].copy_from_slice(bytes);
    shard
}
