//! Sorts more than fits into memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io::{self, Write};

use super::spill::{Cursor, Spool, Stored, Temp};

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

/// Records in memory.
#[derive(Debug, Default)]
struct Records {
    arena: Vec<u8>,
    entries: Vec<SortEntry>,
    keys: Vec<u128>,
}

impl Records {
    /// Sorts by the keys first, without reading the texts, then sorts equal ones.
    fn sort(&mut self) {
        let (arena, entries) = (&self.arena, &self.entries);
        self.keys.sort_unstable();
        let equal = self.keys.chunk_by_mut(|a, b| a >> 32 == b >> 32);
        for equal in equal.filter(|equal| equal.len() > 1) {
            equal.sort_unstable_by(|&a, &b| {
                let [a, b] = [a, b].map(|key| &entries[place_of(key) as usize]);
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

    /// The record with this key: leading number, text, following number.
    fn get(&self, key: u128) -> (u32, &[u8], u64) {
        let entry = &self.entries[place_of(key) as usize];
        (lead_of(key), entry.text(&self.arena), entry.number)
    }
}

/// Sorts records by three fields: a leading number, a text, and a following number.
#[derive(Debug)]
pub struct Sorter {
    temp: Temp,
    memory: usize,
    records: Records,
    /// Records that did not fit into memory, in sorted pieces, and the offsets of the pieces.
    spilled: Spool,
    pieces: Vec<u64>,
}

impl Sorter {
    /// Sorts in this much memory, and then in files of this folder.
    pub fn new(temp: &Temp) -> Sorter {
        Sorter {
            temp: temp.clone(),
            memory: (temp.memory / 8).min(MAX_ARENA),
            records: Records::default(),
            spilled: temp.spool(),
            pieces: Vec::new(),
        }
    }

    /// Adds a text, sorted by `lead` first.
    pub fn push(&mut self, lead: u32, text: &[u8], number: u64) -> io::Result<()> {
        let used = self.records.arena.len() + self.records.entries.len() * ENTRY;
        if used + text.len() > self.memory && !self.records.entries.is_empty() {
            self.spill()?;
        }
        let records = &mut self.records;
        let [at, len, place] = [records.arena.len(), text.len(), records.entries.len()]
            .map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        records.entries.push(SortEntry { number, at, len });
        records.keys.push(key(lead, text, place));
        records.arena.extend_from_slice(text);
        Ok(())
    }

    fn spill(&mut self) -> io::Result<()> {
        self.records.sort();
        self.pieces.push(self.spilled.len());
        for &key in &self.records.keys {
            let (lead, text, number) = self.records.get(key);
            self.spilled.varint(u64::from(lead))?;
            self.spilled.varint(number)?;
            self.spilled.varint(text.len() as u64)?;
            self.spilled.write_all(text)?;
        }
        self.records.keys.clear();
        self.records.entries.clear();
        self.records.arena.clear();
        Ok(())
    }

    /// Ends adding records.
    pub fn finish(mut self) -> io::Result<Sorted> {
        if !self.pieces.is_empty() {
            self.spill()?;
            self.records = Records::default();
        }
        self.records.sort();
        Ok(Sorted {
            temp: self.temp,
            records: self.records,
            spilled: self.spilled.finish()?,
            pieces: self.pieces,
        })
    }
}

/// The sorted records.
#[derive(Debug)]
pub struct Sorted {
    temp: Temp,
    records: Records,
    spilled: Stored,
    pieces: Vec<u64>,
}

impl Sorted {
    /// Reads what was sorted, from the beginning.
    pub fn read(&self) -> io::Result<SortedReader<'_>> {
        let room = self.temp.room(self.pieces.len());
        let ends = self.pieces.iter().skip(1).chain([&self.spilled.len]);
        let (mut cursors, mut least) = (Vec::new(), BinaryHeap::new());
        for (&begin, end) in self.pieces.iter().zip(ends) {
            let mut record = PieceRecord {
                piece: cursors.len(),
                ..PieceRecord::default()
            };
            cursors.push(self.spilled.store.cursor(begin, end - begin, room)?);
            // Pieces are never empty.
            record.advance(&mut cursors)?;
            least.push(Reverse(record));
        }
        Ok(SortedReader {
            sorted: self,
            next: 0,
            cursors,
            least,
            is_behind: false,
        })
    }
}

/// The current record of a sorted piece, by which pieces are compared.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct PieceRecord {
    lead: u32,
    text: Vec<u8>,
    number: u64,
    /// The number of the piece.
    piece: usize,
}

impl PieceRecord {
    /// Reads the next record of the piece; `false` at its end.
    fn advance(&mut self, cursors: &mut [Cursor<'_>]) -> io::Result<bool> {
        let cursor = &mut cursors[self.piece];
        if cursor.left() == 0 {
            return Ok(false);
        }
        self.lead = u32::try_from(cursor.varint()?).unwrap_or(u32::MAX);
        self.number = cursor.varint()?;
        let len = cursor.varint()?;
        self.text.clear();
        cursor.take(len, &mut self.text)?;
        Ok(true)
    }
}

/// Reads the records in order.
#[derive(Debug)]
pub struct SortedReader<'s> {
    sorted: &'s Sorted,
    next: usize,
    cursors: Vec<Cursor<'s>>,
    least: BinaryHeap<Reverse<PieceRecord>>,
    /// Whether the current record of the least piece has been returned.
    is_behind: bool,
}

impl SortedReader<'_> {
    /// The next record: leading number, text, following number.
    #[expect(clippy::should_implement_trait, reason = "it lends what it returns")]
    pub fn next(&mut self) -> io::Result<Option<(u32, &[u8], u64)>> {
        if self.sorted.pieces.is_empty() {
            let records = &self.sorted.records;
            let key = records.keys.get(self.next);
            self.next += 1;
            return Ok(key.map(|&key| records.get(key)));
        }
        if self.is_behind
            && let Some(mut least) = self.least.peek_mut()
            && !least.0.advance(&mut self.cursors)?
        {
            PeekMut::pop(least);
        }
        self.is_behind = true;
        let least = self.least.peek();
        Ok(least.map(|Reverse(record)| (record.lead, &*record.text, record.number)))
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
