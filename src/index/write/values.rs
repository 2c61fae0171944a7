//! Collects the distinct values of the games of a block or a run.

use std::hash::BuildHasher;
use std::sync::LazyLock;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::sort::{key, place_of};
use crate::format::lines::shared;
use crate::format::round::compare_rounds;

/// A list of distinct values, numbered in order of appearance.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    /// Numbers, by hash.
    ids: HashTable<u32>,
    /// The hash of each value, compared before the value itself to avoid waiting for memory.
    hashes: Vec<u64>,
    pub(super) bytes: Vec<u8>,
    /// The offset of each value, and that of the next one.
    begins: Vec<u32>,
}

/// The random key of the hashes, so that nobody can prepare values with equal hashes. All lists
/// share one key, so a value is hashed only once. The hashes never affect the output.
static KEY: LazyLock<DefaultHashBuilder> = LazyLock::new(DefaultHashBuilder::default);

/// The number of a value, and enough of its bytes to recognise a repeat, usually without reading
/// the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueDigest {
    pub(super) id: u32,
    len: u32,
    ends: [u64; 2],
}

/// The first and the last eight bytes; all bytes of a shorter value. Two values of equal length up
/// to 16 are equal if these are.
#[inline]
fn ends(value: &[u8]) -> [u64; 2] {
    if let (Some(first), Some(last)) = (value.first_chunk(), value.last_chunk()) {
        return [u64::from_le_bytes(*first), u64::from_le_bytes(*last)];
    }
    if let (Some(first), Some(last)) = (value.first_chunk(), value.last_chunk()) {
        return [u32::from_le_bytes(*first), u32::from_le_bytes(*last)].map(u64::from);
    }
    let all = value.iter().fold(0, |all, &b| all << 8 | u64::from(b));
    [all, 0]
}

impl Values {
    pub(super) fn get(&self, id: u32) -> &[u8] {
        let id = id as usize;
        let end = self.begins.get(id + 1);
        let end = end.map_or(self.bytes.len(), |&end| end as usize);
        &self.bytes[self.begins[id] as usize..end]
    }

    pub(super) fn len(&self) -> usize {
        self.begins.len()
    }

