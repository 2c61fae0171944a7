//! Distinct values of the games of a block, and of a run.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::round::compare_rounds;

/// Distinct values, numbered as they come.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    /// Keyed, so that nobody can choose values that all hash alike. The hash shows in nothing that is written.
    hasher: DefaultHashBuilder,
    known: HashTable<Known>,
    hashes: Vec<u64>,
    bytes: Vec<u8>,
    /// Where each begins; at the end, where the next will.
    begins: Vec<u32>,
    /// What was found or appended last.
    last: Option<Known>,
}

/// Where a value is, and what most values are known by without a look there. It stands in the table itself, for most of the time goes into
/// waiting for memory.
#[derive(Clone, Copy, Debug)]
struct Known {
    id: u32,
    at: u32,
    len: u32,
    ends: [u64; 2],
}

/// The first and the last eight bytes; of fewer, all of them. Two values of one length up to 16 are the same if these are.
#[inline]
fn ends(value: &[u8]) -> [u64; 2] {
    if let (Some(first), Some(last)) = (value.first_chunk(), value.last_chunk()) {
        return [u64::from_le_bytes(*first), u64::from_le_bytes(*last)];
    }
    if let (Some(first), Some(last)) = (value.first_chunk(), value.last_chunk()) {
        return [u32::from_le_bytes(*first), u32::from_le_bytes(*last)].map(u64::from);
    }
    [value.iter().fold(0, |all, &byte| all << 8 | u64::from(byte)), 0]
}

impl Values {
    pub(super) fn get(&self, id: u32) -> &[u8] {
        let id = id as usize;
        let end = self.begins.get(id + 1).map_or(self.bytes.len(), |&end| end as usize);
        &self.bytes[self.begins[id] as usize..end]
    }

    pub(super) fn len(&self) -> usize {
        self.begins.len()
    }

    /// How long all of them are.
    pub(super) fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    /// Forgets all but keeps the memory.
    pub(super) fn clear(&mut self) {
        self.known.clear();
        self.hashes.clear();
        self.bytes.clear();
        self.begins.clear();
        self.last = None;
    }

    /// The number of this value, which may be new.
    #[inline]
    pub(super) fn id(&mut self, value: &[u8]) -> u32 {
        self.find(value).unwrap_or_else(|hash| self.insert(hash, value))
    }

    /// The number of this value; its hash if there is none yet.
    #[inline]
    pub(super) fn find(&mut self, value: &[u8]) -> Result<u32, u64> {
        let (bytes, len, ends) = (&self.bytes, value.len(), ends(value));
        let is_same = |known: &Known| {
            known.ends == ends
                && known.len as usize == len
                && (len <= 16 || &bytes[known.at as usize..][..known.len as usize] == value)
        };
        // Mostly it is that of the game before.
        if let Some(last) = self.last.filter(is_same) {
            return Ok(last.id);
        }
        let hash = self.hasher.hash_one(value);
        let known = self.known.find(hash, is_same).ok_or(hash)?;
        self.last = Some(*known);
        Ok(known.id)
    }

    /// Appends a value that is new and has this hash.
    #[cold]
    pub(super) fn insert(&mut self, hash: u64, value: &[u8]) -> u32 {
        // A run is spilled long before one of these is too much: see `MAX_BYTES` there.
        let [id, at, len] = [self.len(), self.bytes.len(), value.len()].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        self.bytes.extend_from_slice(value);
        self.begins.push(at);
        self.hashes.push(hash);
        let hashes = &self.hashes;
        let known = Known { id, at, len, ends: ends(value) };
        self.known.insert_unique(hash, known, |known| hashes[known.id as usize]);
        self.last = Some(known);
        id
    }

    /// Bytes that it takes, and that sorting it will.
    pub(super) fn memory(&self) -> usize {
        let sorting = self.len() * (size_of::<u128>() + 2 * size_of::<u32>());
        let lists = self.hashes.capacity() * size_of::<u64>() + self.begins.capacity() * size_of::<u32>();
        self.bytes.capacity() + lists + self.known.allocation_size() + sorting
    }

    /// The numbers in the order of the values.
    pub(super) fn sorted(&self, is_rounds: bool) -> Vec<u32> {
        let all = 0..u32::try_from(self.len()).unwrap_or(u32::MAX);
        if is_rounds {
            let mut ids: Vec<u32> = all.collect();
            ids.sort_unstable_by(|&a, &b| compare_rounds(self.get(a), self.get(b)));
            return ids;
        }
        // Behind what all of them begin with, eight bytes mostly decide.
        let skip = self.common();
        let prefix = |id: u32| {
            let (value, mut first) = (&self.get(id)[skip..], [0; 8]);
            let n = value.len().min(8);
            first[..n].copy_from_slice(&value[..n]);
            u64::from_le_bytes(first).swap_bytes()
        };
        let mut keys: Vec<u128> = all.map(|id| u128::from(prefix(id)) << 32 | u128::from(id)).collect();
        keys.sort_unstable();
        #[expect(clippy::cast_possible_truncation, reason = "the low part is the number")]
        let mut ids: Vec<u32> = keys.iter().map(|&key| key as u32).collect();
        let mut from = 0;
        for equal in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
            ids[from..from + equal.len()].sort_unstable_by(|&a, &b| self.get(a).cmp(self.get(b)));
            from += equal.len();
        }
        ids
    }

    /// With so many bytes all of them begin alike.
    fn common(&self) -> usize {
        let all = 0..u32::try_from(self.len()).unwrap_or(u32::MAX);
        let mut common: &[u8] = if all.is_empty() { &[] } else { self.get(0) };
        for value in all.map(|id| self.get(id)) {
            if !value.starts_with(common) {
                common = &common[..common.iter().zip(value).take_while(|(a, b)| a == b).count()];
            }
        }
        common.len()
    }
}

/// The numbers that the values of one list have in another, as far as they were asked for.
#[derive(Debug, Default)]
pub(super) struct Joined(Vec<u32>);

impl Joined {
    /// Of this list none was asked for yet.
    pub(super) fn begin(&mut self, values: &Values) {
        self.0.clear();
        self.0.resize(values.len(), u32::MAX);
    }

    /// The number in `to` of a value of `from`, which is the list that was begun with.
    #[inline]
    pub(super) fn id(&mut self, id: u32, from: &Values, to: &mut Values) -> u32 {
        let known = &mut self.0[id as usize];
        if *known == u32::MAX {
            *known = to.id(from.get(id));
        }
        *known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_get_one_number_each() {
        let mut values = Values::default();
        let ids: Vec<u32> = ["b", "a", "b", "", "", "a", "ab"].map(|value| values.id(value.as_bytes())).to_vec();
        assert_eq!(ids, [0, 1, 0, 2, 2, 1, 3]);
        assert_eq!(values.sorted(false), [2, 1, 3, 0]);
        let sorted = |list: &[&str]| {
            let mut values = Values::default();
            for (id, value) in (0_u32..).zip(list) {
                assert_eq!(values.id(value.as_bytes()), id);
            }
            values.sorted(false)
        };
        assert_eq!(sorted(&["same and more", "same and else", "same and", "same and more "]), [2, 1, 0, 3]);
        assert_eq!(
            sorted(&["x, one of many b", "x, one of many a", "x, one of\0", "x, one of", "x, "]),
            [4, 3, 2, 1, 0]
        );
        assert_eq!(sorted(&["the same eight bytes b", "the same eight bytes a", "other"]), [2, 1, 0]);
    }
}
