//! Texts that were seen before, each with a number.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};

/// The number of a text that was seen before.
pub(crate) type Id = u32;

/// Texts, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    bytes: Vec<u8>,
    places: Vec<Range<u32>>,
    ids: HashTable<Id>,
    hasher: DefaultHashBuilder,
}

impl Known {
    /// With numbers below this that stand for no text.
    pub(crate) fn with_reserved(numbers: usize) -> Known {
        Known {
            places: vec![0..0; numbers],
            ..Known::default()
        }
    }

    pub(crate) fn get(&self, id: Id) -> &[u8] {
        let place = self.places.get(id as usize).cloned().unwrap_or_default();
        &self.bytes[place.start as usize..place.end as usize]
    }

    pub(crate) fn find(&self, text: &[u8]) -> Option<Id> {
        let hash = self.hasher.hash_one(text);
        self.ids.find(hash, |&id| self.get(id) == text).copied()
    }

    pub(crate) fn len(&self) -> u32 {
        self.places.len() as u32
    }

    /// The number of a text, which is new if it was not there.
    pub(crate) fn add(&mut self, text: &[u8]) -> Id {
        if let Some(id) = self.find(text) {
            return id;
        }
        let (id, begin) = (self.places.len() as u32, self.bytes.len() as u32);
        self.bytes.extend_from_slice(text);
        self.places.push(begin..begin + text.len() as u32);
        let mut ids = std::mem::take(&mut self.ids);
        let hash = |id: &Id| self.hasher.hash_one(self.get(*id));
        ids.insert_unique(hash(&id), id, hash);
        self.ids = ids;
        id
    }
}