    /// Removes all values, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.hashes.clear();
        self.bytes.clear();
        self.begins.clear();
    }

    /// The number of a value, which is added if it is new.
    #[inline]
    pub(super) fn number(&mut self, value: &[u8]) -> u32 {
        self.find(value)
            .unwrap_or_else(|hash| self.insert(hash, value))
    }

    /// The number of a value, or its hash if it is new.
    #[inline]
    pub(super) fn find(&self, value: &[u8]) -> Result<u32, u64> {
        let hash = KEY.hash_one(value);
        self.look_up(hash, value).ok_or(hash)
    }

    #[inline]
    fn look_up(&self, hash: u64, value: &[u8]) -> Option<u32> {
        let is_it = |&id: &u32| self.hashes[id as usize] == hash && self.is(&self.known(id), value);
        self.ids.find(hash, is_it).copied()
    }

    /// Whether `known` is the digest of `value`.
    #[inline]
    pub(super) fn is(&self, known: &ValueDigest, value: &[u8]) -> bool {
        known.len as usize == value.len()
            && known.ends == ends(value)
            && (value.len() <= 16 || self.get(known.id) == value)
    }

    /// The digest of the value with that number.
    #[inline]
    pub(super) fn known(&self, id: u32) -> ValueDigest {
        let value = self.get(id);
        ValueDigest {
            id,
            len: u32::try_from(value.len()).unwrap_or(u32::MAX),
            ends: ends(value),
        }
    }

    /// Appends a new value with this hash; returns its number.
    #[cold]
    pub(super) fn insert(&mut self, hash: u64, value: &[u8]) -> u32 {
        // A run is spilled long before one of these overflows: see `MAX_BYTES` in `run.rs`.
        let [id, at] = [self.len(), self.bytes.len()].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        self.bytes.extend_from_slice(value);
        self.begins.push(at);
        self.hashes.push(hash);
        let hashes = &self.hashes;
        self.ids.insert_unique(hash, id, |&id| hashes[id as usize]);
        id
    }

    /// The memory that the list takes and that sorting it will take.
    pub(super) fn memory(&self) -> usize {
        let sorting = self.len() * (size_of::<u128>() + 2 * size_of::<u32>());
        let lists =
            self.hashes.capacity() * size_of::<u64>() + self.begins.capacity() * size_of::<u32>();
        self.bytes.capacity() + lists + self.ids.allocation_size() + sorting
    }

    /// The numbers of the values, in the order of the values. No more values can be added.
    pub(super) fn sorted(&mut self, is_rounds: bool) -> Vec<u32> {
        // Memory for sorting.
        (self.ids, self.hashes) = (HashTable::new(), Vec::new());
        let all = 0..u32::try_from(self.len()).unwrap_or(u32::MAX);
        if is_rounds {
            let mut ids: Vec<u32> = all.collect();
            ids.sort_unstable_by(|&a, &b| compare_rounds(self.get(a), self.get(b)));
            return ids;
        }
        // After the common prefix, eight bytes mostly decide.
        let values = all.clone().map(|id| self.get(id));
        let common = values.reduce(|common, value| &common[..shared(common, value)]);
        let skip = common.map_or(0, <[u8]>::len);
        let mut keys: Vec<u128> = all.map(|id| key(0, &self.get(id)[skip..], id)).collect();
        keys.sort_unstable();
        let mut ids: Vec<u32> = keys.iter().map(|&key| place_of(key)).collect();
        let mut from = 0;
        for equal in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
            ids[from..from + equal.len()].sort_unstable_by(|&a, &b| self.get(a).cmp(self.get(b)));
            from += equal.len();
        }
        ids
    }
}

/// Maps the numbers of values in one list to their numbers in another; `u32::MAX` for values that
/// the other list does not have yet.
#[derive(Debug, Default)]
pub(super) struct Joined(Vec<u32>);

impl Joined {
    /// Looks up all values at once, so that the memory accesses overlap.
    pub(super) fn begin(&mut self, from: &Values, to: &Values) {
        self.0.clear();
        let known = |(id, &hash)| to.look_up(hash, from.get(id)).unwrap_or(u32::MAX);
        self.0.extend((0..).zip(&from.hashes).map(known));
    }

    /// The number in `to` of a value of `from`. These must be the lists passed to `begin`, and
    /// nothing else may have been added to `to` since.
    #[inline]
    pub(super) fn id(&mut self, id: u32, from: &Values, to: &mut Values) -> u32 {
        let known = &mut self.0[id as usize];
        if *known == u32::MAX {
            *known = to.insert(from.hashes[id as usize], from.get(id));
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
        let ids: Vec<u32> = ["b", "a", "b", "", "", "a", "ab"]
            .map(|value| values.number(value.as_bytes()))
            .to_vec();
        assert_eq!(ids, [0, 1, 0, 2, 2, 1, 3]);
        assert_eq!(values.sorted(false), [2, 1, 3, 0]);
        let sorted = |list: &[&str]| {
            let mut values = Values::default();
            for (id, value) in (0_u32..).zip(list) {
                assert_eq!(values.number(value.as_bytes()), id);
            }
            values.sorted(false)
        };
        assert_eq!(
            sorted(&[
                "same and more",
                "same and else",
                "same and",
                "same and more "
            ]),
            [2, 1, 0, 3]
        );
        assert_eq!(
            sorted(&[
                "x, one of many b",
                "x, one of many a",
                "x, one of\0",
                "x, one of",
                "x, "
            ]),
            [4, 3, 2, 1, 0]
        );
        assert_eq!(
            sorted(&["the same eight bytes b", "the same eight bytes a", "other"]),
            [2, 1, 0]
        );
    }
}
