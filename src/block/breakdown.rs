//! Bytes of an archive by kind.

/// Bytes of an archive by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Breakdown {
    pub tags: u64,
    pub moves: u64,
    pub nags_and_variations: u64,
    pub comments: u64,
    pub layout: u64,
    pub text_kept: u64,
    pub heads: u64,
    pub escapes: u64,
    pub other: u64,
}

impl Breakdown {
    /// Adds the bytes of another part.
    pub fn add(&mut self, other: &Breakdown) {
        self.tags += other.tags;
        self.moves += other.moves;
        self.nags_and_variations += other.nags_and_variations;
        self.comments += other.comments;
        self.layout += other.layout;
        self.text_kept += other.text_kept;
        self.heads += other.heads;
        self.escapes += other.escapes;
        self.other += other.other;
    }
}

/// How the blocks of an archive store their records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredBytes {
    /// Bytes of records stored without coding.
    pub plain: u64,
    /// The letter and the bytes of each coded stream, in the order in which blocks have them.
    pub streams: Vec<(u8, u64)>,
}

impl StoredBytes {
    /// The bytes behind all block heads.
    pub fn sum(&self) -> u64 {
        self.plain + self.streams.iter().map(|(_, bytes)| bytes).sum::<u64>()
    }
}

/// Adds to the count of a key in a short list.
pub fn add_count<K: PartialEq>(counts: &mut Vec<(K, u64)>, key: K, more: u64) {
    match counts.iter_mut().find(|known| known.0 == key) {
        Some((_, count)) => *count += more,
        None => counts.push((key, more)),
    }
}
