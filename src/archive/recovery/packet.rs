//! The packets of a recovery file (spec/recovery.md section 3). Each packet describes the whole
//! set, so that no packet depends on another one.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;

use memchr::memmem;

use super::code::sum;
use super::plan::Plan;
use pgc_io::read_at::ReadAt;

const MAGIC: &[u8; 4] = b"pgcR";
const VERSION: u8 = 1;

/// Length of the head of a packet, which the shard follows.
const HEAD: usize = 52;
/// The bytes of the head before its checksum, which covers them and the shard.
const CHECKED: usize = 44;

/// What a packet holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(super) enum PacketKind {
    /// A page of the table of checksums.
    Page = b'T',
    /// A spare shard.
    Spare = b'S',
    /// A spare page.
    SparePage = b'U',
}

/// What all packets of a file have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Set {
    pub plan: Plan,
    /// The first bytes of the BLAKE3 of the protected bytes.
    pub digest: [u8; 16],
}

impl Set {
    /// A packet.
    pub(super) fn packet(&self, kind: PacketKind, number: u64, shard: &[u8]) -> Vec<u8> {
        let mut packet = Vec::with_capacity(HEAD + shard.len());
        packet.extend_from_slice(MAGIC);
        let log = self.plan.shard.trailing_zeros().to_le_bytes()[0];
        packet.extend_from_slice(&[VERSION, kind as u8, log, 0]);
        packet.extend_from_slice(&self.plan.share.to_le_bytes()[..4]);
        packet.extend_from_slice(&self.plan.length.to_le_bytes());
        packet.extend_from_slice(&self.digest);
        packet.extend_from_slice(&number.to_le_bytes());
        let sum = sum([&packet, shard]);
        packet.extend_from_slice(&sum);
        packet.extend_from_slice(shard);
        packet
    }
}

/// The set, kind and number of the packet at the beginning of these bytes; `None` if there is no
/// whole packet.
fn take_packet(src: &[u8]) -> Option<(Set, PacketKind, u64)> {
    let head = src.first_chunk::<HEAD>()?;
    let number = |from: usize| {
        let bytes = head[from..].first_chunk::<8>().copied();
        u64::from_le_bytes(bytes.unwrap_or_default())
    };
    let kinds = [PacketKind::Page, PacketKind::Spare, PacketKind::SparePage];
    let kind = kinds.into_iter().find(|&kind| kind as u8 == head[5])?;
    let plan = Plan {
        shard: 1_u64.checked_shl(head[6].into())?,
        share: number(8) & 0xffff_ffff,
        length: number(12),
    };
    if !head.starts_with(MAGIC) || head[4] != VERSION || head[7] != 0 || !plan.is_possible() {
        return None;
    }
    let shard = src.get(HEAD..HEAD + plan.size())?;
    if head[CHECKED..] != sum([&head[..CHECKED], shard]) && !cfg!(fuzzing) {
        return None;
    }
    let digest = std::array::from_fn(|at| head[20 + at]);
    Some((Set { plan, digest }, kind, number(36)))
}

/// The whole packets of a file.
#[derive(Debug)]
pub(super) struct Packets<'a> {
    file: &'a dyn ReadAt,
    pub set: Set,
    /// The offset of the shard of each packet, by kind and number.
    places: HashMap<(PacketKind, u64), u64>,
}

/// The file is searched in pieces of this length.
const WINDOW: usize = 1 << 16;
/// The longest packet.
const LONGEST: u64 = HEAD as u64 + 4096;

impl<'a> Packets<'a> {
    /// Finds the packets, at any offset. If there are several sets, returns the one with the most
    /// packets; `None` if there is no whole packet.
    pub(super) fn find(file: &'a dyn ReadAt) -> io::Result<Option<Packets<'a>>> {
        let (mut at, size) = (0, file.size());
        let mut sets: HashMap<Set, (usize, HashMap<_, _>)> = HashMap::new();
        while at < size {
            let window = file.read_at(at, at + WINDOW as u64 + LONGEST)?;
            // A packet that begins in the window may end behind it.
            let within = window.len().min(WINDOW + MAGIC.len() - 1);
            let Some(begin) = memmem::find(&window[..within], MAGIC) else {
                at += WINDOW as u64;
                continue;
            };
            let Some((set, kind, number)) = take_packet(&window[begin..]) else {
                at += begin as u64 + 1;
                continue;
            };
            let place = at + begin as u64 + HEAD as u64;
            at = place + set.plan.shard;
            let count = sets.len();
            let (_, places) = sets.entry(set).or_insert((count, HashMap::new()));
            places.entry((kind, number)).or_insert(place);
        }
        // Among sets with equally many packets, take the one that begins first.
        let sets = sets.into_iter();
        let most = sets.max_by_key(|(_, (at, places))| (places.len(), Reverse(*at)));
        Ok(most.map(|(set, (_, places))| Packets { file, set, places }))
    }

    /// Whether a whole packet with this kind and number was found.
    pub(super) fn has(&self, kind: PacketKind, number: u64) -> bool {
        self.places.contains_key(&(kind, number))
    }

    /// How many packets are damaged or missing, and how many there should be.
    pub(super) fn damaged(&self) -> (u64, u64) {
        let all = self.set.plan.spares() + 2 * self.set.plan.pages();
        (all.saturating_sub(self.places.len() as u64), all)
    }

    /// The shard in a packet.
    pub(super) fn shard(&self, kind: PacketKind, number: u64) -> io::Result<Option<Vec<u8>>> {
        let Some(&place) = self.places.get(&(kind, number)) else {
            return Ok(None);
        };
        let shard = self.file.read_at(place, place + self.set.plan.shard)?;
        Ok(Some(shard.into_owned()))
    }
}
