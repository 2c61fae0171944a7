//! Merges the tables of the parts into those of the index (spec/index.md section 4).

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::output::Output;
use super::sort::{Least, Sequence};
use super::spill::{Cursor, IndexPart, Spool, Stored, Temp, damaged};
use super::words::{SortedWords, Words};
use crate::index::format::layout::{MAX_VALUE, kind, put_varint};
use crate::index::format::round::{EqualRounds, compare_rounds};
use crate::io::temp::TempFile;

/// The number of positions collected before they are written to a file.
const PLACES: usize = 1024;

/// The merged tables of the index.
#[derive(Debug, Default)]
pub(super) struct MergedTables(Vec<MergedTable>);

impl MergedTables {
    /// Merges a table of all parts; parts without it are skipped.
    pub(super) fn join(
        &mut self,
        parts: &[IndexPart<'_>],
        table: u32,
        with_words: bool,
        temp: &Temp,
    ) -> io::Result<()> {
        let table = Joining::new(parts, table, with_words, temp)?.join(parts)?;
        self.0.push(table);
        Ok(())
    }

    pub(super) fn get(&self, table: u32) -> io::Result<&MergedTable> {
        self.0
            .iter()
            .find(|t| t.kind == table)
            .ok_or_else(|| damaged("a table is missing"))
    }

    /// The position in the merged table of each value of a part's table; `None` if both are the
    /// same.
    pub(super) fn map(&self, table: u32, part: usize) -> io::Result<Option<Vec<u32>>> {
        self.get(table)?.places.load(part)
    }

    /// Memory for all these positions of a part.
    pub(super) fn map_bytes(&self, part: usize) -> usize {
        self.0.iter().map(|table| table.places.bytes(part)).sum()
    }
}

/// A merged table.
#[derive(Debug)]
pub(super) struct MergedTable {
    kind: u32,
    /// Number of values.
    pub(super) count: u64,
    values: Stored,
    /// The length of each value, and that of its postings.
    lens: Stored,
    postings: Stored,
    posting_lens: Stored,
    words: Option<SortedWords>,
    places: Places,
    /// Which values are equal, for the table of rounds.
    pub(super) equal_rounds: EqualRounds,
}

impl MergedTable {
    /// Writes its sections.
    pub(super) fn put(&self, out: &mut Output<'_>, temp: &Temp) -> io::Result<()> {
        put_lens(
            out,
            self.kind + kind::OFFSETS,
            &self.lens,
            self.values.len,
            temp,
        )?;
        put_stored(out, self.kind + kind::VALUES, &self.values, temp)?;
        if self.kind == kind::ROUNDS {
            return Ok(());
        }
        put_lens(
            out,
            self.kind + kind::POSTING_OFFSETS,
            &self.posting_lens,
            self.postings.len,
            temp,
        )?;
        put_stored(out, self.kind + kind::POSTINGS, &self.postings, temp)?;
        self.words
            .as_ref()
            .map_or(Ok(()), |words| words.put(out, self.kind))
    }
}

/// Writes the offsets of entries with these lengths, and the end of the last.
fn put_lens(
    out: &mut Output<'_>,
    kind: u32,
    lens: &Stored,
    end: u64,
    temp: &Temp,
) -> io::Result<()> {
    out.integers(kind, end)?;
    let (mut cursor, mut at) = (lens.cursor(temp.room(8))?, 0);
    out.integer(0)?;
    while cursor.left() > 0 {
        at += cursor.varint()?;
        out.integer(at)?;
    }
    out.end_section()
}

fn put_stored(out: &mut Output<'_>, kind: u32, stored: &Stored, temp: &Temp) -> io::Result<()> {
    out.entries(kind)?;
    let mut cursor = stored.cursor(temp.room(8))?;
    while cursor.left() > 0 {
        let bytes = cursor.some()?;
        let n = bytes.len();
        out.bytes(bytes, n as u64)?;
        cursor.consume(n);
    }
    out.end_section()
}

/// Reads the table of a part, value by value.
struct TableCursor<'p> {
    /// The number of the part.
    part: usize,
    first_game: u32,
    is_rounds: bool,
    /// Number of values after the current one.
    left: u64,
    /// Position of the current value, and the value.
    id: u32,
    value: Vec<u8>,
    before: Vec<u8>,
    offsets: Cursor<'p>,
    width: u8,
    at: u64,
    values: Cursor<'p>,
    postings: Option<Postings<'p>>,
}

