//! Sorts more than fits into memory, and merges sorted sequences.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io::{self, Write};

use super::spill::{Cursor, Spool, Stored, Temp};

/// A position in a sorted sequence; a merge takes the least of several first.
pub(super) trait Sequence {
    /// Compares the current elements.
    fn compare(&self, other: &Self) -> Ordering;
}

/// Reverses the order for the heap of `std`, so that it returns the least element first.
#[derive(Debug)]
pub(super) struct Least<T>(pub(super) T);

impl<T: Sequence> Ord for Least<T> {
    fn cmp(&self, other: &Least<T>) -> Ordering {
        other.0.compare(&self.0)
    }
}

impl<T: Sequence> PartialOrd for Least<T> {
    fn partial_cmp(&self, other: &Least<T>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Sequence> PartialEq for Least<T> {
    fn eq(&self, other: &Least<T>) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T: Sequence> Eq for Least<T> {}

/// A record in memory, whose text is in the arena.
#[derive(Clone, Copy, Debug)]
struct SortEntry {
    number: u64,
    at: u32,
    len: u32,
}

impl SortEntry {
    fn text<'a>(&self, arena: &'a [u8]) -> &'a [u8] {
        &arena[self.at as usize..(self.at + self.len) as usize]
    }
}

/// A sort key that mostly decides: the leading number, the first eight bytes of the text, and last
/// the position of the record.
pub(super) fn key(lead: u32, text: &[u8], place: u32) -> u128 {
    let mut first = [0; 8];
    let n = text.len().min(8);
    first[..n].copy_from_slice(&text[..n]);
    u128::from(lead) << 96
        | u128::from(u64::from_le_bytes(first).swap_bytes()) << 32
        | u128::from(place)
}

fn lead_of(key: u128) -> u32 {
    (key >> 96) as u32
}

#[expect(clippy::cast_possible_truncation, reason = "the lowest part")]
pub(super) fn place_of(key: u128) -> u32 {
    key as u32
}

/// Memory for an entry and its key.
const ENTRY: usize = size_of::<SortEntry>() + size_of::<u128>();

/// Maximum size of a sorter's arena, whatever the memory limit: positions in it are u32.
const MAX_ARENA: usize = 1 << 30;

/// Sorts records by three fields: a leading number, a text, and a following number.
#[derive(Debug)]
pub struct Sorter {
    temp: Temp,
    memory: usize,
    arena: Vec<u8>,
    entries: Vec<SortEntry>,
    keys: Vec<u128>,
    /// Records that did not fit into memory, in sorted pieces, and the offsets of the pieces.
    spilled: Spool,
    pieces: Vec<u64>,
}

impl Sorter {
    /// Sorts in this much memory, and then in files of this folder.
    pub fn new(temp: &Temp) -> Sorter {
        let memory = (temp.memory / 8).min(MAX_ARENA);
        Sorter {
            temp: temp.clone(),
            memory,
            arena: Vec::new(),
            entries: Vec::new(),
            keys: Vec::new(),
            spilled: temp.spool(),
            pieces: Vec::new(),
        }
    }

    /// Adds a text, sorted by `lead` first.
    pub fn push(&mut self, lead: u32, text: &[u8], number: u64) -> io::Result<()> {
        let used = self.arena.len() + self.entries.len() * ENTRY;
        if used + text.len() > self.memory && !self.entries.is_empty() {
            self.spill()?;
        }
        let [at, len, place] = [self.arena.len(), text.len(), self.entries.len()]
            .map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        self.entries.push(SortEntry { number, at, len });
        self.keys.push(key(lead, text, place));
        self.arena.extend_from_slice(text);
        Ok(())
    }

    /// Sorts by the keys first, without reading the texts, then sorts equal ones.
    fn sort(&mut self) {
        let (arena, entries) = (&self.arena, &self.entries);
        self.keys.sort_unstable();
        for equal in self
            .keys
            .chunk_by_mut(|a, b| a >> 32 == b >> 32)
            .filter(|equal| equal.len() > 1)
        {
            equal.sort_unstable_by(|&a, &b| {
                let (a, b) = (
                    &entries[place_of(a) as usize],
                    &entries[place_of(b) as usize],
                );
                // The key contains all of a short text.
                let texts = if a.len.max(b.len) <= 8 {
                    a.len.cmp(&b.len)
                } else {
                    a.text(arena).cmp(b.text(arena))
                };
                texts.then(a.number.cmp(&b.number))
            });
        }
    }

    fn spill(&mut self) -> io::Result<()> {
        self.sort();
        self.pieces.push(self.spilled.len());
        for &key in &self.keys {
            let entry = &self.entries[place_of(key) as usize];
            self.spilled.varint(u64::from(lead_of(key)))?;
            self.spilled.varint(entry.number)?;
            self.spilled.varint(u64::from(entry.len))?;
            self.spilled.write_all(entry.text(&self.arena))?;
        }
        self.keys.clear();
        self.entries.clear();
        self.arena.clear();
        Ok(())
    }

