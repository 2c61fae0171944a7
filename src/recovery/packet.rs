//! The packets of a recovery file (spec/recovery.md section 3): each tells all that is needed to use
//! it, so that any of them may be lost.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;

use memchr::memmem;

use super::plan::Plan;
use super::sum::sum;
use crate::io::read_at::ReadAt;

const MAGIC: &[u8; 4] = b"pgcR";
const VERSION: u8 = 1;

/// The bytes before the shard of a packet.
const HEAD: usize = 52;
/// Those that its checksum covers.
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

/// What all packets of a file say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Set {
    pub plan: Plan,
    /// The first bytes of the BLAKE3 of what is protected.
    pub digest: [u8; 16],
}

/// Appends a packet.
pub(super) fn put_packet(
    out: &mut Vec<u8>,
    set: &Set,
    kind: PacketKind,
    number: u64,
    shard: &[u8],
) {
    let begin = out.len();
    out.extend_from_slice(MAGIC);
    let log = set.plan.shard.trailing_zeros().to_le_bytes()[0];
    out.extend_from_slice(&[VERSION, kind as u8, log, 0]);
    out.extend_from_slice(&set.plan.share.to_le_bytes()[..4]);
    out.extend_from_slice(&set.plan.length.to_le_bytes());
    out.extend_from_slice(&set.digest);
    out.extend_from_slice(&number.to_le_bytes());
    let sum = sum([&out[begin..], shard]);
    out.extend_from_slice(&sum);
    out.extend_from_slice(shard);
}

/// A whole packet at the beginning of these bytes.
fn take_packet(src: &[u8]) -> Option<(Set, PacketKind, u64)> {
    let head = src.first_chunk::<HEAD>()?;
    let number = |from: usize| {
        let bytes = head[from..].first_chunk::<8>().copied();
        u64::from_le_bytes(bytes.unwrap_or_default())
    };
    let kind = match head[5] {
        b'T' => PacketKind::Page,
        b'S' => PacketKind::Spare,
        b'U' => PacketKind::SparePage,
        _ => return None,
    };
    let plan = Plan {
        shard: 1_u64.checked_shl(head[6].into())?,
        share: number(8) & 0xffff_ffff,
        length: number(12),
    };
    if !head.starts_with(MAGIC) || head[4] != VERSION || head[7] != 0 || !plan.is_possible() {
        return None;
    }
    let shard = src.get(HEAD..HEAD + usize::try_from(plan.shard).ok()?)?;
    if head[CHECKED..] != sum([&head[..CHECKED], shard]) && !cfg!(fuzzing) {
        return None;
    }
    let digest = std::array::from_fn(|at| head[20 + at]);
    Some((Set { plan, digest }, kind, number(36)))
}

/// The packets of a file that are whole.
#[derive(Debug)]
pub(super) struct Packets<'a> {
    file: &'a dyn ReadAt,
    pub set: Set,
    places: HashMap<(PacketKind, u64), u64>,
}

/// So many bytes are searched at a time.
const WINDOW: usize = 1 << 16;
/// The longest packet.
const LONGEST: u64 = HEAD as u64 + 4096;

impl<'a> Packets<'a> {
    /// Finds them, wherever they stand: those of the set that has the most; `None` if there is none.
    pub(super) fn find(file: &'a dyn ReadAt) -> io::Result<Option<Packets<'a>>> {
        let (mut at, size) = (0, file.size());
        let mut sets: HashMap<Set, (usize, HashMap<_, _>)> = HashMap::new();
        while at < size {
            let window = file.read_at(at, at + WINDOW as u64 + LONGEST)?;
            // Behind the window only packets end that begin in it.
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
        // Of several the first one.
        let most = sets
            .into_iter()
            .max_by_key(|(_, (at, places))| (places.len(), Reverse(*at)));
        Ok(most.map(|(set, (_, places))| Packets { file, set, places }))
    }

    /// Whether this packet is whole.
    pub(super) fn has(&self, kind: PacketKind, number: u64) -> bool {
        self.places.contains_key(&(kind, number))
    }

    /// How many are damaged, and how many there should be.
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