struct Postings<'p> {
    offsets: Cursor<'p>,
    width: u8,
    at: u64,
    bytes: Cursor<'p>,
    /// Length of the postings of the current value.
    len: u64,
}

impl<'p> TableCursor<'p> {
    /// Starts at the first value of a table of the part at `number`; `None` if it has none.
    fn new(
        parts: &'p [IndexPart<'p>],
        number: usize,
        table: u32,
        room: usize,
    ) -> io::Result<Option<TableCursor<'p>>> {
        let part = &parts[number];
        let offsets = part.section(table + kind::OFFSETS)?;
        let is_rounds = table == kind::ROUNDS;
        let postings = if is_rounds {
            None
        } else {
            let section = part.section(table + kind::POSTING_OFFSETS)?;
            let mut offsets = part.cursor(table + kind::POSTING_OFFSETS, room)?;
            let at = offsets.integer(section.width)?;
            Some(Postings {
                offsets,
                width: section.width,
                at,
                bytes: part.cursor(table + kind::POSTINGS, room)?,
                len: 0,
            })
        };
        let mut cursor = TableCursor {
            part: number,
            first_game: part.first_game,
            is_rounds,
            left: offsets.count.saturating_sub(1),
            id: u32::MAX,
            value: Vec::new(),
            before: Vec::new(),
            offsets: part.cursor(table + kind::OFFSETS, room)?,
            width: offsets.width,
            at: 0,
            values: part.cursor(table + kind::VALUES, room)?,
            postings,
        };
        cursor.at = cursor.offsets.integer(cursor.width)?;
        if cursor.at != 0
            || cursor
                .postings
                .as_ref()
                .is_some_and(|postings| postings.at != 0)
        {
            return Err(damaged("offset of the values of a table"));
        }
        Ok(cursor.advance()?.then_some(cursor))
    }

    /// Advances to the next value, after the postings of the current one have been read; `false` at
    /// the end.
    fn advance(&mut self) -> io::Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        let is_first = self.id == u32::MAX;
        self.left -= 1;
        self.id = self.id.wrapping_add(1);
        let end = self.offsets.integer(self.width)?;
        let len = end
            .checked_sub(self.at)
            .filter(|&len| len <= MAX_VALUE as u64);
        self.at = end;
        std::mem::swap(&mut self.value, &mut self.before);
        self.value.clear();
        self.values.take(
            len.ok_or_else(|| damaged("length of a value"))?,
            &mut self.value,
        )?;
        if !is_first && compare(self.is_rounds, &self.before, &self.value) != Ordering::Less {
            return Err(damaged("order of the values of a table"));
        }
        if let Some(postings) = &mut self.postings {
            let end = postings.offsets.integer(postings.width)?;
            postings.len = end
                .checked_sub(postings.at)
                .ok_or_else(|| damaged("length of postings"))?;
            postings.at = end;
        }
        Ok(true)
    }
}

/// By value, then by part.
impl Sequence for Box<TableCursor<'_>> {
    fn compare(&self, other: &Self) -> Ordering {
        compare(self.is_rounds, &self.value, &other.value).then(self.part.cmp(&other.part))
    }
}

fn compare(is_rounds: bool, a: &[u8], b: &[u8]) -> Ordering {
    if is_rounds {
        compare_rounds(a, b)
    } else {
        a.cmp(b)
    }
}

/// A merged table that is being made.
struct Joining<'t> {
    kind: u32,
    temp: &'t Temp,
    count: u64,
    values: Spool,
    lens: Spool,
    postings: Spool,
    posting_lens: Spool,
    words: Option<Words>,
    places: PlacesWriter,
    equal_rounds: EqualRounds,
    /// The first numbers of the current postings.
    scratch: Vec<u8>,
    /// For each part that has the current value, the length of its remaining postings.
    lists: Vec<u64>,
}

