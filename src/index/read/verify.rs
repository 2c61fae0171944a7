//! Verifies everything that spec/index.md requires of an index and that can be checked without the
//! archive.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::lines;
use super::reader::Index;
use super::table::{IndexTable, NameField};
use super::view::{IntegerColumn, View};
use crate::index::format::date::Date;
use crate::index::format::flags::{FLAG_BITS, GameRules};
use crate::index::format::fold::{fold, words};
use crate::index::format::layout::GROUP;
use crate::index::format::layout::{ALIGN, IndexError, PAGE, kind, width_of};
use crate::index::format::places::BlockEntry;
use crate::index::format::round::compare_rounds;
use crate::threads;

/// The number of integers read together.
const BATCH: u32 = 4096;

/// Fewer pages than this are checked by one thread.
const FEW: u64 = 64;

/// The columns that the collating order compares (of the flags, the result).
const KEYS: [u32; 6] = [
    kind::DATE,
    kind::EVENT,
    kind::ROUND,
    kind::WHITE,
    kind::BLACK,
    kind::FLAGS,
];

impl<D: AsRef<[u8]> + Sync> Index<D> {
    /// Checks all checksums, and the consistency of the sections. It does not check what only the
    /// archive can tell: whether the index belongs to it ([`Index::belongs`]), and whether its
    /// statements about the games are true.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn verify(&self) -> Result<(), IndexError> {
        self.verify_with(0)
    }

    /// As [`Index::verify`], with a number of threads; 0 is one for each processor.
    ///
    /// # Errors
    /// The index is damaged, or a thread cannot be started.
    pub fn verify_with(&self, threads: usize) -> Result<(), IndexError> {
        let view = self.view();
        let check = |page: u64| view.check(page * PAGE, page * PAGE + 1);
        let pages = view.frame.pages();
        // A few pages are checked faster than a thread starts.
        match if pages < FEW {
            1
        } else {
            threads::count(threads)
        } {
            1 => (0..pages).try_for_each(check)?,
            threads => threads::pool(threads)?
                .install(|| (0..pages).into_par_iter().try_for_each(check))?,
        }
        padding(view)?;
        segments(view)?;
        blocks(view)?;
        numbers(view)?;
        dates(view)?;
        let fields = [
            (NameField::Event, vec![kind::EVENT]),
            (NameField::Round, vec![kind::ROUND]),
            (NameField::Player, vec![kind::WHITE, kind::BLACK]),
        ];
        for (field, columns) in fields {
            table(view, field, &columns)?;
        }
        order(view)?;
        lines::verify(view)
    }
}

/// Checks the padding between the sections.
fn padding(view: View<'_>) -> Result<(), IndexError> {
    let mut sections = view.frame.sections().iter().peekable();
    while let Some(section) = sections.next() {
        let next = sections
            .peek()
            .map_or(view.frame.paged(), |next| next.offset);
        let range = usize::try_from(section.end())
            .ok()
            .zip(usize::try_from(next).ok());
        let bytes = range
            .and_then(|(from, to)| view.data.get(from..to))
            .unwrap_or_default();
        if next - section.end() >= ALIGN || bytes.iter().any(|&b| b != 0) {
            return Err(IndexError::damaged(
                section.end(),
                "bytes that must be zero",
            ));
        }
    }
    Ok(())
}

fn segments(view: View<'_>) -> Result<(), IndexError> {
    let wrong = |what| Err(view.damaged(kind::SEGMENTS, what));
    let (count, blocks) = (view.count(kind::SEGMENTS), view.count(kind::BLOCKS));
    if view.frame.is_foreign() && count != 1 {
        return wrong("a foreign stream is one segment");
    }
    let mut before = (0, 0, 0);
    for number in 0..count {
        let segment = view.segment(number)?;
        if number == 0 && (segment.first_game, segment.first_block) != (0, 0) {
            return wrong("offset of the first segment");
        }
        let first = if segment.first_block < blocks {
            view.block(segment.first_block)?.first_game
        } else {
            view.games()
        };
        if segment.offset < before.0
            || segment.first_game < before.1
            || segment.first_block < before.2
            || segment.first_block > blocks
            || segment.first_game != first
        {
            return wrong("order of the segments");
        }
        before = (segment.end, segment.first_game, segment.first_block);
    }
    if count == 0 && blocks > 0 {
        wrong("blocks outside segments")
    } else {
        Ok(())
    }
}

