//! Holds the games since the last spill in memory.

use super::summary::{Fixed, OfTables, ValueLists};
use super::values::{Joined, Values};
use crate::format::layout::{VALUE_COLUMNS, table_place};

/// A run with this many bytes of values in one table is full, whatever the memory limit: offsets of
/// values are u32.
const MAX_BYTES: usize = 1 << 31;

/// Games with their values, in the order of the archive.
#[derive(Debug, Default)]
pub(super) struct GameRun {
    pub(super) tables: OfTables<Values>,
    /// The numbers of the values: [`VALUE_COLUMNS`].
    pub(super) ids: [Vec<u32>; VALUE_COLUMNS.len()],
    pub(super) plies: Vec<u32>,
    pub(super) white_elo: Vec<u16>,
    pub(super) black_elo: Vec<u16>,
    pub(super) eco: Vec<u16>,
    pub(super) flags: Vec<u32>,
    /// Empty if no hashes are wanted.
    pub(super) hash: Vec<u64>,
}

/// Memory for a game in the columns, without the hash.
const COLUMNS: usize = (VALUE_COLUMNS.len() + 2) * size_of::<u32>() + 3 * size_of::<u16>();

/// Further memory for a game while the run is written: the lists of games of three tables.
const SORTING: usize = 4 * size_of::<u32>();

/// Initial capacity for games, and for values in each list, if the memory limit is much higher:
/// growing means copying, while memory that is never touched costs nothing.
const ROOM: (usize, usize) = (1 << 16, 1 << 10);

impl GameRun {
    /// An empty run, for a builder with this memory limit.
    pub(super) fn new(memory: usize) -> GameRun {
        let games = ROOM.0.min(memory / 8 / COLUMNS);
        GameRun {
            tables: std::array::from_fn(|_| Values::with_room(ROOM.1.min(memory / 4096))),
            ids: std::array::from_fn(|_| Vec::with_capacity(games)),
            plies: Vec::with_capacity(games),
            white_elo: Vec::with_capacity(games),
            black_elo: Vec::with_capacity(games),
            eco: Vec::with_capacity(games),
            flags: Vec::with_capacity(games),
            hash: Vec::new(),
        }
    }

    pub(super) fn games(&self) -> usize {
        self.plies.len()
    }

    /// Appends games of a block with its tables of values; `joined` has begun with these.
    pub(super) fn extend(
        &mut self,
        games: &[Fixed],
        values: &ValueLists,
        joined: &mut OfTables<Joined>,
        with_hash: bool,
    ) {
        for (place, (column, (_, table))) in self.ids.iter_mut().zip(VALUE_COLUMNS).enumerate() {
            let at = table_place(table);
            let (joined, from, to) = (&mut joined[at], &values.tables[at], &mut self.tables[at]);
            column.extend(
                games
                    .iter()
                    .map(|game| joined.id(game.ids[place], from, to)),
            );
        }
        self.plies.extend(games.iter().map(|game| game.plies));
        self.white_elo
            .extend(games.iter().map(|game| game.white_elo));
        self.black_elo
            .extend(games.iter().map(|game| game.black_elo));
        self.eco.extend(games.iter().map(|game| game.eco));
        self.flags
            .extend(games.iter().map(|game| game.flags.bits()));
        if with_hash {
            self.hash.extend(games.iter().map(|game| game.hash));
        }
    }

    /// The memory that the run takes and that sorting it will take; the maximum if the run is full.
    pub(super) fn memory(&self) -> usize {
        let games = self.plies.capacity() * COLUMNS + self.hash.capacity() * size_of::<u64>();
        let tables = &self.tables;
        if tables.iter().any(|table| table.byte_len() > MAX_BYTES) {
            return usize::MAX;
        }
        games + self.games() * SORTING + tables.iter().map(|table| table.memory()).sum::<usize>()
    }
}
