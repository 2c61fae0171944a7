//! Sorts the games into the collating order (spec/index.md section 5).

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io::{self, Write};

use super::merge::MergedTables;
use super::sort::{Least, Sequence};
use super::spill::{Cursor, IndexPart, Loaded, Stored, Temp, damaged};
use crate::index::format::layout::kind;
use crate::index::format::round::EqualRounds;

/// The sort key of a game and its number: date and Event; Round and White; Black and the result;
/// the number, 32 bits each.
pub(super) type Key = [u64; 4];

/// Computes the keys of the games of a part, in its order, from positions in the merged tables.
struct PartKeys<'p> {
    first_game: u32,
    games: u32,
    order: Cursor<'p>,
    width: u8,
    left: u32,
    date: ValueColumn<'p>,
    event: ValueColumn<'p>,
    round: ValueColumn<'p>,
    equal_rounds: &'p EqualRounds,
    white: Loaded<'p>,
    black: Loaded<'p>,
    players: Option<Vec<u32>>,
    flags: Loaded<'p>,
}

/// A column of values, and their positions in the merged table if these differ.
struct ValueColumn<'p>(Loaded<'p>, Option<Vec<u32>>);

impl ValueColumn<'_> {
    #[inline]
    fn get(&self, game: u32) -> io::Result<u64> {
        place(self.0.get(game)?, self.1.as_deref())
    }
}

#[inline]
pub(super) fn place(id: u64, map: Option<&[u32]>) -> io::Result<u64> {
    match map {
        None => Ok(id),
        Some(map) => {
            let id = usize::try_from(id).ok().and_then(|id| map.get(id));
            id.map(|&id| u64::from(id))
                .ok_or_else(|| damaged("number of a value"))
        }
    }
}

impl<'p> PartKeys<'p> {
    fn new(
        parts: &'p [IndexPart<'p>],
        at: usize,
        tables: &'p MergedTables,
        room: usize,
    ) -> io::Result<PartKeys<'p>> {
        let part = &parts[at];
        let column = |column: u32, table: u32| {
            let places = tables.places(table)?.0.load(at)?;
            Ok::<_, io::Error>(ValueColumn(part.load(column)?, places))
        };
        let ValueColumn(white, players) = column(kind::WHITE, kind::PLAYERS)?;
        Ok(PartKeys {
            first_game: part.first_game,
            games: part.games,
            order: part.cursor(kind::ORDER, room)?,
            width: part.section(kind::ORDER)?.width,
            left: part.games,
            date: column(kind::DATE, kind::DATES)?,
            event: column(kind::EVENT, kind::EVENTS)?,
            round: column(kind::ROUND, kind::ROUNDS)?,
            equal_rounds: &tables.get(kind::ROUNDS)?.equal_rounds,
            white,
            black: part.load(kind::BLACK)?,
            players,
            flags: part.load(kind::FLAGS)?,
        })
    }

    fn next(&mut self) -> io::Result<Option<Key>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let local = u32::try_from(self.order.integer(self.width)?)
            .ok()
            .filter(|&n| n < self.games)
            .ok_or_else(|| damaged("the order"))?;
        let round = self.equal_rounds.rank(self.round.get(local)?);
        let [white, black] = [&self.white, &self.black]
            .map(|column| place(column.get(local)?, self.players.as_deref()));
        Ok(Some([
            self.date.get(local)? << 32 | self.event.get(local)?,
            round << 32 | white?,
            black? << 32 | self.flags.get(local)? & 3,
            u64::from(self.first_game + local),
        ]))
    }
}

/// Where the keys of a part come from.
enum KeySource<'p> {
    Part(Box<PartKeys<'p>>),
    Spooled(Cursor<'p>),
}

impl KeySource<'_> {
    fn next(&mut self) -> io::Result<Option<Key>> {
        match self {
            KeySource::Part(keys) => keys.next(),
            KeySource::Spooled(cursor) if cursor.left() == 0 => Ok(None),
            KeySource::Spooled(cursor) => {
                let mut key = [0; 4];
                for word in &mut key {
                    *word = cursor.integer(64)?;
                }
                Ok(Some(key))
            }
        }
    }
}

/// Calls `each` with the numbers of all games, in the collating order.
pub(super) fn each(
    parts: &[IndexPart<'_>],
    tables: &MergedTables,
    temp: &Temp,
    mut each: impl FnMut(u64) -> io::Result<()>,
) -> io::Result<()> {
    let room = temp.room(parts.len());
    if let [part] = parts {
        let mut order = part.cursor(kind::ORDER, room)?;
        let width = part.section(kind::ORDER)?.width;
        return (0..part.games).try_for_each(|_| each(order.integer(width)?));
    }
    let spooled = spooled(parts, tables, temp)?;
    let mut sources = BinaryHeap::with_capacity(parts.len());
    for (i, span) in spooled.spans.into_iter().enumerate() {
        let mut source = match span {
            None => KeySource::Part(Box::new(PartKeys::new(parts, i, tables, room)?)),
            Some((from, len)) => KeySource::Spooled(spooled.stored.store.cursor(from, len, room)?),
        };
        if let Some(key) = source.next()? {
            sources.push(Least(NextGame { key, source }));
        }
    }
    while let Some(mut least) = sources.peek_mut() {
        each(least.0.key[3] & u64::from(u32::MAX))?;
        match least.0.source.next()? {
            Some(key) => least.0.key = key,
            None => drop(PeekMut::pop(least)),
        }
    }
    Ok(())
}

/// Keys that are computed before they are merged.
struct SpooledKeys {
    stored: Stored,
    /// For each part, the offset and length of its keys; `None` if they are computed on demand.
    spans: Vec<Option<(u64, u64)>>,
}

/// Computing keys needs the columns of a part and its positions in all tables. For parts in memory
/// the keys are computed on demand, as long as the positions fit; for other parts this writes them
/// to a file first, one part after the other.
fn spooled(parts: &[IndexPart<'_>], tables: &MergedTables, temp: &Temp) -> io::Result<SpooledKeys> {
    let room = temp.room(parts.len());
    let mut left = temp.memory / 4;
    let (mut spool, mut spans) = (temp.spool(), Vec::with_capacity(parts.len()));
    for (i, part) in parts.iter().enumerate() {
        let places = tables.map_bytes(i);
        if part.is_in_memory() && places <= left {
            left -= places;
            spans.push(None);
            continue;
        }
        let (from, mut keys) = (spool.len(), PartKeys::new(parts, i, tables, room)?);
        let mut put = |key: Key| {
            key.iter()
                .try_for_each(|word| spool.write_all(&word.to_le_bytes()))
        };
        while let Some(key) = keys.next()? {
            put(key)?;
        }
        spans.push(Some((from, spool.len() - from)));
    }
    Ok(SpooledKeys {
        stored: spool.finish()?,
        spans,
    })
}

/// The next game of a part.
struct NextGame<'p> {
    key: Key,
    source: KeySource<'p>,
}

impl Sequence for NextGame<'_> {
    fn compare(&self, other: &NextGame<'_>) -> Ordering {
        self.key.cmp(&other.key)
    }
}