fn blocks(view: View<'_>) -> Result<(), IndexError> {
    let wrong = |what| Err(view.damaged(kind::BLOCKS, what));
    let blocks = view.count(kind::BLOCKS);
    let mut segments = (0..view.count(kind::SEGMENTS))
        .map(|number| view.segment(number))
        .peekable();
    let (mut begin, mut end) = (0, 0);
    let mut before = (0, 0);
    for number in 0..blocks {
        while let Some(segment) =
            segments.next_if(|next| next.as_ref().is_ok_and(|next| next.first_block <= number))
        {
            let segment = segment?;
            // In a foreign stream the recorded head is part of the first block.
            begin = segment.offset
                + if view.frame.is_foreign() {
                    0
                } else {
                    u64::from(segment.head)
                };
            end = segment.end;
        }
        let BlockEntry {
            offset, first_game, ..
        } = view.block(number)?;
        if offset < begin || offset >= end || first_game > view.games() || first_game < before.1 {
            return wrong("offset of a block");
        }
        if number > 0 && offset <= before.0 {
            return wrong("order of the blocks");
        }
        if number == 0 && first_game != 0 {
            return wrong("the first game is in no block");
        }
        before = (offset, first_game);
    }
    if blocks == 0 && view.games() > 0 {
        wrong("games outside blocks")
    } else {
        Ok(())
    }
}

/// Calls `each` with all integers of a column in order, and checks the column's width against the
/// largest. In a column of positions in a table of `places` values, that is the last position.
fn each_integer(
    column: &IntegerColumn<'_>,
    places: Option<u32>,
    mut each: impl FnMut(u32) -> bool,
) -> Result<(), IndexError> {
    let (mut largest, mut batch) = (0, Vec::new());
    let count = u32::try_from(column.count()).map_err(|_| column.damaged("number of integers"))?;
    for from in (0..count).step_by(BATCH as usize) {
        column.range(from, count.min(from.saturating_add(BATCH)), &mut batch)?;
        for &integer in &batch {
            if !each(integer) {
                return Err(column.damaged("a value out of range"));
            }
            largest = largest.max(integer);
        }
    }
    let largest = places.map_or(largest, |places| places.saturating_sub(1));
    width(column, u64::from(largest))
}

fn width(column: &IntegerColumn<'_>, largest: u64) -> Result<(), IndexError> {
    if column.section.width == width_of(largest) {
        Ok(())
    } else {
        Err(column.damaged("width of its integers"))
    }
}

/// Checks the columns that do not refer to tables, and the hashes.
fn numbers(view: View<'_>) -> Result<(), IndexError> {
    let flags = |bits: u32| {
        let rules = bits >> 9;
        bits < 1 << FLAG_BITS && (rules <= 8 || rules == u32::from(GameRules::Other.number()))
    };
    each_integer(&view.column(kind::WHITE_ELO)?, None, |elo| elo <= 65_535)?;
    each_integer(&view.column(kind::BLACK_ELO)?, None, |elo| elo <= 65_535)?;
    each_integer(&view.column(kind::ECO)?, None, |eco| eco <= 501)?;
    each_integer(&view.column(kind::PLIES)?, None, |_| true)?;
    each_integer(&view.column(kind::FLAGS)?, None, flags)?;
    if view.frame.section(kind::HASH).is_some() {
        let column = view.column(kind::HASH)?;
        width(&column, largest_of(&column)?)?;
    }
    Ok(())
}

/// Whether the bits are a valid date: the first unknown digit is 0.
fn is_date(date: Date) -> bool {
    let known = u32::from(date.known());
    known <= 8
        && date.digits() <= 99_999_999
        && (known == 8 || (date.digits() / 10_u32.pow(7 - known)).is_multiple_of(10))
}

/// Checks the distinct dates, and their ranks against the column of dates.
fn dates(view: View<'_>) -> Result<(), IndexError> {
    let (dates, ranks, of_games) = (
        view.column(kind::DATES)?,
        view.column(kind::RANKS)?,
        view.column(kind::DATE)?,
    );
    let count = view.count(kind::DATES);
    let mut games = vec![0_u32; usize::try_from(count).unwrap_or(0)];
    each_integer(&of_games, Some(count), |place| {
        match games.get_mut(place as usize) {
            Some(games) => {
                *games += 1;
                true
            }
            None => false,
        }
    })?;
    let (mut rank, mut last) = (0, None);
    for (at, games) in (0..).zip(games) {
        let date = view.date(at)?;
        let key = (date.digits(), date.bits());
        if last.is_some_and(|last| last >= key) || !is_date(date) {
            return Err(dates.damaged("a date, or the order of the dates"));
        }
        if games == 0 || ranks.get32(at)? != rank {
            return Err(ranks.damaged("ranks of the dates"));
        }
        (rank, last) = (rank + games, Some(key));
    }
    if ranks.get32(count)? != view.games() {
        return Err(ranks.damaged("ranks of the dates"));
    }
    width(&dates, largest_of(&dates)?)?;
    width(&ranks, u64::from(view.games()))
}

