//! Reads the lines of an index: the first moves of its games, sorted (spec/index.md section 7).

use super::view::{IntegerColumn, View};
use crate::format::integers::take_halves;
use crate::format::layout::{IndexError, Section, kind};
use crate::format::lines::{LINE, LINE_GROUP};
use pgc_io::threads;

/// The lines of an index.
#[derive(Debug)]
pub struct LineTable<'a> {
    view: View<'a>,
    section: Section,
    games: IntegerColumn<'a>,
    groups: Vec<LineGroup>,
}

/// A group of entries.
#[derive(Clone, Copy, Debug)]
pub struct LineGroup {
    /// The first entry, and the one behind its last.
    first: u32,
    end: u32,
    /// The bytes in the section.
    bytes: (u64, u64),
    /// Whether the next group is of the same segment.
    goes_on: bool,
}

/// An entry: how many ordinals it shares with the one before it in the group, and the others kept
/// of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineEntry<'a> {
    /// The number of bytes that it has in common with the line before it.
    pub shared: usize,
    /// The bytes behind these.
    pub more: &'a [u8],
}

impl<'a> LineTable<'a> {
    /// `None` if the index has no lines.
    pub(crate) fn open(view: View<'a>) -> Result<Option<LineTable<'a>>, IndexError> {
        if view.frame.section(kind::LINES).is_none() {
            return Ok(None);
        }
        let mut table = LineTable {
            view,
            section: view.section(kind::LINES)?,
            games: view.column(kind::LINE_GAMES)?,
            groups: Vec::new(),
        };
        let bounds = view.column(kind::LINE_SEGMENTS)?;
        let begins = view.column(kind::LINE_GROUPS)?;
        let (mut number, mut first) = (0, 0);
        for segment in 0..view.count(kind::SEGMENTS) {
            let last = bounds.get32(segment + 1)?;
            if bounds.get32(segment)? != first || u64::from(last) > table.section.count {
                return Err(bounds.damaged("number of lines"));
            }
            while first < last {
                let begin = begins.get(number)?;
                let end = match number + 1 {
                    next if next < begins.count() => begins.get(next)?,
                    _ => table.section.len,
                };
                let next = last.min(first.saturating_add(LINE_GROUP));
                table.groups.push(LineGroup {
                    first,
                    end: next,
                    bytes: (begin, end),
                    goes_on: next < last,
                });
                (first, number) = (next, number + 1);
            }
        }
        if u64::from(first) != table.section.count || number != begins.count() {
            return Err(bounds.damaged("number of lines"));
        }
        Ok(Some(table))
    }

    /// Passes the results of `work` for all groups to `sink`, in order.
    pub fn each_group<R: Send>(
        &self,
        threads: usize,
        work: impl Fn(&LineGroup) -> Result<R, IndexError> + Sync,
        sink: impl FnMut(R),
    ) -> Result<(), IndexError> {
        threads::in_order(&self.groups, threads, work, sink)
    }

    /// The number of entries.
    pub fn count(&self) -> u64 {
        self.section.count
    }

    /// The entries of a group.
    pub fn entries(&self, group: &LineGroup) -> Result<LineEntries<'a>, IndexError> {
        let (from, to) = group.bytes;
        Ok(LineEntries {
            bytes: self.view.bytes(&self.section, from, to)?,
            offset: self.section.offset + from,
            left: group.end - group.first,
            kept: 0,
        })
    }

    /// The beginning that all lines of a group share with the first of the next one, since lines
    /// ascend; empty if no group of its segment follows.
    pub fn shared_by_all(&self, group: &LineGroup) -> Result<&'a [u8], IndexError> {
        let first = |group| -> Result<&'a [u8], IndexError> {
            let entry = self.entries(group)?.next()?;
            Ok(entry.map_or(&[], |entry| entry.more))
        };
        let behind = self.groups.partition_point(|of| of.first <= group.first);
        let (own, behind) = match self.groups.get(behind) {
            Some(behind) if group.goes_on => (first(group)?, first(behind)?),
            _ => return Ok(&[]),
        };
        let equal = own.iter().zip(behind).take_while(|(a, b)| a == b);
        Ok(&own[..equal.count()])
    }

    /// Replaces `out` by the games of a group.
    pub fn games(&self, group: &LineGroup, out: &mut Vec<u32>) -> Result<(), IndexError> {
        self.games.range(group.first, group.end, out)?;
        if out.iter().any(|&game| game >= self.view.games()) {
            return Err(self.games.damaged("number of a game"));
        }
        Ok(())
    }
}

/// Reads the entries of a group, in order.
#[derive(Debug)]
pub struct LineEntries<'a> {
    bytes: &'a [u8],
    offset: u64,
    left: u32,
    /// The number of ordinals kept of the last line.
    kept: usize,
}

impl<'a> LineEntries<'a> {
    /// The next entry.
    #[inline]
    pub fn next(&mut self) -> Result<Option<LineEntry<'a>>, IndexError> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(None);
        };
        self.left = left;
        let entry = self.take();
        let damaged = || IndexError::damaged(self.offset, "a line");
        entry.ok_or_else(damaged).map(Some)
    }

    #[inline]
    fn take(&mut self) -> Option<LineEntry<'a>> {
        let mut rest = self.bytes;
        let [back, more] = take_halves(&mut rest)?;
        let shared = self.kept.checked_sub(back)?;
        self.kept = shared.checked_add(more).filter(|&kept| kept <= LINE)?;
        let (more, rest) = rest.split_at_checked(more)?;
        self.bytes = rest;
        Some(LineEntry { shared, more })
    }
}
