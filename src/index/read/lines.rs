//! Reads the lines of an index: the first moves of its games, sorted (spec/index.md section 7).

use rayon::prelude::*;

use super::view::{IntegerColumn, View};
use crate::index::format::flags::Flags;
use crate::index::format::integers::take_varint;
use crate::index::format::layout::{IndexError, Section, kind, width_of};
use crate::index::format::lines::{LINE, LINE_GROUP, LONG, kept, shared};
use crate::threads;

/// With fewer groups than this, threads are not worth their start.
const FEW_GROUPS: usize = 4;

/// The lines of an index.
pub(crate) struct LineTable<'a> {
    view: View<'a>,
    section: Section,
    games: IntegerColumn<'a>,
    groups: Vec<LineGroup>,
}

/// A group of entries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineGroup {
    /// The number of its segment.
    segment: u32,
    /// Its first entry, and the one behind its last.
    first: u32,
    end: u32,
    /// Its bytes in the section.
    bytes: (u64, u64),
}

/// An entry: how many ordinals it shares with the one before it in the group, and the others kept
/// of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineEntry<'a> {
    pub(crate) shared: usize,
    pub(crate) more: &'a [u8],
}

impl<'a> LineTable<'a> {
    /// `None` if the index has no lines.
    pub(crate) fn of(view: View<'a>) -> Result<Option<LineTable<'a>>, IndexError> {
        if view.frame.section(kind::LINES).is_none() {
            return Ok(None);
        }
        let mut table = LineTable {
            view,
            section: view.section(kind::LINES)?,
            games: view.column(kind::LINE_GAMES)?,
            groups: Vec::new(),
        };
        let (bounds, begins) = (
            view.column(kind::LINE_SEGMENTS)?,
            view.column(kind::LINE_GROUPS)?,
        );
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
                table.groups.push(LineGroup {
                    segment,
                    first,
                    end: last.min(first.saturating_add(LINE_GROUP)),
                    bytes: (begin, end),
                });
                first = last.min(first.saturating_add(LINE_GROUP));
                number += 1;
            }
        }
        if u64::from(first) != table.section.count || number != begins.count() {
            return Err(bounds.damaged("number of lines"));
        }
        Ok(Some(table))
    }

    /// The results of `work` for all groups, in order.
    pub(crate) fn of_groups<R: Send>(
        &self,
        threads: usize,
        work: impl Fn(&LineGroup) -> Result<R, IndexError> + Sync,
    ) -> Result<Vec<R>, IndexError> {
        match threads::count(threads) {
            threads if threads > 1 && self.groups.len() >= FEW_GROUPS => {
                threads::pool(threads)?.install(|| self.groups.par_iter().map(&work).collect())
            }
            _ => self.groups.iter().map(&work).collect(),
        }
    }

    /// The number of entries.
    pub(crate) fn count(&self) -> u64 {
        self.section.count
    }

    /// The entries of a group.
    pub(crate) fn entries(&self, group: &LineGroup) -> Result<LineEntries<'a>, IndexError> {
        Ok(LineEntries {
            bytes: self
                .view
                .bytes(&self.section, group.bytes.0, group.bytes.1)?,
            offset: self.section.offset + group.bytes.0,
            left: group.end - group.first,
            kept: 0,
        })
    }

    /// Replaces `out` by the games of a group.
    pub(crate) fn games(&self, group: &LineGroup, out: &mut Vec<u32>) -> Result<(), IndexError> {
        self.games.range(group.first, group.end, out)?;
        if out.iter().any(|&game| game >= self.view.games()) {
            return Err(self.games.damaged("number of a game"));
        }
        Ok(())
    }
}

/// Reads the entries of a group, in order.
pub(crate) struct LineEntries<'a> {
    bytes: &'a [u8],
    offset: u64,
    left: u32,
    /// The number of ordinals kept of the last line.
    kept: usize,
}