impl<'t> Joining<'t> {
    fn new(
        parts: &[IndexPart<'_>],
        table: u32,
        with_words: bool,
        temp: &'t Temp,
    ) -> io::Result<Joining<'t>> {
        let values = |part: &IndexPart<'_>| match part.section(table + kind::OFFSETS) {
            Ok(section) => section.count.saturating_sub(1),
            Err(_) => 0,
        };
        Ok(Joining {
            kind: table,
            temp,
            count: 0,
            values: temp.spool(),
            lens: temp.spool(),
            postings: temp.spool(),
            posting_lens: temp.spool(),
            words: (with_words && table != kind::ROUNDS).then(|| Words::new(temp)),
            places: PlacesWriter::new(&parts.iter().map(values).collect::<Vec<_>>(), temp)?,
            equal_rounds: EqualRounds::default(),
            scratch: Vec::new(),
            lists: Vec::new(),
        })
    }

    fn join(mut self, parts: &[IndexPart<'_>]) -> io::Result<MergedTable> {
        let room = self.temp.room(4 * parts.len());
        let mut heap = BinaryHeap::with_capacity(parts.len());
        for (number, part) in parts.iter().enumerate() {
            let is_there = self.kind != kind::SITES || part.has_sites();
            if is_there && let Some(cursor) = TableCursor::new(parts, number, self.kind, room)? {
                heap.push(Least(Box::new(cursor)));
            }
        }
        // The cursors of the parts that have the current value, in the order of the parts.
        let mut with_value = Vec::new();
        while let Some(Least(first)) = heap.pop() {
            with_value.push(first);
            while let Some(next) = heap.peek()
                && next.0.value == with_value[0].value
            {
                with_value.extend(heap.pop().map(|next| next.0));
            }
            self.put(&mut with_value)?;
            for mut cursor in with_value.drain(..) {
                if cursor.advance()? {
                    heap.push(Least(cursor));
                }
            }
        }
        self.finish()
    }

    /// Writes the current value of these cursors, of which there is at least one.
    fn put(&mut self, with_value: &mut [Box<TableCursor<'_>>]) -> io::Result<()> {
        let id = u32::try_from(self.count)
            .map_err(|_| io::Error::other("too many different values for an index"))?;
        self.count += 1;
        let value = &with_value[0].value;
        self.values.write_all(value)?;
        self.lens.varint(value.len() as u64)?;
        if let Some(words) = &mut self.words {
            words.push(id, value)?;
        }
        for cursor in &*with_value {
            self.places.put(cursor.part, cursor.id, id)?;
        }
        if self.kind == kind::ROUNDS {
            self.equal_rounds.push(value);
            return Ok(());
        }
        self.put_postings(with_value)
    }

    /// Concatenates the postings: those of a later part are of later games.
    fn put_postings(&mut self, with_value: &mut [Box<TableCursor<'_>>]) -> io::Result<()> {
        let from = self.postings.len();
        self.lists.clear();
        let mut games = 0_u64;
        for postings in with_value.iter_mut().flat_map(|c| &mut c.postings) {
            let before = postings.bytes.left();
            games += postings.bytes.varint()?;
            let used = before - postings.bytes.left();
            let left = postings.len.checked_sub(used).filter(|&left| left > 0);
            self.lists
                .push(left.ok_or_else(|| damaged("length of postings"))?);
        }
        self.postings.varint(games)?;
        let mut last: Option<u64> = None;
        let is_last = self.lists.len();
        for ((n, cursor), &left) in (1..).zip(with_value).zip(&self.lists) {
            let first_game = u64::from(cursor.first_game);
            let Some(postings) = &mut cursor.postings else {
                continue;
            };
            let before = postings.bytes.left();
            let first = postings.bytes.varint()?.saturating_add(first_game);
            let used = before - postings.bytes.left();
            let rest = left
                .checked_sub(used)
                .ok_or_else(|| damaged("length of postings"))?;
            let delta = match last {
                None => Some(first),
                Some(last) => first.checked_sub(last).and_then(|more| more.checked_sub(1)),
            };
            self.scratch.clear();
            put_varint(
                &mut self.scratch,
                delta.ok_or_else(|| damaged("order of postings"))?,
            );
            self.postings.write_all(&self.scratch)?;
            // The following numbers are relative to the first and stay as they are; the last game
            // matters only if another list follows.
            last = Some(first.saturating_add(copy(
                &mut postings.bytes,
                rest,
                n < is_last,
                &mut self.postings,
            )?));
        }
        self.posting_lens.varint(self.postings.len() - from)
    }

    fn finish(self) -> io::Result<MergedTable> {
        Ok(MergedTable {
            kind: self.kind,
            count: self.count,
            values: self.values.finish()?,
            lens: self.lens.finish()?,
            postings: self.postings.finish()?,
            posting_lens: self.posting_lens.finish()?,
            words: self.words.map(Words::finish).transpose()?,
            places: self.places.finish()?,
            equal_rounds: self.equal_rounds,
        })
    }
}

/// Copies `n` bytes of varints; with `sum`, returns the distance from the first game to the last.
fn copy(from: &mut Cursor<'_>, mut n: u64, sum: bool, to: &mut Spool) -> io::Result<u64> {
    let (mut distance, mut number, mut shift) = (0_u64, 0_u64, 0);
    while n > 0 {
        let bytes = from.some()?;
        let now = bytes.len().min(usize::try_from(n).unwrap_or(usize::MAX));
        if now == 0 {
            return Err(damaged("length of postings"));
        }
        to.write_all(&bytes[..now])?;
        for &byte in bytes[..now].iter().filter(|_| sum) {
            number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            // An overlong number is damage, and must not cause a panic.
            shift = shift.saturating_add(7);
            if byte < 0x80 {
                distance = distance.saturating_add(number).saturating_add(1);
                (number, shift) = (0, 0);
            }
        }
        from.consume(now);
        n -= now as u64;
    }
    Ok(distance)
}

/// For each part, the position in the merged table of each of its values.
#[derive(Debug)]
struct Places {
    /// The number of values of each part.
    counts: Vec<u64>,
    /// Where the positions of each part begin.
    starts: Vec<u64>,
    kept: Kept,
}

#[derive(Debug)]
enum Kept {
    /// There is only one part, whose positions are those of the merged table.
    Same,
    Memory(Vec<u32>),
    File(TempFile),
}

impl Places {
    fn bytes(&self, part: usize) -> usize {
        match self.kept {
            Kept::Same => 0,
            _ => usize::try_from(self.counts[part] * 4).unwrap_or(usize::MAX),
        }
    }

    fn load(&self, part: usize) -> io::Result<Option<Vec<u32>>> {
        let [start, count] = [self.starts[part], self.counts[part]]
            .map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        match &self.kept {
            Kept::Same => Ok(None),
            Kept::Memory(all) => Ok(Some(all[start..start + count].to_vec())),
            Kept::File(file) => {
                let mut file = file;
                file.seek(SeekFrom::Start(self.starts[part] * 4))?;
                let (mut places, mut left) = (Vec::with_capacity(count), count);
                let mut bytes = [0; PLACES * 4];
                while left > 0 {
                    let now = &mut bytes[..left.min(PLACES) * 4];
                    file.read_exact(now)?;
                    left -= now.len() / 4;
                    places.extend(
                        now.as_chunks::<4>()
                            .0
                            .iter()
                            .map(|place| u32::from_le_bytes(*place)),
                    );
                }
                Ok(Some(places))
            }
        }
    }
}

/// Writes positions: those of a part come in order, but parts alternate.
struct PlacesWriter {
    places: Places,
    /// For each part, the bytes not yet written to the file, and the number already written.
    waiting: Vec<(Vec<u8>, u64)>,
}

impl PlacesWriter {
    fn new(counts: &[u64], temp: &Temp) -> io::Result<PlacesWriter> {
        let starts = counts.iter().scan(0, |sum, count| {
            *sum += count;
            Some(*sum - count)
        });
        let all: u64 = counts.iter().sum();
        let kept = match usize::try_from(all) {
            _ if counts.len() == 1 => Kept::Same,
            Ok(all) if all <= temp.memory / 32 => Kept::Memory(vec![0; all]),
            _ => Kept::File(temp.file()?),
        };
        let places = Places {
            counts: counts.to_vec(),
            starts: starts.collect(),
            kept,
        };
        Ok(PlacesWriter {
            places,
            waiting: vec![(Vec::new(), 0); counts.len()],
        })
    }

    fn put(&mut self, part: usize, id: u32, place: u32) -> io::Result<()> {
        match &mut self.places.kept {
            Kept::Same => {}
            Kept::Memory(all) => {
                let at = self.places.starts[part] + u64::from(id);
                if let Some(slot) = usize::try_from(at).ok().and_then(|at| all.get_mut(at)) {
                    *slot = place;
                }
            }
            Kept::File(_) => {
                self.waiting[part].0.extend_from_slice(&place.to_le_bytes());
                if self.waiting[part].0.len() >= PLACES * 4 {
                    self.write(part)?;
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, part: usize) -> io::Result<()> {
        let (Kept::File(file), (bytes, written)) = (&mut self.places.kept, &mut self.waiting[part])
        else {
            return Ok(());
        };
        file.seek(SeekFrom::Start((self.places.starts[part] + *written) * 4))?;
        file.write_all(bytes)?;
        *written += bytes.len() as u64 / 4;
        bytes.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<Places> {
        for part in 0..self.waiting.len() {
            if !self.waiting[part].0.is_empty() {
                self.write(part)?;
            }
        }
        Ok(self.places)
    }
}