    /// Ends adding records.
    pub fn finish(mut self) -> io::Result<Sorted> {
        if !self.pieces.is_empty() {
            self.spill()?;
            (self.arena, self.entries, self.keys) = (Vec::new(), Vec::new(), Vec::new());
        }
        self.sort();
        let Sorter {
            temp,
            arena,
            entries,
            keys,
            spilled,
            pieces,
            ..
        } = self;
        Ok(Sorted {
            temp,
            arena,
            entries,
            keys,
            spilled: spilled.finish()?,
            pieces,
        })
    }
}

/// The sorted records.
#[derive(Debug)]
pub struct Sorted {
    temp: Temp,
    arena: Vec<u8>,
    entries: Vec<SortEntry>,
    keys: Vec<u128>,
    spilled: Stored,
    pieces: Vec<u64>,
}

impl Sorted {
    /// Reads what was sorted, from the beginning.
    pub fn read(&self) -> io::Result<SortedReader<'_>> {
        let room = self.temp.room(self.pieces.len());
        let ends = self
            .pieces
            .iter()
            .skip(1)
            .copied()
            .chain([self.spilled.len]);
        let mut pieces = BinaryHeap::with_capacity(self.pieces.len());
        for (&begin, end) in self.pieces.iter().zip(ends) {
            let cursor = self.spilled.store.cursor(begin, end - begin, room)?;
            let mut piece = Piece {
                cursor,
                lead: 0,
                number: 0,
                text: Vec::new(),
            };
            // Pieces are never empty.
            piece.advance()?;
            pieces.push(Least(piece));
        }
        Ok(SortedReader {
            sorted: self,
            next: 0,
            pieces,
            is_behind: false,
        })
    }
}

#[derive(Debug)]
struct Piece<'s> {
    cursor: Cursor<'s>,
    lead: u32,
    number: u64,
    text: Vec<u8>,
}

impl Piece<'_> {
    fn advance(&mut self) -> io::Result<bool> {
        if self.cursor.left() == 0 {
            return Ok(false);
        }
        self.lead = u32::try_from(self.cursor.varint()?).unwrap_or(u32::MAX);
        self.number = self.cursor.varint()?;
        let len = self.cursor.varint()?;
        self.text.clear();
        self.cursor.take(len, &mut self.text)?;
        Ok(true)
    }
}

impl Sequence for Piece<'_> {
    fn compare(&self, other: &Piece<'_>) -> Ordering {
        let key = |piece: &Piece<'_>| (piece.lead, piece.number);
        let ((a, a_number), (b, b_number)) = (key(self), key(other));
        a.cmp(&b)
            .then_with(|| self.text.cmp(&other.text))
            .then(a_number.cmp(&b_number))
    }
}

/// Reads the records in order.
#[derive(Debug)]
pub struct SortedReader<'s> {
    sorted: &'s Sorted,
    next: usize,
    pieces: BinaryHeap<Least<Piece<'s>>>,
    /// Whether the current record of the least piece has been returned.
    is_behind: bool,
}

impl SortedReader<'_> {
    /// The next record: leading number, text, following number.
    #[expect(
        clippy::should_implement_trait,
        reason = "what it returns borrows from it"
    )]
    pub fn next(&mut self) -> io::Result<Option<(u32, &[u8], u64)>> {
        if self.sorted.pieces.is_empty() {
            let Some(&key) = self.sorted.keys.get(self.next) else {
                return Ok(None);
            };
            self.next += 1;
            let entry = &self.sorted.entries[place_of(key) as usize];
            return Ok(Some((
                lead_of(key),
                entry.text(&self.sorted.arena),
                entry.number,
            )));
        }
        if self.is_behind
            && let Some(mut least) = self.pieces.peek_mut()
            && !least.0.advance()?
        {
            PeekMut::pop(least);
        }
        self.is_behind = true;
        let least = self.pieces.peek();
        Ok(least.map(|Least(piece)| (piece.lead, piece.text.as_slice(), piece.number)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_with_any_memory() {
        let mut seed = 1_u64;
        let mut random = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        let mut records: Vec<(u32, Vec<u8>, u64)> = Vec::new();
        for _ in 0..3000 {
            let (lead, len) = (u32::try_from(random() % 3).unwrap(), random() % 12);
            let text = (0..len)
                .map(|_| u8::try_from(random() % 2 * 255).unwrap())
                .collect();
            records.push((lead, text, random() % 5));
        }
        let mut expected = records.clone();
        expected.sort();
        for memory in [0, 10_000, 1_000_000, 1 << 30] {
            let mut sorter = Sorter::new(&Temp {
                dir: std::env::temp_dir(),
                memory,
            });
            records
                .iter()
                .for_each(|(lead, text, number)| sorter.push(*lead, text, *number).unwrap());
            let sorted = sorter.finish().unwrap();
            let mut reader = sorted.read().unwrap();
            for (lead, text, number) in &expected {
                assert_eq!(
                    reader.next().unwrap(),
                    Some((*lead, text.as_slice(), *number)),
                    "{memory}"
                );
            }
            assert_eq!(reader.next().unwrap(), None);
        }
    }
}