impl<'a> LineEntries<'a> {
    /// The next entry.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<LineEntry<'a>>, IndexError> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(None);
        };
        self.left = left;
        match self.take() {
            Some(entry) => Ok(Some(entry)),
            None => Err(IndexError::damaged(self.offset, "a line")),
        }
    }

    #[inline]
    fn take(&mut self) -> Option<LineEntry<'a>> {
        let (&byte, mut rest) = self.bytes.split_first()?;
        let mut number = |half: u8| match half {
            LONG => usize::try_from(take_varint(&mut rest)?)
                .ok()?
                .checked_add(usize::from(LONG)),
            _ => Some(usize::from(half)),
        };
        let (back, more) = (number(byte >> 4)?, number(byte & 0xf)?);
        let shared = self.kept.checked_sub(back)?;
        self.kept = shared.checked_add(more).filter(|&kept| kept <= LINE)?;
        let (more, rest) = rest.split_at_checked(more)?;
        self.bytes = rest;
        Some(LineEntry { shared, more })
    }

    /// Whether all bytes were read with the last entry.
    fn is_whole(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// Checks the lines against the other sections; what only the archive can tell is not checked.
pub(super) fn verify(view: View<'_>) -> Result<(), IndexError> {
    let Some(table) = LineTable::of(view)? else {
        return Ok(());
    };
    let widths = [
        (kind::LINE_SEGMENTS, table.count()),
        (
            kind::LINE_GROUPS,
            table.groups.last().map_or(0, |group| group.bytes.0),
        ),
        (kind::LINE_GAMES, u64::from(view.games().saturating_sub(1))),
    ];
    for (kind, largest) in widths {
        if view.section(kind)?.width != width_of(largest) {
            return Err(view.damaged(kind, "width of the integers"));
        }
    }
    if table.groups.first().is_some_and(|group| group.bytes.0 != 0) {
        return Err(view.damaged(kind::LINE_GROUPS, "the first group"));
    }
    let groups = table.groups.chunk_by(|a, b| a.segment == b.segment);
    groups
        .into_iter()
        .try_for_each(|groups| verify_segment(view, &table, groups))?;
    let flags = view.column(kind::FLAGS)?;
    let mut with_line = 0;
    for game in 0..view.games() {
        with_line += u64::from(has_line(&flags, game)?);
    }
    // No game has two entries, and all games of entries have lines: with equal numbers, none is
    // missing.
    if with_line != table.count() {
        return Err(view.damaged(kind::LINES, "number of lines"));
    }
    Ok(())
}

fn has_line(flags: &IntegerColumn<'_>, game: u32) -> Result<bool, IndexError> {
    let flags = u16::try_from(flags.get32(game)?).unwrap_or(u16::MAX);
    Ok(Flags::from_bits(flags).has_line())
}

/// The kept part of a line, which is the same for some games in a row.
#[derive(Default)]
struct LastLine {
    kept: Vec<u8>,
    /// The length of the whole line, of each of the games.
    len: usize,
    /// The last one of them.
    game: u32,
    /// The number of ordinals that it shares with the line before.
    before: usize,
}

/// Checks order, games, and how much is kept of the lines of a segment.
fn verify_segment(
    view: View<'_>,
    table: &LineTable<'_>,
    groups: &[LineGroup],
) -> Result<(), IndexError> {
    let wrong = |what| Err(view.damaged(kind::LINES, what));
    let plies = view.column(kind::PLIES)?;
    let mut members = SegmentGames::of(view, groups)?;
    let (mut last, mut games) = (None::<LastLine>, Vec::new());
    for group in groups {
        table.games(group, &mut games)?;
        let mut entries = table.entries(group)?;
        let mut line = Vec::new();
        for &game in &games {
            let Some(entry) = entries.next()? else {
                return wrong("number of lines");
            };
            members.take(game)?;
            if !entry.more.is_empty() && entry.more.first() == line.get(entry.shared) {
                return wrong("what two lines share");
            }
            line.truncate(entry.shared);
            line.extend_from_slice(entry.more);
            let len = (plies.get32(game)? as usize).min(LINE);
            last = match last {
                Some(same) if same.kept == line => {
                    if same.game >= game || same.len != len {
                        return wrong("order of equal lines");
                    }
                    Some(LastLine { game, ..same })
                }
                other => {
                    let before = other.as_ref().map_or(0, |other| shared(&other.kept, &line));
                    if let Some(other) = other {
                        if other.kept > line {
                            return wrong("order of the lines");
                        }
                        is_cut_right(view, &other, before)?;
                    }
                    Some(LastLine {
                        kept: line.clone(),
                        len,
                        game,
                        before,
                    })
                }
            };
        }
        if !entries.is_whole() {
            return wrong("bytes behind the last line of a group");
        }
    }
    last.map_or(Ok(()), |last| is_cut_right(view, &last, 0))
}

/// Checks how many ordinals are kept of a line; `behind` is the number of ordinals that it shares
/// with the next line.
fn is_cut_right(view: View<'_>, line: &LastLine, behind: usize) -> Result<(), IndexError> {
    if line.kept.len() == kept(line.len, line.before, behind) {
        Ok(())
    } else {
        Err(view.damaged(kind::LINES, "how much is kept of a line"))
    }
}

/// The games of a segment, and which of them were seen.
struct SegmentGames<'a> {
    view: View<'a>,
    flags: IntegerColumn<'a>,
    first: u32,
    seen: Vec<bool>,
}

impl<'a> SegmentGames<'a> {
    fn of(view: View<'a>, groups: &[LineGroup]) -> Result<SegmentGames<'a>, IndexError> {
        let segment = groups.first().map_or(0, |group| group.segment);
        let first = view.segment(segment)?.first_game;
        let behind = match segment + 1 {
            next if next < view.count(kind::SEGMENTS) => view.segment(next)?.first_game,
            _ => view.games(),
        };
        Ok(SegmentGames {
            view,
            flags: view.column(kind::FLAGS)?,
            first,
            seen: vec![false; behind.saturating_sub(first) as usize],
        })
    }

    fn take(&mut self, game: u32) -> Result<(), IndexError> {
        let place = game.checked_sub(self.first).map(|place| place as usize);
        let seen = place.and_then(|place| self.seen.get_mut(place));
        let is_new = seen.is_some_and(|seen| !std::mem::replace(seen, true));
        if is_new && has_line(&self.flags, game)? {
            return Ok(());
        }
        let what = "a game that comes twice, or has no line here";
        Err(self.view.damaged(kind::LINE_GAMES, what))
    }
}
