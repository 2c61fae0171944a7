//! Sorts the lines of games, segment by segment, and keeps of each the moves that distinguish it
//! from its neighbours, and a few more (spec/index.md section 7).

use std::io::{self, Write};
use std::ops::Range;

use super::output::IndexOutput;
use super::sort::Sorter;
use super::spill::{Spool, Temp};
use crate::format::integers::put_halves;
use crate::format::layout::{IndexError, IndexFrame, kind};
use crate::format::lines::{LINE_GROUP, kept, shared};

/// The lines of the games so far.
#[derive(Debug)]
pub(super) struct LineSorter {
    temp: Temp,
    /// The games of the current segment.
    sorter: Sorter,
    /// The number of entries before each segment; the last number is that of all entries.
    bounds: Vec<u64>,
    /// Where each group begins among the entries.
    groups: Vec<u64>,
    entries: Spool,
    /// The number of the game of each entry.
    games: Spool,
}

impl LineSorter {
    pub(super) fn new(temp: Temp) -> LineSorter {
        LineSorter {
            sorter: Sorter::new(&temp),
            bounds: vec![0],
            groups: Vec::new(),
            entries: temp.spool(),
            games: temp.spool(),
            temp,
        }
    }

    /// Adds the line of a game of the current segment.
    pub(super) fn push(&mut self, line: &[u8], game: u32) -> io::Result<()> {
        self.sorter.push(0, line, u64::from(game))
    }

    /// Ends a segment: sorts its lines.
    pub(super) fn end_segment(&mut self) -> io::Result<()> {
        let sorter = std::mem::replace(&mut self.sorter, Sorter::new(&self.temp));
        let sorted = sorter.finish()?;
        let mut reader = sorted.read()?;
        let mut entries = 0;
        // Equal lines are written when the next different line is known. `before` is the number of
        // moves that they share with the line before them; `last` are the moves that the last entry
        // kept.
        let (mut line, mut equal, mut before, mut last) = (Vec::new(), 0, 0, Vec::new());
        while let Some((_, next, game)) = reader.next()? {
            self.games.varint(game)?;
            if equal > 0 && next != line {
                let behind = shared(&line, next);
                let kept = &line[..kept(line.len(), before, behind)];
                self.put_entries(kept, &mut last, entries..entries + equal)?;
                (entries, equal, before) = (entries + equal, 0, behind);
            }
            equal += 1;
            line.clear();
            line.extend_from_slice(next);
        }
        let kept = &line[..kept(line.len(), before, 0)];
        self.put_entries(kept, &mut last, entries..entries + equal)?;
        let all = self.bounds.last().copied().unwrap_or(0) + entries + equal;
        self.bounds.push(all);
        Ok(())
    }

    /// Writes entries, of these numbers in the segment, that keep these moves.
    fn put_entries(
        &mut self,
        kept: &[u8],
        last: &mut Vec<u8>,
        entries: Range<u64>,
    ) -> io::Result<()> {
        for entry in entries {
            if entry.is_multiple_of(u64::from(LINE_GROUP)) {
                self.groups.push(self.entries.len());
                last.clear();
            }
            let shared = shared(last, kept);
            let mut entry = Vec::new();
            put_halves(&mut entry, [last.len() - shared, kept.len() - shared]);
            entry.extend_from_slice(&kept[shared..]);
            self.entries.write_all(&entry)?;
            last.truncate(shared);
            last.extend_from_slice(&kept[shared..]);
        }
        Ok(())
    }

    /// Takes over the lines of an index, before all others.
    pub(super) fn take(&mut self, frame: &IndexFrame, index: &[u8]) -> Result<(), IndexError> {
        let section = |kind| {
            let section = frame.section(kind);
            section.ok_or(IndexError::Unfit("it has no lines"))
        };
        // Each integer of a section, if none is too large.
        let integers = |kind, largest: u64| {
            let section = section(kind)?;
            match section.integers(index).iter().all(|n| n <= largest) {
                true => Ok(section.integers(index).iter()),
                false => Err(IndexError::damaged(section.offset, "lines")),
            }
        };
        let lines = section(kind::LINES)?;
        self.bounds
            .extend(integers(kind::LINE_SEGMENTS, lines.count)?.skip(1));
        self.groups.extend(integers(kind::LINE_GROUPS, lines.len)?);
        self.entries.write_all(lines.bytes(index))?;
        for game in integers(kind::LINE_GAMES, u64::from(frame.games().saturating_sub(1)))? {
            self.games.varint(game)?;
        }
        Ok(())
    }

    /// Writes the sections of an index with `games` games.
    pub(super) fn put(self, output: &mut IndexOutput<'_>, games: u32) -> io::Result<()> {
        let count = self.bounds.last().copied().unwrap_or(0);
        output.column(kind::LINE_SEGMENTS, count, self.bounds.into_iter())?;
        let last = self.groups.last().copied().unwrap_or(0);
        output.column(kind::LINE_GROUPS, last, self.groups.into_iter())?;
        output.stored(kind::LINES, &self.entries.finish()?, count, &self.temp)?;
        let last = u64::from(games.saturating_sub(1));
        output.varints(kind::LINE_GAMES, last, &self.games.finish()?, &self.temp)
    }
}
