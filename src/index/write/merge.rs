//! Merges the tables of the parts into those of the index (spec/index.md section 4).

use std::cmp::Ordering;
use std::io;

use super::output::IndexOutput;
use super::sort::{Sorted, Sorter};
use super::spill::{Cursor, IndexPart, Temp, damaged};
use super::tables::{CodedTable, SortedWords, TableCoder, Words};
use crate::format::layout::{GROUP, TABLES, has_postings, has_words, kind};
use crate::format::names::take_name;
use crate::format::postings::PostingsGroup;
use crate::format::round::compare_rounds;

/// Merges the tables of all parts, which have `games` games.
pub(super) fn join(
    parts: &[IndexPart<'_>],
    games: u32,
    temp: &Temp,
) -> io::Result<Vec<MergedTable>> {
    let merged = |table| merged(parts, table, games, temp);
    TABLES.into_iter().map(merged).collect()
}

/// A merged table.
#[derive(Debug)]
pub(super) struct MergedTable {
    pub(super) coded: CodedTable,
    words: Option<SortedWords>,
    /// For each value of each part, in order, its position in this table; `None`: there is only one
    /// part, and the positions are the same.
    pub(super) places: Option<Sorted>,
}

impl MergedTable {
    /// Writes its sections.
    pub(super) fn put(&self, out: &mut IndexOutput<'_>, temp: &Temp) -> io::Result<()> {
        self.coded.put(out, temp)?;
        let words = self.words.as_ref();
        words.map_or(Ok(()), |words| words.put(out, &self.coded))
    }
}

/// Reads groups of bytes.
struct GroupCursor<'p> {
    begins: Cursor<'p>,
    width: u8,
    /// The number of groups after the current one, and where it ends.
    left: u64,
    end: u64,
    bytes: Cursor<'p>,
    group: Vec<u8>,
}

impl<'p> GroupCursor<'p> {
    fn new(part: &'p IndexPart<'p>, kinds: [u32; 2], room: usize) -> io::Result<GroupCursor<'p>> {
        let (section, mut begins) = part.cursor(kinds[0], room)?;
        if section.count > 0 && begins.integer(section.width)? != 0 {
            return Err(damaged("offset of the first group of a table"));
        }
        Ok(GroupCursor {
            begins,
            width: section.width,
            left: section.count,
            end: 0,
            bytes: part.cursor(kinds[1], room)?.1,
            group: Vec::new(),
        })
    }

    /// Advances to the next group.
    fn advance(&mut self) -> io::Result<()> {
        let begin = self.end;
        let left = self.left.checked_sub(1);
        self.left = left.ok_or_else(|| damaged("number of groups"))?;
        self.end = match self.left {
            0 => begin + self.bytes.left(),
            _ => self.begins.integer(self.width)?,
        };
        let len = self.end.checked_sub(begin);
        let len = len.filter(|&len| len <= self.bytes.left());
        let len = len.ok_or_else(|| damaged("length of a group"))?;
        self.group.clear();
        self.bytes.take(len, &mut self.group)
    }
}

/// Reads the table of a part, value by value.
struct TableCursor<'p> {
    /// The number of the part.
    part: u32,
    first_game: u32,
    games: u32,
    is_rounds: bool,
    /// The number of values, and the position of the current one.
    count: u32,
    id: u32,
    value: Vec<u8>,
    before: Vec<u8>,
    values: GroupCursor<'p>,
    /// How much of the group of values was read.
    at: usize,
    postings: Option<(GroupCursor<'p>, Option<PostingsGroup>)>,
}

