//! Holds the games since the last spill in memory, sorts their tables, and writes them as sections
//! like those of an index.

use std::array::from_fn;
use std::io::{self, Write};
use std::iter::once;

use super::output::Sections;
use super::spill::Temp;
use super::summary::{Fixed, Numbers, OfTables, ValueLists};
use super::tables::TableCoder;
use super::values::{Joined, Values};
use crate::format::layout::{
    NUMBER_COLUMNS, Section, TABLES, VALUE_COLUMNS, has_postings, kind, table_place,
};

/// A run with this many bytes of values in one table is full, whatever the memory limit: offsets of
/// values are u32.
const MAX_BYTES: usize = 1 << 31;

/// Games with their values, in the order of the archive.
#[derive(Debug, Default)]
pub(super) struct GameRun {
    pub(super) tables: OfTables<Values>,
    /// The numbers of the values: [`VALUE_COLUMNS`].
    ids: [Vec<u32>; VALUE_COLUMNS.len()],
    /// [`NUMBER_COLUMNS`].
    numbers: [Vec<u32>; 5],
}

/// Memory for a game in the columns.
const COLUMNS: usize = VALUE_COLUMNS.len() * size_of::<u32>() + size_of::<Numbers>();

/// Further memory for a game while the run is written: the lists of games of three tables.
const SORTING: usize = 4 * size_of::<u32>();

/// Initial capacity for games, if the memory limit is much higher: growing means copying, while
/// memory that is never touched costs nothing.
const ROOM: usize = 1 << 16;

impl GameRun {
    /// An empty run, for a builder with this memory limit.
    pub(super) fn new(memory: usize) -> GameRun {
        let games = ROOM.min(memory / 8 / COLUMNS);
        GameRun {
            ids: from_fn(|_| Vec::with_capacity(games)),
            numbers: from_fn(|_| Vec::with_capacity(games)),
            ..GameRun::default()
        }
    }

    pub(super) fn games(&self) -> usize {
        self.numbers[0].len()
    }

    /// Appends games of a block with its tables of values; `joined` has begun with these.
    pub(super) fn extend(
        &mut self,
        games: &[Fixed],
        values: &ValueLists,
        joined: &mut OfTables<Joined>,
    ) {
        for (place, (column, (_, table))) in self.ids.iter_mut().zip(VALUE_COLUMNS).enumerate() {
            let at = table_place(table);
            let (joined, from, to) = (&mut joined[at], &values.tables[at], &mut self.tables[at]);
            let ids = games.iter().map(|game| game.ids[place]);
            column.extend(ids.map(|id| joined.id(id, from, to)));
        }
        for (place, column) in self.numbers.iter_mut().enumerate() {
            column.extend(games.iter().map(|game| game.numbers[place]));
        }
    }

    /// The memory that the run takes and that sorting it will take; the maximum if the run is full.
    pub(super) fn memory(&self) -> usize {
        let games = self.numbers[0].capacity() * COLUMNS;
        let tables = &self.tables;
        if tables.iter().any(|table| table.bytes.len() > MAX_BYTES) {
            return usize::MAX;
        }
        games + self.games() * SORTING + tables.iter().map(|table| table.memory()).sum::<usize>()
    }
}

/// A run with sorted tables.
#[derive(Debug)]
pub(super) struct SortedRun {
    /// The columns hold places in the tables.
    run: GameRun,
    /// Of each of [`TABLES`] the numbers of the values, in the order of the values.
    orders: OfTables<Vec<u32>>,
}

impl SortedRun {
    /// Sorts the tables of a run.
    pub(super) fn new(mut run: GameRun) -> SortedRun {
        let orders = TABLES.map(|kind| {
            let ids = run.tables[table_place(kind)].sorted(kind == kind::ROUNDS);
            let mut places = vec![0_u32; ids.len()];
            for (place, &id) in (0..).zip(&ids) {
                places[id as usize] = place;
            }
            let columns = run.ids.iter_mut().zip(VALUE_COLUMNS);
            for (column, _) in columns.filter(|(_, (_, table))| *table == kind) {
                column.iter_mut().for_each(|id| *id = places[*id as usize]);
            }
            ids
        });
        SortedRun { run, orders }
    }

    /// Writes the sections, the first at `offset`. They are those of an index without
    /// words.
    pub(super) fn put(
        &self,
        out: &mut dyn Write,
        offset: u64,
        temp: &Temp,
    ) -> io::Result<(Vec<Section>, u64)> {
        let mut out = Sections::new(out, offset);
        for ((column, _), ids) in VALUE_COLUMNS.iter().zip(&self.run.ids) {
            put_column(&mut out, *column, ids)?;
        }
        for (column, numbers) in NUMBER_COLUMNS.zip(&self.run.numbers) {
            put_column(&mut out, column, numbers)?;
        }
        for (kind, order) in TABLES.into_iter().zip(&self.orders) {
            self.put_table(kind, order, &mut out, temp)?;
        }
        Ok(out.end())
    }

    /// Writes the values of a table, and of players the games.
    fn put_table<W: Write>(
        &self,
        kind: u32,
        order: &[u32],
        out: &mut Sections<W>,
        temp: &Temp,
    ) -> io::Result<()> {
        let games = u32::try_from(self.run.games()).unwrap_or(u32::MAX);
        let mut coder = TableCoder::new(kind, games, temp);
        let [.., white, black, _] = &self.run.ids;
        let lists = has_postings(kind).then(|| GameLists::new(order.len(), white, black));
        let values = &self.run.tables[table_place(kind)];
        for (place, &id) in order.iter().enumerate() {
            coder.value(values.get(id))?;
            if let Some(lists) = &lists {
                let games = lists.games(place).iter();
                games.for_each(|&game| coder.games.push(game));
                coder.games.end_value();
            }
        }
        drop(lists);
        coder.finish()?.put(out, temp)
    }
}

/// Writes a column.
fn put_column<W: Write>(out: &mut Sections<W>, kind: u32, column: &[u32]) -> io::Result<()> {
    let largest = column.iter().copied().max().map_or(0, u64::from);
    out.column(kind, largest, column.iter().map(|&number| number.into()))
}

/// The games of each player.
struct GameLists {
    games: Vec<u32>,
    ends: Vec<usize>,
}

impl GameLists {
    /// The games of each of `count` players, by the two columns.
    fn new(count: usize, white: &[u32], black: &[u32]) -> GameLists {
        // Nobody has a game twice.
        let players = |(&a, &b): (&u32, &u32)| once(a).chain((a != b).then_some(b));
        let mut ends = vec![0_usize; count + 1];
        for id in white.iter().zip(black).flat_map(players) {
            ends[id as usize + 1] += 1;
        }
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        // `ends` is where the next game of each player goes, and finally where the list of each
        // player ends.
        let mut games = vec![0_u32; ends.last().copied().unwrap_or(0)];
        for (number, game) in (0_u32..).zip(white.iter().zip(black)) {
            for id in players(game) {
                games[ends[id as usize]] = number;
                ends[id as usize] += 1;
            }
        }
        GameLists { games, ends }
    }

    fn games(&self, id: usize) -> &[u32] {
        let from = id.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.games[from..self.ends[id]]
    }
}