/// The largest integer of a column.
fn largest_of(column: &IntegerColumn<'_>) -> Result<u64, IndexError> {
    (0..column.count()).try_fold(0, |largest, at| Ok(column.get(at)?.max(largest)))
}

/// Checks a table with its columns.
fn table(view: View<'_>, field: NameField, columns: &[u32]) -> Result<(), IndexError> {
    let table = IndexTable::of(view, field)?;
    let order = |a: &str, b: &str| {
        if field == NameField::Round {
            compare_rounds(a.as_bytes(), b.as_bytes())
        } else {
            a.cmp(b)
        }
    };
    let values = view.section(field.table() + kind::VALUES)?;
    let groups = view.column(field.table() + kind::GROUPS)?;
    let (mut last, mut reader) = (None::<String>, table.reader());
    for id in 0..table.len() {
        let value = reader.value(id)?;
        if last.is_some_and(|last| order(&last, value) != Ordering::Less) {
            return Err(view.damaged(field.table() + kind::VALUES, "order of the values"));
        }
        last = Some(value.to_owned());
        if id % GROUP == GROUP - 1 || id + 1 == table.len() {
            // Each group ends where the next begins.
            let end = match u64::from(id / GROUP) + 1 {
                behind if behind < groups.count() => groups.get(behind)?,
                _ => values.len,
            };
            if !reader.rest().is_empty() || end == 0 {
                return Err(view.damaged(field.table() + kind::VALUES, "end of a group"));
            }
        }
    }
    begins(&groups, values.len)?;
    let counts = counts(view, &table, columns)?;
    if counts.contains(&0) {
        return Err(view.damaged(field.table() + kind::VALUES, "a value without games"));
    }
    if field == NameField::Round {
        return Ok(());
    }
    postings(view, field, &table, columns, &counts)?;
    words_of(&table)
}

/// Checks where groups begin: the first at 0, each behind the one before, the last before `len`.
fn begins(groups: &IntegerColumn<'_>, len: u64) -> Result<(), IndexError> {
    let mut last = None;
    for at in 0..groups.count() {
        let begin = groups.get(at)?;
        if last.map_or(begin > 0, |last| begin <= last) || begin >= len {
            return Err(groups.damaged("where the groups begin"));
        }
        last = Some(begin);
    }
    if last.is_none() && len > 0 {
        return Err(groups.damaged("where the groups begin"));
    }
    width(groups, last.unwrap_or(0))
}

/// Counts the games of each value.
fn counts(view: View<'_>, table: &IndexTable<'_>, columns: &[u32]) -> Result<Vec<u32>, IndexError> {
    let mut counts = vec![0_u32; usize::try_from(table.len()).unwrap_or(0)];
    let count = |counts: &mut Vec<u32>, id: u32| match usize::try_from(id)
        .ok()
        .and_then(|id| counts.get_mut(id))
    {
        Some(count) => {
            *count += 1;
            true
        }
        None => false,
    };
    for &kind in columns {
        each_integer(&view.column(kind)?, Some(table.len()), |id| {
            count(&mut counts, id)
        })?;
    }
    if let &[white, black] = columns {
        let (white, black) = (view.column(white)?, view.column(black)?);
        for game in 0..view.games() {
            let id = white.get32(game)?;
            // A game whose players have the same name counts once.
            if id == black.get32(game)?
                && let Some(count) = usize::try_from(id).ok().and_then(|id| counts.get_mut(id))
            {
                *count -= 1;
            }
        }
    }
    Ok(counts)
}

