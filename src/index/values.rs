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

/// Where a value is. It stands in the table itself, for most of the time goes into waiting for memory.
#[derive(Clone, Copy, Debug)]
struct Known {
    id: u32,
    at: u32,
    len: u32,
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
        let bytes = &self.bytes;
        let is_same = |known: &Known| {
            known.len as usize == value.len() && &bytes[known.at as usize..][..known.len as usize] == value
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
        let known = Known { id, at, len };
        self.known.insert_unique(hash, known, |known| hashes[known.id as usize]);
        self.last = Some(known);
        id
    }

    /// Bytes that it takes, and that sorting it will.
    pub(super) fn memory(&self) -> usize {
        let sorting = self.len() * (size_of::<(u64, u32)>() + size_of::<u32>());
        let lists = self.hashes.capacity() * size_of::<u64>() + self.begins.capacity() * size_of::<u32>();
        self.bytes.capacity() + lists + self.known.allocation_size() + sorting
    }

    /// The numbers in the order of the values.
    pub(super) fn sorted(&self, is_rounds: bool) -> Vec<u32> {
        let prefix = |id: u32| {
            let (value, mut first) = (self.get(id), [0; 8]);
            let n = value.len().min(8);
            first[..n].copy_from_slice(&value[..n]);
            u64::from_le_bytes(first).swap_bytes()
        };
        let all = 0..u32::try_from(self.len()).unwrap_or(u32::MAX);
        if is_rounds {
            let mut ids: Vec<u32> = all.collect();
            ids.sort_unstable_by(|&a, &b| compare_rounds(self.get(a), self.get(b)));
            return ids;
        }
        let mut ids: Vec<(u64, u32)> = all.map(|id| (prefix(id), id)).collect();
        ids.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.get(a.1).cmp(self.get(b.1))));
        ids.into_iter().map(|(_, id)| id).collect()
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
    }
}