impl<'p> TableCursor<'p> {
    /// Starts at the first value of a table of a part; `None` if it has none.
    fn new(
        (number, part): (u32, &'p IndexPart<'p>),
        table: u32,
        room: usize,
    ) -> io::Result<Option<TableCursor<'p>>> {
        let cursor = |groups, bytes| GroupCursor::new(part, [table + groups, table + bytes], room);
        let postings = has_postings(table).then(|| cursor(kind::POSTING_GROUPS, kind::POSTINGS));
        let postings = postings.transpose()?.map(|cursor| (cursor, None));
        let count = u32::try_from(part.section(table + kind::VALUES)?.count);
        let mut cursor = TableCursor {
            part: number,
            first_game: part.first_game,
            games: part.games,
            is_rounds: table == kind::ROUNDS,
            count: count.map_err(|_| damaged("number of values"))?,
            id: u32::MAX,
            value: Vec::new(),
            before: Vec::new(),
            values: cursor(kind::GROUPS, kind::VALUES)?,
            at: 0,
            postings,
        };
        Ok(cursor.advance()?.then_some(cursor))
    }

    /// Whether its value, or with the same value its part, comes before that of another.
    fn is_before(&self, other: &TableCursor<'_>) -> bool {
        let order = compare(self.is_rounds, &self.value, &other.value);
        order.then(self.part.cmp(&other.part)).is_lt()
    }

    /// Advances to the next value, after the postings of the current one have been read; `false` at
    /// the end.
    fn advance(&mut self) -> io::Result<bool> {
        let id = self.id.wrapping_add(1);
        if id >= self.count {
            return Ok(false);
        }
        self.before.clone_from(&self.value);
        if id.is_multiple_of(GROUP) {
            self.begin_group(id)?;
        }
        let mut rest = &self.values.group[self.at..];
        take_name(&mut rest, &mut self.value).ok_or_else(|| damaged("a value"))?;
        self.at = self.values.group.len() - rest.len();
        if id > 0 && compare(self.is_rounds, &self.before, &self.value) != Ordering::Less {
            return Err(damaged("order of the values of a table"));
        }
        self.id = id;
        Ok(true)
    }

    fn begin_group(&mut self, id: u32) -> io::Result<()> {
        self.values.advance()?;
        self.at = 0;
        self.value.clear();
        if let Some((cursor, group)) = &mut self.postings {
            cursor.advance()?;
            let values = GROUP.min(self.count - id);
            *group = PostingsGroup::new(&cursor.group, values, self.games);
        }
        Ok(())
    }

    /// Calls `each` with the games of the current value, numbered in the index.
    fn each_game(&mut self, mut each: impl FnMut(u32)) -> io::Result<()> {
        let Some((cursor, group)) = &mut self.postings else {
            return Ok(());
        };
        let first = self.first_game;
        let read = group
            .as_mut()
            .and_then(|group| group.each_of_next(&cursor.group, |game| each(first + game)));
        read.ok_or_else(|| damaged("postings"))
    }
}

fn compare(is_rounds: bool, a: &[u8], b: &[u8]) -> Ordering {
    match is_rounds {
        true => compare_rounds(a, b),
        false => a.cmp(b),
    }
}

/// Puts the number of a cursor into a list of such, in descending order.
fn put_in_order(open: &mut Vec<usize>, at: usize, cursors: &[TableCursor<'_>]) {
    let place = open.partition_point(|&other| cursors[at].is_before(&cursors[other]));
    open.insert(place, at);
}

/// Merges a table of all parts.
fn merged(parts: &[IndexPart<'_>], table: u32, games: u32, temp: &Temp) -> io::Result<MergedTable> {
    let mut places = (parts.len() > 1).then(|| Sorter::new(temp));
    let mut coder = TableCoder::new(table, games, temp);
    let mut words = has_words(table).then(|| Words::new(temp));
    let room = temp.room(4 * parts.len());
    let cursors = (0..)
        .zip(parts)
        .map(|part| TableCursor::new(part, table, room));
    let cursors: io::Result<Vec<_>> = cursors.filter_map(io::Result::transpose).collect();
    let mut cursors = cursors?;
    // Those that are not at their ends, the one with the first value last.
    let mut open = Vec::with_capacity(cursors.len());
    for at in 0..cursors.len() {
        put_in_order(&mut open, at, &cursors);
    }
    // The cursors of the parts that have the current value, in the order of the parts.
    let mut with_value = Vec::new();
    while let Some(first) = open.pop() {
        let value = &cursors[first].value;
        let id = coder.value(value)?;
        if let Some(words) = &mut words {
            words.push(id, value)?;
        }
        with_value.push(first);
        while let Some(next) = open.pop_if(|next| cursors[*next].value == *value) {
            with_value.push(next);
        }
        // The games of a later part are later games.
        for at in with_value.drain(..) {
            let cursor = &mut cursors[at];
            if let Some(places) = &mut places {
                // Texts are sorted from their first byte on, which therefore is the highest one.
                let own = cursor.id.swap_bytes().to_le_bytes();
                places.push(cursor.part, &own, id.into())?;
            }
            cursor.each_game(|game| coder.games.push(game))?;
            if cursor.advance()? {
                put_in_order(&mut open, at, &cursors);
            }
        }
        if has_postings(table) {
            coder.games.end_value();
        }
    }
    Ok(MergedTable {
        coded: coder.finish()?,
        words: words.map(Words::finish).transpose()?,
        places: places.map(Sorter::finish).transpose()?,
    })
}