/// Checks that the postings of each value are exactly its games.
fn postings(
    view: View<'_>,
    field: NameField,
    table: &IndexTable<'_>,
    columns: &[u32],
    counts: &[u32],
) -> Result<(), IndexError> {
    let wrong = || view.damaged(field.table() + kind::POSTINGS, "postings");
    let columns = columns
        .iter()
        .map(|&kind| view.column(kind))
        .collect::<Result<Vec<_>, _>>()?;
    begins(
        &view.column(field.table() + kind::POSTING_GROUPS)?,
        view.section(field.table() + kind::POSTINGS)?.len,
    )?;
    for (number, counts) in (0..).zip(counts.chunks(GROUP as usize)) {
        let (bytes, mut group) = table.postings(number)?;
        for (id, &count) in (number * GROUP..).zip(counts) {
            let (mut games, mut damage) = (0, None);
            let is_there = |game: u32| {
                columns.iter().try_fold(false, |is, column| {
                    Ok::<_, IndexError>(is || column.get32(game)? == id)
                })
            };
            let read = group.each_of_next(bytes, |game| {
                games += 1;
                match is_there(game) {
                    Ok(true) => {}
                    Ok(false) => damage = Some(wrong()),
                    Err(error) => damage = Some(error),
                }
            });
            if let Some(damage) = damage {
                return Err(damage);
            }
            if read.is_none() || games != count {
                return Err(wrong());
            }
        }
        if group.len() != bytes.len() as u64 {
            return Err(wrong());
        }
    }
    Ok(())
}

/// Checks that the words are sorted, and complete.
fn words_of(table: &IndexTable<'_>) -> Result<(), IndexError> {
    let column = table.words()?;
    let (mut folded, mut all) = (String::new(), 0_u64);
    let mut of_value: Vec<(usize, usize)> = Vec::new();
    let mut reader = table.reader();
    for id in 0..table.len() {
        fold(reader.value(id)?, &mut folded);
        // Equal words of a value count once.
        of_value.clear();
        let base = folded.as_ptr().addr();
        of_value.extend(words(&folded).map(|word| (word.as_ptr().addr() - base, word.len())));
        of_value.sort_unstable_by_key(|&(at, len)| &folded[at..at + len]);
        of_value.dedup_by_key(|&mut (at, len)| &folded[at..at + len]);
        all += of_value.len() as u64;
    }
    if column.count() != all {
        return Err(column.damaged("number of words"));
    }
    let (mut last, mut largest) = ((String::new(), 0), 0);
    for at in 0..all {
        let (id, number) = table.word(&column, at)?;
        let is_first = table.with_word(&column, at, &mut folded, |word| {
            let is_sorted = at == 0 || (last.0.as_str(), last.1) < (word, id);
            last.0.clear();
            last.0.push_str(word);
            is_sorted
        })?;
        let first = words(&folded)
            .position(|word| word == last.0)
            .and_then(|first| u64::try_from(first).ok());
        if !is_first || first != Some(number) {
            return Err(column.damaged("order of the words"));
        }
        last.1 = id;
        largest = largest.max(column.get(at)?);
    }
    width(&column, largest)
}

/// Checks that the collating order lists every game, in the right order.
fn order(view: View<'_>) -> Result<(), IndexError> {
    let column = view.column(kind::ORDER)?;
    let mut seen = vec![0_u64; usize::try_from(view.games().div_ceil(64)).unwrap_or(0)];
    each_integer(&column, Some(view.games()), |game| {
        match usize::try_from(game / 64)
            .ok()
            .and_then(|i| seen.get_mut(i))
        {
            Some(word) if game < view.games() && *word >> (game % 64) & 1 == 0 => {
                *word |= 1 << (game % 64);
                true
            }
            _ => false,
        }
    })?;
    let mut columns = Vec::new();
    for key in KEYS {
        columns.push((key, view.column(key)?));
    }
    let equal_rounds = IndexTable::of(view, NameField::Round)?.equal_rounds()?;
    let ranked = |key: u32, number: u32| match key {
        kind::FLAGS => u64::from(number & 3),
        kind::ROUND => equal_rounds.rank(number.into()),
        _ => u64::from(number),
    };
    let mut last = None;
    for rank in 0..view.games() {
        let game = column.get32(rank)?;
        if let Some(last) = last {
            let mut ordering = Ordering::Equal;
            for (key, column) in &columns {
                ordering =
                    ranked(*key, column.get32(last)?).cmp(&ranked(*key, column.get32(game)?));
                if ordering.is_ne() {
                    break;
                }
            }
            if ordering.then(last.cmp(&game)).is_gt() {
                return Err(column.damaged("order of the games"));
            }
        }
        last = Some(game);
    }
    Ok(())
}
